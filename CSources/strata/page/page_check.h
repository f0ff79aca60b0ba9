/* SPDX-License-Identifier: MIT
 *
 * page_check.h -- checks everything that LMDB takes for granted about its pages.
 *
 * LMDB follows what it reads, and stops the process at a contradiction that it happens to notice. A file that passes
 * here has: every page in the file, reached once, of the right kind and depth; nodes that lie in their page, apart from
 * each other and without gaps; keys of a possible size, ascending, and within what the branches above say; values whose
 * pages say the same as the node; the numbers of pages and entries that the roots say; no tree of a kind that no store
 * has; and free pages that nothing uses.
 */
#ifndef ST_PAGE_PAGE_CHECK_H
#define ST_PAGE_PAGE_CHECK_H

#include "page/meta.h"

/** Reads every page that can be reached, and checks it. Fails: STRATA_CORRUPT. */
strata_status st_page_check(const st_page_file *file, strata_error *error);

#endif
