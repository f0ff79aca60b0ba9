/* SPDX-License-Identifier: MIT
 *
 * rows.h -- the rows of this peer, its databases, and what its files share.
 *
 * Rows lie under their object keys, which are the index + 1. Three more databases lead from primary keys, from ages and
 * from dogs to object keys; the last two have several values per key, which LMDB keeps in order and counts.
 */
#ifndef ROWS_H
#define ROWS_H

#include <lmdb.h>

#include "peer.h"

typedef struct __attribute__((packed)) person_row {
    int64_t id, age, created;
    double score;
    uint64_t dog;              /* object key */
    uint16_t name_size, email_size;
    bool has_email;
    char text[];               /* name, then email */
} person_row;

enum { ROW_SIZE = sizeof(person_row) + BENCH_NAME_SIZE + BENCH_EMAIL_SIZE }; /* at most */

typedef struct __attribute__((packed)) dog_row {
    int64_t id;
    uint16_t name_size;
    char name[];
} dog_row;

typedef enum database { DOGS, DOG_IDS, PERSONS, PERSON_IDS, AGES, OWNED, DATABASES } database;

typedef struct store {
    MDB_env *env;
    MDB_txn *txn;                  /* reads the newest commit, or writes */
    MDB_cursor *cursors[DATABASES]; /* of it */
    MDB_dbi databases[DATABASES];
    uint64_t n;
    uint64_t committed;
    bench_workload reads;          /* of a reader */
} store;

/** Ends the program unless the call succeeded. */
void lmdb_must(int result);

static inline uint64_t lmdb_key(uint64_t index) { return index + 1; }
static inline MDB_val lmdb_word(const uint64_t *word) { return (MDB_val){ sizeof *word, (void *)(uintptr_t)word }; }

/** The value under a key that exists. */
static inline const void *lmdb_get(store *s, database in, uint64_t key) {
    MDB_val k = lmdb_word(&key), value;
    lmdb_must(mdb_cursor_get(s->cursors[in], &k, &value, MDB_SET));
    return value.mv_data;
}
static inline uint64_t lmdb_load(const void *word) {
    uint64_t value;
    memcpy(&value, word, sizeof value);
    return value;
}

/** Between these, the store writes instead of reading. */
void lmdb_begin(store *s);
void lmdb_commit(store *s);
void lmdb_open_cursors(store *s);

double lmdb_insert_all(store *s);
double lmdb_commit_persons(store *s, uint64_t count);
double lmdb_update_scores(store *s, uint64_t count);
double lmdb_update_ages(store *s, uint64_t count);
double lmdb_delete_persons(store *s, uint64_t count);

double lmdb_look_up(store *s, uint64_t count);
double lmdb_read_strings(store *s, uint64_t count);
double lmdb_read_emails(store *s, uint64_t count);
double lmdb_read_linked_strings(store *s, uint64_t count);
double lmdb_count_backlinks(store *s);
double lmdb_read_property(store *s, uint64_t count);
/** Adds up what a workload that looks at every row wants to know of each. */
double lmdb_walk(store *s, bench_workload workload);
double lmdb_count_ages(store *s, uint64_t count, uint64_t from, uint64_t to);
double lmdb_visit_age(store *s);
double lmdb_sort_scores(store *s);
double lmdb_top_scores(store *s);

void *lmdb_reader_open(void *store, bench_workload workload, uint64_t count);
uint64_t lmdb_reader_batch(void *reader, uint64_t from, uint64_t count);
void lmdb_reader_close(void *reader);

#endif
