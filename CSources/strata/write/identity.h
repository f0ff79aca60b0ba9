/* SPDX-License-Identifier: MIT
 *
 * identity.h -- numbers for values and collections that are stored outside of their row.
 *
 * ON-DISK: the next free number is kept in the main tree under 00 "idn" 00000000, as u64. Numbers are never used
 * again. A value that a row no longer refers to is deleted by the flush, since deriving index entries may still
 * read it.
 */
#ifndef ST_WRITE_IDENTITY_H
#define ST_WRITE_IDENTITY_H

#include "write/write_set.h"

/** The number that the next one will get. Fails: STRATA_CORRUPT. */
strata_status st_identity_next(st_txn *txn, uint64_t *out, strata_error *error);
strata_status st_identity_take(strata_view *view, uint64_t *out, strata_error *error);
/** Has the flush delete a large value, or the blocks of a collection. */
strata_status st_identity_drop(st_write_set *writes, uint64_t identity, bool collection, strata_error *error);
/** Deletes what was dropped and stores the next number. Part of the flush. */
strata_status st_identity_flush(strata_view *view, strata_error *error);

#endif
