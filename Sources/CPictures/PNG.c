#include "Averages.h"
#include "CPictures.h"
#include <png.h>
#include <stdlib.h>
#include <string.h>

/* On the heap, so that all of it is known after a jump. */
struct reading {
    png_structp codec;
    png_infop info;
    struct averages averages;
    const uint8_t *bytes;
    size_t left;
    uint8_t *row;
};

static void give_up(png_structp codec, png_const_charp text)
{
    (void)text;
    png_longjmp(codec, 1);
}

static void hear(png_structp codec, png_const_charp text)
{
    (void)codec;
    (void)text;
}

static void take(png_structp codec, png_bytep to, size_t count)
{
    struct reading *reading = png_get_io_ptr(codec);
    if (count > reading->left) png_error(codec, "it ends too early");
    memcpy(to, reading->bytes, count);
    reading->bytes += count;
    reading->left -= count;
}

/* Whatever it is made of becomes four bytes for each pixel. */
static void expand(png_structp codec)
{
    png_set_expand(codec);
    png_set_strip_16(codec);
    png_set_gray_to_rgb(codec);
    png_set_add_alpha(codec, 0xff, PNG_FILLER_AFTER);
}

static bool read_rows(struct reading *reading, int width, int height, uint8_t *small)
{
    png_structp codec = reading->codec;
    png_set_read_fn(codec, reading, take);
    png_read_info(codec, reading->info);
    expand(codec);
    bool is_interlaced = png_get_interlace_type(codec, reading->info) == PNG_INTERLACE_ADAM7;
    png_read_update_info(codec, reading->info);
    size_t from_width = png_get_image_width(codec, reading->info), from_height = png_get_image_height(codec, reading->info);
    if (png_get_rowbytes(codec, reading->info) != 4 * from_width) return false;
    reading->row = malloc(4 * from_width);
    if (reading->row == NULL) return false;
    if (!averages_begin(&reading->averages, from_width, from_height, (size_t)width, (size_t)height)) return false;
    /* What comes in several passes is not put together first: each pixel is added where it belongs. */
    for (int pass = 0; pass < (is_interlaced ? PNG_INTERLACE_ADAM7_PASSES : 1); pass++) {
        size_t x = is_interlaced ? PNG_PASS_START_COL(pass) : 0, across = is_interlaced ? PNG_PASS_COL_OFFSET(pass) : 1;
        size_t y = is_interlaced ? PNG_PASS_START_ROW(pass) : 0, down = is_interlaced ? PNG_PASS_ROW_OFFSET(pass) : 1;
        if (x >= from_width) continue;
        for (; y < from_height; y += down) {
            png_read_row(codec, reading->row, NULL);
            averages_add_covering(&reading->averages, y, x, across, reading->row);
        }
    }
    png_read_end(codec, NULL);
    averages_write(&reading->averages, small);
    return true;
}

bool cpictures_read_png(const uint8_t *bytes, size_t count, int width, int height, uint8_t *small)
{
    struct reading *reading = calloc(1, sizeof *reading);
    if (reading == NULL) return false;
    reading->bytes = bytes;
    reading->left = count;
    volatile bool is_whole = false;
    reading->codec = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, give_up, hear);
    if (reading->codec != NULL) reading->info = png_create_info_struct(reading->codec);
    if (reading->info != NULL && setjmp(png_jmpbuf(reading->codec)) == 0) is_whole = read_rows(reading, width, height, small);
    png_destroy_read_struct(&reading->codec, &reading->info, NULL);
    averages_end(&reading->averages);
    free(reading->row);
    free(reading);
    return is_whole;
}
