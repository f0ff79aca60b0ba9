/* SPDX-License-Identifier: MIT
 * declaration.c -- declarations: their parts, and reading them from files. */
#include "transfer/declaration.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/status.h"
#include "schema/history.h"

/* ---- Names of types --------------------------------------------------- */

static const struct { const char *name; strata_type type; } type_names[] = {
    { "bool", STRATA_BOOL }, { "int", STRATA_INT }, { "float", STRATA_FLOAT }, { "double", STRATA_DOUBLE },
    { "string", STRATA_STRING }, { "data", STRATA_DATA }, { "date", STRATA_DATE }, { "uuid", STRATA_UUID },
    { "objectId", STRATA_OBJECT_ID }, { "decimal", STRATA_DECIMAL }, { "any", STRATA_MIXED },
};
enum { TYPE_NAMES = sizeof type_names / sizeof *type_names };

const char *st_declared_type_name(strata_type type) {
    for (size_t i = 0; i < TYPE_NAMES; i++)
        if (type_names[i].type == type) return type_names[i].name;
    return NULL;
}

strata_type st_declared_type(strata_bytes name) {
    for (size_t i = 0; i < TYPE_NAMES; i++)
        if (strlen(type_names[i].name) == name.size && memcmp(type_names[i].name, name.data, name.size) == 0)
            return type_names[i].type;
    return STRATA_NULL;
}

/* ---- Making ----------------------------------------------------------- */

static strata_status no_memory(strata_error *error) { return st_no_memory(error, "reading a schema"); }

static const char *copy_name(st_declaring *d, strata_bytes name) {
    char *copy = st_arena_alloc(&d->declaration->memory, name.size + 1);
    if (copy == NULL) return NULL;
    if (name.size != 0) memcpy(copy, name.data, name.size);
    copy[name.size] = 0;
    return copy;
}

/* The items of an array, in the arena of the declaration. */
static void *copy_items(st_declaring *d, const void *items, size_t count, size_t size) {
    void *copy = st_arena_alloc(&d->declaration->memory, count * size + 1);
    if (copy != NULL && count != 0) memcpy(copy, items, count * size);
    return copy;
}

strata_status st_declaring_begin(st_declaring *d, strata_error *error) {
    *d = (st_declaring){ .declaration = calloc(1, sizeof *d->declaration) };
    return d->declaration == NULL ? no_memory(error) : STRATA_OK;
}

strata_status st_declaring_table(st_declaring *d, strata_bytes name, uint32_t flags, strata_error *error) {
    strata_status status = st_declaring_end_table(d, error);
    if (status != STRATA_OK) return status;
    const char *copy = copy_name(d, name);
    if (copy == NULL ||
        !st_array_grow((void **)&d->tables, &d->table_capacity, d->table_count, sizeof *d->tables))
        return no_memory(error);
    d->tables[d->table_count++] = (strata_table_spec){ .name = copy, .flags = flags };
    return STRATA_OK;
}

strata_status st_declaring_column(st_declaring *d, strata_bytes name, strata_bytes target,
                                  const strata_column_spec *column, strata_error *error) {
    strata_column_spec copy = *column;
    copy.name = copy_name(d, name);
    copy.target = column->type == STRATA_LINK ? copy_name(d, target) : NULL;
    if (copy.name == NULL || (column->type == STRATA_LINK && copy.target == NULL) ||
        !st_array_grow((void **)&d->columns, &d->column_capacity, d->column_count, sizeof *d->columns))
        return no_memory(error);
    d->columns[d->column_count++] = copy;
    return STRATA_OK;
}

strata_status st_declaring_index(st_declaring *d, const strata_bytes *columns, uint32_t count, strata_error *error) {
    const char **names = st_arena_alloc(&d->declaration->memory, count * sizeof *names + 1);
    if (names == NULL || !st_array_grow((void **)&d->indexes, &d->index_capacity, d->index_count, sizeof *d->indexes))
        return no_memory(error);
    for (uint32_t i = 0; i < count; i++)
        if ((names[i] = copy_name(d, columns[i])) == NULL) return no_memory(error);
    d->indexes[d->index_count++] = (strata_index_spec){ count, names };
    return STRATA_OK;
}

strata_status st_declaring_end_table(st_declaring *d, strata_error *error) {
    if (d->table_count == 0) return STRATA_OK;
    strata_table_spec *table = &d->tables[d->table_count - 1];
    if (table->columns != NULL) return STRATA_OK;
    table->columns = copy_items(d, d->columns, d->column_count, sizeof *d->columns);
    table->indexes = copy_items(d, d->indexes, d->index_count, sizeof *d->indexes);
    if (table->columns == NULL || table->indexes == NULL) return no_memory(error);
    table->column_count = (uint32_t)d->column_count;
    table->index_count = (uint32_t)d->index_count;
    d->column_count = d->index_count = 0;
    return STRATA_OK;
}

