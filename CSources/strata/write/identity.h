/* SPDX-License-Identifier: MIT
 *
 * identity.h -- the numbers under which overflow values and long collections are stored.
 *
 * ON-DISK: the next free number is kept in the main tree under 00 "idn" 00000000, as u64. Numbers are never used
 * again, but for those that no stored row has had yet.
 *
 * What a row no longer refers to is dropped. A flush deletes collections at its end, since deriving index entries may
 * still read them; overflow values stay until the end of the write, for others to be written over them.
 */
#ifndef ST_WRITE_IDENTITY_H
#define ST_WRITE_IDENTITY_H

#include "store/handle.h"
#include "write/blob_spares.h"

/** Numbers of what is to be deleted. */
typedef struct st_dropped {
    uint64_t *identities;
    size_t count, capacity;
} st_dropped;

/** What a write has given out and dropped. Zero-initialised it is empty. */
typedef struct st_identities {
    uint64_t next;          /* 0 = not loaded */
    bool changed;           /* `next` is to be stored */
    uint64_t unflushed;     /* numbers from this one on are in no stored row; 0 = none was given out since the flush */
    st_blob_spares blobs;   /* what is dropped of overflow values */
    st_dropped collections; /* long ones */
} st_identities;

/** The number that will be given out next. Fails: STRATA_CORRUPT. */
strata_status st_identity_next(st_txn *txn, uint64_t *out, strata_error *error);

/** A new number. Fails: STRATA_CORRUPT. */
strata_status st_identity_new(st_identities *identities, st_txn *writer, uint64_t *out, strata_error *error);
/** A number for an overflow value: a new one, or that of one which was dropped and that no stored row has. Fails:
 * STRATA_CORRUPT. */
strata_status st_identity_for_blob(st_identities *identities, st_txn *writer, uint64_t *out, strata_error *error);
/** Whether no stored row has the number: it was given out since the last flush. */
static inline bool st_identity_is_unflushed(const st_identities *identities, uint64_t identity) {
    return identities->unflushed != 0 && identity >= identities->unflushed;
}
/** Has the end of the write delete an overflow value, or the next flush a collection. Fails: STRATA_NO_MEMORY. */
strata_status st_identity_drop_blob(st_identities *identities, uint64_t identity, strata_error *error);
strata_status st_identity_drop_collection(st_identities *identities, uint64_t identity, strata_error *error);

/** Is there anything to flush? `last`: at the end of the write. */
static inline bool st_identities_changed(const st_identities *identities, bool last) {
    const st_blob_spares *blobs = &identities->blobs;
    return identities->changed || identities->collections.count + (last ? blobs->count : blobs->waiting.count) != 0;
}
/** Deletes what was dropped and stores the next number. Part of the flush. Fails: STRATA_NO_MEMORY. */
strata_status st_identities_flush(st_identities *identities, st_txn *writer, bool last, strata_error *error);
void st_identities_free(st_identities *identities);

#endif
