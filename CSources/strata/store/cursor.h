/* SPDX-License-Identifier: MIT
 *
 * cursor.h -- walking a tree.
 *
 * A cursor belongs to a transaction and is closed before that ends. The moves return STRATA_OK with the key and the
 * value they arrived at, or STRATA_NOT_FOUND. Bytes stay valid as said in tree.h.
 */
#ifndef ST_STORE_CURSOR_H
#define ST_STORE_CURSOR_H

#include "store/handle.h"
#include "store/trees.h"

typedef struct st_cursor st_cursor;

/** Ownership: closed by the caller before its transaction ends. */
strata_status st_cursor_open(st_txn *txn, st_tree tree, st_cursor **out, strata_error *error);
void st_cursor_close(st_cursor *cursor);

/** Moves to the first entry whose key is not less than `from`. */
strata_status st_cursor_seek(st_cursor *cursor, strata_bytes from, strata_bytes *key, strata_bytes *value,
                             strata_error *error);
strata_status st_cursor_last(st_cursor *cursor, strata_bytes *key, strata_bytes *value, strata_error *error);
/** Moves on from an entry that a move returned. */
strata_status st_cursor_next(st_cursor *cursor, strata_bytes *key, strata_bytes *value, strata_error *error);
strata_status st_cursor_previous(st_cursor *cursor, strata_bytes *key, strata_bytes *value, strata_error *error);

/** The address of the value `steps` entries after the one that was found last, to prefetch it. Only the moves check
 * that it may be read. NULL in a writer, and if the value is not in the same page. */
const void *st_cursor_ahead(const st_cursor *cursor, uint32_t steps);

#endif
