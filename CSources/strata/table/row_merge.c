/* SPDX-License-Identifier: MIT
 *
 * row_merge.c -- pending rows become stored rows.
 *
 * Pending rows are taken in the order of their keys. The stored blocks they fall into are read, copied and written
 * once; index entries are derived on the way, by comparing each pending row with its stored state.
 */
#include <stdlib.h>

#include "base/status.h"
#include "table/collection_edit.h"
#include "table/index.h"

/* A merged group this small takes its right neighbour in, at most this often. */
enum { SMALL_FRACTION = 4, MOST_NEIGHBOURS = 4 };

typedef struct merge {
    strata_view *view;
    uint32_t number;
    const st_table *table;
    st_layout layout;
    const st_pending **pending; /* in the order of keys */
    size_t count, done;
    st_block_size *size;
    st_row_ref *rows;           /* the rows of the group being merged */
    size_t row_count, row_capacity;
    st_arena copies;            /* of the stored blocks of the group */
    uint64_t bounds[MOST_NEIGHBOURS + 1]; /* of the stored blocks of the group */
    uint32_t bound_count;
    uint64_t bound;             /* of the last block of the group, stored or to be */
    st_buffer block;
    st_buffer value;            /* one that is stored elsewhere */
    size_t limit;               /* largest block, in bytes */
} merge;

/* ---- Index entries ---------------------------------------------------- */

/* Adds what changes in an index when `before` becomes `after`; either may be NULL. */
static strata_status derive_entry(merge *m, const st_index *index, const st_row_ref *before, const st_row_ref *after,
                                  strata_error *error) {
    st_posting_batch *batch = &m->view->writes->indexes[index->id];
    st_key old_key, new_key;
    strata_status status = STRATA_OK;
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
    st_rows rows = { .refs = m->rows };
    m->rows[m->row_count] = *row;
    st_block_size_add(m->size, &rows, m->row_count++);
    return true;
}

/* Takes a pending row into the group. `before` is its stored state, or NULL. */
static strata_status take_pending(merge *m, const st_pending *pending, const st_row_ref *before, strata_error *error) {
    st_row_ref after = { pending->block, 0, pending->key };
    strata_status status = derive_entries(m, before, pending->block == NULL ? NULL : &after, error);
    if (status == STRATA_OK && pending->block != NULL && !add_row(m, &after))
        return st_no_memory(error, "storing rows");
    return status;
}

/* Merges one stored block, which has been copied, with the pending rows up to its bound. */
static strata_status take_block(merge *m, const uint8_t *block, strata_error *error) {
    uint32_t rows = block == NULL ? 0 : strata_block_rows(block);
    uint32_t slot = 0;
    for (;;) {
        const st_pending *next = m->done < m->count ? m->pending[m->done] : NULL;
        if (next != NULL && next->key > m->bound) next = NULL;
        st_row_ref stored = { block, slot, slot < rows ? strata_block_key(block, slot) : UINT64_MAX };
        if (next == NULL && slot >= rows) return STRATA_OK;
        strata_status status = STRATA_OK;
        if (next == NULL || stored.key < next->key) {
            if (!add_row(m, &stored)) return st_no_memory(error, "storing rows");
            slot++;
        } else {
            bool replaces = stored.key == next->key;
            status = take_pending(m, next, replaces ? &stored : NULL, error);
            slot += replaces;
            m->done++;
        }
        if (status != STRATA_OK) return status;
    }
}

/* Reads the block that `key` falls into and merges it into the group. */
static strata_status gather(merge *m, uint64_t key, strata_error *error) {
    st_stored_block stored;
    strata_status status = st_view_block(m->view, m->number, key, &stored, error);
    if (status == STRATA_NOT_FOUND) {
        m->bound = ST_KEY_MAX;
        return take_block(m, NULL, error);
    }
    if (status != STRATA_OK) return status;
    if (!st_block_valid((strata_bytes){ stored.data, stored.size }, &m->layout) ||
        strata_block_key(stored.data, strata_block_rows(stored.data) - 1) > stored.bound)
        return st_fail(error, STRATA_CORRUPT, 0, "the block of %s up to object %llu is damaged", m->table->name,
                       (unsigned long long)stored.bound);
    uint8_t *copy = st_arena_take(&m->copies, stored.size);
    if (copy == NULL) return st_no_memory(error, "storing rows");
    memcpy(copy, stored.data, stored.size);
    m->bound = m->bounds[m->bound_count++] = stored.bound;
    return take_block(m, copy, error);
}

/* ---- Storing ---------------------------------------------------------- */

