/* SPDX-License-Identifier: MIT
 * status.h -- reporting failures. */
#ifndef ST_BASE_STATUS_H
#define ST_BASE_STATUS_H

#include "strata.h"

/** Fills `error`, if there is one, with a formatted message, and returns `status`. */
strata_status st_fail(strata_error *error, strata_status status, int system_code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/** The usual message for a failed allocation while `doing` something. */
strata_status st_no_memory(strata_error *error, const char *doing);

/** Does an errno say that the disk, the quota or the file size limit of the process is used up? */
bool st_is_about_room(int code);

#endif
