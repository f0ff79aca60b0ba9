/* SPDX-License-Identifier: MIT
 *
 * meta.h -- the two pages that say which commits a file holds, and where their trees begin.
 *
 * Each commit writes one of the two, in turn, as the last thing it does. They are read from the file before LMDB opens
 * it, and from LMDB's map by snapshots, while a writer may be writing them.
 */
#ifndef ST_PAGE_META_H
#define ST_PAGE_META_H

#include "strata.h"

#define ST_NO_PAGE UINT64_MAX /* the root of an empty tree */

/** The largest depth of a tree. LMDB has no deeper ones. */
enum { ST_PAGE_DEPTH = 32 };

/** The root of a tree, as a meta page or a node of the main tree holds it. */
typedef struct st_page_tree {
    uint16_t flags, depth;
    uint64_t branch_pages, leaf_pages, overflow_pages, entries, root;
} st_page_tree;

enum { ST_PAGE_TREE_SIZE = 48, ST_META_SIZE = 152 /* bytes of a meta page that are used */,
       ST_META_TXNID = 144 /* where it has the number of its commit */ };

struct st_page_overlay;

/** A file as one meta page describes it. */
typedef struct st_page_file {
    int descriptor;
    const char *path;   /* for messages */
    const uint8_t *map; /* snapshots: the pages in memory */
    uint64_t map_pages; /* snapshots: how many pages the map has room for */
    uint32_t page_size;
    uint64_t pages;     /* whole pages that the file has; in a map, no more than it has room for */
    uint64_t last;      /* the number of the last page that was ever allocated */
    uint64_t txnid;
    st_page_tree free_tree, main_tree;
    const struct st_page_overlay *overlay; /* salvaging: pages that count instead of those of the file, or NULL */
} st_page_file;

/** The size at which most of the first pages of a file have their numbers; 0 if none has, and so it is no store. */
uint32_t st_page_size_guess(int descriptor, uint64_t file_size);
/** Reads the newer of the two meta pages and checks it against the file. */
strata_status st_page_file_read(int descriptor, const char *path, st_page_file *out, strata_error *error);
/** Reads one of the two meta pages by itself, of a file that may be damaged: `number` is 0 or 1. False if it makes no
 * sense with this page size. The trees that it names need not be plausible. */
bool st_page_file_read_meta(int descriptor, const char *path, uint32_t page_size, uint64_t number, st_page_file *out);
/** The same of a meta page in memory, of ST_META_SIZE bytes. */
bool st_page_file_take_meta(int descriptor, const char *path, uint32_t page_size, uint64_t number, const uint8_t *meta,
                            st_page_file *out);
/** Is this a meta page of a file with pages of that size, and the one with that number? ST_META_SIZE bytes. */
bool st_meta_fits(const uint8_t *meta, uint32_t page_size, uint64_t number);
/** The number of the commit that wrote a meta page, and that of the last page of the file then. */
uint64_t st_meta_txnid(const uint8_t *meta);
uint64_t st_meta_last(const uint8_t *meta);
/** Reads from the map the meta page that commit `txnid` wrote. If there were two commits since, the page is that of a
 * later one, or partly so: only what is found through it can prove which one it is. */
strata_status st_page_file_see(st_page_file *file, uint64_t txnid, strata_error *error);
/** Reads from the map the root of the tree of free pages of the commit that was seen. If there were two commits since,
 * it is that of a later one, or partly so. */
void st_page_file_see_free(st_page_file *file);
/** Makes the two meta pages of a file that holds the commit of a snapshot and none before it. They are right if the
 * next commit has not ended afterwards. `pages` has room for two pages. */
void st_page_file_metas(const st_page_file *file, uint8_t *pages);
/** The meta page that commit `txnid` wrote, in the map: ST_META_SIZE bytes. */
static inline const uint8_t *st_page_file_meta(const st_page_file *file, uint64_t txnid) {
    return file->map + (txnid & 1) * file->page_size;
}
/** The number of the newest commit, from the map. */
uint64_t st_page_file_newest(const st_page_file *file);

/** Reads the root of a tree from the bytes that hold it. */
void st_page_tree_read(const uint8_t *bytes, st_page_tree *out);
/** Could this be a tree of the file? Does not read its pages. */
bool st_page_tree_plausible(const st_page_file *file, const st_page_tree *tree);

#endif
