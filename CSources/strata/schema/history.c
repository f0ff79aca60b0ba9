/* SPDX-License-Identifier: MIT
 * history.c -- the schemas that a file has had. */
#define _GNU_SOURCE 1
#include "schema/history.h"

#include <errno.h>
#include <time.h>

#include "base/bits.h"
#include "base/hash.h"
#include "base/sized.h"
#include "base/status.h"
#include "base/utf8.h"
#include "store/handle.h"
#include "store/tree.h"
#include "strata_migration.h"

enum { RECORD_FORMAT = 1, RECORD_HEADER = 32, MAX_NAME = 63 };

static strata_bytes make_key(const char *kind, uint8_t out[8], uint32_t position) {
    memcpy(out, kind, 4);
    st_store_big32(out + 4, position);
    return (strata_bytes){ out, 8 };
}

static strata_bytes history_key(uint8_t out[8], uint32_t position) { return make_key("\0his", out, position); }
static strata_bytes classes_key(uint8_t out[8], uint32_t position) { return make_key("\0cls", out, position); }

/* ---- Hashing ---------------------------------------------------------- */

static void hash_text(st_hash_state *state, const char *text) { st_hash_more(state, text, strlen(text) + 1); }

static uint64_t hash_column(const st_catalog *catalog, const st_table *table, const st_column *column) {
    static const st_hash_key open = { 0, 0 };
    const uint8_t kind[3] = { (uint8_t)column->type, (uint8_t)column->collection, (uint8_t)column->flags };
    st_hash_state state;
    st_hash_begin(&state, &open);
    hash_text(&state, table->name);
    hash_text(&state, column->name);
    st_hash_more(&state, kind, sizeof kind);
    hash_text(&state, column->type == STRATA_LINK ? catalog->tables[column->target].name : "");
    return st_hash_end(&state);
}

static uint64_t hash_index(const st_table *table, const st_index *index) {
    static const st_hash_key open = { 1, 0 };
    st_hash_state state;
    st_hash_begin(&state, &open);
    hash_text(&state, table->name);
    for (uint32_t i = 0; i < index->column_count; i++) hash_text(&state, table->columns[index->columns[i]].name);
    return st_hash_end(&state);
}

static uint64_t hash_table(const st_catalog *catalog, const st_table *table) {
    static const st_hash_key open = { 2, 0 };
    const uint8_t flags = (uint8_t)table->flags;
    st_hash_state state;
    st_hash_begin(&state, &open);
    hash_text(&state, table->name);
    st_hash_more(&state, &flags, 1);
    uint64_t sum = st_hash_end(&state);
    for (uint32_t c = 0; c < table->column_count; c++)
        if (table->columns[c].type != STRATA_NULL) sum += hash_column(catalog, table, &table->columns[c]);
    for (uint32_t i = 0; i < table->compound_count; i++) sum += hash_index(table, &table->indexes[i]);
    return sum;
}

/* A sum, since the order does not matter. */
uint64_t strata_schema_hash(const strata_view *view) {
    uint64_t sum = 0;
    if (view == NULL) return 0;
    for (uint32_t t = 0; t < view->catalog->table_count; t++)
        if (view->catalog->tables[t].name[0] != 0) sum += hash_table(view->catalog, &view->catalog->tables[t]);
    return sum;
}

/* ---- Records ---------------------------------------------------------- */

static strata_status damaged(uint32_t position, strata_error *error) {
    return st_fail(error, STRATA_CORRUPT, 0, "record %u of the history of schemas is damaged", position);
}

/* A name of so many bytes, which need not be one. */
static bool read_name(char out[MAX_NAME + 1], const uint8_t *bytes, uint8_t size) {
    if (size > MAX_NAME || memchr(bytes, 0, size) != NULL || !st_utf8_valid(bytes, size)) return false;
    memcpy(out, bytes, size);
    out[size] = 0;
    return true;
}

