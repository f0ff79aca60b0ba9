/* SPDX-License-Identifier: MIT
 *
 * links_pending.h -- how many links to an object the pending changes add or remove.
 */
#ifndef ST_WRITE_LINKS_PENDING_H
#define ST_WRITE_LINKS_PENDING_H

#include "table/view.h"

/** How much the number of links to an object differs from the stored one; `*touched` tells whether any change concerns
 * it, even if they cancel out. Fails: STRATA_NO_MEMORY. */
strata_status st_links_pending(strata_view *view, uint32_t table, uint64_t key, int64_t *change, bool *touched,
                               strata_error *error);

#endif
