/* SPDX-License-Identifier: MIT
 *
 * test_missing_addresses.c -- each address and each handle that a function of the headers takes and that must be there,
 * missing, one at a time: STRATA_MISUSE with a message, or nothing, 0 or NULL from functions without a status. Left out
 * are outputs, addresses of rows, cursors, and what is compiled into programs: see strata.h. Arrays beside a count are
 * in test_missing_arrays.c. */
#include <stdio.h>

#include "strata_blob.h"
#include "strata_decimal.h"
#include "strata_facet.h"
#include "strata_mixed.h"
#include "strata_observer.h"
#include "strata_predicate.h"
#include "strata_prepared.h"
#include "strata_queue.h"
#include "support/strata_support.h"

/* Person: name (string), age (int, indexed), friend, friends (list), tags (set of strings), notes (map of strings),
 * any (mixed), bytes (data), code (string, primary key), home (a Place); Place: type (string), coordinates (list of
 * doubles), embedded */
enum { PERSON, PLACE };
enum { NAME, AGE, FRIEND, FRIENDS, TAGS, NOTES, ANY, BYTES, CODE, HOME };

static strata_error told;

/* Fails unless the call that was just made is a misuse, and says which. */
static void is_misuse(strata_status status, const char *call, int line) {
    char text[700];
    bool said = status == STRATA_MISUSE && told.status == STRATA_MISUSE && told.message[0] != 0;
    if (!said) {
        snprintf(text, sizeof text, "%s is %s: %s", call, strata_status_name(status), told.message);
        ctest_fail(__FILE__, line, text);
    }
    told = (strata_error){ .status = STRATA_OK };
}
#define MISSING(...) is_misuse((__VA_ARGS__), #__VA_ARGS__, __LINE__)
/* Of a function without an error. */
#define MISSING_(call) CHECK_EQ((call), STRATA_MISUSE)

static const strata_column_spec person_columns[] = {
    { "name", STRATA_STRING, STRATA_SINGLE, STRATA_COLUMN_NULLABLE, NULL },
    { "age", STRATA_INT, STRATA_SINGLE, STRATA_COLUMN_INDEXED, NULL },
    { "friend", STRATA_LINK, STRATA_SINGLE, 0, "Person" },
    { "friends", STRATA_LINK, STRATA_LIST, 0, "Person" },
    { "tags", STRATA_STRING, STRATA_SET, 0, NULL },
    { "notes", STRATA_STRING, STRATA_MAP, 0, NULL },
    { "any", STRATA_MIXED, STRATA_SINGLE, 0, NULL },
    { "bytes", STRATA_DATA, STRATA_SINGLE, 0, NULL },
    { "code", STRATA_STRING, STRATA_SINGLE, STRATA_COLUMN_PRIMARY, NULL },
    { "home", STRATA_LINK, STRATA_SINGLE, 0, "Place" },
};
static const strata_column_spec place_columns[] = {
    { "type", STRATA_STRING, STRATA_SINGLE, 0, NULL },
    { "coordinates", STRATA_DOUBLE, STRATA_LIST, 0, NULL },
};
static const strata_table_spec declared[] = {
    { "Person", 0, 10, person_columns, NULL, 0 },
    { "Place", STRATA_TABLE_EMBEDDED, 2, place_columns, NULL, 0 },
};

static fixture *open_people(void) {
    fixture *f = fixture_open("people");
    MUST(apply(f, 1, declared, 2));
    MUST(strata_view_begin(f->view, &f->error));
    ADD(PERSON, value_of("Ann"), strata_int(30));
    MUST(strata_view_commit(f->view, &f->error));
    return f;
}

/* ---- Stores and views ------------------------------------------------- */

static void granted(void *context, strata_status status, const strata_error *error) {
    (void)context, (void)status, (void)error;
}

