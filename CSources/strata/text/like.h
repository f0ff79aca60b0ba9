/* SPDX-License-Identifier: MIT
 *
 * like.h -- patterns: `*` stands for any bytes, also none; `?` for one code point or, in data, for one byte.
 *
 * A pattern is a row of segments with stars between them. There is no way to escape a star or a question mark.
 */
#ifndef ST_TEXT_LIKE_H
#define ST_TEXT_LIKE_H

#include "strata_query.h"

/** May the pattern be used: has no segment with a `?` more than STRATA_MAX_SEGMENT bytes? */
bool st_like_fits(strata_bytes pattern);

/** Does the pattern, which may be used, match the whole value? Takes a number of steps in the order of both sizes
 * together; for each segment with a `?` whose beginnings occur again and again a step for each 64 bytes of it at each
 * position. */
bool st_like(strata_bytes pattern, strata_bytes value, bool code_points);

#endif
