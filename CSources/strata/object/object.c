/* SPDX-License-Identifier: MIT
 * object.c -- finding objects by their primary keys, and creating them. */
#include "base/status.h"
#include "value/mixed.h"
#include "write/cell_set.h"
#include "write/flush.h"
#include "write/link_check.h"
#include "write/links_log.h"
#include "write/primary.h"
#include "write/value_check.h"
#include "write/write_set.h"

/* ---- Finding ---------------------------------------------------------- */

strata_status strata_object_find(strata_view *view, uint32_t table, const strata_value *primary, uint64_t *out_key,
                                 strata_error *error) {
    *out_key = 0;
    strata_status status = st_view_readable(view, error);
    if (status != STRATA_OK) return status;
    const st_table *found = st_view_table(view, table, error);
    if (found == NULL) return STRATA_MISUSE;
    if (found->primary == ST_NONE) return st_fail(error, STRATA_MISUSE, 0, "%s has no primary key", found->name);
    status = st_value_check(found, &found->columns[found->primary], primary, error);
    if (status != STRATA_OK) return status;
    st_primary sought;
    st_primary_make(view, table, primary, &sought);
    status = st_primary_find(view, table, &sought, out_key, error);
    return status != STRATA_OK ? status : *out_key == 0 ? STRATA_NOT_FOUND : STRATA_OK;
}

/* ---- Creating --------------------------------------------------------- */

static strata_status check_count(const st_table *table, const strata_value *values, uint32_t count,
                                 strata_error *error) {
    if (count > table->column_count)
        return st_fail(error, STRATA_MISUSE, 0, "%u values for an object of %s, which has %u columns", count,
                       table->name, table->column_count);
    if (count != 0 && values == NULL)
        return st_fail(error, STRATA_MISUSE, 0, "%u values without an address for an object of %s", count, table->name);
    return STRATA_OK;
}

/* `zero` is where a value that was left out is kept. */
static strata_status make_primary(strata_view *view, uint32_t number, const strata_value *values, uint32_t count,
                                  strata_value *zero, st_primary *out, strata_error *error) {
    const st_table *table = &view->catalog->tables[number];
    const st_column *column = &table->columns[table->primary];
    *zero = strata_null();
    if (!table->fields[table->primary].nullable) zero->type = column->type;
    const strata_value *value = table->primary < count ? &values[table->primary] : zero;
    strata_status status = st_value_check(table, column, value, error);
    if (status == STRATA_OK) st_primary_make(view, number, value, out);
    return status;
}

static strata_status check_values(strata_view *view, const st_table *table, const strata_value *values, uint32_t count,
                                  strata_error *error) {
    for (uint32_t c = 0; c < count; c++) {
        const st_column *column = &table->columns[c];
        strata_status status = STRATA_OK;
        if (column->type == STRATA_NULL) {
            if (values[c].type != STRATA_NULL)
                return st_fail(error, STRATA_MISUSE, 0, "a value for column %u of %s, which was dropped", c,
                               table->name);
            continue;
        }
        status = st_value_check(table, column, &values[c], error);
        if (status == STRATA_OK) status = st_link_targets_check(view, table, column, &values[c], error);
        if (status != STRATA_OK) return status;
    }
    return STRATA_OK;
}

/* Bytes that a row has of the values. */
static size_t inline_bytes(const st_table *table, const strata_value *values, uint32_t count) {
    size_t bytes = 0;
    for (uint32_t c = 0; c < count; c++) {
        if (table->fields[c].packing != ST_PACK_BYTES || values[c].type == STRATA_NULL) continue;
        size_t size = table->columns[c].type == STRATA_MIXED ? st_mixed_size(&values[c]) : values[c].as.bytes.size;
        bytes += size > ST_INLINE_VALUE ? ST_REFERENCE : size;
    }
    return bytes;
}

static bool is_long(const st_column *column, const strata_value *value) {
    if (column->type == STRATA_MIXED) return value->type != STRATA_NULL && st_mixed_size(value) > ST_INLINE_VALUE;
    return (value->type == STRATA_STRING || value->type == STRATA_DATA) && value->as.bytes.size > ST_INLINE_VALUE;
}

/* Overflow values come last: storing them changes a tree, which may lend the bytes of shorter ones. */
static strata_status fill(strata_view *view, const st_table *table, st_pending *pending, const strata_value *values,
                          uint32_t count, strata_error *error) {
    strata_status status = STRATA_OK;
    bool overflow = false;
    for (uint32_t c = 0; c < count && status == STRATA_OK; c++) {
        if (table->columns[c].type == STRATA_NULL || table->columns[c].collection != STRATA_SINGLE) continue;
        if (values[c].type == STRATA_NULL) continue; /* an empty row has nulls */
        status = st_links_log_value(view, &table->columns[c], &values[c], pending->key, true, error);
        if (is_long(&table->columns[c], &values[c])) overflow = true;
        else if (status == STRATA_OK) status = st_cell_set(view, table, pending, c, &values[c], error);
    }
    for (uint32_t c = 0; overflow && c < count && status == STRATA_OK; c++)
        if (is_long(&table->columns[c], &values[c]))
            status = st_cell_set(view, table, pending, c, &values[c], error);
    return status;
}

strata_status strata_object_create(strata_view *view, uint32_t table, const strata_value *values, uint32_t count,
                                   uint64_t *out_key, strata_error *error) {
    *out_key = 0;
    strata_status status = st_writes_ready(view, error);
    if (status != STRATA_OK) return status;
    const st_table *found = st_view_table(view, table, error);
    if (found == NULL) return STRATA_MISUSE;
    if (found->name[0] == 0) return st_fail(error, STRATA_MISUSE, 0, "table %u was dropped", (unsigned)table);
    status = check_count(found, values, count, error);
    if (status != STRATA_OK) return status;
    strata_value zero;
    st_primary primary;
    if (found->primary != ST_NONE) {
        status = make_primary(view, table, values, count, &zero, &primary, error);
        if (status != STRATA_OK) return status;
    }
    status = check_values(view, found, values, count, error);
    if (status != STRATA_OK) return status;
    st_table_writes *writes;
    status = st_writes_table(view, table, &writes, error);
    if (status != STRATA_OK) return status;
    if (found->primary != ST_NONE) {
        status = st_primary_check(view, table, &primary, out_key, error);
        if (status != STRATA_OK) return status;
    }
    if (writes->state.next_key >= ST_KEY_MAX)
        return st_fail(error, STRATA_TOO_LARGE, 0, "%s has used up its 2^48 object keys", found->name);

    st_layout layout = st_table_layout(found);
    size_t room = inline_bytes(found, values, count);
    uint64_t key = writes->state.next_key;
    uint8_t *block = st_writes_block(view->writes, &layout, table, key, room);
    st_pending *pending = block == NULL ? NULL : st_writes_add(view->writes, table, key);
    if (pending == NULL) return st_no_memory(error, "creating an object");
    pending->block = block;
    pending->end = writes->empty_size;
    pending->capacity = writes->empty_size + (uint32_t)room;
    writes->state.next_key++;
    writes->state.rows++;
    writes->state_changed = true;
    if (found->primary != ST_NONE)
        status = st_primary_log(view, table, &primary, key, error);
    if (status == STRATA_OK) status = fill(view, found, pending, values, count, error);
    if (status != STRATA_OK) {
        st_writes_fail(view->writes, status, error);
        return status;
    }
    st_change_log_note(&view->writes->log, STRATA_DELTA_CREATE, table, key, 0, 0, 1);
    status = st_writes_trim(view, error);
    if (status == STRATA_OK) *out_key = key;
    return status;
}

