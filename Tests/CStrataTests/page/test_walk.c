/* SPDX-License-Identifier: MIT
 *
 * test_walk.c -- snapshots walk LMDB's pages by themselves; LMDB, asked in the same transaction, says the same.
 *
 * Entries must not only be equal but the same: at the same address. */
#define _GNU_SOURCE 1
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "store/cursor.h"
#include "store/snapshot.h"
#include "store/tree.h"
#include "store/tree_txn.h"
#include "store/writer.h"
#include "support/store_support.h"

/* ---- LMDB's answers --------------------------------------------------- */

typedef struct pair {
    st_txn *snapshot;
    st_tree tree;
    st_cursor *ours;
    MDB_cursor *theirs;
    strata_bytes key, value; /* of the last move that found something */
} pair;

static pair open_pair(st_txn *snapshot, st_tree tree) {
    pair p = { .snapshot = snapshot, .tree = tree };
    CHECK_EQ(st_cursor_open(snapshot, tree, &p.ours, NULL), STRATA_OK);
    CHECK_EQ(mdb_cursor_open(snapshot->mdb, snapshot->store->trees[tree], &p.theirs), 0);
    return p;
}

static void close_pair(pair *p) {
    st_cursor_close(p->ours);
    mdb_cursor_close(p->theirs);
}

/* LMDB's answer, with the names of the trees hidden. */
static bool theirs(pair *p, MDB_cursor_op move, strata_bytes from, MDB_val *key, MDB_val *value) {
    *key = (MDB_val){ from.size, (void *)(uintptr_t)from.data };
    int code = mdb_cursor_get(p->theirs, key, value, move);
    CHECK(code == 0 || code == MDB_NOTFOUND);
    return code == 0 && (p->tree != ST_META || *(const char *)key->mv_data == 0);
}

static bool agree(pair *p, strata_status status, strata_bytes key, strata_bytes value, bool there, MDB_val their_key,
                  MDB_val their_value) {
    CHECK_EQ(status, there ? STRATA_OK : STRATA_NOT_FOUND);
    if (there) {
        CHECK(key.data == their_key.mv_data && key.size == their_key.mv_size);
        CHECK(value.data == their_value.mv_data && value.size == their_value.mv_size);
        p->key = key;
        p->value = value;
    } else {
        CHECK(key.data == NULL && value.data == NULL);
    }
    return there;
}

static bool same_seek(pair *p, strata_bytes from) {
    strata_bytes key, value;
    MDB_val their_key, their_value;
    bool there = theirs(p, from.size == 0 ? MDB_FIRST : MDB_SET_RANGE, from, &their_key, &their_value);
    strata_status kept = st_tree_seek(p->snapshot, p->tree, from, &key, &value, NULL);
    (void)agree(p, kept, key, value, there, their_key, their_value);
    strata_status status = st_cursor_seek(p->ours, from, &key, &value, NULL);
    return agree(p, status, key, value, there, their_key, their_value);
}

static bool same_step(pair *p, bool forward) {
    strata_bytes key, value;
    MDB_val their_key, their_value;
    bool there = theirs(p, forward ? MDB_NEXT : MDB_PREV, bytes(NULL, 0), &their_key, &their_value);
    strata_status status = forward ? st_cursor_next(p->ours, &key, &value, NULL)
                                   : st_cursor_previous(p->ours, &key, &value, NULL);
    return agree(p, status, key, value, there, their_key, their_value);
}

static void same_get(pair *p, strata_bytes key) {
    MDB_val wanted = { key.size, (void *)(uintptr_t)key.data }, value = { 0, NULL };
    strata_bytes out;
    int code = mdb_get(p->snapshot->mdb, p->snapshot->store->trees[p->tree], &wanted, &value);
    CHECK_EQ(st_tree_get(p->snapshot, p->tree, key, &out, NULL), code == 0 ? STRATA_OK : STRATA_NOT_FOUND);
    CHECK(out.data == value.mv_data && out.size == value.mv_size);
}

