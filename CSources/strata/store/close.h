/* SPDX-License-Identifier: MIT
 *
 * close.h -- closing a store, and keeping it open.
 *
 * A store has holders: its handles, which count as one together, and each transaction that has not ended, and what the
 * layers above have open on it. It is closed when the last holder lets go of it, which may be after the last handle was
 * closed.
 */
#ifndef ST_STORE_CLOSE_H
#define ST_STORE_CLOSE_H

#include "strata.h"

/** Keeps a store open until it is let go. */
void st_store_hold(strata_store *store);
/** Ends what st_store_hold() began. The store may be gone afterwards. */
void st_store_let_go(strata_store *store);

/** Closes whatever is open of a store that is not in the registry, and frees it. NULL is allowed. */
void st_store_destroy(strata_store *store);

#endif
