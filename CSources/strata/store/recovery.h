/* SPDX-License-Identifier: MIT
 *
 * recovery.h -- puts the commits that only the log has back into the data file.
 *
 * While commits go to the log, the data file is flushed only now and then. After a power cut any of the pages written
 * since may be missing from it, the meta pages too. All of them are in the log, so whoever opens the file, with nobody
 * else there, writes them once more. If there was no power cut, that changes nothing, or drops a commit that was not
 * acknowledged, because its record had not been written.
 */
#ifndef ST_STORE_RECOVERY_H
#define ST_STORE_RECOVERY_H

#include "strata.h"

/** Puts back what the log of a file has. Called before anything else looks at the file, by whoever keeps all others
 * from opening it. `read_only` fails if there is something to put back.
 * Fails: STRATA_READ_ONLY, STRATA_REPLACED_FILE if the log is not that of the file, STRATA_IO, STRATA_PERMISSION,
 *   STRATA_DISK_FULL, STRATA_NO_MEMORY. */
strata_status st_recover(int file, const char *path, bool read_only, strata_error *error);
/** Fails with STRATA_CORRUPT if commits of the file went to a log that is not there any more. Called after
 * st_recover(), and after the header record was found to be sound. */
strata_status st_recovery_check(int file, const char *path, strata_error *error);
/** Whether the header record of a file has another UUID. False if there is none. */
bool st_recovery_is_another(int file, const char *path, const uint8_t uuid[16]);
/** Whether the header record of a file says that its commits go to a log. False if there is none. */
bool st_recovery_is_logged(int file, const char *path);

#endif
