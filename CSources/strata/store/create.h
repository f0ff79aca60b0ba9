/* SPDX-License-Identifier: MIT
 *
 * create.h -- a new store file, complete or not at all.
 */
#ifndef ST_STORE_CREATE_H
#define ST_STORE_CREATE_H

#include <sys/types.h>

#include "strata.h"

/** Creates the store file `path`. If `empty` is not -1, it is a descriptor of an empty file at that path, which the
 * store replaces. STRATA_OK also if somebody else created a file there first, or does so now; `*out_busy` says that. */
strata_status st_file_create(const char *path, int empty, mode_t mode, bool *out_busy, strata_error *error);

#endif
