/* SPDX-License-Identifier: MIT
 *
 * free_list.h -- the list of the free pages of a file.
 */
#ifndef ST_STORE_FREE_LIST_H
#define ST_STORE_FREE_LIST_H

#include "store/handle.h"

/** How many pages the newest commit lists as free, also those that snapshots still show; false if that cannot be read
 * now. Of a list that is damaged there are none. Reads an entry for each commit whose pages were not used again yet, and
 * waits for nobody. */
bool st_free_list_count(strata_store *store, uint64_t *out);

#endif
