/* SPDX-License-Identifier: MIT
 * cursor.c -- walking objects in the order of their keys, or of an index. */
#include "object/cursor.h"

#include <stdlib.h>

#include "base/status.h"
#include "object/backlinks.h"
#include "object/index_scan.h"
#include "store/cursor.h"
#include "table/cell_value.h"
#include "table/table_state.h"
#include "value/key.h"
#include "value/mixed.h"
#include "value/mixed_order.h"
#include "write/flush.h"
#include "write/row_find.h"
#include "write/value_check.h"
#include "write/write_set.h"

struct strata_cursor {
    strata_view *view;
    strata_cursor *next_open, *previous_open; /* the other cursors of the view */
    uint32_t table;
    bool backward;
    bool exhausted;
    uint64_t limit;           /* objects from this key on were created after the cursor */
    uint64_t next;            /* table scans: the key to go on from */
    st_cursor *tree;          /* table scans: in the tree of rows */
    uint64_t tree_epoch;      /* `block`, on which `tree` stands, is good while this is the view's; 0: there is none */
    st_stored_block block;
    uint32_t slot;
    bool dense;               /* forward: the keys of the block have no gaps, so that `next` is that of the next row */
    uint32_t slots;           /* forward: only rows of the block before this slot are returned */
    uint64_t epoch;           /* while it is that of the view's head, no row of the block is pending */
    bool by_index;            /* an index scan, otherwise a table scan */
    st_index_scan index;
    st_key low, high;
    bool recheck;             /* a bound is so long that entries have its beginning only: rows are compared with it */
    bool recheck_low, recheck_high; /* which bound that is */
    strata_value low_value, high_value; /* the values of such bounds, with bytes in `low_text` and `high_text` */
    bool low_open, high_open;
    uint32_t column;
    st_buffer low_text, high_text, value;
    bool failed;              /* the rest of an index scan could not be kept, */
    strata_error *failure;    /* and why; NULL: there was no memory */
};

/* ---- Table scans ------------------------------------------------------ */

/* Fetches into the cache of the processor what is read first of the next block: its header and the beginnings of its
 * columns, which are where those of this block are if both have as many rows. If not, nothing is lost. There is at most
 * one fetch for each row. */
static void fetch_next_block(const strata_cursor *c) {
    const uint8_t *block = c->block.data, *next = st_cursor_ahead(c->tree, 1);
    if (next == NULL) return;
    uint32_t rows = strata_block_rows(block), columns = strata_block_columns(block);
    __builtin_prefetch(next);
    for (uint32_t column = 0; column < columns && column < rows; column++)
        __builtin_prefetch(next + strata_entry_offset(strata_block_entry(block, column)));
}

/* Goes to a block of the tree: STRATA_NOT_FOUND if it is one of another table. */
static strata_status enter(strata_cursor *c, strata_bytes key, strata_bytes value, strata_error *error) {
    st_layout layout = st_table_layout(&c->view->catalog->tables[c->table]);
    strata_status status = st_row_tree_entry(c->table, &layout, key, value, &c->block, error);
    if (status == STRATA_OK) c->tree_epoch = c->view->tree_epoch;
    return status;
}

/* Finds the first block with a key from `next` on. With `follow`, that is one of those behind the present block. */
static strata_status find_forward(strata_cursor *c, bool follow, strata_error *error) {
    for (;; follow = true) {
        uint8_t from[8];
        strata_bytes key, value;
        strata_status status =
            follow ? st_cursor_next(c->tree, &key, &value, error)
                   : st_cursor_seek(c->tree, st_row_tree_key(from, c->table, c->next), &key, &value, error);
        if (status == STRATA_OK) status = enter(c, key, value, error);
        if (status != STRATA_OK) return status;
        if (c->block.bound < c->next)
            return st_fail(error, STRATA_CORRUPT, 0, "the blocks of table %u are out of order", c->table);
        c->slot = st_block_lower_bound(c->block.data, c->next);
        if (c->slot < strata_block_rows(c->block.data)) break;
        if (c->block.bound >= ST_KEY_MAX) return STRATA_NOT_FOUND;
        c->next = c->block.bound + 1;
    }
    fetch_next_block(c);
    return STRATA_OK;
}

