/* SPDX-License-Identifier: MIT
 * schema_compare.c -- what separates a catalog from a declaration, in numbers and words. */
#include <stdarg.h>
#include <stdio.h>

#include "table/schema.h"

uint32_t st_schema_flags(const strata_column_spec *column) {
    uint32_t flags = column->flags;
    bool sequence = column->collection == STRATA_LIST || column->collection == STRATA_SET;
    if (column->type == STRATA_LINK && !sequence) flags |= STRATA_COLUMN_NULLABLE;
    if (column->type == STRATA_MIXED) flags |= STRATA_COLUMN_NULLABLE;
    if ((flags & STRATA_COLUMN_PRIMARY) != 0) flags |= STRATA_COLUMN_INDEXED;
    return flags;
}

__attribute__((format(printf, 2, 3))) static void say(st_schema_difference *out, const char *format, ...) {
    size_t at = strlen(out->text);
    if (at > 0 && at + 3 < sizeof out->text) at += (size_t)snprintf(out->text + at, sizeof out->text - at, "; ");
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(out->text + at, sizeof out->text - at, format, arguments);
    va_end(arguments);
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
        if (found == ST_NONE) out->new_tables++;
        else compare_table(catalog, &catalog->tables[found], &tables[t], out);
    }
}
