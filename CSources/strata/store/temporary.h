/* SPDX-License-Identifier: MIT
 *
 * temporary.h -- files that are made under a temporary name and then put in place, complete or not at all.
 *
 * The name is ".strata-new-" and a number, in the directory where the file is to stay. The maker of a temporary file
 * holds a lock on it. A temporary file that nobody has locked was left behind by a process that died, and the next
 * maker removes it. */
#ifndef ST_STORE_TEMPORARY_H
#define ST_STORE_TEMPORARY_H

#include <sys/types.h>

#include "base/status.h"

typedef struct st_temporary {
    char *name;     /* NULL: none */
    int descriptor; /* open for reading and writing, or -1 */
} st_temporary;

/** Makes an empty file in the directory of `path`. `doing` is for messages. Ownership: ended with
 * st_temporary_end(). */
strata_status st_temporary_make(const char *path, mode_t mode, const char *doing, st_temporary *out,
                                strata_error *error);
/** Syncs the file, renames it to `path`, and syncs the directory. If there is a file at `path`, it is replaced only
 * with `replace`; otherwise this fails with STRATA_FILE_EXISTS. If only the sync of the directory fails, the file is in
 * place and `temporary->name` is NULL. */
strata_status st_temporary_put(st_temporary *temporary, const char *path, bool replace, const char *doing,
                               strata_error *error);
/** 0, or an errno; EEXIST if there is a file of that name. */
int st_rename_without_replacing(const char *from, const char *to);
/** Closes the file, and removes it unless it was put in place. */
void st_temporary_end(st_temporary *temporary);

#endif
