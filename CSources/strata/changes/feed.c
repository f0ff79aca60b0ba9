/* SPDX-License-Identifier: MIT
 * feed.c -- feeds of commits. */
#define _GNU_SOURCE 1
#include "changes/feed.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/status.h"
#include "changes/commit.h"
#include "changes/consumer.h"
#include "changes/record.h"
#include "changes/token.h"
#include "store/close.h"
#include "store/history.h"
#include "store/snapshot.h"
#include "store/wake.h"
#include "strata_consumer.h"
#include "write/write_set.h"

struct strata_feed {
    strata_store *store;
    uint64_t base;      /* the version of the commit at which the feed began */
    uint64_t seen;      /* the version of the last commit that it told of */
    uint64_t told;      /* the number of the last record of that commit that it told of; ST_JOURNAL_LAST: all */
    uint64_t filed;     /* up to this version records come from the file, or are known: memory does not have them */
    bool files;         /* there may be some of them left */
    uint64_t number;    /* of the next record in memory */
    uint64_t looked_at; /* LMDB's number of the newest commit when it was last seen to have no higher version */
    strata_token token; /* of the last commit that is known to be told of whole: a group has several records */
    strata_token newest; /* of the commit `seen` */
    bool passes;        /* over commits that changed nothing but consumers */
    bool expired;
};

/* ---- Writes ----------------------------------------------------------- */

/* Writes that share a transaction share its version. So that nobody takes the records of some for all that the commit
 * changed, each one that follows a record leaves one, too, and the first of them says that anything may have changed if
 * others came before it. */
static bool is_remembered(const strata_view *view) {
    const st_history *history = st_store_history(view->store);
    return st_history_wanted(history) || st_history_is_staged(history);
}

static bool is_filed(const strata_view *view, const st_journal *journal) {
    return st_journal_wanted(journal) || journal->version == st_txn_header(view->txn)->version;
}

strata_status st_feed_begin(strata_view *view, strata_error *error) {
    st_journal journal;
    strata_status status = st_journal_open(&journal, view->txn, error);
    if (status == STRATA_OK && (view->logs_changes || is_remembered(view) || is_filed(view, &journal)))
        (void)st_change_log_start(&view->writes->log, view->writes->table_count); /* without memory: whole */
    return status;
}

static strata_commit_info describe(const strata_view *view) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    const st_header *header = st_txn_header(view->txn);
    strata_commit_info info = strata_commit_info_blank();
    info.version = header->version;
    info.process = getpid();
    info.time = (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
    if (view->writes->catalog_changed) info.flags = STRATA_COMMIT_SCHEMA;
    else if (st_txn_touched(view->txn) == UINT32_C(1) << ST_CHANGES) info.flags = STRATA_COMMIT_CONSUMERS;
    memcpy(info.label, view->label, sizeof info.label);
    return info;
}

/* Makes the record, and puts it into memory, into the file, or both. */
static strata_status stage(strata_view *view, st_journal *journal, bool remembered, bool filed, strata_error *error) {
    const st_header *header = st_txn_header(view->txn);
    const strata_commit_info info = describe(view);
    const st_record_origin origin = { header->uuid, header->epoch, header->previous_epoch, filed ? journal->end : 0 };
    const st_unrecorded before = *st_txn_unrecorded(view->txn);
    st_buffer record = { 0 };
    strata_status status = STRATA_OK;
    if ((remembered && before.in_memory) || (filed && before.in_file)) view->writes->log.whole = true;
    bool made = st_record_make(&view->writes->log, &info, &origin, &record);
    if (remembered) st_history_stage(st_store_history(view->store), info.version, made ? &record : NULL);
    if (filed && !made) status = st_no_memory(error, "committing");
    if (filed && made)
        status = st_journal_add(journal, info.version, (strata_bytes){ record.data, record.size }, error);
    st_buffer_free(&record);
    return status;
}

