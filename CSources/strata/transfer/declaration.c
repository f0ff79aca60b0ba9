/* SPDX-License-Identifier: MIT
 * declaration.c -- declarations: their parts, and reading them from files. */
#include "transfer/declaration.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/status.h"

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
static const void *copy_items(st_declaring *d, const void *items, size_t count, size_t size) {
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

/* ---- Reading a file --------------------------------------------------- */

static strata_bytes name_bytes(const char *name) { return (strata_bytes){ name, strlen(name) }; }

static strata_status read_column(st_declaring *d, const strata_view *view, uint32_t table, uint32_t number,
                                 strata_error *error) {
    strata_column_info info;
    strata_table_info target = { .name = "" };
    if (strata_column_get(view, table, number, &info) != STRATA_OK || info.name[0] == 0) return STRATA_OK;
    if (info.type == STRATA_LINK && strata_table_get(view, info.target, &target) != STRATA_OK) return STRATA_OK;
    uint32_t flags = info.flags & (STRATA_COLUMN_NULLABLE | STRATA_COLUMN_INDEXED | STRATA_COLUMN_PRIMARY);
    strata_column_spec spec = { NULL, info.type, info.collection, flags, NULL };
    return st_declaring_column(d, name_bytes(info.name), name_bytes(target.name), &spec, error);
}

static strata_status read_index(st_declaring *d, const strata_view *view, uint32_t table, uint32_t position,
                                strata_error *error) {
    strata_index_info index;
    strata_bytes names[STRATA_MAX_INDEX_COLUMNS];
    if (strata_index_get(view, table, position, &index) != STRATA_OK) return STRATA_OK;
    for (uint32_t i = 0; i < index.column_count; i++) {
        strata_column_info column;
        if (strata_column_get(view, table, index.columns[i], &column) != STRATA_OK) return STRATA_OK;
        names[i] = name_bytes(column.name);
    }
    return st_declaring_index(d, names, index.column_count, error);
}

static strata_status read_table(st_declaring *d, const strata_view *view, uint32_t number, strata_error *error) {
    strata_table_info table;
    if (strata_table_get(view, number, &table) != STRATA_OK || table.name[0] == 0) return STRATA_OK;
    strata_status status = st_declaring_table(d, name_bytes(table.name), table.flags, error);
    for (uint32_t c = 0; c < table.column_count && status == STRATA_OK; c++)
        status = read_column(d, view, number, c, error);
    for (uint32_t i = 0; i < table.index_count && status == STRATA_OK; i++)
        status = read_index(d, view, number, i, error);
    return status;
}

strata_status strata_declaration_read(strata_view *view, strata_declaration **out, strata_error *error) {
    st_declaring declaring;
    if (view == NULL || out == NULL) return st_fail(error, STRATA_MISUSE, 0, "a schema is read without a view");
    strata_status status = st_declaring_begin(&declaring, error);
    for (uint32_t t = 0; t < strata_table_count(view) && status == STRATA_OK; t++)
        status = read_table(&declaring, view, t, error);
    if (status == STRATA_OK) status = st_declaring_end(&declaring, strata_schema_version(view), out, error);
    st_declaring_free(&declaring);
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
