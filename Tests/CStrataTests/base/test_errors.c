/* SPDX-License-Identifier: MIT
 * test_errors.c -- no function fails without a message.
 *
 * Every function that has an error fails here at least once; Tests/Scripts/check-abi compares the list with the
 * headers. Each call is made with a view that reads, one that writes, on a wrong thread and in a forked child, and with
 * an error that is filled with nonsense before. */
#define _GNU_SOURCE 1
#include <pthread.h>
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

typedef struct calls {
    strata_store *store;
    strata_view *view;
    strata_row row;   /* of an object that is there */
    strata_cursor *cursor;
    strata_predicate *predicate;
    strata_nested *nested;
    strata_error error;
    strata_error *to;
    uint64_t number;
    size_t size;
    bool flag;
    strata_value value;
    strata_keys keys;
    strata_groups groups;
    strata_facet facet;
    strata_condition *condition;
    void *out;
    strata_view *opened;
    strata_query_cursor *query;
    strata_prepared *prepared;
    strata_query_cache *cache;
    strata_queued_write *queued;
} calls;

enum { THING = 0, NO_TABLE = 99 };
enum { ID = 0, NAME = 1, FRIEND = 2, FRIENDS = 3, ANY = 4, WORDS = 5, MAP = 6, NO_COLUMN = 99 };

static const strata_value text = { .type = STRATA_STRING, .as.bytes = { "text", 4 } };
static const strata_bytes key_bytes = { "key", 3 };
static const strata_node bad_nodes[] = { { .op = STRATA_AND, .children = 7 } };

static strata_query bad_query(void) {
    strata_query query = strata_query_blank();
    query.table = NO_TABLE;
    return query;
}

#define CALL(name, ...) \
    static strata_status call_##name(calls *c) { return __VA_ARGS__; }
#define QUERY(name, ...) \
    static strata_status call_##name(calls *c) { \
        strata_query query = bad_query(); \
        return __VA_ARGS__; \
    }

static const strata_config no_path = { .size = sizeof(strata_config) };

CALL(strata_store_open, strata_store_open(&no_path, (strata_store **)&c->out, c->to))
CALL(strata_store_open_as, strata_store_open_as(0, 0, &no_path, (strata_store **)&c->out, c->to))
CALL(strata_store_flush, strata_store_flush(c->store, c->to))
CALL(strata_store_get_stats, strata_store_get_stats(c->store, &(strata_store_stats){ .size = 4 }, c->to))
CALL(strata_store_get_snapshots, strata_store_get_snapshots(c->store, NULL, 0, &(uint32_t){ 0 }, c->to))
CALL(strata_store_get_snapshots_sized,
     strata_store_get_snapshots_sized(c->store, 8, NULL, 0, &(uint32_t){ 0 }, c->to))
CALL(strata_store_backup, strata_store_backup(c->store, "", 0, c->to))
CALL(strata_store_backup_to, strata_store_backup_to(c->store, -1, c->to))
CALL(strata_view_copy, strata_view_copy(c->view, "", c->to))
CALL(strata_compact, strata_compact(&no_path, NULL, c->to))
CALL(strata_compact_sized, strata_compact_sized(&no_path, NULL, 16, c->to))
CALL(strata_file_delete, strata_file_delete(NULL, c->to))
CALL(strata_file_replace, strata_file_replace(NULL, NULL, c->to))
CALL(strata_view_open, strata_view_open(c->store, &c->opened, c->to))
CALL(strata_view_refresh, strata_view_refresh(c->view, &c->flag, c->to))
CALL(strata_view_keep, strata_view_keep(c->view, NULL, 1, c->to))
CALL(strata_view_keep_columns, strata_view_keep_columns(c->view, NULL, NULL, 1, c->to))
CALL(strata_view_adopt, strata_view_adopt(c->view, c->to))
CALL(strata_view_freeze, strata_view_freeze(c->view, &c->opened, c->to))
CALL(strata_view_open_frozen, strata_view_open_frozen(c->view, &c->opened, c->to))
CALL(strata_view_begin, strata_view_begin(c->view, c->to))
CALL(strata_view_begin_within, strata_view_begin_within(c->view, 0, c->to))
CALL(strata_view_set_interrupt, strata_view_set_interrupt(c->view, NULL, c->to))
CALL(strata_store_request, strata_store_request(c->store, 0, NULL, NULL, NULL, &c->queued, c->to))
CALL(strata_view_begin_granted, strata_view_begin_granted(c->view, NULL, c->to))
CALL(strata_view_commit, strata_view_commit(c->view, c->to))
CALL(strata_schema_apply,
     strata_schema_apply(c->view, &(strata_table_spec){ .name = "" }, 1, 2, c->to))
CALL(strata_schema_apply_sized,
     strata_schema_apply_sized(c->view, NULL, 1, 2, &(strata_spec_sizes){ 0, 0, 0 }, c->to))