/* Finds the last block with a key up to `next`. */
static strata_status find_backward(strata_cursor *c, strata_error *error) {
    uint8_t from[8];
    strata_bytes key, value;
    strata_status status = st_cursor_seek(c->tree, st_row_tree_key(from, c->table, c->next), &key, &value, error);
    if (status == STRATA_NOT_FOUND) status = st_cursor_last(c->tree, &key, &value, error);
    for (bool behind = true; status == STRATA_OK; behind = false) {
        status = enter(c, key, value, error);
        if (status == STRATA_NOT_FOUND && !behind) break; /* a block of a table before this one */
        if (status < 0) break;
        if (status == STRATA_OK && strata_block_first(value.data) <= c->next) {
            c->slot = st_block_lower_bound(value.data, c->next + 1);
            if (c->slot-- == 0) status = st_fail(error, STRATA_CORRUPT, 0, "a block of table %u is damaged", c->table);
            break;
        }
        status = st_cursor_previous(c->tree, &key, &value, error);
    }
    return status;
}

/* Sets `next` behind the block; false if no row can be there. */
static bool leave_block(strata_cursor *c) {
    if (c->backward) c->next = strata_block_first(c->block.data) - 1;
    else c->next = c->block.bound + 1;
    return c->next != 0 && c->next < c->limit;
}

/* The next stored row of a table scan; in the write set it may be changed or deleted. */
static strata_status scan_next(strata_cursor *c, st_row_ref *out, strata_error *error) {
    if (c->next == 0 || c->next >= c->limit) return STRATA_END;
    bool standing = c->tree_epoch == c->view->tree_epoch, placed = standing;
    if (placed && !c->backward) placed = ++c->slot < strata_block_rows(c->block.data);
    else if (placed) placed = c->slot-- > 0;
    if (!placed) {
        /* A block is left for good at its end, even if it is damaged: otherwise the scan might not end. */
        if (standing && !leave_block(c)) return STRATA_END;
        strata_status status = STRATA_OK;
        if (c->tree == NULL) status = st_cursor_open(c->view->txn, ST_ROWS, &c->tree, error);
        if (status == STRATA_OK) status = c->backward ? find_backward(c, error) : find_forward(c, standing, error);
        if (status != STRATA_OK) c->tree_epoch = 0;
        if (status != STRATA_OK) return status == STRATA_NOT_FOUND ? STRATA_END : status;
    }
    uint64_t key = strata_block_key(c->block.data, c->slot);
    if (key >= c->limit) return STRATA_END;
    if (!placed && !c->backward) {
        c->slots = st_block_lower_bound(c->block.data, c->limit);
        c->dense = c->block.data[6] == 0;
    }
    *out = (st_row_ref){ c->block.data, c->slot, key };
    c->next = c->backward ? key - 1 : key + 1;
    return STRATA_OK;
}

/* Whether a table scan goes on in its block, with nothing else to look at. */
static inline bool scan_goes_on(const strata_cursor *c) {
    const strata_view_head *head = &c->view->head;
    return c->slot + 1 < c->slots && c->epoch == head->epoch && head->owner == strata_thread();
}

static inline strata_status step(strata_cursor *c, strata_row *row, uint64_t key) {
    uint32_t slot = ++c->slot;
    c->next = key + 1;
    *row = (strata_row){ c->block.data, &c->view->head, c->epoch, key, c->table, slot };
    return STRATA_OK;
}

/* Out of line, so that a scan of dense blocks saves no registers. */
__attribute__((noinline)) static strata_status step_sparse(strata_cursor *c, strata_row *row) {
    return step(c, row, strata_block_key(c->block.data, c->slot + 1));
}

