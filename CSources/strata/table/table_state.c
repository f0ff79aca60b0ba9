/* SPDX-License-Identifier: MIT
 * table_state.c -- what is counted for a table. */
#include "table/table_state.h"

#include "base/bits.h"
#include "base/status.h"
#include "store/handle.h"
#include "store/tree.h"
#include "store/trees.h"

static strata_bytes state_key(uint8_t out[8], uint32_t table) {
    memcpy(out, "\0cnt", 4);
    st_store_big32(out + 4, table);
    return (strata_bytes){ out, 8 };
}

strata_status st_table_state_load(st_txn *txn, uint32_t table, st_table_state *out, strata_error *error) {
    uint8_t key[8];
    strata_bytes record;
    *out = (st_table_state){ 0, 1 };
    strata_status status = st_tree_get(txn, ST_META, state_key(key, table), &record, error);
    if (status == STRATA_NOT_FOUND) return STRATA_OK;
    if (status != STRATA_OK) return status;
    if (record.size != 16) return st_fail(error, STRATA_CORRUPT, 0, "the counts of table %u are damaged", table);
    out->rows = strata_load64(record.data);
    out->next_key = strata_load64((const uint8_t *)record.data + 8);
    if (out->next_key == 0 || out->next_key > ST_KEY_MAX)
        return st_fail(error, STRATA_CORRUPT, 0, "the counts of table %u are damaged", table);
    return STRATA_OK;
}

strata_status st_table_state_store(st_txn *writer, uint32_t table, const st_table_state *state, strata_error *error) {
    uint8_t key[8], record[16];
    st_store64(record, state->rows);
    st_store64(record + 8, state->next_key);
    return st_tree_put(writer, ST_META, state_key(key, table), (strata_bytes){ record, 16 }, error);
}
