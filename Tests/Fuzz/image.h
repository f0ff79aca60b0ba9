/* SPDX-License-Identifier: MIT
 * image.h -- a sound file with everything in it, which fuzz targets change.
 *
 * A change is u16 page, u16 offset in it, u8 kind and size, and the bytes. The offset is one of a field of a header or of
 * a node, or any. */
#ifndef IMAGE_H
#define IMAGE_H

#include "fuzz.h"

/** Writes the file under `name`, with as many changes as the input has bytes for, twelve at most. */
void fuzz_write_changed(fuzz_input *input, const char *name);

#endif
