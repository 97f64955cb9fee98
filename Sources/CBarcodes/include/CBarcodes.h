#pragma once
// zxing-cpp, as far as pictures are looked through for codes.
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Takes a code that was found: what kind it is, and its text in UTF-8.
typedef void (*cbarcodes_take)(void *to, const char *format, const char *text, size_t count);

/// Looks for codes in a picture, one byte of brightness for each pixel, and gives at most so many to `take`. What goes wrong is no code.
void cbarcodes_read(const uint8_t *pixels, int width, int height, int most, cbarcodes_take take, void *to);

#ifdef __cplusplus
}
#endif