void test_missing_stores(void) {
    fixture *f = open_people();
    strata_store *store;
    strata_view *view;
    strata_feed *feed;
    strata_waiter *waiter;
    strata_queued_write *queued;
    strata_token token;
    int descriptor;
    uint32_t count;
    strata_store_stats stats = strata_store_stats_blank();
    MISSING(strata_store_open(NULL, &store, &told));
    MISSING(strata_store_flush(NULL, &told));
    MISSING(strata_store_get_stats(NULL, &stats, &told));
    MISSING(strata_store_get_stats(f->store, NULL, &told));
    MISSING(strata_store_get_snapshots(NULL, NULL, 0, &count, &told));
    MISSING(strata_store_get_snapshots(f->store, NULL, 1, &count, &told));
    CHECK_EQ(strata_store_newest(NULL), 0);
    CHECK_TEXT(strata_store_path(NULL), "");
    strata_store_close(NULL);
    MISSING(strata_store_backup(NULL, ctest_path("copy"), 0, &told));
    MISSING(strata_store_backup(f->store, NULL, 0, &told));
    MISSING(strata_store_backup_to(NULL, 1, &told));
    MISSING(strata_compact(NULL, NULL, &told));
    MISSING(strata_file_delete(NULL, &told));
    MISSING(strata_file_replace(NULL, ctest_path("people"), &told));
    MISSING(strata_file_replace(ctest_path("people"), NULL, &told));
    MISSING(strata_salvage(NULL, ctest_path("saved"), NULL, NULL, &told));
    MISSING(strata_salvage(ctest_path("people"), NULL, NULL, NULL, &told));
    MISSING(strata_view_open(NULL, &view, &told));
    MUST(strata_view_token(f->view, &token, &f->error));
    MISSING(strata_store_wait(NULL, &token, 0, NULL, &told));
    MISSING(strata_store_wait(f->store, NULL, 0, NULL, &told));
    MISSING(strata_feed_open(NULL, &feed, &told));
    MISSING(strata_feed_open_oldest(NULL, &feed, &told));
    MISSING(strata_feed_open_after(NULL, &token, &feed, &told));
    MISSING(strata_feed_open_after(f->store, NULL, &feed, &told));
    MISSING(strata_feed_open_consumer(NULL, "c", &feed, &told));
    MISSING(strata_feed_open_consumer(f->store, NULL, &feed, &told));
    MISSING(strata_store_request(NULL, 0, granted, granted, NULL, &queued, &told));
    MISSING(strata_store_request(f->store, 0, NULL, granted, NULL, &queued, &told));
    strata_queued_write_cancel(NULL);
    strata_queued_write_free(NULL);
    MUST(strata_waiter_open(&waiter, &f->error));
    MISSING(strata_waiter_add(NULL, f->store, &told));
    MISSING(strata_waiter_add(waiter, NULL, &told));
    MISSING(strata_waiter_next(NULL, 0, &store, &told));
    MISSING(strata_waiter_descriptor(NULL, &descriptor, &told));
    strata_waiter_remove(NULL, f->store);
    strata_waiter_remove(waiter, NULL);
    strata_waiter_wake(NULL);
    strata_waiter_close(NULL);
    strata_waiter_close(waiter);
    fixture_close(f);
}

void test_missing_views(void) {
    fixture *f = open_people();
    strata_view *view;
    strata_token token;
    strata_consumer consumer = strata_consumer_blank();
    MISSING(strata_view_freeze(NULL, &view, &told));
    MISSING(strata_view_open_frozen(NULL, &view, &told));
    MISSING(strata_view_adopt(NULL, &told));
    MISSING(strata_view_refresh(NULL, NULL, &told));
    MISSING(strata_view_begin(NULL, &told));
    MISSING(strata_view_begin_within(NULL, 0, &told));
    MISSING(strata_view_begin_granted(NULL, NULL, &told));
    MISSING(strata_view_begin_granted(f->view, NULL, &told));
    MISSING(strata_view_commit(NULL, &told));
    MISSING(strata_view_copy(NULL, ctest_path("copy"), &told));
    MISSING(strata_view_copy(f->view, NULL, &told));
    MISSING(strata_view_set_interrupt(NULL, NULL, &told));
    MISSING(strata_verify(NULL, NULL, &told));
    strata_view_close(NULL);
    strata_view_rest(NULL);
    strata_view_cancel(NULL);
    strata_view_set_label(NULL, "label");
    strata_view_set_label(f->view, NULL);
    CHECK(!strata_view_is_writing(NULL));
    CHECK(!strata_view_is_newest(NULL));
    CHECK_EQ(strata_view_version(NULL), 0);
    MISSING(strata_view_token(NULL, &token, &told));
    MUST(strata_view_token(f->view, &token, &f->error));
    MUST(strata_view_begin(f->view, &f->error));
    MUST(strata_consumer_register(f->view, "c", 0, &f->error));
    MISSING(strata_consumer_register(NULL, "c", 0, &told));
    MISSING(strata_consumer_register(f->view, NULL, 0, &told));
    MISSING(strata_consumer_advance(NULL, "c", &token, &told));
    MISSING(strata_consumer_advance(f->view, NULL, &token, &told));
    MISSING(strata_consumer_advance(f->view, "c", NULL, &told));
    MISSING(strata_consumer_remove(NULL, "c", &told));
    MISSING(strata_consumer_remove(f->view, NULL, &told));
    MISSING(strata_consumer_next(NULL, "c", &consumer, &told));
    MISSING(strata_history_keep(NULL, 0, NULL, &told));
    strata_view_cancel(f->view);
    fixture_close(f);
}

void test_missing_commits(void) {
    strata_commit_info info = strata_commit_info_blank();
    strata_commit *commit;
    strata_delta delta;
    strata_token token;
    char text[STRATA_TOKEN_TEXT];
    memset(text, 'x', sizeof text);
    MISSING(strata_commit_get_info(NULL, &info, &told));
    MISSING(strata_commit_next(NULL, &delta, &told));
    strata_commit_rewind(NULL);
    strata_commit_free(NULL);
    MISSING(strata_feed_next(NULL, &commit, &told));
    MISSING(strata_feed_token(NULL, &token, &told));
    strata_feed_close(NULL);
    MISSING(strata_token_parse(NULL, STRATA_TOKEN_TEXT - 1, &token, &told));
    CHECK_EQ(strata_token_version(NULL), 0);
    strata_token_text(NULL, text);
    CHECK_TEXT(text, "");
}

/* ---- Schemas ---------------------------------------------------------- */

static strata_status change_one(fixture *f, strata_change_kind kind, const char *table, const char *column,
                                const char *new_name) {
    strata_schema_change change = { kind, table, column, new_name };
    return strata_schema_migrate(f->view, &change, 1, NULL, 0, 2, &told);
}

