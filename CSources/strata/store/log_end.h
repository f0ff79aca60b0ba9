/* SPDX-License-Identifier: MIT
 * log_end.h -- the end of the use of a log, so that a file that nobody has open is complete without it. */
#ifndef ST_STORE_LOG_END_H
#define ST_STORE_LOG_END_H

#include "strata.h"

/** Called before a store is closed, with no transaction open. Does nothing if the store neither used the log nor found
 * it left by others, or if somebody else writes now. If it fails, the next one to open the file puts back what the log
 * has; others who go on writing begin it again. */
void st_log_end(strata_store *store);

#endif
