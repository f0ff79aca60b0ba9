/* SPDX-License-Identifier: MIT
 *
 * observers.c -- all observers of a view.
 *
 * What was read makes those due whom it may concern; everybody else knows it. An observer that is due has the number of
 * the last commit that it knows, and what came since then is one change set for it. One that is held stays due until its
 * program asks for it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/sized.h"
#include "base/status.h"
#include "observe/commits.h"
#include "observe/families.h"
#include "observe/observe_collection.h"
#include "observe/observe_object.h"
#include "observe/observe_query.h"
#include "observe/shared_result.h"
#include "store/writer.h"
#include "write/write_set.h"

struct strata_observers {
    strata_view *view;
    st_commits commits;
    strata_observer *observers, *last_observer;
    uint64_t made;             /* how many observers there were */
    st_families families;
    st_shared_queries queries;
    uint64_t found_to;         /* those are due whom commits up to this number may concern */
    st_due due;
    uint64_t asked;            /* the number of the observer that was asked last; the next ones are those up to */
    uint64_t ask_until;        /* this number */
    uint64_t round;            /* how often the program has advanced */
    bool asks_again;           /* those are asked that failed in this round; everybody else has been */
    strata_observers_stats stats;
};

/* ---- Commits ---------------------------------------------------------- */

/* Frees the commits that all observers know. */
static void forget_commits(strata_observers *g) {
    uint64_t known = st_due_known(&g->due, g->found_to);
    st_commits_forget(&g->commits, known < g->found_to ? known : g->found_to);
}

/* Makes those due whom the commits may concern that were read last. */
static strata_status find_due(strata_observers *g, strata_error *error) {
    if (g->found_to == g->commits.read) return STRATA_OK;
    st_walker walker = { g->view, error, &g->stats.rows_visited };
    strata_status status = st_commits_since(&g->commits, g->found_to, error);
    if (status == STRATA_OK) status = st_families_find(&g->families, &walker, &g->commits.set, &g->due, g->found_to);
    st_due_order(&g->due);
    if (status == STRATA_OK) g->found_to = g->commits.read;
    return status;
}

/* Reads what was committed up to what the view shows, and finds whom it may concern. */
static strata_status look(strata_observers *g, strata_error *error) {
    strata_status status = st_commits_read(&g->commits, error);
    return status == STRATA_OK ? find_due(g, error) : status;
}

/* ---- The group -------------------------------------------------------- */

strata_status strata_observers_open(strata_view *view, strata_observers **out, strata_error *error) {
    *out = NULL;
    strata_status status = st_view_readable(view, error);
    if (status != STRATA_OK) return status;
    if (view->frozen) return st_fail(error, STRATA_MISUSE, 0, "observing a frozen view, which never changes");
    strata_observers *group = calloc(1, sizeof *group);
    if (group == NULL) return st_no_memory(error, "observing");
    group->view = view;
    status = st_commits_open(&group->commits, view, error);
    if (status == STRATA_OK) *out = group;
    else strata_observers_close(group);
    return status;
}

void strata_observers_close(strata_observers *g) {
    if (g == NULL) return;
    while (g->observers != NULL) strata_observer_remove(g->observers);
    st_families_free(&g->families);
    st_commits_close(&g->commits);
    free(g);
}

/* ---- Observers -------------------------------------------------------- */

static strata_status no_observers(strata_error *error) {
    return st_fail(error, STRATA_MISUSE, 0, "the observers are NULL: their opening failed, or was not tried");
}

/* A queued write may share its transaction with others, and show what they have changed. */
static bool is_shared(const strata_view *view) { return view->writes != NULL && st_writer_is_borrowed(view->txn); }

