/* SPDX-License-Identifier: MIT
 *
 * durability.h -- what a power cut may take, and when files are flushed besides the flushes of commits.
 */
#ifndef ST_STORE_DURABILITY_H
#define ST_STORE_DURABILITY_H

#include "store/handle.h"

/** That of the commits of a store. There is no choice in memory, and where nobody writes. */
strata_durability st_durability_of(const strata_config *config);
const char *st_durability_name(strata_durability durability);
/** Flushes what a killed writer may have left in memory, once LMDB has opened the file; `first` shows the newest
 * commit. 0, or a code of LMDB. */
int st_flush_at_open(strata_store *store, const st_txn *first);
/** Flushes what relaxed commits have left, and what the next opening would flush, before LMDB closes the file. */
void st_flush_at_close(strata_store *store);

#endif
