/* SPDX-License-Identifier: MIT
 * free_list.c -- the list of the free pages of a file. */
#include "store/free_list.h"

#include "page/meta.h"
#include "store/pins.h"
#include "store/snapshot.h"
#include "store/state.h"

uint64_t st_free_list_count(strata_store *store) {
    strata_error error;
    st_txn *newest = NULL;
    uint64_t pages = 0;
    if (st_snapshot_look(store, &newest, &error) != STRATA_OK) return 0;
    st_page_file_see_free(&newest->file);
    bool known = st_pins_held_pages(&newest->file, 0, &pages, &error) == STRATA_OK && !st_snapshot_is_stale(newest);
    st_snapshot_end(newest);
    return known ? pages : 0;
}