CALL(strata_differences_find,
     strata_differences_find(c->view, &(strata_table_spec){ .name = "" }, 1, (strata_differences **)&c->out, c->to))
CALL(strata_differences_find_sized,
     strata_differences_find_sized(c->view, NULL, 1, &(strata_spec_sizes){ 0, 0, 0 },
                                   (strata_differences **)&c->out, c->to))
CALL(strata_migration_begin,
     strata_migration_begin(c->view, &(strata_table_spec){ .name = "" }, 1, STRATA_NO_SCHEMA, c->to))
CALL(strata_migration_begin_sized,
     strata_migration_begin_sized(c->view, NULL, 1, 2, &(strata_spec_sizes){ 0, 0, 0 }, c->to))
CALL(strata_migration_check,
     strata_migration_check(c->view, NULL, 0, 0, &(strata_migration_failures){ .duplicates = { 0 } }, c->to))
CALL(strata_migration_check_sized,
     strata_migration_check_sized(c->view, NULL, 0, 0, &(strata_spec_sizes){ 0, 0, 0 },
                                  &(strata_migration_failures){ .duplicates = { 0 } },
                                  sizeof(strata_migration_failures), c->to))
CALL(strata_migration_change, strata_migration_change(c->view, NULL, c->to))
CALL(strata_migration_finish, strata_migration_finish(c->view, NULL, 1, NULL, 0, NULL, c->to))
CALL(strata_migration_finish_sized,
     strata_migration_finish_sized(c->view, NULL, 1, NULL, 0, NULL, &(strata_spec_sizes){ 0, 0, 0 }, c->to))
CALL(strata_declaration_parse, strata_declaration_parse("class", 5, (strata_declaration **)&c->out, c->to))
CALL(strata_declaration_read, strata_declaration_read(NULL, (strata_declaration **)&c->out, c->to))
CALL(strata_declaration_read_history,
     strata_declaration_read_history(c->view, 0, NULL, c->to))
CALL(strata_export_open, strata_export_open(c->view, NULL, NULL, NULL, (strata_export **)&c->out, c->to))
CALL(strata_export_keys, strata_export_keys(NULL, 0, NULL, 1, c->to))
CALL(strata_export_table, strata_export_table(NULL, 0, c->to))
CALL(strata_export_schema, strata_export_schema(NULL, c->to))
CALL(strata_export_end, strata_export_end(NULL, c->to))
CALL(strata_import_open, strata_import_open(c->view, NULL, (strata_import **)&c->out, c->to))
CALL(strata_import_feed, strata_import_feed(NULL, NULL, 1, c->to))
CALL(strata_import_finish, strata_import_finish(NULL, NULL, c->to))
CALL(strata_import_finish_sized, strata_import_finish_sized(NULL, NULL, 0, c->to))
CALL(strata_import_commit, strata_import_commit(NULL, c->to))
CALL(strata_import_abandon, strata_import_abandon(NULL, NULL, c->to))
CALL(strata_import_abandon_sized, strata_import_abandon_sized(NULL, NULL, 0, c->to))
CALL(strata_guess_open, strata_guess_open(NULL, (strata_guess **)&c->out, c->to))
CALL(strata_guess_leave_out, strata_guess_leave_out(NULL, NULL, c->to))
CALL(strata_guess_feed, strata_guess_feed(NULL, NULL, 1, c->to))
CALL(strata_guess_finish, strata_guess_finish(NULL, NULL, (strata_declaration **)&c->out, c->to))
CALL(strata_object_remove, strata_object_remove(c->view, THING, 77, c->to))
CALL(strata_schema_history, strata_schema_history(c->view, 0, &(strata_schema_record){ 0 }, c->to))
CALL(strata_schema_history_sized,
     strata_schema_history_sized(c->view, 0, &(strata_schema_record){ 0 }, sizeof(strata_schema_record), c->to))
CALL(strata_schema_migrate, strata_schema_migrate(c->view, NULL, 1, NULL, 0, 2, c->to))
CALL(strata_schema_migrate_sized,
     strata_schema_migrate_sized(c->view, NULL, 1, NULL, 0, 2, &(strata_spec_sizes){ 0, 0, 0 }, c->to))
