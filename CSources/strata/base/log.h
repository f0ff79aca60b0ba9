/* SPDX-License-Identifier: MIT
 *
 * log.h -- tells the program what happens: see strata_log_set().
 */
#ifndef ST_BASE_LOG_H
#define ST_BASE_LOG_H

#include "strata.h"

/** Tells the program, if it wants to know of events of this level. */
void st_log(strata_log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));
/** The same of an event that programs can tell by its subject. */
void st_log_about(strata_log_subject subject, strata_log_level level, const char *message);
/** Would it be told? */
bool st_logs(strata_log_level level);

#endif
