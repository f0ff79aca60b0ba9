/* SPDX-License-Identifier: MIT
 *
 * redo.h -- the changes of trees that a write transaction made, so that they can be made again.
 *
 * LMDB cannot take back some of the changes of a transaction. When several writes share one (see queue.h) and one of
 * them is dropped after it changed trees, the transaction is dropped, and what the others changed is changed again.
 */
#ifndef ST_STORE_REDO_H
#define ST_STORE_REDO_H

#include "base/buffer.h"
#include "store/trees.h"
#include "strata.h"

/** Empty when it is zero. Freed with st_redo_free(). */
typedef struct st_redo {
    st_buffer log;
    bool full; /* there were more changes than are kept: see st_redo_add() */
} st_redo;

/** One change. */
typedef struct st_redo_change {
    st_tree tree;
    bool deletes;
    strata_bytes key, value;
} st_redo_change;

/** Notes a change. If it does not fit, the log is full, and keeps nothing until it is cut. */
void st_redo_add(st_redo *redo, const st_redo_change *change);
/** Forgets what was noted since the log had this size. */
void st_redo_cut(st_redo *redo, size_t size);
/** The change at `*at`, which moves behind it; false at the end. Lifetime: until the next change of the log. */
bool st_redo_next(const st_redo *redo, size_t *at, st_redo_change *out);
void st_redo_free(st_redo *redo);

#endif
