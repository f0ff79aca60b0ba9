/* SPDX-License-Identifier: MIT
 *
 * postings_set.h -- an ordered multiset of (value, object key), kept in posting blocks of a tree.
 *
 * Serves secondary indexes, primary keys and links alike: a link index maps the target's key (8 bytes,
 * big-endian) to the keys of the objects that link to it. The values of one set have at most ST_MAX_KEY bytes, and
 * none is a prefix of another one.
 */
#ifndef ST_POSTING_POSTINGS_SET_H
#define ST_POSTING_POSTINGS_SET_H

#include "posting/posting.h"
#include "store/trees.h"
#include "value/key_bytes.h"

/** Which set: a tree (ST_INDEX or ST_LINKS) and the id within it. */
typedef struct st_posting_set {
    st_tree tree;
    uint32_t id;
} st_posting_set;

/** What messages call the set. */
static inline const char *st_postings_kind(st_posting_set set) {
    return set.tree == ST_LINKS ? "link index" : "index";
}

#endif
