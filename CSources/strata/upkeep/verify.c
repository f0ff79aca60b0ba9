/* SPDX-License-Identifier: MIT
 *
 * verify.c -- reads everything that is stored, and checks it from both sides.
 *
 * Rows are read block by block. For each row every index must have its entry, and every link its reverse. An index must
 * not have more entries than were found in this way: then each entry has its row, too. In the same way, whatever is
 * stored outside of rows must belong to one of them.
 */
#include <stdlib.h>

#include "base/sized.h"
#include "base/sort.h"
#include "base/status.h"
#include "base/utf8.h"
#include "block/block_check.h"
#include "changes/journal.h"
#include "posting/postings_check.h"
#include "store/snapshot.h"
#include "value/mixed.h"
#include "collection/source.h"
#include "write/index.h"
#include "write/write_set.h"
#include "upkeep/stored.h"
#include "table/reference.h"
#include "table/cell_value.h"
#include "table/link_index.h"
#include "write/row_find.h"

typedef struct verifier {
    strata_view *view;
    strata_verify_report report;
    strata_progress progress;
    void *context;           /* of `progress` */
    uint64_t all_rows;       /* how many rows there are, if there is a `progress` */
    uint64_t *entries;       /* by the number of a set: how many it should have */
    st_stored blobs, collections;
    st_buffer value;         /* an overflow value that was read */
    st_buffer previous;      /* the one before it in a collection */
    st_buffer keys;          /* of the objects that a collection or a mixed value links to */
    const st_column *column; /* of the collection being verified */
} verifier;

static strata_status corrupt(const st_table *table, uint64_t key, const char *what, strata_error *error) {
    return st_fail(error, STRATA_CORRUPT, 0, "object %llu of %s: %s", (unsigned long long)key, table->name, what);
}

/* ---- Values and indexes ----------------------------------------------- */

static strata_status verify_index_entry(verifier *v, const st_table *table, const st_index *index,
                                        const st_row_ref *row, strata_error *error) {
    st_key key;
    uint64_t times;
    strata_status status = st_index_key(v->view, table, index, row, &v->value, &key, error);
    if (status != STRATA_OK) return status;
    st_posting_range range = st_posting_range_of((strata_bytes){ key.bytes, key.size });
    range.low_key = row->key;
    range.high_key = row->key + 1;
    v->entries[index->set]++;
    v->report.index_entries++;
    status = st_postings_count(v->view->txn, st_index_set(index), &range, &times, error);
    if (status != STRATA_OK) return status;
    if (times != 1) return corrupt(table, row->key, "an index lacks it, or has it twice", error);
    bool unique = index->column_count == 1 && index->columns[0] == table->primary && !key.truncated;
    if (!unique) return STRATA_OK;
    range = st_posting_range_of((strata_bytes){ key.bytes, key.size });
    status = st_postings_count(v->view->txn, st_index_set(index), &range, &times, error);
    if (status == STRATA_OK && times != 1) return corrupt(table, row->key, "its primary key is not unique", error);
    return status;
}

static strata_status verify_link(verifier *v, const st_table *table, uint32_t column, uint64_t origin,
                                 uint64_t number, uint64_t times, strata_error *error) {
    const st_column *found = &table->columns[column];
    uint32_t target_table = found->type == STRATA_LINK ? found->target : (uint32_t)(number >> 48);
    uint64_t target = found->type == STRATA_LINK ? number : number & ST_KEY_MAX;
    st_row_ref row;
    uint8_t value[8];
    uint64_t reverse;
    strata_status status = STRATA_NOT_FOUND;
    if (target < ST_KEY_MAX && target_table < v->view->catalog->table_count)
        status = st_view_row(v->view, target_table, target, &row, error);
    if (status == STRATA_NOT_FOUND) return corrupt(table, origin, "it links to an object that does not exist", error);
    if (found->type == STRATA_MIXED && status == STRATA_OK &&
        (v->view->catalog->tables[target_table].flags & STRATA_TABLE_EMBEDDED) != 0)
        return corrupt(table, origin, "a value of any type links to an embedded object", error);
    if (status != STRATA_OK) return status;
    st_posting_range range = st_links_range(value, number);
    range.low_key = origin;
    range.high_key = origin + 1;
    status = st_postings_count(v->view->txn, (st_posting_set){ ST_LINKS, found->link_id }, &range, &reverse, error);
    if (status == STRATA_OK && reverse != times)
        return corrupt(table, origin, "a link and its reverse disagree", error);
    v->entries[found->link_set] += times;
    v->report.links += times;
    return status;
}

static int by_number(const void *a, const void *b) {
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return left < right ? -1 : left > right;
}

