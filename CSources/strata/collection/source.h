/* SPDX-License-Identifier: MIT
 * source.h -- a collection being read, as stored or as changed. */
#ifndef ST_COLLECTION_SOURCE_H
#define ST_COLLECTION_SOURCE_H

#include "write/collection_edit.h"

/** A collection being read. Lifetime: until it, or its view, is changed. */
typedef struct st_source {
    strata_view *view;
    const st_column *column;
    st_edit *edit; /* NULL: as stored */
    st_collection_cell cell;
    uint64_t count;
} st_source;

/** The collection that was opened last: whoever goes from element to element opens it each time. Good while its row
 * stays in its place; the first change of a collection, which need not move the row, replaces it. */
struct st_recent {
    st_source source;      /* of a changed one, the count may be an earlier one */
    uint64_t epoch;        /* of the view; 0 = none */
    const uint8_t *block;
    uint32_t slot, column;
};
static inline bool st_is_recent(const strata_view *view, const strata_row *row, uint32_t column) {
    const struct st_recent *recent = view->recent;
    return recent != NULL && strata_row_current(row) && recent->epoch == row->epoch && recent->block == row->block &&
           recent->slot == row->slot && recent->column == column;
}
/** Remembers the collection of a row that is ready. If there is no memory, it is opened anew the next time. */
void st_remember(strata_view *view, const strata_row *row, uint32_t column, const st_source *source);
static inline void st_forget_recent(strata_view *view) {
    if (view->recent != NULL) view->recent->epoch = 0;
}

/** Opens the collection of a row, which it makes ready. STRATA_OK or STRATA_NOT_FOUND. Fails: STRATA_MISUSE, ... */
strata_status st_source_open(strata_row *row, uint32_t column, st_source *out, strata_error *error);
/** Opens the collection of a stored row. */
strata_status st_source_stored(strata_view *view, const st_column *column, uint32_t number, const st_row_ref *row,
                               st_source *out, strata_error *error);
/** Opens a changed one. */
void st_source_edited(strata_view *view, const st_column *column, st_edit *edit, st_source *out);

/** The column of parts that the elements stand in, beside the keys of a map. */
static inline uint32_t st_last_column(const st_source *source) { return st_element_columns(source->column) - 1; }

/** Reads elements, which must exist. Bytes are lent. */
strata_status st_source_values(const st_source *source, uint32_t part_column, uint64_t position, uint64_t count,
                               strata_value *out, strata_error *error);
/** The object keys that elements of a link column are; 0 for null. At most ST_SOURCE_BATCH. */
enum { ST_SOURCE_BATCH = 256 };
strata_status st_source_links(const st_source *source, uint64_t position, uint64_t count, uint64_t *out,
                              strata_error *error);

/** Searches what is in order: the elements of a set, the keys of a map. STRATA_OK, or STRATA_NOT_FOUND with where it
 * would be. */
strata_status st_source_search(const st_source *source, const strata_value *value, uint64_t *out_position,
                               strata_error *error);
/** The first element from a position on that equals a value. STRATA_OK or STRATA_NOT_FOUND. */
strata_status st_source_find(const st_source *source, const strata_value *value, uint64_t from,
                             uint64_t *out_position, strata_error *error);

/** The first element from a position on that links to an object, and its value. STRATA_OK or STRATA_NOT_FOUND. */
strata_status st_source_find_link(const st_source *source, uint32_t target, uint64_t key, uint64_t from,
                                  st_buffer *scratch, uint64_t *out_position, strata_value *out, strata_error *error);

/** The column, if it is a collection, of the given kind unless that is STRATA_SINGLE. Fails: STRATA_MISUSE. */
strata_status st_collection_column(const strata_row *row, uint32_t column, strata_collection kind,
                                   const st_column **out, strata_error *error);
/** Fails with STRATA_RANGE unless `count` elements from `position` on are among `size`. */
strata_status st_collection_in_range(const strata_row *row, const st_column *column, uint64_t position, uint64_t count,
                                     uint64_t size, strata_error *error);

#endif
