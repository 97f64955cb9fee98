#pragma once
// libgd, and what Swift cannot say to it.
#include <gd.h>

/// A JPEG, PNG or WebP, by libgd's function for it, as pixels of three colours; NULL if it is broken.
gdImagePtr cgd_decode(gdImagePtr decode(int, void *), const void *bytes, int count);

/// What libgd makes of a JPEG if it also tells what it is lenient about.
gdImagePtr cgd_jpeg(int count, void *bytes);

/// A picture that is smaller both ways: each of its pixels is the average of those that it stands for, on white.
gdImagePtr cgd_shrink(gdImagePtr from, int width, int height);
