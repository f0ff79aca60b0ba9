/* SPDX-License-Identifier: MIT
 *
 * catalog_share.h -- the catalog that all views of a schema share.
 *
 * The store keeps the catalog that was loaded last, and counts who uses it. A catalog is freed when the store has
 * replaced it by a newer one and no view uses it any more.
 */
#ifndef ST_CATALOG_CATALOG_SHARE_H
#define ST_CATALOG_CATALOG_SHARE_H

#include "catalog/catalog.h"
#include "store/handle.h"

/** The catalog as `txn` sees it. Ownership: given back with st_catalog_release(). Fails: STRATA_CORRUPT, ... */
strata_status st_catalog_acquire(st_txn *txn, const st_catalog **out, strata_error *error);
void st_catalog_release(strata_store *store, const st_catalog *catalog);

#endif
