/* SPDX-License-Identifier: MIT
 * copy.h -- copies of a whole store. */
#ifndef ST_STORE_COPY_H
#define ST_STORE_COPY_H

#include "store/state.h"
#include "store/temporary.h"

/** Opens LMDB once more on a file, to read it without any lock. Nobody else has the file open, or the caller holds a
 * snapshot of it, which keeps the pages of later commits, too. Returns LMDB's code. */
int st_copy_open(const char *path, uint64_t map_size, MDB_env **out);
/** Copies the newest commit of `env`, without free space, into an empty temporary file, and turns that into a store of
 * its own. `path` and `doing` are for messages. */
strata_status st_copy_compact(MDB_env *env, const char *path, const char *doing, const st_temporary *temporary,
                              strata_error *error);

/** Turns a file that LMDB has written into a store of its own: checks its pages, and gives it the commits that every
 * new file has. */
strata_status st_copy_finish(const st_temporary *temporary, const char *path, const char *doing, strata_error *error);
/** Makes a file that nobody else has open complete without its log, durably; does nothing to one that is so, or is no
 * store. Fails: as st_recover() does; STRATA_CORRUPT, STRATA_DISK_FULL, STRATA_IO, STRATA_NO_MEMORY. */
strata_status st_copy_leave_log(int file, const char *path, const char *doing, strata_error *error);
/** Translates a code of LMDB or errno. */
strata_status st_copy_fail(strata_error *error, int code, const char *path, const char *doing);

#endif
