/* SPDX-License-Identifier: MIT
 *
 * strata.h -- Strata, an embedded object database.
 *
 * Includes the headers of all that a program needs first. What remains is included by those who use it: strata_query.h,
 * strata_prepared.h, strata_facet.h, strata_queue.h, strata_observer.h, strata_predicate.h, strata_mixed.h,
 * strata_decimal.h and strata_blob.h.
 *
 * Conventions, which hold for every function:
 *
 *   Status     0 means done, a positive status is an answer (STRATA_NOT_FOUND), a negative one a failure.
 *   Errors     `error` may be NULL. If a call fails, it is filled in; otherwise it is not touched. Where STRATA_NOT_FOUND
 *              stands under "Fails", it says what was not found.
 *   Outputs    are always set; if the call fails, to NULL, 0 or empty, unless something else is said there.
 *   Addresses  may be NULL only where that is said, and those of arrays that have a count of 0. A value, a name or an
 *              array that is missing is a STRATA_MISUSE (in the declaration of a table STRATA_INVALID_SCHEMA), and so
 *              is a handle, or a row that is all zero. Functions without a status do nothing then, or answer 0,
 *              false, NULL or "", and what tells a schema version STRATA_NO_SCHEMA. Functions that step through many
 *              rows or entries or are compiled into the program do not look at that: cursors, strata_nested_next(),
 *              and what strata_row.h defines. Nobody looks at outputs and at the address of a row.
 *   Names      are UTF-8, with their length; if the type is `const char *`, zero-terminated.
 *   Handles    are closed or freed exactly once; NULL is allowed there.
 *   Misuse     of a handle (on a wrong thread, after its view was closed, after fork) is reported as a status,
 *              as far as it can be noticed. No function aborts the process.
 *
 * Compilers: the headers are C99 and C++11 with what gcc and clang add (attributes, __asm__), for little-endian
 * processors of 64 bits. The library itself is C11, and built with clang or gcc, 11 or newer.
 *
 * What may change without a new STRATA_ABI, and what may not:
 *
 *   Functions  are added, and never removed or given other parameters. Some are compiled into the program; those are
 *              described as such, and call a function whose name goes on with _sized or _as.
 *   Structs    that are passed with their size, or begin with a field `size`, may get fields at their end. So may those
 *              that the library makes and frees. A program has what its headers had; what it lacks is zero. All other
 *              structs keep their size and fields.
 *   Enums      may get values. A program must expect ones that it does not know among what it is given.
 */
#ifndef STRATA_H
#define STRATA_H

#include "strata_changes.h"
#include "strata_consumer.h"
#include "strata_collection.h"
#include "strata_copy.h"
#include "strata_cursor.h"
#include "strata_declaration.h"
#include "strata_export.h"
#include "strata_import.h"
#include "strata_log.h"
#include "strata_migration.h"
#include "strata_object.h"
#include "strata_row.h"
#include "strata_salvage.h"
#include "strata_schema.h"
#include "strata_status.h"
#include "strata_store.h"
#include "strata_value.h"
#include "strata_verify.h"
#include "strata_version.h"
#include "strata_view.h"
#include "strata_waiter.h"

#endif
