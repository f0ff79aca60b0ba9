/* SPDX-License-Identifier: MIT
 *
 * row_merge.c -- pending rows become stored rows.
 *
 * Pending rows are merged in the order of their keys. The stored blocks they belong to are read, copied and written
 * once: with single cells changed in place, if all new values have room where the old ones are, or else packed anew.
 * The number of a deferred update always has room, and is stored into the copy before anything else. Index entries are
 * derived on the way, by comparing each pending row with its stored state.
 *
 * A group is the stored blocks that are merged together: one, and while it is small its right neighbours.
 */
#include "write/row_merge.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/sort.h"
#include "base/status.h"
#include "block/block_check.h"
#include "block/block_pack.h"
#include "block/block_pending.h"
#include "block/block_size.h"
#include "posting/postings_batch.h"
#include "store/tree.h"
#include "write/index.h"
#include "write/write_set.h"

/* A group is small below this fraction of a full block; so many neighbours join it at most. */
enum { SMALL_FRACTION = 4, MOST_NEIGHBOURS = 4 };

typedef struct merge {
    strata_view *view;
    uint32_t number;
    const st_table *table;
    st_layout layout;
    const st_pending **pending; /* in the order of keys */
    size_t count, done;
    st_block_size *size;
    st_row_ref *rows;           /* of the group */
    size_t row_count, row_capacity;
    size_t measured;            /* how many of them are added to `size` */
    st_arena copies;            /* of the stored blocks of the group */
    uint64_t bounds[MOST_NEIGHBOURS + 1]; /* of the stored blocks of the group */
    uint32_t bound_count;
    uint64_t bound;             /* of the last block of the group */
    st_buffer block;
    st_buffer value;            /* an overflow value */
    size_t limit;               /* largest block, in bytes */
} merge;

/* ---- Index entries ---------------------------------------------------- */

static bool indexed_cells_equal(const merge *m, const st_index *index, const st_row_ref *before,
                                const st_row_ref *after) {
    bool equal = true;
    for (uint32_t i = 0; i < index->column_count && equal; i++) {
        uint32_t column = index->columns[i];
        equal = st_cells_equal(m->table->fields[column], column, before, after);
    }
    return equal;
}

/* Adds what changes in an index when row `before` becomes `after`; either may be NULL: there is none. */
static strata_status derive_entry(merge *m, const st_index *index, const st_row_ref *before, const st_row_ref *after,
                                  strata_error *error) {
    st_posting_batch *batch = &m->view->writes->changes.batches[index->set];
    st_key old_key, new_key;
    strata_status status = STRATA_OK;
    if (before != NULL && after != NULL && indexed_cells_equal(m, index, before, after)) return STRATA_OK;
    if (before != NULL) status = st_index_key(m->view, m->table, index, before, &m->value, &old_key, error);
    if (status == STRATA_OK && after != NULL)
        status = st_index_key(m->view, m->table, index, after, &m->value, &new_key, error);
    if (status != STRATA_OK) return status;
    if (before != NULL && after != NULL && old_key.size == new_key.size &&
        memcmp(old_key.bytes, new_key.bytes, old_key.size) == 0)
        return STRATA_OK;
    bool added = true;
    if (before != NULL)
        added = st_posting_batch_add(batch, (strata_bytes){ old_key.bytes, old_key.size }, before->key, false);
    if (added && after != NULL)
        added = st_posting_batch_add(batch, (strata_bytes){ new_key.bytes, new_key.size }, after->key, true);
    return added ? STRATA_OK : st_no_memory(error, "updating an index");
}

/* The index of a column that is in no compound index; NULL if it has none. */
static const st_index *index_of(const merge *m, uint32_t column) {
    for (uint32_t i = 0; i < m->table->index_count; i++)
        if (m->table->indexes[i].columns[0] == column) return &m->table->indexes[i];
    return NULL;
}

static strata_status derive_entries(merge *m, const st_row_ref *before, const st_row_ref *after, strata_error *error) {
    strata_status status = STRATA_OK;
    for (uint32_t i = 0; i < m->table->index_count && status == STRATA_OK; i++) {
        const st_index *index = &m->table->indexes[i];
        if (index->column_count > 1 || index->columns[0] != m->table->primary) /* primary keys are logged */
            status = derive_entry(m, index, before, after, error);
    }
    return status;
}

/* ---- Gathering -------------------------------------------------------- */

static bool add_row(merge *m, const st_row_ref *row) {
    if (!st_array_grow((void **)&m->rows, &m->row_capacity, m->row_count, sizeof *m->rows)) return false;
    m->rows[m->row_count++] = *row;
    return true;
}