CALL(strata_object_create, strata_object_create(c->view, NO_TABLE, NULL, 0, &c->number, c->to))
CALL(strata_object_find, strata_object_find(c->view, THING, &text, &c->number, c->to))
CALL(strata_object_delete, strata_object_delete(c->view, NO_TABLE, 1, c->to))
CALL(strata_object_unlink, strata_object_unlink(c->view, NO_TABLE, 1, c->to))
CALL(strata_tables_clear, strata_tables_clear(c->view, &(uint32_t){ NO_TABLE }, 1, c->to))
CALL(strata_table_size, strata_table_size(c->view, NO_TABLE, &c->number, c->to))
CALL(strata_row_bind, strata_row_bind(c->view, NO_TABLE, 1, &(strata_row){ 0 }, c->to))
CALL(strata_rows_bind, strata_rows_bind(c->view, NO_TABLE, &(uint64_t){ 1 }, 1, &(strata_row){ 0 }, c->to))
CALL(strata_row_read, strata_row_read(&c->row, ID, 0, NULL, 0, &c->size, c->to))
CALL(strata_row_get, strata_row_get(&c->row, NO_COLUMN, &c->value, c->to))
CALL(strata_row_set, strata_row_set(&c->row, FRIEND, &text, c->to))
CALL(strata_blob_size, strata_blob_size(&c->row, ID, &c->number, c->to))
CALL(strata_blob_read, strata_blob_read(&c->row, ID, 0, NULL, 0, &c->size, c->to))
CALL(strata_blob_write, strata_blob_write(&c->row, ID, 0, "text", 4, c->to))
CALL(strata_blob_append, strata_blob_append(&c->row, ID, "text", 4, c->to))
CALL(strata_blob_truncate, strata_blob_truncate(&c->row, ID, 0, c->to))
CALL(strata_collection_size, strata_collection_size(&c->row, NAME, &c->number, c->to))
CALL(strata_collection_get, strata_collection_get(&c->row, FRIENDS, 9, 1, &c->value, c->to))
CALL(strata_collection_read, strata_collection_read(&c->row, FRIENDS, 9, 0, NULL, 0, &c->size, c->to))
CALL(strata_collection_find, strata_collection_find(&c->row, FRIENDS, &text, 0, &c->number, c->to))
CALL(strata_collection_remove, strata_collection_remove(&c->row, FRIENDS, 9, 1, c->to))
CALL(strata_list_insert, strata_list_insert(&c->row, FRIENDS, 9, &text, 1, c->to))
CALL(strata_list_set, strata_list_set(&c->row, FRIENDS, 9, &text, c->to))
CALL(strata_set_insert, strata_set_insert(&c->row, FRIENDS, &text, &c->flag, &c->number, c->to))
CALL(strata_set_insert_all, strata_set_insert_all(&c->row, FRIENDS, &text, 1, &c->number, c->to))
CALL(strata_map_find, strata_map_find(&c->row, FRIENDS, key_bytes, &c->number, c->to))
CALL(strata_map_keys, strata_map_keys(&c->row, MAP, 9, 1, &(strata_bytes){ 0 }, c->to))
CALL(strata_map_set, strata_map_set(&c->row, FRIENDS, key_bytes, &text, c->to))
CALL(strata_map_set_all, strata_map_set_all(&c->row, FRIENDS, &key_bytes, &text, 1, c->to))
CALL(strata_scan, strata_scan(c->view, NO_TABLE, false, (strata_cursor **)&c->out, c->to))
CALL(strata_index_scan, strata_index_scan(c->view, THING, NAME, NULL, false, (strata_cursor **)&c->out, c->to))
CALL(strata_backlinks, strata_backlinks(c->view, THING, 1, THING, NAME, (strata_cursor **)&c->out, c->to))
CALL(strata_backlinks_count, strata_backlinks_count(c->view, THING, 1, THING, NAME, &c->number, c->to))
CALL(strata_cursor_next, strata_cursor_next(c->cursor, &(strata_row){ 0 }, c->to))
CALL(strata_cursor_next_rows, strata_cursor_next_rows(c->cursor, NULL, 0, &c->size, c->to))
CALL(strata_verify, strata_verify(c->view, NULL, c->to))
CALL(strata_verify_watched, strata_verify_watched(c->view, NULL, NULL, NULL, c->to))
CALL(strata_verify_sized, strata_verify_sized(c->view, NULL, NULL, NULL, 0, c->to))
CALL(strata_salvage, strata_salvage("", "", NULL, NULL, c->to))
CALL(strata_salvage_sized, strata_salvage_sized("", "", NULL, NULL, 16, c->to))
QUERY(strata_query_run, strata_query_run(c->view, &query, &c->keys, NULL, c->to))
QUERY(strata_query_run_sized, strata_query_run_sized(c->view, &query, &c->keys, NULL, 0, c->to))
QUERY(strata_query_count, strata_query_count(c->view, &query, &c->number, NULL, c->to))
QUERY(strata_query_count_sized, strata_query_count_sized(c->view, &query, &c->number, NULL, 0, c->to))
QUERY(strata_query_check, strata_query_check(c->view, &query, c->to))
QUERY(strata_query_group, strata_query_group(c->view, &query, NULL, 0, NULL, 0, &c->groups, NULL, c->to))
QUERY(strata_query_group_sized,
      strata_query_group_sized(c->view, &query, NULL, 0, NULL, 0, &c->groups, NULL, 0, c->to))
