/* SPDX-License-Identifier: MIT
 *
 * strata.h -- Strata, an embedded object database.
 *
 * Conventions, which hold for every function:
 *
 *   Status     0 means done, a positive status is an answer (STRATA_NOT_FOUND), a negative one a failure.
 *   Errors     `error` may be NULL. If a call fails, it is filled in; otherwise it is not touched.
 *   Outputs    are always set; if the call fails, to NULL, 0 or empty.
 *   Names      are UTF-8, with their length; if the type is `const char *`, zero-terminated.
 *   Handles    are closed exactly once; closing NULL is allowed.
 *   Misuse     of a handle (on a wrong thread, after its view was closed, after fork) is reported as a status,
 *              as far as it can be noticed. No function aborts the process.
 *
 * Compilers: the headers are C99 and C++11 with what gcc and clang add (attributes, __asm__), for little-endian
 * processors of 64 bits. The library itself is C11, and built with clang or gcc, 11 or newer.
 *
 * What may change without a new STRATA_ABI, and what may not:
 *
 *   Functions  are added, and never removed or given other parameters. Some are compiled into the program; those are
 *              described as such, and call a function whose name goes on with _sized or _as.
 *   Structs    that are passed with their size, or begin with a field `size`, may get fields at their end. So may those
 *              that the library makes and frees. A program has what its headers had; what it lacks is zero. All other
 *              structs keep their size and fields.
 *   Enums      may get values. A program must expect ones that it does not know among what it is given.
 */
#ifndef STRATA_H
#define STRATA_H

#include "strata_row.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STRATA_VERSION_MAJOR 0
#define STRATA_VERSION_MINOR 1
#define STRATA_VERSION_PATCH 0

/** The number of the binary interface that these headers describe. It is raised when a program that was built with
 * older headers cannot run with a newer library. */
#define STRATA_ABI 1

/** The version of the library, such as "0.1.0". */
const char *strata_version(void);
/** The STRATA_ABI that the library was built with. A program that loads the library by itself compares it with its
 * own. */
uint32_t strata_abi(void);

/* ---- Logs ------------------------------------------------------------- */

typedef enum STRATA_ENUM strata_log_level {
    STRATA_LOG_ERROR = 0,   /**< a store was poisoned; LMDB met what cannot be */
    STRATA_LOG_WARNING = 1, /**< something waited for a second or more; a limit is lower than was asked for */
    STRATA_LOG_INFO = 2     /**< a file was created, compacted or flushed when it was opened; snapshots of processes
                                 that ended were cleared */
} strata_log_level;

/** Told of an event: one line of UTF-8 without an end of line, which names the file. Lifetime of the message: the call.
 * It is called on the thread on which the event happens, by several at a time, and locks of the library may be held: it
 * must not call the library, nor wait for a thread that does. */
typedef void (*strata_log)(void *context, strata_log_level level, const char *message);

/**
 * Sets the log of this process, for all stores: it is told of events up to a level. NULL ends that. When the function
 * returns, the log that was set before is not called any more.
 *
 * What an operation fails with is in its error and not told besides. An event during a call of this function may be
 * left out. Thread: any, but not from within a log.
 */
void strata_log_set(strata_log log, void *context, strata_log_level most);

/* ---- Limits ----------------------------------------------------------- */

enum {
    STRATA_MAX_TABLE_NAME = 57,              /**< bytes of UTF-8 */
    STRATA_MAX_COLUMN_NAME = 63,             /**< bytes of UTF-8 */
    STRATA_MAX_VALUE = 16 * 1024 * 1024,     /**< bytes of a string or data value */
    STRATA_MAX_COLUMNS = 2000,               /**< of one table */
    STRATA_MAX_INDEXES = 64,                 /**< compound ones of one table */
    STRATA_MAX_INDEX_COLUMNS = 8,            /**< of a compound index */
    STRATA_MAX_TABLES = 65000
};

/* ---- Values ----------------------------------------------------------- */

/** ON-DISK: stored in the catalog; never renumber. */
typedef enum STRATA_ENUM strata_type {
    STRATA_NULL = 0,      /**< only of a value, never of a column */
    STRATA_BOOL = 1,
    STRATA_INT = 2,       /**< 64 bits, signed */
    STRATA_FLOAT = 3,
    STRATA_DOUBLE = 4,
    STRATA_STRING = 5,    /**< UTF-8 */
    STRATA_DATA = 6,
    STRATA_DATE = 7,      /**< seconds since 2001-01-01 00:00:00 UTC, a double */
    STRATA_UUID = 8,      /**< 16 bytes */
    STRATA_OBJECT_ID = 9, /**< 12 bytes */
    STRATA_DECIMAL = 10,  /**< 16 bytes; see strata_decimal.h */
    STRATA_MIXED = 11,    /**< only of a column: its values are null or of any other type */
    STRATA_LINK = 12,     /**< an object of the column's target table; in a mixed column, of `table` */
    STRATA_NESTED = 13    /**< only of a value in a mixed column: a list or a map; see strata_mixed.h */
} strata_type;

