/* SPDX-License-Identifier: MIT
 * test_txn.c -- snapshots and writers: isolation, threads, processes, forks, failing disks. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "store/cursor.h"
#include "store/fork.h"
#include "store/lmdb_status.h"
#include "store/snapshot.h"
#include "store/tree.h"
#include "store/writer.h"
#include "support/faults.h"
#include "support/store_support.h"

/* ---- Snapshots -------------------------------------------------------- */

void test_txn_snapshots_are_isolated(void) {
    st_txn *old, *young;
    strata_bytes out;
    strata_store *store = must_open(ctest_path("a.strata"));
    must_write(store, "k", "one");
    CHECK_EQ(st_snapshot_begin(store, &old, NULL), STRATA_OK);
    CHECK(!st_snapshot_is_stale(old));
    must_write(store, "k", "two");
    CHECK(st_snapshot_is_stale(old));
    CHECK_EQ(st_snapshot_begin(store, &young, NULL), STRATA_OK);
    CHECK(!st_snapshot_is_stale(young));
    CHECK_EQ(st_txn_header(young)->version, st_txn_header(old)->version + 1);
    CHECK_EQ(st_tree_get(old, ST_ROWS, text("k"), &out, NULL), STRATA_OK);
    CHECK(out.size == 3 && memcmp(out.data, "one", 3) == 0);
    CHECK_EQ(st_tree_get(young, ST_ROWS, text("k"), &out, NULL), STRATA_OK);
    CHECK(out.size == 3 && memcmp(out.data, "two", 3) == 0);
    CHECK_EQ(st_tree_put(young, ST_ROWS, text("k"), text("v"), NULL), STRATA_NOT_WRITING);
    st_snapshot_end(old);
    st_snapshot_end(young);
    st_snapshot_end(NULL);
    strata_store_close(store);
}

void test_txn_snapshots_are_pooled(void) {
    enum { MANY = 100 };
    static st_txn *txns[MANY];
    strata_store_stats stats = { .size = sizeof stats };
    strata_store *store = must_open(ctest_path("a.strata"));
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < MANY; i++) CHECK_EQ(st_snapshot_begin(store, &txns[i], NULL), STRATA_OK);
        CHECK_EQ(strata_store_get_stats(store, &stats, NULL), STRATA_OK);
        CHECK_EQ(stats.snapshots, MANY);
        for (int i = 0; i < MANY; i++) st_snapshot_end(txns[i]);
        CHECK_EQ(strata_store_get_stats(store, &stats, NULL), STRATA_OK);
        CHECK_EQ(stats.snapshots, 0);
    }
    CHECK_EQ(st_snapshot_begin(store, &txns[0], NULL), STRATA_OK);
    st_snapshot_end(txns[0]);
    uint64_t before = st_store_calls();
    CHECK_EQ(st_snapshot_begin(store, &txns[0], NULL), STRATA_OK);
    st_snapshot_end(txns[0]);
    CHECK_EQ(st_store_calls() - before, 3); /* renew, read the header record, reset */
    strata_store_close(store);
}

void test_txn_too_many_snapshots(void) {
    enum { MOST = 10 };
    st_txn *txns[MOST + 1];
    strata_error error;
    strata_config config = { .size = sizeof config, .path = ctest_path("a.strata"), .max_readers = MOST };
    strata_store *store = must_open_with(&config);
    int begun = 0;
    while (begun <= MOST && st_snapshot_begin(store, &txns[begun], &error) == STRATA_OK) begun++;
    /* The size of the table is rounded up to pages by some versions; ours makes it exact. */
    CHECK_EQ(begun, MOST);
    CHECK_EQ(error.status, STRATA_READERS_FULL);
    CHECK(txns[begun] == NULL && strstr(error.message, "a.strata") != NULL);
    while (begun > 0) st_snapshot_end(txns[--begun]);
    CHECK_EQ(st_snapshot_begin(store, &txns[0], NULL), STRATA_OK);
    st_snapshot_end(txns[0]);
    strata_store_close(store);
}

