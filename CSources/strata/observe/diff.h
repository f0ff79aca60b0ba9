/* SPDX-License-Identifier: MIT
 *
 * diff.h -- which elements of one list are in another one, in the same order.
 *
 * Elements are recognised by their value; the first of several equal ones is the first of those in the other list. Of
 * those in both lists as many as possible stay; the others moved, which is the same as deleted and inserted.
 */
#ifndef ST_OBSERVE_DIFF_H
#define ST_OBSERVE_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ST_DIFF_GONE UINT64_MAX

/** For each element of `before`: its position in `after`, or ST_DIFF_GONE if it is not there or moved. The positions
 * ascend. False if there is no memory. */
bool st_diff(const uint64_t *before, size_t before_count, const uint64_t *after, size_t after_count, uint64_t *out);

#endif
