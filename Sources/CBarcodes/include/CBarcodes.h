#pragma once
// zxing-cpp, as far as pictures are looked through for codes.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Takes a code that was found: what kind it is, and its text in UTF-8.
typedef void (*cbarcodes_take)(void *to, const char *format, size_t format_count, const char *text, size_t text_count);

/// Looks for codes in a picture, one byte of brightness for each pixel, and gives at most so many to `take`. What goes wrong, or takes
/// more of a processor than so many milliseconds, is no code. False if the system has no room for another process.
///
/// It happens in a process of its own, because pictures can be drawn for which zxing-cpp would take hours, and a thread cannot be ended.
bool cbarcodes_read(
    const uint8_t *pixels, int width, int height, int most, int milliseconds, cbarcodes_take take, void *to);

#ifdef __cplusplus
}
#endif
