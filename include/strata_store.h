/* SPDX-License-Identifier: MIT
 *
 * strata_store.h -- stores: files, and figures about them.
 *
 * A store is one file. A process has it open once: opening it again returns the same handle, which must then be closed
 * once more. Next to the file is FILE-lock, which must stay with it.
 * Thread: a store may be used from every thread, but not across a fork: a child process must open it again.
 */
#ifndef STRATA_STORE_H
#define STRATA_STORE_H

#include "strata_row.h"
#include "strata_version.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct strata_store strata_store;

enum {
    STRATA_OPEN_READ_ONLY = 1,    /**< never writes; the file must exist. The lock file must be writable */
    STRATA_OPEN_ALLOW_REMOTE = 2, /**< the caller promises that only one machine uses the file */
    STRATA_OPEN_NO_CREATE = 4,    /**< the file must exist */
    STRATA_OPEN_CHECK_PAGES = 8,  /**< reads the whole file first and refuses it if its pages are damaged. Without this
                                       flag that is noticed where somebody reads, and before the first write. Does
                                       nothing if the store is open in this process already */
    STRATA_OPEN_AS_IT_IS = 16     /**< if the store is open in this process already, it is shared however it was opened:
                                       for writing or not, and with whichever durability */
};

/** What a power cut may take of the commits that were acknowledged. When only the process ends, in whatever way, no
 * commit is lost. In all cases the file stays intact. */
typedef enum STRATA_ENUM strata_durability {
    STRATA_DURABILITY_FULL = 0,   /**< nothing */
    STRATA_DURABILITY_RELAXED = 1,/**< the last commit. The system may keep it in memory until the next commit of any
                                       process, strata_store_flush(), or the last strata_store_close(). A commit waits
                                       for the disk once instead of twice */
    STRATA_DURABILITY_LOGGED = 2, /**< nothing, either; and a commit of up to 1,024 pages waits for the disk once. Its
                                       pages are appended to the file `path`-log, which belongs to the store: after a
                                       crash it is needed to open the store, and the first to do so may not be
                                       read-only. While one process uses the log, all that write do. A snapshot of
                                       another thread or process may show a commit shortly before it is durable. Where
                                       there can be no log, as on a file that may lie on another machine, this is the
                                       same as STRATA_DURABILITY_FULL */
    STRATA_DURABILITY_DEFERRED = 3 /**< the commits of about the last second, the newest first. A commit waits for
                                       nothing. As STRATA_DURABILITY_LOGGED, but a thread of the library flushes the log
                                       within a second, as do strata_store_flush(), the next commit of another process,
                                       and the last strata_store_close(). If that fails, the store is poisoned. Where
                                       there can be no log or no thread, commits are durable */
} strata_durability;

/** How to open a store: strata_config_blank(), then the fields that matter. */
typedef struct strata_config {
    uint32_t size;
    uint32_t flags;           /**< STRATA_OPEN_... */
    const char *path;         /**< the file; NULL for a store in memory */
    const char *memory_name;  /**< the name of a store in memory. The whole process shares it under this name, and it is
                                   gone when its last handle is closed */
    uint64_t map_size;        /**< the largest size of the file in bytes; 0 = 64 GiB, or what the machine can map, but not
                                   less than 64 MiB, nor than the file and an eighth of it */
    uint32_t max_readers;     /**< how many snapshots there can be at a time, over all processes, at most
                                   STRATA_MAX_READERS; 0 = 8192. Each takes 64 bytes of the lock file; deferred
                                   durability adds two for the store itself. Who opens the file first decides, and a
                                   lock file that was made for more keeps its room: `max_snapshots` of
                                   strata_store_stats tells what is in force */
    uint32_t mode;            /**< permissions of a new file; 0 = 0600 */
    strata_durability durability; /**< for the commits of this process; other processes may choose another one. Has no
                                       meaning for a store in memory or a read-only one */
    uint32_t wait;            /**< milliseconds that whatever has to wait for others may take before it fails with
                                   STRATA_BUSY: opening, writing, and now and then reading; 0 = STRATA_DEFAULT_WAIT.
                                   It is that of the first who opened the store in this process */
    uint64_t max_resident;    /**< about how many bytes of the file this process may have in its memory at a time, at
                                   least STRATA_LEAST_RESIDENT; 0 = as many as it reads. What is read through the map
                                   counts for the process until it is given back. With a bound that is done whenever the
                                   files in the memory of the process have grown by so much; the system keeps what it
                                   has room for, and whoever needs it again finds it there, at the cost of a page fault.
                                   For programs that look into large files and are to stay small. Memory that the
                                   program asks for itself, such as that of results, is not counted, nor is a compact
                                   copy. Has no meaning for a store in memory */
} strata_config;

enum {
    STRATA_DEFAULT_WAIT = 60 * 1000, /**< milliseconds */
    STRATA_MAX_READERS = 1 << 20,
    STRATA_LEAST_RESIDENT = 1 << 20  /**< bytes */
};

/** A configuration with its size, and zeros. */
static inline strata_config strata_config_blank(void) {
    strata_config config;
    memset(&config, 0, sizeof config);
    config.size = (uint32_t)sizeof config;
    return config;
}

/** What strata_store_open() calls. Programs that load the library by themselves pass the STRATA_ABI and the
 * STRATA_BLOCK_FORMAT of the headers that they were built with. */
STRATA_CHECKED strata_status strata_store_open_as(uint32_t abi, uint32_t block_format, const strata_config *config,
                                                  strata_store **out, strata_error *error);

