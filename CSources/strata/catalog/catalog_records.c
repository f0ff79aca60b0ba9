/* SPDX-License-Identifier: MIT
 * catalog_records.c -- catalogs as stored. */
#include "catalog/catalog_records.h"

#include <stdlib.h>

#include "base/bits.h"
#include "base/buffer.h"
#include "base/sort.h"
#include "base/status.h"
#include "base/utf8.h"
#include "store/handle.h"
#include "store/tree.h"
#include "store/trees.h"
#include "value/key.h"

enum { RECORD_FORMAT = 1, ROOT_SIZE = 12, TABLE_HEADER = 9, COLUMN_HEADER = 16, COMPOUND_HEADER = 6 };

static const uint8_t ROOT_KEY[8] = { 0, 'c', 'a', 't', 0, 0, 0, 0 };

static strata_bytes table_key(uint8_t key[8], uint32_t table) {
    memcpy(key, "\0tab", 4);
    st_store_big32(key + 4, table);
    return (strata_bytes){ key, 8 };
}

/* ---- Reading ---------------------------------------------------------- */

/* A record being read. Once it has run out of bytes, or says what cannot be, `failed` stays true. */
typedef struct record_reader {
    const uint8_t *at;
    size_t left;
    bool failed, no_memory;
} record_reader;

/* The next bytes. Zeros if there are not so many: then the record_reader has failed. */
static const uint8_t *consume(record_reader *r, size_t size) {
    static const uint8_t nothing[256];
    if (r->failed || r->left < size) {
        r->failed = true;
        return nothing;
    }
    const uint8_t *at = r->at;
    r->at += size;
    r->left -= size;
    return at;
}

/* A name is UTF-8 without a zero inside, so that it can be a C string. */
static void read_name(record_reader *r, uint8_t size, size_t limit, char *out) {
    if (size > limit) r->failed = true;
    const uint8_t *bytes = consume(r, size);
    if (r->failed || memchr(bytes, 0, size) != NULL || !st_utf8_valid(bytes, size)) {
        r->failed = true;
        return;
    }
    memcpy(out, bytes, size);
    out[size] = 0;
}

static bool type_known(uint8_t type) {
    return type <= STRATA_LINK;
}

/* The layers above rely on these rules and do not check them again. */
static bool column_allowed(const st_column *column, uint32_t table_count, uint32_t next_id) {
    bool mixed = column->type == STRATA_MIXED, links = column->type == STRATA_LINK || mixed;
    bool indexed = column->index_id != 0;
    if (column->index_id >= next_id || column->link_id >= next_id || links != (column->link_id != 0)) return false;
    if (links && !mixed && column->target >= table_count) return false;
    if (column->collection != STRATA_SINGLE && indexed) return false;
    return !indexed || column->type == STRATA_STRING || mixed || (!links && st_key_width(column->type, false) != 0);
}

static void read_column(record_reader *r, st_table *table, uint32_t table_count, uint32_t next_id) {
    const uint8_t *p = consume(r, COLUMN_HEADER);
    char name[STRATA_MAX_COLUMN_NAME + 1] = "";
    if (r->failed || !type_known(p[0]) || p[1] > STRATA_MAP) {
        r->failed = true;
        return;
    }
    read_name(r, p[3], STRATA_MAX_COLUMN_NAME, name);
    st_column *column = st_catalog_add_column(table, name);
    if (column == NULL) {
        r->failed = r->no_memory = true;
        return;
    }
    column->type = (strata_type)p[0];
    column->collection = (strata_collection)p[1];
    column->flags = p[2];
    column->target = strata_load32(p + 4);
    column->index_id = strata_load32(p + 8);
    column->link_id = strata_load32(p + 12);
    if (!column_allowed(column, table_count, next_id)) r->failed = true;
}

static bool compound_allowed(const st_table *table, const st_index *index, uint32_t next_id) {
    if (index->id == 0 || index->id >= next_id) return false;
    for (uint32_t i = 0; i < index->column_count; i++) {
        uint32_t number = index->columns[i];
        if (number >= table->column_count) return false;
        if (!st_compound_allows(table->columns[number].type, table->columns[number].collection)) return false;
        for (uint32_t k = 0; k < i; k++)
            if (index->columns[k] == number) return false;
    }
    return true;
}

