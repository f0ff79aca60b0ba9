/* SPDX-License-Identifier: MIT
 * commits.c -- the commits of which observers have not told yet. */
#define _GNU_SOURCE 1
#include "observe/commits.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/status.h"
#include "changes/commit.h"

/* A commit that some observer may not know yet. */
typedef struct st_waiting {
    struct st_waiting *next;
    uint64_t number;
    strata_commit *commit; /* NULL: there is no record, and anything may have changed */
} st_waiting;

/* The version that the view shows; of a write that has changed nothing, the one at which it began. */
static uint64_t shown(const st_commits *c) {
    uint64_t version = strata_view_version(c->view);
    return strata_view_is_writing(c->view) ? version - 1 : version;
}

static strata_status append(st_commits *c, strata_commit *commit, strata_error *error) {
    st_waiting *w = malloc(sizeof *w);
    if (w == NULL) return st_no_memory(error, "reading what was changed");
    *w = (st_waiting){ NULL, ++c->read, commit };
    if (c->last == NULL) c->first = w;
    else c->last->next = w;
    c->last = w;
    c->bytes += st_commit_size(commit);
    return STRATA_OK;
}

static void forget_first(st_commits *c) {
    st_waiting *w = c->first;
    c->first = w->next;
    if (c->first == NULL) c->last = NULL;
    c->forgotten = w->number;
    c->bytes -= st_commit_size(w->commit);
    strata_commit_free(w->commit);
    free(w);
}

/* The feed has expired: everything up to where a new one begins is unknown. */
static strata_status begin_anew(st_commits *c, strata_error *error) {
    strata_feed *feed;
    strata_status status = strata_feed_open(c->view->store, &feed, error);
    if (status != STRATA_OK) return status;
    strata_feed_close(c->feed);
    c->feed = feed;
    c->blind = true;
    c->blind_until = st_feed_version(feed);
    return STRATA_OK;
}

/* Reads the next commit of the feed, unless it has been read. */
static strata_status read_early(st_commits *c, strata_error *error) {
    if (c->early != NULL) return STRATA_OK;
    strata_status status = strata_feed_next(c->feed, &c->early, error);
    if (status == STRATA_EXPIRED) {
        status = begin_anew(c, error);
        return status == STRATA_OK ? STRATA_END : status;
    }
    if (status != STRATA_OK) return status;
    strata_commit_info info = strata_commit_info_blank();
    status = strata_commit_get_info(c->early, &info, error);
    c->early_version = info.version;
    return status;
}

/* Passes over what came before the feed, up to a version. Must be done before the feed is read. */
static strata_status pass_unknown(st_commits *c, uint64_t version, strata_error *error) {
    if (!c->blind || c->version >= version) return STRATA_OK;
    strata_status status = append(c, NULL, error);
    if (status != STRATA_OK) return status;
    c->version = version < c->blind_until ? version : c->blind_until;
    c->blind = c->version < c->blind_until;
    return STRATA_OK;
}

/* Reads what the feed has up to a version. */
static strata_status read_known(st_commits *c, uint64_t version, strata_error *error) {
    strata_status status;
    while ((status = read_early(c, error)) == STRATA_OK && c->early_version <= version) {
        status = append(c, c->early, error);
        if (status != STRATA_OK) break;
        c->version = c->early_version;
        c->early = NULL;
    }
    return status < 0 ? status : STRATA_OK;
}

/* Reads what was committed up to a version. The feed may expire meanwhile. */
static strata_status read_until(st_commits *c, uint64_t version, strata_error *error) {
    strata_status status;
    do {
        status = pass_unknown(c, version, error);
        if (status == STRATA_OK) status = read_known(c, version, error);
    } while (status == STRATA_OK && c->blind && c->version < version);
    return status;
}

enum { PATIENCE = 2000 /* looks */, PAUSE = 50 /* microseconds */ };

/* Reads what was committed up to what the view shows. A commit of another thread is seen a moment before its record. */
strata_status st_commits_read(st_commits *c, strata_error *error) {
    uint64_t version = shown(c);
    strata_status status = read_until(c, version, error);
    for (int i = 0; i < PATIENCE && status == STRATA_OK && c->version < version; i++) {
        (void)usleep(PAUSE);
        status = read_until(c, version, error);
    }
    if (status == STRATA_OK && c->version < version) {
        status = begin_anew(c, error);
        if (status == STRATA_OK) status = read_until(c, version, error);
    }
    return status;
}

bool st_commits_are_read(const st_commits *c) { return c->version == shown(c); }

strata_status st_commits_open(st_commits *c, strata_view *view, strata_error *error) {
    *c = (st_commits){ .view = view };
    strata_status status = begin_anew(c, error);
    if (status != STRATA_OK) return status;
    c->version = shown(c);
    c->blind = c->version < c->blind_until;
    return STRATA_OK;
}

void st_commits_close(st_commits *c) {
    st_commits_forget(c, c->read);
    strata_commit_free(c->early);
    strata_feed_close(c->feed);
    st_change_set_free(&c->set);
}

void st_commits_forget(st_commits *c, uint64_t known) {
    while (c->first != NULL && c->first->number <= known) forget_first(c);
}

void st_commits_limit(st_commits *c) {
    while (c->first != c->last && (c->read - c->forgotten > ST_COMMITS_KEPT || c->bytes > ST_COMMITS_BYTES))
        forget_first(c);
}

strata_status st_commits_since(st_commits *c, uint64_t from, strata_error *error) {
    if (c->set_from == from && c->set_to == c->read && c->set_to != 0) return STRATA_OK;
    st_change_set_free(&c->set);
    c->set_to = 0;
    c->set.whole = from < c->forgotten;
    strata_status status = STRATA_OK;
    for (st_waiting *w = c->first; w != NULL && status == STRATA_OK; w = w->next) {
        if (w->number <= from) continue;
        if (w->commit == NULL) c->set.whole = true;
        else if (!c->set.whole) status = st_change_set_append(&c->set, w->commit, error);
    }
    if (status == STRATA_OK && !c->set.whole) status = st_change_set_finish(&c->set, error);
    if (status != STRATA_OK) return status;
    c->set_from = from;
    c->set_to = c->read;
    return STRATA_OK;
}
