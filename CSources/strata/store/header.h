/* SPDX-License-Identifier: MIT
 * header.h -- the header record: what wrote this file, in which format, and which commit it is.
 *
 * The record is an entry of the main tree. Every commit writes it, and every transaction checks it when it begins.
 * Numbers are little-endian.
 *
 *   offset  size  field
 *   0       8     magic "StrataDB"
 *   8       2     format major: a library refuses a higher one
 *   10      2     format minor: informs
 *   12      4     CRC-32C of the record, taken with these four bytes zero
 *   16      4     compatible features: unknown ones are ignored
 *   20      4     features that unknown must not be written
 *   24      4     features that unknown must not be read: 1 if commits go to the log of the file, see page_log.h;
 *                 2, which every commit sets: indexes and links may have totals, see postings_total.h
 *   28      4     page size
 *   32      16    uuid of the store
 *   48      8     epoch: a random number of the opening of the file in which the commit was made. A version can come
 *                 again after a power cut, or when an older copy is put back. Epoch and version together name one
 *                 commit only, which copies have, too
 *   56      8     stamp: LMDB's number of the transaction that wrote the record
 *   64      8     version: number of the commit
 *   72      8     schema version
 *   80      8     catalog version
 *   88      6     version of the library that created the file: major, minor, patch
 *   94      2     1 if the tree `changes` has entries, else 0
 *   96      16    hash key: a secret, drawn when the file was created. Copies have the same one, since hashes with it
 *                 are in the keys of indexes
 *   112     16    zero
 *
 * ON-DISK: never renumber, reorder or resize; raise the format instead.
 */
#ifndef ST_STORE_HEADER_H
#define ST_STORE_HEADER_H

#include "base/hash.h"
#include "strata.h"

enum {
    ST_HEADER_SIZE = 128,
    ST_HEADER_KEY_SIZE = 8,
    ST_FORMAT_MAJOR = 1,
    ST_FORMAT_MINOR = 0,
    ST_FEATURES_COMPATIBLE = 0,
    ST_FEATURES_WRITE = 0, /* those that this library knows */
    ST_FEATURE_LOG = 1,
    ST_FEATURE_TOTALS = 2,
    ST_FEATURES_READ = ST_FEATURE_LOG | ST_FEATURE_TOTALS /* those that this library knows */
};

/** The fields of the record that are used after the file is open. The layers above change the last two. */
typedef struct st_header {
    uint8_t uuid[16];
    st_hash_key hash_key;     /**< of the hashes in the file; never changes, except while an empty file is filled with
                                   what another one holds */
    uint64_t epoch;           /**< of the opening of the file that made the commit */
    uint64_t previous_epoch;  /**< in a writer: of the commit before this one; otherwise the same as `epoch` */
    bool logged;              /**< whether later commits go to the log of the file: see page_log.h */
    bool has_changes;         /**< whether the tree `changes` had entries when the transaction began */
    uint64_t version;         /**< number of the commit; with the epoch it names the commit for ever */
    uint64_t schema_version;  /**< STRATA_NO_SCHEMA at first */
    uint64_t catalog_version; /**< changes with every change of the catalog */
} st_header;

/** The key of the record. It comes before the names of the trees, which are in the main tree, too. */
extern const uint8_t st_header_key[ST_HEADER_KEY_SIZE];

/** The record of a new store. */
strata_status st_header_create(uint8_t record[ST_HEADER_SIZE], uint32_t page_size, strata_error *error);
/** Checks a record as read; `writing` also refuses features that must not be written. */
strata_status st_header_check(strata_bytes record, bool writing, const char *path, strata_error *error);
/** Fails with STRATA_REPLACED_FILE: the record, or the page that led to it, is not of the commit that LMDB's lock file
 * names. */
strata_status st_header_foreign(const char *path, strata_error *error);
/** The fields of a checked record. */
void st_header_read(const uint8_t *record, st_header *out, uint64_t *out_stamp);
/** An epoch that nobody else has. Fails: STRATA_IO. */
strata_status st_header_new_epoch(uint64_t *out, strata_error *error);
/** Puts the fields that change into a record, and its checksum. `previous_epoch` is not in it. */
void st_header_write(uint8_t record[ST_HEADER_SIZE], const st_header *header, uint64_t stamp);

#endif