static void missing_in_changes(fixture *f) {
    MISSING(change_one(f, STRATA_RENAME_TABLE, NULL, NULL, "People"));
    MISSING(change_one(f, STRATA_RENAME_TABLE, "Person", NULL, NULL));
    MISSING(change_one(f, STRATA_RENAME_COLUMN, NULL, "name", "title"));
    MISSING(change_one(f, STRATA_RENAME_COLUMN, "Person", NULL, "title"));
    MISSING(change_one(f, STRATA_RENAME_COLUMN, "Person", "name", NULL));
    MISSING(change_one(f, STRATA_DROP_TABLE, NULL, NULL, NULL));
    MISSING(change_one(f, STRATA_DROP_COLUMN, NULL, "name", NULL));
    MISSING(change_one(f, STRATA_DROP_COLUMN, "Person", NULL, NULL));
}

void test_missing_schemas(void) {
    fixture *f = open_people();
    uint32_t number;
    strata_table_info table;
    strata_column_info column;
    strata_index_info index;
    strata_schema_record record;
    strata_differences *differences;
    strata_difference difference;
    MISSING(strata_schema_apply(NULL, declared, 2, 1, &told));
    MISSING(strata_schema_apply(f->view, NULL, 2, 1, &told));
    MISSING(strata_schema_apply_sized(f->view, declared, 2, 1, NULL, &told));
    MISSING(strata_schema_migrate(NULL, NULL, 0, declared, 2, 2, &told));
    MISSING(strata_schema_migrate(f->view, NULL, 1, declared, 2, 2, &told));
    MISSING(strata_schema_migrate(f->view, NULL, 0, NULL, 2, 2, &told));
    MISSING(strata_schema_migrate_sized(f->view, NULL, 0, declared, 2, 2, NULL, &told));
    missing_in_changes(f);
    MISSING(strata_differences_find(NULL, declared, 2, &differences, &told));
    MISSING(strata_differences_find(f->view, NULL, 2, &differences, &told));
    MISSING(strata_differences_find_sized(f->view, declared, 2, NULL, &differences, &told));
    MISSING_(strata_differences_get(NULL, 0, &difference));
    CHECK_EQ(strata_differences_count(NULL), 0);
    strata_differences_free(NULL);
    MISSING(strata_migration_begin(NULL, declared, 2, 2, &told));
    MISSING(strata_migration_begin(f->view, NULL, 2, 2, &told));
    MISSING(strata_migration_begin_sized(f->view, declared, 2, 2, NULL, &told));
    MUST(strata_migration_begin(f->view, declared, 2, 2, &f->error));
    strata_migration_failures failures;
    MISSING(strata_migration_check(NULL, declared, 2, 0, &failures, &told));
    MISSING(strata_migration_check(f->view, NULL, 2, 0, &failures, &told));
    MISSING(strata_migration_check_sized(f->view, declared, 2, 0, NULL, &failures, sizeof failures, &told));
    MISSING(strata_migration_change(NULL, &(strata_schema_change){ STRATA_DROP_TABLE, "Place", NULL, NULL }, &told));
    MISSING(strata_migration_change(f->view, NULL, &told));
    MISSING(strata_migration_finish(NULL, NULL, 0, declared, 2, NULL, &told));
    MISSING(strata_migration_finish(f->view, NULL, 1, declared, 2, NULL, &told));
    MISSING(strata_migration_finish(f->view, NULL, 0, NULL, 2, NULL, &told));
    MISSING(strata_migration_finish_sized(f->view, NULL, 0, declared, 2, NULL, NULL, &told));
    strata_view_cancel(f->view);
    MISSING(strata_schema_history(NULL, 0, &record, &told));
    CHECK_EQ(strata_schema_hash(NULL), 0);
    CHECK(strata_schema_version(NULL) == STRATA_NO_SCHEMA);
    CHECK_EQ(strata_table_count(NULL), 0);
    MISSING_(strata_table_find(NULL, "Person", &number));
    CHECK(number == UINT32_MAX);
    MISSING_(strata_table_find(f->view, NULL, &number));
    MISSING_(strata_table_get(NULL, 0, &table));
    MISSING_(strata_column_find(NULL, 0, "name", &number));
    MISSING_(strata_column_find(f->view, 0, NULL, &number));
    MISSING_(strata_column_get(NULL, 0, 0, &column));
    MISSING_(strata_index_get(NULL, 0, 0, &index));
    fixture_close(f);
}

/* ---- Objects and collections ------------------------------------------ */

static const strata_bytes no_bytes = { NULL, 3 }, a_key = { "a", 1 };

/* A value whose bytes are missing. */
static strata_value no_text(void) { return strata_string(NULL, 3); }
static strata_value no_data(void) { return strata_data(NULL, 3); }

