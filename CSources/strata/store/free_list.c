/* SPDX-License-Identifier: MIT
 * free_list.c -- the list of the free pages of a file. */
#include "store/free_list.h"

#include "page/meta.h"
#include "store/pins.h"
#include "store/snapshot.h"
#include "store/state.h"

bool st_free_list_count(strata_store *store, uint64_t *out) {
    strata_error error;
    st_txn *newest = NULL;
    *out = 0;
    if (st_snapshot_look(store, 0, &newest, &error) != STRATA_OK) return false;
    st_page_file_see_free(&newest->file);
    if (st_pins_held_pages(&newest->file, 0, out, &error) != STRATA_OK) *out = 0;
    bool known = !st_snapshot_is_stale(newest);
    st_snapshot_end(newest);
    return known;
}
