/* SPDX-License-Identifier: MIT
 * observe.c -- being told what a commit changed in the result of a query. */
#include "strata_observer.h"

#include "store.h"

static const strata_key_paths all_paths = { .all = true };

void observe_scores(store *s) {
    strata_error error;
    strata_step score = strata_step_column(SCORE);
    strata_value least = strata_double(BENCH_SCORE);
    strata_node greater = { .op = STRATA_GREATER, .left = { .path = &score, .path_length = 1 }, .value_count = 1,
                            .values = &least };
    strata_query query = { .size = sizeof query, .table = PERSON, .nodes = &greater, .node_count = 1 };
    strata_observer *observer;
    stop_observing(s);
    must(strata_observers_open(s->view, &s->observers, &error), &error);
    must(strata_observe_query(s->observers, &query, &all_paths, NULL, &observer, &error), &error);
}

void stop_observing(store *s) {
    strata_observers_close(s->observers);
    s->observers = NULL;
}

/* What a program shows at first is asked for beside. */
double observe_first(store *s) {
    observe_scores(s);
    return count_scores(s);
}

static uint64_t modifications(store *s) {
    strata_error error;
    strata_observer *told;
    strata_changes changes = strata_changes_blank();
    uint64_t count = 0;
    must(strata_observers_advance(s->observers, &error), &error);
    while (strata_observers_next(s->observers, &told, &changes, &error) == STRATA_OK)
        count += changes.modification_count;
    return count;
}

double observe_changes(store *s, uint64_t count) {
    uint64_t told = 0;
    for (uint64_t j = 0; j < count; j++) {
        begin(s);
        set_person(s, bench_choose_hit(s->n, j), CREATED, strata_int((int64_t)j));
        commit(s);
        told += modifications(s);
    }
    return (double)told;
}