void test_missing_objects(void) {
    fixture *f = open_people();
    strata_view *v = f->view;
    uint64_t key;
    strata_row none = { .block = NULL }, rows[1], row;
    strata_value out, text = no_text(), data = no_data(), number = strata_int(1);
    size_t size;
    uint8_t buffer[8];
    MUST(strata_view_begin(v, &f->error));
    MUST(strata_row_bind(v, PERSON, 1, &row, &f->error));
    MISSING(strata_object_create(NULL, PERSON, NULL, 0, &key, &told));
    MISSING(strata_object_create(v, PERSON, NULL, 1, &key, &told));
    MISSING(strata_object_create(v, PERSON, &text, 1, &key, &told));
    MISSING(strata_object_find(NULL, PERSON, &number, &key, &told));
    MISSING(strata_object_find(v, PERSON, NULL, &key, &told));
    MISSING(strata_object_find(v, PERSON, &text, &key, &told));
    MISSING(strata_object_delete(NULL, PERSON, 1, &told));
    MISSING(strata_object_unlink(NULL, PERSON, 1, &told));
    MISSING(strata_object_remove(NULL, PERSON, 1, &told));
    MISSING(strata_tables_clear(NULL, (uint32_t[]){ PERSON }, 1, &told));
    MISSING(strata_tables_clear(v, NULL, 1, &told));
    MISSING(strata_table_size(NULL, PERSON, &key, &told));
    MISSING(strata_row_bind(NULL, PERSON, 1, rows, &told));
    MISSING(strata_rows_bind(NULL, PERSON, (uint64_t[]){ 1 }, 1, rows, &told));
    MISSING(strata_rows_bind(v, PERSON, NULL, 1, rows, &told));
    MISSING(strata_row_read(&none, NAME, 0, buffer, 8, &size, &told));
    MISSING(strata_row_get(&none, NAME, &out, &told));
    MISSING(strata_row_set(&none, NAME, &number, &told));
    MISSING(strata_row_set(&row, NAME, NULL, &told));
    MISSING(strata_row_set(&row, NAME, &text, &told));
    MISSING(strata_row_set(&row, ANY, &text, &told));
    MISSING(strata_row_set(&row, ANY, &data, &told));
    MISSING(strata_row_set(&row, BYTES, &data, &told));
    MISSING_(strata_row_reload(&none));
    MISSING(strata_blob_size(&none, NAME, &key, &told));
    MISSING(strata_blob_read(&none, NAME, 0, buffer, 8, &size, &told));
    MISSING(strata_blob_write(&none, NAME, 0, "a", 1, &told));
    MISSING(strata_blob_write(&row, NAME, 0, NULL, 1, &told));
    MISSING(strata_blob_append(&none, NAME, "a", 1, &told));
    MISSING(strata_blob_append(&row, NAME, NULL, 1, &told));
    MISSING(strata_blob_truncate(&none, NAME, 0, &told));
    strata_view_cancel(v);
    fixture_close(f);
}

void test_missing_elements(void) {
    fixture *f = open_people();
    uint64_t number;
    size_t size;
    uint8_t buffer[8];
    bool inserted;
    strata_row none = { .block = NULL }, row;
    strata_bytes key;
    strata_keys keys;
    strata_value out, value = value_of("x"), text = no_text();
    MUST(strata_view_begin(f->view, &f->error));
    MUST(strata_row_bind(f->view, PERSON, 1, &row, &f->error));
    MUST(strata_set_insert(&row, TAGS, &value, &inserted, NULL, &f->error));
    MUST(insert_keys(&row, FRIENDS, 0, (uint64_t[]){ 1 }, 1, &f->error));
    MISSING(strata_collection_size(&none, TAGS, &number, &told));
    MISSING(strata_collection_get(&none, TAGS, 0, 1, &out, &told));
    MISSING(strata_collection_read(&none, TAGS, 0, 0, buffer, 8, &size, &told));
    MISSING(strata_collection_find(&none, TAGS, &value, 0, &number, &told));
    MISSING(strata_collection_find(&row, TAGS, NULL, 0, &number, &told));
    MISSING(strata_collection_find(&row, TAGS, &text, 0, &number, &told));
    MISSING(strata_collection_remove(&none, TAGS, 0, 1, &told));
    MISSING(strata_list_insert(&none, FRIENDS, 0, &value, 1, &told));
    MISSING(strata_list_insert(&row, FRIENDS, 0, NULL, 1, &told));
    MISSING(strata_list_set(&none, FRIENDS, 0, &value, &told));
    MISSING(strata_list_set(&row, FRIENDS, 0, NULL, &told));
    MISSING(strata_set_insert(&none, TAGS, &value, NULL, NULL, &told));
    MISSING(strata_set_insert(&row, TAGS, NULL, NULL, NULL, &told));
    MISSING(strata_set_insert(&row, TAGS, &text, NULL, NULL, &told));
    MISSING(strata_set_insert_all(&none, TAGS, &value, 1, &number, &told));
    MISSING(strata_set_insert_all(&row, TAGS, NULL, 1, &number, &told));
    MISSING(strata_set_insert_all(&row, TAGS, &text, 1, &number, &told));
    MISSING(strata_map_find(&none, NOTES, a_key, &number, &told));
    MISSING(strata_map_find(&row, NOTES, no_bytes, &number, &told));
    MISSING(strata_map_keys(&none, NOTES, 0, 0, &key, &told));
    MISSING(strata_map_set(&none, NOTES, a_key, &value, &told));
    MISSING(strata_map_set(&row, NOTES, no_bytes, &value, &told));
    MISSING(strata_map_set(&row, NOTES, a_key, NULL, &told));
    MISSING(strata_map_set(&row, NOTES, a_key, &text, &told));
    MISSING(strata_map_set_all(&none, NOTES, &a_key, &value, 1, &told));
    MISSING(strata_map_set_all(&row, NOTES, NULL, &value, 1, &told));
    MISSING(strata_map_set_all(&row, NOTES, &no_bytes, &value, 1, &told));
    MISSING(strata_map_set_all(&row, NOTES, &a_key, NULL, 1, &told));
    MISSING(strata_map_set_all(&row, NOTES, &a_key, &text, 1, &told));
    MISSING(strata_collection_order(&none, TAGS, 0, &keys, &told));
    MISSING(strata_collection_select(&none, TAGS, NULL, 0, &keys, &told));
    MISSING(strata_collection_select(&row, TAGS, NULL, 1, &keys, &told));
    MISSING(strata_collection_total(&none, TAGS, STRATA_COUNT, &out, &told));
    strata_view_cancel(f->view);
    fixture_close(f);
}

