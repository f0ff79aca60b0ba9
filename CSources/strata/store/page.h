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
    uint16_t depth;
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

/** Visits every page that can be reached: each must be in the file and make sense. */
strata_status st_page_walk(const st_page_file *file, strata_error *error);

#endif
