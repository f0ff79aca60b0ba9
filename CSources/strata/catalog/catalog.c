/* SPDX-License-Identifier: MIT
 * catalog.c -- catalogs in memory. */
#include "catalog/catalog.h"

#include <stdio.h>
#include <stdlib.h>

void st_catalog_free(st_catalog *catalog) {
    if (catalog == NULL) return;
    for (uint32_t t = 0; t < catalog->table_count; t++) {
        free(catalog->tables[t].columns);
        free(catalog->tables[t].fields);
        free(catalog->tables[t].incoming);
        free(catalog->tables[t].indexes);
    }
    free(catalog->tables);
    free(catalog->sets);
    free(catalog);
}

st_table *st_catalog_add_table(st_catalog *catalog, const char *name, uint32_t flags) {
    size_t count = catalog->table_count;
    st_table *tables = realloc(catalog->tables, (count + 1) * sizeof *tables);
    if (tables == NULL) return NULL;
    catalog->tables = tables;
    catalog->table_count++;
    st_table *table = &tables[count];
    *table = (st_table){ .flags = flags, .primary = ST_NONE };
    memcpy(table->name, name, strlen(name) + 1);
    return table;
}

st_column *st_catalog_add_column(st_table *table, const char *name) {
    size_t count = table->column_count;
    st_column *columns = realloc(table->columns, (count + 1) * sizeof *columns);
    if (columns == NULL) return NULL;
    table->columns = columns;
    table->column_count++;
    st_column *column = &columns[count];
    *column = (st_column){ .target = ST_NONE };
    memcpy(column->name, name, strlen(name) + 1);
    return column;
}

/* Adds an index behind the first `count`; those behind them are forgotten. */
static st_index *add_index(st_table *table, uint32_t count) {
    st_index *indexes = realloc(table->indexes, ((size_t)count + 1) * sizeof *indexes);
    if (indexes == NULL) return NULL;
    table->indexes = indexes;
    table->index_count = count + 1;
    indexes[count] = (st_index){ 0 };
    return &indexes[count];
}

st_index *st_catalog_add_compound(st_table *table) {
    st_index *index = add_index(table, table->compound_count);
    if (index != NULL) table->compound_count++;
    return index;
}

void st_catalog_remove_compound(st_table *table, uint32_t position) {
    st_index *at = table->indexes + position;
    memmove(at, at + 1, (table->index_count - position - 1) * sizeof *at);
    table->index_count--;
    table->compound_count--;
}

static bool complete_indexes(st_table *table) {
    table->index_count = table->compound_count;
    for (uint32_t c = 0; c < table->column_count; c++) {
        if (table->columns[c].index_id == 0) continue;
        st_index *index = add_index(table, table->index_count);
        if (index == NULL) return false;
        *index = (st_index){ .id = table->columns[c].index_id, .column_count = 1, .columns = { c } };
    }
    return true;
}

static bool add_incoming(st_table *target, uint32_t table, uint32_t column) {
    size_t count = target->incoming_count;
    st_incoming *incoming = realloc(target->incoming, (count + 1) * sizeof *incoming);
    if (incoming == NULL) return false;
    incoming[count] = (st_incoming){ table, column };
    target->incoming = incoming;
    target->incoming_count++;
    return true;
}

static bool complete_fields(st_table *table, uint32_t number) {
    st_field *fields = realloc(table->fields, (table->column_count + 1) * sizeof *fields);
    if (fields == NULL) return false;
    table->fields = fields;
    table->has_links = false;
    table->incoming_count = 0;
    for (uint32_t c = 0; c < table->column_count; c++) {
        st_column *column = &table->columns[c];
        column->table = number;
        column->number = c;
        if (column->type == STRATA_NULL) fields[c] = (st_field){ ST_PACK_NONE, false, 0 };
        else fields[c] = st_field_of(column->type, column->collection, column->flags);
        table->has_links = table->has_links || column->link_id != 0;
    }
    return true;
}

static uint32_t add_set(st_catalog *catalog, st_tree tree, uint32_t id) {
    catalog->sets[catalog->set_count] = (st_posting_set){ tree, id };
    return catalog->set_count++;
}

static void number_index_sets(st_catalog *catalog, st_table *table) {
    for (uint32_t i = 0; i < table->index_count; i++) {
        st_index *index = &table->indexes[i];
        index->set = add_set(catalog, ST_INDEX, index->id);
        if (i >= table->compound_count) table->columns[index->columns[0]].index_set = index->set;
    }
}

static void number_link_sets(st_catalog *catalog, st_table *table) {
    for (uint32_t c = 0; c < table->column_count; c++) {
        st_column *column = &table->columns[c];
        if (column->link_id != 0) column->link_set = add_set(catalog, ST_LINKS, column->link_id);
    }
}

