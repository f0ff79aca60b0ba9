/* SPDX-License-Identifier: MIT
 * check.c -- the rules that a schema must obey by itself. */
#include "schema/check.h"

#include "base/status.h"
#include "base/utf8.h"

strata_status st_schema_check_name(const char *what, const char *owner, const char *name, size_t limit,
                                   strata_error *error) {
    size_t size = name == NULL ? 0 : strlen(name);
    const char *dot = owner[0] == 0 ? "" : ".";
    if (size == 0)
        return st_fail(error, STRATA_INVALID_SCHEMA, 0, "a %s%s%s without a name", what, owner[0] == 0 ? "" : " of ",
                       owner);
    if (!st_utf8_valid(name, size))
        return st_fail(error, STRATA_INVALID_SCHEMA, 0, "the name of a %s is not valid UTF-8", what);
    if (size <= limit) return STRATA_OK;
    return st_fail(error, STRATA_INVALID_SCHEMA, 0, "the %s name %s%s%s has %zu bytes; the limit is %zu", what, owner,
                   dot, name, size, limit);
}

static bool can_be_primary(strata_type type) {
    return type == STRATA_INT || type == STRATA_STRING || type == STRATA_UUID || type == STRATA_OBJECT_ID;
}

static bool can_be_indexed(strata_type type) {
    return can_be_primary(type) || type == STRATA_BOOL || type == STRATA_DATE || type == STRATA_MIXED;
}

static bool type_known(strata_type type) {
    return type >= STRATA_BOOL && type <= STRATA_LINK;
}

static strata_status check_flags(const char *table, const strata_column_spec *column, strata_error *error) {
    bool primary = (column->flags & STRATA_COLUMN_PRIMARY) != 0, indexed = (column->flags & STRATA_COLUMN_INDEXED) != 0;
    bool single = column->collection == STRATA_SINGLE;
    if ((column->flags & ~(uint32_t)(STRATA_COLUMN_NULLABLE | STRATA_COLUMN_INDEXED | STRATA_COLUMN_PRIMARY)) != 0)
        return st_fail(error, STRATA_INVALID_SCHEMA, 0, "%s.%s has the unknown flags %#x", table, column->name,
                       column->flags);
    if (primary && (!single || !can_be_primary(column->type)))
        return st_fail(error, STRATA_INVALID_SCHEMA, 0,
                       "%s.%s cannot be a primary key; that must be an int, a string, a uuid or an object id", table,
                       column->name);
    if (indexed && (!single || !can_be_indexed(column->type)))
        return st_fail(error, STRATA_INVALID_SCHEMA, 0,
                       "%s.%s cannot be indexed; an index serves bool, int, date, string, uuid, object id and mixed",
                       table, column->name);
    bool sequence = column->collection == STRATA_LIST || column->collection == STRATA_SET;
    if ((column->flags & STRATA_COLUMN_NULLABLE) != 0 && sequence && column->type == STRATA_LINK)
        return st_fail(error, STRATA_INVALID_SCHEMA, 0, "%s.%s is a %s of links, which are never null", table,
                       column->name, st_collection_name(column->collection));
    return STRATA_OK;
}

static strata_status check_column(const strata_table_spec *table, const strata_column_spec *column,
                                  strata_error *error) {
    strata_status status = st_schema_check_name("column", table->name, column->name, STRATA_MAX_COLUMN_NAME,
                                                error);
    if (status != STRATA_OK) return status;
    if (!type_known(column->type))
        return st_fail(error, STRATA_INVALID_SCHEMA, 0, "%s.%s has the unknown type %d", table->name, column->name,
                       (int)column->type);
    if (column->collection > STRATA_MAP)
        return st_fail(error, STRATA_INVALID_SCHEMA, 0, "%s.%s is the unknown collection %d", table->name,
                       column->name, (int)column->collection);
    if ((column->type == STRATA_LINK) != (column->target != NULL))
        return st_fail(error, STRATA_INVALID_SCHEMA, 0, "%s.%s: a link names its target, and nothing else does",
                       table->name, column->name);
    return check_flags(table->name, column, error);
}

/* ---- Compound indexes ------------------------------------------------- */

static const strata_column_spec *find_column(const strata_table_spec *table, const char *name) {
    for (uint32_t c = 0; c < table->column_count; c++)
        if (strcmp(table->columns[c].name, name) == 0) return &table->columns[c];
    return NULL;
}

static strata_status check_index_column(const strata_table_spec *table, const strata_index_spec *index,
                                        uint32_t position, strata_error *error) {
    const char *name = index->columns[position];
    const strata_column_spec *column = name == NULL ? NULL : find_column(table, name);
    if (column == NULL)
        return st_fail(error, STRATA_INVALID_SCHEMA, 0, "a compound index of %s has the column %s, which %s has not",
                       table->name, name == NULL ? "NULL" : name, table->name);
    if (!st_compound_allows(column->type, column->collection))
        return st_fail(error, STRATA_INVALID_SCHEMA, 0,
                       "%s.%s cannot be part of a compound index; that is made of single bool, int, date, string, "
                       "uuid, object id and link columns", table->name, name);
    for (uint32_t i = 0; i < position; i++) {
        if (strcmp(index->columns[i], name) == 0)
            return st_fail(error, STRATA_INVALID_SCHEMA, 0, "a compound index of %s has the column %s twice",
                           table->name, name);
    }
    return STRATA_OK;
}

