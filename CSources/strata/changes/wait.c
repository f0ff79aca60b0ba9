/* SPDX-License-Identifier: MIT
 * wait.c -- waiting for commits. */
#include <string.h>

#include "base/interrupt.h"
#include "base/status.h"
#include "changes/token.h"
#include "store/deadline.h"
#include "store/snapshot.h"
#include "store/wake.h"

enum { SOON = 1000 /* microseconds */ };

/* Compares the token with the newest commit: STRATA_OK if there is a later one, STRATA_NOT_FOUND if it is that one. */
static strata_status look(strata_store *store, const strata_token *token, bool *out_stale, strata_error *error) {
    st_header header;
    strata_token newest;
    strata_status status = st_snapshot_newest(store, &header, out_stale, error);
    if (status != STRATA_OK) return status;
    st_token_make(header.uuid, header.epoch, header.version, &newest);
    uint64_t version = strata_token_version(token);
    if (memcmp(newest.bytes, token->bytes, 16) != 0)
        return st_fail(error, STRATA_OTHER_HISTORY, 0, "waiting for a commit: the token is of another store than '%s'",
                       strata_store_path(store));
    if (strata_token_version(&newest) > version) return STRATA_OK;
    if (memcmp(&newest, token, sizeof newest) == 0) return STRATA_NOT_FOUND;
    return st_fail(error, STRATA_OTHER_HISTORY, 0,
                   "waiting for a commit: '%s' does not have version %llu of the token, as after an older copy was put "
                   "back; read everything anew", strata_store_path(store), (unsigned long long)version);
}

strata_status strata_store_wait(strata_store *store, const strata_token *token, uint32_t milliseconds,
                                strata_interrupt *interrupt, strata_error *error) {
    strata_status status = st_store_check(store, error);
    if (status == STRATA_OK && token == NULL)
        status = st_fail(error, STRATA_MISUSE, 0, "waiting for a commit: the token is NULL");
    if (status != STRATA_OK) return status;
    st_time end = st_time_now() + (st_time)milliseconds * ST_MILLISECOND;
    uint64_t newest = 0;
    bool stale = true;
    st_wake_begin(store);
    while (status == STRATA_OK) {
        if (stale || strata_store_newest(store) != newest) {
            newest = strata_store_newest(store);
            status = look(store, token, &stale, error);
            if (status != STRATA_NOT_FOUND) break;
        }
        status = st_interrupt_check(interrupt, 1, error);
        st_time left = end - st_time_now();
        if (status == STRATA_OK && milliseconds != UINT32_MAX && left <= 0) status = STRATA_NOT_FOUND;
        if (status != STRATA_OK) break;
        bool limited = milliseconds != UINT32_MAX && left / ST_MICROSECOND < UINT32_MAX;
        uint64_t most = stale ? SOON : UINT32_MAX;
        if (limited && (uint64_t)(left / ST_MICROSECOND) < most) most = (uint64_t)(left / ST_MICROSECOND) + 1;
        st_wake_word word;
        if (most > ST_WAKE_LOOK) most = ST_WAKE_LOOK;
        if (st_wake_word_after(store, newest, &word)) st_wake_sleep(&word, 1, most);
        status = st_store_check(store, error);
    }
    if (status != STRATA_AFTER_FORK) st_wake_end(store);
    return status;
}
