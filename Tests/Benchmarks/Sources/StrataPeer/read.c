/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "store.h"
#include "strata_prepared.h"

/* ---- Objects ---------------------------------------------------------- */

/** A live row of an object that exists. */
static inline strata_row bind(store *s, uint32_t table, uint64_t key) {
    strata_error error;
    strata_row row;
    must(strata_row_bind(s->view, table, key, &row, &error), &error);
    return row;
}

static inline uint64_t read_text(const strata_row *row, uint32_t column) {
    strata_bytes text;
    (void)strata_row_bytes(row, column, &text);
    return bench_text(text.data, text.size);
}

double look_up(store *s, uint64_t count) {
    strata_error error;
    uint64_t sum = 0, key;
    for (uint64_t j = 0; j < count; j++) {
        strata_value id = strata_int(bench_person_id(bench_choose(STREAM_LOOKUP, s->n, j)));
        must(strata_object_find(s->view, PERSON, &id, &key, &error), &error);
        strata_row row = bind(s, PERSON, key);
        sum += (uint64_t)strata_row_int(&row, AGE) + read_text(&row, NAME);
    }
    return (double)sum;
}

static uint64_t read_names(store *s, uint64_t from, uint64_t count) {
    uint64_t sum = 0;
    for (uint64_t j = from; j < from + count; j++) {
        strata_row row = bind(s, PERSON, key_of(bench_choose(STREAM_KNOWN, s->n, j)));
        sum += read_text(&row, NAME);
    }
    return sum;
}

double read_strings(store *s, uint64_t count) { return (double)read_names(s, 0, count); }

double read_emails(store *s, uint64_t count) {
    const uint32_t *emailed = bench_emailed(s->n);
    uint64_t sum = 0;
    for (uint64_t j = 0; j < count; j++) {
        strata_row row = bind(s, PERSON, key_of(emailed[j]));
        sum += read_text(&row, EMAIL);
    }
    return (double)sum;
}

double read_linked_strings(store *s, uint64_t count) {
    uint64_t sum = 0;
    for (uint64_t j = 0; j < count; j++) {
        strata_row person = bind(s, PERSON, key_of(bench_choose(STREAM_KNOWN, s->n, j)));
        strata_row dog = bind(s, DOG, strata_row_link(&person, OWNED));
        sum += read_text(&dog, NAME);
    }
    return (double)sum;
}

double count_backlinks(store *s) {
    const uint32_t *targets = bench_targets(s->n);
    strata_error error;
    double sum = 0;
    uint64_t links;
    for (uint64_t j = 0; j < bench_dogs(s->n); j++) {
        must(strata_backlinks_count(s->view, DOG, key_of(targets[j]), PERSON, OWNED, &links, &error), &error);
        sum += (double)links * (double)links;
    }
    return sum;
}

double read_property(store *s, uint64_t count) {
    strata_row rows[BENCH_LIVE];
    int64_t sum = 0;
    for (uint64_t i = 0; i < BENCH_LIVE; i++) rows[i] = bind(s, PERSON, key_of(bench_choose(STREAM_LIVE, s->n, i)));
    for (uint64_t j = 0; j < count; j += BENCH_LIVE)
        for (uint64_t i = 0; i < BENCH_LIVE; i++) {
            bench_barrier();
            if (strata_row_ready(&rows[i]) != STRATA_OK) bench_fail("strata-c", "a live row", "it is gone");
            sum += strata_row_int(&rows[i], AGE);
        }
    return (double)sum;
}

/* ---- Scans ------------------------------------------------------------ */

static uint64_t count_matches(store *s, uint32_t column, strata_operator op, const strata_value *values,
                              uint32_t value_count) {
    strata_step path = strata_step_column(column);
    strata_node condition = { .op = op, .left = { .path = &path, .path_length = 1 },
                              .values = values, .value_count = value_count };
    strata_query query = { .size = sizeof query, .table = PERSON, .nodes = &condition, .node_count = 1 };
    strata_error error;
    uint64_t count;
    must(strata_query_count(s->view, &query, &count, NULL, &error), &error);
    return count;
}

double count_scores(store *s) {
    strata_value score = strata_double(BENCH_SCORE);
    return (double)count_matches(s, SCORE, STRATA_GREATER, &score, 1);
}

double count_names(store *s, strata_operator op, const char *text) {
    strata_value name = strata_string(text, strlen(text));
    return (double)count_matches(s, NAME, op, &name, 1);
}

double iterate(store *s) {
    strata_cursor *cursor;
    strata_error error;
    strata_row row;
    int64_t sum = 0;
    must(strata_scan(s->view, PERSON, false, &cursor, &error), &error);
    strata_status status = strata_cursor_next(cursor, &row, &error);
    for (; status == STRATA_OK; status = strata_cursor_next(cursor, &row, &error)) sum += strata_row_int(&row, AGE);
    if (status != STRATA_END) must(status, &error);
    strata_cursor_close(cursor);
    return (double)sum;
}