/* The next row of an index scan, if it was found already. */
static inline bool index_goes_on(strata_cursor *c, strata_row *row) {
    strata_view *view = c->view;
    const st_row_ref *at = &c->index.rows[c->index.handed_out];
    if (c->index.handed_out >= c->index.count || c->index.tree_epoch != view->tree_epoch) return false;
    if (view->writes != NULL) return false;
    if (c->recheck || at->block == NULL || at->key >= c->limit || view->head.owner != strata_thread()) return false;
    c->index.handed_out++;
    *row = (strata_row){ at->block, &view->head, view->head.epoch, at->key, c->table, at->slot };
    return true;
}

/* ---- Opening ---------------------------------------------------------- */

static strata_status make(strata_view *view, uint32_t table, bool backward, strata_cursor **out, strata_error *error) {
    st_table_state state;
    *out = NULL;
    strata_status status = st_view_readable(view, error);
    if (status != STRATA_OK) return status;
    if (st_view_table(view, table, error) == NULL) return STRATA_MISUSE;
    if (view->writes != NULL) {
        status = st_writes_ready(view, error);
        if (status == STRATA_OK) status = st_writes_flush(view, error);
        if (status != STRATA_OK) return status;
    }
    status = st_table_state_load(view->txn, table, &state, error);
    if (status != STRATA_OK) return status;
    strata_cursor *cursor = calloc(1, sizeof *cursor);
    if (cursor == NULL) return st_no_memory(error, "opening a cursor");
    cursor->view = view;
    cursor->table = table;
    cursor->backward = backward;
    cursor->limit = state.next_key;
    cursor->next = backward ? state.next_key - 1 : 1;
    cursor->next_open = view->cursors;
    if (view->cursors != NULL) view->cursors->previous_open = cursor;
    view->cursors = cursor;
    *out = cursor;
    return STRATA_OK;
}

strata_status strata_scan(strata_view *view, uint32_t table, bool backward, strata_cursor **out, strata_error *error) {
    return make(view, table, backward, out, error);
}

/* Encodes a bound. Entries of long strings that begin alike are in no useful order, so a bound among them is moved to
 * include them all, and their rows are compared with it. */
static strata_status encode_bound(strata_cursor *c, const st_table *table, const strata_value *value, bool high,
                                  strata_error *error) {
    enum { HASH = 8 };
    const st_column *found = &table->columns[c->column];
    st_key *key = high ? &c->high : &c->low;
    strata_status status = st_value_check(table, found, value, error);
    if (status != STRATA_OK) return status;
    st_key_encode(&c->view->hash_key, found->type, table->fields[c->column].nullable, value, key);
    if (key->truncated) {
        memset(key->bytes + key->size - HASH, high ? 0xFF : 0, HASH);
        st_buffer *text = high ? &c->high_text : &c->low_text;
        strata_value *copy = high ? &c->high_value : &c->low_value;
        c->recheck = true;
        *(high ? &c->recheck_high : &c->recheck_low) = true;
        if (!st_buffer_append(text, value->as.bytes.data, value->as.bytes.size))
            return st_no_memory(error, "opening a cursor");
        *copy = *value;
        copy->as.bytes.data = text->data;
    }
    strata_bytes bytes = { key->bytes, key->size };
    if (high) {
        c->index.range.high = bytes;
        c->index.range.high_key = c->high_open && !key->truncated ? 0 : UINT64_MAX;
    } else {
        c->index.range.low = bytes;
        c->index.range.low_key = c->low_open && !key->truncated ? UINT64_MAX : 0;
    }
    return STRATA_OK;
}

/* Whether a row is between the bounds with which its entry could not be compared. */
static strata_status check_long_bounds(strata_cursor *c, const st_row_ref *row, bool *out, strata_error *error) {
    const st_table *table = &c->view->catalog->tables[c->table];
    strata_value value;
    *out = true;
    strata_status status = st_cell_value(c->view, table, c->column, row, &c->value, &value, error);
    if (status != STRATA_OK) return status;
    if (c->recheck_low) {
        int order = st_mixed_compare(&value, &c->low_value);
        *out = c->low_open ? order > 0 : order >= 0;
    }
    if (c->recheck_high && *out) {
        int order = st_mixed_compare(&value, &c->high_value);
        *out = c->high_open ? order < 0 : order <= 0;
    }
    return STRATA_OK;
}