static strata_status check(const strata_observers *g, strata_error *error) {
    if (g == NULL) return no_observers(error);
    strata_status status = st_view_readable(g->view, error);
    if (status == STRATA_OK && is_shared(g->view))
        return st_fail(error, STRATA_WRITING, 0, "observing in a queued write, which may share its transaction with "
                       "others; do that before the write, or after it");
    if (status == STRATA_OK && st_writes_changed(g->view->writes))
        return st_fail(error, STRATA_WRITING, 0, "observing in a write that has changed something; do that before the "
                       "first change, or after the commit");
    return status;
}

static void free_observer(strata_observer *o) {
    if (o->kind != NULL) o->kind->free(o);
    if (o->own != NULL) {
        st_watch_free(&o->own->counts);
        st_found_free(&o->own->found);
    }
    st_arena_free(&o->memory);
    free(o);
}

static void link_observer(strata_observers *g, strata_observer *o) {
    o->number = ++g->made;
    g->stats.observers++;
    o->previous = g->last_observer;
    if (g->last_observer == NULL) g->observers = o;
    else g->last_observer->next = o;
    g->last_observer = o;
}

void strata_observer_remove(strata_observer *o) {
    if (o == NULL) return;
    strata_observers *g = o->group;
    if (o->due) st_due_remove(&g->due, o);
    st_families_remove(&g->families, o);
    g->stats.observers--;
    if (o->previous == NULL) g->observers = o->next;
    else o->previous->next = o->next;
    if (o->next == NULL) g->last_observer = o->previous;
    else o->next->previous = o->previous;
    free_observer(o);
    forget_commits(g);
}

void *strata_observer_context(const strata_observer *observer) {
    return observer == NULL ? NULL : observer->context;
}

/* An observer that knows everything up to what the view shows; its kind is still to be made. */
static strata_status begin_observer(strata_observers *g, void *context, strata_observer **out, strata_error *error) {
    *out = NULL;
    strata_status status = check(g, error);
    if (status == STRATA_OK) status = look(g, error);
    if (status != STRATA_OK) return status;
    strata_observer *o = calloc(1, sizeof *o);
    if (o == NULL) return st_no_memory(error, "observing");
    o->group = g;
    o->view = g->view;
    o->context = context;
    *out = o;
    return STRATA_OK;
}

static strata_status end_observer(strata_observers *g, strata_status status, strata_observer **out,
                                  strata_error *error) {
    if (status == STRATA_OK && !st_families_add(&g->families, *out)) status = st_no_memory(error, "observing");
    if (status == STRATA_OK) {
        link_observer(g, *out);
    } else if (*out != NULL) {
        free_observer(*out);
        *out = NULL;
    }
    return status;
}

strata_status strata_observe_query(strata_observers *group, const strata_query *query, const strata_key_paths *paths,
                                   void *context, strata_observer **out, strata_error *error) {
    strata_status status = begin_observer(group, context, out, error);
    if (status == STRATA_OK) status = st_observe_query(*out, &group->queries, query, paths, group->commits.read, error);
    return end_observer(group, status, out, error);
}

/* Sets what an observer of an object is of. */
static strata_status set_object(strata_observer *o, uint32_t table, uint64_t key, strata_error *error) {
    if (st_view_table(o->view, table, error) == NULL) return STRATA_MISUSE;
    o->table = table;
    o->key = key;
    o->own = st_arena_alloc(&o->memory, sizeof *o->own);
    if (o->own == NULL) return st_no_memory(error, "observing");
    *o->own = (st_own){ .counts = st_watch_begin(&o->memory, table) };
    o->counts = &o->own->counts;
    return STRATA_OK;
}

strata_status strata_observe_collection(strata_observers *group, uint32_t table, uint64_t key, uint32_t column,
                                        const strata_key_paths *paths, void *context, strata_observer **out,
                                        strata_error *error) {
    strata_status status = begin_observer(group, context, out, error);
    if (status == STRATA_OK) status = set_object(*out, table, key, error);
    if (status == STRATA_OK) {
        (*out)->column = column;
        status = st_observe_collection(*out, paths, error);
    }
    return end_observer(group, status, out, error);
}

