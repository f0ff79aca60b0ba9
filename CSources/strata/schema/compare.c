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

/* "optional int", "list of link to Dog" */
static void describe(strata_type type, strata_collection collection, uint32_t flags, const char *target, char *out,
                     size_t size) {
    bool optional = (flags & STRATA_COLUMN_NULLABLE) != 0 && type != STRATA_LINK && type != STRATA_MIXED;
    bool single = collection == STRATA_SINGLE;
    snprintf(out, size, "%s%s%s%s%s%s", single ? "" : st_collection_name(collection), single ? "" : " of ",
             optional ? "optional " : "", st_type_name(type), target == NULL ? "" : " to ",
             target == NULL ? "" : target);
}

static void describe_stored(const st_catalog *catalog, const st_column *column, char *out, size_t size) {
    const char *target = column->type == STRATA_LINK ? catalog->tables[column->target].name : NULL;
    describe(column->type, column->collection, column->flags, target, out, size);
}

static void describe_declared(const strata_column_spec *column, char *out, size_t size) {
    describe(column->type, column->collection, st_schema_flags(column), column->target, out, size);
}

st_column_change st_schema_column_change(const st_catalog *catalog, const st_column *stored,
                                         const strata_column_spec *declared) {
    if (stored->type != declared->type || stored->collection != declared->collection) return ST_COLUMN_RETYPED;
    if (stored->type == STRATA_LINK && strcmp(catalog->tables[stored->target].name, declared->target) != 0)
        return ST_COLUMN_RETYPED;
    uint32_t changed = (stored->flags ^ st_schema_flags(declared)) & STRATA_COLUMN_NULLABLE;
    if (changed == 0) return ST_COLUMN_SAME;
    return (stored->flags & STRATA_COLUMN_NULLABLE) == 0 ? ST_COLUMN_NULLABLE : ST_COLUMN_RETYPED;
}

/* ---- Visiting --------------------------------------------------------- */

/* A catalog beside a declaration, and who is told of what separates them. */
typedef struct comparison {
    const st_catalog *catalog;
    st_difference_visitor visit;
    void *context;
} comparison;

static void tell(const comparison *c, strata_difference_kind kind, const char *table, const char *column,
                 const char *stored, const char *declared) {
    const strata_difference difference = { .kind = kind, .table = table, .column = column, .stored = stored,
                                           .declared = declared };
    c->visit(c->context, &difference);
}

static void compare_column(const comparison *c, const st_table *table, const st_column *stored,
                           const strata_column_spec *declared) {
    char before[ST_COLUMN_TEXT], after[ST_COLUMN_TEXT];
    uint32_t flags = st_schema_flags(declared), changed = stored->flags ^ flags;
    st_column_change change = st_schema_column_change(c->catalog, stored, declared);
    describe_stored(c->catalog, stored, before, sizeof before);
    describe_declared(declared, after, sizeof after);
    if (change == ST_COLUMN_RETYPED) tell(c, STRATA_COLUMN_RETYPED, table->name, stored->name, before, after);
    if (change == ST_COLUMN_NULLABLE) tell(c, STRATA_COLUMN_NULLABLE_NOW, table->name, stored->name, before, after);
    if ((changed & STRATA_COLUMN_PRIMARY) != 0)
        tell(c, (flags & STRATA_COLUMN_PRIMARY) != 0 ? STRATA_COLUMN_PRIMARY_NOW : STRATA_COLUMN_NOT_PRIMARY,
             table->name, stored->name, before, after);
    else if ((changed & STRATA_COLUMN_INDEXED) != 0)
        tell(c, (flags & STRATA_COLUMN_INDEXED) != 0 ? STRATA_INDEX_ADDED : STRATA_INDEX_REMOVED, table->name,
             stored->name, before, after);
}