static strata_status put_block(merge *m, size_t first, uint64_t bound, strata_error *error) {
    uint8_t key[8];
    st_rows rows = { .refs = m->rows };
    m->block.size = 0;
    if (!st_block_pack(m->size, &rows, first, &m->block)) return st_no_memory(error, "storing rows");
    return st_tree_put(m->view->txn, ST_ROWS, st_row_tree_key(key, m->number, bound),
                       (strata_bytes){ m->block.data, m->block.size }, error);
}

/* Stores the rows of the group in blocks of about `target` bytes. */
static strata_status put_blocks(merge *m, size_t target, strata_error *error) {
    size_t first = 0;
    st_rows rows = { .refs = m->rows };
    st_block_size_reset(m->size);
    for (size_t i = 0; i < m->row_count; i++) {
        st_block_size_add(m->size, &rows, i);
        size_t total = st_block_size_total(m->size);
        bool over = i > first && (total > m->limit || i - first >= UINT16_MAX);
        if (!over && (total < target || i + 1 == m->row_count)) continue;
        size_t count = i + 1 - first;
        if (over) { /* measured one row too many */
            count--;
            st_block_size_reset(m->size);
            for (size_t k = first; k < i; k++) st_block_size_add(m->size, &rows, k);
            i--;
        }
        bool last = first + count == m->row_count;
        uint64_t bound = last ? m->bound : m->rows[first + count - 1].key;
        strata_status status = put_block(m, first, bound, error);
        if (status != STRATA_OK) return status;
        first += count;
        st_block_size_reset(m->size);
    }
    if (first == m->row_count) return STRATA_OK;
    return put_block(m, first, m->bound, error);
}

/* How large blocks should be: what is appended fills them, what grows in the middle is spread evenly. */
static size_t target_size(const merge *m, size_t total) {
    if (m->bound == ST_KEY_MAX || total <= m->limit) return m->limit;
    size_t blocks = (total + m->limit - 1) / m->limit;
    return total / blocks;
}

/* Deletes the blocks that the group will not be stored over: all but the last, and that too if nothing is left. */
static strata_status delete_blocks(merge *m, strata_error *error) {
    strata_status status = STRATA_OK;
    uint8_t key[8];
    uint32_t stay = m->row_count == 0 ? 0 : 1;
    for (uint32_t i = 0; i + stay < m->bound_count && status == STRATA_OK; i++)
        status = st_tree_delete(m->view->txn, ST_ROWS, st_row_tree_key(key, m->number, m->bounds[i]), error);
    return status;
}

static strata_status merge_group(merge *m, strata_error *error) {
    m->row_count = 0;
    m->bound_count = 0;
    st_arena_reset(&m->copies);
    st_block_size_reset(m->size);
    strata_status status = gather(m, m->pending[m->done]->key, error);
    for (int i = 0; i < MOST_NEIGHBOURS && status == STRATA_OK && m->bound != ST_KEY_MAX; i++) {
        if (m->row_count != 0 && st_block_size_total(m->size) >= m->limit / SMALL_FRACTION) break;
        uint64_t bound = m->bound;
        st_stored_block next;
        status = st_view_block(m->view, m->number, bound + 1, &next, error);
        if (status == STRATA_NOT_FOUND || m->row_count == 0) { /* nothing to join, or nothing left to store */
            status = status < 0 ? status : STRATA_OK;
            break;
        }
        if (status == STRATA_OK && next.size > m->limit / 2) break;
        if (status == STRATA_OK) status = gather(m, bound + 1, error);
    }
    if (status == STRATA_OK) status = delete_blocks(m, error);
    if (status == STRATA_OK && m->row_count != 0)
        status = put_blocks(m, target_size(m, st_block_size_total(m->size)), error);
    m->view->tree_epoch++; /* the block looked at last has moved */
    return status;
}

/* ---- The merge of a table --------------------------------------------- */

static int by_key(const void *a, const void *b) {
    uint64_t left = (*(const st_pending *const *)a)->key, right = (*(const st_pending *const *)b)->key;
    return left < right ? -1 : left > right;
}

static bool prepare(merge *m, st_table_writes *writes) {
    m->count = 0;
    m->pending = malloc((writes->count + 1) * sizeof *m->pending);
    m->size = st_block_size_make(&m->layout);
    if (m->pending == NULL || m->size == NULL) return false;
    for (size_t i = 0; i < writes->count; i++) {
        const st_pending *pending = &writes->rows[i];
        if (pending->block == NULL && !pending->stored) continue; /* came and went */
        m->pending[m->count++] = pending;
    }
    if (!writes->ascending) qsort(m->pending, m->count, sizeof *m->pending, by_key);
    return true;
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
