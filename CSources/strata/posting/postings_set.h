/* SPDX-License-Identifier: MIT
 *
 * postings_set.h -- a set of postings: an ordered multiset of entries (value, object key) in posting blocks of a tree.
 *
 * Secondary indexes, primary keys and links are such sets. A link index maps the key of the target (8 bytes,
 * big-endian) to the keys of the objects that link to it. The values of a set have at most ST_MAX_KEY bytes, and none
 * of them is a prefix of another one.
 */
#ifndef ST_POSTING_POSTINGS_SET_H
#define ST_POSTING_POSTINGS_SET_H

#include "posting/posting.h"
#include "store/trees.h"
#include "value/key_bytes.h"

/** Names a set: the tree that it is in (ST_INDEX or ST_LINKS), and its id there. */
typedef struct st_posting_set {
    st_tree tree;
    uint32_t id;
} st_posting_set;

/** What messages call the set. */
static inline const char *st_postings_kind(st_posting_set set) {
    return set.tree == ST_LINKS ? "link index" : "index";
}

#endif
