/* SPDX-License-Identifier: MIT
 * source_search.c -- finding elements of collections. */
#include "collection/source_search.h"

#include "collection/link_scan.h"
#include "value/mixed_links.h"

enum { FIRST_BATCH = 4 /* elements that are read first: what is wanted is often near */ };

/* ---- Binary search ---------------------------------------------------- */

typedef struct element_search {
    const st_source *source;
    st_directory *directory;    /* of a long collection that is read as it is stored */
    const strata_value *values; /* of a short one: all in one chunk */
    const strata_value *wanted;
    bool keys;                  /* those of a map are searched, by their bytes */
} element_search;

/* A value among those that are searched. */
static strata_status searched_value(const element_search *s, size_t chunk, uint32_t slot, strata_value *out,
                                    strata_error *error) {
    const st_source *source = s->source;
    if (source->edit != NULL)
        return st_chunk_values(source->view, source->column, source->edit, &source->edit->chunks[chunk], 0, slot, 1,
                               out, error);
    if (s->directory == NULL) {
        *out = s->values[slot];
        return STRATA_OK;
    }
    const uint8_t *block;
    strata_status status =
        st_directory_block(source->view, s->directory, source->column, (uint32_t)chunk, &block, error);
    if (status == STRATA_OK) st_element_load(source->column, block, 0, slot, out);
    return status;
}

/* Compares what is wanted with such a value. */
static strata_status compare(const element_search *s, size_t chunk, uint32_t slot, int *out, strata_error *error) {
    strata_value value;
    *out = 0;
    strata_status status = searched_value(s, chunk, slot, &value, error);
    if (status != STRATA_OK) return status;
    const st_source *source = s->source;
    if (!s->keys) return st_element_order(source->view, source->column, source->object, s->wanted, &value, out, error);
    *out = st_compare(s->wanted->as.bytes, value.as.bytes);
    return STRATA_OK;
}

/* The first slot of a chunk whose element is not less than the one wanted. */
static strata_status search_chunk(const element_search *s, size_t chunk, uint32_t count, uint32_t *out, bool *found,
                                  strata_error *error) {
    uint32_t low = 0, high = count;
    *found = false;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        int order;
        strata_status status = compare(s, chunk, middle, &order, error);
        if (status != STRATA_OK) return status;
        if (order > 0) low = middle + 1;
        else high = middle;
        *found = *found || order == 0;
    }
    *out = low;
    return STRATA_OK;
}

/* The last of the chunks whose first element is not greater than the one wanted, or the first chunk. */
static strata_status search_chunks(const element_search *s, size_t count, size_t *out, strata_error *error) {
    size_t low = 0, high = count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        int order;
        strata_status status = compare(s, middle, 0, &order, error);
        if (status != STRATA_OK) return status;
        if (order >= 0) low = middle;
        else high = middle;
    }
    *out = low;
    return STRATA_OK;
}

strata_status st_source_search(const st_source *source, const strata_value *value, uint64_t *out_position,
                               strata_error *error) {
    strata_value values[ST_SEQUENCE_MAX];
    element_search s = { .source = source, .values = values, .wanted = value };
    size_t chunk = 0, chunks = 1;
    uint64_t start = 0, count = source->count;
    uint32_t slot = 0;
    bool found = false;
    strata_status status = STRATA_OK;
    *out_position = 0;
    s.keys = source->column->collection == STRATA_MAP;
    if (count == 0) return STRATA_NOT_FOUND;
    if (source->edit != NULL) {
        chunks = source->edit->chunk_count;
    } else if (source->cell.identity != 0) {
        status = st_directory_get(source->view, &source->cell, &s.directory, error);
        if (status == STRATA_OK) chunks = s.directory->chunk_count;
    } else {
        status = st_collection_cell_values(source->column, &source->cell, 0, 0, count, values, error);
    }
    if (status == STRATA_OK) status = search_chunks(&s, chunks, &chunk, error);
    if (status != STRATA_OK) return status;
    if (source->edit != NULL) {
        start = st_edit_start(source->edit, chunk);
        count = source->edit->chunks[chunk].count;
    } else if (s.directory != NULL) {
        start = s.directory->starts[chunk];
        count = s.directory->chunks[chunk].count;
    }
    status = search_chunk(&s, chunk, (uint32_t)count, &slot, &found, error);
    if (status != STRATA_OK) return status;
    *out_position = start + slot;
    return found ? STRATA_OK : STRATA_NOT_FOUND;
}

