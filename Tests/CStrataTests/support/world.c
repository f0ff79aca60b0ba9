/* SPDX-License-Identifier: MIT
 * world.c -- what is in the stores of a folder, as numbers that can be compared. */
#define _GNU_SOURCE 1
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "strata_consumer.h"
#include "support/workload.h"

#define STEP(call) \
    do { \
        if (status >= 0) status = (call); \
    } while (0)

/* ---- Digests ---------------------------------------------------------- */

typedef struct digest {
    strata_view *view;
    uint64_t value;
    uint8_t *buffer;
    size_t room;
    strata_error *error;
} digest;

static void mix(digest *d, const void *bytes, size_t size) {
    const uint8_t *at = bytes;
    size_t i = 0;
    for (; i + 8 <= size; i += 8) {
        d->value = (d->value ^ strata_load64(at + i)) * UINT64_C(0x9E3779B97F4A7C15);
        d->value ^= d->value >> 32;
    }
    for (; i < size; i++) d->value = (d->value ^ at[i]) * UINT64_C(0x100000001B3);
    d->value = (d->value ^ size) * UINT64_C(0x9E3779B97F4A7C15);
    d->value ^= d->value >> 29;
}

static void mix_number(digest *d, uint64_t number) { mix(d, &number, sizeof number); }

/* Room for the bytes of a value that is stored elsewhere. */
static uint8_t *room(digest *d, size_t size) {
    if (size > d->room) {
        free(d->buffer);
        d->buffer = malloc(size);
        d->room = d->buffer != NULL ? size : 0;
    }
    return d->buffer;
}

static bool has_bytes(const strata_value *value) {
    return value->type == STRATA_STRING || value->type == STRATA_DATA || value->type == STRATA_NESTED;
}

/* Everything of a value but bytes that are stored elsewhere. */
static void mix_value(digest *d, const strata_value *value) {
    mix_number(d, (uint64_t)value->type | (uint64_t)value->table << 8);
    if (has_bytes(value)) {
        mix_number(d, value->as.bytes.size);
        if (value->as.bytes.data != NULL) mix(d, value->as.bytes.data, value->as.bytes.size);
        return;
    }
    switch (value->type) {
    case STRATA_BOOL: mix_number(d, value->as.boolean); break;
    case STRATA_INT: mix_number(d, (uint64_t)value->as.integer); break;
    case STRATA_FLOAT: mix(d, &value->as.single, sizeof value->as.single); break;
    case STRATA_DOUBLE:
    case STRATA_DATE: mix(d, &value->as.real, sizeof value->as.real); break;
    case STRATA_LINK: mix_number(d, value->as.link); break;
    case STRATA_UUID:
    case STRATA_DECIMAL: mix(d, value->as.fixed, 16); break;
    case STRATA_OBJECT_ID: mix(d, value->as.fixed, 12); break;
    default: break;
    }
}

static strata_status mix_cell(digest *d, strata_row *row, uint32_t column) {
    strata_value value;
    size_t size = 0;
    strata_status status = strata_row_get(row, column, &value, d->error);
    if (status < 0) return status;
    mix_value(d, &value);
    if (!has_bytes(&value) || value.as.bytes.data != NULL || value.as.bytes.size == 0) return status;
    uint8_t *bytes = room(d, value.as.bytes.size);
    if (bytes == NULL) return STRATA_NO_MEMORY;
    status = strata_row_read(row, column, 0, bytes, value.as.bytes.size, &size, d->error);
    mix(d, bytes, size);
    return status;
}

static strata_status mix_elements(digest *d, strata_row *row, const strata_column_info *column, uint32_t number) {
    uint64_t count;
    strata_value value;
    strata_bytes key;
    strata_status status = strata_collection_size(row, number, &count, d->error);
    mix_number(d, count);
    for (uint64_t i = 0; i < count && status >= 0; i++) {
        if (column->collection == STRATA_MAP) {
            STEP(strata_map_keys(row, number, i, 1, &key, d->error));
            if (status >= 0) mix(d, key.data, key.size);
        }
        STEP(strata_collection_get(row, number, i, 1, &value, d->error));
        if (status >= 0) mix_value(d, &value);
    }
    return status;
}

static strata_status mix_row(digest *d, strata_row *row, uint32_t table, uint32_t columns) {
    strata_status status = STRATA_OK;
    mix_number(d, row->key);
    for (uint32_t i = 0; i < columns && status >= 0; i++) {
        strata_column_info column;
        if (strata_column_get(d->view, table, i, &column) != STRATA_OK || column.name[0] == 0) continue;
        status = column.collection == STRATA_SINGLE ? mix_cell(d, row, i) : mix_elements(d, row, &column, i);
    }
    return status;
}

static strata_status mix_table(digest *d, uint32_t table) {
    strata_table_info info;
    strata_cursor *cursor;
    strata_row row;
    strata_status status = strata_table_get(d->view, table, &info);
    if (status != STRATA_OK) return status;
    mix(d, info.name, strlen(info.name));
    for (uint32_t i = 0; i < info.column_count; i++) {
        strata_column_info column;
        if (strata_column_get(d->view, table, i, &column) != STRATA_OK) continue;
        mix(d, column.name, strlen(column.name));
        mix_number(d, column.flags | (uint64_t)column.type << 32 | (uint64_t)column.collection << 48);
    }
    status = strata_scan(d->view, table, false, &cursor, d->error);
    while (status == STRATA_OK && (status = strata_cursor_next(cursor, &row, d->error)) == STRATA_OK)
        status = mix_row(d, &row, table, info.column_count);
    strata_cursor_close(cursor);
    return status < 0 ? status : STRATA_OK;
}

