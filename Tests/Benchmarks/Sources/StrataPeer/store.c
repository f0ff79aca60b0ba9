/* SPDX-License-Identifier: MIT */
#include "strata_peer.h"

#include <stdlib.h>

#include "store.h"

void must(strata_status status, const strata_error *error) {
    if (status != STRATA_OK) bench_fail(strata_peer.name, strata_status_name(status), status < 0 ? error->message : "");
}

void begin(store *s) {
    strata_error error;
    must(strata_view_begin(s->view, &error), &error);
}
void commit(store *s) {
    strata_error error;
    must(strata_view_commit(s->view, &error), &error);
}

static void apply_schema(strata_view *view) {
    static const strata_column_spec dog[] = {
        [ID] = { .name = "id", .type = STRATA_INT, .flags = STRATA_COLUMN_PRIMARY },
        [NAME] = { .name = "name", .type = STRATA_STRING },
    };
    static const strata_column_spec person[] = {
        [ID] = { .name = "id", .type = STRATA_INT, .flags = STRATA_COLUMN_PRIMARY },
        [NAME] = { .name = "name", .type = STRATA_STRING },
        [AGE] = { .name = "age", .type = STRATA_INT, .flags = STRATA_COLUMN_INDEXED },
        [SCORE] = { .name = "score", .type = STRATA_DOUBLE },
        [EMAIL] = { .name = "email", .type = STRATA_STRING, .flags = STRATA_COLUMN_NULLABLE },
        [OWNED] = { .name = "dog", .type = STRATA_LINK, .flags = STRATA_COLUMN_NULLABLE, .target = "Dog" },
        [CREATED] = { .name = "created", .type = STRATA_INT },
    };
    static const strata_column_spec series[] = {
        [ELEMENTS] = { .name = "elements", .type = STRATA_INT, .collection = STRATA_LIST },
    };
    static const strata_table_spec tables[] = {
        [DOG] = { .name = "Dog", .columns = dog, .column_count = sizeof dog / sizeof *dog },
        [PERSON] = { .name = "Person", .columns = person, .column_count = sizeof person / sizeof *person },
        [SERIES] = { .name = "Series", .columns = series, .column_count = 1 },
    };
    strata_error error;
    must(strata_schema_apply(view, tables, 3, 1, &error), &error);
}

static void connect_to(store *s, strata_durability durability) {
    strata_config config = { .size = sizeof config, .path = s->path, .durability = durability };
    strata_error error;
    s->durability = durability;
    must(strata_store_open(&config, &s->file, &error), &error);
    must(strata_view_open(s->file, &s->view, &error), &error);
    apply_schema(s->view);
}

static void disconnect(store *s) {
    stop_observing(s);
    strata_view_close(s->view);
    strata_store_close(s->file);
}

static void *open_store(const char *folder, uint64_t n) {
    store *s = calloc(1, sizeof *s);
    if (s == NULL) bench_fail(strata_peer.name, "open", "no memory");
    s->n = n;
    strcpy(s->path, bench_path(folder, "bench.strata"));
    connect_to(s, STRATA_DURABILITY_FULL);
    return s;
}

static void close_store(void *argument) {
    disconnect(argument);
    free(argument);
}

static strata_durability durability_of(bench_workload workload) {
    switch (workload) {
    case BENCH_LOGGED_COMMIT:
    case BENCH_WRITERS_COMMIT: return STRATA_DURABILITY_LOGGED;
    case BENCH_RELAXED_COMMIT: return STRATA_DURABILITY_DEFERRED;
    case BENCH_OBSERVE_CHANGE: return STRATA_DURABILITY_RELAXED;
    default: return STRATA_DURABILITY_FULL;
    }
}

static void prepare(void *argument, bench_workload workload, uint64_t count) {
    store *s = argument;
    (void)count;
    strata_durability durability = durability_of(workload);
    stop_observing(s);
    if (durability != s->durability) {
        disconnect(s);
        connect_to(s, durability);
    }
    if (workload == BENCH_LIST_APPEND) clear_list(s);
    if (workload == BENCH_OBSERVE_CHANGE) observe_scores(s);
}

static double run(void *argument, bench_workload workload, uint64_t count) {
    store *s = argument;
    bench_person wanted = bench_make_person(s->n, bench_wanted(s->n));
    switch (workload) {
    case BENCH_BULK_INSERT: return insert_all(s);
    case BENCH_LOOKUP: return look_up(s, count);
    case BENCH_OWN_STRING: return read_strings(s, count);
    case BENCH_LONG_STRING: return read_emails(s, count);
    case BENCH_LINK_STRING: return read_linked_strings(s, count);
    case BENCH_BACKLINKS: return count_backlinks(s);
    case BENCH_PROPERTY: return read_property(s, count);
    case BENCH_SCAN_DOUBLE: return count_scores(s);
    case BENCH_SCAN_EQUAL: return count_names(s, STRATA_EQUAL, wanted.name);
    case BENCH_SCAN_CONTAINS: return count_names(s, STRATA_CONTAINS, BENCH_PART);
    case BENCH_ITERATE: return iterate(s);
    case BENCH_SUM: return sum_scores(s);
    case BENCH_INDEX_COUNT: return count_ages(s, count, BENCH_AGE, BENCH_AGE + 1);
    case BENCH_INDEX_VISIT: return visit_age(s);
    case BENCH_INDEX_RANGE: return count_ages(s, count, BENCH_AGE_FROM, BENCH_AGE_TO);
    case BENCH_SORT: return sort_scores(s, UINT64_MAX);
    case BENCH_TOP: return sort_scores(s, BENCH_FIRST);
    case BENCH_UPDATE_SCORES: return update_scores(s, count);
    case BENCH_UPDATE_AGES: return update_ages(s, count);
    case BENCH_DELETE: return delete_persons(s, count);
    case BENCH_COMMIT:
    case BENCH_LOGGED_COMMIT:
    case BENCH_RELAXED_COMMIT: return commit_persons(s, count);
    case BENCH_WRITERS_COMMIT: return commit_together(s, count);
    case BENCH_OBSERVE: return observe_first(s);
    case BENCH_OBSERVE_CHANGE: return observe_changes(s, count);
    case BENCH_LIST_APPEND: return append_elements(s, count);
    case BENCH_LIST_GET: return get_elements(s, count);
    case BENCH_LIST_INSERT: return insert_elements(s, count);
    default: return BENCH_NOT_OFFERED;
    }
}

static double reusable(void *argument) {
    store *s = argument;
    strata_store_stats stats = { .size = sizeof stats };
    strata_error error;
    must(strata_store_get_stats(s->file, &stats, &error), &error);
    return (double)stats.free_size;
}

const bench_peer strata_peer = {
    .name = "strata-c",
    .title = "Strata C",
    .share = 1,
    .open = open_store,
    .close = close_store,
    .prepare = prepare,
    .run = run,
    .reusable = reusable,
    .reader_open = open_reader,
    .reader_batch = read_batch,
    .reader_close = close_reader,
};
