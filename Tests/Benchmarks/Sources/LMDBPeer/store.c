/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "lmdb_peer.h"
#include "rows.h"

void lmdb_must(int result) {
    if (result != 0) bench_fail(lmdb_peer.name, "LMDB", mdb_strerror(result));
}

static const char *const names[DATABASES] = { "dogs", "dog ids", "persons", "person ids", "ages", "owned" };

static unsigned flags_of(database in) {
    unsigned several = MDB_DUPSORT | MDB_DUPFIXED | MDB_INTEGERDUP;
    return MDB_INTEGERKEY | MDB_CREATE | (in == AGES || in == OWNED ? several : 0);
}

void lmdb_open_cursors(store *s) {
    for (int d = 0; d < DATABASES; d++) lmdb_must(mdb_cursor_open(s->txn, s->databases[d], &s->cursors[d]));
}
static void close_cursors(store *s) {
    for (int d = 0; d < DATABASES; d++) mdb_cursor_close(s->cursors[d]);
}

static void start_reading(store *s) {
    lmdb_must(mdb_txn_begin(s->env, NULL, MDB_RDONLY, &s->txn));
    lmdb_open_cursors(s);
}

void lmdb_begin(store *s) {
    close_cursors(s);
    mdb_txn_abort(s->txn);
    lmdb_must(mdb_txn_begin(s->env, NULL, 0, &s->txn));
    lmdb_open_cursors(s);
}
void lmdb_commit(store *s) {
    close_cursors(s);
    lmdb_must(mdb_txn_commit(s->txn));
    start_reading(s);
}

static void *open_store(const char *folder, uint64_t n) {
    store *s = calloc(1, sizeof *s);
    if (s == NULL) bench_fail(lmdb_peer.name, "open", "no memory");
    s->n = n;
    lmdb_must(mdb_env_create(&s->env));
    lmdb_must(mdb_env_set_maxdbs(s->env, DATABASES));
    lmdb_must(mdb_env_set_mapsize(s->env, (size_t)1 << 36));
    lmdb_must(mdb_env_open(s->env, folder, MDB_NOTLS, 0600));
    lmdb_must(mdb_txn_begin(s->env, NULL, 0, &s->txn));
    for (int d = 0; d < DATABASES; d++)
        lmdb_must(mdb_dbi_open(s->txn, names[d], flags_of((database)d), &s->databases[d]));
    lmdb_must(mdb_txn_commit(s->txn));
    start_reading(s);
    return s;
}

static void close_store(void *argument) {
    store *s = argument;
    close_cursors(s);
    mdb_txn_abort(s->txn);
    mdb_env_close(s->env);
    free(s);
}

/** The meta page of a commit is left to the system. */
static double commit_relaxed(store *s, uint64_t count) {
    lmdb_must(mdb_env_set_flags(s->env, MDB_NOMETASYNC, 1));
    double answer = lmdb_commit_persons(s, count);
    lmdb_must(mdb_env_set_flags(s->env, MDB_NOMETASYNC, 0));
    return answer;
}

static double run(void *argument, bench_workload workload, uint64_t count) {
    store *s = argument;
    switch (workload) {
    case BENCH_BULK_INSERT: return lmdb_insert_all(s);
    case BENCH_LOOKUP: return lmdb_look_up(s, count);
    case BENCH_OWN_STRING: return lmdb_read_strings(s, count);
    case BENCH_LONG_STRING: return lmdb_read_emails(s, count);
    case BENCH_LINK_STRING: return lmdb_read_linked_strings(s, count);
    case BENCH_BACKLINKS: return lmdb_count_backlinks(s);
    case BENCH_PROPERTY: return lmdb_read_property(s, count);
    case BENCH_SCAN_DOUBLE:
    case BENCH_SCAN_EQUAL:
    case BENCH_SCAN_CONTAINS:
    case BENCH_ITERATE:
    case BENCH_SUM: return lmdb_walk(s, workload);
    case BENCH_INDEX_COUNT: return lmdb_count_ages(s, count, BENCH_AGE, BENCH_AGE + 1);
    case BENCH_INDEX_VISIT: return lmdb_visit_age(s);
    case BENCH_INDEX_RANGE: return lmdb_count_ages(s, count, BENCH_AGE_FROM, BENCH_AGE_TO);
    case BENCH_SORT: return lmdb_sort_scores(s);
    case BENCH_TOP: return lmdb_top_scores(s);
    case BENCH_UPDATE_SCORES: return lmdb_update_scores(s, count);
    case BENCH_UPDATE_AGES: return lmdb_update_ages(s, count);
    case BENCH_DELETE: return lmdb_delete_persons(s, count);
    case BENCH_COMMIT:
    case BENCH_LOGGED_COMMIT:
    case BENCH_WRITERS_COMMIT: return lmdb_commit_persons(s, count);
    case BENCH_RELAXED_COMMIT: return commit_relaxed(s, count);
    default: return BENCH_NOT_OFFERED;
    }
}

const bench_peer lmdb_peer = {
    .name = "lmdb",
    .title = "raw LMDB",
    .share = 1,
    .raw = true,
    .open = open_store,
    .close = close_store,
    .run = run,
    .reader_open = lmdb_reader_open,
    .reader_batch = lmdb_reader_batch,
    .reader_close = lmdb_reader_close,
};
