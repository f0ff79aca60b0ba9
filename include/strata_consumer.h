/* SPDX-License-Identifier: MIT
 *
 * strata_consumer.h -- consumers: programs that are to get every commit of a file, even those that were made while
 * they did not run.
 *
 * A consumer has a name, and a place in the file: the commit up to which it has everything. While one is registered,
 * each commit leaves a record in the file, of whichever process, until all consumers have it. A consumer that stays
 * behind by more than its limit expires, and is told so; what it holds up the file by is limited that way.
 *
 *     strata_consumer_register(view, "search", 64 << 20, &error);             // once, in a write
 *     strata_feed_open_consumer(store, "search", &feed, &error);              // at each start
 *     while (strata_feed_next(feed, &commit, &error) == STRATA_OK) ...;       // take what changed
 *     strata_feed_token(feed, &token, &error);
 *     strata_consumer_advance(view, "search", &token, &error);                // in a write: that was taken
 */
#ifndef STRATA_CONSUMER_H
#define STRATA_CONSUMER_H

#include "strata_changes.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { STRATA_MAX_CONSUMERS = 256 /**< of a file */ };

/** A consumer. May get fields at its end. */
typedef struct strata_consumer {
    uint32_t size;         /**< sizeof(strata_consumer), set by the caller */
    uint32_t expired;      /**< 1 if it was too far behind: register it again, and read everything anew */
    char name[STRATA_MAX_LABEL + 1];
    strata_token token;    /**< of the commit up to which it has everything */
    uint64_t limit;        /**< bytes of records by which it may be behind */
    uint64_t lag_bytes;    /**< bytes of records that it has not taken; of one that expired, of those that are left */
    uint64_t lag_commits;  /**< commits that it has not taken */
    int64_t waits_since;   /**< time of the oldest of them that is left, in microseconds since 1970; 0: there is none */
} strata_consumer;

/** Zeros, and the size. */
static inline strata_consumer strata_consumer_blank(void) {
    strata_consumer consumer;
    memset(&consumer, 0, sizeof consumer);
    consumer.size = (uint32_t)sizeof consumer;
    return consumer;
}

/**
 * Registers a consumer of the commits after this one, or one that is registered already anew, from here on.
 *
 * @param view   must be writing
 * @param name   1 to STRATA_MAX_LABEL bytes of UTF-8
 * @param limit  bytes of records by which it may be behind before it expires; a record has 72 bytes and a few for each
 *               change. 0: without limit; then a consumer that never comes lets the file grow for ever
 *
 * Fails: STRATA_MISUSE, for the name; STRATA_TOO_LARGE, if there are STRATA_MAX_CONSUMERS; STRATA_NOT_WRITING, ...
 */
STRATA_CHECKED strata_status strata_consumer_register(strata_view *view, const char *name, uint64_t limit,
                                                      strata_error *error);
/**
 * Notes that a consumer has everything up to the commit of `token`. The view must be writing, so that a consumer whose
 * own data is in the same file notes it together with what it made of the commits.
 *
 * Fails: STRATA_NOT_FOUND, if there is no such consumer; STRATA_EXPIRED, if it has expired; STRATA_MISUSE, if it was
 *   further already; STRATA_OTHER_HISTORY, if the file does not have that commit; STRATA_NOT_WRITING, ...
 */
STRATA_CHECKED strata_status strata_consumer_advance(strata_view *view, const char *name, const strata_token *token,
                                                     strata_error *error);
/** Removes a consumer. The view must be writing. Returns STRATA_OK, or STRATA_NOT_FOUND. */
STRATA_CHECKED strata_status strata_consumer_remove(strata_view *view, const char *name, strata_error *error);

/** The first consumer, in the order of bytes, whose name comes after `name`; NULL is before all names. Returns
 * STRATA_OK, or STRATA_END behind the last one. Fails: STRATA_MISUSE, for the name or the size; STRATA_CORRUPT, ... */
STRATA_CHECKED strata_status strata_consumer_next(strata_view *view, const char *name, strata_consumer *out,
                                                  strata_error *error);

/**
 * Keeps the last `bytes` of records in the file whether or not anybody is registered, so that strata_feed_open_after()
 * goes back that far; 0 keeps none. The view must be writing. `*out_before`, which may be NULL, is what was kept
 * before.
 */
STRATA_CHECKED strata_status strata_history_keep(strata_view *view, uint64_t bytes, uint64_t *out_before,
                                                 strata_error *error);

/** Opens a feed of the commits that a consumer does not have. See strata_feed_open_after(). Fails also:
 * STRATA_NOT_FOUND, if there is no such consumer. */
STRATA_CHECKED strata_status strata_feed_open_consumer(strata_store *store, const char *name, strata_feed **out,
                                                       strata_error *error);

#ifdef __cplusplus
}
#endif
#endif
