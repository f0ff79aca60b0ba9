/* SPDX-License-Identifier: MIT
 *
 * hop.h -- from objects to those that they link to, and back.
 *
 * A hop goes through a column of the object, or against one through which others link to it.
 */
#ifndef ST_OBSERVE_HOP_H
#define ST_OBSERVE_HOP_H

#include "base/key_set.h"
#include "strata_changes.h"
#include "table/view.h"

typedef struct st_hop {
    uint32_t table;  /* of the object where it begins */
    uint32_t column; /* of that table, or of `origin`; ST_NONE: every column of it */
    uint32_t origin; /* the table of those that link here through `column`; ST_NONE: `column` is the object's own */
    uint32_t target; /* the table of the objects to which it leads, or ST_NONE */
} st_hop;

/** What follows hops, and how much it looked at. */
typedef struct st_walker {
    strata_view *view;
    strata_error *error;
    uint64_t *rows_visited;
} st_walker;

/** Adds the objects to which a hop leads from an object. Fails: STRATA_NO_MEMORY, ... */
strata_status st_hop_forward(st_walker *walker, const st_hop *hop, uint64_t key, st_key_set *out);
/** Adds the objects from which a hop leads to an object. */
strata_status st_hop_backward(st_walker *walker, const st_hop *hop, uint64_t key, st_key_set *out);

/** Whether a change of an object is one of what the hop goes through. */
bool st_hop_concerns(const st_hop *hop, const strata_delta *delta);

#endif