/* Numbers the sets that are in use. What is kept for each set in memory goes by these numbers: ids are given out once,
 * so that there may be many more of them, and how many is a number of the file. */
static bool complete_sets(st_catalog *catalog) {
    size_t most = 1;
    for (uint32_t t = 0; t < catalog->table_count; t++)
        most += (size_t)catalog->tables[t].index_count + catalog->tables[t].column_count;
    st_posting_set *sets = realloc(catalog->sets, most * sizeof *sets);
    if (sets == NULL) return false;
    catalog->sets = sets;
    catalog->set_count = 0;
    for (uint32_t t = 0; t < catalog->table_count; t++) number_index_sets(catalog, &catalog->tables[t]);
    for (uint32_t t = 0; t < catalog->table_count; t++) number_link_sets(catalog, &catalog->tables[t]);
    return true;
}

bool st_catalog_complete(st_catalog *catalog) {
    static _Atomic uint64_t last_serial;
    catalog->serial = ++last_serial;
    for (uint32_t t = 0; t < catalog->table_count; t++) {
        if (!complete_fields(&catalog->tables[t], t) || !complete_indexes(&catalog->tables[t])) return false;
    }
    if (!complete_sets(catalog)) return false;
    for (uint32_t t = 0; t < catalog->table_count; t++) {
        const st_table *table = &catalog->tables[t];
        for (uint32_t c = 0; c < table->column_count; c++) {
            const st_column *column = &table->columns[c];
            if (column->link_id == 0) continue;
            uint32_t first = column->target, end = column->target + 1;
            if (column->type == STRATA_MIXED) { /* it may link anywhere */
                first = 0;
                end = catalog->table_count;
            }
            for (uint32_t target = first; target < end; target++)
                if (!add_incoming(&catalog->tables[target], t, c)) return false;
        }
    }
    return true;
}

bool st_catalog_new_id(st_catalog *catalog, uint32_t *out) {
    if (catalog->next_id >= ST_MAX_IDS) return false;
    *out = catalog->next_id++;
    return true;
}

static bool copy_contents(st_table *to, const st_table *from) {
    for (uint32_t c = 0; c < from->column_count; c++) {
        st_column *column = st_catalog_add_column(to, "");
        if (column == NULL) return false;
        *column = from->columns[c];
    }
    for (uint32_t i = 0; i < from->compound_count; i++) {
        st_index *index = st_catalog_add_compound(to);
        if (index == NULL) return false;
        *index = from->indexes[i];
    }
    return true;
}

st_catalog *st_catalog_copy(const st_catalog *catalog) {
    st_catalog *copy = calloc(1, sizeof *copy);
    if (copy == NULL) return NULL;
    copy->version = catalog->version;
    copy->next_id = catalog->next_id;
    for (uint32_t t = 0; t < catalog->table_count; t++) {
        const st_table *from = &catalog->tables[t];
        st_table *to = st_catalog_add_table(copy, from->name, from->flags);
        if (to == NULL || !copy_contents(to, from)) {
            st_catalog_free(copy);
            return NULL;
        }
        to->primary = from->primary;
    }
    if (!st_catalog_complete(copy)) {
        st_catalog_free(copy);
        return NULL;
    }
    return copy;
}

uint32_t st_catalog_find(const st_catalog *catalog, const char *name) {
    for (uint32_t t = 0; t < catalog->table_count && *name != 0; t++) {
        if (strcmp(catalog->tables[t].name, name) == 0) return t;
    }
    return ST_NONE;
}

uint32_t st_table_find(const st_table *table, const char *name) {
    for (uint32_t c = 0; c < table->column_count; c++) {
        if (table->columns[c].type != STRATA_NULL && strcmp(table->columns[c].name, name) == 0) return c;
    }
    return ST_NONE;
}

bool st_table_is_indexed(const st_table *table, uint32_t column) {
    for (uint32_t i = 0; i < table->index_count; i++)
        for (uint32_t j = 0; j < table->indexes[i].column_count; j++)
            if (table->indexes[i].columns[j] == column) return true;
    return false;
}

/* A mixed value may need all the room that a key has. Doubles and decimals cannot be indexed by themselves either. */
bool st_compound_allows(strata_type type, strata_collection collection) {
    switch (type) {
    case STRATA_BOOL:
    case STRATA_INT:
    case STRATA_STRING:
    case STRATA_DATE:
    case STRATA_UUID:
    case STRATA_OBJECT_ID:
    case STRATA_LINK: return collection == STRATA_SINGLE;
    default: return false;
    }
}

void st_index_describe(const st_table *table, const st_index *index, char *out, size_t size) {
    size_t at = 0;
    out[0] = 0;
    for (uint32_t i = 0; i < index->column_count && at < size; i++) {
        const char *name = table->columns[index->columns[i]].name;
        at += (size_t)snprintf(out + at, size - at, "%s%s", i == 0 ? "" : ", ", name);
    }
}