/* Adds the rows of a block from a slot up to but not including another. */
static bool add_stored(merge *m, const uint8_t *block, uint32_t slot, uint32_t end) {
    while (m->row_capacity - m->row_count < end - slot)
        if (!st_array_grow((void **)&m->rows, &m->row_capacity, m->row_capacity, sizeof *m->rows)) return false;
    for (; slot < end; slot++)
        m->rows[m->row_count++] = (st_row_ref){ block, slot, strata_block_key(block, slot) };
    return true;
}

/* What the rows of the group take in one block. */
static size_t measure(merge *m) {
    st_rows rows = { .refs = m->rows };
    st_block_size_add_rows(m->size, &rows, m->measured, m->row_count - m->measured);
    m->measured = m->row_count;
    return st_block_size_total(m->size);
}

/* Adds a pending row, if it is not deleted. `before` is its stored state, or NULL. */
static strata_status add_pending(merge *m, const st_pending *pending, const st_row_ref *before, strata_error *error) {
    st_row_ref after = { pending->block, 0, pending->key };
    strata_status status = derive_entries(m, before, pending->block == NULL ? NULL : &after, error);
    if (status == STRATA_OK && pending->block != NULL && !add_row(m, &after))
        return st_no_memory(error, "storing rows");
    return status;
}

/* The next pending row, if it belongs to the last block of the group. */
static const st_pending *next_pending(const merge *m) {
    const st_pending *next = m->done < m->count ? m->pending[m->done] : NULL;
    return next != NULL && next->key <= m->bound ? next : NULL;
}

/* A new object has the key of one that is stored. */
static strata_status used_twice(const merge *m, uint64_t key, strata_error *error) {
    return st_fail(error, STRATA_CORRUPT, 0, "%s has an object %llu already: the counts of the table are damaged",
                   m->table->name, (unsigned long long)key);
}

/* Adds the rows of the copy of a block, merged with the pending rows up to its bound. */
static strata_status add_block(merge *m, const uint8_t *block, strata_error *error) {
    uint32_t rows = block == NULL ? 0 : strata_block_rows(block);
    uint32_t slot = 0;
    for (;;) {
        const st_pending *next = next_pending(m);
        for (; next != NULL && next->deferred; next = next_pending(m)) m->done++; /* the copy has them */
        uint32_t end = next == NULL || slot == rows ? rows : st_block_lower_bound(block, next->key);
        if (!add_stored(m, block, slot, end)) return st_no_memory(error, "storing rows");
        slot = end;
        if (next == NULL) return STRATA_OK;
        st_row_ref stored = { block, slot, next->key };
        bool replaces = slot < rows && strata_block_key(block, slot) == next->key;
        if (replaces && !next->stored) return used_twice(m, next->key, error);
        strata_status status = add_pending(m, next, replaces ? &stored : NULL, error);
        if (status != STRATA_OK) return status;
        slot += replaces;
        m->done++;
    }
}

static strata_status damaged(const merge *m, uint64_t bound, strata_error *error) {
    return st_fail(error, STRATA_CORRUPT, 0, "the block of %s up to object %llu is damaged", m->table->name,
                   (unsigned long long)bound);
}

/* Whether all rows of the block can be read. */
static strata_status check_block(const merge *m, const st_stored_block *stored, strata_error *error) {
    if (st_block_valid((strata_bytes){ stored->data, stored->size }, &m->layout) &&
        strata_block_key(stored->data, strata_block_rows(stored->data) - 1) <= stored->bound)
        return STRATA_OK;
    return damaged(m, stored->bound, error);
}

/* Stores the deferred updates of rows of the block into its copy, up to but not including pending row `end`. */
static bool store_deferred(merge *m, const st_stored_block *stored, uint8_t *copy, size_t end) {
    for (size_t i = m->done; i < end; i++) {
        const st_pending *update = m->pending[i];
        uint32_t slot;
        if (!update->deferred) continue;
        if (!st_block_find(stored->data, update->key, &slot)) return false;
        if (!st_block_can_store(stored->data, &m->layout, update->column, update->number)) return false;
        st_block_store(copy, &m->layout, update->column, slot, update->number);
    }
    return true;
}

/* Derives index entries of deferred updates that are stored in the copy. */
static strata_status derive_deferred(merge *m, const st_stored_block *stored, const uint8_t *copy, size_t end,
                                     strata_error *error) {
    strata_status status = STRATA_OK;
    for (size_t i = m->done; i < end && status == STRATA_OK; i++) {
        const st_pending *update = m->pending[i];
        const st_index *index = update->deferred ? index_of(m, update->column) : NULL;
        if (index == NULL) continue;
        st_row_ref before = { stored->data, 0, update->key }, after = { copy, 0, update->key };
        (void)st_block_find(stored->data, update->key, &before.slot);
        after.slot = before.slot;
        status = derive_entry(m, index, &before, &after, error);
    }
    return status;
}

