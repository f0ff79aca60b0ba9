/* SPDX-License-Identifier: MIT
 *
 * distinct_set.h -- the distinct keys of rows: a hash table.
 *
 * A key of a row is what all of some key readers read there, so that rows have the same key if they agree in all of
 * them. Each distinct key gets a number, from 0 on in the order in which they are found. The memory is in proportion to
 * the number of distinct keys. A key that is a single number is stored as it is, everything else as bytes that are
 * equal where the values are.
 */
#ifndef ST_QUERY_DISTINCT_SET_H
#define ST_QUERY_DISTINCT_SET_H

#include "base/arena.h"
#include "condition/key_reader.h"

typedef struct st_distinct_key {
    uint64_t hash;        /* with the key of the process; a single number: the number itself */
    const uint8_t *bytes; /* in the memory of the set; NULL for a single number */
    uint32_t size;
    bool null;            /* a single number that is null */
} st_distinct_key;

typedef struct st_distinct_set {
    st_query *query;
    st_key_reader *readers;
    uint32_t reader_count;
    bool numbers;         /* there is one reader, of a number */
    uint32_t count;
    uint32_t last;        /* the number of the key that was found last */
    st_distinct_key *items;
    size_t capacity;
    uint32_t *slots;      /* by hash: the number of a key plus 1, or 0 */
    size_t slot_count;    /* a power of two; at most two thirds of the slots are used */
    st_buffer wanted;     /* the bytes of the key that is looked for */
    st_arena memory;
} st_distinct_set;

/** An empty set. The readers are lent until it is freed. */
void st_distinct_set_begin(st_distinct_set *set, st_query *query, st_key_reader *readers, uint32_t reader_count);
void st_distinct_set_free(st_distinct_set *set);

/** The number of the key of a row, which is added if it is new. False if a link on the way to a value is null, unless
 * `as_null`, which takes that for a null value; and after a failure, which the query notes. */
bool st_distinct_set_find(st_distinct_set *set, const st_stored_row *row, bool as_null, uint32_t *out, bool *is_new);

#endif
