/* SPDX-License-Identifier: MIT
 *
 * page_check.h -- checks everything that LMDB takes for granted about its pages.
 *
 * LMDB follows what it reads, and stops the process at a contradiction that it happens to notice. A file that passes
 * here has: every page in the file, reached once, of the right kind and depth; nodes that lie in their page, apart from
 * each other and without gaps; keys of a possible size, ascending, and within what the branches above say; values whose
 * pages say the same as the node; the numbers of pages and entries that the roots say; no tree of a kind that no store
 * has; and free pages that nothing uses. What LMDB makes of such a file is such a file again.
 */
#ifndef ST_PAGE_PAGE_CHECK_H
#define ST_PAGE_PAGE_CHECK_H

#include "page/meta.h"

/** What a commit does with each of its pages. */
typedef struct st_page_use {
    uint64_t txnid;  /* of the commit */
    uint64_t last;   /* the last page that has bits here */
    uint8_t *taken;  /* a bit per page: a tree or a value uses it, or it is free */
    uint8_t *unread; /* a bit per page: a value begins there whose first page was not read yet */
    uint64_t unread_count;
} st_page_use;

/** Reads every page that can be reached, and checks it; of values only the first page. Fails: STRATA_CORRUPT. */
strata_status st_page_check(const st_page_file *file, strata_error *error);
/** Checks the main tree alone: what LMDB follows to find the other trees. */
strata_status st_page_check_main(const st_page_file *file, strata_error *error);
/** Checks all but the first pages of values, which are most of a file. Ownership: after a success `*out` is freed with
 * st_page_use_free(). */
strata_status st_page_check_trees(const st_page_file *file, st_page_use *out, strata_error *error);
/** Checks the first page of a value of `size` bytes, which is at `page` in memory, before its pages may become free.
 * Does nothing if that was done before, or if the page was not the beginning of a value in the commit that `use`
 * describes: then it was written since. */
strata_status st_page_check_value(const st_page_file *file, st_page_use *use, const uint8_t *page, uint64_t number,
                                  size_t size, strata_error *error);
void st_page_use_free(st_page_use *use);

#endif