/** ON-DISK: stored in the catalog; never renumber. */
typedef enum STRATA_ENUM strata_collection {
    STRATA_SINGLE = 0, /**< the column holds one value */
    STRATA_LIST = 1,   /**< an ordered sequence */
    STRATA_SET = 2,    /**< each value once, in the order of values; objects in the order of their keys */
    STRATA_MAP = 3     /**< values under string keys, in the order of the keys' bytes */
} strata_collection;

/** One value of any type, or null. The bytes belong to the one who made the value. */
typedef struct strata_value {
    strata_type type;
    uint32_t table;           /**< of a link in a column of any values: the table of the object; otherwise 0 */
    union {
        bool boolean;
        int64_t integer;
        float single;
        double real;          /**< STRATA_DOUBLE and STRATA_DATE */
        strata_bytes bytes;   /**< STRATA_STRING, STRATA_DATA and STRATA_NESTED */
        uint8_t fixed[16];    /**< STRATA_UUID and STRATA_DECIMAL (16), STRATA_OBJECT_ID (12) */
        uint64_t link;        /**< object key in the target table; never 0, use STRATA_NULL */
    } as;
} strata_value;

static inline strata_value strata_null(void) {
    strata_value v;
    memset(&v, 0, sizeof v);
    return v;
}
static inline strata_value strata_bool(bool b) {
    strata_value v = strata_null();
    v.type = STRATA_BOOL;
    v.as.boolean = b;
    return v;
}
static inline strata_value strata_int(int64_t i) {
    strata_value v = strata_null();
    v.type = STRATA_INT;
    v.as.integer = i;
    return v;
}
static inline strata_value strata_float(float f) {
    strata_value v = strata_null();
    v.type = STRATA_FLOAT;
    v.as.single = f;
    return v;
}
static inline strata_value strata_double(double d) {
    strata_value v = strata_null();
    v.type = STRATA_DOUBLE;
    v.as.real = d;
    return v;
}
static inline strata_value strata_date(double seconds_since_2001) {
    strata_value v = strata_null();
    v.type = STRATA_DATE;
    v.as.real = seconds_since_2001;
    return v;
}
static inline strata_value strata_string(const char *utf8, size_t size) {
    strata_value v = strata_null();
    v.type = STRATA_STRING;
    v.as.bytes.data = utf8;
    v.as.bytes.size = size;
    return v;
}
static inline strata_value strata_data(const void *data, size_t size) {
    strata_value v = strata_null();
    v.type = STRATA_DATA;
    v.as.bytes.data = data;
    v.as.bytes.size = size;
    return v;
}
static inline strata_value strata_link(uint64_t key) {
    strata_value v = strata_null();
    v.type = key == 0 ? STRATA_NULL : STRATA_LINK;
    v.as.link = key;
    return v;
}

/* ---- Stores ----------------------------------------------------------- *
 *
 * A store is one file. A process has it open once: opening it again returns the same handle, which must then be closed
 * once more. Next to the file is FILE-lock, which must stay with it.
 * Thread: a store may be used from every thread, but not across a fork: a child process must open it again.
 */

typedef struct strata_store strata_store;

enum {
    STRATA_OPEN_READ_ONLY = 1,    /**< never writes; the file must exist. The lock file must be writable */
    STRATA_OPEN_ALLOW_REMOTE = 2, /**< the caller promises that only one machine uses the file */
    STRATA_OPEN_NO_CREATE = 4,    /**< the file must exist */
    STRATA_OPEN_CHECK_PAGES = 8   /**< reads the whole file first and refuses it if its pages are damaged. Without this
                                       flag that is noticed where somebody reads, and before the first write. Does
                                       nothing if the store is open in this process already */
};

/** What a power cut may take of the commits that were acknowledged. When only the process ends, in whatever way, no
 * commit is lost. In all cases the file stays intact. */
typedef enum STRATA_ENUM strata_durability {
    STRATA_DURABILITY_FULL = 0,   /**< nothing */
    STRATA_DURABILITY_RELAXED = 1 /**< the last commit. The system may keep it in memory until the next commit of any
                                       process, strata_store_flush(), or the last strata_store_close(). A commit waits
                                       for the disk once instead of twice */
} strata_durability;

/** How to open a store: strata_config_blank(), then the fields that matter. */
typedef struct strata_config {
    uint32_t size;
    uint32_t flags;           /**< STRATA_OPEN_... */
    const char *path;         /**< the file; NULL for a store in memory */
    const char *memory_name;  /**< the name of a store in memory. The whole process shares it under this name, and it is
                                   gone when its last handle is closed */
    uint64_t map_size;        /**< the largest size of the file in bytes; 0 = 64 GiB, or what the machine can map */
    uint32_t max_readers;     /**< how many snapshots there can be at a time, over all processes; 0 = 1024. Who opens
                                   the file first decides, and a lock file that was made for more keeps its room:
                                   `max_snapshots` of strata_store_stats tells what is in force */
    uint32_t mode;            /**< permissions of a new file; 0 = 0600 */
    strata_durability durability; /**< for the commits of this process; other processes may choose another one. Has no
                                       meaning for a store in memory or a read-only one */
    uint32_t wait;            /**< milliseconds that whatever has to wait for others may take before it fails with
                                   STRATA_BUSY: opening, writing, and now and then reading; 0 = STRATA_DEFAULT_WAIT.
                                   It is that of the first who opened the store in this process */
} strata_config;

