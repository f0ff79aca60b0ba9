/* SPDX-License-Identifier: MIT
 *
 * value.h -- reading rows, cells and collections while a query runs.
 *
 * Whatever is read of a block is checked first: a damaged block is a failure, noted in the query. Bytes are lent; they
 * lie in the block or, if they are an overflow value, in a scratch buffer until the next call that uses it.
 */
#ifndef ST_CONDITION_VALUE_H
#define ST_CONDITION_VALUE_H

#include "block/vector.h"
#include "collection/source.h"
#include "condition/query.h"

/** Finds a row. STRATA_OK or STRATA_NOT_FOUND; a failure is returned, not noted. */
strata_status st_query_find(st_query *query, uint32_t table, uint64_t key, st_stored_row *out);
/** Finds a row of the query's table that an index leads to: if there is none, the store is damaged. */
strata_status st_query_find_indexed(st_query *query, uint64_t key, st_stored_row *out);

/** Opens the vector of a column in a block. */
bool st_query_vector(st_query *query, const uint8_t *block, size_t size, const st_column *column, st_vector *out);
/** The value of a cell, or null. Overflow values are read into `scratch`. False after a failure. */
bool st_query_value(st_query *query, const st_column *column, const st_vector *vector, uint32_t slot,
                    st_buffer *scratch, strata_value *out);
/** The value of a mixed cell that is not null. Overflow values are read into the scratch buffer of the query. */
bool st_query_mixed(st_query *query, const st_vector *vector, uint32_t slot, strata_value *out);
/** The bytes of a cell that is not null. Overflow values are read into the scratch buffer of the query. */
bool st_query_bytes(st_query *query, const st_vector *vector, uint32_t slot, strata_bytes *out);
/** Opens the collection of `table` in a cell, which `vector` has. */
bool st_query_collection(st_query *query, const st_table *table, const st_stored_row *row, const st_vector *vector,
                         uint32_t column, st_source *out);

#endif