/* What lies ahead is what is met there, if anything is. */
static bool look_ahead(pair *p, uint32_t steps) {
    const void *ahead = st_cursor_ahead(p->ours, steps);
    CHECK(st_cursor_ahead(p->ours, 1 << 20) == NULL);
    bool there = true;
    for (uint32_t i = 0; i < steps && there; i++) there = same_step(p, true);
    CHECK(ahead == NULL || ahead == p->value.data || (p->tree == ST_META && !there)); /* the name of a tree */
    CHECK(!there || st_cursor_ahead(p->ours, 0) == p->value.data);
    return there;
}

/* A key that is stored, or nearly so. */
static strata_bytes some_key(const strata_bytes *keys, size_t count, uint64_t *random, uint8_t *room) {
    strata_bytes key = count == 0 ? bytes("none", 4) : keys[ctest_random(random) % count];
    memcpy(room, key.data, key.size);
    switch (ctest_random(random) % 6) {
    case 0: return bytes(room, key.size / 2);
    case 1: return bytes(room, (memset(room + key.size, (int)(ctest_random(random) % 2), 2), key.size + 2));
    case 2: room[key.size - 1] = (uint8_t)(room[key.size - 1] + 1); break;
    case 3: room[ctest_random(random) % key.size] = (uint8_t)ctest_random(random); break;
    default: break;
    }
    return bytes(room, key.size);
}

static void same_at_random(pair *p, const strata_bytes *keys, size_t count, uint64_t *random) {
    uint8_t room[ST_MAX_TREE_KEY + 8];
    for (unsigned i = 0; i < 3000; i++) {
        strata_bytes key = some_key(keys, count, random, room);
        if (key.size != 0) same_get(p, key);
        if (!same_seek(p, key)) continue;
        if (i % 4 == 0 && !look_ahead(p, (uint32_t)(ctest_random(random) % 20))) continue;
        bool forward = ctest_random(random) % 2 == 0;
        for (uint64_t steps = ctest_random(random) % 30; steps > 0 && same_step(p, forward); steps--) continue;
    }
}

/* Values that are taken at once are those of the next entries, up to a key; then the walk goes on behind them. */
static void same_values(pair *p, const strata_bytes *keys, size_t count, uint64_t *random) {
    enum { MOST = 20 };
    uint8_t room[ST_MAX_TREE_KEY + 8];
    strata_bytes values[MOST], next_key, next;
    size_t taken_in_all = 0;
    for (unsigned i = 0; i < 500 && p->tree != ST_META && count != 0; i++) {
        if (!same_seek(p, keys[ctest_random(random) % count])) continue;
        strata_bytes before = some_key(keys, count, random, room);
        uint32_t taken, most = 1 + (uint32_t)(ctest_random(random) % MOST);
        MDB_val key, value;
        CHECK_EQ(st_tree_next_values(p->snapshot, p->tree, before, values, most, &taken, NULL), STRATA_OK);
        CHECK(taken <= most);
        taken_in_all += taken;
        for (uint32_t k = 0; k < taken; k++) {
            CHECK(theirs(p, MDB_NEXT, bytes(NULL, 0), &key, &value));
            CHECK(values[k].data == value.mv_data && values[k].size == value.mv_size);
            CHECK(st_compare(bytes(key.mv_data, key.mv_size), before) < 0);
        }
        bool there = theirs(p, MDB_NEXT, bytes(NULL, 0), &key, &value);
        strata_status status = st_tree_next(p->snapshot, p->tree, &next_key, &next, NULL);
        (void)agree(p, status, next_key, next, there, key, value);
    }
    CHECK(count < 100 || p->tree == ST_META || taken_in_all > 100);
}

/* From one to the next in order, and a few on, and back a bit. */
static void same_in_order(pair *p, const strata_bytes *keys, size_t count, uint64_t *random) {
    for (size_t at = 0; at < count; at += 1 + ctest_random(random) % 5) {
        CHECK(same_seek(p, keys[at]));
        if (ctest_random(random) % 8 == 0) CHECK(same_seek(p, keys[at - at % 7]));
    }
}