QUERY(strata_query_facet,
      strata_query_facet(c->view, &query, NULL, 0, &(strata_facet_options){ 0 }, &c->facet, c->to))
QUERY(strata_query_facet_sized,
      strata_query_facet_sized(c->view, &query, NULL, 0, &(strata_facet_options){ 0 }, &c->facet, sizeof c->facet, c->to))
QUERY(strata_query_open, strata_query_open(c->view, &query, (strata_query_cursor **)&c->out, c->to))
QUERY(strata_query_prepare, strata_query_prepare(c->view, &query, (strata_prepared **)&c->out, c->to))
CALL(strata_prepared_count, strata_prepared_count(c->prepared, c->view, &text, 1, &c->number, NULL, c->to))
CALL(strata_prepared_count_sized,
     strata_prepared_count_sized(c->prepared, c->view, &text, 1, &c->number, NULL, 0, c->to))
CALL(strata_prepared_run, strata_prepared_run(c->prepared, c->view, &text, 1, &c->keys, NULL, c->to))
CALL(strata_prepared_run_sized, strata_prepared_run_sized(c->prepared, c->view, &text, 1, &c->keys, NULL, 0, c->to))
QUERY(strata_query_cache_run, strata_query_cache_run(c->cache, c->view, &query, &c->keys, NULL, c->to))
QUERY(strata_query_cache_run_sized, strata_query_cache_run_sized(c->cache, c->view, &query, &c->keys, NULL, 0, c->to))
QUERY(strata_query_cache_count, strata_query_cache_count(c->cache, c->view, &query, &c->number, NULL, c->to))
QUERY(strata_query_cache_count_sized,
      strata_query_cache_count_sized(c->cache, c->view, &query, &c->number, NULL, 0, c->to))
CALL(strata_prepared_open,
     strata_prepared_open(c->prepared, c->view, &text, 1, (strata_query_cursor **)&c->out, c->to))
CALL(strata_query_next_rows, strata_query_next_rows(c->query, NULL, 0, &c->size, c->to))
CALL(strata_collection_order, strata_collection_order(&c->row, NAME, 0, &c->keys, c->to))
CALL(strata_collection_select, strata_collection_select(&c->row, FRIENDS, bad_nodes, 1, &c->keys, c->to))
CALL(strata_nested_select,
     strata_nested_select(c->view, THING, ANY, key_bytes, bad_nodes, 1, &c->keys, c->to))
CALL(strata_collection_total, strata_collection_total(&c->row, WORDS, STRATA_SUM, &c->value, c->to))
CALL(strata_predicate_parse,
     strata_predicate_parse("a >", 3, NULL, 0, (strata_predicate **)&c->out, c->to))
CALL(strata_predicate_resolve,
     strata_predicate_resolve(c->predicate, c->view, THING, NULL, 0, &c->condition, c->to))
CALL(strata_predicate_resolve_values,
     strata_predicate_resolve_values(c->predicate, c->view, THING, FRIENDS, NULL, 0, &c->condition, c->to))
CALL(strata_nested_begin_list, strata_nested_begin_list(c->nested, &key_bytes, c->to))
CALL(strata_nested_begin_map, strata_nested_begin_map(c->nested, &key_bytes, c->to))
CALL(strata_nested_append, strata_nested_append(c->nested, &text, c->to))
CALL(strata_nested_put, strata_nested_put(c->nested, key_bytes, &text, c->to))
CALL(strata_nested_end, strata_nested_end(c->nested, c->to))
CALL(strata_nested_finish, strata_nested_finish(c->nested, &c->value, c->to))
CALL(strata_nested_open, strata_nested_open(key_bytes, &(strata_nested_iterator){ 0 }, c->to))
CALL(strata_decimal_parse, strata_decimal_parse("x", 1, &(strata_decimal){ 0 }, c->to))

static strata_feed *feed;     /* of the store, */
static strata_commit *record; /* and what it told */
static const strata_token no_token;

CALL(strata_view_token, strata_view_token(c->view, &(strata_token){ { 0 } }, c->to))
CALL(strata_token_parse, strata_token_parse("x", 1, &(strata_token){ { 0 } }, c->to))
CALL(strata_commit_get_info, strata_commit_get_info(record, &(strata_commit_info){ 0 }, c->to))
CALL(strata_commit_next, strata_commit_next(record, &(strata_delta){ 0 }, c->to))
CALL(strata_store_wait, strata_store_wait(c->store, &no_token, 0, NULL, c->to))

static strata_status call_strata_view_changes(calls *c) {
    strata_commit *changes;
    strata_status status = strata_view_changes(c->view, &changes, c->to);
    strata_commit_free(changes);
    return status;
}

