/* SPDX-License-Identifier: MIT
 *
 * source_search.h -- finding elements of collections, as stored or as changed.
 */
#ifndef ST_COLLECTION_SOURCE_SEARCH_H
#define ST_COLLECTION_SOURCE_SEARCH_H

#include "collection/source.h"

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

#endif
