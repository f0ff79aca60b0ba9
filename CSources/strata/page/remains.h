/* SPDX-License-Identifier: MIT
 *
 * remains.h -- the pages of a file whose trees may be damaged.
 *
 * A page of a sound file is a meta page, in a tree of the newest commit, the inside of a value, or free. So what is
 * none of these belongs to a tree that is broken further up: an orphan. If the list of free pages is damaged, too, the
 * pages of earlier commits cannot be told from orphans.
 *
 * Pages are read, not mapped: what the disk cannot give is damage like any other.
 */
#ifndef ST_PAGE_REMAINS_H
#define ST_PAGE_REMAINS_H

#include "page/overlay.h"
#include "page/page.h"

/** What is known of a page: the lower, the more its content is to be believed. */
typedef enum st_page_rank {
    ST_PAGE_REACHED, /**< a tree of the newest commit leads there */
    ST_PAGE_ORPHAN,  /**< nothing leads there, and it is not free */
    ST_PAGE_FREE,    /**< free: what is there is of an earlier commit */
    ST_PAGE_INSIDE   /**< no page of a tree */
} st_page_rank;

typedef struct st_remains {
    st_page_file file;
    uint32_t metas;     /* how many of the two meta pages count: both, if they make sense */
    uint64_t committed; /* the last page of the newest commit, as far as a meta page says so */
    uint64_t newest;    /* the number of the newest commit; if one meta page is lost, that which it may have had; if
                         * both are, UINT64_MAX */
    uint8_t *reached;   /* a bit per page */
    uint8_t *free;      /* a bit per page */
    uint8_t *inside;    /* a bit per page: of values to which an entry leads, and of the tree of free pages */
    bool free_known;    /* all free pages are known */
    bool whole;         /* all trees of the newest commit could be walked to their ends */
    bool main_whole;    /* the main tree could, which leads to the others */
    uint32_t trees;     /* how many others it leads to */
    uint64_t broken;    /* pages to which trees lead that could not be read, or are no pages of trees */
} st_remains;

/** Finds out about all pages of a file, whatever it holds. Those of the overlay, if it is not NULL, count instead.
 * Ownership: after a success `out` is freed with st_remains_free(). Fails: STRATA_NOT_A_STORE (no page has its number),
 * STRATA_NO_MEMORY. */
strata_status st_remains_read(int descriptor, const char *path, const st_page_overlay *overlay, st_remains *out,
                              strata_error *error);
/** Walks the trees to which a page of a main tree leads that no meta page leads to, without the pages that are known to
 * be free. If none is known, it is the page of the newest commit that is left. It may be one of several of the main
 * tree: of the others nothing is known then. Fails: STRATA_NO_MEMORY. */
strata_status st_remains_follow(st_remains *remains, uint64_t page, strata_error *error);
/** Notes that the value of a node is claimed. False if it does not lie in the file. */
bool st_remains_claim(st_remains *remains, const st_page_node *node);
/** The size of the value that begins on a page, as far as its pages go; 0 if none does. `head` has the first bytes of
 * the page, at least ST_PAGE_HEADER. */
size_t st_remains_value(const st_remains *remains, uint64_t page, const uint8_t *head);
st_page_rank st_remains_rank(const st_remains *remains, uint64_t page);
void st_remains_free(st_remains *remains);

#endif
