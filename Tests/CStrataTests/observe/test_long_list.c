/* SPDX-License-Identifier: MIT
 * test_long_list.c -- observers of lists with many chunks: where the elements are that are told as modified, and how many
 * links are read for that. And finding a link in them. */
#include <stdlib.h>
#include <string.h>

#include "strata_observer.h"
#include "support/strata_support.h"

enum { NODE, NUMBER = 0, LIST = 1, OWNER = 1 /* the key of the object that has the list */, LARGEST_CHUNK = 4096 };

/* ---- A list, an observer, and what is known of both ------------------------ */

typedef struct element {
    uint64_t key;
    uint64_t before; /* its position at the last delivery; NEW if it had none */
    bool assigned;   /* since then */
} element;

enum { MOST = 40000 };
#define NEW UINT64_MAX

typedef struct observed_list {
    fixture *f;
    strata_observers *group;
    strata_observer *observer;
    uint64_t nodes;          /* their keys are 2 and more */
    bool *modified;          /* by key: since the last delivery */
    element *items;
    size_t count, count_before;
} observed_list;

static observed_list list_make(const char *name, uint64_t nodes, size_t count, uint64_t *random) {
    fixture *f = fixture_open(name);
    const strata_column_spec node[] = { column("number", STRATA_INT, 0), list_of("list", "Node") };
    const strata_table_spec table = { "Node", 0, 2, node };
    const strata_key_paths all = { NULL, 0, true };
    observed_list l = { .f = f, .nodes = nodes, .count = count, .count_before = count };
    l.modified = calloc(nodes + 2, sizeof *l.modified);
    l.items = calloc(MOST, sizeof *l.items);
    strata_value *values = calloc(count + 1, sizeof *values);
    CHECK(l.modified != NULL && l.items != NULL && values != NULL);
    MUST(apply(f, 0, &table, 1));
    MUST(strata_view_begin(f->view, &f->error));
    CHECK_EQ(ADD(NODE, strata_int(0)), OWNER);
    for (uint64_t i = 0; i < nodes; i++) CHECK_EQ(ADD(NODE, strata_int(0)), i + 2);
    for (size_t i = 0; i < count; i++) {
        uint64_t key = 2 + (random == NULL ? i % nodes : ctest_random(random) % nodes);
        values[i] = strata_link(key);
        l.items[i] = (element){ key, i, false };
    }
    strata_row row = row_of(f, NODE, OWNER);
    MUST(strata_list_insert(&row, LIST, 0, values, count, &f->error));
    MUST(strata_view_commit(f->view, &f->error));
    MUST(strata_observers_open(f->view, &l.group, &f->error));
    MUST(strata_observe_collection(l.group, NODE, OWNER, LIST, &all, NULL, &l.observer, &f->error));
    free(values);
    return l;
}

static void list_free(observed_list *l) {
    strata_observers_close(l->group);
    verify(l->f);
    fixture_close(l->f);
    free(l->modified);
    free(l->items);
}

static uint64_t links_read(const observed_list *l) {
    fixture *f = l->f;
    strata_observer_stats stats = { .size = sizeof stats };
    MUST(strata_observer_explain(l->observer, &stats, &f->error));
    CHECK(strstr(stats.plan, "of changed objects from the chunks") != NULL);
    return stats.links_read;
}

/* ---- Changes, of the list and of what is known ----------------------------- */

static void change_node(observed_list *l, uint64_t key) {
    set(l->f, NODE, key, NUMBER, strata_int((int64_t)key));
    l->modified[key] = true;
}

static void insert(observed_list *l, size_t at, uint64_t key) {
    fixture *f = l->f;
    strata_row row = row_of(f, NODE, OWNER);
    const strata_value value = strata_link(key);
    MUST(strata_list_insert(&row, LIST, at, &value, 1, &f->error));
    memmove(l->items + at + 1, l->items + at, (l->count - at) * sizeof *l->items);
    l->items[at] = (element){ key, NEW, false };
    l->count++;
}

static void take_out(observed_list *l, size_t at, size_t some) {
    fixture *f = l->f;
    strata_row row = row_of(f, NODE, OWNER);
    MUST(strata_collection_remove(&row, LIST, at, some, &f->error));
    memmove(l->items + at, l->items + at + some, (l->count - at - some) * sizeof *l->items);
    l->count -= some;
}