static void open_beside_all_snapshots(void *path) {
    strata_store *store;
    strata_error error;
    strata_config config = { .size = sizeof config, .path = path };
    CHECK_EQ(strata_store_open(&config, &store, &error), STRATA_READERS_FULL);
    CHECK(store == NULL && strstr(error.message, "opening '") != NULL && strstr(error.message, "max_readers") != NULL);
}

/* Opening takes a snapshot for a moment. */
void test_txn_too_many_snapshots_for_opening(void) {
    enum { MOST = 3 };
    st_txn *txns[MOST];
    strata_config config = { .size = sizeof config, .path = ctest_path("a.strata"), .max_readers = MOST };
    strata_store *store = must_open_with(&config);
    for (int i = 0; i < MOST; i++) CHECK_EQ(st_snapshot_begin(store, &txns[i], NULL), STRATA_OK);
    CHECK_EQ(ctest_child(open_beside_all_snapshots, (void *)(uintptr_t)config.path), 0);
    for (int i = 0; i < MOST; i++) st_snapshot_end(txns[i]);
    strata_store_close(store);
}

static void die_holding_snapshots(void *path) {
    st_txn *txn;
    strata_store *store = must_open(path);
    for (int i = 0; i < 8; i++) CHECK_EQ(st_snapshot_begin(store, &txn, NULL), STRATA_OK);
    raise(SIGKILL);
}

void test_txn_forgets_dead_readers(void) {
    st_txn *txns[10];
    strata_config config = { .size = sizeof config, .path = ctest_path("a.strata"), .max_readers = 10 };
    strata_store *store = must_open_with(&config);
    CHECK_EQ(ctest_child(die_holding_snapshots, (void *)(uintptr_t)config.path), 1000 + SIGKILL);
    for (int i = 0; i < 10; i++) CHECK_EQ(st_snapshot_begin(store, &txns[i], NULL), STRATA_OK);
    for (int i = 0; i < 10; i++) st_snapshot_end(txns[i]);
    strata_store_close(store);
}

/* ---- Writers ---------------------------------------------------------- */

void test_txn_abort_leaves_no_trace(void) {
    st_txn *txn;
    strata_store *store = must_open(ctest_path("a.strata"));
    must_write(store, "k", "kept");
    CHECK_EQ(st_writer_begin(store, &txn, NULL), STRATA_OK);
    CHECK(st_txn_store(txn) == store);
    CHECK_EQ(st_tree_put(txn, ST_ROWS, text("k"), text("lost"), NULL), STRATA_OK);
    st_writer_abort(txn);
    must_hold(store, "k", "kept");
    st_writer_abort(NULL);
    strata_store_close(store);
}

void test_txn_header_is_committed(void) {
    st_txn *txn;
    uint8_t uuid[16];
    const char *path = ctest_path("a.strata");
    strata_store *store = must_open(path);
    CHECK_EQ(st_writer_begin(store, &txn, NULL), STRATA_OK);
    CHECK(st_txn_header(txn)->schema_version == STRATA_NO_SCHEMA);
    CHECK_EQ(st_txn_header(txn)->catalog_version, 0);
    memcpy(uuid, st_txn_header(txn)->uuid, sizeof uuid);
    uint64_t version = st_txn_header(txn)->version;
    st_txn_header(txn)->schema_version = 7;
    st_txn_header(txn)->catalog_version = 8;
    CHECK_EQ(st_writer_commit(txn, NULL), STRATA_OK);
    strata_store_close(store);
    store = must_open(path);
    CHECK_EQ(st_snapshot_begin(store, &txn, NULL), STRATA_OK);
    CHECK_EQ(st_txn_header(txn)->schema_version, 7);
    CHECK_EQ(st_txn_header(txn)->catalog_version, 8);
    CHECK_EQ(st_txn_header(txn)->version, version);
    CHECK(memcmp(st_txn_header(txn)->uuid, uuid, sizeof uuid) == 0);
    st_snapshot_end(txn);
    strata_store_close(store);
}