enum { STRATA_DEFAULT_WAIT = 60 * 1000 /**< milliseconds */ };

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
 *   STRATA_NO_MEMORY, STRATA_MISUSE, STRATA_OTHER_ABI, STRATA_BUSY (another process opens or compacts the file).
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
 * With STRATA_DURABILITY_FULL they are durable already. With STRATA_DURABILITY_RELAXED, call this after a commit that
 * matters, or when no other commit follows for a while. Closing a store does the same, but cannot report that it
 * failed. For a store in memory this does nothing.
 *
 * Fails: STRATA_IO or STRATA_DISK_FULL, after which the file must be closed and opened again; STRATA_POISONED,
 *   STRATA_READ_ONLY, STRATA_AFTER_FORK.
 */
STRATA_CHECKED strata_status strata_store_flush(strata_store *store, strata_error *error);

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
 * Lists the open snapshots of all processes, the oldest first.
 *
 * At most `room` of them are put into `out`; `*out_count` is the number of all. Compiled into the program.
 */
STRATA_CHECKED strata_status strata_store_get_snapshots_sized(strata_store *store, size_t size, strata_snapshot *out,
                                                              uint32_t room, uint32_t *out_count,
                                                              strata_error *error);
STRATA_CHECKED static inline strata_status strata_store_get_snapshots(strata_store *store, strata_snapshot *out,
                                                                      uint32_t room, uint32_t *out_count,
                                                                      strata_error *error) {
    return strata_store_get_snapshots_sized(store, sizeof *out, out, room, out_count, error);
}

/* ---- Copies ----------------------------------------------------------- */

enum {
    STRATA_BACKUP_COMPACT = 1 /**< leaves free space out; takes longer */
};

/**
 * Copies the newest commit to a new file, while others read and write.
 *
 * The copy is complete and durable when it appears at `path`; otherwise nothing appears. It has the permissions 0600.
 * Changes of a write that is open are not in it. A snapshot is held while the file is copied. Writers are not waited
 * for.
 * Fails: STRATA_FILE_EXISTS, STRATA_WRITING (this thread has a write open), STRATA_DISK_FULL, STRATA_FILE_NOT_FOUND
 *   (the directory), STRATA_PERMISSION, STRATA_IO, ...
 */
STRATA_CHECKED strata_status strata_store_backup(strata_store *store, const char *path, uint32_t flags,
                                                 strata_error *error);

/** Writes the copy, not compacted, to a file, pipe or socket that is open for writing, and leaves that open. After a
 * failure the bytes that were written are worthless. Fails: as strata_store_backup() does. */
STRATA_CHECKED strata_status strata_store_backup_to(strata_store *store, int descriptor, strata_error *error);

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

/* ---- Views ------------------------------------------------------------ *
 *
 * A view shows one consistent state of the store: all its reads show the same commit until it is refreshed. There is at
 * most one write transaction at a time, over all processes. While a view writes, it shows its own changes.
 * Lifetime: bytes, blocks and rows that were got through a view are valid until the epoch of the view changes. A
 *   refresh changes it, the begin and the end of a write, and each change. Live rows notice that by themselves.
 * Thread: a view belongs to the thread that opened it, or adopted it. A write is begun and ended on one thread.
 */

/**
 * Opens a view at the newest commit.
 *
 * Ownership: the caller closes `*out` before the store.
 * Fails: STRATA_READERS_FULL, STRATA_NO_MEMORY, STRATA_AFTER_FORK, STRATA_CORRUPT, STRATA_POISONED.
 */
STRATA_CHECKED strata_status strata_view_open(strata_store *store, strata_view **out, strata_error *error);

/** Closes the view; an open write is cancelled. Rows and cursors of the view must not be used afterwards. */
void strata_view_close(strata_view *view);

/**
 * Makes the calling thread the owner of the view, for programs that see to it by other means that nobody uses the view
 * at the same time: by a serial queue, for example, whose threads change. What the former owner did with the view must
 * have happened before.
 *
 * Fails: STRATA_WRONG_THREAD while the view writes, because a write ends on the thread on which it began;
 *   STRATA_AFTER_FORK.
 */
STRATA_CHECKED strata_status strata_view_adopt(strata_view *view, strata_error *error);

/** Moves the view to the newest commit; `*out_changed` says whether it moved. Does nothing while the view writes. */
STRATA_CHECKED strata_status strata_view_refresh(strata_view *view, bool *out_changed, strata_error *error);

