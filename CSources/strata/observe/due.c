/* SPDX-License-Identifier: MIT
 * due.c -- the observers that commits may concern and that have not been asked since. */
#include "observe/due.h"

/* ---- By what they know ------------------------------------------------ */

/* What is known grows with time, so that the place of one is nearly always the end. */
static void link_by_age(st_due *due, strata_observer *o, uint64_t seen) {
    strata_observer *before = due->newest;
    for (; before != NULL && before->seen > seen; before = before->older) due->steps++;
    o->seen = seen;
    o->older = before;
    o->newer = before == NULL ? due->oldest : before->newer;
    if (o->older == NULL) due->oldest = o;
    else o->older->newer = o;
    if (o->newer == NULL) due->newest = o;
    else o->newer->older = o;
}

static void unlink_by_age(st_due *due, strata_observer *o) {
    if (o->older == NULL) due->oldest = o->newer;
    else o->older->newer = o->newer;
    if (o->newer == NULL) due->newest = o->older;
    else o->newer->older = o->older;
    o->older = o->newer = NULL;
}

void st_due_know(st_due *due, strata_observer *o, uint64_t seen) {
    unlink_by_age(due, o);
    link_by_age(due, o, seen);
}

/* ---- As they were made ------------------------------------------------ */

void st_due_mark(st_due *due, strata_observer *o, uint64_t seen) {
    if (o->due || o->gone) return;
    o->due = true;
    link_by_age(due, o, seen);
    o->next_due = due->fresh;
    due->fresh = o;
}

/* Merges two lists that are in order, by `next_due` alone. */
static strata_observer *merge(strata_observer *a, strata_observer *b) {
    strata_observer *first = NULL, **end = &first;
    while (a != NULL && b != NULL) {
        strata_observer **from = a->number < b->number ? &a : &b;
        *end = *from;
        end = &(*end)->next_due;
        *from = *end;
    }
    *end = a != NULL ? a : b;
    return first;
}

/* Sorts a list. `runs[i]` has 2^i observers, or none. */
static strata_observer *sort(strata_observer *list) {
    enum { RUNS = 64 };
    strata_observer *runs[RUNS] = { NULL }, *sorted = NULL;
    while (list != NULL) {
        strata_observer *run = list;
        list = list->next_due;
        run->next_due = NULL;
        int i = 0;
        for (; runs[i] != NULL; i++) {
            run = merge(runs[i], run);
            runs[i] = NULL;
        }
        runs[i] = run;
    }
    for (int i = 0; i < RUNS; i++) sorted = merge(runs[i], sorted);
    return sorted;
}

void st_due_order(st_due *due) {
    if (due->fresh == NULL) return;
    due->first = merge(due->first, sort(due->fresh));
    due->fresh = due->last = NULL;
    for (strata_observer *o = due->first; o != NULL; o = o->next_due) {
        o->previous_due = due->last;
        due->last = o;
    }
}

void st_due_remove(st_due *due, strata_observer *o) {
    if (o->previous_due == NULL) due->first = o->next_due;
    else o->previous_due->next_due = o->next_due;
    if (o->next_due == NULL) due->last = o->previous_due;
    else o->next_due->previous_due = o->previous_due;
    o->next_due = o->previous_due = NULL;
    unlink_by_age(due, o);
    o->due = false;
}