CALL(strata_view_log_changes, strata_view_log_changes(c->view, true, c->to))

static strata_status call_strata_feed_next(calls *c) {
    strata_commit *next;
    strata_status status = strata_feed_next(feed, &next, c->to);
    strata_commit_free(next);
    return status;
}

static strata_status call_strata_feed_open(calls *c) {
    strata_feed *opened;
    strata_status status = strata_feed_open(c->store, &opened, c->to);
    strata_feed_close(opened);
    return status;
}

CALL(strata_feed_token, strata_feed_token(NULL, &(strata_token){ { 0 } }, c->to))
CALL(strata_consumer_register, strata_consumer_register(c->view, "", 0, c->to))
CALL(strata_consumer_advance, strata_consumer_advance(c->view, NULL, &no_token, c->to))
CALL(strata_consumer_remove, strata_consumer_remove(c->view, "", c->to))
CALL(strata_consumer_next, strata_consumer_next(c->view, NULL, &(strata_consumer){ 0 }, c->to))
CALL(strata_history_keep, strata_history_keep(c->view, 0, NULL, c->to))

static strata_status call_strata_feed_open_after(calls *c) {
    strata_feed *opened;
    strata_status status = strata_feed_open_after(c->store, &no_token, &opened, c->to);
    strata_feed_close(opened);
    return status;
}

static strata_status call_strata_feed_open_oldest(calls *c) {
    strata_feed *opened;
    strata_status status = strata_feed_open_oldest(c->store, &opened, c->to);
    strata_feed_close(opened);
    return status;
}

static strata_status call_strata_feed_open_consumer(calls *c) {
    strata_feed *opened;
    strata_status status = strata_feed_open_consumer(c->store, "", &opened, c->to);
    strata_feed_close(opened);
    return status;
}

static strata_observers *observers;
static strata_observer *observer;
static const strata_key_paths no_paths;

CALL(strata_observe_query, strata_observe_query(observers, &(strata_query){ 0 }, &no_paths, NULL, &observer, c->to))
CALL(strata_observe_collection,
     strata_observe_collection(observers, THING, 1, NAME, &no_paths, NULL, &observer, c->to))
CALL(strata_observe_object, strata_observe_object(observers, NO_TABLE, 1, &no_paths, NULL, &observer, c->to))
CALL(strata_observers_advance, strata_observers_advance(observers, c->to))
CALL(strata_observers_next, strata_observers_next(observers, &observer, &(strata_changes){ 0 }, c->to))
CALL(strata_observer_skip, strata_observer_skip(observer, c->to))
CALL(strata_observer_ask, strata_observer_ask(observer, &(strata_changes){ 0 }, c->to))
CALL(strata_observer_size, strata_observer_size(observer, &(uint64_t){ 0 }, c->to))
CALL(strata_observer_keys, strata_observer_keys(observer, 0, 1, &(uint64_t){ 0 }, c->to))
CALL(strata_observer_find, strata_observer_find(observer, 1, &(uint64_t){ 0 }, c->to))
CALL(strata_observers_explain, strata_observers_explain(observers, &(strata_observers_stats){ 0 }, c->to))
CALL(strata_observer_explain, strata_observer_explain(observer, &(strata_observer_stats){ 0 }, c->to))

static strata_waiter *const waiter; /* there is none */

CALL(strata_waiter_add, strata_waiter_add(waiter, c->store, c->to))
CALL(strata_waiter_next, strata_waiter_next(waiter, 0, &(strata_store *){ NULL }, c->to))
CALL(strata_waiter_descriptor, strata_waiter_descriptor(waiter, &(int){ 0 }, c->to))

static strata_status call_strata_waiter_open(calls *c) {
    strata_waiter *opened;
    strata_status status = strata_waiter_open(&opened, c->to);
    if (status == STRATA_OK) strata_waiter_close(opened);
    return status;
}

static strata_status call_strata_observers_open(calls *c) {
    strata_observers *opened;
    strata_status status = strata_observers_open(c->view, &opened, c->to);
    if (status == STRATA_OK) strata_observers_close(opened);
    return status;
}

static strata_status call_strata_interrupt_make(calls *c) {
    strata_interrupt *interrupt;
    strata_status status = strata_interrupt_make(&interrupt, c->to);
    if (status == STRATA_OK) strata_interrupt_free(interrupt);
    return status;
}

static strata_status call_strata_query_cache_make(calls *c) {
    strata_query_cache *cache;
    strata_status status = strata_query_cache_make(&cache, c->to);
    if (status == STRATA_OK) strata_query_cache_free(cache);
    return status;
}

