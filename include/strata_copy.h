/* SPDX-License-Identifier: MIT
 *
 * strata_copy.h -- copies of stores, their compaction, and files that go or are replaced by a copy.
 */
#ifndef STRATA_COPY_H
#define STRATA_COPY_H

#include "strata_view.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    STRATA_BACKUP_COMPACT = 1,  /**< leaves free space out; takes longer */
    STRATA_BACKUP_COMMITTED = 2 /**< also while this thread has a write open, whose changes are not in the copy */
};

/**
 * Copies the newest commit to a new file, while others read and write.
 *
 * The copy is complete and durable when it appears at `path`; otherwise nothing appears. It has the permissions 0600.
 * Changes of a write that is open are not in it. A snapshot is held while the file is copied. Writers are not waited
 * for. Where the file system lets files share blocks (XFS, Btrfs), a copy without STRATA_BACKUP_COMPACT takes neither
 * time nor room, whatever its size; elsewhere the disk must have room for it.
 * Fails: STRATA_FILE_EXISTS, STRATA_WRITING (this thread has a write open), STRATA_DISK_FULL, STRATA_FILE_NOT_FOUND
 *   (the directory), STRATA_PERMISSION, STRATA_IO, ...
 */
STRATA_CHECKED strata_status strata_store_backup(strata_store *store, const char *path, uint32_t flags,
                                                 strata_error *error);

/** Writes the copy, not compacted, to a file, pipe or socket that is open for writing, and leaves that open. After a
 * failure the bytes that were written are worthless. Fails: as strata_store_backup() does. */
STRATA_CHECKED strata_status strata_store_backup_to(strata_store *store, int descriptor, strata_error *error);

/**
 * Writes what a view shows to a new file without free space: in a write transaction with its changes, which need not be
 * committed. The file has a name of its own among commits, and no records of commits.
 *
 * It appears complete and durable at `path`, or not at all. Fails: as strata_store_backup() does.
 */
STRATA_CHECKED strata_status strata_view_copy(strata_view *view, const char *path, strata_error *error);

/** Sizes of a file before and after it was compacted. */
typedef struct strata_compaction {
    uint64_t old_size, new_size;
} strata_compaction;

/**
 * Rewrites a file without its free space. Nobody may have it open, in this process or another.
 *
 * The new file is complete and durable when it replaces the old one; otherwise the old one stays. The permissions stay,
 * too. The disk must have room for the new file beside the old one. Meanwhile who opens the file waits, and this
 * process cannot open or close any store. `config` is as for strata_store_open(); `out` may be NULL.
 *
 * Compiled into the program. Fails: STRATA_IN_USE, STRATA_DISK_FULL, and as strata_store_open() does.
 */
STRATA_CHECKED strata_status strata_compact_sized(const strata_config *config, strata_compaction *out, size_t size,
                                                  strata_error *error);
STRATA_CHECKED static inline strata_status strata_compact(const strata_config *config, strata_compaction *out,
                                                          strata_error *error) {
    return strata_compact_sized(config, out, sizeof *out, error);
}

/**
 * Deletes a file, its lock file and its log. Nobody may have it open, in this process or another: what they commit
 * would be lost. It need not be a store. A process that ends meanwhile leaves the file, complete, or nothing at `path`.
 *
 * Fails: STRATA_IN_USE, STRATA_FILE_NOT_FOUND, STRATA_NOT_A_FILE, STRATA_LINKED_FILE, STRATA_PERMISSION, STRATA_IO, ...
 */
STRATA_CHECKED strata_status strata_file_delete(const char *path, strata_error *error);

/**
 * Puts a copy of a file in its place, on the same disk: the copy gets the name `path`, and what was there is gone, its
 * log included. Nobody may have either of them open, in this process or another. There need not be a file at `path`.
 * A copy that was not closed by who wrote it last first gets the commits that its own log has, as when it is opened.
 *
 * A process that ends meanwhile leaves the file or the copy at `path`, or, where no file was, an empty one, which counts
 * as none to strata_store_open(). Fails: STRATA_IN_USE, STRATA_FILE_NOT_FOUND (the copy), STRATA_CORRUPT,
 * STRATA_REPLACED_FILE (the log of the copy is missing, or is not its own), and as strata_file_delete() does; what was
 * at `path` is then still there.
 */
STRATA_CHECKED strata_status strata_file_replace(const char *path, const char *copy, strata_error *error);

#ifdef __cplusplus
}
#endif
#endif
