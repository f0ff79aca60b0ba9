/* SPDX-License-Identifier: MIT
 * foreign.h -- files of others, told apart by their first bytes. */
#ifndef ST_PAGE_FOREIGN_H
#define ST_PAGE_FOREIGN_H

#include "strata.h"

enum { ST_FOREIGN_BYTES = 64 /* that are looked at */ };

/** Whether the first bytes of a file are those of another kind, with no doubt. */
bool st_foreign_has_mark(const uint8_t *bytes, size_t size);
/** What a file that is no store is, and what to do with it, for a message. `size` is how many of its first bytes there
 * are, `file_size` how many it has. */
const char *st_foreign_name(const uint8_t *bytes, size_t size, uint64_t file_size);

#endif
