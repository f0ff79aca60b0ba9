/* SPDX-License-Identifier: MIT
 * workload.c -- what a store is made to do while something is made to go wrong. */
#define _GNU_SOURCE 1
#include "support/workload.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "strata_consumer.h"
#include "strata_query.h"

enum { PERSON, NOTE };
enum { ID, NAME, SCORE, PHOTO, FRIEND, FRIENDS, TAGS, NOTES, ANY };
enum { PERSONS = 40 };

/* Ends a step at its first failure. Answers (STRATA_NOT_FOUND, STRATA_END) are none. */
#define STEP(call) \
    do { \
        if (status >= 0) status = (call); \
    } while (0)

char *site_path(const site *at, const char *name, char out[500]) {
    snprintf(out, 500, "%s/%s", at->directory, name);
    return out;
}

strata_status site_open(site *at) {
    char path[500];
    strata_config config = { .size = sizeof config, .path = site_path(at, "store", path), .map_size = 1 << 28,
                             .durability = at->durability };
    strata_status status = strata_store_open(&config, &at->store, &at->error);
    STEP(strata_view_open(at->store, &at->view, &at->error));
    if (status < 0) site_close(at);
    return status;
}

void site_close(site *at) {
    strata_view_close(at->view);
    strata_store_close(at->store);
    at->view = NULL;
    at->store = NULL;
}

/* ---- Contents --------------------------------------------------------- */

static strata_status apply_schema(site *at, uint64_t version) {
    strata_column_spec person[] = {
        { "id", STRATA_INT, STRATA_SINGLE, STRATA_COLUMN_PRIMARY, NULL },
        { "name", STRATA_STRING, STRATA_SINGLE, version == 2 ? 0 : STRATA_COLUMN_INDEXED, NULL },
        { "score", STRATA_DOUBLE, STRATA_SINGLE, STRATA_COLUMN_NULLABLE, NULL },
        { "photo", STRATA_DATA, STRATA_SINGLE, STRATA_COLUMN_NULLABLE, NULL },
        { "friend", STRATA_LINK, STRATA_SINGLE, 0, "Person" },
        { "friends", STRATA_LINK, STRATA_LIST, 0, "Person" },
        { "tags", STRATA_STRING, STRATA_SET, 0, NULL },
        { "notes", STRATA_STRING, STRATA_MAP, 0, NULL },
        { "any", STRATA_MIXED, STRATA_SINGLE, STRATA_COLUMN_INDEXED, NULL },
        { "later", STRATA_STRING, STRATA_SINGLE, STRATA_COLUMN_INDEXED, NULL },
    };
    strata_column_spec note[] = { { "text", STRATA_STRING, STRATA_SINGLE, 0, NULL } };
    strata_table_spec tables[] = { { "Person", 0, version == 0 ? 9 : 10, person }, { "Note", 0, 1, note } };
    if (version == 2) { /* drops the photos and the friends, that is, large values and links */
        person[PHOTO] = person[9];
        memmove(&person[FRIEND], &person[FRIENDS + 1], 3 * sizeof *person);
        tables[PERSON].column_count = 7;
    }
    return strata_schema_apply(at->view, tables, 2, version, &at->error);
}

/* A text that differs with the seed, and whose stretches differ. It repeats itself after a period. */
static const char *text_of(size_t size, int64_t seed) {
    enum { LETTERS = 26, STRETCH = 251, PERIOD = LETTERS * STRETCH };
    static char periods[LETTERS][PERIOD], text[1 << 20];
    size_t first = (size_t)((uint64_t)seed % LETTERS);
    char *period = periods[first];
    for (size_t i = 0; i < PERIOD && period[PERIOD - 1] == 0; i++)
        period[i] = (char)('a' + (first + i * 7 + i / STRETCH) % LETTERS);
    if (size <= PERIOD) return period;
    for (size_t i = 0; i < size; i += PERIOD) memcpy(text + i, period, size - i < PERIOD ? size - i : PERIOD);
    return text;
}