double sum_scores(store *s) {
    strata_step score = strata_step_column(SCORE);
    strata_measure measure = { STRATA_SUM, &score, 1 };
    strata_query query = { .size = sizeof query, .table = PERSON };
    strata_groups groups;
    strata_error error;
    must(strata_query_group(s->view, &query, NULL, 0, &measure, 1, &groups, NULL, &error), &error);
    double sum = groups.values[0].as.real;
    strata_groups_free(&groups);
    return sum;
}

/* ---- Indexes and orders ----------------------------------------------- */

double count_ages(store *s, uint64_t count, int64_t from, int64_t to) {
    strata_value ages[] = { strata_int(from), strata_int(to - 1) };
    bool one = to == from + 1;
    strata_step path = strata_step_column(AGE);
    strata_node condition = { .op = one ? STRATA_EQUAL : STRATA_BETWEEN, .options = STRATA_PARAMETERS,
                              .left = { .path = &path, .path_length = 1 }, .value_count = one ? 1 : 2 };
    strata_query query = { .size = sizeof query, .table = PERSON, .nodes = &condition, .node_count = 1 };
    strata_prepared *prepared;
    strata_error error;
    uint64_t found, sum = 0;
    must(strata_query_prepare(s->view, &query, &prepared, &error), &error);
    for (uint64_t j = 0; j < count; j++) {
        must(strata_prepared_count(prepared, s->view, ages, condition.value_count, &found, NULL, &error), &error);
        sum += found;
    }
    strata_prepared_free(prepared);
    return (double)(sum / count);
}

double visit_age(store *s) {
    strata_value age = strata_int(BENCH_AGE);
    strata_range range = { .low = &age, .high = &age };
    strata_cursor *cursor;
    strata_error error;
    strata_row row;
    double sum = 0;
    must(strata_index_scan(s->view, PERSON, AGE, &range, false, &cursor, &error), &error);
    strata_status status = strata_cursor_next(cursor, &row, &error);
    for (; status == STRATA_OK; status = strata_cursor_next(cursor, &row, &error))
        sum += strata_row_double(&row, SCORE);
    if (status != STRATA_END) must(status, &error);
    strata_cursor_close(cursor);
    return sum;
}

/** How many rows are bound together. */
enum { AT_ONCE = 32 };

double sort_scores(store *s, uint64_t limit) {
    strata_step score = strata_step_column(SCORE);
    strata_sort key = { .path = &score, .path_length = 1 };
    strata_stage stages[] = {
        { .kind = STRATA_STAGE_SORT, .keys = &key, .key_count = 1 },
        { .kind = STRATA_STAGE_LIMIT, .limit = limit },
    };
    strata_query query = { .size = sizeof query, .table = PERSON, .stages = stages,
                           .stage_count = limit == UINT64_MAX ? 1 : 2 };
    strata_keys keys;
    strata_error error;
    double sum = 0;
    must(strata_query_run(s->view, &query, &keys, NULL, &error), &error);
    for (size_t i = 0, part; i < keys.count; i += part) {
        strata_row rows[AT_ONCE];
        part = keys.count - i < AT_ONCE ? keys.count - i : AT_ONCE;
        must(strata_rows_bind(s->view, PERSON, keys.data + i, part, rows, &error), &error);
        for (size_t j = 0; j < part; j++) sum += (double)(i + j + 1) * (double)strata_row_int(&rows[j], AGE);
    }
    strata_keys_free(&keys);
    return sum;
}

/* ---- Beside a writer -------------------------------------------------- */

/* A view belongs to a thread: a reader is a store of its own, with the same file. */

void *open_reader(void *argument, bench_workload workload, uint64_t count) {
    (void)count;
    store *s = malloc(sizeof *s);
    strata_error error;
    if (s == NULL) bench_fail("strata-c", "a reader", "no memory");
    *s = *(store *)argument;
    s->reads = workload;
    must(strata_view_open(s->file, &s->view, &error), &error);
    return s;
}

uint64_t read_batch(void *reader, uint64_t from, uint64_t count) {
    store *s = reader;
    strata_error error;
    uint64_t sum = 0, key;
    bool changed;
    must(strata_view_refresh(s->view, &changed, &error), &error);
    if (s->reads == BENCH_FRESH_STRING) return read_names(s, from, count);
    for (uint64_t j = from; j < from + count; j++) {
        strata_value id = strata_int(bench_person_id(bench_choose(STREAM_LOOKUP, s->n, j)));
        strata_status status = strata_object_find(s->view, PERSON, &id, &key, &error);
        if (status == STRATA_NOT_FOUND) continue;
        must(status, &error);
        strata_row row = bind(s, PERSON, key);
        sum += (uint64_t)strata_row_int(&row, AGE);
    }
    return sum;
}

void close_reader(void *reader) {
    store *s = reader;
    strata_view_close(s->view);
    free(s);
}
