/* SPDX-License-Identifier: MIT
 *
 * draft.h -- a file that is made in a folder beside its place, and gets there when it is complete.
 *
 * The name of the folder is ".strata-salvage-" and six letters. Its maker holds a lock on it. A folder that nobody has
 * locked was left behind by a process that died, and the next maker removes it.
 */
#ifndef ST_UPKEEP_DRAFT_H
#define ST_UPKEEP_DRAFT_H

#include "strata.h"

typedef struct st_draft {
    char *place;    /* where the file is to be, with all links resolved */
    char *folder;   /* NULL: there is none */
    char *file;     /* the draft */
    char *gathered; /* another file, which is not kept */
    int descriptor; /* of the folder, or -1 */
} st_draft;

/** Makes the folder. Neither of the two files is there yet. Ownership: `out` is ended by the caller, also after a
 * failure. Fails: STRATA_FILE_EXISTS (at the place, or a log beside it), STRATA_FILE_NOT_FOUND (the directory),
 * STRATA_PERMISSION, STRATA_DISK_FULL and others of the disk. */
strata_status st_draft_make(const char *place, st_draft *out, strata_error *error);
/** Moves the draft, which nobody has open, to its place, and makes that durable. Fails: STRATA_FILE_EXISTS, and as
 * above; then nothing is there. */
strata_status st_draft_put(st_draft *draft, strata_error *error);
/** Removes the folder and what is in it. */
void st_draft_end(st_draft *draft);

#endif