/**
 * Begins a write transaction at the newest commit. The first one of a store reads and checks the pages of all trees,
 * about one in seventy of the file, and is refused with STRATA_CORRUPT if one is damaged.
 *
 * Blocks: until every other writer, in this process or another, has finished; at most as long as strata_config.wait
 *   says. Writers get their turn in the order in which they came. And now and then for a moment, at most a second, while
 *   there are more snapshots than processors and the oldest lags behind, so that the file stays small.
 * Fails: STRATA_BUSY, with a message that says which process has been writing, and for how long; STRATA_WRITING,
 *   STRATA_READ_ONLY, STRATA_WRONG_THREAD, STRATA_REPLACED_FILE, STRATA_POISONED, ... The view shows what it showed.
 */
STRATA_CHECKED strata_status strata_view_begin(strata_view *view, strata_error *error);

/** The same, waiting for other writers for so many milliseconds at most; 0 only tries. */
STRATA_CHECKED strata_status strata_view_begin_within(strata_view *view, uint32_t milliseconds, strata_error *error);

/**
 * Commits the changes, with the durability that the store was opened with, and ends the write. After a failure the
 * write has ended, too, and the changes are gone. If an earlier change of the write failed halfway, the commit fails
 * as that one did.
 *
 * Fails: STRATA_DISK_FULL, STRATA_SIZE_LIMIT, STRATA_IO, STRATA_COMMIT_UNKNOWN, STRATA_NOT_WRITING, ...
 */
STRATA_CHECKED strata_status strata_view_commit(strata_view *view, strata_error *error);

/** Drops the changes and ends the write. Without a write it does nothing. */
void strata_view_cancel(strata_view *view);

/** Sets the name of the view in strata_store_get_snapshots(): at most STRATA_MAX_LABEL bytes of `label`. */
void strata_view_set_label(strata_view *view, const char *label);

bool strata_view_is_writing(const strata_view *view);

/** The number of the commit that the view shows; in a write, the number that its commit will have. */
uint64_t strata_view_version(const strata_view *view);

/* ---- Schema ----------------------------------------------------------- *
 *
 * A table has a name and columns; both are numbered when they are added and keep their numbers. Number 0 is a
 * table, and a column, like any other.
 */

enum {
    STRATA_COLUMN_NULLABLE = 1, /**< single links and mixed columns always are, with or without it; lists and sets of
                                     links never */
    STRATA_COLUMN_INDEXED = 2,
    STRATA_COLUMN_PRIMARY = 4   /**< unique and indexed; at most one column of a table */
};
enum { STRATA_TABLE_EMBEDDED = 1 /**< objects live only as parts of another object */ };

/** One column, as a program wants it. */
typedef struct strata_column_spec {
    const char *name;
    strata_type type;              /**< of the value, or of the elements */
    strata_collection collection;
    uint32_t flags;                /**< STRATA_COLUMN_... */
    const char *target;            /**< of a link: the name of the table it points to, otherwise NULL */
} strata_column_spec;

/**
 * A compound index, as a program wants it. It answers equality on its first columns, however many, and with it a range,
 * a prefix or the order of the column that follows them. Nulls come first in each column.
 */
typedef struct strata_index_spec {
    uint32_t column_count;         /**< 2 to STRATA_MAX_INDEX_COLUMNS */
    const char *const *columns;    /**< names of single columns, each once, of the types bool, int, date, string, uuid,
                                        object id and link; objects are ordered by the first, then by the second, ... */
} strata_index_spec;

/** One table, as a program wants it. */
typedef struct strata_table_spec {
    const char *name;
    uint32_t flags;                /**< STRATA_TABLE_... */
    uint32_t column_count;
    const strata_column_spec *columns;
    const strata_index_spec *indexes; /**< compound ones, at most STRATA_MAX_INDEXES; in any order */
    uint32_t index_count;
} strata_table_spec;

/** The sizes of the structs above in the headers of a program. */
typedef struct strata_spec_sizes {
    uint32_t table, column, index;
} strata_spec_sizes;

/** `schema_version` of a file that never got a schema. */
#define STRATA_NO_SCHEMA UINT64_MAX
/** The highest schema version. */
#define STRATA_MAX_SCHEMA_VERSION (UINT64_MAX / 2)

/** The schema version stored in the file; STRATA_NO_SCHEMA if it has none. */
uint64_t strata_schema_version(const strata_view *view);

/**
 * Makes the file hold these tables, or says why that cannot be.
 *
 * New tables, and indexes that come or go, compound ones too, are applied always. Differences in the columns of a table
 * that exists need a `version` higher than the file's: then columns that are new are added (old objects read as
 * null, zero or empty), columns that are gone are dropped with their values, and a primary key may move; a
 * column whose type changed is refused. Tables not mentioned stay untouched. Nothing is written if nothing
 * differs. Must be called outside a write; a write of its own is used. On a read-only store it only compares.
 *
 * A file that has tables, but none of these, belongs to another program, which a higher version would lock out: then
 * tables are added only at the `version` that the file has, and a higher one is a STRATA_SCHEMA_MISMATCH. `version` is
 * at most STRATA_MAX_SCHEMA_VERSION; count on from small numbers, since a version can only be raised.
 *
 * Compiled into the program.
 * Fails: STRATA_INVALID_SCHEMA, STRATA_SCHEMA_MISMATCH, STRATA_SCHEMA_OLD, STRATA_DUPLICATE (a new primary key
 *   with values that are not unique), STRATA_WRITING and what strata_view_commit() fails with.
 */