static strata_status add_persons(site *at, int64_t first, int64_t count, size_t longest) {
    strata_status status = STRATA_OK;
    uint64_t key;
    strata_row row;
    for (int64_t id = first; id < first + count && status >= 0; id++) {
        size_t size = (size_t)(id * 37) % longest;
        strata_value values[] = { strata_int(id), strata_string(text_of(size, id), size),
                                  id % 3 == 0 ? strata_null() : strata_double((double)id),
                                  id % 9 == 0 ? strata_data(text_of(3000, id), 3000) : strata_null(),
                                  strata_link(id > 5 ? 1 + (uint64_t)id % 5 : 0) };
        STEP(strata_object_create(at->view, PERSON, values, 5, &key, &at->error));
        if (id % 7 != 0) continue;
        strata_value friends[] = { strata_link(key), strata_link(1), strata_link(key) }, any = strata_int(id);
        strata_bytes note = { "note", 4 };
        bool inserted;
        uint64_t position;
        STEP(strata_row_bind(at->view, PERSON, key, &row, &at->error));
        STEP(strata_list_insert(&row, FRIENDS, 0, friends, 3, &at->error));
        STEP(strata_set_insert(&row, TAGS, &values[1], &inserted, &position, &at->error));
        STEP(strata_map_set(&row, NOTES, note, &values[1], &at->error));
        STEP(strata_row_set(&row, ANY, id % 2 == 0 ? &any : &values[1], &at->error));
    }
    return status;
}

static strata_status bind(site *at, uint64_t key, strata_row *row) {
    return strata_row_bind(at->view, PERSON, key, row, &at->error);
}

/* Ends a write: commits what went well, and drops the rest. */
static strata_status finish(site *at, strata_status status) {
    if (status >= 0) return strata_view_commit(at->view, &at->error);
    strata_view_cancel(at->view);
    return status;
}

static strata_status begin(site *at) { return strata_view_begin(at->view, &at->error); }

/* ---- Steps ------------------------------------------------------------ */

static strata_status create(site *at, int step) {
    at->lasting = step == 0;
    if (step == 0) return site_open(at);
    if (step == 1) return apply_schema(at, 0);
    strata_status status = begin(at);
    return status < 0 ? status : finish(at, add_persons(at, 1, 10, 60));
}

static strata_status open_existing(site *at, int step) {
    (void)step;
    at->lasting = true;
    return site_open(at);
}

static strata_status small_commits(site *at, int step) {
    strata_row row;
    strata_value name = strata_string(text_of(50, step), 50), score = strata_double(step);
    strata_status status = begin(at);
    if (status < 0) return status;
    STEP(bind(at, 3 + (uint64_t)step, &row));
    STEP(strata_row_set(&row, NAME, &name, &at->error));
    STEP(strata_row_set(&row, SCORE, &score, &at->error));
    return finish(at, status);
}

static strata_status flush(site *at, int step) {
    strata_status status = small_commits(at, step);
    at->lasting = true;
    return status < 0 ? status : strata_store_flush(at->store, &at->error);
}

/* Few objects, but long ones: it is the pages that count, and an allocation for each object is failed for each. */
static strata_status bulk(site *at, int step) {
    enum { BULK = 40, LONG = 4000 };
    uint64_t size;
    strata_row row;
    strata_cursor *cursor = NULL;
    strata_status status = begin(at);
    if (status < 0) return status;
    STEP(add_persons(at, 1000 + 1000 * step, BULK, LONG));
    STEP(strata_scan(at->view, PERSON, true, &cursor, &at->error)); /* stores what is pending */
    STEP(strata_cursor_next(cursor, &row, &at->error));
    strata_cursor_close(cursor);
    STEP(add_persons(at, 1500 + 1000 * step, BULK / 2, LONG));
    STEP(strata_table_size(at->view, PERSON, &size, &at->error));
    return finish(at, status);
}

/* Fills a log more than once, with a large commit in between, and one that is too large for it. Large values make the
 * pages: so few allocations do. */