static bool read_record(strata_bytes record, strata_schema_record *out) {
    const uint8_t *p = record.data;
    if (record.size < RECORD_HEADER || p[0] != RECORD_FORMAT) return false;
    if (record.size != RECORD_HEADER + (size_t)p[1] + p[2]) return false;
    out->version = strata_load64(p + 8);
    out->hash = strata_load64(p + 16);
    out->time = (int64_t)strata_load64(p + 24);
    return read_name(out->program, p + RECORD_HEADER, p[1]) &&
           read_name(out->migration, p + RECORD_HEADER + p[1], p[2]);
}

/* Where the classes of a record stand: a position plus 1, or 0. */
static uint32_t classes_of(strata_bytes record) { return strata_load32((const uint8_t *)record.data + 4); }

strata_status st_schema_history_read(st_txn *txn, uint32_t position, strata_schema_record *out, strata_error *error) {
    strata_bytes record;
    uint8_t key[8];
    strata_status status = st_tree_get(txn, ST_META, history_key(key, position), &record, error);
    if (status != STRATA_OK) return status;
    return read_record(record, out) ? STRATA_OK : damaged(position, error);
}

strata_status strata_schema_history_sized(strata_view *view, uint32_t position, strata_schema_record *out, size_t size,
                                          strata_error *error) {
    strata_schema_record found = { 0 };
    strata_status status = st_view_readable(view, error);
    if (status == STRATA_OK) status = st_schema_history_read(view->txn, position, &found, error);
    if (status != STRATA_OK) found = (strata_schema_record){ 0 };
    st_sized_write(out, size, &found, sizeof found);
    return status;
}

/* What wrote the newest schema; "" if nobody knows. */
static void find_writer(const strata_view *view, char out[MAX_NAME + 1]) {
    strata_schema_record record = { 0 };
    out[0] = 0;
    for (uint32_t i = 0; i < STRATA_MAX_HISTORY; i++) {
        if (st_schema_history_read(view->txn, i, &record, NULL) != STRATA_OK) break;
        memcpy(out, record.program, MAX_NAME + 1);
    }
}

strata_status st_schema_refuse_newer(const strata_view *view, uint64_t version, strata_error *error) {
    char writer[MAX_NAME + 1];
    find_writer(view, writer);
    return st_fail(error, STRATA_SCHEMA_OLD, 0,
                   "%s has schema version %llu%s%s, which is higher than the %llu of this program; use a newer version "
                   "of the program, or open the file for reading only",
                   strata_store_path(view->store), (unsigned long long)strata_schema_version(view),
                   writer[0] == 0 ? "" : ", written by ", writer, (unsigned long long)version);
}

static size_t put_name(uint8_t *to, const char *name) {
    size_t size = st_utf8_fit(name, strlen(name), MAX_NAME);
    if (!st_utf8_valid((const uint8_t *)name, size)) size = 0;
    memcpy(to, name, size);
    return size;
}

/* ---- Classes ---------------------------------------------------------- */

/* The record of classes at a position. Returns STRATA_OK or STRATA_NOT_FOUND. */
static strata_status get_classes(st_txn *txn, uint32_t position, strata_bytes *out, strata_error *error) {
    uint8_t key[8];
    return st_tree_get(txn, ST_META, classes_key(key, position), out, error);
}

strata_status st_schema_history_classes(st_txn *txn, uint32_t position, st_catalog **out, uint64_t *out_version,
                                        strata_error *error) {
    strata_schema_record known;
    strata_bytes record;
    uint8_t key[8];
    *out = NULL;
    strata_status status = st_schema_history_read(txn, position, &known, error);
    if (status == STRATA_OK) status = st_tree_get(txn, ST_META, history_key(key, position), &record, error);
    if (status != STRATA_OK) return status;
    *out_version = known.version;
    uint32_t classes = classes_of(record);
    if (classes == 0) return STRATA_NOT_FOUND;
    status = classes > position + 1 ? STRATA_NOT_FOUND : get_classes(txn, classes - 1, &record, error);
    if (status == STRATA_NOT_FOUND) return damaged(position, error);
    return status == STRATA_OK ? st_classes_read(record, out, error) : status;
}