#define ENTRY(name) { #name, call_##name }
static const struct {
    const char *name;
    strata_status (*call)(calls *c);
} all[] = {
    ENTRY(strata_store_open), ENTRY(strata_store_open_as), ENTRY(strata_store_flush), ENTRY(strata_store_get_stats),
    ENTRY(strata_store_get_snapshots), ENTRY(strata_store_get_snapshots_sized), ENTRY(strata_store_backup),
    ENTRY(strata_store_backup_to), ENTRY(strata_compact), ENTRY(strata_compact_sized), ENTRY(strata_salvage),
    ENTRY(strata_file_delete), ENTRY(strata_file_replace),
    ENTRY(strata_salvage_sized), ENTRY(strata_view_open),
    ENTRY(strata_view_refresh), ENTRY(strata_view_keep), ENTRY(strata_view_begin), ENTRY(strata_schema_apply),
    ENTRY(strata_schema_apply_sized),
    ENTRY(strata_schema_migrate), ENTRY(strata_schema_migrate_sized), ENTRY(strata_object_create),
    ENTRY(strata_object_find), ENTRY(strata_object_delete), ENTRY(strata_object_unlink),
    ENTRY(strata_tables_clear), ENTRY(strata_table_size), ENTRY(strata_row_bind), ENTRY(strata_rows_bind),
    ENTRY(strata_row_read), ENTRY(strata_row_get), ENTRY(strata_row_set), ENTRY(strata_collection_size),
    ENTRY(strata_collection_get), ENTRY(strata_collection_read), ENTRY(strata_collection_find),
    ENTRY(strata_collection_remove), ENTRY(strata_list_insert), ENTRY(strata_list_set), ENTRY(strata_set_insert),
    ENTRY(strata_set_insert_all), ENTRY(strata_map_find), ENTRY(strata_map_keys), ENTRY(strata_map_set),
    ENTRY(strata_map_set_all), ENTRY(strata_scan), ENTRY(strata_index_scan), ENTRY(strata_backlinks),
    ENTRY(strata_backlinks_count), ENTRY(strata_cursor_next), ENTRY(strata_cursor_next_rows), ENTRY(strata_verify),
    ENTRY(strata_verify_watched), ENTRY(strata_verify_sized), ENTRY(strata_query_run), ENTRY(strata_query_run_sized),
    ENTRY(strata_query_count), ENTRY(strata_query_count_sized), ENTRY(strata_query_check), ENTRY(strata_query_group),
    ENTRY(strata_query_group_sized), ENTRY(strata_query_facet), ENTRY(strata_query_facet_sized),
    ENTRY(strata_query_open), ENTRY(strata_query_next_rows),
    ENTRY(strata_query_prepare), ENTRY(strata_prepared_count), ENTRY(strata_prepared_count_sized),
    ENTRY(strata_prepared_run), ENTRY(strata_prepared_run_sized), ENTRY(strata_prepared_open),
    ENTRY(strata_query_cache_make), ENTRY(strata_query_cache_run), ENTRY(strata_query_cache_run_sized),
    ENTRY(strata_query_cache_count), ENTRY(strata_query_cache_count_sized),
    ENTRY(strata_collection_order), ENTRY(strata_collection_select),
    ENTRY(strata_collection_total), ENTRY(strata_predicate_parse), ENTRY(strata_predicate_resolve),
    ENTRY(strata_predicate_resolve_values), ENTRY(strata_nested_begin_list), ENTRY(strata_nested_begin_map),
    ENTRY(strata_nested_append), ENTRY(strata_nested_put), ENTRY(strata_nested_end), ENTRY(strata_nested_finish),
    ENTRY(strata_nested_open), ENTRY(strata_decimal_parse),
    ENTRY(strata_store_request), ENTRY(strata_view_begin_granted), ENTRY(strata_view_begin_within),
    ENTRY(strata_view_set_interrupt), ENTRY(strata_interrupt_make),
    ENTRY(strata_blob_size), ENTRY(strata_blob_read), ENTRY(strata_blob_write), ENTRY(strata_blob_append),
    ENTRY(strata_blob_truncate), ENTRY(strata_nested_select),
    ENTRY(strata_view_freeze), ENTRY(strata_view_open_frozen),
    ENTRY(strata_view_token), ENTRY(strata_token_parse), ENTRY(strata_commit_get_info), ENTRY(strata_commit_next),
    ENTRY(strata_feed_open), ENTRY(strata_feed_next), ENTRY(strata_store_wait),
    ENTRY(strata_view_log_changes), ENTRY(strata_view_changes), ENTRY(strata_view_keep_columns),
    ENTRY(strata_feed_open_after), ENTRY(strata_feed_open_oldest), ENTRY(strata_feed_open_consumer),
    ENTRY(strata_feed_token),
    ENTRY(strata_consumer_register), ENTRY(strata_consumer_advance), ENTRY(strata_consumer_remove),
    ENTRY(strata_consumer_next), ENTRY(strata_history_keep),
    ENTRY(strata_observe_query), ENTRY(strata_observe_collection), ENTRY(strata_observe_object),
    ENTRY(strata_observers_advance), ENTRY(strata_observers_next), ENTRY(strata_observer_skip),
    ENTRY(strata_observer_ask), ENTRY(strata_observer_size), ENTRY(strata_observer_keys), ENTRY(strata_observer_find),
    ENTRY(strata_observer_explain), ENTRY(strata_observers_explain), ENTRY(strata_observers_open),
    ENTRY(strata_waiter_open), ENTRY(strata_waiter_add), ENTRY(strata_waiter_next), ENTRY(strata_waiter_descriptor),
    ENTRY(strata_declaration_parse), ENTRY(strata_declaration_read), ENTRY(strata_declaration_read_history),
    ENTRY(strata_export_open),
    ENTRY(strata_export_keys), ENTRY(strata_export_table), ENTRY(strata_export_schema), ENTRY(strata_export_end),
    ENTRY(strata_import_open), ENTRY(strata_import_feed), ENTRY(strata_import_finish),
    ENTRY(strata_import_finish_sized), ENTRY(strata_import_commit), ENTRY(strata_import_abandon),
    ENTRY(strata_import_abandon_sized), ENTRY(strata_guess_open), ENTRY(strata_guess_feed), ENTRY(strata_guess_finish),
    ENTRY(strata_guess_leave_out), ENTRY(strata_object_remove),
    ENTRY(strata_view_copy), ENTRY(strata_differences_find), ENTRY(strata_differences_find_sized), ENTRY(strata_migration_begin),
    ENTRY(strata_migration_begin_sized), ENTRY(strata_migration_check), ENTRY(strata_migration_check_sized),
    ENTRY(strata_migration_change), ENTRY(strata_migration_finish),
    ENTRY(strata_migration_finish_sized), ENTRY(strata_schema_history), ENTRY(strata_schema_history_sized),
    ENTRY(strata_view_commit), /* ends the write */
    ENTRY(strata_view_adopt),  /* takes the view from its thread */
};
enum { ALL = sizeof all / sizeof *all };

