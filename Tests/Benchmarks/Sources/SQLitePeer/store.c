/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "sqlite_peer.h"
#include "store.h"

void sqlite_must(const store *s, int result, int expected) {
    if (result != expected) bench_fail(sqlite_peer.name, "SQLite", sqlite3_errmsg(s->db));
}

void sqlite_execute(store *s, const char *sql) {
    sqlite_must(s, sqlite3_exec(s->db, sql, NULL, NULL, NULL), SQLITE_OK);
}

/* The file is mapped, since every other peer maps it. */
static const char schema[] =
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA mmap_size = 2147418112;"
    "CREATE TABLE IF NOT EXISTS dog (id INTEGER PRIMARY KEY, name TEXT NOT NULL);"
    "CREATE TABLE IF NOT EXISTS person (id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER NOT NULL,"
    "  score REAL NOT NULL, email TEXT, dog INTEGER REFERENCES dog (id), created INTEGER NOT NULL);"
    "CREATE INDEX IF NOT EXISTS person_age ON person (age);"
    "CREATE INDEX IF NOT EXISTS person_dog ON person (dog);";

static const char *const texts[STATEMENTS] = {
    [BEGIN] = "BEGIN",
    [BEGIN_WRITE] = "BEGIN IMMEDIATE",
    [COMMIT] = "COMMIT",
    [INSERT_DOG] = "INSERT INTO dog VALUES (?, ?)",
    [INSERT_PERSON] = "INSERT INTO person VALUES (?, ?, ?, ?, ?, ?, ?)",
    [UPDATE_SCORE] = "UPDATE person SET score = ?2 WHERE id = ?1",
    [UPDATE_AGE] = "UPDATE person SET age = ?2 WHERE id = ?1",
    [DELETE_PERSON] = "DELETE FROM person WHERE id = ?",
    [FIND] = "SELECT age, name FROM person WHERE id = ?",
    [NAME] = "SELECT name FROM person WHERE id = ?",
    [EMAIL] = "SELECT email FROM person WHERE id = ?",
    [NAME_OF_DOG] = "SELECT dog.name FROM person JOIN dog ON dog.id = person.dog WHERE person.id = ?",
    [BACKLINK_COUNT] = "SELECT count(*) FROM person WHERE dog = ?",
    [SCORE_COUNT] = "SELECT count(*) FROM person WHERE score > 0.5",
    [NAME_COUNT] = "SELECT count(*) FROM person WHERE name = ?",
    [PART_COUNT] = "SELECT count(*) FROM person WHERE instr(name, '" BENCH_PART "') > 0",
    [ALL_AGES] = "SELECT age FROM person NOT INDEXED",
    [SCORE_SUM] = "SELECT sum(score) FROM person",
    [AGE_COUNT] = "SELECT count(*) FROM person WHERE age = ?",
    [SCORES_OF_AGE] = "SELECT score FROM person WHERE age = ?",
    [RANGE_COUNT] = "SELECT count(*) FROM person WHERE age >= ?1 AND age < ?1 + 10",
    [SORTED] = "SELECT age FROM person ORDER BY score",
    [FIRST] = "SELECT age FROM person ORDER BY score LIMIT 100",
};

store *sqlite_connect(const char *path, uint64_t n) {
    char cache[64];
    store *s = calloc(1, sizeof *s);
    if (s == NULL) bench_fail(sqlite_peer.name, "open", "no memory");
    s->n = n;
    snprintf(s->path, sizeof s->path, "%s", path);
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    sqlite_must(s, sqlite3_open_v2(path, &s->db, flags, NULL), SQLITE_OK);
    sqlite_must(s, sqlite3_busy_timeout(s->db, 10000), SQLITE_OK);
    snprintf(cache, sizeof cache, "PRAGMA cache_size = -%" PRIi64, bench_cache(n));
    sqlite_execute(s, cache);
    sqlite_execute(s, schema);
    for (int i = 0; i < STATEMENTS; i++)
        sqlite_must(s, sqlite3_prepare_v3(s->db, texts[i], -1, SQLITE_PREPARE_PERSISTENT, &s->statements[i], NULL),
                    SQLITE_OK);
    return s;
}