/* ---- Collections ------------------------------------------------------ */

static strata_status note_link(void *context, uint32_t table, uint64_t key, strata_error *error) {
    verifier *v = context;
    uint64_t number = st_link_number(v->column, table, key);
    return st_buffer_append(&v->keys, &number, sizeof number) ? STRATA_OK : st_no_memory(error, "verifying");
}

/* Notes an overflow value that was read. */
static strata_status note_large(verifier *v, const st_column *column, uint64_t object, strata_bytes reference,
                                const strata_value *value, strata_error *error) {
    st_blob blob;
    (void)st_reference_open(v->view, column, object, reference, &blob);
    return st_stored_note_blob(&v->blobs, blob.identity, value->as.bytes.size, error);
}

/* Reads an element and checks it; its links are only noted, and are checked when all links of the collection are
 * known. */
static strata_status verify_element(verifier *v, const st_table *table, uint64_t origin, const strata_value *element,
                                    strata_value *out, strata_error *error) {
    strata_status status = st_element_value(v->view, v->column, origin, element, &v->value, out, error);
    if (status == STRATA_OK && st_is_overflow(element))
        status = note_large(v, v->column, origin, element->as.bytes, out, error);
    if (status != STRATA_OK) return status;
    if (out->type == STRATA_NULL && !st_element_nullable(v->column))
        return corrupt(table, origin, "a collection holds a null", error);
    if (out->type == STRATA_STRING && !st_utf8_valid(out->as.bytes.data, out->as.bytes.size))
        return corrupt(table, origin, "a string in a collection is not valid UTF-8", error);
    return st_element_links(v->column) ? st_element_each_link(v->column, out, note_link, v, error) : STRATA_OK;
}

static strata_status verify_links(verifier *v, const st_table *table, uint32_t column, uint64_t origin,
                                  strata_error *error) {
    uint64_t *keys = (uint64_t *)(void *)v->keys.data;
    size_t count = v->keys.size / sizeof *keys;
    strata_status status = STRATA_OK;
    st_sort_array(keys, count, sizeof *keys, by_number);
    for (size_t i = 0, same; i < count && status == STRATA_OK; i += same) {
        for (same = 1; i + same < count && keys[i + same] == keys[i];) same++;
        status = verify_link(v, table, column, origin, keys[i], same, error);
    }
    return status;
}

/* The elements of a set ascend, as do the keys of a map. */
static strata_status verify_order(verifier *v, const st_table *table, uint64_t origin, const strata_value *previous,
                                  const strata_value *element, strata_error *error) {
    int order;
    strata_status status = STRATA_OK;
    if (v->column->collection == STRATA_MAP) order = st_compare(previous->as.bytes, element->as.bytes);
    else status = st_element_order(v->view, v->column, origin, previous, element, &order, error);
    if (status != STRATA_OK) return status;
    return order < 0 ? STRATA_OK : corrupt(table, origin, "a set or map is out of order", error);
}

static strata_status verify_keys(verifier *v, const st_table *table, const st_source *source, uint64_t origin,
                                 strata_error *error) {
    strata_value key, previous;
    for (uint64_t i = 0; i < source->count; i++, previous = key) {
        strata_status status = st_source_values(source, 0, i, 1, &key, error);
        if (status == STRATA_OK && i > 0) status = verify_order(v, table, origin, &previous, &key, error);
        if (status != STRATA_OK) return status;
        if (key.as.bytes.size > STRATA_MAX_MAP_KEY || st_is_overflow(&key) ||
            !st_utf8_valid(key.as.bytes.data, key.as.bytes.size))
            return corrupt(table, origin, "a key of a map is damaged", error);
    }
    return STRATA_OK;
}

static strata_status verify_collection(verifier *v, const st_table *table, uint32_t column, const st_row_ref *row,
                                       strata_error *error) {
    st_source source;
    strata_value element, value, previous;
    v->column = &table->columns[column];
    v->keys.size = 0;
    bool set = v->column->collection == STRATA_SET, map = v->column->collection == STRATA_MAP;
    strata_status status = st_source_stored(v->view, v->column, row, &source, error);
    if (status == STRATA_OK) status = st_stored_note_collection(&v->collections, &source, error);
    if (status == STRATA_OK && map) status = verify_keys(v, table, &source, row->key, error);
    for (uint64_t i = 0; i < source.count && status == STRATA_OK; i++) {
        status = st_source_values(&source, map ? 1 : 0, i, 1, &element, error);
        if (status == STRATA_OK && set && i > 0) status = verify_order(v, table, row->key, &previous, &element, error);
        if (status == STRATA_OK) status = verify_element(v, table, row->key, &element, &value, error);
        previous = value;
        st_buffer other = v->previous; /* an overflow value is needed until the next element was compared with it */
        v->previous = v->value;
        v->value = other;
    }
    if (status == STRATA_OK) status = verify_links(v, table, column, row->key, error);
    v->report.list_elements += source.count;
    return status;
}

