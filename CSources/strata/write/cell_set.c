/* SPDX-License-Identifier: MIT
 * cell_set.c -- changing single cells of pending rows. */
#include "write/cell_set.h"

#include "base/status.h"
#include "block/block_pending.h"
#include "table/reference.h"
#include "value/mixed.h"
#include "write/cell_release.h"
#include "write/overflow_store.h"

/* A larger block for the row, without the bytes it no longer uses. */
static bool move_pending(st_write_set *writes, const st_layout *layout, st_pending *pending, size_t more) {
    st_row_ref row = { pending->block, 0, pending->key };
    size_t needed = st_pending_size(layout, st_pending_bytes(layout, &row)) + more;
    size_t capacity = needed + needed / 2 + ST_PENDING_SLACK;
    uint8_t *block = st_arena_alloc(&writes->memory.arena, capacity);
    if (block == NULL) return false;
    st_pending_clear(layout, pending->key, block);
    pending->end = (uint32_t)st_pending_copy(layout, &row, block);
    if (writes->log.on) st_pending_close(layout, block);
    pending->block = block;
    pending->capacity = (uint32_t)capacity;
    return true;
}

strata_status st_cell_set_bytes(strata_view *view, const st_table *table, st_pending *pending, uint32_t column,
                                strata_bytes bytes, bool overflow, strata_error *error) {
    st_layout layout = st_table_layout(table);
    uint32_t entry = strata_block_entry(pending->block, column);
    uint8_t *cell = pending->block + strata_entry_offset(entry);
    uint32_t from = strata_load32(cell), to = strata_load32(cell + 4);
    if (bytes.size > to - from) {
        if (bytes.size > pending->capacity - pending->end) {
            if (!move_pending(view->writes, &layout, pending, bytes.size))
                return st_no_memory(error, "changing an object");
            cell = pending->block + strata_entry_offset(entry);
            view->head.epoch++;
        }
        from = pending->end;
        pending->end += (uint32_t)bytes.size;
    }
    if (bytes.size != 0) memmove(pending->block + from, bytes.data, bytes.size); /* they may be the cell's own */
    st_store32(cell, from);
    st_store32(cell + 4, from + (uint32_t)bytes.size);
    bool nullable = table->fields[column].nullable;
    if (nullable) cell[-1] = 0;
    cell[nullable ? -2 : -1] = overflow;
    return STRATA_OK;
}

/* The identity of the overflow value that the cell has, if another one may be written over it; otherwise 0. Fails:
 * STRATA_CORRUPT. */
static strata_status find_replaceable(const strata_view *view, const st_table *table, const st_pending *pending,
                                      uint32_t column, uint64_t *out, strata_error *error) {
    uint32_t entry = strata_block_entry(pending->block, column);
    st_blob found;
    *out = 0;
    if (!strata_block_large(pending->block, entry, 0)) return STRATA_OK;
    if (!st_reference_open(view, &table->columns[column], pending->key, st_block_bytes(pending->block, entry, 0),
                           &found))
        return st_cell_damaged(table, column, pending->key, error);
    if (st_overflow_replaceable(view, table, column, found.identity)) *out = found.identity;
    return STRATA_OK;
}

/* The bytes that a cell gets of a value: its own, or in `cell` its encoding or the reference to its overflow value.
 * `*out_kept` says that the overflow value which the cell has is used again. */
static strata_status bytes_of_value(strata_view *view, const st_table *table, const st_pending *pending,
                                    uint32_t column, const strata_value *value, uint8_t cell[ST_INLINE_VALUE],
                                    strata_bytes *out, bool *overflow, bool *out_kept, strata_error *error) {
    bool mixed = table->columns[column].type == STRATA_MIXED;
    uint8_t reference[ST_REFERENCE];
    uint64_t identity;
    size_t size = mixed ? st_mixed_size(value) : value->as.bytes.size;
    *overflow = size > ST_INLINE_VALUE;
    *out = (strata_bytes){ cell, *overflow ? ST_REFERENCE : size };
    if (!*overflow && !mixed) *out = value->as.bytes;
    else if (!*overflow) st_mixed_pack(value, cell);
    if (!*overflow) return STRATA_OK;
    strata_value stored = *value;
    if (stored.as.bytes.size <= ST_INLINE_VALUE) { /* it may be lent by the tree that is about to change */
        memcpy(cell, stored.as.bytes.data, stored.as.bytes.size);
        stored.as.bytes.data = cell;
    }
    strata_status status = find_replaceable(view, table, pending, column, &identity, error);
    if (status != STRATA_OK) return status;
    *out_kept = identity != 0;
    status = st_overflow_store(view, &table->columns[column], pending->key, &stored, identity, reference, error);
    memcpy(cell, reference, ST_REFERENCE);
    return status;
}

static strata_status set_bytes(strata_view *view, const st_table *table, st_pending *pending, uint32_t column,
                               const strata_value *value, strata_error *error) {
    uint8_t cell[ST_INLINE_VALUE];
    bool overflow = false, kept = false;
    strata_bytes bytes = { NULL, 0 };
    strata_status status = STRATA_OK;
    if (value->type != STRATA_NULL)
        status = bytes_of_value(view, table, pending, column, value, cell, &bytes, &overflow, &kept, error);
    if (status != STRATA_OK) return status;
    st_row_ref row = { pending->block, 0, pending->key };
    if (!kept) status = st_cell_drop(view, table, &row, column, error);
    if (status == STRATA_OK) status = st_cell_set_bytes(view, table, pending, column, bytes, overflow, error);
    /* The old value was given up, or the new one is stored and no row refers to it. */
    if (status != STRATA_OK) st_writes_fail(view->writes, status, error);
    return status;
}

strata_status st_cell_set(strata_view *view, const st_table *table, st_pending *pending, uint32_t column,
                          const strata_value *value, strata_error *error) {
    strata_type type = table->columns[column].type;
    bool nullable = table->fields[column].nullable;
    uint8_t *cell = pending->block + strata_entry_offset(strata_block_entry(pending->block, column));
    int64_t number = 0;
    if (value->type == STRATA_NULL && type != STRATA_LINK) {
        if (table->fields[column].packing != ST_PACK_BYTES) {
            cell[-1] = 1;
            return STRATA_OK;
        }
        strata_status status = set_bytes(view, table, pending, column, value, error);
        if (status == STRATA_OK)
            pending->block[strata_entry_offset(strata_block_entry(pending->block, column)) - 1] = 1;
        return status;
    }
    if (table->fields[column].packing == ST_PACK_BYTES) return set_bytes(view, table, pending, column, value, error);
    if (nullable) cell[-1] = 0;
    switch (type) {
    case STRATA_BOOL: number = value->as.boolean; memcpy(cell, &number, 8); break;
    case STRATA_INT: memcpy(cell, &value->as.integer, 8); break;
    case STRATA_FLOAT: memcpy(cell, &value->as.single, 4); break;
    case STRATA_DOUBLE:
    case STRATA_DATE: memcpy(cell, &value->as.real, 8); break;
    case STRATA_UUID:
    case STRATA_DECIMAL: memcpy(cell, value->as.fixed, 16); break;
    case STRATA_OBJECT_ID: memcpy(cell, value->as.fixed, 12); break;
    case STRATA_LINK: st_store64(cell, value->type == STRATA_NULL ? 0 : value->as.link); break;
    case STRATA_STRING:
    case STRATA_DATA:
    case STRATA_MIXED:
    case STRATA_NESTED:
    case STRATA_NULL: break;
    }
    return STRATA_OK;
}