/* ---- Calling them all ------------------------------------------------- */

static void failed(const char *name, const char *how, strata_status status, const char *what) {
    char words[200];
    snprintf(words, sizeof words, "%s %s: %s, and %s", name, how, strata_status_name(status), what);
    ctest_fail(__FILE__, __LINE__, words);
}

/* Calls all functions. What fails is marked in `ever`, and must have said why. */
static void call_all(calls *c, const char *how, bool *ever) {
    for (size_t i = 0; i < ALL; i++) {
        memset(&c->error, 0xA5, sizeof c->error);
        c->to = &c->error;
        strata_error before = c->error;
        strata_status status = all[i].call(c);
        bool touched = memcmp(&before, &c->error, sizeof before) != 0;
        if (status >= 0 && touched) failed(all[i].name, how, status, "the error was touched");
        if (status >= 0) continue;
        ever[i] = true;
        if (!touched) failed(all[i].name, how, status, "no message");
        if (c->error.status != status) failed(all[i].name, how, status, strata_status_name(c->error.status));
        size_t length = strnlen(c->error.message, sizeof c->error.message);
        if (length < 10 || length == sizeof c->error.message) failed(all[i].name, how, status, "no words");
        if (strchr(c->error.message, '\xA5') != NULL) failed(all[i].name, how, status, "half a message");
        c->to = NULL; /* without an error it fails just so */
        strata_status again = all[i].call(c);
        if (again != status) failed(all[i].name, how, again, "another failure without an error");
    }
}

static void begin_calls(calls *c, fixture *f) {
    *c = (calls){ .store = f->store, .view = f->view };
    strata_error error;
    CHECK_EQ(strata_row_bind(f->view, THING, 1, &c->row, &error), STRATA_OK);
    CHECK_EQ(strata_scan(f->view, THING, false, &c->cursor, &error), STRATA_OK);
    CHECK_EQ(strata_predicate_parse("nmae == 3", 9, NULL, 0, &c->predicate, &error), STRATA_OK);
    strata_query query = strata_query_blank();
    CHECK_EQ(strata_query_open(f->view, &query, &c->query, &error), STRATA_OK);
    CHECK_EQ(strata_query_prepare(f->view, &query, &c->prepared, &error), STRATA_OK);
    CHECK_EQ(strata_query_cache_make(&c->cache, &error), STRATA_OK);
    c->nested = strata_nested_make();
    CHECK(c->nested != NULL);
}

static void end_calls(calls *c) {
    strata_cursor_close(c->cursor);
    strata_query_close(c->query);
    strata_prepared_free(c->prepared);
    strata_query_cache_free(c->cache);
    strata_predicate_free(c->predicate);
    strata_nested_free(c->nested);
}

