/* SPDX-License-Identifier: MIT
 * damage.h -- ways in which the bytes of a file are damaged; for tests. */
#ifndef DAMAGE_H
#define DAMAGE_H

#include <stddef.h>
#include <stdint.h>

enum { DAMAGE_PAGE = 4096 };

/** Damages the image of a sound file once, in a way that `random` chooses, and puts its name into `out_way`. Returns
 * the size that the file has then: images may be cut. */
size_t damage_image(uint8_t *bytes, size_t size, uint64_t *random, const char **out_way);

#endif
