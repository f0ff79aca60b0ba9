/* SPDX-License-Identifier: MIT
 * consumer.c -- consumers: what they have of the commits, and what they wait for. */
#define _GNU_SOURCE 1
#include "changes/consumer.h"

#include <string.h>

#include "base/status.h"
#include "base/utf8.h"
#include "changes/record.h"
#include "changes/token.h"
#include "strata_consumer.h"
#include "write/write_set.h"

/* ---- Names ------------------------------------------------------------ */

strata_status st_consumer_check_name(const char *name, strata_error *error) {
    size_t size = name == NULL ? (size_t)0 : strnlen(name, STRATA_MAX_LABEL + 1);
    if (size != 0 && size <= STRATA_MAX_LABEL && st_utf8_valid(name, size)) return STRATA_OK;
    return st_fail(error, STRATA_MISUSE, 0, "the name of a consumer has 1 to %d bytes of UTF-8", STRATA_MAX_LABEL);
}

static strata_status unknown(const char *name, strata_error *error) {
    (void)st_fail(error, STRATA_NOT_FOUND, 0, "there is no consumer '%s': register it first", name);
    return STRATA_NOT_FOUND;
}

strata_status st_consumer_find(st_txn *txn, const char *name, st_journal_consumer *out, strata_error *error) {
    strata_status status = st_journal_consumer_get(txn, name, out, error);
    if (status == STRATA_NOT_FOUND) return unknown(name, error);
    if (status != STRATA_OK || !out->expired) return status;
    return st_fail(error, STRATA_EXPIRED, 0,
                   "the consumer '%s' was further behind than its limit; register it again, and read everything anew",
                   name);
}

/* ---- Changing --------------------------------------------------------- */

/* Checks a change, and opens the journal for it. */
static strata_status begin(strata_view *view, const char *name, st_journal *journal, strata_error *error) {
    strata_status status = st_writes_ready(view, error);
    if (status == STRATA_OK && name != NULL) status = st_consumer_check_name(name, error);
    if (status == STRATA_OK) st_view_trees_will_move(view);
    return status == STRATA_OK ? st_journal_open(journal, view->txn, error) : status;
}

/* Stores the journal, if `status` is STRATA_OK. A change that failed halfway fails the write. */
static strata_status end(strata_view *view, st_journal *journal, strata_status status, strata_error *error) {
    if (status == STRATA_OK) status = st_journal_store(journal, error);
    if (status < 0) st_writes_fail(view->writes, status, error);
    st_view_trees_moved(view);
    return status;
}

static strata_status count(st_txn *txn, uint32_t *out, strata_error *error) {
    st_journal_consumer consumer;
    strata_status status = st_journal_consumer_after(txn, "", &consumer, error);
    for (*out = 0; status == STRATA_OK; ++*out)
        status = st_journal_consumer_after(txn, consumer.name, &consumer, error);
    return status < 0 ? status : STRATA_OK;
}

strata_status strata_consumer_register(strata_view *view, const char *name, uint64_t limit, strata_error *error) {
    st_journal journal;
    st_journal_consumer consumer;
    uint32_t others = 0;
    strata_status status = begin(view, name == NULL ? "" : name, &journal, error);
    if (status != STRATA_OK) return status;
    status = st_journal_consumer_get(view->txn, name, &consumer, error);
    if (status == STRATA_NOT_FOUND) status = count(view->txn, &others, error);
    if (status != STRATA_OK) return status;
    if (others >= STRATA_MAX_CONSUMERS)
        return st_fail(error, STRATA_TOO_LARGE, 0, "a file has at most %d consumers; remove one that is not needed",
                       STRATA_MAX_CONSUMERS);
    const st_header *header = st_txn_header(view->txn);
    consumer = (st_journal_consumer){ .version = header->version, .epoch = header->epoch, .position = journal.end,
                                      .limit = limit == 0 ? UINT64_MAX : limit };
    memcpy(consumer.name, name, strlen(name));
    st_txn_is_last(view->txn); /* it has this version, and what others write after this is to be told */
    return end(view, &journal, st_journal_consumer_put(&journal, &consumer, error), error);
}

/* Does the file have the commit of the token, after the one that the consumer has? */
static strata_status check_token(const st_journal *journal, const st_journal_consumer *consumer,
                                 const strata_token *token, strata_error *error) {
    uint64_t version = strata_token_version(token);
    if (version < consumer->version)
        return st_fail(error, STRATA_MISUSE, 0,
                       "the consumer '%s' has version %llu already, and cannot go back to %llu", consumer->name,
                       (unsigned long long)consumer->version, (unsigned long long)version);
    return st_journal_check_token(journal->txn, token, error);
}