/* ---- The rest of an index scan ---------------------------------------- */

/* Reads the keys of those rows of the rest of an index scan that are between the bounds. */
static strata_status read_checked(strata_cursor *c, st_buffer *keys, strata_error *error) {
    for (;;) {
        st_row_ref at;
        bool inside;
        strata_status status = st_index_scan_next(&c->index, c->view, c->table, c->limit, &at, error);
        if (status == STRATA_OK) status = check_long_bounds(c, &at, &inside, error);
        if (status != STRATA_OK) return status == STRATA_END ? STRATA_OK : status;
        if (inside && !st_buffer_append(keys, &at.key, sizeof at.key)) return st_no_memory(error, "walking an index");
    }
}

static void keep_rest(strata_cursor *c) {
    st_buffer keys = { NULL, 0, 0 };
    strata_error error;
    strata_status status = c->recheck ? read_checked(c, &keys, &error)
                                      : st_index_scan_rest(&c->index, c->view, &keys, &error);
    if (status != STRATA_OK) {
        c->failed = true;
        c->failure = malloc(sizeof error);
        if (c->failure != NULL) *c->failure = error;
        st_buffer_free(&keys);
    }
    st_index_scan_keep(&c->index, &keys);
    c->recheck = false;
}

/* Tells why the rest of an index scan could not be kept, and ends the walk. */
static strata_status report_failure(strata_cursor *c, strata_error *error) {
    c->failed = false;
    c->exhausted = true;
    if (c->failure == NULL) return st_no_memory(error, "walking an index");
    if (error != NULL) *error = *c->failure;
    return c->failure->status;
}

static void keep_scans(strata_view *view) {
    if (view->txn == NULL) return;
    for (strata_cursor *cursor = view->cursors; cursor != NULL; cursor = cursor->next_open) {
        if (!cursor->by_index || cursor->exhausted) continue;
        if (cursor->index.kept) st_index_scan_put_back(&cursor->index);
        else keep_rest(cursor);
    }
}

/* ---- Index scans ------------------------------------------------------ */

static void walk_index(strata_cursor *c) {
    c->by_index = true;
    c->view->keep_scans = keep_scans;
}

strata_status strata_index_scan(strata_view *view, uint32_t table, uint32_t column, const strata_range *range,
                                bool backward, strata_cursor **out, strata_error *error) {
    *out = NULL;
    const st_column *found = st_view_column(view, table, column, error);
    if (found == NULL) return STRATA_MISUSE;
    const st_table *owner = &view->catalog->tables[table];
    if (found->index_id == 0)
        return st_fail(error, STRATA_MISUSE, 0, "%s.%s has no index; declare it as indexed", owner->name, found->name);
    strata_cursor *c;
    strata_status status = make(view, table, backward, &c, error);
    if (status != STRATA_OK) return status;
    walk_index(c);
    c->index.backward = backward;
    c->index.set = (st_posting_set){ ST_INDEX, found->index_id };
    c->column = column;
    c->low_open = range != NULL && range->low_open;
    c->high_open = range != NULL && range->high_open;
    if (range != NULL && range->low != NULL) status = encode_bound(c, owner, range->low, false, error);
    if (range != NULL && range->high != NULL && status == STRATA_OK)
        status = encode_bound(c, owner, range->high, true, error);
    if (status != STRATA_OK) {
        strata_cursor_close(c);
        return status;
    }
    if (c->recheck && view->writes != NULL) keep_rest(c); /* nothing is pending now */
    *out = c;
    return STRATA_OK;
}

strata_status strata_backlinks(strata_view *view, uint32_t table, uint64_t key, uint32_t origin_table,
                               uint32_t origin_column, strata_cursor **out, strata_error *error) {
    *out = NULL;
    st_posting_set set;
    strata_cursor *c;
    strata_status status = st_backlinks_find(view, table, key, origin_table, origin_column, &set, error);
    if (status == STRATA_OK) status = make(view, origin_table, false, &c, error);
    if (status != STRATA_OK) return status;
    walk_index(c);
    c->index.set = set;
    const st_column *column = &view->catalog->tables[origin_table].columns[origin_column];
    c->index.range = st_links_range(c->low.bytes, st_link_number(column, table, key));
    *out = c;
    return STRATA_OK;
}