void test_txn_nested_write_is_refused(void) {
    st_txn *txn, *nested;
    strata_error error;
    strata_store *store = must_open(ctest_path("a.strata"));
    CHECK_EQ(st_writer_begin(store, &txn, NULL), STRATA_OK);
    CHECK_EQ(st_writer_begin(store, &nested, &error), STRATA_WRITING);
    CHECK(nested == NULL && strstr(error.message, "a.strata") != NULL);
    CHECK_EQ(st_tree_put(txn, ST_ROWS, text("k"), text("v"), NULL), STRATA_OK);
    CHECK_EQ(st_writer_commit(txn, NULL), STRATA_OK);
    must_hold(store, "k", "v");
    strata_store_close(store);
}

static void *use_on_another_thread(void *txn) {
    CHECK_EQ(st_tree_put(txn, ST_ROWS, text("k"), text("w"), NULL), STRATA_WRONG_THREAD);
    CHECK_EQ(st_tree_delete(txn, ST_ROWS, text("k"), NULL), STRATA_WRONG_THREAD);
    CHECK_EQ(st_writer_commit(txn, NULL), STRATA_WRONG_THREAD);
    st_writer_abort(txn); /* does nothing */
    return NULL;
}

void test_txn_wrong_thread(void) {
    st_txn *txn;
    pthread_t thread;
    strata_store *store = must_open(ctest_path("a.strata"));
    CHECK_EQ(st_writer_begin(store, &txn, NULL), STRATA_OK);
    CHECK_EQ(st_tree_put(txn, ST_ROWS, text("k"), text("v"), NULL), STRATA_OK);
    CHECK_EQ(pthread_create(&thread, NULL, use_on_another_thread, txn), 0);
    pthread_join(thread, NULL);
    CHECK_EQ(st_writer_commit(txn, NULL), STRATA_OK);
    must_hold(store, "k", "v");
    must_write(store, "k", "again");
    strata_store_close(store);
}

typedef struct abandoned {
    strata_store *store;
    st_txn *txn;
    st_cursor *cursor;
} abandoned;

static void *begin_and_end_the_thread(void *argument) {
    abandoned *it = argument;
    CHECK_EQ(st_writer_begin(it->store, &it->txn, NULL), STRATA_OK);
    CHECK_EQ(st_tree_put(it->txn, ST_ROWS, text("k"), text("lost"), NULL), STRATA_OK);
    CHECK_EQ(st_cursor_open(it->txn, ST_ROWS, &it->cursor, NULL), STRATA_OK);
    return NULL;
}

void test_txn_thread_ends_while_writing(void) {
    pthread_t thread;
    strata_bytes key, value;
    const char *path = ctest_path("a.strata");
    abandoned it = { .store = must_open(path) };
    must_write(it.store, "k", "kept");
    for (int round = 0; round < 3; round++) {
        CHECK_EQ(pthread_create(&thread, NULL, begin_and_end_the_thread, &it), 0);
        pthread_join(thread, NULL);
        must_hold(it.store, "k", "kept");
        must_write(it.store, "other", "writers go on");
        CHECK_EQ(st_tree_get(it.txn, ST_ROWS, text("k"), &value, NULL), STRATA_WRONG_THREAD);
        CHECK_EQ(st_tree_put(it.txn, ST_ROWS, text("k"), text("w"), NULL), STRATA_WRONG_THREAD);
        CHECK_EQ(st_cursor_last(it.cursor, &key, &value, NULL), STRATA_WRONG_THREAD);
        st_cursor_close(it.cursor);
        if (round == 0) CHECK_EQ(st_writer_commit(it.txn, NULL), STRATA_WRONG_THREAD);
        else st_writer_abort(it.txn);
    }
    strata_store_close(it.store);
    strata_store *store = must_open(path);
    must_hold(store, "k", "kept");
    strata_store_close(store);
}

static void *begin_and_tell(void *argument) {
    abandoned *it = argument;
    st_txn *txn;
    CHECK_EQ(st_writer_begin(it->store, &txn, NULL), STRATA_OK);
    for (char key[] = "a"; key[0] <= 'z'; key[0]++)
        CHECK_EQ(st_tree_put(txn, ST_ROWS, text(key), text("lost"), NULL), STRATA_OK);
    __atomic_store_n(&it->txn, txn, __ATOMIC_RELEASE);
    return NULL;
}

