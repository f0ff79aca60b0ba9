/* SPDX-License-Identifier: MIT
 * copy.h -- copies of a whole store. */
#ifndef ST_STORE_COPY_H
#define ST_STORE_COPY_H

#include "store/handle.h"
#include "store/temporary.h"

/** Copies the newest commit of `env` into an empty temporary file and makes a store of its own of it. `path` and
 * `doing` are for messages. */
strata_status st_copy_make(MDB_env *env, const char *path, bool compact, const char *doing,
                           const st_temporary *temporary, strata_error *error);

#endif
