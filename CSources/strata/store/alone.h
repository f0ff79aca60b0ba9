/* SPDX-License-Identifier: MIT
 * alone.h -- files that nobody else uses. */
#ifndef ST_STORE_ALONE_H
#define ST_STORE_ALONE_H

#include "store/file.h"

/** Opens a file that nobody has open, and keeps everybody from opening it until `out->descriptor` is closed. Called
 * with the lock of the registry held. `doing` begins messages. Fails: STRATA_FILE_NOT_FOUND, STRATA_IN_USE, and as
 * st_file_open() does. */
strata_status st_file_open_alone(const char *path, bool allow_remote, const char *doing, st_file *out,
                                 strata_error *error);
/** The same of a file that is only read, with the lock of the registry taken meanwhile. Where this process may not
 * write the file, it can keep nobody out. */
strata_status st_file_read_alone(const char *path, const char *doing, st_file *out, strata_error *error);

#endif