/* The thread ends its transaction while another one has no use for it any more. One of them frees it. */
void test_txn_thread_ends_while_another_cancels(void) {
    abandoned it = { .store = must_open(ctest_path("a.strata")) };
    for (int round = 0; round < 500; round++) {
        pthread_t thread;
        st_txn *txn;
        it.txn = NULL;
        CHECK_EQ(pthread_create(&thread, NULL, begin_and_tell, &it), 0);
        while ((txn = __atomic_load_n(&it.txn, __ATOMIC_ACQUIRE)) == NULL) {}
        st_writer_abort(txn);
        pthread_join(thread, NULL);
    }
    must_write(it.store, "k", "v");
    strata_store_close(it.store);
}

static void *cancel(void *txn) {
    st_writer_abort(txn);
    return NULL;
}

/* Only the owner's thread can end it, and does so before it writes again. */
void test_txn_cancelled_on_another_thread_ends_with_the_next_one(void) {
    pthread_t thread;
    const char *path = ctest_path("a.strata");
    strata_config config = { .size = sizeof config, .path = path };
    strata_error error;
    st_txn *txn;
    strata_store *store = must_open(path);
    CHECK_EQ(st_writer_begin(store, &txn, NULL), STRATA_OK);
    CHECK_EQ(st_tree_put(txn, ST_ROWS, text("k"), text("lost"), NULL), STRATA_OK);
    CHECK_EQ(pthread_create(&thread, NULL, cancel, txn), 0);
    pthread_join(thread, NULL);
    must_write(store, "other", "writers go on");
    CHECK(strata_store_newest(store) > 0);
    must_hold(store, "other", "writers go on");
    strata_store_close(store);
    CHECK_EQ(strata_compact(&config, NULL, &error), STRATA_OK); /* nobody has it open any more */
}

static void *count_on_a_thread(void *store) {
    for (int i = 0; i < 200; i++) add_to_counter(store);
    return NULL;
}

void test_txn_threads_lose_nothing(void) {
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    strata_config config = { .size = sizeof config, .memory_name = "threads" };
    strata_store *store = must_open_with(&config);
    for (int i = 0; i < THREADS; i++) CHECK_EQ(pthread_create(&threads[i], NULL, count_on_a_thread, store), 0);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    CHECK_EQ(read_counter(store), THREADS * 200);
    strata_store_close(store);
}

/* Threads that queue up one after the other, while the writer is held, write in that order. */
typedef struct queue {
    strata_store *store;
    pthread_mutex_t lock;
    int next, order[8], written;
} queue;

static void *write_in_turn(void *argument) {
    queue *it = argument;
    st_txn *txn;
    pthread_mutex_lock(&it->lock);
    int number = it->next++;
    pthread_mutex_unlock(&it->lock);
    CHECK_EQ(st_writer_begin(it->store, &txn, NULL), STRATA_OK);
    it->order[it->written++] = number; /* only the writer is here */
    CHECK_EQ(st_writer_commit(txn, NULL), STRATA_OK);
    return NULL;
}

void test_txn_writers_take_turns(void) {
    const struct timespec settle = { 0, 30 * 1000 * 1000 };
    queue it = { .lock = PTHREAD_MUTEX_INITIALIZER };
    pthread_t threads[8];
    st_txn *txn;
    it.store = must_open(ctest_path("a.strata"));
    CHECK_EQ(st_writer_begin(it.store, &txn, NULL), STRATA_OK);
    for (int i = 0; i < 8; i++) {
        CHECK_EQ(pthread_create(&threads[i], NULL, write_in_turn, &it), 0);
        nanosleep(&settle, NULL); /* lets it reach the queue; if it does not, the order may differ */
    }
    st_writer_abort(txn);
    for (int i = 0; i < 8; i++) pthread_join(threads[i], NULL);
    CHECK_EQ(it.written, 8);
    int in_order = 0;
    for (int i = 0; i < 8; i++) in_order += it.order[i] == i;
    if (in_order != 8) ctest_skip("the machine is too busy to see the order of the queue");
    strata_store_close(it.store);
}

static void count_in_a_process(void *path) {
    strata_store *store = must_open(path);
    for (int i = 0; i < 100; i++) add_to_counter(store);
    strata_store_close(store);
}

