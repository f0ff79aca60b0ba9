/* SPDX-License-Identifier: MIT
 * classes.c -- the tables of a schema, as the history of a file keeps them. */
#include "schema/classes.h"

#include <stdlib.h>

#include "base/bits.h"
#include "base/status.h"
#include "catalog/catalog_records.h"

enum { RECORD_FORMAT = 1, RECORD_HEADER = 8 };

/* ---- Writing ---------------------------------------------------------- */

static bool is_dropped(const st_table *table) { return table->name[0] == 0; }

/* The number that a column has when the dropped ones before it are left out. */
static uint32_t declared_number(const st_table *table, uint32_t column) {
    uint32_t number = 0;
    if (column == ST_NONE) return ST_NONE;
    for (uint32_t c = 0; c < column; c++) number += table->columns[c].type != STRATA_NULL;
    return number;
}

/* Adds a table without what was dropped. `numbers` are those that tables have then. */
static bool add_declared(st_catalog *to, const st_table *from, const uint32_t *numbers) {
    st_table *table = st_catalog_add_table(to, from->name, from->flags);
    if (table == NULL) return false;
    table->primary = declared_number(from, from->primary);
    for (uint32_t c = 0; c < from->column_count; c++) {
        const st_column *old = &from->columns[c];
        if (old->type == STRATA_NULL) continue;
        st_column *column = st_catalog_add_column(table, "");
        if (column == NULL) return false;
        *column = *old;
        column->target = old->type == STRATA_LINK ? numbers[old->target] : ST_NONE;
        column->index_id = old->index_id != 0;
        column->link_id = old->link_id != 0;
    }
    for (uint32_t i = 0; i < from->compound_count; i++) {
        st_index *index = st_catalog_add_compound(table);
        if (index == NULL) return false;
        *index = from->indexes[i];
        index->id = 1;
        for (uint32_t k = 0; k < index->column_count; k++) index->columns[k] = declared_number(from, index->columns[k]);
    }
    return true;
}

/* A copy of a catalog without what was dropped. NULL if there is no memory. */
static st_catalog *copy_declared(const st_catalog *catalog) {
    st_catalog *copy = calloc(1, sizeof *copy);
    uint32_t *numbers = malloc((catalog->table_count + 1) * sizeof *numbers), count = 0;
    bool done = copy != NULL && numbers != NULL;
    for (uint32_t t = 0; t < catalog->table_count && done; t++)
        numbers[t] = is_dropped(&catalog->tables[t]) ? ST_NONE : count++;
    for (uint32_t t = 0; t < catalog->table_count && done; t++)
        if (!is_dropped(&catalog->tables[t])) done = add_declared(copy, &catalog->tables[t], numbers);
    free(numbers);
    if (done) return copy;
    st_catalog_free(copy);
    return NULL;
}

static bool write_tables(const st_catalog *catalog, st_buffer *out) {
    uint8_t header[RECORD_HEADER] = { RECORD_FORMAT }, size[4] = { 0 };
    st_store32(header + 4, catalog->table_count);
    bool done = st_buffer_append(out, header, sizeof header);
    for (uint32_t t = 0; t < catalog->table_count && done; t++) {
        size_t at = out->size;
        done = st_buffer_append(out, size, sizeof size) && st_table_record_write(&catalog->tables[t], out);
        if (done) st_store32(out->data + at, (uint32_t)(out->size - at - sizeof size));
    }
    return done;
}

bool st_classes_write(const st_catalog *catalog, st_buffer *out) {
    st_catalog *declared = copy_declared(catalog);
    bool done = declared != NULL && write_tables(declared, out);
    st_catalog_free(declared);
    return done;
}

/* ---- Reading ---------------------------------------------------------- */

static strata_status read_tables(strata_bytes record, st_catalog *catalog) {
    const uint8_t *p = record.data;
    size_t at = RECORD_HEADER;
    if (record.size < RECORD_HEADER || p[0] != RECORD_FORMAT) return STRATA_CORRUPT;
    uint32_t count = strata_load32(p + 4);
    for (uint32_t t = 0; t < count; t++) {
        if (record.size - at < 4 || record.size - at - 4 < strata_load32(p + at)) return STRATA_CORRUPT;
        strata_bytes table = { p + at + 4, strata_load32(p + at) };
        strata_status status = st_table_record_read(table, catalog, count);
        if (status != STRATA_OK) return status;
        if (is_dropped(&catalog->tables[t])) return STRATA_CORRUPT;
        at += 4 + table.size;
    }
    return at == record.size ? STRATA_OK : STRATA_CORRUPT;
}

strata_status st_classes_read(strata_bytes record, st_catalog **out, strata_error *error) {
    st_catalog *catalog = calloc(1, sizeof *catalog);
    *out = NULL;
    if (catalog == NULL) return st_no_memory(error, "reading the history of schemas");
    catalog->next_id = 2; /* every id is 1 */
    strata_status status = read_tables(record, catalog);
    if (status == STRATA_OK) {
        *out = catalog;
        return STRATA_OK;
    }
    st_catalog_free(catalog);
    if (status == STRATA_NO_MEMORY) return st_no_memory(error, "reading the history of schemas");
    return st_fail(error, status, 0, "the classes of a schema in the history are damaged");
}
