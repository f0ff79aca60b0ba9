/* SPDX-License-Identifier: MIT
 *
 * strata_status.h -- what functions return, and what they say when they fail.
 */
#ifndef STRATA_STATUS_H
#define STRATA_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__clang__)
#define STRATA_ENUM __attribute__((enum_extensibility(open)))
#else
#define STRATA_ENUM
#endif
#if defined(__GNUC__)
#define STRATA_CHECKED __attribute__((warn_unused_result))
#else
#define STRATA_CHECKED
#endif

typedef enum STRATA_ENUM strata_status {
    STRATA_OK = 0,
    STRATA_NOT_FOUND = 1,          /**< no such object, entry, table or column */
    STRATA_END = 2,                /**< a cursor has no further row */

    STRATA_MISUSE = -1,            /**< an argument or a call out of order; the message says which */
    STRATA_NO_MEMORY = -2,
    STRATA_IO = -3,                /**< the operating system failed; `system_code` is errno */
    STRATA_CORRUPT = -4,           /**< the file contradicts itself */
    STRATA_NOT_A_STORE = -5,       /**< the file is something else */
    STRATA_NEWER_FORMAT = -6,      /**< the file needs a newer library */
    STRATA_FILE_NOT_FOUND = -7,    /**< the file or its directory is missing */
    STRATA_PERMISSION = -8,
    STRATA_NOT_A_FILE = -9,        /**< a directory, a device, a path below a file, too long a name */
    STRATA_LINKED_FILE = -10,      /**< several hard links, or opened through two lock files */
    STRATA_REMOTE_FILE = -11,      /**< a network file system */
    STRATA_REPLACED_FILE = -12,    /**< deleted or replaced while open, or changed by a program with another lock file */
    STRATA_IN_USE = -13,           /**< open with other options, or by a second copy of this library */
    STRATA_DISK_FULL = -14,
    STRATA_SIZE_LIMIT = -15,       /**< the file reached the map size it was opened with: give a larger one, or
                                        delete objects, which has room kept for it: a 32nd and 64 KiB */
    STRATA_READERS_FULL = -16,     /**< too many snapshots at a time */
    STRATA_READ_ONLY = -17,
    STRATA_NOT_WRITING = -18,      /**< a change outside a write transaction */
    STRATA_WRITING = -19,          /**< a write transaction is already open on this view or thread */
    STRATA_WRONG_THREAD = -20,
    STRATA_AFTER_FORK = -21,       /**< a handle of the parent process */
    STRATA_CLOSED = -22,           /**< the view or store was closed */
    STRATA_DUPLICATE = -23,        /**< another object has this primary key */
    STRATA_REFERENCED = -24,       /**< something still links to the object */
    STRATA_TOO_LARGE = -25,        /**< a value over a limit of the headers */
    STRATA_TYPE = -26,             /**< a value that does not fit its column */
    STRATA_RANGE = -27,            /**< an index outside a list */
    STRATA_SCHEMA_MISMATCH = -28,  /**< the schema differs from the file's; needs a higher schema version */
    STRATA_SCHEMA_OLD = -29,       /**< the file has a higher schema version */
    STRATA_INVALID_SCHEMA = -30,   /**< the schema breaks a rule by itself */
    STRATA_COMMIT_UNKNOWN = -31,   /**< an I/O error while committing: the outcome is known after reopening */
    STRATA_POISONED = -32,         /**< an earlier I/O error; close every handle of the file and reopen */
    STRATA_FILE_EXISTS = -33,      /**< what would be created is there already */
    STRATA_CANCELLED = -34,        /**< the program said so: a callback, or strata_queued_write_cancel() */
    STRATA_OTHER_ABI = -35,        /**< the program was built with headers that this library does not fit */
    STRATA_BUSY = -36,             /**< others kept the file to themselves for longer than the caller could wait */
    STRATA_INTERRUPTED = -37,      /**< a query was told to end, or did not end in time: see strata_interrupt */
    STRATA_EXPIRED = -38,          /**< there is no record of the next commit: see strata_feed_next() */
    STRATA_OTHER_HISTORY = -39     /**< a token of another store, or of a commit that the file does not have */
} strata_status;

/** The name of a status, such as "STRATA_DUPLICATE". Lifetime: for ever. */
const char *strata_status_name(strata_status status);

/** What went wrong, for people. Owned by the caller. Its size never changes. */
typedef struct strata_error {
    strata_status status;
    int system_code;   /**< errno, or 0 */
    char message[500]; /**< UTF-8, zero-terminated: what was tried, on what, and the likely fix */
} strata_error;

#ifdef __cplusplus
}
#endif
#endif