void test_txn_processes_lose_nothing(void) {
    const char *path = ctest_path("a.strata");
    int children[3];
    for (int i = 0; i < 3; i++) children[i] = ctest_child_start(count_in_a_process, (void *)(uintptr_t)path);
    for (int i = 0; i < 3; i++) CHECK_EQ(ctest_child_wait(children[i]), 0);
    strata_store *store = must_open(path);
    CHECK_EQ(read_counter(store), 300);
    strata_store_close(store);
}

/* Every snapshot shows one commit: its number and its content rise together. */
static void *read_while_writing(void *argument) {
    strata_store *store = argument;
    uint64_t last = 0;
    for (int i = 0; i < 2000; i++) {
        st_txn *txn;
        strata_bytes out;
        CHECK_EQ(st_snapshot_begin(store, &txn, NULL), STRATA_OK);
        uint64_t version = st_txn_header(txn)->version;
        CHECK(version >= last);
        last = version;
        if (st_tree_get(txn, ST_ROWS, text("counter"), &out, NULL) == STRATA_OK)
            CHECK_EQ(strata_load64(out.data), version - 1); /* the first commit made the trees */
        st_snapshot_end(txn);
    }
    return NULL;
}

void test_txn_snapshots_show_one_commit(void) {
    pthread_t readers[2], writer;
    strata_config config = { .size = sizeof config, .memory_name = "one commit" };
    strata_store *store = must_open_with(&config);
    CHECK_EQ(pthread_create(&writer, NULL, count_on_a_thread, store), 0);
    for (int i = 0; i < 2; i++) CHECK_EQ(pthread_create(&readers[i], NULL, read_while_writing, store), 0);
    pthread_join(writer, NULL);
    for (int i = 0; i < 2; i++) pthread_join(readers[i], NULL);
    strata_store_close(store);
}

static void *let_go(void *descriptor) {
    const struct timespec moment = { 0, 60 * 1000 * 1000 };
    nanosleep(&moment, NULL);
    close(*(int *)descriptor);
    return NULL;
}

/* A process that is killed while it writes loses LMDB's lock before ours, which is waited for. */
void test_txn_waits_for_a_dying_writer(void) {
    const char *path = ctest_path("a.strata");
    pthread_t thread;
    strata_store *store = must_open(path);
    int file = open(path, O_RDWR);
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)1 << 62, .l_len = 1 };
    CHECK(file >= 0);
    CHECK_EQ(fcntl(file, F_OFD_SETLK, &lock), 0);
    CHECK_EQ(pthread_create(&thread, NULL, let_go, &file), 0);
    must_write(store, "k", "v");
    CHECK_EQ(pthread_join(thread, NULL), 0);
    must_hold(store, "k", "v");
    strata_store_close(store);
}

/* ---- Fork ------------------------------------------------------------- */

typedef struct inherited {
    strata_store *store;
    st_txn *snapshot, *writer;
    st_cursor *cursor;
    uint64_t epoch;
    const char *path;
} inherited;

static void use_inherited(void *argument) {
    inherited *it = argument;
    st_txn *txn;
    strata_bytes key, value;
    strata_store_stats stats = { .size = sizeof stats };
    strata_error error;
    CHECK(it->epoch != 5);
    CHECK_EQ(st_store_check(it->store, &error), STRATA_AFTER_FORK);
    CHECK(strstr(error.message, it->path) != NULL);
    CHECK_EQ(st_snapshot_begin(it->store, &txn, NULL), STRATA_AFTER_FORK);
    CHECK_EQ(st_writer_begin(it->store, &txn, NULL), STRATA_AFTER_FORK);
    CHECK_EQ(st_tree_get(it->snapshot, ST_ROWS, text("k"), &value, NULL), STRATA_AFTER_FORK);
    CHECK_EQ(st_tree_put(it->writer, ST_ROWS, text("k"), text("w"), NULL), STRATA_AFTER_FORK);
    CHECK_EQ(st_cursor_next(it->cursor, &key, &value, NULL), STRATA_AFTER_FORK);
    CHECK_EQ(strata_store_get_stats(it->store, &stats, NULL), STRATA_AFTER_FORK);
    CHECK(st_snapshot_is_stale(it->snapshot));
    st_cursor_close(it->cursor);
    st_snapshot_end(it->snapshot);
    CHECK_EQ(st_writer_commit(it->writer, NULL), STRATA_AFTER_FORK);
    strata_store_close(it->store);
    /* The child's own handle is another store, and reads what the parent committed. */
    strata_store *own = must_open(it->path);
    CHECK(own != it->store);
    must_hold(own, "k", "v");
    strata_store_close(own);
}

