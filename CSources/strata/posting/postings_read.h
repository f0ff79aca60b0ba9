/* SPDX-License-Identifier: MIT
 *
 * postings_read.h -- walking the entries of a set.
 */
#ifndef ST_POSTING_POSTINGS_READ_H
#define ST_POSTING_POSTINGS_READ_H

#include "posting/postings_find.h"
#include "store/handle.h"

/** The key of the first entry of a range; STRATA_NOT_FOUND if it is empty. Allocates nothing. */
strata_status st_postings_first(st_txn *txn, st_posting_set set, const st_posting_range *range, uint64_t *out_key,
                                strata_error *error);

typedef struct st_posting_cursor st_posting_cursor;

/** Ownership: closed by the caller before the transaction ends. After a change of the set the cursor must not be used.
 * The bytes of the range are copied. */
strata_status st_posting_cursor_open(st_txn *txn, st_posting_set set, const st_posting_range *range, bool backward,
                                     st_posting_cursor **out, strata_error *error);
/** Starts again with another range of the same set. */
void st_posting_cursor_restart(st_posting_cursor *cursor, const st_posting_range *range, bool backward);
/** Opens a cursor if `*cursor` is NULL, and otherwise starts that one again, with another range of the same set. */
strata_status st_posting_cursor_begin(st_txn *txn, st_posting_set set, const st_posting_range *range, bool backward,
                                      st_posting_cursor **cursor, strata_error *error);
void st_posting_cursor_close(st_posting_cursor *cursor);

/** The next entry. `value` may be NULL; its bytes are valid until the next call. STRATA_OK or STRATA_END. */
strata_status st_posting_cursor_next(st_posting_cursor *cursor, uint64_t *out_key, strata_bytes *value,
                                     strata_error *error);
/** The keys of the next entries: at least one, at most `size`, all of one block. STRATA_OK or STRATA_END. */
strata_status st_posting_cursor_some(st_posting_cursor *cursor, uint64_t *out_keys, size_t size, size_t *out_count,
                                     strata_error *error);
/** The keys of the next entries, at most `size`. `*out_count` is 0 at the end. */
strata_status st_posting_cursor_keys(st_posting_cursor *cursor, uint64_t *out_keys, size_t size, size_t *out_count,
                                     strata_error *error);

#endif
