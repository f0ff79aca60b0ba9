/* SPDX-License-Identifier: MIT
 *
 * family.h -- observers that look at the same tables and columns, and differ in the object or in one value.
 *
 * Observers of one object, or of its collection, are found by the object's key; those of a query with a condition
 * `column == value` by the value: each key, and each value, has a bucket. What a commit changed concerns the buckets of
 * the values that the objects have, and of those that they had. For the latter the family notes the bucket of each
 * object in a result:
 *
 * Invariant: while there are homes, each object in the state of an observer that is not due has the bucket of that
 * observer for its home, or any of them. Homes that nothing needs any more do no harm.
 */
#ifndef ST_OBSERVE_FAMILY_H
#define ST_OBSERVE_FAMILY_H

#include "observe/due.h"
#include "base/key_map.h"
#include "observe/named.h"

typedef struct st_bucket {
    st_named named; /* in the buckets of the family; the bytes follow the bucket */
    struct st_family *family;
    uint32_t number; /* of the family, from 1 on */
    strata_observer *first, *last; /* linked by `next_alike` */
} st_bucket;

typedef struct st_family {
    st_named named;      /* by what its observers have in common */
    st_found_by by;
    st_concerns concerns;/* what matters to its observers */
    st_concerns beyond;  /* what may matter to each of them, whatever its key or value */
    st_names buckets;
    st_bucket **numbered;/* by number - 1; NULL: the number is free */
    uint32_t number_count, free_count;
    size_t number_capacity;
    st_key_map homes;    /* by object: the number of its bucket; there are none if the buckets are few */
    uint64_t looked;     /* when it was looked at last, by `looks` of the families */
} st_family;

/** A family of observers like one, which does not become one of them. NULL if there is no memory. `name` is copied. */
st_family *st_family_make(const strata_observer *like, const st_buffer *name);
/** Frees a family without observers. */
void st_family_free(st_family *family);
/** Finds out anew what matters, as after a change of the schema. False if there is no memory. */
bool st_family_refresh(st_family *family);

/** False if there is no memory. */
bool st_family_add(st_family *family, strata_observer *observer);
void st_family_remove(strata_observer *observer);
static inline bool st_family_is_empty(const st_family *family) { return family->buckets.count == 0; }

/** Marks those whom a change set may concern. Fails as st_roots_find(); then some may be marked, and the next call with
 * the same changes marks them all. */
strata_status st_family_find(st_family *family, st_walker *walker, const st_change_set *changes,
                             const st_concerns *changed, st_due *due, uint64_t seen);
/** Whether it matters which objects are in the state of an observer. */
bool st_family_has_homes(const strata_observer *observer);
/** Notes that objects are in the state of an observer. */
void st_family_claim(strata_observer *observer, const uint64_t *keys, size_t count);
/** The bytes that it takes. */
size_t st_family_memory(const st_family *family);

#endif