static void assign(observed_list *l, size_t at, uint64_t key) {
    fixture *f = l->f;
    strata_row row = row_of(f, NODE, OWNER);
    const strata_value value = strata_link(key);
    MUST(strata_list_set(&row, LIST, at, &value, &f->error));
    l->items[at].key = key;
    l->items[at].assigned = true;
}

static void change_at_random(observed_list *l, uint64_t *random) {
    uint64_t what = ctest_random(random) % 10, key = 2 + ctest_random(random) % l->nodes;
    size_t at = ctest_random(random) % (l->count + 1);
    if (what < 6 || l->count + 1 >= MOST) return change_node(l, key);
    if (what == 6 || at == l->count) return insert(l, at, key);
    if (what == 7) return assign(l, at, key);
    size_t some = 1 + ctest_random(random) % (what == 8 ? 2 : 300);
    take_out(l, at, some < l->count - at ? some : l->count - at);
}

/* ---- What is told ------------------------------------------------------ */

static void check_told(const observed_list *l, const strata_changes *told) {
    uint64_t inserted = 0, modified = 0, stay = 0;
    CHECK((told->flags & STRATA_CHANGES_ANEW) == 0);
    for (size_t i = 0; i < l->count; i++) {
        const element *it = &l->items[i];
        if (it->before == NEW) {
            CHECK(inserted < told->insertion_count);
            CHECK_EQ(told->insertions[inserted++], i);
            continue;
        }
        stay++;
        if (!it->assigned && !l->modified[it->key]) continue;
        CHECK(modified < told->modification_count);
        CHECK_EQ(told->modifications[modified], it->before);
        CHECK_EQ(told->modifications_after[modified++], i);
    }
    CHECK_EQ(told->insertion_count, inserted);
    CHECK_EQ(told->modification_count, modified);
    CHECK_EQ(told->deletion_count, l->count_before - stay);
}

/* Tells of what has changed; it may be nothing. */
static void deliver(observed_list *l) {
    fixture *f = l->f;
    strata_observer *told;
    strata_changes changes = strata_changes_blank();
    MUST(strata_observers_advance(l->group, &f->error));
    strata_status status = strata_observers_next(l->group, &told, &changes, &f->error);
    CHECK(status == STRATA_OK || status == STRATA_END);
    if (status == STRATA_END) changes = strata_changes_blank();
    check_told(l, &changes);
    memset(l->modified, 0, (l->nodes + 2) * sizeof *l->modified);
    for (size_t i = 0; i < l->count; i++) l->items[i] = (element){ l->items[i].key, i, false };
    l->count_before = l->count;
}

static void commit_and_deliver(observed_list *l) {
    fixture *f = l->f;
    MUST(strata_view_commit(f->view, &f->error));
    deliver(l);
}

/* The first link to an object from some position on is found, too. */
static void check_find(const observed_list *l, uint64_t *random) {
    fixture *f = l->f;
    uint64_t key = 2 + ctest_random(random) % l->nodes, from = ctest_random(random) % (l->count + 2), at = from, found;
    const strata_value value = strata_link(key);
    strata_row row = row_of(f, NODE, OWNER);
    while (at < l->count && l->items[at].key != key) at++;
    strata_status status = strata_collection_find(&row, LIST, &value, from, &found, &f->error);
    CHECK_EQ(status, at < l->count ? STRATA_OK : STRATA_NOT_FOUND);
    CHECK_EQ(found, at < l->count ? at : 0);
}

static void live_with(observed_list l, uint64_t *random, int rounds) {
    fixture *f = l.f;
    for (int round = 0; round < rounds; round++) {
        uint64_t some = 1 + ctest_random(random) % (round % 8 == 0 ? 60 : 5);
        MUST(strata_view_begin(f->view, &f->error));
        for (uint64_t i = 0; i < some; i++) change_at_random(&l, random);
        if (round % 3 != 2) commit_and_deliver(&l); /* or two commits are told as one */
        else MUST(strata_view_commit(f->view, &f->error));
        check_find(&l, random);
    }
    deliver(&l);
    list_free(&l);
}