void test_txn_after_fork(void) {
    inherited it = { .epoch = 5, .path = ctest_path("a.strata") };
    strata_bytes key, value;
    st_fork_watch other = { .epoch = &(uint64_t){ 1 } }, watch = { .epoch = &it.epoch };
    it.store = must_open(it.path);
    must_write(it.store, "k", "v");
    st_fork_watch_add(&other);
    st_fork_watch_add(&watch);
    CHECK_EQ(st_snapshot_begin(it.store, &it.snapshot, NULL), STRATA_OK);
    CHECK_EQ(st_writer_begin(it.store, &it.writer, NULL), STRATA_OK);
    CHECK_EQ(st_cursor_open(it.snapshot, ST_ROWS, &it.cursor, NULL), STRATA_OK);
    CHECK_EQ(st_cursor_seek(it.cursor, text("k"), &key, &value, NULL), STRATA_OK);
    CHECK_EQ(ctest_child(use_inherited, &it), 0);
    CHECK_EQ(it.epoch, 5);
    st_cursor_close(it.cursor);
    st_snapshot_end(it.snapshot);
    CHECK_EQ(st_tree_put(it.writer, ST_ROWS, text("k"), text("w"), NULL), STRATA_OK);
    CHECK_EQ(st_writer_commit(it.writer, NULL), STRATA_OK);
    must_hold(it.store, "k", "w");
    st_fork_watch_remove(&other);
    st_fork_watch_remove(&watch);
    strata_store_close(it.store);
}

static void write_after_fork(void *path) {
    strata_store *own = must_open(path);
    for (int i = 0; i < 50; i++) add_to_counter(own);
    strata_store_close(own);
}

void test_txn_parent_and_child_write(void) {
    const char *path = ctest_path("a.strata");
    strata_store *store = must_open(path);
    int child = ctest_child_start(write_after_fork, (void *)(uintptr_t)path);
    for (int i = 0; i < 50; i++) add_to_counter(store);
    CHECK_EQ(ctest_child_wait(child), 0);
    CHECK_EQ(read_counter(store), 100);
    strata_store_close(store);
}

/* ---- Room and failing disks ------------------------------------------- */

static char big[1 << 20];

void test_txn_size_limit(void) {
    strata_error error;
    st_txn *txn;
    strata_config config = { .size = sizeof config, .path = ctest_path("a.strata"), .map_size = 4 << 20 };
    strata_store *store = must_open_with(&config);
    must_write(store, "k", "v");
    CHECK_EQ(st_writer_begin(store, &txn, NULL), STRATA_OK);
    strata_status status = STRATA_OK;
    char key[2] = "a";
    for (; status == STRATA_OK; key[0]++) status = st_tree_put(txn, ST_ROWS, text(key), bytes(big, sizeof big), &error);
    CHECK_EQ(status, STRATA_SIZE_LIMIT);
    CHECK(strstr(error.message, "map_size") != NULL);
    CHECK_EQ(st_tree_put(txn, ST_ROWS, text("k"), text("w"), &error), STRATA_SIZE_LIMIT);
    CHECK_EQ(st_writer_commit(txn, &error), STRATA_SIZE_LIMIT); /* and is gone */
    must_hold(store, "k", "v");
    must_lack(store, "a");
    must_write(store, "k", "w");
    strata_store_close(store);
}

static void fill_to_the_limit(void *path) {
    strata_error error;
    struct rlimit limit = { 1 << 20, 1 << 20 };
    signal(SIGXFSZ, SIG_IGN);
    strata_store *store = must_open(path);
    must_write(store, "k", "v");
    CHECK_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
    CHECK_EQ(try_write(store, "big", bytes(big, sizeof big), &error), STRATA_DISK_FULL);
    CHECK(strstr(error.message, path) != NULL);
    must_hold(store, "k", "v");
    must_lack(store, "big");
    must_write(store, "k", "w"); /* smaller things still fit */
    must_hold(store, "k", "w");
    strata_store_close(store);
}

