/* SPDX-License-Identifier: MIT
 * reading.c -- the tables of a file, as whoever reads records needs them. */
#include "transfer/reading.h"

#include <stdlib.h>

#include "base/status.h"
#include "base/utf8.h"
#include "predicate/suggestion.h"
#include "transfer/json.h"

static strata_status no_memory(strata_error *error) { return st_no_memory(error, "reading a record"); }

strata_status st_reading_open(st_reading *r, strata_view *view, st_arena *memory, strata_error *error) {
    uint32_t count = strata_table_count(view);
    *r = (st_reading){ .view = view, .memory = memory, .table_count = count,
                             .tables = calloc((size_t)count + 1, sizeof *r->tables), .nested = strata_nested_make() };
    return r->tables != NULL && r->nested != NULL ? STRATA_OK : no_memory(error);
}

void st_reading_close(st_reading *r) {
    for (uint32_t i = 0; i < r->table_count && r->tables != NULL; i++) free(r->tables[i].columns);
    free(r->tables);
    strata_nested_free(r->nested);
    *r = (st_reading){ .view = NULL };
}

strata_status st_read_table_of(st_reading *r, uint32_t number, st_read_table **out, strata_error *error) {
    st_read_table *table = number < r->table_count ? &r->tables[number] : NULL;
    *out = table;
    if (table != NULL && table->known) return STRATA_OK;
    if (table == NULL || strata_table_get(r->view, number, &table->info) != STRATA_OK)
        return st_fail(error, STRATA_MISUSE, 0, "there is no table with the number %u", number);
    table->columns = calloc((size_t)table->info.column_count + 1, sizeof *table->columns);
    if (table->columns == NULL) return no_memory(error);
    for (uint32_t c = 0; c < table->info.column_count; c++)
        if (strata_column_get(r->view, number, c, &table->columns[c]) != STRATA_OK) table->columns[c].name = "";
    table->known = true;
    return STRATA_OK;
}

strata_status st_table_named(const strata_view *view, strata_bytes name, uint32_t *out, strata_error *error) {
    st_suggestion similar = st_suggestion_begin(name);
    for (uint32_t t = 0; t < strata_table_count(view); t++) {
        strata_table_info info;
        if (strata_table_get(view, t, &info) != STRATA_OK || info.name[0] == 0) continue;
        *out = t;
        if (st_bytes_are(name, info.name)) return STRATA_OK;
        st_suggestion_consider(&similar, info.name);
    }
    int length = (int)st_utf8_fit(name.data, name.size, 60);
    return st_fail(error, STRATA_NOT_FOUND, 0, "the file has no class '%.*s'%s%s%s", length,
                   length == 0 ? "" : (const char *)name.data, similar.best == NULL ? "" : "; did you mean '",
                   similar.best == NULL ? "" : similar.best, similar.best == NULL ? "" : "'?");
}

static bool is_column(const strata_column_info *column, strata_bytes name) {
    return column->name[0] != 0 && st_bytes_are(name, column->name);
}

uint32_t st_read_column(st_read_table *table, strata_bytes name) {
    uint32_t count = table->info.column_count, at = table->hint;
    for (uint32_t i = 0; i < count; i++, at++) {
        if (at >= count) at = 0;
        if (!is_column(&table->columns[at], name)) continue;
        table->hint = at + 1;
        return at;
    }
    return UINT32_MAX;
}

strata_status st_no_property(const st_read_table *table, strata_bytes name, strata_error *error) {
    st_suggestion similar = st_suggestion_begin(name);
    for (uint32_t c = 0; c < table->info.column_count; c++)
        if (table->columns[c].name[0] != 0) st_suggestion_consider(&similar, table->columns[c].name);
    int length = (int)st_utf8_fit(name.data, name.size, 60);
    return st_fail(error, STRATA_TYPE, 0, "%s has no property '%.*s'%s%s%s", table->info.name, length,
                   length == 0 ? "" : (const char *)name.data, similar.best == NULL ? "" : "; did you mean '",
                   similar.best == NULL ? "" : similar.best, similar.best == NULL ? "" : "'?");
}
