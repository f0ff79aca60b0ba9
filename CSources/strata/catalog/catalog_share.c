/* SPDX-License-Identifier: MIT
 * catalog_share.c -- the catalog that all views of a schema share. */
#include "catalog/catalog_share.h"

#include "catalog/catalog_records.h"
#include "store/handle.h"

static void free_attachment(void *catalog) { st_catalog_free(catalog); }

static const st_catalog *shared(st_txn *txn, uint64_t version) {
    st_catalog *catalog = st_store_attachment(st_txn_store(txn));
    if (catalog == NULL || catalog->version != version) return NULL;
    catalog->references++;
    return catalog;
}

/* Gives up a reference; the caller holds the lock. */
static void release_locked(st_catalog *catalog) {
    if (catalog != NULL && --catalog->references == 0) st_catalog_free(catalog);
}

strata_status st_catalog_acquire(st_txn *txn, const st_catalog **out, strata_error *error) {
    strata_store *store = st_txn_store(txn);
    uint64_t version = st_txn_header(txn)->catalog_version;
    st_store_lock(store);
    *out = shared(txn, version);
    st_store_unlock(store);
    if (*out != NULL) return STRATA_OK;

    st_catalog *fresh;
    strata_status status = st_catalog_load(txn, &fresh, error);
    if (status != STRATA_OK) return status;
    fresh->references = 1;
    st_store_lock(store);
    st_catalog *old = st_store_attachment(store);
    if (old == NULL || old->version <= version) {
        release_locked(old);
        fresh->references = 2;
        st_store_attach(store, fresh, free_attachment);
    }
    st_store_unlock(store);
    *out = fresh;
    return STRATA_OK;
}

void st_catalog_release(strata_store *store, const st_catalog *catalog) {
    if (catalog == NULL) return;
    st_store_lock(store);
    release_locked((st_catalog *)(uintptr_t)catalog);
    st_store_unlock(store);
}
