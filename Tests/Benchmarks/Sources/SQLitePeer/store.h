/* SPDX-License-Identifier: MIT
 *
 * store.h -- the connection of this peer, its statements, and what its files share.
 */
#ifndef STORE_H
#define STORE_H

#include <sqlite3.h>

#include "peer.h"

typedef enum statement {
    BEGIN, BEGIN_WRITE, COMMIT,
    INSERT_DOG, INSERT_PERSON, UPDATE_SCORE, UPDATE_AGE, DELETE_PERSON,
    FIND, NAME, EMAIL, NAME_OF_DOG, BACKLINK_COUNT,
    SCORE_COUNT, NAME_COUNT, PART_COUNT, ALL_AGES, SCORE_SUM,
    AGE_COUNT, SCORES_OF_AGE, RANGE_COUNT, SORTED, FIRST,
    STATEMENTS
} statement;

typedef struct store {
    sqlite3 *db;
    sqlite3_stmt *statements[STATEMENTS];
    uint64_t n;
    uint64_t committed;  /* persons, one by one */
    bench_workload reads; /* of a reader */
    char path[4096];
} store;

/** A connection to the file of a folder, with its schema. */
store *sqlite_connect(const char *path, uint64_t n);
void sqlite_close(store *s);
/** Ends the program unless the result is the one expected. */
void sqlite_must(const store *s, int result, int expected);
void sqlite_execute(store *s, const char *sql);

/** Runs a statement to its end that returns no rows; its values are bound. */
static inline void sqlite_step(store *s, statement which) {
    sqlite_must(s, sqlite3_step(s->statements[which]), SQLITE_DONE);
    sqlite_must(s, sqlite3_reset(s->statements[which]), SQLITE_OK);
}
/** Steps to the next row; false, and reset, behind the last one. */
static inline bool sqlite_next(store *s, statement which) {
    int result = sqlite3_step(s->statements[which]);
    if (result == SQLITE_ROW) return true;
    sqlite_must(s, result, SQLITE_DONE);
    sqlite_must(s, sqlite3_reset(s->statements[which]), SQLITE_OK);
    return false;
}
/** The statement with its first value bound. */
static inline sqlite3_stmt *sqlite_with(store *s, statement which, int64_t value) {
    sqlite_must(s, sqlite3_bind_int64(s->statements[which], 1, value), SQLITE_OK);
    return s->statements[which];
}

double sqlite_insert_all(store *s);
double sqlite_commit_persons(store *s, uint64_t count);
double sqlite_update_scores(store *s, uint64_t count);
double sqlite_update_ages(store *s, uint64_t count);
double sqlite_delete_persons(store *s, uint64_t count);

double sqlite_look_up(store *s, uint64_t count);
/** Reads names: of persons, or of their dogs. */
double sqlite_read_strings(store *s, statement which, uint64_t count);
double sqlite_read_emails(store *s, uint64_t count);
double sqlite_count_backlinks(store *s);
/** The only value that a statement returns. */
double sqlite_single(store *s, statement which);
double sqlite_find_name(store *s);
double sqlite_iterate(store *s);
double sqlite_count_ages(store *s, statement which, uint64_t count);
double sqlite_visit_age(store *s);
double sqlite_sort_scores(store *s, statement which);

void *sqlite_reader_open(void *store, bench_workload workload, uint64_t count);
uint64_t sqlite_reader_batch(void *reader, uint64_t from, uint64_t count);
void sqlite_reader_close(void *reader);

#endif