/* ---- Mixed values ----------------------------------------------------- */

static strata_status note_mixed_link(void *context, uint32_t table, uint64_t key, strata_error *error) {
    st_buffer *numbers = context;
    uint64_t number = st_mixed_target(table, key);
    if (st_buffer_append(numbers, &number, sizeof number)) return STRATA_OK;
    return st_no_memory(error, "verifying a mixed value");
}

static strata_status verify_mixed(verifier *v, const st_table *table, uint32_t column, const st_row_ref *row,
                                  const strata_value *value, strata_error *error) {
    const char *flaw = st_mixed_flaw(value, v->view->catalog->table_count);
    if (flaw != NULL) return st_fail(error, STRATA_CORRUPT, 0, "object %llu of %s: %s is a value that %s",
                                     (unsigned long long)row->key, table->name, table->columns[column].name, flaw);
    v->keys.size = 0;
    strata_status status = st_mixed_links(value, note_mixed_link, &v->keys, error);
    uint64_t *numbers = (uint64_t *)(void *)v->keys.data, count = v->keys.size / sizeof *numbers;
    if (status == STRATA_OK) st_sort_array(numbers, (size_t)count, sizeof *numbers, by_number);
    for (uint64_t i = 0, same; i < count && status == STRATA_OK; i += same) {
        for (same = 1; i + same < count && numbers[i + same] == numbers[i];) same++;
        status = verify_link(v, table, column, row->key, numbers[i], same, error);
    }
    return status;
}

/* ---- Cells ------------------------------------------------------------ */

static strata_status verify_cell(verifier *v, const st_table *table, uint32_t column, const st_row_ref *row,
                                 strata_error *error) {
    const st_column *found = &table->columns[column];
    strata_value value;
    if (found->type == STRATA_NULL) return STRATA_OK;
    if (found->collection != STRATA_SINGLE) return verify_collection(v, table, column, row, error);
    strata_status status = st_cell_value(v->view, table, column, row, &v->value, &value, error);
    uint32_t entry = strata_block_entry(row->block, column);
    bool large = table->fields[column].packing == ST_PACK_BYTES && strata_block_large(row->block, entry, row->slot);
    if (status == STRATA_OK && large)
        status = note_large(v, found, row->key, st_block_bytes(row->block, entry, row->slot), &value, error);
    if (status != STRATA_OK) return status;
    if (value.type == STRATA_STRING && !st_utf8_valid(value.as.bytes.data, value.as.bytes.size))
        return corrupt(table, row->key, "a string is not valid UTF-8", error);
    if (found->type == STRATA_LINK && value.type == STRATA_LINK)
        return verify_link(v, table, column, row->key, value.as.link, 1, error);
    return found->type == STRATA_MIXED ? verify_mixed(v, table, column, row, &value, error) : STRATA_OK;
}

/* ---- Tables ----------------------------------------------------------- */

static strata_status verify_block(verifier *v, const st_table *table, const st_stored_block *block, uint64_t low,
                                  strata_error *error) {
    st_layout layout = st_table_layout(table);
    strata_bytes bytes = { block->data, block->size };
    if (!st_block_valid(bytes, &layout) || strata_block_first(block->data) < low ||
        strata_block_key(block->data, strata_block_rows(block->data) - 1) > block->bound)
        return corrupt(table, block->bound, "the block that ends here is damaged", error);
    strata_status status = STRATA_OK;
    for (uint32_t i = 0; i < strata_block_rows(block->data); i++) {
        st_row_ref row = { block->data, i, strata_block_key(block->data, i) };
        for (uint32_t c = 0; c < table->column_count && status == STRATA_OK; c++)
            status = verify_cell(v, table, c, &row, error);
        for (uint32_t k = 0; k < table->index_count && status == STRATA_OK; k++)
            status = verify_index_entry(v, table, &table->indexes[k], &row, error);
        if (status != STRATA_OK) return status;
    }
    v->report.rows += strata_block_rows(block->data);
    v->report.blocks++;
    if (v->progress == NULL || v->progress(v->context, v->report.rows, v->all_rows)) return STRATA_OK;
    return st_fail(error, STRATA_CANCELLED, 0, "the check was stopped after %llu of %llu objects",
                   (unsigned long long)v->report.rows, (unsigned long long)v->all_rows);
}