strata_status st_feed_stage(strata_view *view, strata_error *error) {
    st_journal journal;
    const bool remembered = is_remembered(view);
    strata_status status = st_journal_open(&journal, view->txn, error);
    const bool filed = is_filed(view, &journal);
    if (status == STRATA_OK && (remembered || filed)) status = stage(view, &journal, remembered, filed, error);
    *st_txn_unrecorded(view->txn) = (st_unrecorded){ !remembered, !filed };
    if (status == STRATA_OK && journal.in_use) status = st_journal_trim(&journal, error);
    return status == STRATA_OK ? st_journal_store(&journal, error) : status;
}

strata_status strata_view_changes(strata_view *view, strata_commit **out, strata_error *error) {
    *out = NULL;
    strata_status status = st_view_check(view, error);
    if (status != STRATA_OK) return status;
    if (view->writes == NULL)
        return st_fail(error, STRATA_NOT_WRITING, 0, "there is no write transaction whose changes could be told");
    if (!view->logs_changes)
        return st_fail(error, STRATA_MISUSE, 0, "the changes of this write are not logged: call "
                       "strata_view_log_changes() before it begins");
    const st_header *header = st_txn_header(view->txn);
    const strata_commit_info info = describe(view);
    const st_record_origin origin = { header->uuid, header->epoch, header->previous_epoch, 0 };
    st_buffer record = { 0 };
    if (st_record_make(&view->writes->log, &info, &origin, &record)) status = st_commit_make(&record, out, error);
    else status = st_no_memory(error, "telling the changes of a write");
    st_buffer_free(&record);
    return status;
}

/* ---- Feeds ------------------------------------------------------------ */

static strata_status no_feed(strata_error *error) {
    return st_fail(error, STRATA_MISUSE, 0, "the feed is NULL: its opening failed, or was not tried");
}

static strata_status newest_version(strata_store *store, uint64_t *out, bool *out_stale, strata_error *error) {
    st_header header;
    strata_status status = st_snapshot_newest(store, &header, out_stale, error);
    if (status == STRATA_OK) *out = header.version;
    return status;
}

/* Where a feed begins: behind the commit of `token`, if there is one, or behind what the consumer has, if there is one,
 * or behind the oldest commit from which there are records; otherwise at the newest commit. */
typedef struct beginning {
    const strata_token *token;
    const char *consumer;
    bool oldest;
} beginning;

/* Goes to the beginning of a feed. Sets `filed` to the newest commit. */
static strata_status place(strata_feed *feed, const beginning *from, strata_error *error) {
    st_txn *snapshot;
    st_journal_consumer c;
    uint64_t version, epoch;
    bool any;
    strata_status status = st_snapshot_begin(feed->store, &snapshot, error);
    if (status != STRATA_OK) return status;
    const st_header *header = st_txn_header(snapshot);
    st_token_make(header->uuid, header->epoch, header->version, &feed->token);
    if (from->token != NULL) {
        status = st_journal_check_token(snapshot, from->token, error);
        feed->token = *from->token;
    } else if (from->consumer != NULL) {
        status = st_consumer_find(snapshot, from->consumer, &c, error);
        st_token_make(header->uuid, c.epoch, c.version, &feed->token);
    } else if (from->oldest) {
        status = st_journal_reach(snapshot, &version, &epoch, &any, error);
        if (status == STRATA_OK && any) st_token_make(header->uuid, epoch, version, &feed->token);
    }
    feed->filed = header->version;
    feed->base = feed->seen = strata_token_version(&feed->token);
    feed->told = ST_JOURNAL_LAST;
    feed->files = feed->seen < feed->filed;
    feed->newest = feed->token;
    st_snapshot_end(snapshot);
    return status;
}

static void close_feed(strata_feed *feed) {
    st_wake_follow(feed->store, false);
    st_history_leave(st_store_history(feed->store));
    st_store_let_go(feed->store);
}