STRATA_CHECKED strata_status strata_schema_apply_sized(strata_view *view, const strata_table_spec *tables,
                                                       uint32_t count, uint64_t version,
                                                       const strata_spec_sizes *sizes, strata_error *error);
STRATA_CHECKED static inline strata_status strata_schema_apply(strata_view *view, const strata_table_spec *tables,
                                                               uint32_t count, uint64_t version,
                                                               strata_error *error) {
    strata_spec_sizes sizes;
    sizes.table = (uint32_t)sizeof(strata_table_spec);
    sizes.column = (uint32_t)sizeof(strata_column_spec);
    sizes.index = (uint32_t)sizeof(strata_index_spec);
    return strata_schema_apply_sized(view, tables, count, version, &sizes, error);
}

typedef enum STRATA_ENUM strata_change_kind {
    STRATA_RENAME_TABLE = 0,
    STRATA_RENAME_COLUMN = 1,
    STRATA_DROP_TABLE = 2,  /**< with its objects. Columns of other tables that link to it are dropped before */
    STRATA_DROP_COLUMN = 3  /**< with its values and indexes, compound ones that it is part of included. Embedded
                                 objects that only these values linked to stay in their table */
} strata_change_kind;

/** A change of the tables and columns that a file has. */
typedef struct strata_schema_change {
    strata_change_kind kind;
    const char *table;    /**< its name, after the changes before this one */
    const char *column;   /**< of a column; otherwise NULL */
    const char *new_name; /**< of what is renamed; otherwise NULL */
} strata_schema_change;

/**
 * Makes changes that a declaration alone cannot tell, one after the other, and then does what strata_schema_apply()
 * does; all in one write.
 *
 * The changes are made if the file has a schema of a version lower than `version`, and otherwise not at all: so a
 * program can ask for them whenever it opens a file. strata_schema_version() tells how old a file is. Values, links and
 * indexes stay with what is renamed. A program with the old names is refused afterwards: the file has a higher version.
 * The numbers of tables and columns stay; those of dropped ones are not used again and count for the limits. `count`
 * may be 0. Compiled into the program.
 *
 * Fails: STRATA_SCHEMA_MISMATCH (what is to be changed is not there, or the new name is), STRATA_REFERENCED (something
 *   links to the table), STRATA_INVALID_SCHEMA, STRATA_MISUSE, and as strata_schema_apply(); nothing is then changed.
 */
STRATA_CHECKED strata_status strata_schema_migrate_sized(strata_view *view, const strata_schema_change *changes,
                                                         uint32_t change_count, const strata_table_spec *tables,
                                                         uint32_t count, uint64_t version,
                                                         const strata_spec_sizes *sizes, strata_error *error);
STRATA_CHECKED static inline strata_status strata_schema_migrate(strata_view *view,
                                                                 const strata_schema_change *changes,
                                                                 uint32_t change_count,
                                                                 const strata_table_spec *tables, uint32_t count,
                                                                 uint64_t version, strata_error *error) {
    strata_spec_sizes sizes;
    sizes.table = (uint32_t)sizeof(strata_table_spec);
    sizes.column = (uint32_t)sizeof(strata_column_spec);
    sizes.index = (uint32_t)sizeof(strata_index_spec);
    return strata_schema_migrate_sized(view, changes, change_count, tables, count, version, &sizes, error);
}

/** A table as stored. Lifetime of the name: until the schema of the view changes. */
typedef struct strata_table_info {
    const char *name;         /**< "" if the table was dropped */
    uint32_t flags;
    uint32_t column_count;    /**< columns ever added; those that were dropped have an empty name */
    uint32_t primary;         /**< column number of the primary key, or UINT32_MAX */
    uint32_t index_count;     /**< compound indexes */
} strata_table_info;

/** A column as stored. Lifetime of the name: as above. */
typedef struct strata_column_info {
    const char *name;         /**< "" if the column was dropped */
    strata_type type;
    strata_collection collection;
    uint32_t flags;
    uint32_t target;          /**< of a link: table number, otherwise UINT32_MAX */
} strata_column_info;

/** A compound index as stored. */
typedef struct strata_index_info {
    uint32_t column_count;
    uint32_t columns[STRATA_MAX_INDEX_COLUMNS]; /**< column numbers, the first one the most significant */
} strata_index_info;

/** How many tables there are; their numbers are 0 to this, less one. */
uint32_t strata_table_count(const strata_view *view);
/** Returns STRATA_OK or STRATA_NOT_FOUND. */
STRATA_CHECKED strata_status strata_table_find(const strata_view *view, const char *name, uint32_t *out_table);
/** A table by its number. Compiled into the program, as are the next two. Returns STRATA_OK or STRATA_NOT_FOUND. */
STRATA_CHECKED strata_status strata_table_get_sized(const strata_view *view, uint32_t table, strata_table_info *out,
                                                    size_t size);
