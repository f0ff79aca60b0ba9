/* SPDX-License-Identifier: MIT
 *
 * families.h -- which observers a change set may concern.
 *
 * They are found by the tables that it changed, then by the columns, and then by keys and values (family.h). Who is not
 * concerned is not looked at.
 */
#ifndef ST_OBSERVE_FAMILIES_H
#define ST_OBSERVE_FAMILIES_H

#include "observe/family.h"

/** The families to which a table matters. */
typedef struct st_families_of_table {
    st_family **items;
    size_t count, capacity;
} st_families_of_table;

/** Empty when it is zero. Freed with st_families_free(). */
typedef struct st_families {
    st_names families;
    st_families_of_table *tables; /* by table + 1; the first one is of families to which anything may matter */
    size_t table_count;
    uint64_t looks;
    bool stale;                  /* what matters has to be found out anew */
} st_families;

/** Adds an observer that is made. False if there is no memory. */
bool st_families_add(st_families *families, strata_observer *observer);
/** Removes an observer, if it is there. */
void st_families_remove(st_families *families, strata_observer *observer);
/** Marks those whom a change set may concern; `seen` is what they know otherwise. Fails as st_roots_find(); then some
 * may be marked, and the next call with the same changes marks them all. */
strata_status st_families_find(st_families *families, st_walker *walker, const st_change_set *changes, st_due *due,
                                uint64_t seen);
/** The bytes that it takes. */
size_t st_families_memory(const st_families *families);
/** Frees families without observers. */
void st_families_free(st_families *families);

#endif