static strata_status open_feed(strata_store *store, const beginning *from, strata_feed **out,
                               strata_error *error) {
    *out = NULL;
    strata_status status = st_store_check(store, error);
    if (status != STRATA_OK) return status;
    strata_feed *feed = calloc(1, sizeof *feed);
    if (feed == NULL) return st_no_memory(error, "opening a feed");
    feed->store = store;
    feed->passes = from->token != NULL || from->consumer != NULL || from->oldest;
    st_store_hold(store);
    st_wake_follow(store, true);
    st_history_enter(st_store_history(store), &feed->number); /* before it looks: so it misses no commit */
    status = place(feed, from, error);
    if (status != STRATA_OK) {
        close_feed(feed);
        free(feed);
        return status;
    }
    *out = feed;
    return STRATA_OK;
}

strata_status strata_feed_open(strata_store *store, strata_feed **out, strata_error *error) {
    return open_feed(store, &(beginning){ .token = NULL }, out, error);
}

strata_status strata_feed_open_after(strata_store *store, const strata_token *token, strata_feed **out,
                                     strata_error *error) {
    *out = NULL;
    if (token == NULL) return st_fail(error, STRATA_MISUSE, 0, "opening a feed: the token is NULL");
    return open_feed(store, &(beginning){ .token = token }, out, error);
}

strata_status strata_feed_open_oldest(strata_store *store, strata_feed **out, strata_error *error) {
    return open_feed(store, &(beginning){ .oldest = true }, out, error);
}

strata_status strata_feed_open_consumer(strata_store *store, const char *name, strata_feed **out,
                                        strata_error *error) {
    *out = NULL;
    strata_status status = st_consumer_check_name(name == NULL ? "" : name, error);
    return status == STRATA_OK ? open_feed(store, &(beginning){ .consumer = name }, out, error) : status;
}

void strata_feed_close(strata_feed *feed) {
    if (feed == NULL) return;
    if (st_store_check(feed->store, NULL) == STRATA_OK) close_feed(feed);
    free(feed);
}

strata_status strata_feed_token(const strata_feed *feed, strata_token *out, strata_error *error) {
    memset(out, 0, sizeof *out);
    if (feed == NULL) return no_feed(error);
    *out = feed->token;
    return STRATA_OK;
}

uint64_t st_feed_version(const strata_feed *feed) { return feed->base; }

/* ---- The next record -------------------------------------------------- */

static strata_status expire(strata_feed *feed, strata_error *error) {
    feed->expired = true;
    return st_fail(error, STRATA_EXPIRED, 0,
                   "the commit after version %llu has no record; open another feed, and read everything anew",
                   (unsigned long long)feed->seen);
}

/* The record behind the last one that the feed told of, from the file. STRATA_NOT_FOUND behind `filed`. */
static strata_status next_filed(strata_feed *feed, st_buffer *bytes, strata_error *error) {
    st_txn *snapshot;
    uint64_t version, number;
    strata_bytes record;
    strata_status status = st_snapshot_begin(feed->store, &snapshot, error);
    if (status != STRATA_OK) return status;
    status = st_journal_find(snapshot, feed->seen, feed->told, &version, &number, &record, error);
    bytes->size = 0;
    bool last = feed->seen == feed->filed && (status == STRATA_NOT_FOUND || version > feed->filed);
    bool follows = version == feed->seen ? number == feed->told + 1 : version == feed->seen + 1 && number == 0;
    if (status == STRATA_OK && !last && follows && !st_buffer_append(bytes, record.data, record.size))
        status = st_no_memory(error, "reading a feed");
    st_snapshot_end(snapshot);
    if (status >= 0 && last) {
        feed->files = false;
        return STRATA_NOT_FOUND;
    }
    if (status == STRATA_NOT_FOUND || (status == STRATA_OK && !follows)) return expire(feed, error);
    if (status != STRATA_OK) return status;
    feed->seen = version;
    feed->told = number;
    return STRATA_OK;
}

/* Memory has lost what comes next: what was committed up to now comes from the file. */
static strata_status pass_memory(strata_feed *feed, strata_error *error) {
    bool stale;
    feed->number = st_history_next(st_store_history(feed->store));
    feed->files = true;
    strata_status status = newest_version(feed->store, &feed->filed, &stale, error);
    return status == STRATA_OK && feed->filed == feed->seen ? expire(feed, error) : status; /* within a group */
}

