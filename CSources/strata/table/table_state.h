/* SPDX-License-Identifier: MIT
 *
 * table_state.h -- what is counted for a table.
 *
 * ON-DISK: in the main tree, under the key 00 "cnt" table:4 (big-endian), u64 rows, u64 next key (little-endian). A
 * table without this entry never had rows.
 */
#ifndef ST_TABLE_TABLE_STATE_H
#define ST_TABLE_TABLE_STATE_H

#include "store/handle.h"

typedef struct st_table_state {
    uint64_t rows;
    uint64_t next_key; /* the key of the next new object, at least 1 */
} st_table_state;

strata_status st_table_state_load(st_txn *txn, uint32_t table, st_table_state *out, strata_error *error);
strata_status st_table_state_store(st_txn *writer, uint32_t table, const st_table_state *state, strata_error *error);

#endif
