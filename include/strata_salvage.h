/* SPDX-License-Identifier: MIT
 *
 * strata_salvage.h -- what can be read of a damaged file, written into a new one.
 */
#ifndef STRATA_SALVAGE_H
#define STRATA_SALVAGE_H

#include "strata_declaration.h"
#include "strata_verify.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    STRATA_SALVAGE_OLD = 1,    /**< where the newest state of an object is lost, also an older one that still lies on a
                                    free page, with its large values and long collections as they are now; objects that
                                    were deleted may come back */
    STRATA_SALVAGE_DRY_RUN = 2 /**< all is done and told, but the new file gets no name, and is gone at the end */
};

/** What became of the log beside a file whose commits go to one (STRATA_DURABILITY_LOGGED and DEFERRED). */
enum {
    STRATA_SALVAGE_LOG_NONE,    /**< nothing of the file is in a log */
    STRATA_SALVAGE_LOG_USED,    /**< its commits are in the new file, as if the damaged one had been opened */
    STRATA_SALVAGE_LOG_DAMAGED, /**< it is that of the file, and some or all of its commits cannot be read, or do not
                                     lead up to what the file holds: the newest changes may be lost */
    STRATA_SALVAGE_LOG_FOREIGN, /**< it is that of another file, and was not used */
    STRATA_SALVAGE_LOG_MISSING  /**< the newest commits of the file went to a log which is not there */
};

/** What became of the objects of one class. */
typedef struct strata_salvaged {
    const char *table;
    uint64_t counted; /**< how many there were, if the file still says so; otherwise how many were found */
    uint64_t saved;   /**< those that are in the new file */
    uint64_t partly;  /**< of those: some property could not be read, and is null, zero or empty */
} strata_salvaged;

/** Told of each class that is not embedded, when it is done. Must not use the new file. */
typedef void (*strata_salvage_told)(void *context, const strata_salvaged *table);

/** How to salvage: strata_salvage_options_blank(), then the fields that matter. */
typedef struct strata_salvage_options {
    uint32_t size;
    uint32_t flags;            /**< STRATA_SALVAGE_... */
    const strata_declaration *declaration; /**< what the objects were written with, its classes in the order in which
                                                they came into the file: used only if the file has no copy of its
                                                schema any more; may be NULL */
    strata_salvage_told told;  /**< may be NULL, as may be the next one */
    strata_progress progress;  /**< told of objects; false stops it */
    void *context;             /**< of all three */
    strata_progress looking;   /**< told of pages that are looked at, before the first object is written; how many there
                                    are to look at is 0 until that is known; false stops it. May be NULL */
} strata_salvage_options;

/** Zeros, and the size. */
static inline strata_salvage_options strata_salvage_options_blank(void) {
    strata_salvage_options options;
    memset(&options, 0, sizeof options);
    options.size = (uint32_t)sizeof options;
    return options;
}

/** What was found in a damaged file. May get fields at its end. */
typedef struct strata_salvage_report {
    uint64_t pages;        /**< of the damaged file */
    uint64_t broken_pages; /**< of trees: those that could not be read */
    uint64_t orphans;      /**< blocks of objects to which no tree leads any more, found by looking at all pages */
    uint64_t doubtful;     /**< objects of which several states were found, and nothing says which is the newest */
    uint64_t unplaced;     /**< blocks of objects, each of some dozen, that several classes could have: they are lost */
    uint64_t counted, saved, partly; /**< as above, of all classes */
    bool declared;         /**< the schema is the declaration of the options: the file has none any more */
    bool has_counts;       /**< the file still says how many objects of each class its newest commit had */
    uint32_t log;          /**< STRATA_SALVAGE_LOG_... */
    uint64_t log_commits;  /**< so many commits were taken from the log */
    uint64_t uncertain;    /**< blocks of objects and long lists, and pieces of large values, that may be of an earlier
                                commit, since the list of free pages is damaged, too: objects that were deleted may be
                                back, and others as they were before */
} strata_salvage_report;

/**
 * Writes what can be read of a damaged file into a new one.
 *
 * All pages of the file are looked at, whether its trees still lead to them or not. Objects of which a part is damaged
 * are kept without that part, and links to objects that are lost are null. Commits that only its log has count, too.
 * Everything was saved as it was if the report has all counts, as many objects saved as counted, and none in part,
 * unplaced or uncertain, and no log that is damaged, foreign or missing. What is only a wrong value nobody can tell.
 * The damaged file and its log are only read, and nobody may have the file open meanwhile. Objects get new object keys,
 * also if nothing is damaged; in their order, an object that others link to may come earlier than it did.
 *
 * The new file is a sound one of its own, with indexes and links. It is made in a folder beside `target`, where the
 * disk must have room for twice its size, and gets its name when it is complete. The folder, whose name begins with
 * ".strata-salvage-", is gone at the end; that of a process that died is removed by the next one that salvages there.
 *
 * @param options  may be NULL
 * @param out      may be NULL; filled in after a failure, too, as far as the work had come
 * Compiled into the program. Fails, and leaves no new file: STRATA_FILE_EXISTS (the new file, or a log
 *   beside it), STRATA_IN_USE, STRATA_NOT_A_STORE, STRATA_CORRUPT (no copy of the schema is left), STRATA_CANCELLED,
 *   STRATA_MISUSE, and as creating a store and writing to it does.
 */
STRATA_CHECKED strata_status strata_salvage_sized(const char *path, const char *target,
                                                  const strata_salvage_options *options, strata_salvage_report *out,
                                                  size_t size, strata_error *error);
STRATA_CHECKED static inline strata_status strata_salvage(const char *path, const char *target,
                                                          const strata_salvage_options *options,
                                                          strata_salvage_report *out, strata_error *error) {
    return strata_salvage_sized(path, target, options, out, sizeof *out, error);
}

#ifdef __cplusplus
}
#endif
#endif
