/* SPDX-License-Identifier: MIT
 *
 * source.h -- where the elements of a collection are read: as they are stored, or as an edit has them.
 */
#ifndef ST_COLLECTION_SOURCE_H
#define ST_COLLECTION_SOURCE_H

#include "collection/edit_load.h"
#include "collection/element.h"

/** A collection being read. Lifetime: until it, or its view, is changed. */
typedef struct st_source {
    strata_view *view;
    const st_column *column;
    uint64_t object;         /* whose it is */
    st_edit *edit;           /* NULL: it is read as it is stored */
    st_collection_cell cell; /* then its cell */
    uint64_t count;
} st_source;

/** Opens the collection that a row has in a column, as it is stored. Fails: STRATA_CORRUPT. */
strata_status st_source_stored(strata_view *view, const st_column *column, const st_row_ref *row, st_source *out,
                               strata_error *error);
/** Opens a collection of an object as an edit has it. */
void st_source_edited(strata_view *view, const st_column *column, uint64_t object, st_edit *edit, st_source *out);

/** The column of the elements; see element_column.h. */
static inline uint32_t st_last_column(const st_source *source) { return st_element_columns(source->column) - 1; }

/** Reads values of one column, which must exist. Their bytes are lent. */
strata_status st_source_values(const st_source *source, uint32_t block_column, uint64_t position, uint64_t count,
                               strata_value *out, strata_error *error);
enum { ST_SOURCE_BATCH = 256 /* elements that are read at a time */ };

/** Reads elements of a link column as object keys; 0 for null. At most ST_SOURCE_BATCH. */
strata_status st_source_links(const st_source *source, uint64_t position, uint64_t count, uint64_t *out,
                              strata_error *error);

#endif
