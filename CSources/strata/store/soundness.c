/* SPDX-License-Identifier: MIT
 * soundness.c -- what LMDB treads on when it writes is checked before. */
#define _GNU_SOURCE 1
#include "store/soundness.h"

#include "base/status.h"
#include "page/page.h"

/* Checks the commit that the writer builds on. Nobody else can commit meanwhile, and pages that the writer itself has
 * written already are not pages of that commit. */
static strata_status check_trees(st_txn *writer, strata_error *error) {
    strata_store *store = writer->store;
    st_page_file file;
    strata_status status = st_page_file_read(store->file, st_store_name(store), &file, error);
    if (status != STRATA_OK) return status;
    if (file.txnid + 1 != mdb_txn_id(writer->mdb)) return st_header_foreign(st_store_name(store), error);
    st_page_use_free(&store->use);
    return st_page_check_trees(&file, &store->use, error);
}

strata_status st_soundness_check(st_txn *writer, strata_error *error) {
    strata_store *store = writer->store;
    if (store->use.taken != NULL) return STRATA_OK;
    return check_trees(writer, error);
}

strata_status st_soundness_check_value(st_txn *writer, MDB_val value, strata_error *error) {
    strata_store *store = writer->store;
    const uint8_t *page = (const uint8_t *)value.mv_data - ST_PAGE_HEADER;
    size_t at = (size_t)(page - store->map);
    if (value.mv_data == NULL || at >= store->map_size || (at & (store->page_size - 1)) != 0) return STRATA_OK;
    st_page_file file = { .descriptor = store->file, .path = st_store_name(store), .page_size = store->page_size,
                          .last = store->use.last, .pages = store->use.last + 1 };
    uint64_t number = at / store->page_size;
    strata_status status = st_page_check_value(&file, &store->use, page, number, value.mv_size, error);
    if (status != STRATA_CORRUPT || store->use.txnid + 1 == mdb_txn_id(writer->mdb)) return status;
    /* Others may have freed the page since, and used it again. */
    status = check_trees(writer, error);
    return status == STRATA_OK ? st_page_check_value(&file, &store->use, page, number, value.mv_size, error) : status;
}
