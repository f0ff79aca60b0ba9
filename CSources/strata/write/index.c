/* SPDX-License-Identifier: MIT
 * index.c -- keys of rows in indexes, and ranges of compound ones. */
#include "write/index.h"

#include "base/arena.h"
#include "table/cell_value.h"

st_tuple st_index_tuple(const st_hash_key *hash_key, const st_table *table, const st_index *index) {
    st_tuple tuple = { .hash_key = hash_key, .count = index->column_count };
    for (uint32_t i = 0; i < index->column_count; i++) {
        uint32_t column = index->columns[i];
        tuple.parts[i].type = table->columns[column].type;
        tuple.parts[i].nullable = table->fields[column].nullable;
    }
    return tuple;
}

static strata_status compound_key(strata_view *view, const st_table *table, const st_index *index,
                                  const st_row_ref *row, st_buffer *scratch, st_key *out, strata_error *error) {
    st_tuple tuple = st_index_tuple(&view->hash_key, table, index);
    st_tuple_begin(out);
    for (uint32_t i = 0; i < index->column_count; i++) {
        strata_value value;
        strata_status status = st_cell_value(view, table, index->columns[i], row, scratch, &value, error);
        if (status != STRATA_OK) return status;
        (void)st_tuple_add(&tuple, i, &value, out);
    }
    return STRATA_OK;
}

strata_status st_index_key(strata_view *view, const st_table *table, const st_index *index, const st_row_ref *row,
                           st_buffer *scratch, st_key *out, strata_error *error) {
    if (index->column_count > 1) return compound_key(view, table, index, row, scratch, out, error);
    uint32_t column = index->columns[0];
    strata_value value;
    strata_status status = st_cell_value(view, table, column, row, scratch, &value, error);
    if (status != STRATA_OK) return status;
    st_key_encode(&view->hash_key, table->columns[column].type, table->fields[column].nullable, &value, out);
    return STRATA_OK;
}

/* ---- Ranges ----------------------------------------------------------- */

/* Copies a bound; an empty key is no bound. */
static bool copy_bound(st_arena *memory, const st_key *key, strata_bytes *out) {
    *out = (strata_bytes){ NULL, 0 };
    if (key->size == 0) return true;
    uint8_t *copy = st_arena_alloc(memory, key->size);
    if (copy == NULL) return false;
    memcpy(copy, key->bytes, key->size);
    *out = (strata_bytes){ copy, key->size };
    return true;
}

/* The least key behind all that begin with these bytes; no bound if there is none. */
static bool copy_behind(st_arena *memory, st_key key, strata_bytes *out) {
    while (key.size > 0 && key.bytes[key.size - 1] == 255) key.size--;
    if (key.size > 0) key.bytes[key.size - 1]++;
    return copy_bound(memory, &key, out);
}

/* The bytes with which the entries of a bound begin; if it was cut, those of others begin so, too. */
static st_key bound_key(const st_tuple *tuple, uint32_t part, const strata_value *bound, const st_key *equal,
                        bool *cut) {
    st_key key = *equal;
    *cut = st_tuple_add(tuple, part, bound, &key);
    if (*cut) key.size = (uint16_t)(key.size - 8); /* without the hash, which has no order */
    return key;
}

static bool low_bound(st_arena *memory, const st_tuple *tuple, const st_compound_probe *probe, const st_key *equal,
                      st_posting_range *out, bool *inexact) {
    uint32_t part = probe->equal_count;
    bool cut = false;
    if (probe->low == NULL) {
        st_key key = *equal;
        bool nulls = probe->high == NULL && !probe->not_null;
        strata_type type = tuple->parts[part].type;
        if (!nulls && tuple->parts[part].nullable) key.bytes[key.size++] = 1;
        if (!nulls && type == STRATA_LINK) { /* null is the number 0 */
            strata_value least = strata_link(1);
            (void)st_tuple_add(tuple, part, &least, &key);
        }
        return copy_bound(memory, &key, &out->low);
    }
    st_key key = bound_key(tuple, part, probe->low, equal, &cut);
    *inexact = *inexact || cut;
    if (!probe->low_open || cut) return copy_bound(memory, &key, &out->low);
    if (!copy_behind(memory, key, &out->low)) return false;
    if (out->low.data != NULL) return true;
    out->low_key = UINT64_MAX; /* the bound is the greatest value of all: the range is empty */
    return copy_bound(memory, &key, &out->low);
}

static bool high_bound(st_arena *memory, const st_tuple *tuple, const st_compound_probe *probe, const st_key *equal,
                       st_posting_range *out, bool *inexact) {
    bool cut = false;
    if (out->low_key != 0) { /* the range is empty */
        out->high = out->low;
        return true;
    }
    if (probe->high == NULL) return copy_behind(memory, *equal, &out->high);
    st_key key = bound_key(tuple, probe->equal_count, probe->high, equal, &cut);
    *inexact = *inexact || cut;
    return probe->high_open && !cut ? copy_bound(memory, &key, &out->high) : copy_behind(memory, key, &out->high);
}

bool st_index_range(st_arena *memory, const st_hash_key *hash_key, const st_table *table, const st_index *index,
                    const st_compound_probe *probe, st_posting_range *out, uint32_t *out_inexact) {
    st_tuple tuple = st_index_tuple(hash_key, table, index);
    uint32_t part = probe->equal_count;
    bool inexact = false, made;
    st_key key;
    st_tuple_begin(&key);
    *out = (st_posting_range){ .high_key = 0 }; /* bounds are the first bytes of entries */
    *out_inexact = 0;
    for (uint32_t i = 0; i < part; i++)
        if (st_tuple_add(&tuple, i, &probe->equal[i], &key)) *out_inexact |= 1u << i;
    if (part == index->column_count) {
        *out = (st_posting_range){ .high_key = UINT64_MAX };
        if (!copy_bound(memory, &key, &out->low)) return false;
        out->high = out->low;
        return true;
    }
    if (probe->prefix != NULL) {
        inexact = st_tuple_add_prefix(&tuple, part, *probe->prefix, &key);
        made = copy_bound(memory, &key, &out->low) && copy_behind(memory, key, &out->high);
    } else {
        made = low_bound(memory, &tuple, probe, &key, out, &inexact) &&
               high_bound(memory, &tuple, probe, &key, out, &inexact);
    }
    if (inexact) *out_inexact |= 1u << part;
    return made;
}

size_t st_index_entry_size(const st_table *table, const st_index *index, uint32_t columns, strata_bytes entry,
                           bool *last_cut) {
    st_tuple tuple = st_index_tuple(NULL, table, index);
    return st_tuple_size(&tuple, columns, entry, last_cut);
}
