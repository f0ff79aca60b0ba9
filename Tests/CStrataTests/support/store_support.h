/* SPDX-License-Identifier: MIT
 * store_support.h -- short words for tests of stores and transactions. */
#ifndef STORE_SUPPORT_H
#define STORE_SUPPORT_H

#include <sys/types.h>

#include <string.h>

#include "strata.h"
#include "tests.h"

static inline strata_bytes bytes(const void *data, size_t size) { return (strata_bytes){ data, size }; }
static inline strata_bytes text(const char *text) { return bytes(text, strlen(text)); }

/** Open, or the test fails with the message of the error. */
strata_store *must_open_with(const strata_config *config);
strata_store *must_open(const char *path);
/** What opening a path fails with; closes what opened against all expectation. */
strata_status open_status(const char *path, uint32_t flags, strata_error *error);

/** One entry of ST_ROWS, in a transaction of its own. */
void must_write(strata_store *store, const char *key, const char *value);
strata_status try_write(strata_store *store, const char *key, strata_bytes value, strata_error *error);
void must_hold(strata_store *store, const char *key, const char *value);
void must_lack(strata_store *store, const char *key);

/** A counter in ST_ROWS. */
uint64_t read_counter(strata_store *store);
/** Adds one to it, in a transaction of its own. */
void add_to_counter(strata_store *store);

/** A file in the directory of the test, its log, and another file. */
typedef struct log_paths {
    char file[600], log[610], other[600];
} log_paths;
log_paths log_paths_make(void);

/** Copies a file; what was there is overwritten. */
void copy_file(const char *from, const char *to);
/** Changes one bit of the byte at an offset. */
void flip_byte(const char *path, off_t at);

/** Finds the header record in a file that is closed, changes one 16-bit field of all its copies, and makes their
 * checksums right. */
void patch_header(const char *path, size_t at, uint16_t value, bool with_checksum);

#endif