static void read_compound(record_reader *r, st_table *table, uint32_t next_id) {
    const uint8_t *p = consume(r, COMPOUND_HEADER);
    uint32_t count = p[0];
    const uint8_t *columns = consume(r, 2 * (size_t)count);
    if (r->failed || count < 2 || count > STRATA_MAX_INDEX_COLUMNS || table->compound_count >= STRATA_MAX_INDEXES) {
        r->failed = true;
        return;
    }
    st_index *index = st_catalog_add_compound(table);
    if (index == NULL) {
        r->failed = r->no_memory = true;
        return;
    }
    index->id = strata_load32(p + 2);
    index->column_count = count;
    for (uint32_t i = 0; i < count; i++) index->columns[i] = strata_load16(columns + 2 * (size_t)i);
    if (!compound_allowed(table, index, next_id)) r->failed = true;
}

strata_status st_table_record_read(strata_bytes record, st_catalog *catalog, uint32_t table_count) {
    record_reader r = { record.data, record.size, false, false };
    const uint8_t *p = consume(&r, TABLE_HEADER);
    if (r.failed || p[0] != RECORD_FORMAT) return STRATA_CORRUPT;
    uint32_t columns = strata_load16(p + 2), primary = strata_load32(p + 4);
    char name[STRATA_MAX_TABLE_NAME + 1] = "";
    read_name(&r, p[8], STRATA_MAX_TABLE_NAME, name);
    if (r.failed || columns > STRATA_MAX_COLUMNS || (primary != ST_NONE && primary >= columns)) return STRATA_CORRUPT;
    st_table *table = st_catalog_add_table(catalog, name, p[1]);
    if (table == NULL) return STRATA_NO_MEMORY;
    table->primary = primary;
    for (uint32_t c = 0; c < columns && !r.failed; c++) read_column(&r, table, table_count, catalog->next_id);
    while (!r.failed && r.left != 0) read_compound(&r, table, catalog->next_id);
    if (r.no_memory) return STRATA_NO_MEMORY;
    if (r.failed) return STRATA_CORRUPT;
    return primary == ST_NONE || table->columns[primary].index_id != 0 ? STRATA_OK : STRATA_CORRUPT;
}

static strata_status load_table(st_txn *txn, st_catalog *catalog, uint32_t table, uint32_t table_count,
                                strata_error *error) {
    strata_bytes record;
    uint8_t key[8];
    strata_status status = st_tree_get(txn, ST_META, table_key(key, table), &record, error);
    if (status < 0) return status;
    status = status == STRATA_OK ? st_table_record_read(record, catalog, table_count) : STRATA_CORRUPT;
    if (status == STRATA_OK) return STRATA_OK;
    if (status == STRATA_NO_MEMORY) return st_no_memory(error, "loading the catalog");
    return st_fail(error, STRATA_CORRUPT, 0, "the catalog record of table %u is damaged or missing", table);
}