/* ---- Remembering ------------------------------------------------------ */

/* Where the next record goes, and what it says of its classes. */
typedef struct next_record {
    uint32_t position;
    uint32_t classes;     /* 0: they are not kept yet */
    uint32_t kept;        /* records of classes */
    uint64_t hash;
    st_buffer tables;     /* the record of the classes */
} next_record;

/* Notes the record at the position of the next one, which goes behind it. */
static strata_status pass(strata_view *view, next_record *next, strata_bytes record, strata_error *error) {
    strata_schema_record known;
    strata_bytes tables;
    uint32_t classes = read_record(record, &known) ? classes_of(record) : 0;
    strata_status status = STRATA_OK;
    next->kept += classes == next->position + 1;
    if (classes != 0 && next->classes == 0 && known.hash == next->hash) {
        status = get_classes(view->txn, classes - 1, &tables, error);
        if (status == STRATA_OK && tables.size == next->tables.size &&
            memcmp(tables.data, next->tables.data, tables.size) == 0)
            next->classes = classes;
    }
    next->position++;
    return status < 0 ? status : STRATA_OK;
}

/* Finds the end of the history, and whether it has the same classes somewhere. */
static strata_status find_end(strata_view *view, next_record *next, strata_error *error) {
    while (next->position < STRATA_MAX_HISTORY) {
        strata_bytes record;
        uint8_t key[8];
        strata_status status = st_tree_get(view->txn, ST_META, history_key(key, next->position), &record, error);
        if (status == STRATA_OK) status = pass(view, next, record, error);
        if (status != STRATA_OK) return status == STRATA_NOT_FOUND ? STRATA_OK : status;
    }
    return STRATA_OK;
}

/* Keeps the classes, if they are new and there is room for them. */
static strata_status keep_classes(strata_view *view, next_record *next, strata_error *error) {
    uint8_t key[8];
    if (next->classes != 0 || next->kept >= STRATA_MAX_HISTORY_CLASSES) return STRATA_OK;
    if (next->tables.size > STRATA_MAX_CLASSES_SIZE) return STRATA_OK;
    next->classes = next->position + 1;
    return st_tree_put(view->txn, ST_META, classes_key(key, next->position),
                       (strata_bytes){ next->tables.data, next->tables.size }, error);
}

static strata_status put_record(strata_view *view, const next_record *next, uint64_t version, const char *migration,
                                strata_error *error) {
    uint8_t key[8], record[RECORD_HEADER + 2 * MAX_NAME] = { RECORD_FORMAT };
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    record[1] = (uint8_t)put_name(record + RECORD_HEADER, program_invocation_short_name);
    record[2] = (uint8_t)put_name(record + RECORD_HEADER + record[1], migration == NULL ? "" : migration);
    st_store32(record + 4, next->classes);
    st_store64(record + 8, version);
    st_store64(record + 16, next->hash);
    st_store64(record + 24, (uint64_t)((int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000));
    return st_tree_put(view->txn, ST_META, history_key(key, next->position),
                       (strata_bytes){ record, RECORD_HEADER + (size_t)record[1] + record[2] }, error);
}

strata_status st_schema_remember(strata_view *view, uint64_t version, const char *migration, strata_error *error) {
    next_record next = { .hash = strata_schema_hash(view) };
    strata_status status = STRATA_OK;
    st_txn_header(view->txn)->schema_version = version;
    if (!st_classes_write(view->catalog, &next.tables)) status = st_no_memory(error, "remembering the schema");
    if (status == STRATA_OK) status = find_end(view, &next, error);
    if (status == STRATA_OK && next.position < STRATA_MAX_HISTORY) {
        status = keep_classes(view, &next, error);
        if (status == STRATA_OK) status = put_record(view, &next, version, migration, error);
    }
    st_buffer_free(&next.tables);
    return status;
}