static strata_status refill(site *at, int step) {
    enum { FEW = 20, LARGE_STEP = 2, TOO_LARGE_STEP = 4 };
    size_t size = step == LARGE_STEP || step == TOO_LARGE_STEP ? 1040000 : 230000;
    uint64_t photos = step == TOO_LARGE_STEP ? 5 : 1;
    strata_row row;
    strata_value photo = strata_data(text_of(size, step), size);
    strata_status status = begin(at);
    if (status < 0) return status;
    for (uint64_t i = 0; i < photos; i++) {
        STEP(bind(at, 1 + (uint64_t)step + i, &row));
        STEP(strata_row_set(&row, PHOTO, &photo, &at->error));
    }
    STEP(add_persons(at, 1000 + 1000 * step, FEW, 700));
    return finish(at, status);
}

static strata_status change_schema(site *at, int step) { return apply_schema(at, (uint64_t)step + 1); }

/* Notes get another word for their text, and persons a score of another type. */
static strata_status migrate(site *at) {
    strata_column_spec person[] = {
        { "id", STRATA_INT, STRATA_SINGLE, STRATA_COLUMN_PRIMARY, NULL },
        { "name", STRATA_STRING, STRATA_SINGLE, STRATA_COLUMN_NULLABLE | STRATA_COLUMN_INDEXED, NULL },
        { "score", STRATA_INT, STRATA_SINGLE, STRATA_COLUMN_INDEXED, NULL },
        { "friends", STRATA_LINK, STRATA_LIST, 0, "Person" },
        { "any", STRATA_MIXED, STRATA_SINGLE, 0, NULL },
    };
    strata_column_spec note[] = { { "words", STRATA_STRING, STRATA_SINGLE, STRATA_COLUMN_INDEXED, NULL } };
    strata_table_spec tables[] = { { "Person", 0, 5, person }, { "Note", 0, 1, note } };
    strata_schema_change rename = { STRATA_RENAME_COLUMN, "Note", "text", "words" };
    uint32_t score;
    strata_row row = { 0 };
    strata_value one = strata_int(1);
    strata_status status = strata_migration_begin(at->view, tables, 2, 1, &at->error);
    if (status < 0) return status;
    if (strata_column_find(at->view, PERSON, "score", &score) != STRATA_OK) status = STRATA_CORRUPT;
    STEP(strata_row_bind(at->view, PERSON, 1, &row, &at->error));
    STEP(strata_row_set(&row, score, &one, &at->error));
    STEP(strata_migration_change(at->view, &rename, &at->error));
    STEP(strata_migration_finish(at->view, NULL, 0, tables, 2, "a migration", &at->error));
    return finish(at, status);
}

/* The second step copies what is then cancelled. */
static strata_status migrate_and_copy(site *at, int step) {
    char path[500];
    if (step == 0) return migrate(at);
    at->lasting = true;
    strata_status status = strata_store_flush(at->store, &at->error); /* the step before this one, too */
    STEP(begin(at));
    if (status < 0) return status;
    strata_value text = strata_string("new", 3);
    uint64_t key;
    STEP(strata_object_create(at->view, NOTE, &text, 1, &key, &at->error));
    STEP(strata_view_copy(at->view, site_path(at, "copy", path), &at->error));
    strata_view_cancel(at->view);
    return status;
}

static strata_status clear(site *at, int step) {
    uint32_t tables[] = { PERSON, NOTE };
    strata_status status = begin(at);
    if (status < 0) return status;
    if (step == 0) STEP(strata_tables_clear(at->view, tables, 2, &at->error));
    else STEP(add_persons(at, 1, 5, 60));
    return finish(at, status);
}

static strata_status blobs(site *at, int step) {
    static const size_t sizes[] = { 300000, 1000000, 20 };
    strata_row row;
    strata_value photo = strata_data(text_of(sizes[step], step), sizes[step]);
    strata_status status = begin(at);
    if (status < 0) return status;
    STEP(bind(at, 9, &row));
    STEP(strata_row_set(&row, PHOTO, &photo, &at->error));
    return finish(at, status);
}

