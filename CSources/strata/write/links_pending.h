/* SPDX-License-Identifier: MIT
 *
 * links_pending.h -- how the pending changes alter the links to an object.
 */
#ifndef ST_WRITE_LINKS_PENDING_H
#define ST_WRITE_LINKS_PENDING_H

#include "table/view.h"

/** How the pending changes alter the number of links to an object; `*touched` if any concerns it at all. */
strata_status st_links_pending(strata_view *view, uint32_t table, uint64_t key, int64_t *change, bool *touched,
                               strata_error *error);

#endif
