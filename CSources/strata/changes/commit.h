/* SPDX-License-Identifier: MIT
 * commit.h -- the record of a commit, or of a write that is still open, as programs read it. */
#ifndef ST_CHANGES_COMMIT_H
#define ST_CHANGES_COMMIT_H

#include "base/buffer.h"
#include "strata_changes.h"

/** Makes a commit of the bytes of its record, which it takes unless it fails. */
strata_status st_commit_make(st_buffer *bytes, strata_commit **out, strata_error *error);
/** What is known of it. */
const strata_commit_info *st_commit_info(const strata_commit *commit);
/** The bytes of the record of a commit; 0 of NULL. */
size_t st_commit_size(const strata_commit *commit);

#endif