void sqlite_close(store *s) {
    for (int i = 0; i < STATEMENTS; i++) sqlite3_finalize(s->statements[i]);
    sqlite3_close(s->db);
    free(s);
}

static void *open_store(const char *folder, uint64_t n) {
    return sqlite_connect(bench_path(folder, "bench.sqlite"), n);
}
static void close_store(void *s) { sqlite_close(s); }

static double commit_relaxed(store *s, uint64_t count) {
    sqlite_execute(s, "PRAGMA synchronous = NORMAL");
    double answer = sqlite_commit_persons(s, count);
    sqlite_execute(s, "PRAGMA synchronous = FULL");
    return answer;
}

static double change(store *s, bench_workload workload, uint64_t count) {
    switch (workload) {
    case BENCH_BULK_INSERT: return sqlite_insert_all(s);
    case BENCH_UPDATE_SCORES: return sqlite_update_scores(s, count);
    case BENCH_UPDATE_AGES: return sqlite_update_ages(s, count);
    case BENCH_DELETE: return sqlite_delete_persons(s, count);
    case BENCH_COMMIT:
    case BENCH_LOGGED_COMMIT:
    case BENCH_WRITERS_COMMIT: return sqlite_commit_persons(s, count);
    case BENCH_RELAXED_COMMIT: return commit_relaxed(s, count);
    default: return BENCH_NOT_OFFERED;
    }
}

static double ask(store *s, bench_workload workload, uint64_t count) {
    switch (workload) {
    case BENCH_LOOKUP: return sqlite_look_up(s, count);
    case BENCH_OWN_STRING: return sqlite_read_strings(s, NAME, count);
    case BENCH_LONG_STRING: return sqlite_read_emails(s, count);
    case BENCH_LINK_STRING: return sqlite_read_strings(s, NAME_OF_DOG, count);
    case BENCH_BACKLINKS: return sqlite_count_backlinks(s);
    case BENCH_SCAN_DOUBLE: return sqlite_single(s, SCORE_COUNT);
    case BENCH_SCAN_EQUAL: return sqlite_find_name(s);
    case BENCH_SCAN_CONTAINS: return sqlite_single(s, PART_COUNT);
    case BENCH_ITERATE: return sqlite_iterate(s);
    case BENCH_SUM: return sqlite_single(s, SCORE_SUM);
    case BENCH_INDEX_COUNT: return sqlite_count_ages(s, AGE_COUNT, count);
    case BENCH_INDEX_VISIT: return sqlite_visit_age(s);
    case BENCH_INDEX_RANGE: return sqlite_count_ages(s, RANGE_COUNT, count);
    case BENCH_SORT: return sqlite_sort_scores(s, SORTED);
    case BENCH_TOP: return sqlite_sort_scores(s, FIRST);
    default: return BENCH_NOT_OFFERED;
    }
}

/** Questions are asked in one read transaction, so that the file is not locked again for each. */
static double run(void *argument, bench_workload workload, uint64_t count) {
    store *s = argument;
    double answer = change(s, workload, count);
    if (!isnan(answer)) return answer;
    sqlite_step(s, BEGIN);
    answer = ask(s, workload, count);
    sqlite_step(s, COMMIT);
    return answer;
}

static void settle(void *s) { sqlite_execute(s, "PRAGMA wal_checkpoint(TRUNCATE)"); }

static double pragma(store *s, const char *sql) {
    sqlite3_stmt *asked;
    sqlite_must(s, sqlite3_prepare_v2(s->db, sql, -1, &asked, NULL), SQLITE_OK);
    sqlite_must(s, sqlite3_step(asked), SQLITE_ROW);
    double answer = sqlite3_column_double(asked, 0);
    sqlite3_finalize(asked);
    return answer;
}
static double reusable(void *s) { return pragma(s, "PRAGMA freelist_count") * pragma(s, "PRAGMA page_size"); }

const bench_peer sqlite_peer = {
    .name = "sqlite",
    .title = "SQLite C",
    .share = 1,
    .open = open_store,
    .close = close_store,
    .run = run,
    .settle = settle,
    .reusable = reusable,
    .reader_open = sqlite_reader_open,
    .reader_batch = sqlite_reader_batch,
    .reader_close = sqlite_reader_close,
};
