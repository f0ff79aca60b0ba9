/* SPDX-License-Identifier: MIT
 *
 * classes.h -- which objects agree in all of some keys.
 *
 * A hash table of the keys seen so far; its memory is in proportion to the number of classes. Numbers are kept as
 * they are, everything else as bytes that are equal where the values are.
 */
#ifndef ST_QUERY_CLASSES_H
#define ST_QUERY_CLASSES_H

#include "condition/key_reader.h"

typedef struct st_distinct_key {
    uint64_t hash;       /* of a single number, the number itself */
    const uint8_t *bytes; /* in the memory of the classes; NULL of a single number */
    uint32_t size;
    bool null;           /* of a single number */
} st_distinct_key;

typedef struct st_distinct_set {
    st_query *query;
    st_key_reader *keys;
    uint32_t key_count;
    bool numbers;        /* there is one key, which is a number */
    uint32_t count;
    uint32_t last;       /* the class found last */
    st_distinct_key *items;
    size_t capacity;
    uint32_t *slots;     /* numbers of classes plus 1; a power of two of them, less than two thirds full */
    size_t slot_count;
    st_buffer wanted;    /* the bytes of the row looked at */
    st_arena memory;
} st_distinct_set;

/** Fails: STRATA_NO_MEMORY. `keys` must stay. */
void st_distinct_set_begin(st_distinct_set *set, st_query *query, st_key_reader *keys, uint32_t key_count);
void st_distinct_set_free(st_distinct_set *set);

/** The class of a row, which is the newest one if it is new. False if a link on the way to a key is null, unless
 * `as_null`, which takes that as a null; and after a failure, which the query notes. */
bool st_distinct_set_find(st_distinct_set *set, const st_stored_row *row, bool as_null, uint32_t *out, bool *is_new);

#endif
