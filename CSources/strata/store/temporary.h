/* SPDX-License-Identifier: MIT
 *
 * temporary.h -- files that are made under a temporary name and then put in place, complete or not at all.
 *
 * The name, ".strata-new-" and a number, stands in the directory the file will stay in. While it is being made its
 * maker holds a lock on it; one that nobody holds was left behind by a process that died, and the next maker removes
 * it. */
#ifndef ST_STORE_TEMPORARY_H
#define ST_STORE_TEMPORARY_H

#include <sys/types.h>

#include "base/status.h"

typedef struct st_temporary {
    char *name;     /* NULL: none */
    int descriptor; /* open for reading and writing, or -1 */
} st_temporary;

/** Makes an empty file beside `path`. `doing` is for messages. Ownership: given up with st_temporary_end(). */
strata_status st_temporary_make(const char *path, mode_t mode, const char *doing, st_temporary *out,
                                strata_error *error);
/** Syncs the file and gives it the name `path`, durably. Unless it may `replace`, an existing file stays as it is, and
 * that is STRATA_FILE_EXISTS. If only making that durable fails, the file is in place and the temporary has no name. */
strata_status st_temporary_put(st_temporary *temporary, const char *path, bool replace, const char *doing,
                               strata_error *error);
/** Closes the file, and removes it if it was not put in place. */
void st_temporary_end(st_temporary *temporary);

#endif
