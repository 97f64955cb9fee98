#include "CGD.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Whether the picture that this thread is decoding has ended too early. */
static _Thread_local int cgd_ended_early;

/* libgd says on stderr what it does not like. Whoever sent the picture is told; the log of the server is no place for it. Of what
   libjpeg only warns of, cameras do much, but none of them leaves a part of the picture out. */
static void cgd_listen(int priority, const char *format, va_list arguments)
{
    char text[256];
    (void)priority;
    if (vsnprintf(text, sizeof text, format, arguments) > 0 && strstr(text, "remature end") != NULL) cgd_ended_early = 1;
}

gdImagePtr cgd_decode(gdImagePtr decode(int, void *), const void *bytes, int count)
{
    gdSetErrorMethod(cgd_listen);
    cgd_ended_early = 0;
    gdImagePtr decoded = decode(count, (void *)bytes);
    if (decoded == NULL) return NULL;
    if (!cgd_ended_early && gdImagePaletteToTrueColor(decoded)) return decoded;
    gdImageDestroy(decoded);
    return NULL;
}

gdImagePtr cgd_jpeg(int count, void *bytes) { return gdImageCreateFromJpegPtrEx(count, bytes, 0); }

gdImagePtr cgd_shrink(gdImagePtr from, int width, int height)
{
    gdImagePtr to = gdImageCreateTrueColor(width, height);
    if (to == NULL) return NULL;
    for (int y = 0; y < height; y++) {
        int top = (long)y * from->sy / height, bottom = (long)(y + 1) * from->sy / height;
        for (int x = 0; x < width; x++) {
            int left = (long)x * from->sx / width, right = (long)(x + 1) * from->sx / width;
            unsigned long red = 0, green = 0, blue = 0;
            unsigned long weight = 127UL * (unsigned long)(bottom - top) * (unsigned long)(right - left);
            for (int v = top; v < bottom; v++)
                for (int u = left; u < right; u++) {
                    int color = from->tpixels[v][u];
                    unsigned long opaque = 127 - gdTrueColorGetAlpha(color), white = 255 * (127 - opaque);
                    red += gdTrueColorGetRed(color) * opaque + white;
                    green += gdTrueColorGetGreen(color) * opaque + white;
                    blue += gdTrueColorGetBlue(color) * opaque + white;
                }
            to->tpixels[y][x] = gdTrueColor(red / weight, green / weight, blue / weight);
        }
    }
    return to;
}
