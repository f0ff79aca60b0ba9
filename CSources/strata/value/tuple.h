/* SPDX-License-Identifier: MIT
 *
 * tuple.h -- several values as one key, whose order is that of the first values, then of the second ones, ...
 *
 * ON-DISK: the encodings of key.h, one behind the other. A link is never nullable here: no object is key 0. So that
 * every tuple fits into ST_MAX_KEY bytes, strings are cut shorter than in a key of their own: what the values before
 * leave, and those behind that have a fixed width do not need, is shared evenly by the strings from there on, each of
 * which may use it up for what stands between its byte for null and its end (zeros count twice, as they are written),
 * but never more than ST_KEY_PREFIX bytes of it. So how much of a string a key has depends only on the values before
 * it. A string that is cut ends with 0 1 and its hash.
 *
 * What stays exact, then, is the order of all parts but of cut strings that begin alike, and equality up to the hash of
 * those; the parts behind a cut string are in order among equal ones. No tuple is a prefix of another one, and tuples
 * begin with the same bytes if, and only if, their first values are the same (or cut strings have the same hash).
 */
#ifndef ST_VALUE_TUPLE_H
#define ST_VALUE_TUPLE_H

#include "value/key.h"

/** The columns of a tuple. */
typedef struct st_tuple {
    uint32_t count;
    struct {
        strata_type type;
        bool nullable;
    } parts[STRATA_MAX_INDEX_COLUMNS];
} st_tuple;

/** Begins a key without values. */
static inline void st_tuple_begin(st_key *out) {
    out->size = 0;
    out->truncated = false;
}

/** Adds the value of a part to a key that has those before it. True if it was cut; then st_key.truncated is set. */
bool st_tuple_add(const st_tuple *tuple, uint32_t part, const strata_value *value, st_key *key);

/** Adds what all strings that begin with `string` have in common, without an end. True if that had to be cut: then it
 * is common to others, too. */
bool st_tuple_add_prefix(const st_tuple *tuple, uint32_t part, strata_bytes string, st_key *key);

/** How many bytes of an encoded tuple its first `parts` values are; `*last_cut` if the last of them is a string that
 * was cut. 0 if the bytes are not an encoding. */
size_t st_tuple_size(const st_tuple *tuple, uint32_t parts, strata_bytes encoded, bool *last_cut);

#endif
