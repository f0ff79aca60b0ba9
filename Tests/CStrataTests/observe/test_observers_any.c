/* SPDX-License-Identifier: MIT
 * test_observers_any.c -- observers follow the links that values of any type hold. */
#include <stdio.h>
#include <string.h>

#include "strata_observer.h"
#include "support/strata_support.h"

enum { N, M, TABLES };
enum { NUMBER, ANY, LIST, MAP, LINK, COLUMNS }; /* of both tables */
enum { OBJECTS = 5, MOST = 6, DEEP = 3 };      /* OBJECTS of each table; MOST elements of a list */

typedef struct world {
    fixture *f;
    uint64_t random;
    bool assigned[TABLES][OBJECTS + 1];
    bool list_assigned[OBJECTS + 1]; /* of N: elements of its list were changed */
} world;

static uint64_t pick(world *w, uint64_t limit) { return ctest_random(&w->random) % limit; }

static world world_make(uint64_t seed) {
    const strata_column_spec columns[COLUMNS] = {
        column("number", STRATA_INT, 0), { "any", STRATA_MIXED, STRATA_SINGLE, 0, NULL },
        { "list", STRATA_MIXED, STRATA_LIST, 0, NULL }, { "map", STRATA_MIXED, STRATA_MAP, 0, NULL },
        link_to("link", "M"),
    };
    const strata_table_spec tables[TABLES] = { { "N", 0, COLUMNS, columns }, { "M", 0, COLUMNS, columns } };
    world w = { .f = fixture_open_memory(), .random = seed };
    fixture *f = w.f;
    MUST(apply(f, 0, tables, TABLES));
    MUST(strata_view_begin(f->view, &f->error));
    for (uint32_t t = 0; t < TABLES; t++)
        for (int i = 0; i < OBJECTS; i++) ADD(t, strata_int(i));
    MUST(strata_view_commit(f->view, &f->error));
    return w;
}

static strata_value link_to_any(uint32_t table, uint64_t key) {
    strata_value value = strata_link(key);
    value.table = table;
    return value;
}

static strata_value random_value(world *w) {
    if (pick(w, 3) == 0) return strata_int((int64_t)pick(w, 9));
    return link_to_any((uint32_t)pick(w, TABLES), 1 + pick(w, OBJECTS));
}

static strata_row bound(world *w, uint32_t table, uint64_t key) {
    fixture *f = w->f;
    strata_row row;
    MUST(strata_row_bind(f->view, table, key, &row, &f->error));
    return row;
}

static void change(world *w) {
    fixture *f = w->f;
    uint32_t table = (uint32_t)pick(w, TABLES);
    uint64_t key = 1 + pick(w, OBJECTS), size;
    strata_row row = bound(w, table, key);
    strata_value value = random_value(w), number = strata_int((int64_t)pick(w, 9));
    char name[8];
    strata_bytes bytes = { name, (size_t)snprintf(name, sizeof name, "k%d", (int)pick(w, 4)) };
    w->assigned[table][key] = true;
    switch (pick(w, 7)) {
    case 0: MUST(strata_row_set(&row, ANY, &value, &f->error)); break;
    case 1:
        MUST(strata_collection_size(&row, LIST, &size, &f->error));
        if (table == N) w->list_assigned[key] = true;
        if (size == MOST) MUST(strata_collection_remove(&row, LIST, pick(w, size), 1, &f->error));
        else MUST(strata_list_insert(&row, LIST, pick(w, size + 1), &value, 1, &f->error));
        break;
    case 2: MUST(strata_map_set(&row, MAP, bytes, &value, &f->error)); break;
    case 3:
        value = strata_link(1 + pick(w, OBJECTS));
        MUST(strata_row_set(&row, LINK, &value, &f->error));
        break;
    default: MUST(strata_row_set(&row, NUMBER, &number, &f->error)); break;
    }
}

/* Whether something was assigned to what a value links to, or up to so many links behind it. */
static bool leads(world *w, const strata_value *value, int deep);

