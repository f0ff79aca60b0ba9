/* SPDX-License-Identifier: MIT
 *
 * tuple.h -- several values as one key, in the order of the first values, then of the second ones, and so on.
 *
 * ON-DISK: the encodings of key.h, one after the other. A link is never nullable here, because no object has the key 0.
 * Every tuple fits into ST_MAX_KEY bytes, because strings are cut shorter than in a key of their own. The limit for a
 * string is computed when the values before it have been written: the bytes that are left then, less those that the
 * following values of fixed width and the ends of the strings need, are divided evenly among this string and the
 * strings after it. It is never more than ST_KEY_PREFIX. The limit counts the bytes as written, so a zero counts twice.
 * So how much of a string a key has depends only on the values before it. A string that was cut ends with 0 1 and its
 * hash.
 *
 * Tuples are in the right order, except for cut strings that begin with the same bytes; the values after a cut string
 * are in order among equal strings. Tuples are equal exactly if their values are, up to the hash of cut strings. No
 * tuple is a prefix of another one. Two tuples begin with the same bytes exactly if their first values are equal, again
 * up to the hash of cut strings.
 */
#ifndef ST_VALUE_TUPLE_H
#define ST_VALUE_TUPLE_H

#include "value/key.h"

/** The types of the values in a tuple. */
typedef struct st_tuple {
    const st_hash_key *hash_key; /**< of the file; not used for reading */
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

/** Adds the value of a part to a key that has the values of the parts before it. True if it was cut; then
 * st_key.truncated is set. */
bool st_tuple_add(const st_tuple *tuple, uint32_t part, const strata_value *value, st_key *key);

/** Adds the bytes that all strings beginning with `string` have in common. True if they had to be cut: then other
 * strings have them, too. */
bool st_tuple_add_prefix(const st_tuple *tuple, uint32_t part, strata_bytes string, st_key *key);

/** The size of the first `parts` values in an encoded tuple; 0 if the bytes are not an encoding. `*last_cut` says
 * whether the last of these values is a string that was cut. */
size_t st_tuple_size(const st_tuple *tuple, uint32_t parts, strata_bytes encoded, bool *last_cut);

#endif
