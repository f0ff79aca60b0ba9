/* SPDX-License-Identifier: MIT
 *
 * query_cursor.h -- a result that is found piece by piece, while it is read.
 *
 * Objects of a table in the order of their keys are found in pieces: each is a query of its own that begins behind the
 * last object of the piece before, so that a walk that ends early has found little more than it needed. Pieces become
 * larger, because an index may have to be walked for each. What has another order is found as a whole.
 */
#ifndef ST_QUERY_QUERY_CURSOR_H
#define ST_QUERY_QUERY_CURSOR_H

#include "base/arena.h"
#include "strata_query.h"

enum { ST_FIRST_PIECE = 256, ST_LARGEST_PIECE = 16384 };

struct strata_query_cursor {
    strata_view *view;
    strata_query query;     /* of the next piece; what it points to is the caller's, or in `memory` */
    st_arena memory;
    strata_stage limit;     /* of the next piece */
    strata_bookmark after;  /* where it begins */
    bool whole;             /* there is only one piece */
    bool last;              /* there is no further one */
    uint64_t end;           /* objects from this key on were created after the cursor */
    uint64_t left;          /* how many objects may still be found */
    uint64_t piece;         /* how many of them at a time */
    strata_keys keys;       /* the piece */
    uint64_t at;            /* of its keys, how many were handed out */
};

#endif
