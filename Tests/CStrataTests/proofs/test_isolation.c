/* SPDX-License-Identifier: MIT
 *
 * test_isolation.c -- every snapshot shows one commit, however many write and read.
 *
 * Writers move amounts between accounts, and accounts between owners; the sum of all is always the same. Readers look
 * twice at each snapshot. In memory, where a commit does not wait for a disk, threads race; on a file, processes with
 * threads. CTEST_SOAK is how many snapshots are read.
 */
#define _GNU_SOURCE 1
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "support/strata_support.h"

enum { READS = 20000, THREADS = 2, PROCESSES = 2, ACCOUNTS = 12, EACH = 1000, OWNERS = 4, AHEAD = 500 };
enum { AMOUNT, OWNER };

/* Shared by all processes of a test. */
typedef struct race {
    char path[600];
    bool in_memory;
    uint64_t reads, seed; /* of each thread */
    atomic_uint readers;  /* that have not finished */
    atomic_ullong commits, seen, snapshots;
} race;

static fixture *open_accounts(const race *it) {
    strata_column_spec account[] = { column("amount", STRATA_INT, 0),
                                     column("owner", STRATA_INT, STRATA_COLUMN_INDEXED) };
    strata_table_spec table = { "Account", 0, 2, account };
    strata_config config = { .size = sizeof config, .map_size = 1 << 30 };
    if (it->in_memory) config.memory_name = it->path;
    else config.path = it->path;
    fixture *f = calloc(1, sizeof *f);
    CHECK(f != NULL);
    MUST(strata_store_open(&config, &f->store, &f->error));
    MUST(strata_view_open(f->store, &f->view, &f->error));
    MUST(apply(f, 0, &table, 1));
    return f;
}

static void move_amounts(fixture *f, uint64_t *random) {
    MUST(strata_view_begin(f->view, &f->error));
    for (int i = 0; i < 3; i++) {
        uint64_t from = 1 + ctest_random(random) % ACCOUNTS, to = 1 + ctest_random(random) % ACCOUNTS;
        int64_t amount = (int64_t)(ctest_random(random) % 500);
        strata_row a = row_of(f, 0, from);
        strata_value less = strata_int(strata_row_int(&a, AMOUNT) - amount);
        MUST(strata_row_set(&a, AMOUNT, &less, &f->error));
        strata_row b = row_of(f, 0, to);
        strata_value more = strata_int(strata_row_int(&b, AMOUNT) + amount);
        MUST(strata_row_set(&b, AMOUNT, &more, &f->error));
        set(f, 0, from, OWNER, strata_int((int64_t)(ctest_random(random) % OWNERS)));
    }
    MUST(strata_view_commit(f->view, &f->error));
}

static void *write_until_read(void *argument) {
    race *it = argument;
    fixture *f = open_accounts(it);
    uint64_t random = it->seed + (uint64_t)getpid();
    while (atomic_load(&it->readers) > 0) {
        move_amounts(f, &random);
        /* A reader that has to wait for a processor holds its snapshot, and the store grows. */
        if (atomic_fetch_add(&it->commits, 1) > 2 * atomic_load(&it->snapshots) + AHEAD) sched_yield();
    }
    fixture_close(f);
    return NULL;
}

/* A number that the amounts go into with their places. */
static uint64_t look(fixture *f) {
    int64_t sum = 0;
    uint64_t all = 0;
    for (uint64_t key = 1; key <= ACCOUNTS; key++) {
        strata_row row = row_of(f, 0, key);
        int64_t amount = strata_row_int(&row, AMOUNT);
        sum += amount;
        all = all * 31 + (uint64_t)(amount * 7 + strata_row_int(&row, OWNER));
    }
    CHECK_EQ(sum, ACCOUNTS * EACH);
    return all;
}

static void look_at_index(fixture *f) {
    uint64_t all = 0;
    for (int64_t owner = 0; owner < OWNERS; owner++) {
        strata_value value = strata_int(owner);
        all += index_count(f, 0, OWNER, &value);
    }
    CHECK_EQ(all, ACCOUNTS);
}