STRATA_CHECKED static inline strata_status strata_table_get(const strata_view *view, uint32_t table,
                                                            strata_table_info *out) {
    return strata_table_get_sized(view, table, out, sizeof *out);
}
STRATA_CHECKED strata_status strata_column_find(const strata_view *view, uint32_t table, const char *name,
                                                uint32_t *out_column);
STRATA_CHECKED strata_status strata_column_get_sized(const strata_view *view, uint32_t table, uint32_t column,
                                                     strata_column_info *out, size_t size);
STRATA_CHECKED static inline strata_status strata_column_get(const strata_view *view, uint32_t table, uint32_t column,
                                                             strata_column_info *out) {
    return strata_column_get_sized(view, table, column, out, sizeof *out);
}
/** A compound index, by its position in the table; positions change when indexes come and go. */
STRATA_CHECKED strata_status strata_index_get_sized(const strata_view *view, uint32_t table, uint32_t index,
                                                    strata_index_info *out, size_t size);
STRATA_CHECKED static inline strata_status strata_index_get(const strata_view *view, uint32_t table, uint32_t index,
                                                            strata_index_info *out) {
    return strata_index_get_sized(view, table, index, out, sizeof *out);
}

/* ---- Objects ---------------------------------------------------------- *
 *
 * An object is a row of a table, named by its object key: a number from 1 to 2^48 - 2, handed out in order and
 * never again. Every change needs a write transaction and fails with STRATA_NOT_WRITING without one.
 */

/**
 * Creates an object. `values` are for the columns 0 to `count` - 1; missing ones and collections, for which
 * the value must be null, start as null, zero or empty.
 *
 * Returns in `*out_key` the new key. On STRATA_DUPLICATE it is the key of the object with that primary key.
 * Bytes among the values may be lent by this view. After a failure the write goes on as if nothing had been tried,
 * or, if that cannot be, accepts nothing but strata_view_cancel(); so it is with every change.
 * Fails: STRATA_TYPE, STRATA_TOO_LARGE, STRATA_DUPLICATE, STRATA_MISUSE (also a link to an object that is not there),
 *   STRATA_NO_MEMORY and what writing to the file fails with.
 */
STRATA_CHECKED strata_status strata_object_create(strata_view *view, uint32_t table, const strata_value *values,
                                                  uint32_t count, uint64_t *out_key, strata_error *error);

/** Finds an object by its primary key. Returns STRATA_OK or STRATA_NOT_FOUND. Fails: STRATA_MISUSE, STRATA_TYPE. */
STRATA_CHECKED strata_status strata_object_find(strata_view *view, uint32_t table, const strata_value *primary,
                                                uint64_t *out_key, strata_error *error);

/**
 * Deletes an object.
 *
 * Returns STRATA_NOT_FOUND if there is none. Fails: STRATA_REFERENCED while another object links to it (links
 *   from itself do not count); see strata_object_unlink().
 */
STRATA_CHECKED strata_status strata_object_delete(strata_view *view, uint32_t table, uint64_t key, strata_error *error);

/** Removes every link to the object: to-one links, mixed values and values of maps become null, entries leave lists and
 * sets; the same inside of the lists and maps in mixed columns. */
STRATA_CHECKED strata_status strata_object_unlink(strata_view *view, uint32_t table, uint64_t key, strata_error *error);

/**
 * Deletes all objects of some tables.
 *
 * Fails: STRATA_REFERENCED if an object of another table links to one of them; nothing is then deleted.
 */
STRATA_CHECKED strata_status strata_tables_clear(strata_view *view, const uint32_t *tables, uint32_t count,
                                                 strata_error *error);

/** How many objects a table has. In a write, changes that are pending are counted too. */
STRATA_CHECKED strata_status strata_table_size(strata_view *view, uint32_t table, uint64_t *out, strata_error *error);

/** Points `row` to an object, and makes it ready to read. Returns STRATA_OK, or STRATA_NOT_FOUND: then `row` is bound
 * all the same, and gone. */
STRATA_CHECKED strata_status strata_row_bind(strata_view *view, uint32_t table, uint64_t key, strata_row *row,
                                             strata_error *error);

/**
 * Points many rows to objects in one call, as a walk through keys in no order needs it: what is in no cache is fetched
 * for many rows at the same time. Some dozens at a time are enough.
 *
 * `rows[i]` is bound to the object `keys[i]`, ready to read, or gone: its block is then NULL. If the call fails, what
 * `rows` holds is undefined. Fails: STRATA_MISUSE, STRATA_CORRUPT, STRATA_WRONG_THREAD, STRATA_CLOSED.
 */
STRATA_CHECKED strata_status strata_rows_bind(strata_view *view, uint32_t table, const uint64_t *keys, size_t count,
                                              strata_row *rows, strata_error *error);

/**
 * Copies up to `size` bytes of a string or data cell, from `offset` on, into `buffer`.
 *
 * Of a mixed cell these are the bytes that strata_row_get() lends or reports: those of its string or data, or all of a
 * list or map for strata_nested_open(); other values have none. `*out_size` is how many were copied. The row must be
 * ready. Fails: STRATA_CORRUPT, STRATA_IO.
 */