/* ---- One by one ------------------------------------------------------- */

/* The first link to an object in the chunks of a long collection. */
static strata_status find_in_chunks(const st_source *s, uint64_t key, uint64_t from, uint64_t *out_position,
                                    strata_error *error) {
    st_directory *directory;
    strata_status status = st_directory_get(s->view, &s->cell, &directory, error);
    if (status != STRATA_OK || from >= s->count) return status == STRATA_OK ? STRATA_NOT_FOUND : status;
    for (uint32_t at = st_directory_find(directory, from); at < directory->chunk_count; at++) {
        const uint8_t *block;
        status = st_directory_block(s->view, directory, s->column, at, &block, error);
        if (status != STRATA_OK) return status;
        uint64_t start = directory->starts[at];
        uint32_t count = directory->chunks[at].count, slot = from > start ? (uint32_t)(from - start) : 0;
        slot = st_link_scan(block, strata_block_entry(block, st_last_column(s)), slot, count, key);
        *out_position = start + slot;
        if (slot < count) return STRATA_OK;
    }
    *out_position = 0;
    return STRATA_NOT_FOUND;
}

strata_status st_source_find(const st_source *s, const strata_value *value, uint64_t from, uint64_t *out_position,
                             strata_error *error) {
    strata_value batch[ST_SOURCE_BATCH];
    strata_status status = STRATA_OK;
    *out_position = 0;
    if (s->column->collection == STRATA_SET) {
        status = st_source_search(s, value, out_position, error);
        if (status == STRATA_OK && *out_position >= from) return STRATA_OK;
        *out_position = 0;
        return status == STRATA_OK ? STRATA_NOT_FOUND : status;
    }
    bool is_link = s->column->type == STRATA_LINK && value->type == STRATA_LINK && value->as.link != 0;
    if (is_link && s->edit == NULL && s->cell.identity != 0)
        return find_in_chunks(s, value->as.link, from, out_position, error);
    for (uint64_t some = FIRST_BATCH; status == STRATA_OK && from < s->count; some *= 2) {
        if (some > ST_SOURCE_BATCH) some = ST_SOURCE_BATCH;
        uint64_t count = s->count - from < some ? s->count - from : some;
        status = st_source_values(s, st_last_column(s), from, count, batch, error);
        for (uint64_t i = 0; i < count && status == STRATA_OK; i++, from++) {
            int order;
            status = st_element_order(s->view, s->column, s->object, value, &batch[i], &order, error);
            if (status != STRATA_OK || order != 0) continue;
            *out_position = from;
            return STRATA_OK;
        }
    }
    return status == STRATA_OK ? STRATA_NOT_FOUND : status;
}

/* ---- Links ------------------------------------------------------------ */

strata_status st_source_find_link(const st_source *s, uint32_t target, uint64_t key, uint64_t from, st_buffer *scratch,
                                  uint64_t *out_position, strata_value *out, strata_error *error) {
    if (s->column->type == STRATA_LINK) {
        *out = strata_link(key);
        return st_source_find(s, out, from, out_position, error);
    }
    for (; from < s->count; from++) {
        strata_value element;
        strata_status status = st_source_values(s, st_last_column(s), from, 1, &element, error);
        if (status == STRATA_OK)
            status = st_element_value(s->view, s->column, s->object, &element, scratch, out, error);
        if (status != STRATA_OK) return status;
        *out_position = from;
        if (st_mixed_count_links(out, target, key) != 0) return STRATA_OK;
    }
    return STRATA_NOT_FOUND;
}

