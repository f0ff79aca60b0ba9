/* SPDX-License-Identifier: MIT
 *
 * known.h -- the objects that an import has met: what they are called, and which of them have no record yet.
 */
#ifndef ST_TRANSFER_KNOWN_H
#define ST_TRANSFER_KNOWN_H

#include "base/buffer.h"
#include "strata.h"
#include "write/hash_table.h"

typedef enum st_known_state {
    ST_KNOWN_MISSING, /* a link named it, and it was created for that */
    ST_KNOWN_INNER,   /* it was inside of the record of another object */
    ST_KNOWN_DONE     /* it has its own record */
} st_known_state;

typedef struct st_known_object {
    uint64_t key;       /* object key */
    uint32_t table;
    uint32_t name_size; /* 0: it is not called anything */
    size_t name;        /* where it begins in `names` */
    uint32_t write;     /* in which it got its state, counted from 0 */
    st_known_state state : 8;
    bool was_missing;   /* its state was another one in the write before: ST_KNOWN_MISSING */
} st_known_object;

/** Zero-initialised it is empty. */
typedef struct st_known {
    st_buffer objects; /* st_known_object */
    st_buffer names;
    st_hash_table by_name, by_key;
    uint32_t write; /* how many were committed */
} st_known;

/** The object of that table that is called `name`; NULL if there is none. Lifetime: until one is added. */
st_known_object *st_known_named(const st_known *known, uint32_t table, strata_bytes name);
/** The object with that object key; NULL if it is not known. */
st_known_object *st_known_key(const st_known *known, uint32_t table, uint64_t key);
/** Adds an object, or gives one that is known a name. Fails: STRATA_NO_MEMORY, STRATA_TOO_LARGE. */
strata_status st_known_add(st_known *known, uint32_t table, uint64_t key, strata_bytes name, st_known_state state,
                           strata_error *error);
/** Whether an object had no record yet at the last commit, and was there. */
bool st_known_was_missing(const st_known *known, const st_known_object *object);
void st_known_free(st_known *known);

#endif
