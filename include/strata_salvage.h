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
    STRATA_SALVAGE_OLD = 1 /**< where the newest state of an object is lost, also an older one that still lies on a free
                                page; objects that were deleted may come back */
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
    void *context;             /**< of both */
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
    bool has_counts;       /**< the file still says how many objects of each class there were */
} strata_salvage_report;

/**
 * Writes what can be read of a damaged file into a new one.
 *
 * All pages of the file are looked at, whether its trees still lead to them or not. Objects of which a part is damaged
 * are kept without that part, and links to objects that are lost are null. The damaged file is read only, and nobody
 * may have it open meanwhile. The new file is a sound one of its own, with indexes and links. Beside it the disk must
 * have room for another file of its size, `target` with ".gathered" behind it, which is gone at the end.
 *
 * @param options  may be NULL
 * @param out      may be NULL; filled in after a failure, too, as far as the work had come
 * Compiled into the program. Fails, and leaves no new file: STRATA_FILE_EXISTS (the new file), STRATA_IN_USE,
 *   STRATA_NOT_A_STORE, STRATA_CORRUPT (no copy of the schema is left), STRATA_CANCELLED, STRATA_MISUSE, and as
 *   creating a store and writing to it does.
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