static strata_status verify_table(verifier *v, uint32_t number, strata_error *error) {
    const st_table *table = &v->view->catalog->tables[number];
    uint64_t before = v->report.rows, low = 1, last = 0;
    st_stored_block block;
    strata_status status;
    for (;;) {
        status = st_view_block(v->view, number, low, &block, error);
        if (status != STRATA_OK) break;
        status = verify_block(v, table, &block, low, error);
        if (status != STRATA_OK) break;
        last = strata_block_key(block.data, strata_block_rows(block.data) - 1);
        if (block.bound >= ST_KEY_MAX) break;
        low = block.bound + 1;
    }
    if (status < 0) return status;
    st_table_state state;
    status = st_table_state_load(v->view->txn, number, &state, error);
    if (status != STRATA_OK) return status;
    if (state.rows != v->report.rows - before || state.next_key <= last)
        return st_fail(error, STRATA_CORRUPT, 0, "%s counts %llu objects and has %llu", table->name,
                       (unsigned long long)state.rows, (unsigned long long)(v->report.rows - before));
    v->report.tables++;
    return STRATA_OK;
}

/* An index must have no entries but those of the rows. `columns` are its columns, for messages. */
static strata_status verify_set(verifier *v, const st_table *table, const char *columns, st_posting_set set,
                                uint64_t expected, strata_error *error) {
    uint64_t entries, blocks;
    strata_status status = st_postings_check(v->view->txn, set, &entries, &blocks, error);
    v->report.blocks += blocks;
    if (status != STRATA_OK || entries == expected) return status;
    return st_fail(error, STRATA_CORRUPT, 0, "the index of %s on %s has %llu entries; the objects have %llu",
                   table->name, columns, (unsigned long long)entries, (unsigned long long)expected);
}

static strata_status verify_sets(verifier *v, const st_table *table, strata_error *error) {
    strata_status status = STRATA_OK;
    for (uint32_t i = 0; i < table->index_count && status == STRATA_OK; i++) {
        const st_index *index = &table->indexes[i];
        char columns[200];
        st_index_describe(table, index, columns, sizeof columns);
        status = verify_set(v, table, columns, st_index_set(index), v->entries[index->set], error);
    }
    for (uint32_t c = 0; c < table->column_count && status == STRATA_OK; c++) {
        const st_column *column = &table->columns[c];
        if (column->link_id == 0) continue;
        st_posting_set set = { ST_LINKS, column->link_id };
        status = verify_set(v, table, column->name, set, v->entries[column->link_set], error);
    }
    return status;
}

static strata_status count_rows(verifier *v, strata_error *error) {
    strata_status status = STRATA_OK;
    for (uint32_t t = 0; t < v->view->catalog->table_count && status == STRATA_OK; t++) {
        st_table_state state;
        status = st_table_state_load(v->view->txn, t, &state, error);
        v->all_rows += state.rows;
    }
    return status;
}

strata_status strata_verify_sized(strata_view *view, strata_progress progress, void *context,
                                  strata_verify_report *report, size_t size, strata_error *error) {
    verifier v = { .view = view, .progress = progress, .context = context };
    if (report != NULL) st_sized_write(report, size, &v.report, sizeof v.report);
    strata_status status = st_view_readable(view, error);
    if (status != STRATA_OK) return status;
    if (view->writes != NULL)
        return st_fail(error, STRATA_WRITING, 0, "a view cannot be verified while it writes; commit first");
    v.entries = calloc((size_t)view->catalog->set_count + 1, sizeof *v.entries);
    if (v.entries == NULL) status = st_no_memory(error, "verifying");
    if (status == STRATA_OK) status = st_snapshot_check_file(view->txn, error);
    if (status == STRATA_OK && progress != NULL) status = count_rows(&v, error);
    for (uint32_t t = 0; t < view->catalog->table_count && status == STRATA_OK; t++)
        status = verify_table(&v, t, error);
    for (uint32_t t = 0; t < view->catalog->table_count && status == STRATA_OK; t++)
        status = verify_sets(&v, &view->catalog->tables[t], error);
    if (status == STRATA_OK) status = st_stored_check(&v.blobs, view, ST_BLOBS, "large value", error);
    if (status == STRATA_OK) status = st_stored_check(&v.collections, view, ST_COLLECTIONS, "collection", error);
    if (status == STRATA_OK) status = st_journal_check(view->txn, error);
    free(v.entries);
    st_stored_free(&v.blobs);
    st_stored_free(&v.collections);
    st_buffer_free(&v.value);
    st_buffer_free(&v.previous);
    st_buffer_free(&v.keys);
    if (report != NULL) st_sized_write(report, size, &v.report, sizeof v.report);
    return status;
}
