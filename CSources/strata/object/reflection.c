/* SPDX-License-Identifier: MIT
 * reflection.c -- the tables, columns and indexes of a view, for programs. */
#include "base/sized.h"
#include "table/table_state.h"
#include "table/view.h"
#include "write/write_set.h"

uint64_t strata_schema_version(const strata_view *view) {
    return view == NULL || view->txn == NULL ? STRATA_NO_SCHEMA : st_txn_header(view->txn)->schema_version;
}

uint32_t strata_table_count(const strata_view *view) { return view == NULL ? 0 : view->catalog->table_count; }

/* The status of a function that finds something, or was given no view or no name to find it by. */
static strata_status answer(bool given, bool exists) {
    return !given ? STRATA_MISUSE : exists ? STRATA_OK : STRATA_NOT_FOUND;
}

strata_status strata_table_find(const strata_view *view, const char *name, uint32_t *out_table) {
    bool given = view != NULL && name != NULL;
    *out_table = given ? st_catalog_find(view->catalog, name) : ST_NONE;
    return answer(given, *out_table != ST_NONE);
}

strata_status strata_table_get_sized(const strata_view *view, uint32_t table, strata_table_info *out, size_t size) {
    strata_table_info info = { .name = "", .primary = ST_NONE };
    bool exists = table < strata_table_count(view);
    if (exists) {
        const st_table *found = &view->catalog->tables[table];
        info = (strata_table_info){ found->name, found->flags, found->column_count, found->primary,
                                    found->compound_count };
    }
    st_sized_write(out, size, &info, sizeof info);
    return answer(view != NULL, exists);
}

strata_status strata_column_find(const strata_view *view, uint32_t table, const char *name, uint32_t *out_column) {
    bool given = view != NULL && name != NULL;
    *out_column = ST_NONE;
    if (given && table < view->catalog->table_count)
        *out_column = st_table_find(&view->catalog->tables[table], name);
    return answer(given, *out_column != ST_NONE);
}

strata_status strata_column_get_sized(const strata_view *view, uint32_t table, uint32_t column,
                                      strata_column_info *out, size_t size) {
    strata_column_info info = { .name = "", .target = ST_NONE };
    bool exists = table < strata_table_count(view) && column < view->catalog->tables[table].column_count;
    if (exists) {
        const st_column *found = &view->catalog->tables[table].columns[column];
        info = (strata_column_info){ found->name, found->type, found->collection, found->flags, found->target };
    }
    st_sized_write(out, size, &info, sizeof info);
    return answer(view != NULL, exists);
}

strata_status strata_index_get_sized(const strata_view *view, uint32_t table, uint32_t index, strata_index_info *out,
                                     size_t size) {
    strata_index_info info = { 0 };
    bool exists = table < strata_table_count(view) && index < view->catalog->tables[table].compound_count;
    if (exists) {
        const st_index *found = &view->catalog->tables[table].indexes[index];
        info.column_count = found->column_count;
        memcpy(info.columns, found->columns, sizeof info.columns);
    }
    st_sized_write(out, size, &info, sizeof info);
    return answer(view != NULL, exists);
}

strata_status strata_table_size(strata_view *view, uint32_t table, uint64_t *out, strata_error *error) {
    *out = 0;
    strata_status status = st_view_readable(view, error);
    if (status != STRATA_OK) return status;
    if (st_view_table(view, table, error) == NULL) return STRATA_MISUSE;
    st_table_state state;
    if (view->writes != NULL) {
        st_table_writes *writes;
        status = st_writes_table(view, table, &writes, error);
        if (status == STRATA_OK) *out = writes->state.rows;
        return status;
    }
    status = st_table_state_load(view->txn, table, &state, error);
    if (status == STRATA_OK) *out = state.rows;
    return status;
}
