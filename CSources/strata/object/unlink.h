/* SPDX-License-Identifier: MIT
 *
 * unlink.h -- removing all links to an object, which may be ended early.
 */
#ifndef ST_OBJECT_UNLINK_H
#define ST_OBJECT_UNLINK_H

#include "strata_query.h"

/** strata_object_unlink(), which ends with STRATA_INTERRUPTED if the interrupt says so; then the write cannot be
 * committed. NULL: nothing ends it. */
strata_status st_object_unlink(strata_view *view, uint32_t table, uint64_t key, strata_interrupt *interrupt,
                               strata_error *error);

#endif