static int compare_ids(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Every index, and every column with links, has a set of its own: two would change the entries of each other. */
static strata_status check_ids(const st_catalog *catalog, strata_error *error) {
    uint32_t count = catalog->set_count;
    uint32_t *ids = malloc((count + 1) * sizeof *ids);
    bool good = true;
    if (ids == NULL) return st_no_memory(error, "loading the catalog");
    for (uint32_t i = 0; i < count; i++) ids[i] = catalog->sets[i].id;
    st_sort_array(ids, count, sizeof *ids, compare_ids);
    for (uint32_t i = 1; i < count && good; i++) good = ids[i - 1] != ids[i];
    free(ids);
    return good ? STRATA_OK : st_fail(error, STRATA_CORRUPT, 0, "the catalog is damaged: two indexes or links are one");
}

strata_status st_catalog_load(st_txn *txn, st_catalog **out, strata_error *error) {
    strata_bytes record;
    uint32_t tables = 0;
    st_catalog *catalog = calloc(1, sizeof *catalog);
    *out = NULL;
    if (catalog == NULL) return st_no_memory(error, "loading the catalog");
    catalog->version = st_txn_header(txn)->catalog_version;
    catalog->next_id = 1;

    strata_status status = st_tree_get(txn, ST_META, (strata_bytes){ ROOT_KEY, 8 }, &record, error);
    if (status == STRATA_OK) {
        const uint8_t *p = record.data;
        if (record.size != ROOT_SIZE || p[0] != RECORD_FORMAT || strata_load32(p + 4) > STRATA_MAX_TABLES ||
            strata_load32(p + 8) == 0 || strata_load32(p + 8) > ST_MAX_IDS) {
            status = st_fail(error, STRATA_CORRUPT, 0, "the catalog's root record is damaged");
            goto done;
        }
        tables = strata_load32(p + 4);
        catalog->next_id = strata_load32(p + 8);
    }
    for (uint32_t t = 0; t < tables && status == STRATA_OK; t++) status = load_table(txn, catalog, t, tables, error);
    if (status < 0) goto done;
    status = STRATA_OK;
    if (!st_catalog_complete(catalog)) {
        status = st_no_memory(error, "loading the catalog");
        goto done;
    }
    status = check_ids(catalog, error);
    if (status != STRATA_OK) goto done;
    *out = catalog;
    catalog = NULL;

done:
    st_catalog_free(catalog);
    return status;
}

/* ---- Writing ---------------------------------------------------------- */

bool st_table_record_write(const st_table *table, st_buffer *out) {
    uint8_t header[TABLE_HEADER] = { RECORD_FORMAT, (uint8_t)table->flags };
    st_store16(header + 2, (uint16_t)table->column_count);
    st_store32(header + 4, table->primary);
    header[8] = (uint8_t)strlen(table->name);
    if (!st_buffer_append(out, header, sizeof header) || !st_buffer_append(out, table->name, header[8])) return false;
    for (uint32_t c = 0; c < table->column_count; c++) {
        const st_column *column = &table->columns[c];
        uint8_t p[COLUMN_HEADER] = { (uint8_t)column->type, (uint8_t)column->collection, (uint8_t)column->flags,
                                     (uint8_t)strlen(column->name) };
        st_store32(p + 4, column->target);
        st_store32(p + 8, column->index_id);
        st_store32(p + 12, column->link_id);
        if (!st_buffer_append(out, p, sizeof p) || !st_buffer_append(out, column->name, p[3])) return false;
    }
    for (uint32_t i = 0; i < table->compound_count; i++) {
        const st_index *index = &table->indexes[i];
        uint8_t p[COMPOUND_HEADER + 2 * STRATA_MAX_INDEX_COLUMNS] = { (uint8_t)index->column_count };
        st_store32(p + 2, index->id);
        for (uint32_t k = 0; k < index->column_count; k++)
            st_store16(p + COMPOUND_HEADER + 2 * (size_t)k, (uint16_t)index->columns[k]);
        if (!st_buffer_append(out, p, COMPOUND_HEADER + 2 * (size_t)index->column_count)) return false;
    }
    return true;
}

strata_status st_catalog_store(st_txn *writer, st_catalog *catalog, strata_error *error) {
    st_buffer record = { 0 };
    uint8_t key[8], root[ROOT_SIZE] = { RECORD_FORMAT };
    st_store32(root + 4, catalog->table_count);
    st_store32(root + 8, catalog->next_id);
    strata_status status = st_tree_put(writer, ST_META, (strata_bytes){ ROOT_KEY, 8 },
                                       (strata_bytes){ root, ROOT_SIZE }, error);
    for (uint32_t t = 0; t < catalog->table_count && status == STRATA_OK; t++) {
        record.size = 0;
        if (!st_table_record_write(&catalog->tables[t], &record)) status = st_no_memory(error, "storing the catalog");
        else
            status = st_tree_put(writer, ST_META, table_key(key, t), (strata_bytes){ record.data, record.size }, error);
    }
    st_buffer_free(&record);
    if (status == STRATA_OK) catalog->version = ++st_txn_header(writer)->catalog_version;
    return status;
}