/* ---- Moving ----------------------------------------------------------- */

/* Out of line, so that a scan that goes on saves no registers. */
__attribute__((noinline)) static strata_status look_further(strata_cursor *cursor, strata_row *row,
                                                            strata_error *error) {
    strata_view *view = cursor->view;
    *row = (strata_row){ .head = &view->head, .table = cursor->table };
    strata_status readable = st_view_readable(view, error);
    if (readable != STRATA_OK) return readable;
    if (cursor->failed) return report_failure(cursor, error);
    if (cursor->exhausted) return STRATA_END;
    for (;;) {
        st_row_ref at;
        strata_status status = cursor->by_index
                                   ? st_index_scan_next(&cursor->index, view, cursor->table, cursor->limit, &at, error)
                                   : scan_next(cursor, &at, error);
        if (status != STRATA_OK) {
            cursor->exhausted = true;
            cursor->slots = 0;
            st_index_scan_close(&cursor->index); /* the transaction may end before the cursor */
            return status;
        }
        bool changed = view->writes != NULL && view->writes->tables[cursor->table].count != 0;
        if (changed && !cursor->by_index) {
            status = st_view_row(view, cursor->table, at.key, &at, error);
            if (status == STRATA_NOT_FOUND) continue; /* it is deleted */
            if (status != STRATA_OK) return status;
        }
        bool inside = true;
        if (cursor->recheck) status = check_long_bounds(cursor, &at, &inside, error);
        if (status != STRATA_OK) return status;
        if (!inside) continue;
        cursor->epoch = changed ? 0 : view->head.epoch;
        st_row_point(row, view, cursor->table, &at);
        return STRATA_OK;
    }
}

static inline strata_status advance(strata_cursor *cursor, strata_row *row, strata_error *error) {
    if (scan_goes_on(cursor)) return cursor->dense ? step(cursor, row, cursor->next) : step_sparse(cursor, row);
    if (index_goes_on(cursor, row)) return STRATA_OK;
    return look_further(cursor, row, error);
}

strata_status strata_cursor_next(strata_cursor *cursor, strata_row *row, strata_error *error) {
    return advance(cursor, row, error);
}

strata_status strata_cursor_next_rows(strata_cursor *cursor, strata_row *rows, size_t capacity, size_t *out_count,
                                      strata_error *error) {
    strata_status status = STRATA_OK;
    size_t count = 0;
    *out_count = 0;
    if (cursor == NULL) return st_fail(error, STRATA_MISUSE, 0, "the cursor is NULL: opening it failed");
    if (capacity == 0) return st_fail(error, STRATA_MISUSE, 0, "a cursor is asked for the next 0 rows");
    while (count < capacity && (status = advance(cursor, &rows[count], error)) == STRATA_OK) count++;
    *out_count = status < 0 ? 0 : count; /* a failure is reported at once, and ends the walk */
    return status == STRATA_END && count > 0 ? STRATA_OK : status;
}

static void detach(strata_cursor *cursor) {
    st_cursor_close(cursor->tree);
    cursor->tree = NULL;
    cursor->tree_epoch = 0;
}

void st_view_detach_cursors(strata_view *view) {
    for (strata_cursor *cursor = view->cursors; cursor != NULL; cursor = cursor->next_open) detach(cursor);
}

void strata_cursor_close(strata_cursor *cursor) {
    if (cursor == NULL) return;
    detach(cursor);
    st_index_scan_close(&cursor->index);
    free(cursor->failure);
    if (cursor->next_open != NULL) cursor->next_open->previous_open = cursor->previous_open;
    if (cursor->previous_open != NULL) cursor->previous_open->next_open = cursor->next_open;
    else cursor->view->cursors = cursor->next_open;
    st_buffer_free(&cursor->low_text);
    st_buffer_free(&cursor->high_text);
    st_buffer_free(&cursor->value);
    free(cursor);
}
