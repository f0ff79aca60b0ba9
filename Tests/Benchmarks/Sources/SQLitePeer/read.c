/* SPDX-License-Identifier: MIT */
#include "store.h"

/** Reads the text of a column of the row that a statement stands at. */
static inline uint64_t read_text(sqlite3_stmt *row, int column) {
    const unsigned char *text = sqlite3_column_text(row, column);
    return bench_text(text, (uint64_t)sqlite3_column_bytes(row, column));
}

double sqlite_look_up(store *s, uint64_t count) {
    uint64_t sum = 0;
    for (uint64_t j = 0; j < count; j++) {
        sqlite3_stmt *row = sqlite_with(s, FIND, bench_person_id(bench_choose(STREAM_LOOKUP, s->n, j)));
        while (sqlite_next(s, FIND)) sum += (uint64_t)sqlite3_column_int64(row, 0) + read_text(row, 1);
    }
    return (double)sum;
}

static uint64_t read_strings(store *s, statement which, uint64_t from, uint64_t count) {
    uint64_t sum = 0;
    for (uint64_t j = from; j < from + count; j++) {
        sqlite3_stmt *row = sqlite_with(s, which, bench_person_id(bench_choose(STREAM_KNOWN, s->n, j)));
        while (sqlite_next(s, which)) sum += read_text(row, 0);
    }
    return sum;
}

double sqlite_read_strings(store *s, statement which, uint64_t count) {
    return (double)read_strings(s, which, 0, count);
}

double sqlite_read_emails(store *s, uint64_t count) {
    const uint32_t *emailed = bench_emailed(s->n);
    uint64_t sum = 0;
    for (uint64_t j = 0; j < count; j++) {
        sqlite3_stmt *row = sqlite_with(s, EMAIL, bench_person_id(emailed[j]));
        while (sqlite_next(s, EMAIL)) sum += read_text(row, 0);
    }
    return (double)sum;
}

double sqlite_single(store *s, statement which) {
    double answer = 0;
    while (sqlite_next(s, which)) answer = sqlite3_column_double(s->statements[which], 0);
    return answer;
}

double sqlite_count_backlinks(store *s) {
    const uint32_t *targets = bench_targets(s->n);
    double sum = 0;
    for (uint64_t j = 0; j < bench_dogs(s->n); j++) {
        (void)sqlite_with(s, BACKLINK_COUNT, (int64_t)targets[j] + 1);
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

void *sqlite_reader_open(void *argument, bench_workload workload, uint64_t count) {
    const store *opened = argument;
    store *s = sqlite_connect(opened->path, opened->n);
    (void)count;
    s->reads = workload;
    return s;
}

static uint64_t read_ages(store *s, uint64_t from, uint64_t count) {
    uint64_t sum = 0;
    for (uint64_t j = from; j < from + count; j++) {
        sqlite3_stmt *row = sqlite_with(s, FIND, bench_person_id(bench_choose(STREAM_LOOKUP, s->n, j)));
        while (sqlite_next(s, FIND)) sum += (uint64_t)sqlite3_column_int64(row, 0);
    }
    return sum;
}

uint64_t sqlite_reader_batch(void *reader, uint64_t from, uint64_t count) {
    store *s = reader;
    sqlite_step(s, BEGIN);
    uint64_t sum = s->reads == BENCH_FRESH_STRING ? read_strings(s, NAME, from, count) : read_ages(s, from, count);
    sqlite_step(s, COMMIT);
    return sum;
}

void sqlite_reader_close(void *reader) { sqlite_close(reader); }
