/* SPDX-License-Identifier: MIT
 * page.h -- LMDB's pages, read from the file with every step checked.
 *
 * LMDB follows page numbers in its map without looking whether they lie in the file. What is here reads by pread,
 * trusts nothing, and is used before LMDB opens a file. */
#ifndef ST_STORE_PAGE_H
#define ST_STORE_PAGE_H

#include "base/status.h"

#define ST_NO_PAGE UINT64_MAX /* the root of an empty tree */

/** The root of a tree, as a meta page or a node of the main tree holds it. */
typedef struct st_page_tree {
    uint16_t flags, depth;
    uint64_t branch_pages, leaf_pages, overflow_pages, entries, root;
} st_page_tree;

enum { ST_PAGE_TREE_SIZE = 48 };

/** A file as one meta page describes it. */
typedef struct st_page_file {
    int descriptor;
    const char *path; /* for messages */
    uint32_t page_size;
    uint64_t pages;   /* whole pages that the file has */
    uint64_t last;    /* number of the last page that was ever allocated */
    uint64_t txnid;
    st_page_tree free_tree, main_tree;
} st_page_file;

/** Reads the newer of the two meta pages and checks it against the file. */
strata_status st_page_file_read(int descriptor, const char *path, st_page_file *out, strata_error *error);

/** Reads the root of a tree from the bytes that hold it. */
void st_page_tree_read(const uint8_t *bytes, st_page_tree *out);
/** Could this be a tree of the file? Does not read its pages. */
bool st_page_tree_plausible(const st_page_file *file, const st_page_tree *tree);

/** Looks `key` up in the main tree and copies its value, which has at most `capacity` bytes, to `value`.
 * STRATA_OK, STRATA_NOT_FOUND or STRATA_CORRUPT. */
strata_status st_page_find(const st_page_file *file, strata_bytes key, uint8_t *value, size_t capacity,
                           size_t *out_size, strata_error *error);

/** Reads every page that can be reached, and checks all that LMDB takes for granted when it reads or changes them.
 * (page_check.c) */
strata_status st_page_check(const st_page_file *file, strata_error *error);

/* ---- Single pages ----------------------------------------------------- */

enum { ST_PAGE_HEADER = 16, ST_NODE_HEADER = 8, ST_PAGE_DEPTH = 32 };
enum { ST_PAGE_BRANCH = 1, ST_PAGE_LEAF = 2, ST_PAGE_OVERFLOW = 4 };
enum { ST_NODE_BIG = 1, ST_NODE_TREE = 2 };

/** A page in memory, found to be a branch or a leaf. */
typedef struct st_page {
    uint8_t *bytes; /* room for one, of the caller */
    uint64_t number;
    uint32_t size;
    uint32_t nodes;
    uint32_t upper; /* where the nodes begin */
    bool leaf;
} st_page;

typedef struct st_page_node {
    uint16_t flags;
    uint16_t offset;      /* in the page */
    strata_bytes key;
    uint64_t child;       /* of a branch */
    uint32_t value_size;  /* of a leaf; with ST_NODE_BIG, of the value on other pages */
    const uint8_t *value; /* of a leaf; with ST_NODE_BIG, 8 bytes with the number of the first of these pages */
} st_page_node;

/** Are `count` pages from `number` on pages of trees, and in the file? */
strata_status st_page_range(const st_page_file *file, uint64_t number, uint64_t count, strata_error *error);
/** Reads a branch or a leaf. */
strata_status st_page_read(const st_page_file *file, uint64_t number, st_page *out, strata_error *error);
/** Reads the first bytes of any page. */
strata_status st_page_bytes(const st_page_file *file, uint64_t number, uint8_t *out, size_t size, strata_error *error);
/** Reads a value on pages of its own, which have been found to be in the file. */
strata_status st_page_value(const st_page_file *file, uint64_t number, uint8_t *out, size_t size, strata_error *error);
/** Takes one node apart. False if it leaves the page. */
bool st_page_node_read(const st_page *page, uint32_t index, st_page_node *out);
/** Fails with STRATA_CORRUPT. */
strata_status st_page_damaged(const st_page_file *file, uint64_t number, const char *what, strata_error *error);

#endif
