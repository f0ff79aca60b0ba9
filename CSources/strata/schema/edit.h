/* SPDX-License-Identifier: MIT
 *
 * edit.h -- changing the catalog inside of a write.
 *
 * The view that writes has a catalog of its own afterwards, until the write ends: nobody else sees it before the
 * commit, and a cancelled write takes it along.
 */
#ifndef ST_SCHEMA_EDIT_H
#define ST_SCHEMA_EDIT_H

#include "table/view.h"

/** Stores everything that is pending, and gives out a copy of the catalog to change. Ownership: goes to
 * st_schema_edit_end(). */
strata_status st_schema_edit_begin(strata_view *view, st_catalog **out, strata_error *error);

/** Stores the changed copy, which must be complete, and has the view use it, if `status` is STRATA_OK; otherwise frees
 * it, and the write can only be cancelled. Returns the first failure. */
strata_status st_schema_edit_end(strata_view *view, st_catalog *catalog, strata_status status, strata_error *error);

#endif