/* Links in the order of their objects, in any order, and many to each of a few objects. */
void test_long_list_is_told_as_a_model_says(void) {
    uint64_t random = ctest_seed();
    live_with(list_make("ordered", 9000, 30000, NULL), &random, 60);
    live_with(list_make("any", 9000, 30000, &random), &random, 60);
    live_with(list_make("scattered", 39000, 30000, &random), &random, 60);
    live_with(list_make("few", 5, 20000, &random), &random, 30);
    live_with(list_make("short", 300, 200, &random), &random, 60);
}

/* ---- What is read ------------------------------------------------------ */

/* A list whose links are in the order of their objects is read once at most; beside that one chunk is read for each
 * changed object, and those in which a link was changed. */
void test_long_list_is_read_in_part(void) {
    enum { NODES = 39000, ROUNDS = 40 };
    observed_list l = list_make("file", NODES, NODES, NULL);
    fixture *f = l.f;
    CHECK_EQ(links_read(&l), 0);
    for (uint64_t i = 0; i < ROUNDS; i++) {
        MUST(strata_view_begin(f->view, &f->error));
        change_node(&l, 2 + NODES - 1 - i * 9769 % NODES); /* the last one first */
        commit_and_deliver(&l);
    }
    CHECK(links_read(&l) <= NODES + ROUNDS * LARGEST_CHUNK);
    for (uint64_t i = 0; i < ROUNDS; i++) { /* what is appended is found without reading the rest again */
        MUST(strata_view_begin(f->view, &f->error));
        insert(&l, l.count, 2 + i);
        commit_and_deliver(&l);
        uint64_t before = links_read(&l);
        MUST(strata_view_begin(f->view, &f->error));
        change_node(&l, 2 + NODES - 1 - i);
        commit_and_deliver(&l);
        CHECK(links_read(&l) - before <= 2 * LARGEST_CHUNK);
    }
    uint64_t before = links_read(&l);
    MUST(strata_view_begin(f->view, &f->error));
    set(f, NODE, OWNER, NUMBER, strata_int(1)); /* which is not in the list */
    commit_and_deliver(&l);
    CHECK_EQ(links_read(&l), before);
    list_free(&l);
}

/* Changes the object of an element. Returns in how many chunks its links are, at most. */
static size_t change_object_of(observed_list *l, size_t at) {
    fixture *f = l->f;
    size_t links = 0;
    for (size_t i = 0; i < l->count; i++) links += l->items[i].key == l->items[at].key;
    MUST(strata_view_begin(f->view, &f->error));
    change_node(l, l->items[at].key);
    commit_and_deliver(l);
    return links;
}

/* Of links in any order, too, only those chunks are read that have a link to the object, once all were read; another one
 * passes for such a chunk so rarely that here hardly any does. */
void test_long_list_in_any_order_is_read_in_part(void) {
    enum { NODES = 39000, WARM = 20, ROUNDS = 100, MISTAKEN = 20 };
    uint64_t random = ctest_seed();
    observed_list l = list_make("file", NODES, NODES, &random);
    for (size_t i = 0; i < WARM; i++) (void)change_object_of(&l, NODES - 1 - i); /* the last chunk is read last */
    uint64_t before = links_read(&l), chunks = MISTAKEN;
    for (size_t i = 0; i < ROUNDS; i++) chunks += change_object_of(&l, ctest_random(&random) % NODES);
    CHECK(links_read(&l) - before <= chunks * LARGEST_CHUNK);
    for (size_t i = 0; i < ROUNDS; i++) { /* what is inserted and taken out makes a chunk another one */
        fixture *f = l.f;
        MUST(strata_view_begin(f->view, &f->error));
        insert(&l, ctest_random(&random) % l.count, 2 + i);
        take_out(&l, ctest_random(&random) % l.count, 1);
        commit_and_deliver(&l);
        before = links_read(&l);
        chunks = change_object_of(&l, ctest_random(&random) % l.count) + 4;
        CHECK(links_read(&l) - before <= chunks * LARGEST_CHUNK);
    }
    list_free(&l);
}