static void *read_while_written(void *argument) {
    race *it = argument;
    fixture *f = open_accounts(it);
    uint64_t different = 0, version = 0;
    for (uint64_t i = 0; i < it->reads || atomic_load(&it->commits) == 0; i++) {
        if (i % 2 == 0) {
            bool changed = false;
            /* The moment of a commit is the one to look at, now and then. */
            for (int tries = i % 128 == 0 ? 0 : 19; tries < 20 && !changed; tries++) {
                if (tries % 19 != 0) sched_yield();
                MUST(strata_view_refresh(f->view, &changed, &f->error));
            }
        } else { /* a snapshot of its own in any case */
            strata_view_close(f->view);
            MUST(strata_view_open(f->store, &f->view, &f->error));
        }
        different += strata_view_version(f->view) != version;
        version = strata_view_version(f->view);
        uint64_t before = look(f);
        if (i % 64 == 0) look_at_index(f);
        if (i % 32 == 0) sched_yield();
        CHECK(look(f) == before);
        atomic_fetch_add(&it->snapshots, 1);
    }
    atomic_fetch_add(&it->seen, different);
    fixture_close(f);
    atomic_fetch_sub(&it->readers, 1);
    return NULL;
}

static void race_in_one_process(void *argument) {
    pthread_t readers[THREADS], writer;
    for (int i = 0; i < THREADS; i++) CHECK_EQ(pthread_create(&readers[i], NULL, read_while_written, argument), 0);
    CHECK_EQ(pthread_create(&writer, NULL, write_until_read, argument), 0);
    for (int i = 0; i < THREADS; i++) CHECK_EQ(pthread_join(readers[i], NULL), 0);
    CHECK_EQ(pthread_join(writer, NULL), 0);
}

static race *make_race(bool in_memory, const char *name) {
    const char *given = getenv("CTEST_SOAK");
    uint64_t reads = given != NULL ? strtoull(given, NULL, 0) / 2 : READS;
    race *it = mmap(NULL, sizeof *it, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(it != MAP_FAILED);
    ctest_directory_in_memory();
    snprintf(it->path, sizeof it->path, "%s", ctest_path(name));
    it->in_memory = in_memory;
    it->seed = ctest_seed();
    unsigned readers = in_memory ? THREADS : THREADS * PROCESSES;
    atomic_store(&it->readers, readers);
    it->reads = reads / readers + 1;
    return it;
}

static fixture *fill(race *it) {
    fixture *f = open_accounts(it);
    MUST(strata_view_begin(f->view, &f->error));
    for (int64_t i = 0; i < ACCOUNTS; i++) ADD(0, strata_int(EACH), strata_int(i % OWNERS));
    MUST(strata_view_commit(f->view, &f->error));
    return f;
}

static void finish(race *it) {
    CHECK(atomic_load(&it->commits) > 0 && atomic_load(&it->seen) > 0);
    if (getenv("CTEST_SOAK") != NULL)
        printf("       %s: %llu snapshots read, %llu of them of another commit than the one before; %llu commits\n",
               it->in_memory ? "threads" : "processes", atomic_load(&it->snapshots), atomic_load(&it->seen),
               atomic_load(&it->commits));
    munmap(it, sizeof *it);
}

void test_isolation_of_threads(void) {
    race *it = make_race(true, "memory");
    fixture *f = fill(it);
    strata_view_close(f->view); /* its snapshot would make the store grow; the handle keeps it */
    race_in_one_process(it);
    MUST(strata_view_open(f->store, &f->view, &f->error));
    verify(f);
    fixture_close(f);
    finish(it);
}

void test_isolation_of_processes(void) {
    race *it = make_race(false, "accounts.strata");
    fixture_close(fill(it));
    int children[PROCESSES];
    for (int i = 0; i < PROCESSES; i++) children[i] = ctest_child_start(race_in_one_process, it);
    for (int i = 0; i < PROCESSES; i++) CHECK_EQ(ctest_child_wait(children[i]), 0);
    fixture *f = open_accounts(it);
    verify(f);
    fixture_close(f);
    finish(it);
}
