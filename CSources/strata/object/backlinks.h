/* SPDX-License-Identifier: MIT
 *
 * backlinks.h -- who links to an object.
 */
#ifndef ST_OBJECT_BACKLINKS_H
#define ST_OBJECT_BACKLINKS_H

#include "table/link_index.h"
#include "table/view.h"

/** Flushes the write if a link to the object was changed: then its link indexes have all links to it. */
strata_status st_backlinks_flush(strata_view *view, uint32_t table, uint64_t key, strata_error *error);

/** The same, and the link index that has the links to the object through a column. Fails with STRATA_MISUSE if that does
 * not link to the table of the object. */
strata_status st_backlinks_find(strata_view *view, uint32_t table, uint64_t key, uint32_t origin_table,
                                uint32_t origin_column, st_posting_set *out, strata_error *error);

#endif
