/* SPDX-License-Identifier: MIT
 * mixed_support.h -- mixed values as trees of plain C, to compare with those that are packed. */
#ifndef MIXED_SUPPORT_H
#define MIXED_SUPPORT_H

#include "value/mixed.h"
#include "strata_decimal.h"
#include "tests.h"

enum { MOST_CHILDREN = 6 };

/** A value; a list or map has children. */
typedef struct tree {
    strata_collection kind; /* STRATA_SINGLE: `leaf` */
    strata_value leaf;
    void *owned;            /* the bytes of the leaf, if they are its own */
    int count;
    struct tree *children[MOST_CHILDREN];
    char keys[MOST_CHILDREN][8];
} tree;

/** What random trees may link to: `key_of` gives a random key in a table. NULL: no links. */
typedef struct tree_links {
    uint32_t tables;
    uint64_t (*key_of)(void *context, uint32_t table);
    void *context;
} tree_links;

/** A random value, of any type and mostly short; null now and then. */
tree *tree_random(uint64_t *random, const tree_links *links, int depth);
tree *tree_copy(const tree *from);
void tree_free(tree *t);

/** The value. `builder` owns the bytes of a nested one. */
strata_value tree_value(const tree *t, strata_nested *builder);

/** How often the tree links to an object. */
uint64_t tree_count_links(const tree *t, uint32_t table, uint64_t key);
/** Removes these links as an unlink does; the tree itself may be freed: use what is returned. */
tree *tree_unlink(tree *t, uint32_t table, uint64_t key);

/** A copy of a value whose bytes are in a block of their own, so that reading beyond them is noticed. The block is
 * freed by the caller. */
strata_value value_apart(const strata_value *value, void **block);

strata_value decimal_value(const char *text);

#endif