static strata_status advance(st_journal *journal, const char *name, const strata_token *token, strata_error *error) {
    st_journal_consumer consumer;
    strata_status status = st_consumer_find(journal->txn, name, &consumer, error);
    if (status == STRATA_OK) status = check_token(journal, &consumer, token, error);
    if (status != STRATA_OK) return status;
    consumer.version = strata_token_version(token);
    consumer.epoch = st_token_epoch(token);
    status = st_journal_position(journal, consumer.version, &consumer.position, error);
    if (status != STRATA_OK) return status;
    return st_journal_consumer_put(journal, &consumer, error);
}

strata_status strata_consumer_advance(strata_view *view, const char *name, const strata_token *token,
                                      strata_error *error) {
    st_journal journal;
    strata_status status = begin(view, name == NULL ? "" : name, &journal, error);
    if (status != STRATA_OK) return status;
    if (token == NULL) return st_fail(error, STRATA_MISUSE, 0, "the consumer '%s' advances: the token is NULL", name);
    status = advance(&journal, name, token, error);
    if (status != STRATA_OK && !journal.changed) return status;
    return end(view, &journal, status, error);
}

strata_status strata_consumer_remove(strata_view *view, const char *name, strata_error *error) {
    st_journal journal;
    strata_status status = begin(view, name == NULL ? "" : name, &journal, error);
    if (status != STRATA_OK) return status;
    status = st_journal_consumer_delete(&journal, name, error);
    return status == STRATA_NOT_FOUND ? unknown(name, error) : end(view, &journal, status, error);
}

strata_status strata_history_keep(strata_view *view, uint64_t bytes, uint64_t *out_before, strata_error *error) {
    st_journal journal;
    if (out_before != NULL) *out_before = 0;
    strata_status status = begin(view, NULL, &journal, error);
    if (status != STRATA_OK) return status;
    if (out_before != NULL) *out_before = journal.kept;
    if (bytes == journal.kept) return STRATA_OK;
    journal.kept = bytes;
    journal.changed = true;
    return end(view, &journal, STRATA_OK, error);
}

/* ---- Reading ---------------------------------------------------------- */

/* Computes what the consumer has not taken yet. */
static strata_status measure(st_txn *txn, const st_journal_consumer *c, strata_consumer *out, strata_error *error) {
    st_journal journal;
    strata_bytes record = { NULL, 0 };
    uint64_t version, number;
    strata_status status = st_journal_open(&journal, txn, error);
    if (status == STRATA_OK)
        status = st_journal_find(txn, c->version, ST_JOURNAL_LAST, &version, &number, &record, error);
    if (status < 0) return status;
    if (status == STRATA_OK) {
        strata_commit_info info;
        st_record_reader reader;
        status = st_record_open(record, &info, &reader, error);
        out->lag_bytes = journal.end - st_record_offset(record.data);
        out->waits_since = info.time;
    }
    uint64_t newest = st_journal_newest(txn);
    out->lag_commits = newest > c->version ? newest - c->version : 0;
    return status < 0 ? status : STRATA_OK;
}

strata_status strata_consumer_next(strata_view *view, const char *name, strata_consumer *out, strata_error *error) {
    st_journal_consumer c;
    if (out == NULL || out->size != sizeof *out)
        return st_fail(error, STRATA_MISUSE, 0, "a strata_consumer of %u bytes; make it with strata_consumer_blank()",
                       out == NULL ? 0 : (unsigned)out->size);
    *out = strata_consumer_blank();
    strata_status status = st_view_readable(view, error);
    if (status == STRATA_OK && name != NULL) status = st_consumer_check_name(name, error);
    if (status != STRATA_OK) return status;
    status = st_journal_consumer_after(view->txn, name == NULL ? "" : name, &c, error);
    if (status != STRATA_OK) return status == STRATA_NOT_FOUND ? STRATA_END : status;
    memcpy(out->name, c.name, sizeof out->name);
    st_token_make(st_txn_header(view->txn)->uuid, c.epoch, c.version, &out->token);
    out->limit = c.limit == UINT64_MAX ? 0 : c.limit;
    out->expired = c.expired;
    return measure(view->txn, &c, out, error);
}
