/* SPDX-License-Identifier: MIT
 *
 * lmdb_status.h -- the calls of LMDB are counted, and its codes are turned into ours. No MDB_ code gets out of this
 * folder.
 */
#ifndef ST_STORE_LMDB_STATUS_H
#define ST_STORE_LMDB_STATUS_H

#include "strata.h"

extern _Thread_local uint64_t st_lmdb_calls;

/** Counts a call of LMDB and passes its result on. */
static inline int st_called(int code) {
    st_lmdb_calls++;
    return code;
}

/** How many calls of LMDB, and moves in trees of snapshots, this thread has made; for tests that assert on costs. */
uint64_t st_store_calls(void);

/** The code that LMDB returned from a change or a commit, but ENOSPC in place of the EIO that stands for a short write.
 * Called with errno as LMDB left it. */
int st_lmdb_write_code(int code);

/** Translates a code of LMDB or errno, with a message that begins with `doing` and names the file. */
strata_status st_lmdb_fail(strata_error *error, int code, const strata_store *store, const char *doing);
/** The same for a path and errno. */
strata_status st_errno_fail(strata_error *error, int code, const char *path, const char *doing);
/** The same where a file is opened, of which reading it alone needs less. */
strata_status st_open_fail(strata_error *error, int code, const char *path, bool read_only, const char *doing);
/** How many bytes its disk has for it. */
uint64_t st_disk_free(const strata_store *store);
/** By how many bytes the file can grow on its disk, and within the process's file size limit. */
uint64_t st_disk_room(const strata_store *store);
/** After EIO: is the disk full, or the process's file size limit reached? The signal SIGXFSZ, which a file size limit
 * also raises, is the program's to ignore. */
bool st_disk_is_full(const strata_store *store);

#endif