STRATA_CHECKED strata_status strata_row_read(const strata_row *row, uint32_t column, size_t offset, void *buffer,
                                             size_t size, size_t *out_size, strata_error *error);

/** Reads any single cell; of a mixed column, `out->type` is the type of the value. Bytes that are stored outside of the
 * row are not lent but reported: `bytes.data` is then NULL and only `bytes.size` is set; see strata_row_read(). The row
 * must be ready.
 * Fails: STRATA_MISUSE (a collection), STRATA_CORRUPT. */
STRATA_CHECKED strata_status strata_row_get(const strata_row *row, uint32_t column, strata_value *out,
                                            strata_error *error);

/**
 * Changes one cell. A mixed column takes a value of any type, null included; lists and maps in it come from
 * strata_mixed.h, and every link in the value, also inside of those, must lead to an object, but not to an embedded
 * one. Collections have functions of their own; a primary key never changes. The row may have moved: it is to be made
 * ready again before it is read.
 *
 * Fails: STRATA_NOT_FOUND (as an answer: the object is gone), STRATA_TYPE, STRATA_TOO_LARGE, STRATA_MISUSE,
 *   STRATA_NOT_WRITING, STRATA_WRONG_THREAD and what writing to the file fails with.
 */
STRATA_CHECKED strata_status strata_row_set(strata_row *row, uint32_t column, const strata_value *value,
                                            strata_error *error);

/* ---- Collections ------------------------------------------------------ *
 *
 * A list, a set or a map is a column of a row. Its elements are of the column's type, and may be null if the column
 * is nullable; links in lists and sets are never null, links in maps always may be. Positions count from 0; a
 * position past the end is STRATA_RANGE. The row is made ready by these functions themselves; a row that is gone is
 * STRATA_NOT_FOUND. Bytes that are stored outside of the collection are not lent but reported, as by strata_row_get():
 * see strata_collection_read().
 * Lifetime of bytes lent: until the epoch of the view changes, or the collection does.
 */

enum { STRATA_MAX_MAP_KEY = 1024 /**< bytes of UTF-8 */ };

STRATA_CHECKED strata_status strata_collection_size(strata_row *row, uint32_t column, uint64_t *out,
                                                    strata_error *error);
/** Reads `count` elements, or values of a map, from `position` on, which must all exist. If it fails, what `out` holds
 * is undefined. */
STRATA_CHECKED strata_status strata_collection_get(strata_row *row, uint32_t column, uint64_t position, uint64_t count,
                                                   strata_value *out, strata_error *error);
/** Copies bytes of one element, as strata_row_read() does those of a cell. */
STRATA_CHECKED strata_status strata_collection_read(strata_row *row, uint32_t column, uint64_t position, size_t offset,
                                                    void *buffer, size_t size, size_t *out_size, strata_error *error);
/** The first position from `from` on with an equal element, or value of a map. Returns STRATA_OK or STRATA_NOT_FOUND.
 * In a set this is a search, in other collections a walk. */
STRATA_CHECKED strata_status strata_collection_find(strata_row *row, uint32_t column, const strata_value *value,
                                                    uint64_t from, uint64_t *out_position, strata_error *error);
/** Removes `count` elements, or entries of a map, from `position` on. */
STRATA_CHECKED strata_status strata_collection_remove(strata_row *row, uint32_t column, uint64_t position,
                                                      uint64_t count, strata_error *error);

/** Inserts elements into a list before `position`, which may be its size. */
STRATA_CHECKED strata_status strata_list_insert(strata_row *row, uint32_t column, uint64_t position,
                                                const strata_value *values, uint64_t count, strata_error *error);
STRATA_CHECKED strata_status strata_list_set(strata_row *row, uint32_t column, uint64_t position,
                                             const strata_value *value, strata_error *error);

/** Inserts an element into a set unless it has it; `*out_inserted` and the position, which may be NULL, tell. */
STRATA_CHECKED strata_status strata_set_insert(strata_row *row, uint32_t column, const strata_value *value,
                                               bool *out_inserted, uint64_t *out_position, strata_error *error);

/**
 * Inserts those of many elements that a set does not have; `*out_inserted` is how many they are. Of equal ones among
 * them the first counts. They may come in any order and are sorted once: cheaper than to insert them one by one.
 *
 * Either all are inserted or, if one does not fit, none. Fails as strata_row_set() does.
 */
STRATA_CHECKED strata_status strata_set_insert_all(strata_row *row, uint32_t column, const strata_value *values,
                                                   uint64_t count, uint64_t *out_inserted, strata_error *error);

/** The position of a key in a map. Returns STRATA_OK, or STRATA_NOT_FOUND with where it would be. */
STRATA_CHECKED strata_status strata_map_find(strata_row *row, uint32_t column, strata_bytes key,
                                             uint64_t *out_position, strata_error *error);
