/* SPDX-License-Identifier: MIT
 * commit.c -- the record of a commit, as programs read it. */
#include "changes/commit.h"

#include <stdlib.h>

#include "base/status.h"
#include "changes/record.h"

struct strata_commit {
    st_buffer bytes;
    strata_commit_info info;
    st_record_reader start, reader;
};

strata_status st_commit_make(st_buffer *bytes, strata_commit **out, strata_error *error) {
    strata_commit *commit = calloc(1, sizeof *commit);
    if (commit == NULL) return st_no_memory(error, "reading the record of a commit");
    strata_status status =
        st_record_open((strata_bytes){ bytes->data, bytes->size }, &commit->info, &commit->start, error);
    if (status != STRATA_OK) {
        free(commit);
        return status;
    }
    commit->bytes = *bytes;
    *bytes = (st_buffer){ NULL, 0, 0 };
    commit->reader = commit->start;
    *out = commit;
    return STRATA_OK;
}

static strata_status no_commit(strata_error *error) {
    return st_fail(error, STRATA_MISUSE, 0, "the commit is NULL: there was no record, or it was not read");
}

strata_status strata_commit_get_info(const strata_commit *commit, strata_commit_info *out, strata_error *error) {
    if (commit == NULL) return no_commit(error);
    if (out->size != sizeof *out)
        return st_fail(error, STRATA_MISUSE, 0, "a strata_commit_info of %u bytes; make it with "
                       "strata_commit_info_blank()", (unsigned)out->size);
    *out = commit->info;
    return STRATA_OK;
}

strata_status strata_commit_next(strata_commit *commit, strata_delta *out, strata_error *error) {
    return commit == NULL ? no_commit(error) : st_record_next(&commit->reader, out, error);
}

void strata_commit_rewind(strata_commit *commit) {
    if (commit != NULL) commit->reader = commit->start;
}

const strata_commit_info *st_commit_info(const strata_commit *commit) { return &commit->info; }

size_t st_commit_size(const strata_commit *commit) { return commit == NULL ? 0 : commit->bytes.size; }

void strata_commit_free(strata_commit *commit) {
    if (commit == NULL) return;
    st_buffer_free(&commit->bytes);
    free(commit);
}
