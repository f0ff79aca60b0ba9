/* SPDX-License-Identifier: MIT
 * growth.c -- a program is told, once, of each snapshot that makes a file grow. */
#define _GNU_SOURCE 1
#include "store/growth.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "store/lmdb_status.h"
#include "store/pins.h"
#include "store/pool.h"

/* The number of the last page that the file has. */
static uint64_t last_page(const strata_store *store) {
    MDB_envinfo info;
    return mdb_env_info(store->env, &info) == 0 ? (uint64_t)info.me_last_pgno : 0;
}

/* So many held pages are worth a warning: 16 MiB, and a quarter of the file. */
static uint64_t much_of(const strata_store *store, uint64_t last) {
    uint64_t least = 16 * 1024 * 1024 / store->page_size;
    return last / 4 > least ? last / 4 : least;
}

/* The pages that `oldest` holds; 0 if that cannot be told. Nobody else commits meanwhile, so the newest commit is that
 * of this writer, and its pages stay. */
static uint64_t held_by(const strata_store *store, uint64_t newest, uint64_t oldest) {
    st_page_file file = { .descriptor = store->file, .path = st_store_name(store), .map = store->map,
                          .map_pages = store->map_size / store->page_size, .page_size = store->page_size };
    uint64_t pages = 0;
    if (st_page_file_see(&file, newest, NULL) != STRATA_OK) return 0;
    st_page_file_see_free(&file);
    return st_pins_held_pages(&file, oldest, &pages, NULL) == STRATA_OK ? pages : 0;
}

/* Has the oldest snapshot been held for a while? Since when one of another process is, is not known: it counts from the
 * look at which it was first found. */
static bool is_forgotten(strata_store *store, const st_pin *oldest) {
    const double a_while = 2;
    double now = st_seconds_now();
    if (store->growth.suspect != oldest->stamp) {
        store->growth.suspect = oldest->stamp;
        store->growth.since = now;
    }
    return (oldest->shown.age >= 0 ? oldest->shown.age : now - store->growth.since) >= a_while;
}

/* Who keeps the oldest commit, such as `"report" of this process (12) for 3.4 s, and by 2 more`. */
static void name_owner(const strata_store *store, const st_pins *pins, char *out, size_t size) {
    const strata_snapshot *first = &pins->all[0].shown;
    char label[STRATA_MAX_LABEL + 8] = "", age[40] = "", others[40] = "";
    uint32_t same = 1;
    while (same < pins->count && pins->all[same].stamp == pins->all[0].stamp) same++;
    if (first->label[0] != 0) snprintf(label, sizeof label, "\"%s\" of ", first->label);
    if (first->age >= 0) snprintf(age, sizeof age, " for %.1f s", first->age);
    if (same > 1) snprintf(others, sizeof others, ", and by %u more", same - 1);
    snprintf(out, size, "%s%sprocess %lld%s%s", label, first->process == store->process ? "this " : "",
             (long long)first->process, age, others);
}

static char *message_of(const strata_store *store, const st_pins *pins, uint64_t last, uint64_t held) {
    enum { ROOM = 1000 };
    const strata_snapshot *first = &pins->all[0].shown;
    const double megabyte = 1024 * 1024 / (double)store->page_size;
    char owner[200], *out = malloc(ROOM);
    if (out == NULL) return NULL;
    name_owner(store, pins, owner, sizeof owner);
    snprintf(out, ROOM,
             "'%s' has grown to %.1f MiB, and %.1f MiB of it cannot be used again, because version %llu, %llu commit%s "
             "old, is kept by %s; let that refresh, or let go of what it reads", st_store_name(store),
             (double)(last + 1) / megabyte, (double)held / megabyte, (unsigned long long)first->version,
             (unsigned long long)first->behind, first->behind == 1 ? "" : "s", owner);
    return out;
}

/* The oldest snapshot, unless it shows the newest commit, or was warned about. */
static const st_pin *find_suspect(const strata_store *store, const st_pins *pins) {
    if (pins->count == 0) return NULL;
    uint64_t stamp = pins->all[0].stamp;
    return stamp == pins->newest_stamp || stamp == store->growth.warned ? NULL : &pins->all[0];
}

char *st_growth_look(const st_txn *writer) {
    enum { STEPS = 8 };
    strata_store *store = writer->store;
    uint64_t last = last_page(store), newest = store->committed, much = much_of(store, last);
    char *message = NULL;
    st_pins pins;
    if (last < store->growth.look_at || !st_logs(STRATA_LOG_WARNING)) return NULL;
    if (st_pins_find(store, writer->header.version, newest, &pins, NULL) != STRATA_OK) return NULL;
    const st_pin *suspect = find_suspect(store, &pins);
    uint64_t held = suspect == NULL ? 0 : held_by(store, newest, suspect->stamp);
    if (held >= much && is_forgotten(store, suspect)) {
        message = message_of(store, &pins, last, held);
        store->growth.warned = suspect->stamp;
    }
    /* At the soonest when so much more can be held, but not at each commit that makes the file grow by a page. */
    uint64_t missing = held < much ? much - held : 0;
    store->growth.look_at = last + (missing > much / STEPS ? missing : much / STEPS);
    st_pins_free(&pins);
    return message;
}