typedef struct situation {
    calls *calls;
    bool *ever;
} situation;

static void *on_a_thread(void *argument) {
    situation *s = argument;
    call_all(s->calls, "on a wrong thread", s->ever);
    strata_view_close(s->calls->opened);
    return NULL;
}

static void in_a_child(void *argument) {
    situation *s = argument;
    call_all(s->calls, "after a fork", s->ever);
    strata_error error;
    memset(&error, 0, sizeof error);
    CHECK_EQ(strata_view_open(s->calls->store, &s->calls->opened, &error), STRATA_AFTER_FORK);
    CHECK_EQ(strata_row_get(&s->calls->row, NAME, &s->calls->value, &error), STRATA_AFTER_FORK);
    CHECK(strstr(error.message, "a forked child must open it anew") != NULL);
}

static fixture *make(void) {
    fixture *f = fixture_open("file");
    strata_column_spec columns[] = { column("id", STRATA_INT, STRATA_COLUMN_PRIMARY), column("name", STRATA_STRING, 0),
                                     link_to("friend", "Thing"), list_of("friends", "Thing"),
                                     column("any", STRATA_MIXED, STRATA_COLUMN_NULLABLE),
                                     { "words", STRATA_STRING, STRATA_LIST, 0, NULL },
                                     { "map", STRATA_INT, STRATA_MAP, 0, NULL } };
    strata_table_spec table = { .name = "Thing", .column_count = 7, .columns = columns };
    MUST(apply(f, 0, &table, 1));
    MUST(strata_feed_open(f->store, &feed, &f->error));
    MUST(strata_view_begin(f->view, &f->error));
    ADD(0, strata_int(1), value_of("one"));
    ADD(0, strata_int(2), value_of("two"), strata_link(1));
    MUST(strata_view_commit(f->view, &f->error));
    MUST(strata_feed_next(feed, &record, &f->error));
    MUST(strata_observers_open(f->view, &observers, &f->error));
    return f;
}

void test_errors_always_have_a_message(void) {
    bool ever[ALL] = { false }, ignored[ALL] = { false };
    calls c;
    fixture *f = make();
    begin_calls(&c, f);
    call_all(&c, "while reading", ever);
    strata_view_close(c.opened);
    strata_view_cancel(f->view);
    end_calls(&c);

    situation s = { &c, ever };
    begin_calls(&c, f);
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, on_a_thread, &s), 0);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    MUST(strata_view_adopt(f->view, &f->error)); /* the last call of the thread took it */
    strata_view_cancel(f->view);
    end_calls(&c);

    begin_calls(&c, f);
    s.ever = ignored; /* the child's memory is its own */
    CHECK_EQ(ctest_child(in_a_child, &s), 0);
    end_calls(&c);

    MUST(strata_view_begin(f->view, &f->error));
    begin_calls(&c, f);
    call_all(&c, "while writing", ever);
    strata_view_close(c.opened);
    end_calls(&c);
    strata_view_cancel(f->view);

    /* Only after a fork, one only without memory, and one only if the memory is damaged. */
    static const char *const not_here[] = { "strata_view_open", "strata_store_flush", "strata_store_get_snapshots",
                                            "strata_store_get_snapshots_sized", "strata_interrupt_make",
                                            "strata_query_cache_make",
                                            "strata_view_adopt", "strata_feed_open", "strata_feed_open_oldest",
                                            "strata_feed_next", "strata_commit_next", "strata_waiter_open" };
    for (size_t i = 0; i < ALL; i++) {
        for (size_t k = 0; k < sizeof not_here / sizeof *not_here; k++)
            if (strcmp(all[i].name, not_here[k]) == 0) ever[i] = true;
        if (!ever[i]) failed(all[i].name, "in every situation", STRATA_OK, "it never failed");
    }
    strata_commit_free(record);
    strata_feed_close(feed);
    strata_observers_close(observers);
    record = NULL;
    feed = NULL;
    observers = NULL;
    verify(f);
    fixture_close(f);
}

/* ---- Without handles: what was never opened, or bound ---------------- */

static void call_without_handles(void *argument) {
    size_t i = *(const size_t *)argument;
    calls c = { 0 };
    memset(&c.error, 0, sizeof c.error);
    c.to = &c.error;
    strata_status status = all[i].call(&c);
    if (status >= 0) return;
    CHECK_EQ(c.error.status, status);
    CHECK(strlen(c.error.message) >= 10);
}

void test_errors_without_handles(void) {
    for (size_t i = 0; i < ALL; i++) {
        if (strcmp(all[i].name, "strata_cursor_next") == 0) continue; /* one of those that do not look */
        if (ctest_child(call_without_handles, &i) != 0)
            failed(all[i].name, "without handles", STRATA_MISUSE, "it crashed, or did not say so");
    }
}
