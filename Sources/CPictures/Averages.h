// Pixels of a smaller picture as averages of those of a larger one, which may come in any order.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct averages {
    size_t from_width, from_height, width, height;
    /// Three for each pixel. No pixel stands for so many that they could overflow (Picture.swift).
    uint32_t *sums;
};

/// False if there is no memory, or it would have more pixels than it comes from.
bool averages_begin(struct averages *averages, size_t from_width, size_t from_height, size_t width, size_t height);

/// Adds a row of pixels that have three bytes.
void averages_add_row(struct averages *averages, size_t y, const uint8_t *pixels);

/// Adds pixels of a row that have four bytes, of which the last is how much each covers the white: the first of them, and then
/// each so many columns further.
void averages_add_covering(struct averages *averages, size_t y, size_t x, size_t step, const uint8_t *pixels);

void averages_write(const struct averages *averages, uint8_t *small);

/// Gives its memory back, whether or not it was begun.
void averages_end(struct averages *averages);

/// What a byte is on white, where it covers so much of it.
static inline uint32_t on_white(uint8_t byte, uint8_t cover) { return (byte * cover + 255u * (255u - cover) + 127u) / 255u; }
