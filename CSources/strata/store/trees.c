/* SPDX-License-Identifier: MIT
 * trees.c -- the names of the trees. */
#include "store/trees.h"

#include <stddef.h>

/* ON-DISK: never rename. */
const char *const st_tree_names[ST_TREES] = {
    [ST_META] = NULL,
    [ST_ROWS] = "rows",
    [ST_INDEX] = "index",
    [ST_LINKS] = "links",
    [ST_COLLECTIONS] = "collections",
    [ST_BLOBS] = "blobs",
    [ST_CHANGES] = "changes",
};
