/* SPDX-License-Identifier: MIT
 *
 * edit_load.h -- an edit takes over what is stored of its collection.
 */
#ifndef ST_COLLECTION_EDIT_LOAD_H
#define ST_COLLECTION_EDIT_LOAD_H

#include "collection/directory.h"
#include "collection/edit.h"

/** Reads the cell that a row has for the collection into an edit that was just made: a short collection is loaded, of a
 * long one the directory. Fails: STRATA_CORRUPT, STRATA_NO_MEMORY. */
strata_status st_edit_load(strata_view *view, const st_column *column, const st_row_ref *row, st_edit *edit,
                           strata_error *error);
/** Loads the elements of a chunk, so that they can be changed. Fails: STRATA_CORRUPT, STRATA_NO_MEMORY. */
strata_status st_chunk_load(strata_view *view, const st_column *column, st_edit *edit, st_chunk *chunk,
                            strata_error *error);
/** Reads elements of a chunk, loaded or not. Fails: STRATA_CORRUPT. */
strata_status st_chunk_values(strata_view *view, const st_column *column, const st_edit *edit, st_chunk *chunk,
                              uint32_t block_column, uint32_t slot, uint32_t count, strata_value *out,
                              strata_error *error);

#endif
