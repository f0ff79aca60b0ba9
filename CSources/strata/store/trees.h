/* SPDX-License-Identifier: MIT
 *
 * trees.h -- the trees of a store file.
 *
 * Every file has the same trees. They are plain B+trees of LMDB: one value per key, keys in the order of their bytes.
 * All of them are created with the file, opened once, and never dropped. The main tree of LMDB holds the records of the
 * store itself; it also holds one entry per other tree, under the name of that tree.
 */
#ifndef ST_STORE_TREES_H
#define ST_STORE_TREES_H

typedef enum st_tree {
    ST_META,        /**< the main tree: header record, catalog, table states; keys begin with a zero byte */
    ST_ROWS,
    ST_INDEX,
    ST_LINKS,
    ST_COLLECTIONS,
    ST_BLOBS,
    ST_CHANGES,
    ST_TREES        /* how many there are */
} st_tree;

/** The largest key that the layers above may use. Keys have an even length. */
enum { ST_MAX_TREE_KEY = 400 };

/** The names of the trees in the main tree, which has no name itself. */
extern const char *const st_tree_names[ST_TREES];

#endif