static bool concerns(world *w, uint32_t table, uint64_t key, int deep) {
    fixture *f = w->f;
    if (w->assigned[table][key]) return true;
    if (deep == 0) return false;
    strata_row row = bound(w, table, key);
    for (uint32_t c = ANY; c < COLUMNS; c++) {
        strata_value values[2 * MOST];
        uint64_t size = 1;
        if (c == LIST || c == MAP) {
            MUST(strata_collection_size(&row, c, &size, &f->error));
            MUST(strata_collection_get(&row, c, 0, size, values, &f->error));
        } else {
            MUST(strata_row_get(&row, c, values, &f->error));
            if (c == LINK) values[0].table = M;
        }
        for (uint64_t i = 0; i < size; i++)
            if (leads(w, &values[i], deep - 1)) return true;
    }
    return false;
}

static bool leads(world *w, const strata_value *value, int deep) {
    return value->type == STRATA_LINK && value->as.link != 0 && concerns(w, value->table, value->as.link, deep);
}

static bool is_among(const uint64_t *positions, uint64_t count, uint64_t wanted) {
    for (uint64_t i = 0; i < count; i++)
        if (positions[i] == wanted) return true;
    return false;
}

/* Of a query for all objects of N, which stay: those are modified that are concerned. */
static void check_query(world *w, const strata_changes *c) {
    for (uint64_t key = 1; key <= OBJECTS; key++)
        CHECK_EQ(is_among(c->modifications, c->modification_count, key - 1), concerns(w, N, key, DEEP));
}

/* Of a list in which no element was changed. */
static void check_list(world *w, uint64_t key, const strata_changes *c) {
    fixture *f = w->f;
    strata_row row = bound(w, N, key);
    strata_value values[MOST];
    uint64_t size;
    MUST(strata_collection_size(&row, LIST, &size, &f->error));
    MUST(strata_collection_get(&row, LIST, 0, size, values, &f->error));
    CHECK_EQ(c->deletion_count + c->insertion_count, 0);
    for (uint64_t i = 0; i < size; i++)
        CHECK_EQ(is_among(c->modifications, c->modification_count, i), leads(w, &values[i], DEEP));
}

static void live(uint64_t seed, int rounds) {
    world made = world_make(seed), *w = &made;
    fixture *f = w->f;
    const strata_key_paths all = { NULL, 0, true };
    strata_query query = strata_query_blank();
    strata_observers *group;
    strata_observer *lists[OBJECTS + 1], *observer;
    query.table = N;
    MUST(strata_observers_open(f->view, &group, &f->error));
    MUST(strata_observe_query(group, &query, &all, NULL, &lists[0], &f->error));
    for (uintptr_t key = 1; key <= OBJECTS; key++)
        MUST(strata_observe_collection(group, N, key, LIST, &all, (void *)key, &lists[key], &f->error));
    for (int round = 0; round < rounds; round++) {
        bool told[OBJECTS + 1] = { false };
        strata_changes changes = strata_changes_blank();
        const strata_changes none = strata_changes_blank();
        memset(w->assigned, 0, sizeof w->assigned);
        memset(w->list_assigned, 0, sizeof w->list_assigned);
        MUST(strata_view_begin(f->view, &f->error));
        for (uint64_t n = pick(w, 4); n > 0; n--) change(w);
        MUST(strata_view_commit(f->view, &f->error));
        MUST(strata_observers_advance(group, &f->error));
        while (strata_observers_next(group, &observer, &changes, &f->error) == STRATA_OK) {
            uintptr_t key = (uintptr_t)strata_observer_context(observer);
            told[key] = true;
            if (key == 0) check_query(w, &changes);
            else if (!w->list_assigned[key]) check_list(w, key, &changes);
        }
        for (uint64_t key = 0; key <= OBJECTS; key++) {
            if (told[key]) continue;
            if (key == 0) check_query(w, &none);
            else if (!w->list_assigned[key]) check_list(w, key, &none);
        }
    }
    strata_observers_close(group);
    verify(f);
    fixture_close(f);
}

void test_observers_follow_links_in_values_of_any_type(void) {
    uint64_t seed = ctest_seed();
    for (uint64_t i = 0; i < ctest_rounds(10); i++) live(seed + i, 200);
}
