/* SPDX-License-Identifier: MIT
 *
 * strata_blob.h -- long strings and data, a part at a time.
 *
 * A cell of a string or data column is read and changed here like a file: at an offset, at its end, or cut off. Only
 * the changed bytes are written, with the rest of their pages, however long the value is: so a text can grow line by
 * line, in one write or in many. Sizes and offsets are bytes. A null cell reads as empty, and a change gives it a
 * value, which may be empty.
 *
 * The row is made ready by these functions themselves; a row that is gone is STRATA_NOT_FOUND, as an answer. After a
 * change it is to be made ready again before anything else is read through it.
 *
 * A string stays valid UTF-8: what is written is valid in itself, and begins, ends and cuts where characters do.
 *
 * Not for columns with an index, the primary key among them, because their entries depend on the whole value; nor for
 * mixed columns and collections. Use strata_row_set() for those.
 *
 * Thread: that of the view.
 */
#ifndef STRATA_BLOB_H
#define STRATA_BLOB_H

#include "strata.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The size of the value in bytes; 0 if it is null. Fails: STRATA_MISUSE (the column), STRATA_CORRUPT. */
STRATA_CHECKED strata_status strata_blob_size(strata_row *row, uint32_t column, uint64_t *out_size,
                                              strata_error *error);

/** Copies up to `size` bytes from `offset` on into `buffer`; `*out_size` is how many there were. Columns with an index
 * are read, too. Fails: STRATA_MISUSE (the column), STRATA_CORRUPT. */
STRATA_CHECKED strata_status strata_blob_read(strata_row *row, uint32_t column, uint64_t offset, void *buffer,
                                              size_t size, size_t *out_size, strata_error *error);

/**
 * Puts `size` bytes over those from `offset` on, which is at most the size of the value. Where they end behind its end,
 * the value grows.
 *
 * Lifetime: the bytes are copied. They may be lent by this view.
 * Fails: STRATA_RANGE (the offset), STRATA_TOO_LARGE (more than STRATA_MAX_VALUE in all), STRATA_TYPE (not UTF-8, or
 *   not at the bounds of characters), STRATA_MISUSE (the column), STRATA_NOT_WRITING, STRATA_WRONG_THREAD and what
 *   writing to the file fails with.
 */
STRATA_CHECKED strata_status strata_blob_write(strata_row *row, uint32_t column, uint64_t offset, const void *bytes,
                                               size_t size, strata_error *error);

/** Puts bytes behind the end of the value. Lifetime, fails: as strata_blob_write() does. */
STRATA_CHECKED strata_status strata_blob_append(strata_row *row, uint32_t column, const void *bytes, size_t size,
                                                strata_error *error);

/** Cuts the value off behind its first `size` bytes. Fails: STRATA_RANGE if it has fewer, and as strata_blob_write()
 * does. */
STRATA_CHECKED strata_status strata_blob_truncate(strata_row *row, uint32_t column, uint64_t size,
                                                  strata_error *error);

#ifdef __cplusplus
}
#endif
#endif