strata_status strata_observe_object(strata_observers *group, uint32_t table, uint64_t key,
                                    const strata_key_paths *paths, void *context, strata_observer **out,
                                    strata_error *error) {
    strata_status status = begin_observer(group, context, out, error);
    if (status == STRATA_OK) status = set_object(*out, table, key, error);
    if (status == STRATA_OK) status = st_observe_object(*out, paths, error);
    return end_observer(group, status, out, error);
}

/* ---- Telling ---------------------------------------------------------- */

strata_status strata_observers_advance(strata_observers *g, strata_error *error) {
    strata_status status = check(g, error);
    if (status != STRATA_OK) return status;
    st_commits_limit(&g->commits); /* of what came before: whoever does not ask for it keeps no more */
    status = look(g, error);
    if (status != STRATA_OK) return status;
    g->asked = 0;
    g->ask_until = g->made;
    g->asks_again = false;
    g->round++;
    return STRATA_OK;
}

/* Moves an observer that is due on to what was read; `found` is what that changes. */
static strata_status advance(strata_observers *g, strata_observer *o, strata_error *error) {
    if (o->untold) return STRATA_OK;
    o->found = NULL;
    if (o->seen == g->commits.read) return STRATA_OK;
    strata_status status = st_commits_since(&g->commits, o->seen, error);
    if (status == STRATA_OK && (g->commits.set.whole || g->commits.set.count != 0)) {
        g->stats.asked++;
        status = o->kind->advance(o, &g->commits.set, g->commits.read, error);
    }
    if (status != STRATA_OK) {
        o->found = NULL;
        return status;
    }
    st_due_know(&g->due, o, g->commits.read);
    o->gone = o->found != NULL && (o->found->flags & STRATA_CHANGES_GONE) != 0;
    return STRATA_OK;
}

/* An observer has been told, or there was nothing to tell. */
static void settle(strata_observers *g, strata_observer *o) {
    o->untold = false;
    o->failed_in = 0;
    if (o->gone || o->seen == g->commits.read) st_due_remove(&g->due, o);
}

static strata_status check_changes(const strata_changes *changes, strata_error *error) {
    if (changes == NULL)
        return st_fail(error, STRATA_MISUSE, 0, "telling what changed: `changes` is NULL; give the address of a "
                       "strata_changes_blank()");
    if (st_sized_plausible(changes->size, sizeof *changes)) return STRATA_OK;
    return st_fail(error, STRATA_MISUSE, 0, "a strata_changes of %u bytes; make it with strata_changes_blank()",
                   (unsigned)changes->size);
}

static void write_changes(const strata_changes *told, strata_changes *out) {
    st_sized_write(out, out->size, told, sizeof *told);
    out->size = (uint32_t)sizeof *told;
}

/* Tells what changed for an observer that is due; STRATA_END, if nothing. */
static strata_status tell(strata_observers *g, strata_observer *o, strata_changes *out, strata_error *error) {
    strata_status status = advance(g, o, error);
    if (status != STRATA_OK) return status;
    if (o->found == NULL || st_found_is_empty(o->found)) {
        settle(g, o);
        return STRATA_END;
    }
    strata_changes told = strata_changes_blank();
    o->untold = !st_found_tell(o->found, &told);
    if (o->untold) return st_no_memory(error, "telling what changed");
    settle(g, o);
    write_changes(&told, out);
    o->stats.deliveries++;
    return STRATA_OK;
}

/* Tells that an observer which is held is to be asked. */
static strata_status tell_held(strata_changes *out) {
    strata_changes told = strata_changes_blank();
    told.flags = STRATA_CHANGES_HELD;
    write_changes(&told, out);
    return STRATA_OK;
}

