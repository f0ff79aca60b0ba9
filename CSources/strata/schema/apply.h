/* SPDX-License-Identifier: MIT
 *
 * apply.h -- making a file hold the tables that a program declares.
 */
#ifndef ST_SCHEMA_APPLY_H
#define ST_SCHEMA_APPLY_H

#include "table/view.h"

/** Fails with STRATA_SCHEMA_MISMATCH, and says that the file belongs to another program. */
strata_status st_schema_leave_to_owner(const strata_view *view, uint64_t version, strata_error *error);

#endif
