/* SPDX-License-Identifier: MIT
 * find.h -- where bytes occur in other bytes. */
#ifndef ST_TEXT_FIND_H
#define ST_TEXT_FIND_H

#include "strata.h"

/** The first occurrence of `needle`, which is not empty, in `hay`; NULL if there is none. Takes steps in the order of
 * both sizes together, and no memory. */
const uint8_t *st_find_bytes(const uint8_t *hay, size_t size, strata_bytes needle);

#endif
