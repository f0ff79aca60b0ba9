/* SPDX-License-Identifier: MIT
 *
 * interrupt.h -- what tells a query, or other long work, to end: a word from another thread, a deadline, a number of
 * steps.
 *
 * Any thread changes an interrupt, and the thread of a view looks at it every few thousand steps. Each member is read
 * and written by itself; no two have to agree.
 */
#ifndef ST_BASE_INTERRUPT_H
#define ST_BASE_INTERRUPT_H

#include <stdint.h>

#include "strata_query.h"

/** Adds steps, and says whether the query that took them has to end. NULL: never. Fails: STRATA_INTERRUPTED. */
strata_status st_interrupt_check(strata_interrupt *interrupt, uint64_t steps, strata_error *error);
/** The same of other work: "an export". */
strata_status st_interrupt_check_work(strata_interrupt *interrupt, uint64_t steps, const char *work,
                                      strata_error *error);
/** Says whether a sort may take so many bytes. NULL: any. Fails: STRATA_INTERRUPTED. */
strata_status st_interrupt_check_bytes(const strata_interrupt *interrupt, uint64_t bytes, strata_error *error);
/** How many steps may be taken until the next look. */
uint32_t st_interrupt_grant(const strata_interrupt *interrupt);

#endif