static void add_column(const comparison *c, const st_table *table, const strata_column_spec *declared) {
    char after[ST_COLUMN_TEXT];
    describe_declared(declared, after, sizeof after);
    tell(c, STRATA_COLUMN_ADDED, table->name, declared->name, NULL, after);
    if ((declared->flags & STRATA_COLUMN_PRIMARY) != 0)
        tell(c, STRATA_COLUMN_PRIMARY_NOW, table->name, declared->name, NULL, after);
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

static bool has_index(const st_table *table, const strata_index_spec *declared) {
    for (uint32_t i = 0; i < table->compound_count; i++)
        if (st_schema_same_index(table, &table->indexes[i], declared)) return true;
    return false;
}

enum { INDEX_TEXT = STRATA_MAX_INDEX_COLUMNS * (STRATA_MAX_COLUMN_NAME + 2) + 1 };

static void compare_indexes(const comparison *c, const st_table *table, const strata_table_spec *declared) {
    char text[INDEX_TEXT];
    for (uint32_t i = 0; i < table->compound_count; i++) {
        if (st_schema_declares_index(table, &table->indexes[i], declared)) continue;
        st_index_describe(table, &table->indexes[i], text, sizeof text);
        tell(c, STRATA_INDEX_REMOVED, table->name, text, NULL, NULL);
    }
    for (uint32_t i = 0; i < declared->index_count; i++) {
        const strata_index_spec *index = &declared->indexes[i];
        if (has_index(table, index)) continue;
        size_t size = 0;
        for (uint32_t k = 0; k < index->column_count; k++)
            size += (size_t)snprintf(text + size, sizeof text - size, "%s%s", k == 0 ? "" : ", ", index->columns[k]);
        tell(c, STRATA_INDEX_ADDED, table->name, text, NULL, NULL);
    }
}

static void compare_table(const comparison *c, const st_table *table, const strata_table_spec *declared) {
    for (uint32_t i = 0; i < declared->column_count; i++) {
        uint32_t found = st_table_find(table, declared->columns[i].name);
        if (found != ST_NONE) compare_column(c, table, &table->columns[found], &declared->columns[i]);
        else add_column(c, table, &declared->columns[i]);
    }
    for (uint32_t i = 0; i < table->column_count; i++) {
        bool declared_too = table->columns[i].type == STRATA_NULL;
        for (uint32_t k = 0; k < declared->column_count && !declared_too; k++)
            declared_too = strcmp(declared->columns[k].name, table->columns[i].name) == 0;
        if (declared_too) continue;
        char before[ST_COLUMN_TEXT];
        describe_stored(c->catalog, &table->columns[i], before, sizeof before);
        tell(c, STRATA_COLUMN_REMOVED, table->name, table->columns[i].name, before, NULL);
    }
    compare_indexes(c, table, declared);
    if (table->flags != declared->flags)
        tell(c, declared->flags == 0 ? STRATA_TABLE_NOT_EMBEDDED : STRATA_TABLE_EMBEDDED_NOW, table->name, NULL, NULL,
             NULL);
}

void st_schema_visit(const st_catalog *catalog, const strata_table_spec *tables, uint32_t count,
                     st_difference_visitor visit, void *context) {
    const comparison c = { catalog, visit, context };
    for (uint32_t t = 0; t < count; t++) {
        uint32_t found = st_catalog_find(catalog, tables[t].name);
        if (found == ST_NONE) tell(&c, STRATA_TABLE_ADDED, tables[t].name, NULL, NULL, NULL);
        else compare_table(&c, &catalog->tables[found], &tables[t]);
    }
}

/* ---- Summing up ------------------------------------------------------- */

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

static void say_difference(st_schema_difference *out, const strata_difference *d) {
    switch (d->kind) {
    case STRATA_TABLE_EMBEDDED_NOW: say(out, "%s became embedded", d->table); break;
    case STRATA_TABLE_NOT_EMBEDDED: say(out, "%s is no longer embedded", d->table); break;
    case STRATA_COLUMN_ADDED: say(out, "%s.%s was added", d->table, d->column); break;
    case STRATA_COLUMN_REMOVED: say(out, "%s.%s was removed", d->table, d->column); break;
    case STRATA_COLUMN_RETYPED:
    case STRATA_COLUMN_NULLABLE_NOW:
        say(out, "%s.%s changed from %s to %s", d->table, d->column, d->stored, d->declared);
        break;
    case STRATA_COLUMN_PRIMARY_NOW:
        if (d->stored != NULL) say(out, "%s.%s became the primary key", d->table, d->column);
        break;
    case STRATA_COLUMN_NOT_PRIMARY: say(out, "%s.%s is no longer the primary key", d->table, d->column); break;
    case STRATA_TABLE_ADDED:
    case STRATA_INDEX_ADDED:
    case STRATA_INDEX_REMOVED: break; /* they are always accepted */
    }
}

static void count_difference(void *context, const strata_difference *d) {
    st_schema_difference *out = context;
    say_difference(out, d);
    switch (d->kind) {
    case STRATA_TABLE_ADDED:
        out->new_tables++;
        out->missing = d->table;
        break;
    case STRATA_INDEX_ADDED:
    case STRATA_INDEX_REMOVED: out->indexes++; break;
    case STRATA_COLUMN_RETYPED: out->retyped++; break;
    case STRATA_COLUMN_REMOVED: out->extra++; break;
    default: out->columns++; break;
    }
}

void st_schema_compare(const st_catalog *catalog, const strata_table_spec *tables, uint32_t count,
                       st_schema_difference *out) {
    *out = (st_schema_difference){ 0 };
    for (uint32_t t = 0; t < count; t++) out->shared_tables += st_catalog_find(catalog, tables[t].name) != ST_NONE;
    st_schema_visit(catalog, tables, count, count_difference, out);
    size_t at = strlen(out->text);
    if (out->unsaid != 0) snprintf(out->text + at, sizeof out->text - at, "; and %u more", out->unsaid);
}
