/* SPDX-License-Identifier: MIT */
#include "store.h"

double sqlite_look_up(store *s, uint64_t count) {
    int64_t sum = 0;
    for (uint64_t j = 0; j < count; j++) {
        sqlite3_stmt *row = sqlite_with(s, FIND, bench_person_id(bench_choose(STREAM_LOOKUP, s->n, j)));
        while (sqlite_next(s, FIND)) sum += sqlite3_column_int64(row, 0) + sqlite3_column_bytes(row, 1);
    }
    return (double)sum;
}

double sqlite_read_strings(store *s, statement which, uint64_t count) {
    int64_t sum = 0;
    for (uint64_t j = 0; j < count; j++) {
        sqlite3_stmt *row = sqlite_with(s, which, bench_person_id(bench_choose(STREAM_KNOWN, s->n, j)));
        while (sqlite_next(s, which)) sum += sqlite3_column_bytes(row, 0);
    }
    return (double)sum;
}

double sqlite_single(store *s, statement which) {
    double answer = 0;
    while (sqlite_next(s, which)) answer = sqlite3_column_double(s->statements[which], 0);
    return answer;
}

double sqlite_count_backlinks(store *s) {
    double sum = 0;
    for (uint64_t i = 0; i < bench_dogs(s->n); i++) {
        (void)sqlite_with(s, BACKLINK_COUNT, (int64_t)i + 1);
        double links = sqlite_single(s, BACKLINK_COUNT);
        sum += links * links;
    }
    return sum;
}

double sqlite_find_name(store *s) {
    bench_person wanted = bench_make_person(s->n, bench_wanted(s->n));
    sqlite_must(s, sqlite3_bind_text(s->statements[NAME_COUNT], 1, wanted.name, BENCH_NAME_SIZE, SQLITE_TRANSIENT),
                SQLITE_OK);
    return sqlite_single(s, NAME_COUNT);
}

double sqlite_iterate(store *s) {
    int64_t sum = 0;
    while (sqlite_next(s, ALL_AGES)) sum += sqlite3_column_int64(s->statements[ALL_AGES], 0);
    return (double)sum;
}

double sqlite_count_ages(store *s, statement which, uint64_t count) {
    double sum = 0;
    for (uint64_t j = 0; j < count; j++) {
        (void)sqlite_with(s, which, which == AGE_COUNT ? BENCH_AGE : BENCH_AGE_FROM);
        sum += sqlite_single(s, which);
    }
    return sum / (double)count;
}

double sqlite_visit_age(store *s) {
    sqlite3_stmt *row = sqlite_with(s, SCORES_OF_AGE, BENCH_AGE);
    double sum = 0;
    while (sqlite_next(s, SCORES_OF_AGE)) sum += sqlite3_column_double(row, 0);
    return sum;
}

double sqlite_sort_scores(store *s, statement which) {
    double rank = 0, sum = 0;
    while (sqlite_next(s, which)) sum += ++rank * (double)sqlite3_column_int64(s->statements[which], 0);
    return sum;
}

/* ---- Beside a writer -------------------------------------------------- */

/* A connection belongs to a thread: a reader is one of its own. */

void *sqlite_reader_open(void *argument) {
    store *s = argument;
    return sqlite_connect(s->path, s->n);
}

uint64_t sqlite_reader_batch(void *reader, uint64_t from, uint64_t count) {
    store *s = reader;
    int64_t sum = 0;
    sqlite_step(s, BEGIN);
    for (uint64_t j = from; j < from + count; j++) {
        sqlite3_stmt *row = sqlite_with(s, FIND, bench_person_id(bench_choose(STREAM_LOOKUP, s->n, j)));
        while (sqlite_next(s, FIND)) sum += sqlite3_column_int64(row, 0);
    }
    sqlite_step(s, COMMIT);
    return (uint64_t)sum;
}

void sqlite_reader_close(void *reader) { sqlite_close(reader); }