/* ---- Values ----------------------------------------------------------- */

void test_missing_values(void) {
    strata_value value = strata_int(1), text = no_text(), out;
    strata_nested *n = strata_nested_make();
    strata_nested_iterator iterator;
    strata_decimal decimal;
    MISSING(strata_nested_begin_list(NULL, NULL, &told));
    MISSING(strata_nested_begin_map(NULL, NULL, &told));
    MISSING(strata_nested_append(NULL, &value, &told));
    MISSING(strata_nested_put(NULL, a_key, &value, &told));
    MISSING(strata_nested_end(NULL, &told));
    MISSING(strata_nested_finish(NULL, &out, &told));
    strata_nested_reset(NULL);
    strata_nested_free(NULL);
    MISSING(strata_nested_append(n, NULL, &told));
    CHECK_EQ(strata_nested_begin_list(n, NULL, &told), STRATA_OK);
    MISSING(strata_nested_append(n, NULL, &told));
    MISSING(strata_nested_append(n, &text, &told));
    CHECK_EQ(strata_nested_begin_map(n, NULL, &told), STRATA_OK);
    MISSING(strata_nested_put(n, no_bytes, &value, &told));
    MISSING(strata_nested_put(n, a_key, NULL, &told));
    MISSING(strata_nested_put(n, a_key, &text, &told));
    MISSING(strata_nested_begin_list(n, NULL, &told));
    MISSING(strata_nested_begin_map(n, NULL, &told));
    MISSING(strata_nested_begin_list(n, &no_bytes, &told));
    MISSING(strata_nested_begin_map(n, &no_bytes, &told));
    strata_nested_free(n);
    MISSING(strata_nested_open(no_bytes, &iterator, &told));
    CHECK_EQ(strata_mixed_compare(NULL, NULL), 0);
    CHECK_EQ(strata_mixed_compare(&value, NULL), 0);
    CHECK_EQ(strata_mixed_compare(NULL, &value), 0);
    MISSING(strata_decimal_parse(NULL, 3, &decimal, &told));
}

/* ---- Queries ---------------------------------------------------------- */

static strata_status check_node(fixture *f, strata_operator op, uint32_t column, const strata_value *value) {
    strata_query query = strata_query_blank();
    strata_node node = { .op = op, .left = path_of(column), .value_count = value != NULL, .values = value };
    query.nodes = &node;
    query.node_count = 1;
    return strata_query_check(f->view, &query, &told);
}

static void missing_in_nodes(fixture *f) {
    strata_value text = no_text(), data = no_data();
    MISSING(check_node(f, STRATA_WITHIN, HOME, NULL)); /* without a shape */
    MISSING(check_node(f, STRATA_LIKE, NAME, &text));
    MISSING(check_node(f, STRATA_EQUAL, BYTES, &data));
    MISSING(check_node(f, STRATA_EQUAL, ANY, &text));
    MISSING(check_node(f, STRATA_EQUAL, ANY, &data));
}

static void missing_in_bookmarks(fixture *f) {
    const strata_step step = strata_step_column(NAME);
    const strata_sort by_name = { &step, 1, false };
    const strata_stage sorted = { STRATA_STAGE_SORT, 1, &by_name, 0, 0 };
    const strata_value text = no_text();
    strata_query query = strata_query_blank();
    query.stages = &sorted;
    query.stage_count = 1;
    query.after = &(strata_bookmark){ &text, 1, 1 };
    MISSING(strata_query_check(f->view, &query, &told));
}

static void missing_in_groups(fixture *f, const strata_query *query) {
    strata_groups groups;
    strata_facet facet;
    strata_step step = strata_step_column(AGE);
    strata_facet_options options = strata_facet_options_blank();
    strata_sort no_path = { NULL, 1, false };
    MISSING(strata_query_group(NULL, query, NULL, 0, NULL, 0, &groups, NULL, &told));
    MISSING(strata_query_group(f->view, NULL, NULL, 0, NULL, 0, &groups, NULL, &told));
    MISSING(strata_query_group(f->view, query, &no_path, 1, NULL, 0, &groups, NULL, &told));
    strata_groups_free(NULL);
    MISSING(strata_query_facet(NULL, query, &step, 1, &options, &facet, &told));
    MISSING(strata_query_facet(f->view, NULL, &step, 1, &options, &facet, &told));
    MISSING(strata_query_facet(f->view, query, NULL, 1, &options, &facet, &told));
    MISSING(strata_query_facet(f->view, query, &step, 1, NULL, &facet, &told));
    strata_facet_free(NULL);
}