/**
 * Opens a store. Creates it if it is missing, unless a flag forbids that.
 *
 * Compiled into the program, so that the library learns which headers those are.
 * Ownership: the caller closes `*out` with strata_store_close().
 * Fails: STRATA_FILE_NOT_FOUND, STRATA_PERMISSION, STRATA_NOT_A_FILE, STRATA_NOT_A_STORE, STRATA_CORRUPT,
 *   STRATA_NEWER_FORMAT, STRATA_LINKED_FILE, STRATA_REMOTE_FILE, STRATA_IN_USE, STRATA_DISK_FULL, STRATA_IO,
 *   STRATA_NO_MEMORY, STRATA_MISUSE, STRATA_OTHER_ABI, STRATA_BUSY (another process opens or compacts the file),
 *   STRATA_READERS_FULL (it takes a snapshot for a moment, and others hold all that there may be),
 *   STRATA_REPLACED_FILE (the file is deleted or replaced again and again, or the process has the one open that was
 *   there before).
 */
STRATA_CHECKED static inline strata_status strata_store_open(const strata_config *config, strata_store **out,
                                                             strata_error *error) {
    return strata_store_open_as(STRATA_ABI, STRATA_BLOCK_FORMAT, config, out, error);
}

/** Closes one handle. The file is closed with the last handle. Every view must be closed before. */
void strata_store_close(strata_store *store);

/**
 * Makes all commits durable that any process has made until now.
 *
 * With STRATA_DURABILITY_FULL and STRATA_DURABILITY_LOGGED they are durable already. With STRATA_DURABILITY_RELAXED and
 * STRATA_DURABILITY_DEFERRED, call this after a commit that matters, or when no other commit follows for a while.
 * Closing a store does the same, but cannot report that it failed. For a store in memory this does nothing.
 *
 * Fails: STRATA_IO or STRATA_DISK_FULL, after which the file must be closed and opened again; STRATA_POISONED,
 *   STRATA_READ_ONLY, STRATA_AFTER_FORK.
 */
STRATA_CHECKED strata_status strata_store_flush(strata_store *store, strata_error *error);

/**
 * A number that changes with every commit, of whichever process. It costs two reads of memory; who compares it with
 * what it was learns whether there may be anything new: it also changes when a process ends the use of its log. 0 in a
 * forked child.
 *
 * Thread: any.
 */
uint64_t strata_store_newest(const strata_store *store);

/** The absolute path of the file, with symbolic links resolved; "" for a store in memory. Lifetime: until the store is
 * closed. */
const char *strata_store_path(const strata_store *store);

/** Figures about a store. */
typedef struct strata_store_stats {
    uint32_t size;         /**< sizeof(strata_store_stats), set by the caller */
    uint32_t page_size;
    uint64_t file_size;    /**< bytes of the file */
    uint64_t used_size;    /**< bytes in use, of all tables and indexes */
    uint64_t free_size;    /**< bytes inside the file that are not in use */
    uint64_t held_size;    /**< the part of `free_size` that the next commit cannot use: what open snapshots may still
                                show, and what the newest commit freed */
    uint64_t version;      /**< number of the newest commit */
    uint32_t snapshots;    /**< open now, over all processes */
    uint32_t max_snapshots; /**< how many there can be; see `max_readers` of strata_config */
    uint64_t row_size;      /**< of `used_size`: blocks of rows, with what is packed into them */
    uint64_t index_size;    /**< entries of primary keys and indexes */
    uint64_t link_size;     /**< entries of links, for what leads back */
    uint64_t collection_size; /**< collections that are too long for their rows */
    uint64_t blob_size;     /**< values that are too large for their rows */
    uint64_t change_size;   /**< records of commits that somebody asked for. What is left of `used_size` is the catalog,
                                 the list of free pages, and the two pages in front */
} strata_store_stats;

/** Figures with their size, and zeros. */
static inline strata_store_stats strata_store_stats_blank(void) {
    strata_store_stats stats;
    memset(&stats, 0, sizeof stats);
    stats.size = (uint32_t)sizeof stats;
    return stats;
}

/** Reads the figures. Fails: STRATA_MISUSE, and what opening a view fails with. */
STRATA_CHECKED strata_status strata_store_get_stats(strata_store *store, strata_store_stats *out, strata_error *error);

enum { STRATA_MAX_LABEL = 31 /**< bytes of UTF-8 */ };

/** A snapshot that a view of some process holds. While it is held, the space that later commits freed cannot be used
 * again. So when a file grows, the oldest snapshot is often the reason. */
typedef struct strata_snapshot {
    uint64_t version;                 /**< of the commit it shows; if another process holds it, an estimate that may be
                                           a few too low */
    uint64_t behind;                  /**< the number of commits since then; an estimate likewise */
    int64_t process;                  /**< number of the process that holds it */
    double age;                       /**< seconds since it began; -1 if another process holds it */
    char label[STRATA_MAX_LABEL + 1]; /**< see strata_view_set_label(); "" if another process holds it */
} strata_snapshot;

/**
 * Lists the open snapshots of all processes, the oldest first; those of a moment, in which this process looks for a
 * newer commit, are left out.
 *
 * At most `room` of them are put into `out`, which may be NULL if `room` is 0; `*out_count` is the number of all.
 * Compiled into the program. It takes a snapshot itself for that; if none is left, versions of snapshots of other
 * processes are estimates. Fails: as opening a view does, but for STRATA_READERS_FULL.
 */
STRATA_CHECKED strata_status strata_store_get_snapshots_sized(strata_store *store, size_t size, strata_snapshot *out,
                                                              uint32_t room, uint32_t *out_count,
                                                              strata_error *error);
STRATA_CHECKED static inline strata_status strata_store_get_snapshots(strata_store *store, strata_snapshot *out,
                                                                      uint32_t room, uint32_t *out_count,
                                                                      strata_error *error) {
    return strata_store_get_snapshots_sized(store, sizeof *out, out, room, out_count, error);
}

#ifdef __cplusplus
}
#endif
#endif
