/* SPDX-License-Identifier: MIT
 *
 * strata_collection.h -- lists, sets and maps.
 *
 * A list, a set or a map is a column of a row. Its elements are of the column's type, and may be null if the column
 * is nullable; links in lists and sets are never null, links in maps always may be. Positions count from 0; a
 * position past the end is STRATA_RANGE. The row is made ready by these functions themselves; a row that is gone is
 * STRATA_NOT_FOUND. Bytes that are stored outside of the collection are not lent but reported, as by strata_row_get():
 * see strata_collection_read().
 * Lifetime of bytes lent: until the epoch of the view changes, or the collection does.
 */
#ifndef STRATA_COLLECTION_H
#define STRATA_COLLECTION_H

#include "strata_value.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { STRATA_MAX_MAP_KEY = 1024 /**< bytes of UTF-8 */ };

STRATA_CHECKED strata_status strata_collection_size(strata_row *row, uint32_t column, uint64_t *out,
                                                    strata_error *error);
/** Reads `count` elements, or values of a map, from `position` on, which must all exist. If it fails, what `out` holds
 * is undefined. */
STRATA_CHECKED strata_status strata_collection_get(strata_row *row, uint32_t column, uint64_t position, uint64_t count,
                                                   strata_value *out, strata_error *error);
/** Copies bytes of one element, as strata_row_read() does those of a cell. */
STRATA_CHECKED strata_status strata_collection_read(strata_row *row, uint32_t column, uint64_t position, size_t offset,
                                                    void *buffer, size_t size, size_t *out_size, strata_error *error);
/** The first position from `from` on with an equal element, or value of a map. Returns STRATA_OK or STRATA_NOT_FOUND.
 * In a set this is a search, in other collections a walk. */
STRATA_CHECKED strata_status strata_collection_find(strata_row *row, uint32_t column, const strata_value *value,
                                                    uint64_t from, uint64_t *out_position, strata_error *error);
/** Removes `count` elements, or entries of a map, from `position` on. */
STRATA_CHECKED strata_status strata_collection_remove(strata_row *row, uint32_t column, uint64_t position,
                                                      uint64_t count, strata_error *error);

/** Inserts elements into a list before `position`, which may be its size. */
STRATA_CHECKED strata_status strata_list_insert(strata_row *row, uint32_t column, uint64_t position,
                                                const strata_value *values, uint64_t count, strata_error *error);
STRATA_CHECKED strata_status strata_list_set(strata_row *row, uint32_t column, uint64_t position,
                                             const strata_value *value, strata_error *error);

/** Inserts an element into a set unless it has it; `*out_inserted` and the position, which may be NULL, tell. A set of
 * mixed values takes no lists and maps: STRATA_TYPE. */
STRATA_CHECKED strata_status strata_set_insert(strata_row *row, uint32_t column, const strata_value *value,
                                               bool *out_inserted, uint64_t *out_position, strata_error *error);

/**
 * Inserts those of many elements that a set does not have; `*out_inserted` is how many they are. Of equal ones among
 * them the first counts. They may come in any order and are sorted once: cheaper than to insert them one by one.
 *
 * Either all are inserted or, if one does not fit, none. Fails as strata_row_set() does.
 */
STRATA_CHECKED strata_status strata_set_insert_all(strata_row *row, uint32_t column, const strata_value *values,
                                                   uint64_t count, uint64_t *out_inserted, strata_error *error);

/** The position of a key in a map. Returns STRATA_OK, or STRATA_NOT_FOUND with where it would be. */
STRATA_CHECKED strata_status strata_map_find(strata_row *row, uint32_t column, strata_bytes key,
                                             uint64_t *out_position, strata_error *error);
/** Reads `count` keys from `position` on. If it fails, what `out` holds is undefined. */
STRATA_CHECKED strata_status strata_map_keys(strata_row *row, uint32_t column, uint64_t position, uint64_t count,
                                             strata_bytes *out, strata_error *error);
/** Puts a value under a key, over the one that is there. Fails: STRATA_TOO_LARGE, STRATA_TYPE (the key, too). */
STRATA_CHECKED strata_status strata_map_set(strata_row *row, uint32_t column, strata_bytes key,
                                            const strata_value *value, strata_error *error);

/** Puts many entries into a map, `keys[i]` with `values[i]`, in any order; of equal keys the last one counts. Either
 * all are put or, if one does not fit, none. Fails: STRATA_TOO_LARGE, STRATA_TYPE (the key, too). */
STRATA_CHECKED strata_status strata_map_set_all(strata_row *row, uint32_t column, const strata_bytes *keys,
                                                const strata_value *values, uint64_t count, strata_error *error);

#ifdef __cplusplus
}
#endif
#endif