static strata_status edit_lists(site *at, int step) {
    enum { MANY = 3000 };
    static strata_value links[MANY];
    strata_row row;
    for (int i = 0; i < MANY; i++) links[i] = strata_link(1 + (uint64_t)(i * 7) % PERSONS);
    strata_value word = strata_string(text_of(90, step), 90);
    bool inserted;
    uint64_t position;
    strata_bytes key = { text_of(5 + (size_t)step, step), 5 + (size_t)step };
    strata_status status = begin(at);
    if (status < 0) return status;
    STEP(bind(at, 7, &row));
    if (step == 0) STEP(strata_list_insert(&row, FRIENDS, 1, links, MANY, &at->error));
    if (step == 1) STEP(strata_collection_remove(&row, FRIENDS, 100, 1800, &at->error));
    if (step == 1) STEP(strata_list_set(&row, FRIENDS, 900, &links[3], &at->error));
    STEP(strata_set_insert(&row, TAGS, &word, &inserted, &position, &at->error));
    STEP(strata_map_set(&row, NOTES, key, &word, &at->error));
    return finish(at, status);
}

static strata_status remove_from(site *at, uint64_t first, int64_t id) {
    strata_status status = begin(at);
    if (status < 0) return status;
    for (uint64_t key = first; key < first + 10; key++) {
        STEP(strata_object_unlink(at->view, PERSON, key, &at->error));
        STEP(strata_object_delete(at->view, PERSON, key, &at->error));
    }
    STEP(add_persons(at, id, 1, 300));
    return finish(at, status);
}

static strata_status remove_objects(site *at, int step) {
    return remove_from(at, step == 0 ? 10 : 20, 5000 + step);
}

static strata_status backup(site *at, int step) {
    char path[500];
    at->lasting = true;
    return strata_store_backup(at->store, site_path(at, step == 0 ? "copy" : "small", path),
                               step == 0 ? 0 : STRATA_BACKUP_COMPACT, &at->error);
}

static strata_status backup_to(site *at, int step) {
    char path[500];
    (void)step;
    at->lasting = true;
    int file = open(site_path(at, ".stream", path), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0) {
        at->error = (strata_error){ .status = STRATA_IO, .message = "the test could not make its file" };
        return STRATA_IO;
    }
    strata_status status = strata_store_backup_to(at->store, file, &at->error);
    close(file);
    return status;
}

/* Deletes most, and then makes the file smaller. */
static strata_status compact(site *at, int step) {
    char path[500];
    strata_config config = { .size = sizeof config, .path = site_path(at, "store", path) };
    at->lasting = step == 1;
    if (step == 1) {
        site_close(at);
        return strata_compact(&config, NULL, &at->error);
    }
    strata_status status = at->store == NULL ? site_open(at) : STRATA_OK;
    if (status < 0) return status;
    return step == 0 ? remove_objects(at, 0) : small_commits(at, 1);
}

/* Nothing of it is left when it is closed. */
static strata_status in_memory(site *at, int step) {
    strata_config config = { .size = sizeof config, .memory_name = at->directory, .map_size = 1 << 28 };
    (void)step;
    strata_status status = strata_store_open(&config, &at->store, &at->error);
    STEP(strata_view_open(at->store, &at->view, &at->error));
    STEP(apply_schema(at, 0));
    STEP(begin(at));
    if (status >= 0) status = finish(at, add_persons(at, 1, 20, 100));
    site_close(at);
    return status;
}

static strata_status run_query(site *at, strata_view *view, strata_node *nodes, uint32_t node_count,
                               const strata_sort *sorts, uint32_t sort_count, uint64_t limit) {
    strata_keys keys;
    strata_stage stages[] = { { .kind = STRATA_STAGE_SORT, .keys = sorts, .key_count = sort_count },
                              { .kind = STRATA_STAGE_LIMIT, .limit = limit == 0 ? UINT64_MAX : limit } };
    strata_query query = { .size = sizeof query, .nodes = nodes, .node_count = node_count, .stages = stages,
                           .stage_count = 2 };
    if (sort_count == 0) query = (strata_query){ .size = sizeof query, .nodes = nodes, .node_count = node_count };
    strata_status status = strata_query_run(view, &query, &keys, NULL, &at->error);
    strata_keys_free(&keys);
    return status;
}

static strata_operand operand(const strata_step *path, uint32_t length) {
    return (strata_operand){ .path = path, .path_length = length };
}

