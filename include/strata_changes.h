/* SPDX-License-Identifier: MIT
 *
 * strata_changes.h -- what commits changed, and waiting for them.
 *
 * A feed yields a record of each commit, of whichever process: which objects were created and deleted, which
 * properties were assigned, and what was done to lists, sets and maps. Records say where something changed; what is
 * there is read through a view. They are made only while somebody has a feed: in memory for feeds of the process that
 * commits, in the file for those of others; and in the file for consumers, or while they are kept (strata_consumer.h).
 * A view can also log its own writes, and tell what they changed before they are committed.
 * A feed for which there is no record of the next commit tells that it has expired, and never skips a commit silently.
 */
#ifndef STRATA_CHANGES_H
#define STRATA_CHANGES_H

#include "strata_view.h"

#ifdef __cplusplus
extern "C" {
#endif

struct strata_interrupt; /* strata_query.h */

/* ---- Tokens ----------------------------------------------------------- */

/** Names a commit for ever: the store, the epoch in which it was made, and its version. Compared with memcmp(). */
typedef struct strata_token {
    uint8_t bytes[32];
} strata_token;

enum { STRATA_TOKEN_TEXT = 65 /**< bytes of the text of a token: 64 hexadecimal digits and a zero */ };

/** The token of the commit that the view shows. Fails: STRATA_WRITING, as a write is no commit yet; STRATA_CLOSED,
 * ... */
STRATA_CHECKED strata_status strata_view_token(const strata_view *view, strata_token *out, strata_error *error);
/** The number of the commit. */
uint64_t strata_token_version(const strata_token *token);
/** Writes the token as text, which strata_token_parse() reads. */
void strata_token_text(const strata_token *token, char out[STRATA_TOKEN_TEXT]);
/** Reads the text of a token. Fails: STRATA_MISUSE. */
STRATA_CHECKED strata_status strata_token_parse(const char *text, size_t size, strata_token *out,
                                                strata_error *error);

/* ---- Records ---------------------------------------------------------- */

typedef enum STRATA_ENUM strata_delta_kind {
    STRATA_DELTA_CREATE = 1, /**< an object was created; nothing else is said of it */
    STRATA_DELTA_DELETE = 2, /**< an object was deleted; nothing else is said of it */
    STRATA_DELTA_CLEAR = 3,  /**< all objects that the table had were deleted. Comes before what was created since */
    STRATA_DELTA_ASSIGN = 4, /**< a property was assigned, even if to the value that it had */
    STRATA_DELTA_INSERT = 5, /**< `count` elements or entries were inserted at `position` */
    STRATA_DELTA_SET = 6,    /**< the element or the value at `position` was assigned */
    STRATA_DELTA_REMOVE = 7, /**< `count` elements or entries were removed at `position` */
    STRATA_DELTA_LINKED = 8  /**< a link to the object came or went, through `column` of the table `position`; not told
                                  if all objects of that table were deleted */
} strata_delta_kind;

/** One change. Those of a collection are in the order in which they were made: each position is that after the changes
 * before it. Elements of sets and entries of maps have the positions of strata_collection_get(). */
typedef struct strata_delta {
    strata_delta_kind kind;
    uint32_t table;
    uint64_t key;      /**< of the object; 0 for STRATA_DELTA_CLEAR */
    uint32_t column;
    uint32_t zero;
    uint64_t position;
    uint64_t count;    /**< 1 for STRATA_DELTA_SET, 0 where there are no elements */
} strata_delta;

enum {
    STRATA_COMMIT_WHOLE = 1, /**< there were too many changes, or the write, or one that shares its transaction, began
                                  before the feed did: anything may have changed, and no change is listed */
    STRATA_COMMIT_SCHEMA = 2, /**< the schema changed, too; then anything may have changed */
    STRATA_COMMIT_CONSUMERS = 4 /**< nothing changed but what is noted of consumers: see strata_consumer.h */
};

/** The record of a commit. Thread: one at a time. */
typedef struct strata_commit strata_commit;

/** What is known of a commit. May get fields at its end. */
typedef struct strata_commit_info {
    uint32_t size;    /**< sizeof(strata_commit_info), set by the caller */
    uint32_t flags;   /**< STRATA_COMMIT_... */
    uint64_t version; /**< queued writes of a group have the same one, and a record each */
    int64_t process;  /**< number of the process that made it */
    int64_t time;     /**< microseconds since 1970, by the clock of the system */
    char label[STRATA_MAX_LABEL + 1]; /**< of the view that made it */
    strata_token token;
} strata_commit_info;

/** Zeros, and the size. */
static inline strata_commit_info strata_commit_info_blank(void) {
    strata_commit_info info;
    memset(&info, 0, sizeof info);
    info.size = (uint32_t)sizeof info;
    return info;
}

/** Tells what is known of a commit. Fails: STRATA_MISUSE, if the size is not that of any version of the struct. */
STRATA_CHECKED strata_status strata_commit_get_info(const strata_commit *commit, strata_commit_info *out,
                                                    strata_error *error);
/** The next change, by tables, then by keys of objects. Returns STRATA_OK, or STRATA_END behind the last one. Fails:
 * STRATA_CORRUPT. */
STRATA_CHECKED strata_status strata_commit_next(strata_commit *commit, strata_delta *out, strata_error *error);
/** Goes back to the first change. */
void strata_commit_rewind(strata_commit *commit);
void strata_commit_free(strata_commit *commit);

/* ---- Changes of a write ------------------------------------------------ */

/** Has the view log what its writes change, from the next one on, for strata_view_changes(). Each change then costs
 * some nanoseconds more; at most 48 MiB hold the log, and telling it takes up to 48 more. Fails: STRATA_WRITING,
 * STRATA_WRONG_THREAD, STRATA_AFTER_FORK. */
STRATA_CHECKED strata_status strata_view_log_changes(strata_view *view, bool on, strata_error *error);

/**
 * What the open write has changed up to now, as the record of its commit will tell it; so a program can look at it all
 * before it commits, and cancel the write if something is wrong. The write goes on. With STRATA_COMMIT_WHOLE there were
 * more than a million changes, or more than 16 MiB of them, or the log found no memory.
 *
 * Ownership: the caller frees `*out`, which may outlive the write.
 * Fails: STRATA_NOT_WRITING; STRATA_MISUSE, if strata_view_log_changes() was not called before; STRATA_NO_MEMORY,
 *   STRATA_WRONG_THREAD, STRATA_AFTER_FORK.
 */
STRATA_CHECKED strata_status strata_view_changes(strata_view *view, strata_commit **out, strata_error *error);

/* ---- Feeds ------------------------------------------------------------ */

/** A place in the sequence of commits. Thread: any, one at a time. */
typedef struct strata_feed strata_feed;

/**
 * Opens a feed of the commits after the newest one. From then on each commit leaves a record. The last 1,024 of this
 * process are kept, or 16 MiB of them, and 4 MiB of those of other processes. A commit that another process had begun
 * already has none.
 *
 * Ownership: the caller closes `*out` before the store. Fails: STRATA_NO_MEMORY, STRATA_AFTER_FORK, and what
 *   strata_view_open() fails with.
 */
STRATA_CHECKED strata_status strata_feed_open(strata_store *store, strata_feed **out, strata_error *error);

/**
 * Opens a feed of the commits after that of `token`, which whoever was told of that commit may have kept, even for
 * years. It passes over commits that changed nothing but consumers.
 *
 * Where records are missing in between, as when they were not kept all the time, strata_feed_next() comes to that place
 * and fails with STRATA_EXPIRED.
 *
 * Ownership: as above. Fails: STRATA_EXPIRED, if there are no records back to then; STRATA_OTHER_HISTORY, if the token
 *   is of another store, or of a commit that this file does not have; STRATA_MISUSE; and what strata_feed_open() fails
 *   with.
 */
STRATA_CHECKED strata_status strata_feed_open_after(strata_store *store, const strata_token *token, strata_feed **out,
                                                    strata_error *error);

/**
 * Opens a feed of all commits of which the file has a record, if they reach to the newest one without a gap; otherwise of
 * those after it. What a file keeps: strata_history_keep(). Takes some tenths of a microsecond for each record.
 *
 * Ownership: as above. Fails: STRATA_CORRUPT, and what strata_feed_open() fails with.
 */
STRATA_CHECKED strata_status strata_feed_open_oldest(strata_store *store, strata_feed **out, strata_error *error);

/**
 * The record of the next commit. Returns STRATA_OK, or STRATA_END if there is none yet.
 *
 * Ownership: the caller frees `*out`.
 * Fails: STRATA_EXPIRED, from then on: the next commit has no record, because it began before the feed, in another
 *   process, or because the feed is too far behind. Open another feed, and then read everything anew. STRATA_CORRUPT,
 *   STRATA_NO_MEMORY, STRATA_AFTER_FORK, ... After these the feed is where it was.
 */
STRATA_CHECKED strata_status strata_feed_next(strata_feed *feed, strata_commit **out, strata_error *error);

/** The token of the last commit all of whose records the feed has told; at first, of the one after which it begins. Of
 * the commit that it told of last this is certain only when strata_feed_next() has returned another one, or
 * STRATA_END. Fails: STRATA_MISUSE. */
STRATA_CHECKED strata_status strata_feed_token(const strata_feed *feed, strata_token *out, strata_error *error);

void strata_feed_close(strata_feed *feed);

/* ---- Waiting ---------------------------------------------------------- */

/**
 * Waits until the store has a newer commit than that of `token`, from whichever process. Returns STRATA_OK, at once if
 * there is one already, or STRATA_NOT_FOUND after so many milliseconds; UINT32_MAX waits for ever. `interrupt`, which
 * may be NULL, ends the wait within 20 milliseconds. A wait needs no reader slot while it sleeps.
 *
 * Thread: any. Fails: STRATA_INTERRUPTED; STRATA_OTHER_HISTORY, if the token is of another store, or of a commit that
 *   this file does not have, as after an older copy was put back; STRATA_AFTER_FORK, and what strata_view_open() fails
 *   with.
 */
STRATA_CHECKED strata_status strata_store_wait(strata_store *store, const strata_token *token, uint32_t milliseconds,
                                               struct strata_interrupt *interrupt, strata_error *error);

#ifdef __cplusplus
}
#endif
#endif
