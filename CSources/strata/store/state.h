/* SPDX-License-Identifier: MIT
 *
 * state.h -- what a store and its transactions are inside. For the files of this folder only.
 *
 * One store stands for one LMDB environment on one file. There is at most one store per file in a process; all handles
 * of the file share it. It stays open while there are handles, transactions that have not ended, or other holders (see
 * close.h). This header includes lmdb.h; those that the layers above include must not include it.
 */
#ifndef ST_STORE_STATE_H
#define ST_STORE_STATE_H

#include <lmdb.h>
#include <stdatomic.h>
#include <sys/types.h>
#include <time.h>

#include "page/page_check.h"
#include "page/walk.h"
#include "store/gate.h"
#include "store/header.h"
#include "store/history.h"
#include "store/log_record.h"
#include "store/redo.h"
#include "store/trees.h"
#include "strata.h"
#include "strata_queue.h"

/** The thread that flushes the log: see deferral.h. */
typedef struct st_deferral {
    pthread_mutex_t lock;   /* guards `due`, `left` and `closed` */
    pthread_cond_t changed;
    st_time due;            /* when the log has to be flushed, and the pin to end; 0: there is neither */
    bool left;              /* a record was left, and nothing was flushed since */
    bool closed;
    bool running;           /* inside the gate */
    pthread_t thread;
} st_deferral;

struct strata_store {
    struct strata_store *next; /* in the registry */
    uint32_t handles;          /* guarded by the registry's lock */
    uint32_t fork_count;       /* of the process that opened it: see fork.c */
    dev_t device;
    ino_t inode;
    char *path;                /* absolute, with all links resolved; a store in memory keeps the name its file had */
    char *memory_name;         /* NULL for a file */
    bool read_only;
    bool unlocked;             /* only read, without LMDB's lock file, while nobody writes */
    strata_durability durability; /* of commits through this store: see durability.c */
    bool remote;               /* the file may lie on another machine */
    uint64_t epoch;            /* goes into the commits made through this store: see st_header */
    uint64_t map_size;         /* as mapped */
    uint64_t asked_map_size;   /* as configured, or 0 */
    uint32_t page_size;
    uint32_t wait;             /* milliseconds that whatever waits for others may take */
    int64_t process;           /* the number of the process that opened it */

    int file;                  /* our own descriptor of the file: carries the OFD locks, used for fstat */
    MDB_env *env;
    MDB_dbi trees[ST_TREES];
    const uint8_t *map;        /* LMDB's map of the file, `map_size` bytes */
    struct {
        atomic_bool counts;       /* readings are counted: there is patience, or a bound */
        _Atomic int64_t patience; /* readings at random before the system reads ahead */
        uint64_t bound;           /* bytes of the map that may be in the memory of the process; 0: all */
        _Atomic int64_t pages;    /* that are read before it is looked how many are */
        pthread_mutex_t lock;     /* guards what follows */
        uint64_t base;            /* bytes of files in the memory of the process that do not count */
        uint64_t seen, faults;    /* bytes of them, and touches that brought some, when it was looked last */
        uint64_t around;          /* the most bytes that a touch brought; 0: not known */
    } advice;                     /* see advice.h */

    atomic_uint live;          /* holders: see close.h; all handles together count as one */
    atomic_bool poisoned;      /* a write failed, and what the file holds cannot be told any more */
    atomic_bool distrusted;    /* a flush failed: see distrust.h */
    bool told;                 /* inside the gate: others can see that */
    bool newest_dropped;       /* inside the gate: the newest meta page has to be written once more: see distrust.h */

    st_gate gate;
    uint64_t commits_to_check; /* inside the gate: commits until dead readers are looked for again */
    time_t seconds_of_check;   /* inside the gate: when that was done last */
    uint64_t passed_over;      /* inside the gate: the place of the last one in line who was stopped: see turn.c */
    bool full;                 /* inside the gate: there was no room for a write, and nobody made any since */
    uint64_t settled;          /* inside the gate: LMDB's number of the last empty commit for room; 0: none yet */
    uint64_t pages_on_disk;    /* inside the gate: so many pages the file may have before the disk is asked for room */
    struct {
        uint64_t last;         /* no page before this one is a hole that the system can fill */
        uint64_t missing;      /* the pages for which there were no blocks all the same */
        uint64_t seen;         /* the last page when holes were looked for: they come where a file grows */
    } filled;                  /* inside the gate: see room.c; zero until the first holes */
    int64_t commits_to_lag_check; /* inside the gate: commits until readers that lag are looked for: see lag.h */
    uint64_t held_on_purpose;  /* inside the gate: LMDB's number of the commit of a snapshot that was waited for */
    uint64_t committed;        /* LMDB's number of the last commit through this store; 0: none yet */
    st_page_use use;           /* inside the gate: see soundness.h; zero until the first write */
    struct {
        uint64_t look_at;      /* the pages of the file at which snapshots are looked for again */
        uint64_t suspect;      /* LMDB's number of the commit that was held by the oldest one then */
        double since;          /* when that was first seen: seconds of the monotonic clock */
        uint64_t warned;       /* LMDB's number of the commit that was warned about last */
    } growth;                  /* inside the gate: see growth.h */