strata_status st_declaring_end(st_declaring *d, uint64_t version, strata_declaration **out, strata_error *error) {
    strata_status status = st_declaring_end_table(d, error);
    if (status != STRATA_OK) return status;
    d->declaration->tables = copy_items(d, d->tables, d->table_count, sizeof *d->tables);
    if (d->declaration->tables == NULL) return no_memory(error);
    d->declaration->table_count = (uint32_t)d->table_count;
    d->declaration->version = version;
    *out = d->declaration;
    d->declaration = NULL;
    return STRATA_OK;
}

void st_declaring_free(st_declaring *d) {
    strata_declaration_free(d->declaration);
    free(d->tables);
    free(d->columns);
    free(d->indexes);
    *d = (st_declaring){ .declaration = NULL };
}

void st_declaration_leave_out(strata_declaration *declaration, strata_bytes name) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < declaration->table_count; i++) {
        const char *table = declaration->tables[i].name;
        bool named = strlen(table) == name.size && memcmp(table, name.data, name.size) == 0;
        if (!named) declaration->tables[kept++] = declaration->tables[i];
    }
    declaration->table_count = kept;
}

/* ---- Reading a file --------------------------------------------------- */

static strata_bytes name_bytes(const char *name) { return (strata_bytes){ name, strlen(name) }; }

static strata_status read_column(st_declaring *d, const st_catalog *catalog, const st_column *column,
                                 strata_error *error) {
    const uint32_t known = STRATA_COLUMN_NULLABLE | STRATA_COLUMN_INDEXED | STRATA_COLUMN_PRIMARY;
    const char *target = column->type == STRATA_LINK ? catalog->tables[column->target].name : "";
    strata_column_spec spec = { NULL, column->type, column->collection, column->flags & known, NULL };
    return st_declaring_column(d, name_bytes(column->name), name_bytes(target), &spec, error);
}

static strata_status read_index(st_declaring *d, const st_table *table, const st_index *index, strata_error *error) {
    strata_bytes names[STRATA_MAX_INDEX_COLUMNS];
    for (uint32_t i = 0; i < index->column_count; i++) names[i] = name_bytes(table->columns[index->columns[i]].name);
    return st_declaring_index(d, names, index->column_count, error);
}

static strata_status read_table(st_declaring *d, const st_catalog *catalog, const st_table *table,
                                strata_error *error) {
    if (table->name[0] == 0) return STRATA_OK; /* it was dropped */
    strata_status status = st_declaring_table(d, name_bytes(table->name), table->flags, error);
    for (uint32_t c = 0; c < table->column_count && status == STRATA_OK; c++)
        if (table->columns[c].type != STRATA_NULL) status = read_column(d, catalog, &table->columns[c], error);
    for (uint32_t i = 0; i < table->compound_count && status == STRATA_OK; i++)
        status = read_index(d, table, &table->indexes[i], error);
    return status;
}

static strata_status read_catalog(const st_catalog *catalog, uint64_t version, strata_declaration **out,
                                  strata_error *error) {
    st_declaring declaring;
    strata_status status = st_declaring_begin(&declaring, error);
    for (uint32_t t = 0; t < catalog->table_count && status == STRATA_OK; t++)
        status = read_table(&declaring, catalog, &catalog->tables[t], error);
    if (status == STRATA_OK) status = st_declaring_end(&declaring, version, out, error);
    st_declaring_free(&declaring);
    return status;
}

strata_status strata_declaration_read(strata_view *view, strata_declaration **out, strata_error *error) {
    if (out == NULL) return st_fail(error, STRATA_MISUSE, 0, "a schema is read to nowhere");
    *out = NULL;
    strata_status status = st_view_readable(view, error);
    if (status != STRATA_OK) return status;
    return read_catalog(view->catalog, strata_schema_version(view), out, error);
}

strata_status strata_declaration_read_history(strata_view *view, uint32_t position, strata_declaration **out,
                                              strata_error *error) {
    st_catalog *catalog;
    uint64_t version;
    if (out == NULL) return st_fail(error, STRATA_MISUSE, 0, "a schema is read to nowhere");
    *out = NULL;
    strata_status status = st_view_readable(view, error);
    if (status == STRATA_OK) status = st_schema_history_classes(view->txn, position, &catalog, &version, error);
    if (status != STRATA_OK) return status;
    status = read_catalog(catalog, version, out, error);
    st_catalog_free(catalog);
    return status;
}

/* ---- Parts ------------------------------------------------------------ */

const strata_table_spec *strata_declaration_tables(const strata_declaration *declaration, uint32_t *out_count) {
    if (out_count != NULL) *out_count = declaration == NULL ? 0 : declaration->table_count;
    return declaration == NULL ? NULL : declaration->tables;
}

uint64_t strata_declaration_version(const strata_declaration *declaration) {
    return declaration == NULL ? STRATA_NO_SCHEMA : declaration->version;
}

void strata_declaration_free(strata_declaration *declaration) {
    if (declaration == NULL) return;
    st_arena_free(&declaration->memory);
    free(declaration);
}
