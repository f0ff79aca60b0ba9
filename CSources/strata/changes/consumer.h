/* SPDX-License-Identifier: MIT
 * consumer.h -- consumers: what they have of the commits. */
#ifndef ST_CHANGES_CONSUMER_H
#define ST_CHANGES_CONSUMER_H

#include "changes/journal.h"

/** Fails: STRATA_MISUSE. */
strata_status st_consumer_check_name(const char *name, strata_error *error);
/** Reads a consumer. STRATA_NOT_FOUND says so in the message, too. Fails: STRATA_EXPIRED, ... */
strata_status st_consumer_find(st_txn *txn, const char *name, st_journal_consumer *out, strata_error *error);

#endif
