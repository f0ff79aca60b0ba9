/* SPDX-License-Identifier: MIT
 *
 * text.h -- strings compared without case or marks, and searched.
 *
 * Text is UTF-8 that may be damaged: a byte that belongs to no code point counts as one. Folding never makes text
 * longer, so that it can be done in place.
 */
#ifndef ST_TEXT_TEXT_H
#define ST_TEXT_TEXT_H

#include "base/buffer.h"
#include "strata_query.h"

/** Writes a code point as UTF-8. Returns how many bytes, at most 4. */
size_t st_code_put(uint32_t code, uint8_t *to);

/** Folds ASCII and Latin-1 letters to lower case. Writes as many bytes as it reads; `to` may be `from`. */
void st_fold(const uint8_t *from, size_t size, uint8_t *to);

/**
 * Replaces the content of `out` with the value, folded as `options` say: first without marks, then with ASCII and
 * Latin-1 letters in lower case. The result is never longer than the value. False if there is no memory.
 */
bool st_text_fold(strata_bytes value, uint32_t options, st_buffer *out);

/** Does BEGINS WITH, ENDS WITH, CONTAINS or LIKE hold for the value? Both sides are folded already. `code_points` is
 * for LIKE. An empty operand is found nowhere, but by LIKE in an empty value. */
bool st_search(strata_operator op, strata_bytes value, strata_bytes operand, bool code_points);

#endif