static bool same_columns(const strata_index_spec *a, const strata_index_spec *b) {
    if (a->column_count != b->column_count) return false;
    for (uint32_t i = 0; i < a->column_count; i++)
        if (strcmp(a->columns[i], b->columns[i]) != 0) return false;
    return true;
}

static strata_status check_indexes(const strata_table_spec *table, strata_error *error) {
    if (table->index_count > STRATA_MAX_INDEXES || (table->indexes == NULL && table->index_count != 0))
        return st_fail(error, STRATA_INVALID_SCHEMA, 0, "%s has %u compound indexes%s; the limit is %d", table->name,
                       table->index_count, table->indexes == NULL ? " without an address" : "", STRATA_MAX_INDEXES);
    for (uint32_t i = 0; i < table->index_count; i++) {
        const strata_index_spec *index = &table->indexes[i];
        if (index->columns == NULL && index->column_count != 0)
            return st_fail(error, STRATA_INVALID_SCHEMA, 0, "a compound index of %s has %u columns without an address",
                           table->name, index->column_count);
        if (index->column_count < 2 || index->column_count > STRATA_MAX_INDEX_COLUMNS)
            return st_fail(error, STRATA_INVALID_SCHEMA, 0,
                           "a compound index of %s has %u columns; it needs from 2 to %d. One column alone is indexed "
                           "by its flags", table->name, index->column_count, STRATA_MAX_INDEX_COLUMNS);
        for (uint32_t k = 0; k < index->column_count; k++) {
            strata_status status = check_index_column(table, index, k, error);
            if (status != STRATA_OK) return status;
        }
        for (uint32_t k = 0; k < i; k++) {
            if (same_columns(&table->indexes[k], index))
                return st_fail(error, STRATA_INVALID_SCHEMA, 0, "%s has two compound indexes that begin with %s and "
                               "have the same columns", table->name, index->columns[0]);
        }
    }
    return STRATA_OK;
}

/* ---- Tables ----------------------------------------------------------- */

static strata_status check_table(const strata_table_spec *table, strata_error *error) {
    uint32_t primaries = 0;
    strata_status status = st_schema_check_name("table", "", table->name, STRATA_MAX_TABLE_NAME, error);
    if (status != STRATA_OK) return status;
    if ((table->flags & ~(uint32_t)STRATA_TABLE_EMBEDDED) != 0)
        return st_fail(error, STRATA_INVALID_SCHEMA, 0, "%s has the unknown flags %#x", table->name, table->flags);
    if (table->columns == NULL && table->column_count != 0)
        return st_fail(error, STRATA_INVALID_SCHEMA, 0, "%s has %u columns without an address", table->name,
                       table->column_count);
    if (table->column_count > STRATA_MAX_COLUMNS)
        return st_fail(error, STRATA_INVALID_SCHEMA, 0, "%s has %u columns; the limit is %d", table->name,
                       table->column_count, STRATA_MAX_COLUMNS);
    for (uint32_t c = 0; c < table->column_count; c++) {
        const strata_column_spec *column = &table->columns[c];
        status = check_column(table, column, error);
        if (status != STRATA_OK) return status;
        primaries += (column->flags & STRATA_COLUMN_PRIMARY) != 0;
        for (uint32_t k = 0; k < c; k++) {
            if (strcmp(table->columns[k].name, column->name) == 0)
                return st_fail(error, STRATA_INVALID_SCHEMA, 0, "%s has two columns named %s", table->name,
                               column->name);
        }
    }
    if (primaries > 1)
        return st_fail(error, STRATA_INVALID_SCHEMA, 0, "%s has %u primary keys; at most one is allowed", table->name,
                       primaries);
    return check_indexes(table, error);
}

static bool has_table(const strata_table_spec *tables, uint32_t count, const char *name) {
    for (uint32_t t = 0; t < count; t++)
        if (strcmp(tables[t].name, name) == 0) return true;
    return false;
}

strata_status st_schema_check(const st_catalog *catalog, const strata_table_spec *tables, uint32_t count,
                              strata_error *error) {
    if (count > STRATA_MAX_TABLES)
        return st_fail(error, STRATA_INVALID_SCHEMA, 0, "%u tables; the limit is %d", count, STRATA_MAX_TABLES);
    for (uint32_t t = 0; t < count; t++) {
        strata_status status = check_table(&tables[t], error);
        if (status != STRATA_OK) return status;
        if (has_table(tables, t, tables[t].name))
            return st_fail(error, STRATA_INVALID_SCHEMA, 0, "there are two tables named %s", tables[t].name);
    }
    for (uint32_t t = 0; t < count; t++) {
        for (uint32_t c = 0; c < tables[t].column_count; c++) {
            const char *target = tables[t].columns[c].target;
            if (target == NULL || has_table(tables, count, target) || st_catalog_find(catalog, target) != ST_NONE)
                continue;
            return st_fail(error, STRATA_INVALID_SCHEMA, 0, "%s.%s links to %s, which is not part of the schema",
                           tables[t].name, tables[t].columns[c].name, target);
        }
    }
    return STRATA_OK;
}