static void missing_interrupts(void) {
    strata_interrupt_free(NULL);
    strata_interrupt_stop(NULL);
    strata_interrupt_after(NULL, 1);
    strata_interrupt_after_steps(NULL, 1);
    strata_interrupt_after_bytes(NULL, 1);
    strata_interrupt_reset(NULL);
    CHECK_EQ(strata_interrupt_steps(NULL), 0);
}

void test_missing_queries(void) {
    fixture *f = open_people();
    strata_query query = strata_query_blank();
    strata_keys keys;
    uint64_t count, position;
    strata_cursor *cursor;
    strata_query_cursor *opened;
    missing_in_nodes(f);
    missing_in_bookmarks(f);
    missing_in_groups(f, &query);
    missing_interrupts();
    MISSING(strata_query_run(NULL, &query, &keys, NULL, &told));
    MISSING(strata_query_run(f->view, NULL, &keys, NULL, &told));
    MISSING(strata_query_count(NULL, &query, &count, NULL, &told));
    MISSING(strata_query_count(f->view, NULL, &count, NULL, &told));
    MISSING(strata_query_check(NULL, &query, &told));
    MISSING(strata_query_check(f->view, NULL, &told));
    MISSING(strata_query_open(NULL, &query, &opened, &told));
    MISSING(strata_query_open(f->view, NULL, &opened, &told));
    MISSING(strata_nested_select(NULL, PERSON, ANY, a_key, NULL, 0, &keys, &told));
    MISSING(strata_nested_select(f->view, PERSON, ANY, no_bytes, NULL, 0, &keys, &told));
    MISSING_(strata_keys_find(NULL, 1, 0, &position));
    MISSING_(strata_keys_find(&(strata_keys){ NULL, 3 }, 1, 0, &position));
    strata_keys_free(NULL);
    strata_query_close(NULL);
    strata_cursor_close(NULL);
    strata_value text = no_text();
    MISSING(strata_scan(NULL, PERSON, false, &cursor, &told));
    MISSING(strata_index_scan(NULL, PERSON, AGE, NULL, false, &cursor, &told));
    MISSING(strata_index_scan(f->view, PERSON, CODE, &(strata_range){ .low = &text }, false, &cursor, &told));
    MISSING(strata_backlinks(NULL, PERSON, 1, PERSON, FRIEND, &cursor, &told));
    MISSING(strata_backlinks_count(NULL, PERSON, 1, PERSON, FRIEND, &count, &told));
    fixture_close(f);
}

void test_missing_prepared(void) {
    fixture *f = open_people();
    strata_query query = strata_query_blank();
    strata_step step = strata_step_column(AGE);
    strata_node node = { .op = STRATA_EQUAL, .options = STRATA_PARAMETERS, .left = { .path = &step, .path_length = 1 },
                         .value_count = 1 };
    strata_prepared *prepared;
    strata_query_cache *cache;
    strata_query_cursor *opened;
    strata_keys keys;
    uint64_t count;
    strata_value age = strata_int(1);
    query.nodes = &node;
    query.node_count = 1;
    MISSING(strata_query_prepare(NULL, &query, &prepared, &told));
    MISSING(strata_query_prepare(f->view, NULL, &prepared, &told));
    MUST(strata_query_prepare(f->view, &query, &prepared, &f->error));
    MISSING(strata_prepared_count(NULL, f->view, &age, 1, &count, NULL, &told));
    MISSING(strata_prepared_count(prepared, NULL, &age, 1, &count, NULL, &told));
    MISSING(strata_prepared_count(prepared, f->view, NULL, 1, &count, NULL, &told));
    MISSING(strata_prepared_run(NULL, f->view, &age, 1, &keys, NULL, &told));
    MISSING(strata_prepared_run(prepared, NULL, &age, 1, &keys, NULL, &told));
    MISSING(strata_prepared_run(prepared, f->view, NULL, 1, &keys, NULL, &told));
    MISSING(strata_prepared_open(NULL, f->view, &age, 1, &opened, &told));
    MISSING(strata_prepared_open(prepared, NULL, &age, 1, &opened, &told));
    MISSING(strata_prepared_open(prepared, f->view, NULL, 1, &opened, &told));
    CHECK_EQ(strata_prepared_parameters(NULL), 0);
    strata_prepared_free(NULL);
    strata_prepared_free(prepared);
    query = strata_query_blank();
    MUST(strata_query_cache_make(&cache, &f->error));
    MISSING(strata_query_cache_run(NULL, f->view, &query, &keys, NULL, &told));
    MISSING(strata_query_cache_run(cache, NULL, &query, &keys, NULL, &told));
    MISSING(strata_query_cache_run(cache, f->view, NULL, &keys, NULL, &told));
    MISSING(strata_query_cache_count(NULL, f->view, &query, &count, NULL, &told));
    MISSING(strata_query_cache_count(cache, NULL, &query, &count, NULL, &told));
    MISSING(strata_query_cache_count(cache, f->view, NULL, &count, NULL, &told));
    CHECK_EQ(strata_query_cache_prepared(NULL), 0);
    strata_query_cache_free(NULL);
    strata_query_cache_free(cache);
    fixture_close(f);
}

