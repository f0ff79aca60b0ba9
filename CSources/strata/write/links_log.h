/* SPDX-License-Identifier: MIT
 *
 * links_log.h -- links as they are changed.
 *
 * Invariant: for every link column, the set of its link index equals the (target, origin) pairs of the stored rows;
 * together with the logged changes it equals those of the pending rows.
 */
#ifndef ST_WRITE_LINKS_LOG_H
#define ST_WRITE_LINKS_LOG_H

#include "table/link_index.h"
#include "table/view.h"

/** Logs that `origin` now links to `target`, a number of st_link_number(), or no longer does, through a column. */
strata_status st_links_log(strata_view *view, const st_column *column, uint64_t target, uint64_t origin, bool added,
                           strata_error *error);
/** The same for every link of a value, of which a nested one may have many. */
strata_status st_links_log_value(strata_view *view, const st_column *column, const strata_value *value,
                                 uint64_t origin, bool added, strata_error *error);

#endif