/* The first pending row that does not belong to the block. */
static size_t end_of_block(const merge *m, const st_stored_block *stored) {
    size_t end = m->done;
    while (end < m->count && m->pending[end]->key <= stored->bound) end++;
    return end;
}

/* Adds a stored block, or none if it has no data, to the group, with the pending rows that belong to it. */
static strata_status gather(merge *m, const st_stored_block *stored, strata_error *error) {
    m->bound = stored->bound;
    if (stored->data == NULL) return add_block(m, NULL, error);
    uint8_t *copy = st_arena_alloc(&m->copies, stored->size);
    if (copy == NULL) return st_no_memory(error, "storing rows");
    memcpy(copy, stored->data, stored->size);
    m->bounds[m->bound_count++] = stored->bound;
    size_t end = end_of_block(m, stored);
    if (!store_deferred(m, stored, copy, end)) return damaged(m, stored->bound, error);
    strata_status status = derive_deferred(m, stored, copy, end, error);
    return status == STRATA_OK ? add_block(m, copy, error) : status;
}

/* ---- Storing ---------------------------------------------------------- */

static strata_status put_packed(merge *m, uint64_t bound, strata_error *error) {
    uint8_t key[8];
    return st_tree_put(m->view->txn, ST_ROWS, st_row_tree_key(key, m->number, bound),
                       (strata_bytes){ m->block.data, m->block.size }, error);
}

static strata_status put_block(merge *m, size_t first, uint64_t bound, strata_error *error) {
    st_rows rows = { .refs = m->rows };
    m->block.size = 0;
    if (!st_block_pack(m->size, &rows, first, &m->block)) return st_no_memory(error, "storing rows");
    return put_packed(m, bound, error);
}

/* How large the blocks of a group should be that is not the end of its table: all the same. */
static size_t target_size(const merge *m, size_t total) {
    size_t blocks = (total + m->limit - 1) / m->limit;
    size_t even = total / blocks + total / m->row_count; /* by at most a row larger, rather than one block more */
    return even < m->limit ? even : m->limit;
}

/* Stores the rows of the group, in one block if they have room there. */
static strata_status put_blocks(merge *m, strata_error *error) {
    size_t target = m->limit;
    st_rows rows = { .refs = m->rows };
    if (m->bound != ST_KEY_MAX) {
        size_t total = measure(m);
        if (total <= m->limit && m->row_count <= UINT16_MAX) return put_block(m, 0, m->bound, error);
        target = target_size(m, total);
    }
    strata_status status = STRATA_OK;
    for (size_t first = 0, count; first < m->row_count && status == STRATA_OK; first += count) {
        count = st_block_size_fill(m->size, &rows, first, m->row_count - first, target);
        bool last = first + count == m->row_count;
        status = put_block(m, first, last ? m->bound : m->rows[first + count - 1].key, error);
    }
    return status;
}

/* Deletes the blocks that will not be overwritten: all but the last one, and that too if the group has no rows. */
static strata_status delete_blocks(merge *m, strata_error *error) {
    strata_status status = STRATA_OK;
    uint8_t key[8];
    uint32_t stay = m->row_count == 0 ? 0 : 1;
    for (uint32_t i = 0; i + stay < m->bound_count && status == STRATA_OK; i++)
        status = st_tree_delete(m->view->txn, ST_ROWS, st_row_tree_key(key, m->number, m->bounds[i]), error);
    return status;
}

/* Adds the blocks to the right of the group while it is small. */
static strata_status join_neighbours(merge *m, strata_error *error) {
    for (int i = 0; i < MOST_NEIGHBOURS && m->bound != ST_KEY_MAX; i++) {
        uint64_t bound = m->bound;
        st_stored_block next;
        if (m->row_count == 0 || measure(m) >= m->limit / SMALL_FRACTION) return STRATA_OK;
        strata_status status = st_view_block(m->view, m->number, bound + 1, &next, error);
        if (status != STRATA_OK) return status < 0 ? status : STRATA_OK;
        if (next.size > m->limit / 2) return STRATA_OK;
        status = check_block(m, &next, error);
        if (status == STRATA_OK) status = gather(m, &next, error);
        if (status != STRATA_OK) return status;
    }
    return STRATA_OK;
}

/* Stores the group, which begins with this block. */
static strata_status repack(merge *m, const st_stored_block *stored, strata_error *error) {
    m->row_count = m->measured = 0;
    m->bound_count = 0;
    st_arena_reset(&m->copies);
    st_block_size_reset(m->size);
    strata_status status = gather(m, stored, error);
    if (status == STRATA_OK) status = join_neighbours(m, error);
    if (status == STRATA_OK) status = delete_blocks(m, error);
    if (status == STRATA_OK && m->row_count != 0) status = put_blocks(m, error);
    return status;
}

