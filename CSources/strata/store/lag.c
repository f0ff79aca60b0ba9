/* SPDX-License-Identifier: MIT
 * lag.c -- how far writers may get ahead of short snapshots. */
#define _GNU_SOURCE 1
#include "store/lag.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "store/lmdb_status.h"
#include "store/state.h"
#include "store/turn.h"

/* LMDB's number of the newest commit. */
static uint64_t newest_commit(const strata_store *store) {
    MDB_envinfo info;
    return mdb_env_info(store->env, &info) == 0 ? (uint64_t)info.me_last_txnid : 0;
}

typedef struct lag {
    const strata_store *store;
    uint64_t oldest; /* LMDB's number of the commit that the oldest snapshot shows; UINT64_MAX if there is none */
    long snapshots;
} lag;

/* LMDB lists its readers as lines of text, "process thread commit"; the commit of an idle slot is '-'. */
static int add_reader(const char *line, void *context) {
    lag *l = context;
    unsigned long long stamp;
    long long process;
    if (sscanf(line, "%lld %*x %llu", &process, &stamp) != 2) return 0;
    /* The pins of the log stay where they are for good reason: see deferral.h. */
    const st_page_log *log = &l->store->log;
    if ((stamp == log->pin.commit || stamp == log->next.commit) && process == l->store->process) return 0;
    l->snapshots++;
    if (stamp < l->oldest) l->oldest = stamp;
    return 0;
}

static lag find_lag(const strata_store *store) {
    lag found = { store, UINT64_MAX, 0 };
    (void)st_called(mdb_reader_list(store->env, add_reader, &found));
    return found;
}

/* While the snapshot of `held_on_purpose`, which was waited for in vain, is the oldest one, nobody waits for younger
 * ones: the pages that were freed since stay anyway. */
int st_lag_wait(strata_store *store) {
    enum { COMMITS = 32, FAR_AHEAD = 32, PAUSES = 200 };
    const struct timespec pause = { 0, 5 * 1000 * 1000 };
    if (store->commits_to_lag_check-- > 0) return 0;
    store->commits_to_lag_check = COMMITS;
    uint64_t newest = newest_commit(store), oldest = 0;
    for (int i = 0; i < PAUSES; i++) {
        lag found = find_lag(store);
        if (found.snapshots <= sysconf(_SC_NPROCESSORS_ONLN)) return i; /* all of their owners can run */
        oldest = found.oldest;
        if (oldest >= newest || newest - oldest < FAR_AHEAD || oldest == store->held_on_purpose) return i;
        if (i > 0 && st_turn_is_wanted(store)) return i;
        nanosleep(&pause, NULL);
    }
    store->held_on_purpose = oldest;
    return PAUSES;
}
