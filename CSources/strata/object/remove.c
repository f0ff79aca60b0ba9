/* SPDX-License-Identifier: MIT
 * remove.c -- deletes objects with what belongs to them. */
#include "base/buffer.h"
#include "base/interrupt.h"
#include "base/status.h"
#include "object/unlink.h"
#include "strata_collection.h"
#include "strata_object.h"
#include "strata_schema.h"
#include "write/write_set.h"

enum { BATCH = 64 };

typedef struct object_name {
    uint32_t table;
    uint64_t key;
} object_name;

/* Objects that are to be deleted. */
static strata_status push(st_buffer *names, uint32_t table, uint64_t key, strata_error *error) {
    object_name name = { table, key };
    return st_buffer_append(names, &name, sizeof name) ? STRATA_OK : st_no_memory(error, "deleting an object");
}

static strata_status push_value(st_buffer *names, uint32_t table, const strata_value *value, strata_error *error) {
    return value->type == STRATA_LINK ? push(names, table, value->as.link, error) : STRATA_OK;
}

/* The embedded objects of a column. */
static strata_status push_column(st_buffer *names, strata_row *row, uint32_t column, const strata_column_info *info,
                                 strata_error *error) {
    strata_value values[BATCH];
    uint64_t count;
    if (info->collection == STRATA_SINGLE) {
        strata_status status = strata_row_get(row, column, values, error);
        return status == STRATA_OK ? push_value(names, info->target, values, error) : status;
    }
    strata_status status = strata_collection_size(row, column, &count, error);
    for (uint64_t from = 0; from < count && status == STRATA_OK; from += BATCH) {
        uint64_t some = count - from < BATCH ? count - from : BATCH;
        status = strata_collection_get(row, column, from, some, values, error);
        for (uint64_t i = 0; i < some && status == STRATA_OK; i++)
            status = push_value(names, info->target, &values[i], error);
    }
    return status;
}

static strata_status push_embedded(strata_view *view, st_buffer *names, strata_row *row, strata_error *error) {
    strata_table_info table, target;
    strata_status status = strata_table_get(view, row->table, &table);
    for (uint32_t c = 0; c < table.column_count && status == STRATA_OK; c++) {
        strata_column_info column;
        if (strata_column_get(view, row->table, c, &column) != STRATA_OK || column.type != STRATA_LINK) continue;
        if (strata_table_get(view, column.target, &target) != STRATA_OK) continue;
        if ((target.flags & STRATA_TABLE_EMBEDDED) != 0) status = push_column(names, row, c, &column, error);
    }
    return status;
}

/* An object and what is to be deleted with it. Embedded objects come after what they are in, so that nothing links to
 * them any more. */
static strata_status remove_one(strata_view *view, st_buffer *names, object_name name, strata_error *error) {
    strata_row row;
    strata_status status = strata_row_bind(view, name.table, name.key, &row, error);
    if (status == STRATA_OK) status = st_interrupt_check_work(view->interrupt, 1, "deleting an object", error);
    if (status == STRATA_OK) status = push_embedded(view, names, &row, error);
    if (status == STRATA_OK) status = st_object_unlink(view, name.table, name.key, view->interrupt, error);
    return status == STRATA_OK ? strata_object_delete(view, name.table, name.key, error) : status;
}

strata_status strata_object_remove(strata_view *view, uint32_t table, uint64_t key, strata_error *error) {
    st_buffer names = { NULL, 0, 0 };
    strata_status status = remove_one(view, &names, (object_name){ table, key }, error);
    bool begun = status == STRATA_OK;
    while (status == STRATA_OK && names.size > 0) {
        object_name name;
        names.size -= sizeof name;
        memcpy(&name, names.data + names.size, sizeof name);
        status = remove_one(view, &names, name, error);
        if (status == STRATA_NOT_FOUND) status = STRATA_OK;
    }
    st_buffer_free(&names);
    if (begun && status == STRATA_INTERRUPTED) st_writes_fail(view->writes, status, error); /* some are gone already */
    return status;
}