static strata_status run_queries(site *at, strata_view *view) {
    strata_step id = strata_step_column(ID), name = strata_step_column(NAME), score = strata_step_column(SCORE);
    strata_step photo = strata_step_column(PHOTO), far[] = { strata_step_column(FRIENDS), score };
    strata_value ten = strata_double(10), ids[20], letter = strata_string("q", 1);
    for (int i = 0; i < 20; i++) ids[i] = strata_int(3 * i);
    strata_node above = { .op = STRATA_GREATER, .left = operand(&score, 1), .value_count = 1, .values = &ten };
    strata_node one_of = { .op = STRATA_IN, .left = operand(&id, 1), .value_count = 20, .values = ids };
    strata_node within = { .op = STRATA_GREATER, .left = operand(far, 2), .value_count = 1, .values = &ten };
    strata_node large = { .op = STRATA_CONTAINS, .left = operand(&photo, 1), .value_count = 1, .values = &letter };
    strata_node both[] = { { .op = STRATA_OR, .children = 2 }, { .op = STRATA_NOT }, above, one_of };
    strata_sort sorts[] = { { &name, 1, true }, { &score, 1, false } };
    letter.type = STRATA_DATA;
    strata_status status = run_query(at, view, &above, 1, sorts, 2, 0);
    STEP(run_query(at, view, &one_of, 1, sorts + 1, 1, 5));
    STEP(run_query(at, view, &within, 1, NULL, 0, 0));
    STEP(run_query(at, view, &large, 1, sorts, 1, 2));
    STEP(run_query(at, view, both, 4, sorts, 2, 3));
    return status;
}

/* Goes back to a copy that was made before a change. */
static strata_status replace(site *at, int step) {
    char path[500], copy[500];
    site_path(at, "store", path);
    site_path(at, "copy", copy);
    at->lasting = step == 0 || step == 2;
    if (step == 2) {
        site_close(at);
        return strata_file_replace(path, copy, &at->error);
    }
    strata_status status = at->store == NULL ? site_open(at) : STRATA_OK;
    if (status < 0) return status;
    return step == 0 ? strata_store_backup(at->store, copy, 0, &at->error) : small_commits(at, step);
}

static strata_status read_all(site *at, int step) {
    strata_store_stats stats = { .size = sizeof stats };
    strata_snapshot snapshots[4];
    strata_verify_report report;
    strata_cursor *cursor = NULL;
    strata_row row;
    uint32_t count;
    strata_view *other = NULL;
    (void)step;
    at->lasting = true;
    strata_status status = strata_view_open(at->store, &other, &at->error);
    STEP(strata_view_refresh(at->view, NULL, &at->error));
    STEP(strata_scan(other, PERSON, false, &cursor, &at->error));
    while (status == STRATA_OK) status = strata_cursor_next(cursor, &row, &at->error);
    strata_cursor_close(cursor);
    STEP(run_queries(at, other));
    STEP(strata_verify(at->view, &report, &at->error));
    STEP(strata_store_get_stats(at->store, &stats, &at->error));
    STEP(strata_store_get_snapshots(at->store, snapshots, 4, &count, &at->error));
    strata_view_close(other);
    return status;
}

static strata_status cancel(site *at, int step) {
    strata_status status = begin(at);
    if (status < 0) return status;
    STEP(add_persons(at, 7000, 100, 300));
    strata_view_cancel(at->view);
    if (status >= 0 && step == 1) status = small_commits(at, 0);
    return status;
}

static strata_status churn(site *at, int step) {
    return step % 2 == 0 ? remove_from(at, 10 + 5 * (uint64_t)step, 6000 + step) : small_commits(at, step);
}

/* A consumer gets what the steps before have committed, and notes it in the same commit as a change of its own. */
static strata_status take_commits(site *at) {
    strata_feed *feed = NULL;
    strata_commit *record = NULL;
    strata_token token;
    strata_status status = strata_feed_open_consumer(at->store, "reader", &feed, &at->error);
    while (status == STRATA_OK) {
        status = strata_feed_next(feed, &record, &at->error);
        strata_commit_free(record);
        record = NULL;
    }
    STEP(strata_feed_token(feed, &token, &at->error));
    strata_feed_close(feed);
    STEP(begin(at));
    if (status < 0) return status;
    STEP(add_persons(at, 8000, 2, 30));
    STEP(strata_consumer_advance(at->view, "reader", &token, &at->error));
    return finish(at, status);
}

