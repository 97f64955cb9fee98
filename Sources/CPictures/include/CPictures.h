#pragma once
// libjpeg, libpng and libwebp, as far as pictures are checked and made smaller. Each reader decodes a picture to its last pixel,
// and averages what each pixel of a smaller one stands for, on white; it never holds all pixels at once where the format does
// without. What is wrong is told by its result alone: the log of the server is no place for it.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Decodes a JPEG, and writes one of that size, three bytes for each pixel; false if it is broken or smaller than that.
bool cpictures_read_jpeg(const uint8_t *bytes, size_t count, int width, int height, uint8_t *small);

/// The same of a PNG.
bool cpictures_read_png(const uint8_t *bytes, size_t count, int width, int height, uint8_t *small);

/// The same of a WebP.
bool cpictures_read_webp(const uint8_t *bytes, size_t count, int width, int height, uint8_t *small);

/// A JPEG of these pixels, to be given to `free`; NULL if there is no memory.
uint8_t *cpictures_write_jpeg(const uint8_t *pixels, int width, int height, int quality, unsigned long *count);