    st_page_log log;           /* inside the gate: see page_log.h */
    st_deferral deferral;

    st_history history;        /* records of commits, for feeds */
    atomic_uint waiters;       /* threads of this process that wait for a commit: see wake.h */
    uint32_t feeds;            /* of this process; guarded by `lock` */
    bool watches;              /* guarded by `lock`: a thread has waited for a commit */
    bool others_wait;          /* inside the gate: another process waited for commits when the write began, */
    bool others_read;          /* and another process had feeds */

    struct st_worker *worker;  /* for queued writes: see worker.h */

    pthread_mutex_t slots_lock; /* see slots.c */

    pthread_mutex_t pool_lock; /* guards what follows: see pool.h */
    struct st_txn *idle;
    uint32_t idle_count;
    struct st_txn *open;       /* snapshots in use */

    pthread_mutex_t lock;      /* guards the attachment: see handle.h */
    void *attachment;
    void (*free_attachment)(void *);
};

/** A writer has two users: the thread that began it, which alone can end LMDB's transaction and the turn, and whoever
 * was given the pointer. Mostly both are done with it in one call; if not, the second one frees it. */
enum { ST_LEFT_BY_NOBODY, ST_LEFT_BY_THREAD /* which ended, and LMDB's transaction with it */, ST_LEFT_BY_HOLDER };

/** A snapshot or a writer. While a snapshot is idle in the pool, it is reset but keeps its reader slot. */
struct st_txn {
    strata_store *store;
    MDB_txn *mdb;
    struct st_txn *next;           /* snapshots: in the list of the idle ones, or of those in use */
    struct st_txn *previous;       /* snapshots: in the list of those in use */
    double begun;                  /* snapshots: seconds of the monotonic clock */
    char label[STRATA_MAX_LABEL + 1];
    struct st_txn *shared;         /* snapshots: the one whose reader slot this one uses; NULL if it is its own */
    _Atomic uint32_t holders;      /* snapshots with a slot: how many use it, the one that began it among them */
    char shared_label[STRATA_MAX_LABEL + 1]; /* snapshots with a slot: its label when only others use it */
    bool is_left;                  /* snapshots with a slot: only others use it */
    bool looks;                    /* snapshots with a slot: it is not a pin that anybody is told of */
    st_page_file file;             /* snapshots: the commit that is seen */
    uint32_t trees_known;          /* snapshots: a bit per tree whose root was looked up */
    st_page_tree trees[ST_TREES];
    st_walk walks[ST_TREES];       /* snapshots: used by st_tree_seek() */
    MDB_cursor *seekers[ST_TREES]; /* writers: used by st_tree_seek(); opened when first needed */
    bool writing;
    strata_status failure;         /* writers: how an earlier change failed; then only abort is left */
    pthread_t owner;               /* writers */
    struct st_txn *next_owned;     /* writers: in the list of its thread (writer.c) */
    strata_queued_write *queued;   /* writers: for which the transaction was borrowed (worker.h), or NULL */
    st_redo *redo;                 /* writers: where changes of trees are noted, or NULL */
    _Atomic int left;              /* writers: whether one of its two users has left it, an ST_LEFT_... */
    uint64_t put;                  /* writers: bytes of the values put */
    int64_t objects;               /* writers: how many objects there are more */
    uint64_t last_page;            /* writers: the last page that values on pages of their own got; 0: they got none */
    uint64_t deleted;              /* writers: how many entries were deleted */
    uint32_t touched;              /* writers: a bit per tree that was changed */
    st_unrecorded unrecorded;      /* writers */
    bool is_last;                  /* writers: no other write may share the transaction after this one */
    uint64_t stamp;                /* LMDB's number of the commit that is seen */
    st_header header;
    uint8_t record[ST_HEADER_SIZE]; /* writers: the header record as read, for the fields that never change */
};

typedef struct st_txn st_txn;

/** The number of forks between the first process and this one. */
extern uint32_t st_fork_count;

/** Was the store opened by a parent of this process? */
static inline bool st_forked(const strata_store *store) { return store->fork_count != st_fork_count; }

/** What messages call the store: its path, or its name in memory. */
static inline const char *st_store_name(const strata_store *store) {
    return store->memory_name != NULL ? store->memory_name : store->path;
}

/** A store with nothing open. NULL if there is no memory. Ownership: freed with st_store_destroy(). */
strata_store *st_store_make(void);

#endif
