/* SPDX-License-Identifier: MIT
 * handle.h -- what the files of this folder share: the store, its transactions, and the code of LMDB. */
#ifndef ST_STORE_HANDLE_H
#define ST_STORE_HANDLE_H

#include <lmdb.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>
#include <time.h>

#include "base/status.h"
#include "store/store.h"
#include "page/walk.h"

enum { ST_IDLE_SNAPSHOTS = 64, ST_DEFAULT_READERS = 1024 };

/** Lets writers of this process through one at a time, in the order they came. */
typedef struct st_gate {
    pthread_mutex_t lock;
    bool held;       /* by a thread, or for one that was admitted and has yet to run */
    bool owned;      /* `owner` is inside */
    pthread_t owner;
    struct st_gate_waiter *first, *last;
} st_gate;

void st_gate_make(st_gate *gate);
void st_gate_free(st_gate *gate);
/** Waits for its turn. False, without waiting, if this thread is inside. */
bool st_gate_enter(st_gate *gate);
void st_gate_leave(st_gate *gate);
/** Is this thread inside? */
bool st_gate_is_inside(st_gate *gate);

struct strata_store {
    struct strata_store *next; /* of the registry */
    uint32_t handles;          /* under the registry's lock */
    uint32_t generation;       /* of the process that opened it: see fork.c */
    dev_t device;
    ino_t inode;
    char *path;                /* absolute, links resolved; of a store in memory, the name it had */
    char *memory_name;         /* NULL for a file */
    bool read_only;
    bool relaxed;              /* a commit may leave its last page to the system: see durability.c */
    bool remote;               /* it may lie on another machine */
    uint64_t epoch;            /* of the commits made through this handle */
    uint64_t map_size;         /* as mapped */
    uint64_t asked_map_size;   /* as configured, or 0 */
    uint32_t page_size;

    int file;                  /* our own descriptor: carries the OFD locks, used for fstat */
    MDB_env *env;
    MDB_dbi trees[ST_TREES];
    const uint8_t *map;        /* LMDB's, of `map_size` bytes */

    atomic_uint live;          /* transactions that have not ended and views, plus one while there are handles */
    atomic_bool poisoned;

    st_gate gate;
    uint64_t commits_to_check; /* writer only: when to look for dead readers again */
    time_t seconds_of_check;
    uint64_t committed;        /* LMDB's number of the last commit through this handle; 0: none yet */

    pthread_mutex_t pool_lock;
    struct st_txn *idle;
    uint32_t idle_count;
    struct st_txn *open;       /* snapshots in use */

    pthread_mutex_t lock;
    void *attachment;
    void (*free_attachment)(void *);
};

/** A snapshot or a writer. While idle in the pool, a snapshot is reset but keeps its reader slot. */
struct st_txn {
    strata_store *store;
    MDB_txn *mdb;
    struct st_txn *next;           /* in the pool, or of the snapshots in use */
    struct st_txn *previous;       /* of the snapshots in use */
    double begun;                  /* snapshots: seconds of the monotonic clock */
    char label[STRATA_MAX_LABEL + 1];
    st_page_file file;             /* snapshots: the commit that is seen */
    uint32_t trees_known;          /* snapshots: bit per tree whose root was looked up */
    st_page_tree trees[ST_TREES];
    st_walk walks[ST_TREES];       /* snapshots: of st_tree_seek() */
    MDB_cursor *seekers[ST_TREES]; /* writers: of st_tree_seek(); made when first needed */
    bool writing;
    strata_status failure;         /* writers: the change that failed, after which only abort is left */
    pthread_t owner;               /* writers */
    struct st_txn *next_held;      /* writers: of the list of owner.c */
    bool abandoned;                /* writers: the owner's thread ended, and LMDB's transaction with it */
    uint64_t put;                  /* writers: bytes of the values put */
    uint64_t stamp;                /* LMDB's number of the commit that is seen */
    st_header header;
    uint8_t record[128];           /* writers: the header record as read, for the fields that never change */
};

/** The store in messages: its path, or its name in memory. */
static inline const char *st_store_name(const strata_store *store) {
    return store->memory_name != NULL ? store->memory_name : store->path;
}