/* The next one to be asked; NULL if there is none. */
static strata_observer *next_due(const strata_observers *g) {
    strata_observer *o = g->due.first;
    while (o != NULL && (o->number <= g->asked || (g->asks_again && o->failed_in != g->round))) o = o->next_due;
    return o != NULL && o->number <= g->ask_until ? o : NULL;
}

/* Asks those who are due until one has something to tell; STRATA_END, if nobody has. One that fails the first time is
 * passed over, so that it keeps nobody from being told, and asked again behind all others. */
static strata_status ask_next(strata_observers *g, strata_observer **out, strata_changes *changes,
                              strata_error *error) {
    strata_error first;
    for (strata_observer *o = next_due(g); o != NULL; o = next_due(g)) {
        g->asked = o->number;
        strata_status status = o->held ? tell_held(changes) : tell(g, o, changes, g->asks_again ? error : &first);
        if (status == STRATA_END) continue;
        if (status == STRATA_OK || g->asks_again) {
            *out = o;
            return status;
        }
        o->failed_in = g->round;
    }
    return STRATA_END;
}

strata_status strata_observers_next(strata_observers *g, strata_observer **out, strata_changes *changes,
                                    strata_error *error) {
    *out = NULL;
    strata_status status = check(g, error);
    if (status == STRATA_OK) status = check_changes(changes, error);
    if (status == STRATA_OK && !st_commits_are_read(&g->commits))
        status = look(g, error); /* results are found in what the view shows */
    if (status != STRATA_OK) return status;
    status = ask_next(g, out, changes, error);
    if (status == STRATA_END && !g->asks_again) {
        g->asks_again = true;
        g->asked = 0;
        status = ask_next(g, out, changes, error);
    }
    if (status != STRATA_END) return status;
    g->asked = g->ask_until = 0;
    forget_commits(g);
    st_commits_limit(&g->commits); /* whoever is still due was held, has failed, or was made due meanwhile */
    return STRATA_END;
}

static strata_status no_observer(strata_error *error) {
    return st_fail(error, STRATA_MISUSE, 0, "the observer is NULL: making it failed, or was not tried");
}

strata_status strata_observer_skip(strata_observer *observer, strata_error *error) {
    if (observer == NULL) return no_observer(error);
    strata_observers *g = observer->group;
    strata_status status = check(g, error);
    if (status == STRATA_OK) status = look(g, error);
    if (status != STRATA_OK || !observer->due) return status;
    observer->untold = false;
    status = advance(g, observer, error);
    if (status == STRATA_OK) settle(g, observer);
    return status;
}

bool strata_observer_is_behind(const strata_observer *observer) { return observer != NULL && observer->due; }

/* ---- Holding ---------------------------------------------------------- */

void strata_observer_hold(strata_observer *observer) {
    if (observer != NULL) observer->held = true;
}

strata_status strata_observer_ask(strata_observer *observer, strata_changes *changes, strata_error *error) {
    if (observer == NULL) return no_observer(error);
    strata_observers *g = observer->group;
    strata_status status = check(g, error);
    if (status == STRATA_OK) status = check_changes(changes, error);
    if (status != STRATA_OK) return status;
    st_commits_limit(&g->commits);
    status = look(g, error);
    if (status != STRATA_OK) return status;
    return observer->due ? tell(g, observer, changes, error) : STRATA_END;
}

/* ---- Results ---------------------------------------------------------- */

/* STRATA_END if the observer does not know what the view shows. */
static strata_status find_result(const strata_observer *o, const st_shared_result **out, strata_error *error) {
    *out = NULL;
    if (o == NULL) return no_observer(error);
    const strata_observers *g = o->group;
    strata_status status = st_view_readable(g->view, error);
    if (status != STRATA_OK) return status;
    bool is_read = st_commits_are_read(&g->commits) && g->found_to == g->commits.read;
    if (is_read && !st_writes_changed(g->view->writes) && !is_shared(g->view))
        *out = st_observe_query_result(o, g->commits.read);
    return *out == NULL ? STRATA_END : STRATA_OK;
}

