/* SPDX-License-Identifier: MIT
 *
 * env.h -- the LMDB environment of a store, and its trees.
 *
 * LMDB opens a file only after preflight.h found that it can read the file without leaving it.
 */
#ifndef ST_STORE_ENV_H
#define ST_STORE_ENV_H

#include "store/state.h"

/** Commits of a new file before anybody uses it. LMDB uses a page again that the same transaction wrote and freed only
 * if it found, earlier in the transaction, a page that an older commit had freed; so the first large write of a file
 * would leave more behind than it needs. The second commit frees a page, and the one after the third finds it. */
enum { ST_FIRST_COMMITS = 3 };

/** Opens LMDB on `store->path` in the way that `store` says. If `store->map_size` is 0, the map is as large as it can
 * be. */
strata_status st_env_open(strata_store *store, uint32_t max_readers, mode_t mode, strata_error *error);
/** Creates the trees and the header record of a new file. */
strata_status st_env_create_trees(MDB_env *env, strata_store *store, strata_error *error);
/** Opens the trees, and finds LMDB's map of the file. */
strata_status st_env_open_trees(strata_store *store, strata_error *error);

#endif
