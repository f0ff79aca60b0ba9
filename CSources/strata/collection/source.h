/* SPDX-License-Identifier: MIT
 *
 * source.h -- a collection being read, as stored or as changed.
 */
#ifndef ST_COLLECTION_SOURCE_H
#define ST_COLLECTION_SOURCE_H

#include "collection/edit_load.h"
#include "collection/element.h"

/** A collection being read. Lifetime: until it, or its view, is changed. */
typedef struct st_source {
    strata_view *view;
    const st_column *column;
    st_edit *edit; /* NULL: as stored */
    st_collection_cell cell;
    uint64_t count;
} st_source;

/** Opens the collection of a stored row. */
strata_status st_source_stored(strata_view *view, const st_column *column, uint32_t number, const st_row_ref *row,
                               st_source *out, strata_error *error);
/** Opens a changed one. */
void st_source_edited(strata_view *view, const st_column *column, st_edit *edit, st_source *out);

/** The column of chunks that the elements stand in, beside the keys of a map. */
static inline uint32_t st_last_column(const st_source *source) { return st_element_columns(source->column) - 1; }

/** Reads elements, which must exist. Bytes are lent. */
strata_status st_source_values(const st_source *source, uint32_t block_column, uint64_t position, uint64_t count,
                               strata_value *out, strata_error *error);
/** The object keys that elements of a link column are; 0 for null. At most ST_SOURCE_BATCH. */
enum { ST_SOURCE_BATCH = 256 };
strata_status st_source_links(const st_source *source, uint64_t position, uint64_t count, uint64_t *out,
                              strata_error *error);

#endif