static void same_tree(st_txn *snapshot, st_tree tree, uint64_t *random) {
    pair p = open_pair(snapshot, tree);
    size_t count = 0;
    uint64_t counted;
    MDB_stat figures;
    CHECK_EQ(st_tree_count(snapshot, tree, &counted, NULL), STRATA_OK);
    CHECK_EQ(mdb_stat(snapshot->mdb, snapshot->store->trees[tree], &figures), 0);
    CHECK_EQ(counted, figures.ms_entries - (tree == ST_META ? ST_TREES - 1 : 0));
    strata_bytes *keys = malloc((size_t)(counted + 1) * sizeof *keys), key, value;
    CHECK(keys != NULL);

    for (bool there = same_seek(&p, bytes(NULL, 0)); there; there = same_step(&p, true)) keys[count++] = p.key;
    CHECK_EQ(count, counted);
    CHECK_EQ(st_cursor_last(p.ours, &key, &value, NULL), count == 0 ? STRATA_NOT_FOUND : STRATA_OK);
    if (count > 0) {
        CHECK(key.data == keys[count - 1].data);
        CHECK(same_seek(&p, key));
        for (size_t at = count - 1; at > 0; at--) CHECK(same_step(&p, false) && p.key.data == keys[at - 1].data);
        CHECK(!same_step(&p, false));
    }
    same_at_random(&p, keys, count, random);
    same_in_order(&p, keys, count, random);
    same_values(&p, keys, count, random);
    free(keys);
    close_pair(&p);
}

static uint32_t depth_of(st_txn *snapshot, st_tree tree) {
    const st_page_tree *root;
    CHECK_EQ(st_tree_root(snapshot, tree, &root, NULL), STRATA_OK);
    return root->depth;
}

/* ---- Trees of all shapes ---------------------------------------------- */

/* Keys like those of rows, of posting blocks, long ones, and any. */
typedef enum shape { OF_ROWS, OF_VALUES, LONG, ANY, SHAPES } shape;

static size_t make_key(shape like, uint64_t number, uint64_t *random, uint8_t *room) {
    static const size_t least[SHAPES] = { 8, 18, 250, 2 }, more[SHAPES] = { 1, 1, 75, 15 };
    size_t size = least[like] + 2 * (ctest_random(random) % more[like]);
    for (size_t i = 0; i < size; i++) room[i] = (uint8_t)ctest_random(random);
    /* Of one of a few tables. */
    if (like == OF_ROWS) st_store_big64(room, ctest_random(random) % 3 << 48 | number);
    if (like == OF_VALUES) st_store_big32(room, (uint32_t)(ctest_random(random) % 4));
    if (like == LONG) memset(room, 'x', 50);
    if (like == ANY) room[0] = 0; /* fit for the main tree */
    return size;
}

static void change(strata_store *store, st_tree tree, shape like, unsigned count, uint64_t *random) {
    static const uint8_t content[20000];
    uint8_t room[ST_MAX_TREE_KEY + 8];
    st_txn *writer;
    CHECK_EQ(st_writer_begin(store, &writer, NULL), STRATA_OK);
    for (unsigned i = 0; i < count; i++) {
        size_t size = make_key(like, 64 * i, random, room);
        size_t length = like == OF_ROWS ? st_store_block_size(store) : ctest_random(random) % 60;
        if (ctest_random(random) % 50 == 0) length = ctest_random(random) % sizeof content;
        CHECK_EQ(st_tree_put(writer, tree, bytes(room, size), bytes(content, length), NULL), STRATA_OK);
        strata_bytes key, value;
        if (ctest_random(random) % 3 != 0) continue;
        size = make_key(like, 64 * (ctest_random(random) % count), random, room);
        if (st_tree_seek(writer, tree, bytes(room, size), &key, &value, NULL) != STRATA_OK) continue;
        if (key.size == 8 && memcmp(key.data, "\0header", 8) == 0) continue;
        memcpy(room, key.data, key.size);
        CHECK_EQ(st_tree_delete(writer, tree, bytes(room, key.size), NULL), STRATA_OK);
    }
    CHECK_EQ(st_writer_commit(writer, NULL), STRATA_OK);
}

