/* SPDX-License-Identifier: MIT
 * text.h -- letters without case or marks, and patterns. */
#ifndef ST_TEXT_TEXT_H
#define ST_TEXT_TEXT_H

#include "base/buffer.h"
#include "strata_query.h"

/**
 * Does the pattern fit the whole value? `*` stands for any bytes, also none; `?` for one code point or, unless
 * `code_points`, for one byte. Nothing takes their special meaning away. Of bytes that are not UTF-8 each stray one
 * counts as a code point. At most pattern times value steps; no memory.
 */
bool st_like(strata_bytes pattern, strata_bytes value, bool code_points);

/**
 * Puts the value into `out`, from its beginning on, the way `options` compare it: without marks, then with small ASCII
 * and Latin-1 letters. It never becomes longer. False if there is no memory.
 */
bool st_text_fold(strata_bytes value, uint32_t options, st_buffer *out);

/** Writes a code point as UTF-8. Returns how many bytes, at most 4. */
size_t st_code_put(uint32_t code, uint8_t *to);

/* text_marks.c */

/** The letter under the marks of a code point; itself if it has none, 0 if it is nothing but a mark. */
uint32_t st_without_marks(uint32_t code);

#endif
