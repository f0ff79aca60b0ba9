/* SPDX-License-Identifier: MIT
 * preflight.c -- is this the file of a store, and could LMDB read it without leaving it? */
#define _GNU_SOURCE 1
#include "store/preflight.h"

#include <time.h>

#include "page/page.h"
#include "page/page_check.h"
#include "store/header.h"

static strata_status check_once(int file, const char *path, bool writing, bool thorough, uint64_t *out_txnid,
                                strata_error *error) {
    uint8_t record[512];
    size_t size = 0;
    st_page_file pages;
    strata_status status = st_page_file_read(file, path, &pages, error);
    if (status != STRATA_OK) return status;
    *out_txnid = pages.txnid;
    status = st_page_find(&pages, (strata_bytes){ st_header_key, ST_HEADER_KEY_SIZE }, record, sizeof record, &size,
                          error);
    if (status < 0) return status;
    status = st_header_check((strata_bytes){ record, size }, writing, path, error);
    if (status != STRATA_OK) return status;
    /* An intact file may lack its last pages, if the transaction that allocated them also freed them. */
    if (thorough || pages.pages <= pages.last) return st_page_check(&pages, error);
    return st_page_check_main(&pages, error);
}

strata_status st_preflight(int file, const char *path, bool writing, bool thorough, strata_error *error) {
    enum { TRIES = 50 };
    const struct timespec pause = { 0, 2 * 1000 * 1000 };
    uint64_t before = UINT64_MAX;
    strata_status status = STRATA_OK;
    /* Another process may commit meanwhile and write to pages that are being read. Then the number of the newest commit
     * changes. A failure counts only if it happens twice at the same commit. */
    for (int attempt = 0; attempt < TRIES; attempt++) {
        uint64_t txnid = UINT64_MAX - 1;
        status = check_once(file, path, writing, thorough, &txnid, error);
        if (status == STRATA_OK || status == STRATA_NO_MEMORY || txnid == before) break;
        before = txnid;
        nanosleep(&pause, NULL);
    }
    return status;
}