void test_txn_file_size_limit_of_the_process(void) {
    const char *path = ctest_path("a.strata");
    CHECK_EQ(ctest_child(fill_to_the_limit, (void *)(uintptr_t)path), 0);
    strata_store *store = must_open(path);
    must_hold(store, "k", "w");
    strata_store_close(store);
}

static void create_under_a_limit(void *path) {
    strata_error error;
    struct rlimit limit = { 5000, 5000 };
    signal(SIGXFSZ, SIG_IGN);
    CHECK_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
    CHECK_EQ(open_status(path, 0, &error), STRATA_DISK_FULL);
}

void test_txn_failed_creation_leaves_nothing(void) {
    const char *path = ctest_path("a.strata");
    CHECK_EQ(ctest_child(create_under_a_limit, (void *)(uintptr_t)path), 0);
    CHECK_EQ(rmdir(ctest_directory()), 0);
    CHECK_EQ(mkdir(ctest_directory(), 0700), 0);
}

static void fill_the_disk(strata_store *store) {
    strata_error error;
    static char value[100000];
    strata_status status = STRATA_OK;
    int written = 0;
    char key[16];
    for (; status == STRATA_OK; written++) {
        snprintf(key, sizeof key, "%05d", written);
        status = try_write(store, key, bytes(value, sizeof value), &error);
    }
    CHECK_TEXT(strata_status_name(status), "STRATA_DISK_FULL");
    CHECK(written > 5);
    for (int i = 0; i < written - 1; i++) {
        st_txn *txn;
        strata_bytes out;
        snprintf(key, sizeof key, "%05d", i);
        CHECK_EQ(st_snapshot_begin(store, &txn, NULL), STRATA_OK);
        CHECK_EQ(st_tree_get(txn, ST_ROWS, text(key), &out, NULL), STRATA_OK);
        CHECK_EQ(out.size, sizeof value);
        st_snapshot_end(txn);
    }
    /* Room can be made on the full disk. */
    for (int i = 0; i < 5; i++) {
        snprintf(key, sizeof key, "%05d", i);
        must_write(store, key, "less");
    }
    for (int i = 0; i < 2; i++) CHECK_EQ(try_write(store, "again", bytes(value, sizeof value), NULL), STRATA_OK);
}

static off_t size_of(const char *path) {
    struct stat info;
    CHECK_EQ(stat(path, &info), 0);
    return info.st_size;
}

/* So many values that LMDB needs several calls to write their pages. */
static strata_status write_many(strata_store *store) {
    enum { MANY = 300, SIZE = 3000 };
    st_txn *txn;
    char key[16];
    CHECK_EQ(st_writer_begin(store, &txn, NULL), STRATA_OK);
    for (int i = 0; i < MANY; i++) {
        snprintf(key, sizeof key, "%05d", i);
        CHECK_EQ(st_tree_put(txn, ST_ROWS, text(key), bytes(big, SIZE), NULL), STRATA_OK);
    }
    return st_writer_commit(txn, NULL);
}

/* Holes get blocks, but a file that is damaged, and says that it has a GiB more, gets none for it. */
void test_txn_a_wrong_last_page_takes_no_room(void) {
    enum { LAST_PAGE = 136, MORE = 1 << 18, VALUES = 40, SIZE = 9000, MOST = 16 << 20 };
    char path[512], key[8], value[SIZE + 1];
    struct stat info;
    snprintf(path, sizeof path, "%s", ctest_path("a.strata"));
    strata_store *store = must_open(path);
    off_t page = (off_t)sysconf(_SC_PAGESIZE);
    must_write(store, "k", "v");
    strata_store_close(store);
    int file = open(path, O_RDWR);
    for (off_t meta = 0; meta < 2; meta++) {
        uint64_t last;
        CHECK_EQ(pread(file, &last, sizeof last, meta * page + LAST_PAGE), sizeof last);
        last += MORE;
        CHECK_EQ(pwrite(file, &last, sizeof last, meta * page + LAST_PAGE), sizeof last);
    }
    memset(value, 'x', SIZE);
    value[SIZE] = 0;
    for (int round = 0; round < 3; round++) {
        store = must_open(path);
        for (int i = 0; i < VALUES; i++) {
            snprintf(key, sizeof key, "%d-%d", round, i);
            must_write(store, key, value);
        }
        strata_store_close(store);
        CHECK(fstat(file, &info) == 0 && info.st_size > MORE * page && info.st_blocks * 512 < MOST);
    }
    close(file);
}

