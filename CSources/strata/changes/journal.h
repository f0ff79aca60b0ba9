/* SPDX-License-Identifier: MIT
 *
 * journal.h -- the records of commits in the file: the tree `changes`.
 *
 * A commit leaves a record in the file if another process has a feed of it, if a consumer is registered, or if the
 * journal is kept. The record is a part of the transaction that it tells of. Records go once nobody needs them, a few
 * at each commit, the oldest ones first; so those that are there follow each other without a gap, unless nobody needed
 * some in between. Positions in the journal count the bytes of all records since it was last empty.
 *
 * ON-DISK; keys are big-endian, values little-endian:
 *
 *   key                              value
 *   'c' 0, name, zero if odd         a consumer: version, epoch and position of the last commit that it has; its limit
 *                                    in bytes; 1 if it has expired (8 bytes each)
 *   'r' 0, version, number           a record (record.h). Writes of a group have one version, and numbers from 0. The
 *                                    version has 8 bytes, the number 2, both big-endian
 *   's' 0                            the state: the position behind the last record, its version, its number, how many
 *                                    consumers have not expired, how many bytes are kept, the lowest version that one
 *                                    of the consumers has, and the position at which one of them may expire (8 bytes
 *                                    each)
 */
#ifndef ST_CHANGES_JOURNAL_H
#define ST_CHANGES_JOURNAL_H

#include "base/buffer.h"
#include "store/handle.h"

enum { ST_JOURNAL_FOLLOWED = 4 << 20 /* bytes that are kept while there are feeds */ };

typedef struct st_journal {
    st_txn *txn;
    bool in_use;        /* it has entries, or had some when the transaction began */
    bool changed;       /* the state has to be stored */
    uint64_t end;       /* position behind the last record */
    uint64_t version;   /* of the last record */
    uint64_t number;    /* of the last record in its commit */
    uint64_t consumers; /* that have not expired */
    uint64_t kept;      /* bytes that stay whoever needs them */
    uint64_t needed;    /* the lowest version that a consumer has; UINT64_MAX: there is no consumer */
    uint64_t limit;     /* the position at which a consumer may expire; UINT64_MAX: none does */
} st_journal;

/** A consumer. */
typedef struct st_journal_consumer {
    char name[STRATA_MAX_LABEL + 1];
    uint64_t version, epoch, position;
    uint64_t limit;
    bool expired;
} st_journal_consumer;

/** Reads the state; asks nothing of a file without a journal. Fails: STRATA_CORRUPT, ... */
strata_status st_journal_open(st_journal *journal, st_txn *txn, strata_error *error);
/** Stores the state, if it changed. */
strata_status st_journal_store(st_journal *journal, strata_error *error);

/** Must this commit leave a record? */
bool st_journal_wanted(const st_journal *journal);
/** Adds the record of a commit of this version, whose offset is `journal->end`. */
strata_status st_journal_add(st_journal *journal, uint64_t version, strata_bytes record, strata_error *error);
/** Lets consumers expire that are too far behind, and removes some of the records that nobody needs. */
strata_status st_journal_trim(st_journal *journal, strata_error *error);

/** The first record behind `number` of version `version`. STRATA_OK or STRATA_NOT_FOUND. Lifetime: of `txn`. */
strata_status st_journal_find(st_txn *txn, uint64_t version, uint64_t number, uint64_t *out_version,
                              uint64_t *out_number, strata_bytes *out, strata_error *error);
enum { ST_JOURNAL_LAST = UINT16_MAX /* behind all numbers of a version */ };
/** The version of the newest commit that the transaction sees; its own is none yet. */
uint64_t st_journal_newest(st_txn *txn);
/** Does the file have the commit that the token names? Fails: STRATA_OTHER_HISTORY, if it has not; STRATA_EXPIRED, if
 * the record that would tell is gone. */
strata_status st_journal_check_token(st_txn *txn, const strata_token *token, strata_error *error);
/** The lowest version behind which there are the records of all commits, and its epoch; false if there is none of the
 * newest commit. Looks at every record's key. */
strata_status st_journal_reach(st_txn *txn, uint64_t *out_version, uint64_t *out_epoch, bool *out_any,
                               strata_error *error);
/** The position behind the commit `version`. */
strata_status st_journal_position(const st_journal *journal, uint64_t version, uint64_t *out, strata_error *error);

/** Reads a consumer. STRATA_OK or STRATA_NOT_FOUND. */
strata_status st_journal_consumer_get(st_txn *txn, const char *name, st_journal_consumer *out, strata_error *error);
/** The first consumer whose name comes after `name`, which may be "". STRATA_OK or STRATA_NOT_FOUND. */
strata_status st_journal_consumer_after(st_txn *txn, const char *name, st_journal_consumer *out,
                                        strata_error *error);
/** Stores or removes a consumer, and what the state says of all of them. */
strata_status st_journal_consumer_put(st_journal *journal, const st_journal_consumer *consumer, strata_error *error);
strata_status st_journal_consumer_delete(st_journal *journal, const char *name, strata_error *error);

/** Checks all entries. Fails: STRATA_CORRUPT. */
strata_status st_journal_check(st_txn *snapshot, strata_error *error);

#endif