/* ---- open.c ----------------------------------------------------------- */

/** Does the path still lead to the file of the store? While that is open, no other file gets its inode. */
bool st_store_is_there(const strata_store *store);

/* ---- fork.c ----------------------------------------------------------- */

/** Counts the forks between the first process and this one. */
extern uint32_t st_fork_generation;
void st_fork_prepare_once(void);

static inline bool st_forked(const strata_store *store) { return store->generation != st_fork_generation; }
strata_status st_fork_fail(const strata_store *store, strata_error *error);

/* ---- lmdb_status.c ---------------------------------------------------- */

extern _Thread_local uint64_t st_lmdb_calls;

/** Counts a call of LMDB and passes its result on. */
static inline int st_called(int code) {
    st_lmdb_calls++;
    return code;
}

/** What LMDB says of a change or a commit, with a short write told as ENOSPC. Called with errno as LMDB left it. */
int st_lmdb_write_code(int code);

/** Translates a code of LMDB or errno, with a message that begins with `doing` and names the file. */
strata_status st_lmdb_fail(strata_error *error, int code, const strata_store *store, const char *doing);
/** The same for a path and errno. */
strata_status st_errno_fail(strata_error *error, int code, const char *path, const char *doing);
/** Was EIO a way of saying that the disk or the process's file size limit is used up? The signal SIGXFSZ, which a file
 * size limit also raises, is the program's to ignore. */
bool st_disk_is_full(const strata_store *store);

/* ---- registry.c ------------------------------------------------------- */

void st_registry_lock(void);
void st_registry_unlock(void);
/** The rest under the lock. */
strata_store *st_registry_find_file(dev_t device, ino_t inode);
strata_store *st_registry_find_path(const char *path);
strata_store *st_registry_find_memory(const char *name);
void st_registry_add(strata_store *store);
void st_registry_remove(strata_store *store);
/** In a forked child: forgets the parent's stores and closes our descriptors of them. */
void st_registry_after_fork(void);
/** The last transaction ended after the last handle was closed: closes the store. */
void st_registry_sweep(strata_store *store);

/* ---- env.c ------------------------------------------------------------ */

/** Opens LMDB on `store->path`, as `store` says, with the largest map that can be had when `store->map_size`
 * is 0. */
strata_status st_env_open(strata_store *store, uint32_t max_readers, mode_t mode, strata_error *error);
/** Opens the trees; creates them, with a first header record, if `create`. */
strata_status st_env_create_trees(MDB_env *env, strata_store *store, strata_error *error);
strata_status st_env_open_trees(strata_store *store, strata_error *error);
/** The names of the trees in the main tree, which has none itself. */
extern const char *const st_tree_names[ST_TREES];
/** Frees all of a store. */
void st_store_destroy(strata_store *store);
strata_store *st_store_make(void);

/* ---- durability.c ----------------------------------------------------- */

/** Does a configuration ask for relaxed commits of a file? */
bool st_wants_relaxed(const strata_config *config);
/** When LMDB has opened the file and `first` sees the newest commit: flushes what a killed writer may have left. 0, or
 * a code of LMDB. */
int st_flush_at_open(const strata_store *store, const st_txn *first);
/** Before LMDB closes the file: flushes what relaxed commits have left, and what the next opening would flush. */
void st_flush_at_close(const strata_store *store);

/* ---- writer.c --------------------------------------------------------- */

/** Fails with STRATA_POISONED; `doing` begins the message. */
strata_status st_poisoned(const strata_store *store, const char *doing, strata_error *error);

/* ---- owner.c ---------------------------------------------------------- */

/** Notes that this thread owns `writer`, or no longer does. False if there is no memory for it. */
bool st_owner_add(st_txn *writer);
void st_owner_remove(st_txn *writer);
/** The owner's thread ends: gives back what it holds. (writer.c) */
void st_writer_abandon(st_txn *writer);

/* ---- snapshot.c ------------------------------------------------------- */

/** Of the monotonic clock, as exact as is cheap. */
double st_seconds_now(void);
void st_pool_drain(strata_store *store);

#endif
