#include "Averages.h"
#include "CPictures.h"
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <jpeglib.h>
#include <jerror.h>

/* libjpeg goes on after its own errors nowhere else than where somebody has said. */
struct trouble {
    struct jpeg_error_mgr manager;
    jmp_buf back;
};

static void give_up(j_common_ptr codec) { longjmp(((struct trouble *)codec->err)->back, 1); }

/* Of what libjpeg only warns of, cameras do much, but none of them leaves a part of the picture out. */
static void hear(j_common_ptr codec, int level)
{
    int what = codec->err->msg_code;
    if (level < 0 && (what == JWRN_HIT_MARKER || what == JWRN_JPEG_EOF || what == JWRN_HUFF_BAD_CODE)) give_up(codec);
}

static struct jpeg_error_mgr *quiet(struct trouble *trouble)
{
    jpeg_std_error(&trouble->manager);
    trouble->manager.error_exit = give_up;
    trouble->manager.emit_message = hear;
    return &trouble->manager;
}

/* On the heap, so that all of it is known after a jump. */
struct reading {
    struct jpeg_decompress_struct codec;
    struct trouble trouble;
    struct averages averages;
};

/* Blocks of 8×8 are decoded smaller as long as each pixel is still made of several: that is most of the work. */
static unsigned int divisor(const struct jpeg_decompress_struct *codec, int width, int height)
{
    unsigned int divisor = 8;
    while (divisor > 1
        && (codec->image_width / divisor < 2 * (unsigned int)width || codec->image_height / divisor < 2 * (unsigned int)height))
        divisor /= 2;
    return divisor;
}

/* Inks, which cover the white, as three colours. Adobe's programs write how much they leave of it. */
static void mix(uint8_t *pixels, size_t count, bool is_left)
{
    uint8_t *mixed = pixels;
    for (; count > 0; count--, pixels += 4, mixed += 3)
        for (int color = 0; color < 3; color++) {
            unsigned int ink = is_left ? pixels[color] : 255 - pixels[color], black = is_left ? pixels[3] : 255 - pixels[3];
            mixed[color] = (uint8_t)(ink * black / 255);
        }
}

static bool read_rows(struct reading *reading, const uint8_t *bytes, size_t count, int width, int height, uint8_t *small)
{
    struct jpeg_decompress_struct *codec = &reading->codec;
    jpeg_create_decompress(codec);
    jpeg_mem_src(codec, bytes, count);
    jpeg_read_header(codec, TRUE);
    codec->scale_num = 1;
    codec->scale_denom = divisor(codec, width, height);
    bool has_inks = codec->jpeg_color_space == JCS_CMYK || codec->jpeg_color_space == JCS_YCCK;
    codec->out_color_space = has_inks ? JCS_CMYK : JCS_RGB;
    codec->do_fancy_upsampling = FALSE;
    codec->do_block_smoothing = FALSE;
    jpeg_start_decompress(codec);
    if (!averages_begin(&reading->averages, codec->output_width, codec->output_height, (size_t)width, (size_t)height)) return false;
    JSAMPARRAY row = codec->mem->alloc_sarray(
        (j_common_ptr)codec, JPOOL_IMAGE, codec->output_width * (unsigned int)codec->output_components, 1);
    while (codec->output_scanline < codec->output_height) {
        size_t y = codec->output_scanline;
        jpeg_read_scanlines(codec, row, 1);
        /* In front of where each pixel is written stands only what was read. */
        if (has_inks) mix(row[0], codec->output_width, codec->saw_Adobe_marker);
        averages_add_row(&reading->averages, y, row[0]);
    }
    jpeg_finish_decompress(codec);
    averages_write(&reading->averages, small);
    return true;
}

bool cpictures_read_jpeg(const uint8_t *bytes, size_t count, int width, int height, uint8_t *small)
{
    struct reading *reading = calloc(1, sizeof *reading);
    if (reading == NULL) return false;
    reading->codec.err = quiet(&reading->trouble);
    volatile bool is_whole = false;
    if (setjmp(reading->trouble.back) == 0) is_whole = read_rows(reading, bytes, count, width, height, small);
    jpeg_destroy_decompress(&reading->codec);
    averages_end(&reading->averages);
    free(reading);
    return is_whole;
}

struct writing {
    struct jpeg_compress_struct codec;
    struct trouble trouble;
    uint8_t *bytes;
};

static void write_rows(
    struct writing *writing, const uint8_t *pixels, int width, int height, int quality, unsigned long *count)
{
    struct jpeg_compress_struct *codec = &writing->codec;
    jpeg_create_compress(codec);
    jpeg_mem_dest(codec, &writing->bytes, count);
    codec->image_width = (JDIMENSION)width;
    codec->image_height = (JDIMENSION)height;
    codec->input_components = 3;
    codec->in_color_space = JCS_RGB;
    jpeg_set_defaults(codec);
    jpeg_set_quality(codec, quality, TRUE);
    jpeg_start_compress(codec, TRUE);
    while (codec->next_scanline < codec->image_height) {
        JSAMPROW row = (JSAMPROW)(pixels + (size_t)codec->next_scanline * (size_t)width * 3);
        jpeg_write_scanlines(codec, &row, 1);
    }
    jpeg_finish_compress(codec);
}

uint8_t *cpictures_write_jpeg(const uint8_t *pixels, int width, int height, int quality, unsigned long *count)
{
    struct writing *writing = calloc(1, sizeof *writing);
    if (writing == NULL) return NULL;
    writing->codec.err = quiet(&writing->trouble);
    volatile bool is_written = false;
    if (setjmp(writing->trouble.back) == 0) {
        write_rows(writing, pixels, width, height, quality, count);
        is_written = true;
    }
    jpeg_destroy_compress(&writing->codec);
    uint8_t *bytes = writing->bytes;
    free(writing);
    if (is_written) return bytes;
    free(bytes);
    return NULL;
}