void test_walk_answers_as_lmdb_does(void) {
    static const st_tree trees[SHAPES] = { ST_ROWS, ST_INDEX, ST_BLOBS, ST_META };
    uint64_t random = ctest_seed();
    uint32_t deepest = 0;
    st_txn *snapshot;
    ctest_directory_in_memory();
    strata_store *store = must_open(ctest_path("a.strata"));
    for (unsigned round = 0; round < 5; round++) {
        for (int s = 0; s < SHAPES && round > 0; s++)
            change(store, trees[s], (shape)s, ctest_rounds(1u << (2 * round + 3)), &random);
        CHECK_EQ(st_snapshot_begin(store, &snapshot, NULL), STRATA_OK);
        for (int tree = 0; tree < ST_TREES; tree++) {
            same_tree(snapshot, (st_tree)tree, &random);
            if (depth_of(snapshot, (st_tree)tree) > deepest) deepest = depth_of(snapshot, (st_tree)tree);
        }
        st_snapshot_end(snapshot);
    }
    CHECK(deepest >= 4 || !ctest_tries_all());
    strata_store_close(store);
}

/* ---- Beside a writer -------------------------------------------------- */

enum { ENTRIES = 2000, CHANGED = 20 };

/* Shared by all processes of a test. */
typedef struct race {
    char path[600];
    bool in_memory;
    unsigned snapshots; /* of each reader */
    uint64_t seed;
    atomic_uint readers;
    atomic_ullong versions; /* how often a snapshot showed another commit than the one before */
} race;

static strata_bytes entry_key(uint64_t number, uint8_t room[8]) {
    st_store_big64(room, number % ENTRIES);
    return bytes(room, 8);
}

static strata_store *open_race(const race *it) {
    strata_config config = { .size = sizeof config, .map_size = 1 << 30 };
    if (it->in_memory) config.memory_name = it->path;
    else config.path = it->path;
    return must_open_with(&config);
}

/* Every commit notes its version in two trees, behind entries that are moved about. */
static void commit_one(strata_store *store, unsigned entries, uint64_t *random) {
    uint8_t room[8], content[300] = { 0 };
    st_txn *writer;
    CHECK_EQ(st_writer_begin(store, &writer, NULL), STRATA_OK);
    uint64_t version = st_txn_header(writer)->version;
    memcpy(content, &version, 8);
    for (unsigned i = 0; i < entries; i++) {
        strata_bytes key = entry_key(entries == ENTRIES ? i : ctest_random(random), room);
        size_t size = 8 + ctest_random(random) % 292;
        CHECK_EQ(st_tree_put(writer, ST_ROWS, key, bytes(content, size), NULL), STRATA_OK);
    }
    CHECK_EQ(st_tree_put(writer, ST_ROWS, text("the last"), bytes(content, 8), NULL), STRATA_OK);
    CHECK_EQ(st_tree_put(writer, ST_INDEX, text("the only"), bytes(content, 8), NULL), STRATA_OK);
    CHECK_EQ(st_writer_commit(writer, NULL), STRATA_OK);
}

static void *write_beside(void *argument) {
    race *it = argument;
    strata_store *store = open_race(it);
    uint64_t random = it->seed + 1;
    while (atomic_load(&it->readers) > 0) commit_one(store, CHANGED, &random);
    strata_store_close(store);
    return NULL;
}

static uint64_t version_in(st_txn *snapshot, st_tree tree, const char *key) {
    strata_bytes value = { NULL, 0 };
    CHECK_EQ(st_tree_get(snapshot, tree, text(key), &value, NULL), STRATA_OK);
    CHECK_EQ(value.size, 8);
    return value.size == 8 ? strata_load64(value.data) : 0;
}