/* Memory has no further record; but is there a commit? One of this process is published before the history is quiet. So
 * those up to `filed`, which this sets, are of other processes. */
static strata_status look_for_others(strata_feed *feed, st_buffer *bytes, strata_error *error) {
    bool quiet, stale;
    uint64_t version, looked_at = strata_store_newest(feed->store);
    if (looked_at == feed->looked_at) return STRATA_END;
    strata_status status = newest_version(feed->store, &version, &stale, error);
    if (status != STRATA_OK) return status;
    if (version == feed->seen) {
        if (!stale) feed->looked_at = looked_at;
        return STRATA_END;
    }
    status = st_history_get(st_store_history(feed->store), feed->number, bytes, &quiet);
    if (status == STRATA_END && quiet) {
        feed->filed = version;
        feed->files = true;
    }
    return status;
}

/* The next record in memory. STRATA_END also if `filed` has grown; STRATA_NOT_FOUND if it was known already. */
static strata_status next_remembered(strata_feed *feed, st_buffer *bytes, strata_error *error) {
    bool quiet;
    strata_commit_info info;
    st_record_reader reader;
    strata_status status = st_history_get(st_store_history(feed->store), feed->number, bytes, &quiet);
    if (status == STRATA_END && quiet) status = look_for_others(feed, bytes, error);
    if (status == STRATA_NO_MEMORY) return st_no_memory(error, "reading a feed");
    if (status == STRATA_EXPIRED) {
        status = pass_memory(feed, error);
        return status == STRATA_OK ? STRATA_END : status;
    }
    if (status == STRATA_OK)
        status = st_record_open((strata_bytes){ bytes->data, bytes->size }, &info, &reader, error);
    if (status != STRATA_OK) return status;
    if (info.version > feed->seen + 1) {
        feed->filed = info.version - 1;
        feed->files = true;
        return STRATA_END;
    }
    feed->number++;
    if (info.version <= feed->filed) return STRATA_NOT_FOUND;
    feed->told = info.version == feed->seen ? feed->told + 1 : 0;
    feed->seen = info.version;
    return STRATA_OK;
}

/* The bytes of the next record that the feed has not told of. */
static strata_status next_bytes(strata_feed *feed, st_buffer *bytes, strata_error *error) {
    for (;;) {
        strata_status status =
            feed->files ? next_filed(feed, bytes, error) : next_remembered(feed, bytes, error);
        if (status != STRATA_NOT_FOUND && (status != STRATA_END || !feed->files)) return status;
    }
}

/* If it fails, the feed stays where it was. */
static strata_status next_commit(strata_feed *feed, strata_commit **out, strata_error *error) {
    const strata_feed before = *feed;
    st_buffer bytes = { 0 };
    strata_status status = next_bytes(feed, &bytes, error);
    if (status == STRATA_OK) status = st_commit_make(&bytes, out, error);
    st_buffer_free(&bytes);
    bool expired = feed->expired;
    if (status < 0) *feed = before;
    feed->expired = expired;
    if (status == STRATA_END || (status == STRATA_OK && feed->seen != before.seen)) feed->token = before.newest;
    if (status == STRATA_OK) feed->newest = st_commit_info(*out)->token;
    return status;
}

strata_status strata_feed_next(strata_feed *feed, strata_commit **out, strata_error *error) {
    *out = NULL;
    if (feed == NULL) return no_feed(error);
    strata_status status = st_store_check(feed->store, error);
    if (status == STRATA_OK && feed->expired) status = expire(feed, error);
    while (status == STRATA_OK) {
        status = next_commit(feed, out, error);
        if (status != STRATA_OK || !feed->passes || (st_commit_info(*out)->flags & STRATA_COMMIT_CONSUMERS) == 0) break;
        strata_commit_free(*out);
        *out = NULL;
    }
    return status;
}
