/* SPDX-License-Identifier: MIT
 *
 * commits.h -- the commits of which observers have not told yet.
 *
 * Commits are numbered as they are read. What came behind one of them is a change set; most observers know the same
 * ones, so that the last set is kept. Observers that are not asked for long cannot make the commits many: the oldest
 * are forgotten, and for whoever does not know one of those anything may have changed.
 */
#ifndef ST_OBSERVE_COMMITS_H
#define ST_OBSERVE_COMMITS_H

#include "changes/feed.h"
#include "observe/change_set.h"
#include "table/view.h"

enum { ST_COMMITS_KEPT = 1024, ST_COMMITS_BYTES = 16 << 20 };

struct st_waiting;

typedef struct st_commits {
    strata_view *view;
    strata_feed *feed;
    strata_commit *early;      /* read from the feed, but newer than what the view shows */
    uint64_t early_version;
    struct st_waiting *first, *last;
    uint64_t forgotten;        /* commits up to this number are not kept */
    size_t bytes;              /* of the records of those that are */
    uint64_t read;             /* the number of the last commit that was read */
    uint64_t version;          /* the version that it led to */
    bool blind;                /* commits up to version `blind_until` have no record */
    uint64_t blind_until;
    st_change_set set;         /* of the commits behind `set_from` up to `set_to` */
    uint64_t set_from, set_to;
} st_commits;

/** Begins with what a view shows. Fails: as strata_feed_open(). Closed with st_commits_close(), also if it fails. */
strata_status st_commits_open(st_commits *commits, strata_view *view, strata_error *error);
void st_commits_close(st_commits *commits);

/** Whether everything is read up to what the view shows. */
bool st_commits_are_read(const st_commits *commits);
/** Reads what was committed up to what the view shows. Fails: as strata_feed_next(). */
strata_status st_commits_read(st_commits *commits, strata_error *error);
/** Makes `set` that of what came behind the commit with a number; a whole one, if some of that was forgotten. Fails:
 * STRATA_NO_MEMORY, STRATA_CORRUPT. */
strata_status st_commits_since(st_commits *commits, uint64_t from, strata_error *error);
/** Frees the commits up to a number. */
void st_commits_forget(st_commits *commits, uint64_t known);
/** Frees the oldest commits, if they are too many. */
void st_commits_limit(st_commits *commits);

#endif