static void missing_in_arguments(void) {
    strata_predicate *p;
    const strata_argument no_shape = { .kind = STRATA_ARGUMENT_SHAPE }, text = { .value = no_text() };
    MISSING(strata_predicate_parse(NULL, 3, NULL, 0, &p, &told));
    MISSING(strata_predicate_parse("a IN %@", 7, &no_shape, 1, &p, &told));
    MISSING(strata_predicate_parse("%K == 1", 7, &text, 1, &p, &told));
}

void test_missing_predicates(void) {
    fixture *f = open_people();
    strata_predicate *p;
    strata_condition *c;
    strata_alias unnamed = { PERSON, NULL, strata_step_column(AGE) };
    missing_in_arguments();
    MUST(strata_predicate_parse("age == 1", 8, NULL, 0, &p, &f->error));
    MISSING(strata_predicate_resolve(NULL, f->view, PERSON, NULL, 0, &c, &told));
    MISSING(strata_predicate_resolve(p, NULL, PERSON, NULL, 0, &c, &told));
    MISSING(strata_predicate_resolve(p, f->view, PERSON, NULL, 1, &c, &told));
    MISSING(strata_predicate_resolve(p, f->view, PERSON, &unnamed, 1, &c, &told));
    CHECK(!strata_predicate_equal(NULL, p));
    CHECK(!strata_predicate_equal(p, NULL));
    CHECK_EQ(strata_predicate_print(NULL, NULL, 0), 0);
    char text[9] = "x";
    CHECK_EQ(strata_predicate_print(NULL, text, sizeof text), 0);
    CHECK_TEXT(text, "");
    strata_predicate_free(p);
    MUST(strata_predicate_parse("SELF == 'x'", 11, NULL, 0, &p, &f->error));
    MISSING(strata_predicate_resolve_values(NULL, f->view, PERSON, TAGS, NULL, 0, &c, &told));
    MISSING(strata_predicate_resolve_values(p, NULL, PERSON, TAGS, NULL, 0, &c, &told));
    MISSING(strata_predicate_resolve_values(p, f->view, PERSON, TAGS, NULL, 1, &c, &told));
    MISSING(strata_predicate_resolve_values(p, f->view, PERSON, TAGS, &unnamed, 1, &c, &told));
    strata_predicate_free(NULL);
    strata_predicate_free(p);
    strata_condition_free(NULL);
    fixture_close(f);
}

/* ---- Observers -------------------------------------------------------- */

static void missing_paths(fixture *f, strata_observers *all) {
    strata_observer *observer;
    strata_query query = strata_query_blank();
    strata_key_path no_steps = { NULL, 1 };
    strata_key_paths none = { .count = 1 }, one = { .paths = &no_steps, .count = 1 };
    MISSING(strata_observe_query(NULL, &query, NULL, NULL, &observer, &told));
    MISSING(strata_observe_query(all, NULL, &none, NULL, &observer, &told));
    MISSING(strata_observe_query(all, &query, NULL, NULL, &observer, &told));
    MISSING(strata_observe_query(all, &query, &none, NULL, &observer, &told));
    MISSING(strata_observe_query(all, &query, &one, NULL, &observer, &told));
    MISSING(strata_observe_collection(NULL, PERSON, 1, FRIENDS, &one, NULL, &observer, &told));
    MISSING(strata_observe_collection(all, PERSON, 1, FRIENDS, NULL, NULL, &observer, &told));
    MISSING(strata_observe_collection(all, PERSON, 1, FRIENDS, &none, NULL, &observer, &told));
    MISSING(strata_observe_object(NULL, PERSON, 1, &one, NULL, &observer, &told));
    MISSING(strata_observe_object(all, PERSON, 1, NULL, NULL, &observer, &told));
    MISSING(strata_observe_object(all, PERSON, 1, &none, NULL, &observer, &told));
    (void)f;
}

/* What is to be told is written to a struct whose size is read. */
static void missing_changes(fixture *f, strata_observers *all) {
    strata_observer *observer, *next;
    strata_changes changes = strata_changes_blank();
    const strata_key_paths paths = { .all = true };
    MUST(strata_observe_object(all, PERSON, 1, &paths, NULL, &observer, &f->error));
    MUST(strata_view_begin(f->view, &f->error));
    set(f, PERSON, 1, AGE, strata_int(31));
    MUST(strata_view_commit(f->view, &f->error));
    MUST(strata_observers_advance(all, &f->error));
    REFUSED(strata_observers_next(all, &next, NULL, &f->error), STRATA_MISUSE,
            "telling what changed: `changes` is NULL; give the address of a strata_changes_blank()");
    CHECK(next == NULL);
    MISSING(strata_observer_ask(observer, NULL, &told));
    MISSING(strata_observer_explain(observer, NULL, &told));
    MUST(strata_observers_next(all, &next, &changes, &f->error)); /* nothing was lost */
    CHECK(next == observer && changes.column_count == 1);
    strata_observer_remove(observer);
}

