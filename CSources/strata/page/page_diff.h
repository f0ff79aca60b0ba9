/* SPDX-License-Identifier: MIT
 *
 * page_diff.h -- which pages a commit has that the one before it had not.
 *
 * LMDB never changes a page that a commit can reach, so these are the pages that the commit wrote, as far as anybody
 * can reach them. What both commits share is left out subtree by subtree: the cost follows the size of the change.
 */
#ifndef ST_PAGE_PAGE_DIFF_H
#define ST_PAGE_PAGE_DIFF_H

#include "page/page.h"

/** `count` pages from `number` on. */
typedef struct st_page_run {
    uint64_t number, count;
    uint64_t base; /* of one page: that which the commit before probably had in its place; 0: none */
    uint32_t used, base_used; /* bytes of one page that has a value, and of its base; 0: of others */
} st_page_run;

/** Empty when it is zero. */
typedef struct st_page_runs {
    st_page_run *all;
    size_t count, capacity;
    uint64_t pages; /* in all of them */
} st_page_runs;

/** Adds to `out` the pages of `after` that are not in `before`. Both are commits in the map whose roots, that of the
 * tree of free pages among them, have been seen, and whose pages nobody uses again meanwhile. Ends early when there are
 * more than `most` pages; then `out` has some of them, and `out->pages` is above `most`.
 * Ownership: `out->all` is freed by the caller, also after a failure. Fails: STRATA_NO_MEMORY, STRATA_CORRUPT. */
strata_status st_page_diff(const st_page_file *before, const st_page_file *after, uint64_t most, st_page_runs *out,
                           strata_error *error);

#endif
