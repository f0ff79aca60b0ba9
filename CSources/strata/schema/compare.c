/* SPDX-License-Identifier: MIT
 * compare.c -- what separates a catalog from a declaration, in numbers and words. */
#include "schema/compare.h"

#include <stdarg.h>
#include <stdio.h>

uint32_t st_schema_flags(const strata_column_spec *column) {
    uint32_t flags = column->flags;
    bool sequence = column->collection == STRATA_LIST || column->collection == STRATA_SET;
    if (column->type == STRATA_LINK && !sequence) flags |= STRATA_COLUMN_NULLABLE;
    if (column->type == STRATA_MIXED) flags |= STRATA_COLUMN_NULLABLE;
    if ((flags & STRATA_COLUMN_PRIMARY) != 0) flags |= STRATA_COLUMN_INDEXED;
    return flags;
}

/* Adds a difference to the text, which leaves room for the number of those that are left out. Only the first one may be
 * cut off. */
__attribute__((format(printf, 2, 3))) static void say(st_schema_difference *out, const char *format, ...) {
    enum { ROOM_FOR_MORE = sizeof "; and 4294967295 more" };
    char item[sizeof out->text - ROOM_FOR_MORE];
    size_t at = strlen(out->text);
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(item, sizeof item, format, arguments);
    va_end(arguments);
    if (at == 0)
        memcpy(out->text, item, sizeof item);
    else if (out->unsaid == 0 && length >= 0 && at + 2 + (size_t)length < sizeof item)
        snprintf(out->text + at, sizeof out->text - at, "; %s", item);
    else
        out->unsaid++;
}

/* "optional int", "list of link to Dog" */
static void describe(strata_type type, strata_collection collection, uint32_t flags, const char *target, char *out,
                     size_t size) {
    bool optional = (flags & STRATA_COLUMN_NULLABLE) != 0 && type != STRATA_LINK && type != STRATA_MIXED;
    bool single = collection == STRATA_SINGLE;
    snprintf(out, size, "%s%s%s%s%s%s", single ? "" : st_collection_name(collection), single ? "" : " of ",
             optional ? "optional " : "", st_type_name(type), target == NULL ? "" : " to ",
             target == NULL ? "" : target);
}

static bool same_type(const st_catalog *catalog, const st_column *stored, const strata_column_spec *declared) {
    if (stored->type != declared->type || stored->collection != declared->collection) return false;
    if (((stored->flags ^ st_schema_flags(declared)) & STRATA_COLUMN_NULLABLE) != 0) return false;
    return stored->type != STRATA_LINK || strcmp(catalog->tables[stored->target].name, declared->target) == 0;
}

static void compare_column(const st_catalog *catalog, const st_table *table, const st_column *stored,
                           const strata_column_spec *declared, st_schema_difference *out) {
    uint32_t changed = stored->flags ^ st_schema_flags(declared);
    if (!same_type(catalog, stored, declared)) {
        char before[120], after[120];
        const char *target = stored->type == STRATA_LINK ? catalog->tables[stored->target].name : NULL;
        describe(stored->type, stored->collection, stored->flags, target, before, sizeof before);
        describe(declared->type, declared->collection, st_schema_flags(declared), declared->target, after,
                 sizeof after);
        say(out, "%s.%s changed from %s to %s", table->name, stored->name, before, after);
        out->retyped++;
    } else if ((changed & STRATA_COLUMN_PRIMARY) != 0) {
        bool becomes = (declared->flags & STRATA_COLUMN_PRIMARY) != 0;
        say(out, "%s.%s %s the primary key", table->name, stored->name, becomes ? "became" : "is no longer");
        out->columns++;
    } else if ((changed & STRATA_COLUMN_INDEXED) != 0) {
        out->indexes++;
    }
}

bool st_schema_same_index(const st_table *table, const st_index *stored, const strata_index_spec *declared) {
    if (stored->column_count != declared->column_count) return false;
    for (uint32_t i = 0; i < stored->column_count; i++)
        if (strcmp(table->columns[stored->columns[i]].name, declared->columns[i]) != 0) return false;
    return true;
}

bool st_schema_declares_index(const st_table *table, const st_index *stored, const strata_table_spec *declared) {
    for (uint32_t i = 0; i < declared->index_count; i++)
        if (st_schema_same_index(table, stored, &declared->indexes[i])) return true;
    return false;
}

/* How many compound indexes are only stored or only declared: no two stored ones are the same, nor two declared
 * ones. */
static uint32_t different_indexes(const st_table *table, const strata_table_spec *declared) {
    uint32_t same = 0;
    for (uint32_t i = 0; i < table->compound_count; i++)
        same += st_schema_declares_index(table, &table->indexes[i], declared);
    return table->compound_count + declared->index_count - 2 * same;
}

static void compare_table(const st_catalog *catalog, const st_table *table, const strata_table_spec *declared,
                          st_schema_difference *out) {
    for (uint32_t c = 0; c < declared->column_count; c++) {
        uint32_t found = st_table_find(table, declared->columns[c].name);
        if (found != ST_NONE) {
            compare_column(catalog, table, &table->columns[found], &declared->columns[c], out);
            continue;
        }
        say(out, "%s.%s was added", table->name, declared->columns[c].name);
        out->columns++;
    }
    for (uint32_t c = 0; c < table->column_count; c++) {
        bool declared_too = table->columns[c].type == STRATA_NULL;
        for (uint32_t k = 0; k < declared->column_count && !declared_too; k++)
            declared_too = strcmp(declared->columns[k].name, table->columns[c].name) == 0;
        if (declared_too) continue;
        say(out, "%s.%s was removed", table->name, table->columns[c].name);
        out->columns++;
    }
    out->indexes += different_indexes(table, declared);
    if (table->flags != declared->flags) {
        say(out, "%s %s", table->name, declared->flags == 0 ? "is no longer embedded" : "became embedded");
        out->retyped++;
    }
}

void st_schema_compare(const st_catalog *catalog, const strata_table_spec *tables, uint32_t count,
                       st_schema_difference *out) {
    *out = (st_schema_difference){ 0 };
    for (uint32_t t = 0; t < count; t++) {
        uint32_t found = st_catalog_find(catalog, tables[t].name);
        if (found == ST_NONE) {
            out->new_tables++;
            out->missing = tables[t].name;
        } else {
            out->shared_tables++;
            compare_table(catalog, &catalog->tables[found], &tables[t], out);
        }
    }
    size_t at = strlen(out->text);
    if (out->unsaid != 0) snprintf(out->text + at, sizeof out->text - at, "; and %u more", out->unsaid);
}
