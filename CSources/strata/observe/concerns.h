/* SPDX-License-Identifier: MIT
 *
 * concerns.h -- which tables and columns were changed, or matter to an observer.
 *
 * Columns are bits by their number modulo 64: where a table has more, some stand for each other, so that somebody may
 * be asked who is not concerned. Nobody is left out who is.
 */
#ifndef ST_OBSERVE_CONCERNS_H
#define ST_OBSERVE_CONCERNS_H

#include "observe/change_set.h"
#include "observe/watch.h"

#define ST_ALL_COLUMNS UINT64_MAX

typedef struct st_concern {
    uint64_t assigned; /* columns whose values or elements are meant */
    uint64_t linked;   /* columns of other tables, through which links come or go */
    uint32_t table;    /* ST_NONE: anything may matter */
    uint32_t lives;    /* 1: objects that come and go are meant; otherwise 0 */
} st_concern;

/** One of each table, ascending. Empty when it is zero. Freed with st_concerns_free(). */
typedef struct st_concerns {
    st_concern *items;
    size_t count, capacity;
} st_concerns;

static inline uint64_t st_column_bit(uint32_t column) {
    return column == ST_NONE ? ST_ALL_COLUMNS : UINT64_C(1) << column % 64;
}

/** Adds something. False if there is no memory. */
bool st_concerns_add(st_concerns *concerns, st_concern concern);
/** Adds what a change set changed. False if there is no memory. */
bool st_concerns_add_changes(st_concerns *concerns, const st_change_set *changes);
/** Adds what is watched. False if there is no memory. */
bool st_concerns_add_watch(st_concerns *concerns, const st_watch *watch, const st_catalog *catalog);
/** Whether what was changed matters. */
bool st_concerns_meet(const st_concerns *changed, const st_concerns *matters);
void st_concerns_free(st_concerns *concerns);

#endif