static strata_status nowhere(strata_error *error) {
    return st_fail(error, STRATA_MISUSE, 0, "what an observer knows of its result is to be written to NULL");
}

strata_status strata_observer_size(const strata_observer *observer, uint64_t *out, strata_error *error) {
    const st_shared_result *result;
    if (out == NULL) return nowhere(error);
    strata_status status = find_result(observer, &result, error);
    *out = status == STRATA_OK ? st_shared_result_size(result) : 0;
    return status;
}

strata_status strata_observer_keys(const strata_observer *observer, uint64_t position, uint64_t count, uint64_t *out,
                                   strata_error *error) {
    const st_shared_result *result;
    strata_status status = find_result(observer, &result, error);
    if (status != STRATA_OK) return status;
    uint64_t size = st_shared_result_size(result);
    if (position > size || count > size - position)
        return st_fail(error, STRATA_RANGE, 0, "%llu keys from position %llu on, of an observed result of %llu objects",
                       (unsigned long long)count, (unsigned long long)position, (unsigned long long)size);
    if (out == NULL && count != 0) return nowhere(error);
    st_shared_result_copy(result, position, count, out);
    return STRATA_OK;
}

strata_status strata_observer_find(const strata_observer *observer, uint64_t key, uint64_t *out, strata_error *error) {
    const st_shared_result *result;
    if (out == NULL) return nowhere(error);
    strata_status status = find_result(observer, &result, error);
    if (status != STRATA_OK) return status;
    return st_shared_result_find(result, key, out) ? STRATA_OK : STRATA_NOT_FOUND;
}

/* ---- Costs ------------------------------------------------------------ */

static strata_status no_stats(const char *type, strata_error *error) {
    return st_fail(error, STRATA_MISUSE, 0, "explaining what is observed: `out` is NULL; give the address of a %s with "
                   "its size", type);
}

strata_status strata_observer_explain(const strata_observer *observer, strata_observer_stats *out,
                                      strata_error *error) {
    if (observer == NULL) return no_observer(error);
    if (out == NULL) return no_stats("strata_observer_stats", error);
    if (!st_sized_plausible(out->size, sizeof *out))
        return st_fail(error, STRATA_MISUSE, 0, "a strata_observer_stats of %u bytes; set its size to "
                       "sizeof(strata_observer_stats)", (unsigned)out->size);
    strata_observer_stats stats = { .size = (uint32_t)sizeof stats, .sharers = 1 };
    stats.memory = sizeof *observer + observer->memory.total;
    if (observer->own != NULL) stats.memory += st_found_memory(&observer->own->found);
    stats.rows_visited = observer->stats.rows_visited;
    stats.deliveries = observer->stats.deliveries;
    stats.reruns = observer->stats.reruns;
    observer->kind->explain(observer, &stats);
    st_sized_write(out, out->size, &stats, sizeof stats);
    return STRATA_OK;
}

strata_status strata_observers_explain(const strata_observers *g, strata_observers_stats *out, strata_error *error) {
    if (g == NULL) return no_observers(error);
    if (out == NULL) return no_stats("strata_observers_stats", error);
    if (!st_sized_plausible(out->size, sizeof *out))
        return st_fail(error, STRATA_MISUSE, 0, "a strata_observers_stats of %u bytes; set its size to "
                       "sizeof(strata_observers_stats)", (unsigned)out->size);
    strata_observers_stats stats = g->stats;
    stats.size = (uint32_t)sizeof stats;
    stats.commits = g->commits.read;
    stats.memory = sizeof *g + st_families_memory(&g->families);
    stats.results = g->queries.results;
    stats.sharers = g->queries.sharers;
    stats.steps = g->queries.steps;
    stats.records = g->commits.bytes;
    st_sized_write(out, out->size, &stats, sizeof stats);
    return STRATA_OK;
}