void test_missing_observers(void) {
    fixture *f = open_people();
    strata_observers *all;
    strata_observer *observer;
    strata_changes changes = strata_changes_blank();
    strata_observer_stats stats = { .size = sizeof stats };
    strata_observers_stats of_all = { .size = sizeof of_all };
    uint64_t number;
    MISSING(strata_observers_open(NULL, &all, &told));
    MUST(strata_observers_open(f->view, &all, &f->error));
    missing_paths(f, all);
    MISSING(strata_observers_advance(NULL, &told));
    MISSING(strata_observers_next(NULL, &observer, &changes, &told));
    missing_changes(f, all);
    MISSING(strata_observer_skip(NULL, &told));
    MISSING(strata_observer_ask(NULL, &changes, &told));
    MISSING(strata_observer_size(NULL, &number, &told));
    MISSING(strata_observer_keys(NULL, 0, 1, &number, &told));
    MISSING(strata_observer_find(NULL, 1, &number, &told));
    MISSING(strata_observer_explain(NULL, &stats, &told));
    MISSING(strata_observers_explain(NULL, &of_all, &told));
    MISSING(strata_observers_explain(all, NULL, &told));
    CHECK(strata_observer_context(NULL) == NULL);
    strata_observer_remove(NULL);
    strata_observer_hold(NULL);
    strata_observers_close(NULL);
    strata_observers_close(all);
    fixture_close(f);
}

/* ---- Text ------------------------------------------------------------- */

static bool take(void *context, const void *text, size_t size) {
    (void)context, (void)text, (void)size;
    return true;
}

static void missing_exports(fixture *f) {
    strata_export *to;
    strata_export_options options = strata_export_options_blank();
    MISSING(strata_export_open(NULL, &options, take, NULL, &to, &told));
    MISSING(strata_export_open(f->view, NULL, take, NULL, &to, &told));
    MISSING(strata_export_open(f->view, &options, NULL, NULL, &to, &told));
    options.column_count = 1;
    MISSING(strata_export_open(f->view, &options, take, NULL, &to, &told));
    options.column_count = 0;
    MUST(strata_export_open(f->view, &options, take, NULL, &to, &f->error));
    MISSING(strata_export_keys(NULL, PERSON, (uint64_t[]){ 1 }, 1, &told));
    MISSING(strata_export_keys(to, PERSON, NULL, 1, &told));
    MISSING(strata_export_table(NULL, PERSON, &told));
    MISSING(strata_export_schema(NULL, &told));
    MISSING(strata_export_end(NULL, &told));
    CHECK_EQ(strata_export_count(NULL), 0);
    strata_export_close(NULL);
    strata_export_close(to);
    char text[STRATA_VALUE_TEXT] = "?";
    CHECK_EQ(strata_value_print(NULL, text), 0);
    CHECK_TEXT(text, "");
}

static void missing_imports(fixture *f) {
    strata_import *import;
    strata_import_options options = strata_import_options_blank();
    strata_import_report report = { .records = 1 };
    MISSING(strata_import_open(NULL, &options, &import, &told));
    MISSING(strata_import_open(f->view, NULL, &import, &told));
    options.format = STRATA_TEXT_CSV;
    MISSING(strata_import_open(f->view, &options, &import, &told)); /* without a class */
    options.table = "Person";
    options.column_count = 1;
    MISSING(strata_import_open(f->view, &options, &import, &told));
    options.columns = (const char *const[]){ NULL };
    MISSING(strata_import_open(f->view, &options, &import, &told));
    options = strata_import_options_blank();
    MUST(strata_import_open(f->view, &options, &import, &f->error));
    MUST(strata_view_begin(f->view, &f->error));
    MISSING(strata_import_feed(NULL, "", 0, &told));
    MISSING(strata_import_feed(import, NULL, 1, &told));
    MISSING(strata_import_finish(NULL, NULL, &told));
    MISSING(strata_import_commit(NULL, &told));
    MISSING(strata_import_abandon(NULL, NULL, &told));
    strata_import_get_report(NULL, &report, sizeof report);
    CHECK_EQ(report.records, 0);
    strata_import_close(NULL);
    strata_import_close(import);
    strata_view_cancel(f->view);
}

static void missing_guesses(fixture *f) {
    strata_guess *guess;
    strata_declaration *declaration;
    strata_import_options options = strata_import_options_blank();
    options.table = "Person";
    MISSING(strata_guess_open(NULL, &guess, &told));
    MUST(strata_guess_open(&options, &guess, &f->error));
    MISSING(strata_guess_leave_out(NULL, "Person", &told));
    MISSING(strata_guess_leave_out(guess, NULL, &told));
    MISSING(strata_guess_feed(NULL, "", 0, &told));
    MISSING(strata_guess_feed(guess, NULL, 1, &told));
    MISSING(strata_guess_finish(NULL, NULL, &declaration, &told));
    strata_guess_close(NULL);
    strata_guess_close(guess);
}

void test_missing_texts(void) {
    fixture *f = open_people();
    strata_declaration *declaration;
    uint32_t count = 1;
    missing_exports(f);
    missing_imports(f);
    missing_guesses(f);
    MISSING(strata_declaration_parse(NULL, 3, &declaration, &told));
    MISSING(strata_declaration_read(NULL, &declaration, &told));
    MISSING(strata_declaration_read_history(NULL, 0, &declaration, &told));
    CHECK(strata_declaration_tables(NULL, &count) == NULL && count == 0);
    CHECK(strata_declaration_version(NULL) == STRATA_NO_SCHEMA);
    CHECK_EQ(strata_declaration_print(NULL, NULL, 0), 0);
    strata_declaration_free(NULL);
    strata_log_set(NULL, NULL, STRATA_LOG_INFO);
    CHECK_TEXT(strata_status_name((strata_status)-4000), strata_status_name((strata_status)-4001));
    fixture_close(f);
}