static strata_status consume(site *at, int step) {
    if (step == 1 || step == 2) return small_commits(at, step);
    if (step == 3) return take_commits(at);
    strata_status status = begin(at);
    if (status < 0) return status;
    STEP(strata_consumer_register(at->view, "reader", 0, &at->error));
    return finish(at, status);
}

const workload workloads[] = {
    { "create", true, false, 3, create },         { "open", false, false, 1, open_existing },
    { "small", false, true, 3, small_commits },   { "bulk", false, true, 2, bulk },
    { "schema", false, true, 2, change_schema },  { "clear", false, true, 2, clear },
    { "blobs", false, true, 3, blobs },           { "lists", false, true, 2, edit_lists },
    { "objects", false, true, 2, remove_objects },{ "backup", false, true, 2, backup },
    { "stream", false, true, 1, backup_to },      { "compact", false, false, 3, compact },
    { "read", false, true, 1, read_all },         { "cancel", false, true, 2, cancel },
    { "churn", false, true, 6, churn },           { "memory", true, false, 1, in_memory },
    { "flush", false, true, 3, flush },           { "consume", false, true, 4, consume },
    { "migrate", false, true, 2, migrate_and_copy },{ "refill", false, true, 8, refill },
    { "replace", false, false, 4, replace },
};
const int workload_count = (int)(sizeof workloads / sizeof workloads[0]);

/* ---- Making room ------------------------------------------------------ */

static strata_status delete_everything(site *at) {
    uint32_t tables[] = { PERSON, NOTE };
    strata_status status = begin(at);
    if (status < 0) return status;
    STEP(strata_tables_clear(at->view, tables, 2, &at->error));
    return finish(at, status);
}

static strata_status add_notes(site *at, int count) {
    uint64_t key, size = 0;
    strata_value text = strata_string(text_of(5000, count), 5000);
    strata_status status = begin(at);
    if (status < 0) return status;
    for (int i = 0; i < count; i++) STEP(strata_object_create(at->view, NOTE, &text, 1, &key, &at->error));
    status = finish(at, status);
    STEP(strata_table_size(at->view, NOTE, &size, &at->error));
    if (status >= 0) CHECK_EQ(size, count);
    return status;
}

strata_status workload_make_room(site *at) {
    strata_verify_report report;
    strata_status status = at->store == NULL ? site_open(at) : STRATA_OK;
    STEP(begin(at));
    if (status >= 0) strata_view_cancel(at->view);
    if (status == STRATA_POISONED) { /* the one way to go on is to open the file anew */
        site_close(at);
        status = site_open(at);
    }
    if (status >= 0 && strata_table_count(at->view) == 0) status = apply_schema(at, 0);
    STEP(delete_everything(at));
    STEP(add_notes(at, 100));
    STEP(strata_verify(at->view, &report, &at->error));
    return status;
}

/* ---- Running ---------------------------------------------------------- */

static void must(site *at, strata_status status, const char *what) {
    char text[700];
    if (status >= 0) return;
    snprintf(text, sizeof text, "%s: %s (%s)", what, strata_status_name(status), at->error.message);
    ctest_fail(__FILE__, __LINE__, text);
}

void workload_prepare(const workload *what, site *at) {
    if (what->fresh) return;
    must(at, site_open(at), "opening");
    must(at, apply_schema(at, 0), "the schema");
    must(at, begin(at), "beginning");
    must(at, finish(at, add_persons(at, 1, PERSONS, 60)), "the first objects");
    for (int i = 0; i < 3; i++) must(at, small_commits(at, i), "a small commit"); /* so that there are free pages */
    site_close(at);
}

void workload_run(const workload *what, site *at, world *out) {
    workload_prepare(what, at);
    must(at, world_read(at, &out[0], &at->error), "looking at the beginning");
    if (what->open_first) must(at, site_open(at), "opening");
    for (int step = 0; step < what->steps; step++) {
        must(at, what->step(at, step), what->name);
        must(at, world_read(at, &out[step + 1], &at->error), "looking at the result");
    }
    site_close(at);
}