/** Reads `count` keys from `position` on. If it fails, what `out` holds is undefined. */
STRATA_CHECKED strata_status strata_map_keys(strata_row *row, uint32_t column, uint64_t position, uint64_t count,
                                             strata_bytes *out, strata_error *error);
/** Puts a value under a key, over the one that is there. Fails: STRATA_TOO_LARGE, STRATA_TYPE (the key, too). */
STRATA_CHECKED strata_status strata_map_set(strata_row *row, uint32_t column, strata_bytes key,
                                            const strata_value *value, strata_error *error);

/** Puts many entries into a map, `keys[i]` with `values[i]`, in any order; of equal keys the last one counts. Either
 * all are put or, if one does not fit, none. Fails: STRATA_TOO_LARGE, STRATA_TYPE (the key, too). */
STRATA_CHECKED strata_status strata_map_set_all(strata_row *row, uint32_t column, const strata_bytes *keys,
                                                const strata_value *values, uint64_t count, strata_error *error);

/* ---- Cursors ---------------------------------------------------------- *
 *
 * A cursor walks objects in order. Changes made while it is open do not disturb it: objects created after it
 * was opened are not visited, deleted ones are skipped.
 * Ownership: the caller closes a cursor, before its view.
 */

typedef struct strata_cursor strata_cursor;

/** All objects of a table in the order of their keys, or the reverse. */
STRATA_CHECKED strata_status strata_scan(strata_view *view, uint32_t table, bool backward, strata_cursor **out,
                                         strata_error *error);

/** A range of an index. NULL means no bound. Nulls come before every value. */
typedef struct strata_range {
    const strata_value *low;
    const strata_value *high;
    bool low_open;  /**< `low` itself is not in the range */
    bool high_open; /**< `high` itself is not in the range */
} strata_range;

/** The objects whose indexed column is in a range, in the order of value and key, or the reverse; strings of more than
 * 64 bytes that agree in the first 64 come in no particular order among each other. */
STRATA_CHECKED strata_status strata_index_scan(strata_view *view, uint32_t table, uint32_t column,
                                               const strata_range *range, bool backward, strata_cursor **out,
                                               strata_error *error);

/** The objects that link to an object through one column of one table, in the order of their keys; each as often
 * as it links. */
STRATA_CHECKED strata_status strata_backlinks(strata_view *view, uint32_t table, uint64_t key, uint32_t origin_table,
                                              uint32_t origin_column, strata_cursor **out, strata_error *error);
/** How many links there are, without visiting them. */
STRATA_CHECKED strata_status strata_backlinks_count(strata_view *view, uint32_t table, uint64_t key,
                                                    uint32_t origin_table, uint32_t origin_column, uint64_t *out,
                                                    strata_error *error);

/** The next object, ready to read. Returns STRATA_OK or STRATA_END. */
STRATA_CHECKED strata_status strata_cursor_next(strata_cursor *cursor, strata_row *row, strata_error *error);
/**
 * The next objects in one call, ready to read: `*out_count` of them, at least one and at most `capacity`, which is not
 * 0.
 *
 * Returns STRATA_OK or STRATA_END. Fails as strata_cursor_next() does, without the objects in front of what failed.
 */
STRATA_CHECKED strata_status strata_cursor_next_rows(strata_cursor *cursor, strata_row *rows, size_t capacity,
                                                     size_t *out_count, strata_error *error);
void strata_cursor_close(strata_cursor *cursor);

/* ---- Upkeep ----------------------------------------------------------- */

/** What strata_verify() saw. */
typedef struct strata_verify_report {
    uint64_t tables, rows, index_entries, links, list_elements, blocks;
} strata_verify_report;

/**
 * Reads everything the view shows: every row and value, every index entry and link from both sides. Before that it checks
 * every page of the file, free ones too, as STRATA_OPEN_CHECK_PAGES does.
 *
 * Outside a write only. `report` may be NULL. Compiled into the program.
 * Fails: STRATA_CORRUPT with the first contradiction found, STRATA_WRITING.
 */
STRATA_CHECKED static inline strata_status strata_verify(strata_view *view, strata_verify_report *report,
                                                         strata_error *error);

/** Told, now and then, how many of all objects have been looked at; false stops the check. Must not use the view. */
typedef bool (*strata_progress)(void *context, uint64_t done, uint64_t all);

/** The same, watched. `report` holds what was seen until it was stopped. Fails: as above; STRATA_CANCELLED. */
STRATA_CHECKED strata_status strata_verify_sized(strata_view *view, strata_progress progress, void *context,
                                                 strata_verify_report *report, size_t size, strata_error *error);
STRATA_CHECKED static inline strata_status strata_verify_watched(strata_view *view, strata_progress progress,
                                                                 void *context, strata_verify_report *report,
                                                                 strata_error *error) {
    return strata_verify_sized(view, progress, context, report, sizeof *report, error);
}
static inline strata_status strata_verify(strata_view *view, strata_verify_report *report, strata_error *error) {
    return strata_verify_sized(view, NULL, NULL, report, sizeof *report, error);
}

#ifdef __cplusplus
}
#endif
#endif
