/* SPDX-License-Identifier: MIT
 *
 * gather.h -- what the pages of a damaged file still hold, gathered into a new file.
 *
 * The new file has the catalog, rows, long collections and large values. It has no entries in indexes and links, and
 * what rows refer to may be missing. So it is only good for reading objects by their keys.
 */
#ifndef ST_UPKEEP_GATHER_H
#define ST_UPKEEP_GATHER_H

#include "strata.h"
#include "strata_salvage.h"
#include "upkeep/found_rows.h"

typedef struct st_gather_options {
    const strata_table_spec *tables; /* the schema, if the file has no copy of it any more; NULL: there is none */
    uint32_t table_count;
    uint64_t schema_version;
    bool old; /* what free pages hold of earlier commits, too */
    strata_progress progress; /* told of pages; false stops it; may be NULL */
    void *context;            /* of it */
} st_gather_options;

typedef struct st_gathered {
    uint64_t pages;         /* of the damaged file */
    uint64_t broken_pages;  /* to which trees lead */
    uint64_t orphans;       /* blocks of rows on pages to which nothing leads any more */
    uint64_t doubtful;      /* rows of which nothing says which copy is the newest */
    uint64_t unplaced;      /* blocks of rows of which nothing says whose they are */
    uint64_t uncertain;     /* blocks and pieces that may be of an earlier commit */
    bool has_counts;        /* how many objects there were is known of every table */
    bool declared;          /* the schema is that of the options */
    uint32_t log;           /* STRATA_SALVAGE_LOG_... */
    uint64_t log_commits;   /* that were taken from it */
    st_old_rows old;        /* freed by the caller, also after a failure: free(old.items) */
} st_gathered;

/** Gathers from `path`, which nobody may have open, and which is only read. `target` does not exist yet; after a
 * failure it may. Fails: STRATA_IN_USE, STRATA_NOT_A_STORE, STRATA_CORRUPT (no copy of the schema is left),
 * STRATA_CANCELLED, and as creating and writing a store does. */
strata_status st_gather(const char *path, const char *target, const st_gather_options *options, st_gathered *out,
                        strata_error *error);

#endif