static void look(st_txn *snapshot, uint64_t *random) {
    uint8_t room[8];
    uint64_t version = st_txn_header(snapshot)->version;
    CHECK_EQ(version_in(snapshot, ST_ROWS, "the last"), version);
    CHECK_EQ(version_in(snapshot, ST_INDEX, "the only"), version);
    pair p = open_pair(snapshot, ST_ROWS);
    for (int i = 0; i < 5; i++) {
        strata_bytes key = entry_key(ctest_random(random), room);
        same_get(&p, key);
        CHECK(same_seek(&p, key) && strata_load64(p.value.data) <= version);
        (void)same_step(&p, i % 2 == 0);
    }
    close_pair(&p);
}

static void *read_beside(void *argument) {
    race *it = argument;
    strata_store *store = open_race(it);
    uint64_t random = it->seed + 2 + atomic_load(&it->readers), before = 0;
    /* Two at a time, so that one shows an older commit while the other is used again and again. */
    st_txn *held = NULL, *snapshot;
    for (unsigned i = 0; i < it->snapshots || atomic_load(&it->versions) < 10; i++) {
        CHECK_EQ(st_snapshot_begin(store, &snapshot, NULL), STRATA_OK);
        if (st_txn_header(snapshot)->version != before) atomic_fetch_add(&it->versions, 1);
        before = st_txn_header(snapshot)->version;
        look(snapshot, &random);
        if (held != NULL && i % 16 == 0) look(held, &random);
        if (held == NULL || i % 64 != 0) {
            st_snapshot_end(snapshot);
            if (held == NULL) CHECK_EQ(st_snapshot_begin(store, &held, NULL), STRATA_OK);
            continue;
        }
        st_snapshot_end(held);
        held = snapshot;
    }
    st_snapshot_end(held);
    strata_store_close(store);
    atomic_fetch_sub(&it->readers, 1);
    return NULL;
}

static race *make_race(bool in_memory, unsigned readers) {
    race *it = mmap(NULL, sizeof *it, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(it != MAP_FAILED);
    ctest_directory_in_memory();
    snprintf(it->path, sizeof it->path, "%s", ctest_path("race.strata"));
    it->in_memory = in_memory;
    it->snapshots = ctest_rounds(10000);
    it->seed = ctest_seed();
    atomic_store(&it->readers, readers);
    return it;
}

static strata_store *fill_race(const race *it) {
    strata_store *store = open_race(it);
    uint64_t random = it->seed;
    commit_one(store, ENTRIES, &random);
    return store;
}

void test_walk_beside_a_writer(void) {
    enum { READERS = 2 };
    pthread_t readers[READERS], writer;
    race *it = make_race(true, READERS);
    strata_store *store = fill_race(it);
    for (int i = 0; i < READERS; i++) CHECK_EQ(pthread_create(&readers[i], NULL, read_beside, it), 0);
    CHECK_EQ(pthread_create(&writer, NULL, write_beside, it), 0);
    for (int i = 0; i < READERS; i++) CHECK_EQ(pthread_join(readers[i], NULL), 0);
    CHECK_EQ(pthread_join(writer, NULL), 0);
    strata_store_close(store);
    munmap(it, sizeof *it);
}

static void write_beside_as_child(void *argument) { (void)write_beside(argument); }
static void read_beside_as_child(void *argument) { (void)read_beside(argument); }

void test_walk_beside_a_writing_process(void) {
    race *it = make_race(false, 1);
    strata_store_close(fill_race(it));
    int reader = ctest_child_start(read_beside_as_child, it), writer = ctest_child_start(write_beside_as_child, it);
    CHECK_EQ(ctest_child_wait(reader), 0);
    CHECK_EQ(ctest_child_wait(writer), 0);
    munmap(it, sizeof *it);
}