/* ---- In place --------------------------------------------------------- */

/* Changes the rows in a copy of their block, up to but not including pending row `end`. False if one of them does not
 * fit where it was. */
static bool patch_rows(merge *m, const st_stored_block *stored, size_t end) {
    memcpy(m->block.data, stored->data, stored->size);
    for (size_t i = m->done; i < end; i++) {
        if (m->pending[i]->deferred) continue;
        st_row_ref before = { stored->data, 0, m->pending[i]->key }, after = { m->pending[i]->block, 0, before.key };
        if (!st_block_find(stored->data, before.key, &before.slot)) return false;
        if (!st_block_patch(m->block.data, &m->layout, &before, &after)) return false;
    }
    return store_deferred(m, stored, m->block.data, end);
}

static strata_status derive_patched(merge *m, const st_stored_block *stored, size_t end, strata_error *error) {
    strata_status status = derive_deferred(m, stored, m->block.data, end, error);
    for (size_t i = m->done; i < end && status == STRATA_OK; i++) {
        const st_pending *pending = m->pending[i];
        if (pending->deferred) continue;
        st_row_ref before = { stored->data, 0, pending->key }, after = { pending->block, 0, pending->key };
        (void)st_block_find(stored->data, before.key, &before.slot);
        status = derive_entries(m, &before, &after, error);
    }
    return status;
}

/* Stores the pending rows that belong to the block in place, if that can be done with all of them. */
static strata_status patch(merge *m, const st_stored_block *stored, bool *out_done, strata_error *error) {
    size_t end = end_of_block(m, stored);
    *out_done = false;
    for (size_t i = m->done; i < end; i++)
        if (!m->pending[i]->stored || (m->pending[i]->block == NULL && !m->pending[i]->deferred)) return STRATA_OK;
    m->block.size = 0;
    if (!st_buffer_reserve(&m->block, stored->size)) return st_no_memory(error, "storing rows");
    if (!patch_rows(m, stored, end)) return STRATA_OK;
    *out_done = true;
    m->block.size = stored->size;
    strata_status status = derive_patched(m, stored, end, error);
    m->done = end;
    return status == STRATA_OK ? put_packed(m, stored->bound, error) : status;
}

static strata_status merge_group(merge *m, strata_error *error) {
    st_stored_block stored;
    bool done = false;
    strata_status status = st_view_block(m->view, m->number, m->pending[m->done]->key, &stored, error);
    if (status == STRATA_NOT_FOUND) stored = (st_stored_block){ NULL, 0, ST_KEY_MAX };
    else if (status == STRATA_OK) status = check_block(m, &stored, error);
    if (status == STRATA_OK) status = patch(m, &stored, &done, error);
    if (status >= 0 && !done) status = repack(m, &stored, error);
    m->view->tree_epoch++; /* the block looked at last has moved */
    return status;
}

/* ---- The merge of a table --------------------------------------------- */

/* Puts the pending rows into the order of their keys. */
static bool sort_pending(merge *m, const st_pending *rows) {
    st_sort_item *items = malloc(2 * m->count * sizeof *items);
    if (items == NULL) return false;
    for (size_t i = 0; i < m->count; i++)
        items[i] = (st_sort_item){ m->pending[i]->key, (uint64_t)(m->pending[i] - rows) };
    st_sort_items(items, items + m->count, m->count);
    for (size_t i = 0; i < m->count; i++) m->pending[i] = rows + items[i].index;
    free(items);
    return true;
}

static bool prepare(merge *m, st_table_writes *writes) {
    m->count = 0;
    m->pending = malloc((writes->count + 1) * sizeof *m->pending);
    m->size = st_block_size_make(&m->layout);
    if (m->pending == NULL || m->size == NULL) return false;
    for (size_t i = 0; i < writes->count; i++) {
        const st_pending *pending = &writes->rows[i];
        if (pending->block == NULL && !pending->stored) continue; /* it was created and deleted in this write */
        m->pending[m->count++] = pending;
    }
    return writes->ascending || m->count < 2 || sort_pending(m, writes->rows);
}

strata_status st_writes_merge_table(strata_view *view, uint32_t table, strata_error *error) {
    merge m = { .view = view, .number = table, .table = &view->catalog->tables[table] };
    m.layout = st_table_layout(m.table);
    m.limit = st_store_block_size(view->store);
    strata_status status = STRATA_OK;
    if (!prepare(&m, &view->writes->tables[table])) {
        status = st_no_memory(error, "storing rows");
        goto done;
    }
    while (m.done < m.count && status == STRATA_OK) status = merge_group(&m, error);

done:
    free(m.pending);
    free(m.rows);
    st_block_size_free(m.size);
    st_arena_free(&m.copies);
    st_buffer_free(&m.block);
    st_buffer_free(&m.value);
    return status;
}