strata_status digest_of_view(strata_view *view, uint64_t *out, strata_error *error) {
    digest d = { .view = view, .value = 7, .error = error };
    strata_verify_report report;
    strata_status status = strata_verify(view, &report, error);
    mix_number(&d, strata_view_version(view));
    mix_number(&d, strata_schema_version(view));
    for (uint32_t table = 0; table < strata_table_count(view) && status >= 0; table++) status = mix_table(&d, table);
    free(d.buffer);
    *out = d.value;
    return status;
}

/* The number of a commit. What it changed is read but not compared: where memory ran out, the record says that anything
 * may have changed. */
static strata_status mix_record(digest *d, strata_commit *record) {
    strata_commit_info info = strata_commit_info_blank();
    strata_delta delta;
    strata_status status = strata_commit_get_info(record, &info, d->error);
    mix_number(d, info.version);
    while (status == STRATA_OK) status = strata_commit_next(record, &delta, d->error);
    return status;
}

static strata_status mix_records(digest *d, strata_store *store, const char *consumer) {
    strata_feed *feed;
    strata_commit *record;
    strata_status status = strata_feed_open_consumer(store, consumer, &feed, d->error);
    if (status < 0) return status;
    while (status >= 0 && (status = strata_feed_next(feed, &record, d->error)) == STRATA_OK) {
        status = mix_record(d, record);
        strata_commit_free(record);
    }
    strata_feed_close(feed);
    return status;
}

/* The consumers of a file, and the records that they will get. */
static strata_status mix_consumers(digest *d, strata_store *store) {
    strata_consumer consumer = strata_consumer_blank();
    char name[STRATA_MAX_LABEL + 1];
    strata_status status = strata_consumer_next(d->view, NULL, &consumer, d->error);
    for (; status == STRATA_OK; status = strata_consumer_next(d->view, name, &consumer, d->error)) {
        mix(d, consumer.name, sizeof consumer.name);
        mix_number(d, strata_token_version(&consumer.token));
        mix_number(d, consumer.lag_commits);
        mix_number(d, consumer.expired);
        status = mix_records(d, store, consumer.name);
        if (status < 0) break;
        memcpy(name, consumer.name, sizeof name);
    }
    return status;
}

strata_status digest_of_file(const char *path, uint64_t *out, strata_error *error) {
    strata_config config = { .size = sizeof config, .path = path, .flags = STRATA_OPEN_NO_CREATE,
                             .map_size = 1 << 28 };
    strata_store *store;
    strata_view *view = NULL;
    strata_status status = strata_store_open(&config, &store, error);
    STEP(strata_view_open(store, &view, error));
    STEP(digest_of_view(view, out, error));
    digest consumers = { .view = view, .value = *out, .error = error };
    STEP(mix_consumers(&consumers, store));
    *out = consumers.value;
    strata_view_close(view);
    strata_store_close(store);
    return status;
}

/* ---- Worlds ----------------------------------------------------------- */

static bool ends_with(const char *name, const char *end) {
    size_t length = strlen(name), size = strlen(end);
    return length >= size && strcmp(name + length - size, end) == 0;
}

/* Hidden files are not finished. */
static bool is_store(const char *name) {
    return name[0] != '.' && !ends_with(name, "-lock") && !ends_with(name, "-log");
}

strata_status world_read(const site *at, world *out, strata_error *error) {
    strata_status status = STRATA_OK;
    DIR *entries = opendir(at->directory);
    CHECK(entries != NULL);
    out->count = 0;
    for (const struct dirent *entry; status >= 0 && (entry = readdir(entries)) != NULL;) {
        char path[500];
        if (!is_store(entry->d_name)) continue;
        CHECK(out->count < WORLD_FILES);
        struct world_file *file = &out->files[out->count++];
        snprintf(file->name, sizeof file->name, "%.20s", entry->d_name);
        /* Of the one that is open already, this opens another handle. */
        status = digest_of_file(site_path(at, entry->d_name, path), &file->digest, error);
    }
    closedir(entries);
    return status;
}

/* The number of a file, or 0 if it is missing. */
static uint64_t digest_in(const world *it, const char *name) {
    for (int i = 0; i < it->count; i++)
        if (strcmp(it->files[i].name, name) == 0) return it->files[i].digest;
    return 0;
}

static bool is_among(const char *name, uint64_t digest, const world *states, int count) {
    for (int i = 0; i < count; i++)
        if (digest_in(&states[i], name) == digest) return true;
    return false;
}

bool world_is_among(const world *it, const world *states, int count, char why[200]) {
    for (int w = -1; w < count; w++) {
        const world *named = w < 0 ? it : &states[w];
        for (int i = 0; i < named->count; i++) {
            const char *name = named->files[i].name;
            uint64_t found = digest_in(it, name);
            if (is_among(name, found, states, count)) continue;
            snprintf(why, 200, found == 0 ? "'%s' is missing" : "'%s' has neither its old nor its new content", name);
            return false;
        }
    }
    return true;
}
