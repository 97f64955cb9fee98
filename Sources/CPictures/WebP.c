#include "Averages.h"
#include "CPictures.h"
#include <webp/decode.h>

bool cpictures_read_webp(const uint8_t *bytes, size_t count, int width, int height, uint8_t *small)
{
    WebPDecoderConfig config;
    if (!WebPInitDecoderConfig(&config)) return false;
    config.output.colorspace = MODE_RGBA;
    /* libwebp averages while it decodes, row by row. What makes large pictures smoother is lost on small ones. */
    config.options.use_scaling = 1;
    config.options.scaled_width = width;
    config.options.scaled_height = height;
    config.options.bypass_filtering = 1;
    config.options.no_fancy_upsampling = 1;
    bool is_whole = WebPDecode(bytes, count, &config) == VP8_STATUS_OK;
    for (int y = 0; is_whole && y < height; y++) {
        const uint8_t *pixel = config.output.u.RGBA.rgba + (size_t)y * (size_t)config.output.u.RGBA.stride;
        for (int x = 0; x < width; x++, pixel += 4)
            for (int color = 0; color < 3; color++) *small++ = (uint8_t)on_white(pixel[color], pixel[3]);
    }
    WebPFreeDecBuffer(&config.output);
    return is_whole;
}
