#include "Averages.h"
#include <stdlib.h>

bool averages_begin(struct averages *averages, size_t from_width, size_t from_height, size_t width, size_t height)
{
    *averages = (struct averages){from_width, from_height, width, height, NULL};
    if (width > from_width || height > from_height) return false;
    averages->sums = calloc(width * height * 3, sizeof *averages->sums);
    return averages->sums != NULL;
}

void averages_end(struct averages *averages) { free(averages->sums); }

/* The pixel that one of so many stands in. */
static size_t place_of(size_t from, size_t of, size_t count) { return ((from + 1) * count - 1) / of; }

/* Where the pixels begin that one of so many stands for. */
static size_t beginning(size_t place, size_t of, size_t count) { return place * of / count; }

static uint32_t *row_of(struct averages *averages, size_t y)
{
    return averages->sums + place_of(y, averages->from_height, averages->height) * averages->width * 3;
}

void averages_add_row(struct averages *averages, size_t y, const uint8_t *pixels)
{
    uint32_t *sums = row_of(averages, y);
    size_t column = 0;
    for (size_t x = 0; x < averages->width; x++, sums += 3) {
        size_t end = beginning(x + 1, averages->from_width, averages->width);
        uint32_t red = 0, green = 0, blue = 0;
        for (; column < end; column++, pixels += 3) {
            red += pixels[0];
            green += pixels[1];
            blue += pixels[2];
        }
        sums[0] += red;
        sums[1] += green;
        sums[2] += blue;
    }
}

void averages_add_covering(struct averages *averages, size_t y, size_t x, size_t step, const uint8_t *pixels)
{
    size_t place = place_of(x, averages->from_width, averages->width), end = beginning(place + 1, averages->from_width, averages->width);
    uint32_t *sums = row_of(averages, y) + place * 3;
    for (; x < averages->from_width; x += step, pixels += 4) {
        for (; x >= end; sums += 3) end = beginning(++place + 1, averages->from_width, averages->width);
        for (int color = 0; color < 3; color++)
            sums[color] += pixels[3] == 255 ? pixels[color] : on_white(pixels[color], pixels[3]);
    }
}

void averages_write(const struct averages *averages, uint8_t *small)
{
    const uint32_t *sum = averages->sums;
    for (size_t y = 0; y < averages->height; y++) {
        size_t rows = beginning(y + 1, averages->from_height, averages->height)
            - beginning(y, averages->from_height, averages->height);
        for (size_t x = 0; x < averages->width; x++) {
            size_t columns = beginning(x + 1, averages->from_width, averages->width)
                - beginning(x, averages->from_width, averages->width);
            for (int color = 0; color < 3; color++) *small++ = (uint8_t)(*sum++ / (rows * columns));
        }
    }
}