/* Whatever a commit has written when there turns out to be no room for it, the file takes no more of the disk then. */
void test_txn_gives_back_what_did_not_fit(void) {
    const char *path = ctest_path("a.strata");
    strata_store *store = must_open(path);
    must_write(store, "k", "v");
    off_t before = size_of(path);
    unsigned nth = 1;
    for (;; nth++) {
        fault_set(FAULT_WRITEV, nth, 1, ENOSPC);
        strata_status status = write_many(store);
        (void)fault_clear();
        if (status == STRATA_OK) break;
        CHECK_EQ(status, STRATA_DISK_FULL);
        CHECK_EQ(size_of(path), before);
        must_hold(store, "k", "v");
        must_lack(store, "00000");
    }
    CHECK(nth > 3 && size_of(path) > before);
    strata_store_close(store);
    store = must_open(path);
    must_hold(store, "k", "v");
    strata_store_close(store);
}

void test_txn_disk_full(void) {
    const char *mount_point = ctest_path("small");
    CHECK_EQ(mkdir(mount_point, 0700), 0);
    if (mount("tmpfs", mount_point, "tmpfs", 0, "size=3m") != 0) ctest_skip("the process may not mount a small disk");
    char path[600];
    snprintf(path, sizeof path, "%s/a.strata", mount_point);
    strata_store *store = must_open(path);
    fill_the_disk(store);
    strata_store_close(store);
    store = must_open(path);
    must_hold(store, "00000", "less");
    strata_store_close(store);
    CHECK_EQ(umount(mount_point), 0);
}

/* Fails the `nth` call of a kind in a commit, for all of them: the commit is reported as failed, or is there. */
static bool fail_call_in_commit(fault_call call, unsigned nth, int code) {
    const char *path = ctest_path("faulty");
    strata_error error = { .status = STRATA_OK };
    st_txn *snapshot;
    strata_bytes out;
    unlink(path);
    strata_store *store = must_open(path);
    must_write(store, "k", "before");
    CHECK_EQ(st_snapshot_begin(store, &snapshot, NULL), STRATA_OK);
    fault_set(call, nth, 1, code);
    strata_status status = try_write(store, "k", text("after"), &error);
    bool met = fault_clear();
    CHECK((status == STRATA_OK) == !met);
    CHECK_EQ(st_tree_get(snapshot, ST_ROWS, text("k"), &out, NULL), STRATA_OK);
    CHECK(out.size == 6 && memcmp(out.data, "before", 6) == 0);
    st_snapshot_end(snapshot);
    if (met && code == ENOSPC && status == STRATA_DISK_FULL) {
        must_hold(store, "k", "before");
        must_write(store, "k", "room"); /* a full disk is not the end */
        must_hold(store, "k", "room");
    } else if (met) {
        CHECK(status == STRATA_COMMIT_UNKNOWN || (status == STRATA_IO && code == EIO));
        CHECK_EQ(try_write(store, "k", text("later"), &error), STRATA_POISONED);
    }
    strata_store_close(store);
    store = must_open(path);
    if (!met) must_hold(store, "k", "after");
    must_write(store, "k", "alive");
    must_hold(store, "k", "alive");
    strata_store_close(store);
    return met;
}

void test_txn_failing_disk(void) {
    static const int codes[] = { EIO, ENOSPC };
    for (size_t c = 0; c < 2; c++) {
        unsigned met = 0;
        for (int call = 0; call <= FAULT_FDATASYNC; call++)
            for (unsigned nth = 1; fail_call_in_commit((fault_call)call, nth, codes[c]); nth++) met++;
        CHECK(met >= 3); /* a data page, the sync, the meta page */
    }
}
