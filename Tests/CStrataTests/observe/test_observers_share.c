/* SPDX-License-Identifier: MIT
 * test_observers_share.c -- observers of equal queries share a result, and each is told what it would be told alone. */
#include <stdio.h>
#include <stdlib.h>

#include "support/observe_model.h"

/* ---- Queries and key paths -------------------------------------------- */

static const strata_step number_step[] = { { .column = NUMBER } }, text_step[] = { { .column = TEXT } };
static const strata_step owner_age[] = { { .column = OWNED_BY }, { .column = OWNER_AGE } };
static const strata_step owner_step[] = { { .column = OWNED_BY } };
static const strata_sort by_number[] = { { number_step, 1, true }, { text_step, 1, false } };
static const strata_sort by_age[] = { { owner_age, 2, false } };
static const strata_sort distinct_number[] = { { number_step, 1, false } };
enum { STAGES = 4 };
static const strata_stage stages[STAGES][2] = {
    { { STRATA_STAGE_SORT, 2, by_number, 0, 0 } },
    { { STRATA_STAGE_SORT, 1, by_age, 0, 0 } },
    { { STRATA_STAGE_DISTINCT, 1, distinct_number, 0, 0 } },
    { { STRATA_STAGE_SORT, 1, by_number, 0, 0 }, { STRATA_STAGE_LIMIT, 0, NULL, 1, 5 } },
};
static const strata_key_path some_paths[] = { { number_step, 1 }, { owner_age, 2 }, { text_step, 1 } };
static const strata_key_paths paths[] = {
    { NULL, 0, true }, { NULL, 0, false }, { some_paths, 1, false }, { some_paths + 1, 2, false },
};

/* A query, with what it points to. */
typedef struct asked_query {
    strata_query query;
    strata_node nodes[2];
    strata_value values[2];
} asked_query;

/* One of a few queries; of many if they are for the values of a property. */
static void pick_query(observed_world *w, bool values, asked_query *q) {
    uint64_t owner = observed_key(w, OWNER), stage = observed_pick(w, STAGES + 2);
    q->query = strata_query_blank();
    q->query.table = NODE;
    q->nodes[0] = (strata_node){ .op = STRATA_GREATER, .left = { .path = number_step, .path_length = 1 },
                                 .value_count = 1, .values = &q->values[0] };
    q->values[0] = strata_int(4 + (int64_t)observed_pick(w, 2));
    if (values && owner != 0) {
        q->nodes[0].op = STRATA_EQUAL;
        q->nodes[0].left.path = owner_step;
        q->values[0] = strata_link(owner);
        if (stage < STAGES && observed_pick(w, 4) != 0) stage = STAGES;
    }
    q->query.nodes = q->nodes;
    q->query.node_count = values || observed_pick(w, 3) != 0;
    if (!values && stage == STAGES + 1) {
        q->query.source = STRATA_SOURCE_LIST;
        q->query.origin_table = NODE;
        q->query.origin_column = LIST;
        q->query.key = observed_key(w, NODE);
        if (q->query.key == 0) q->query.source = STRATA_SOURCE_TABLE;
    }
    if (stage >= STAGES) return;
    q->query.stages = stages[stage];
    q->query.stage_count = stage == 3 ? 2 : 1;
}

/* ---- Twins ------------------------------------------------------------ */

enum { MOST = 64, MOST_NODES = 4000 };

/* An observer among others of equal queries, and one that is alone. */
typedef struct twins {
    strata_observer *shared, *alone;
    strata_observers *group; /* of the one that is alone */
    asked_query q;
    uint64_t *was, was_count;
    bool held;  /* the one that shares */
    bool asked; /* since the last advance, or told to be */
} twins;

typedef struct house {
    observed_world *w;
    strata_observers *group;
    twins *all[MOST]; /* in the order in which they were made */
    int count;
    int asked_to;     /* those before this one are asked since the last advance, or were made since */
    bool values;
} house;

/* By the running test: how often somebody was told, did so after it was held, and had a result with others. */
static uint64_t told, told_when_asked, shared;
static uint64_t results, known; /* that were looked at, and that an observer knew */

static uint64_t run(house *h, const twins *t, uint64_t *out) {
    fixture *f = h->w->f;
    strata_keys keys;
    MUST(strata_query_run(f->view, &t->q.query, &keys, NULL, &f->error));
    CHECK(keys.count <= MOST_NODES);
    uint64_t count = keys.count;
    if (count != 0) memcpy(out, keys.data, count * sizeof *out);
    strata_keys_free(&keys);
    return count;
}

static void begin(house *h) {
    fixture *f = h->w->f;
    if (h->count == MOST) return;
    twins *t = calloc(1, sizeof *t);
    const strata_key_paths *p = &paths[observed_pick(h->w, 4)];
    pick_query(h->w, h->values, &t->q);
    MUST(strata_observe_query(h->group, &t->q.query, p, t, &t->shared, &f->error));
    MUST(strata_observers_open(f->view, &t->group, &f->error));
    MUST(strata_observe_query(t->group, &t->q.query, p, t, &t->alone, &f->error));
    t->held = observed_pick(h->w, 4) == 0;
    if (t->held) strata_observer_hold(t->shared);
    t->was = malloc(MOST_NODES * sizeof *t->was);
    t->was_count = run(h, t, t->was);
    t->asked = true; /* nobody asks it before the next advance */
    h->all[h->count++] = t;
}

static void end(house *h, int i) {
    twins *t = h->all[i];
    strata_observer_remove(t->shared);
    strata_observers_close(t->group);
    free(t->was);
    free(t);
    h->count--;
    for (int k = i; k < h->count; k++) h->all[k] = h->all[k + 1];
}

static void check_list(const uint64_t *a, uint64_t a_count, const uint64_t *b, uint64_t b_count) {
    CHECK_EQ(a_count, b_count);
    for (uint64_t i = 0; i < a_count; i++) CHECK_EQ(a[i], b[i]);
}

/* What was told leads from the result before to that which is there. */
static void check_result(house *h, twins *t, const strata_changes *c) {
    static uint64_t now[MOST_NODES];
    uint64_t count = run(h, t, now), old = 0, deleted = 0, inserted = 0;
    CHECK_EQ(t->was_count - c->deletion_count + c->insertion_count, count);
    for (uint64_t i = 0; i < count; i++) {
        if (inserted < c->insertion_count && c->insertions[inserted] == i) {
            inserted++;
            continue;
        }
        for (; deleted < c->deletion_count && c->deletions[deleted] == old; deleted++) old++;
        CHECK_EQ(t->was[old++], now[i]);
    }
    memcpy(t->was, now, count * sizeof *now);
    t->was_count = count;
}

/* Asks the one that is alone: it says the same. */
static void check_alone(house *h, twins *t, const strata_changes *c) {
    fixture *f = h->w->f;
    strata_observer *observer;
    strata_changes alone = strata_changes_blank();
    MUST(strata_observers_advance(t->group, &f->error));
    strata_status status = strata_observers_next(t->group, &observer, &alone, &f->error);
    CHECK_EQ(status, c == NULL ? STRATA_END : STRATA_OK);
    t->asked = true;
    if (c == NULL) return;
    CHECK_EQ(alone.flags, c->flags);
    check_list(alone.deletions, alone.deletion_count, c->deletions, c->deletion_count);
    check_list(alone.insertions, alone.insertion_count, c->insertions, c->insertion_count);
    check_list(alone.modifications, alone.modification_count, c->modifications, c->modification_count);
    check_list(alone.modifications_after, alone.modification_count, c->modifications_after, c->modification_count);
    check_result(h, t, c);
    told++;
}

/* Asks one by itself, after whatever it was not told of. */
static void ask(house *h, twins *t) {
    fixture *f = h->w->f;
    strata_changes changes = strata_changes_blank();
    strata_status status = strata_observer_ask(t->shared, &changes, &f->error);
    MUST(status == STRATA_END ? STRATA_OK : status);
    check_alone(h, t, status == STRATA_END ? NULL : &changes);
    told_when_asked += status == STRATA_OK;
}

/* Those up to one have been asked, and had nothing to tell. */
static void check_silent(house *h, const twins *last) {
    for (int i = 0; i < h->count && h->all[i] != last; i++)
        if (!h->all[i]->asked) check_alone(h, h->all[i], NULL);
}

/* ---- What happens in between ------------------------------------------ */

static void move_view(house *h) {
    fixture *f = h->w->f;
    for (uint64_t n = observed_pick(h->w, 3); n > 0; n--) observed_change(h->w);
    MUST(strata_view_refresh(f->view, NULL, &f->error));
}

/* An observer is not to be told; it must know everything that came before. */
static void skip(house *h) {
    fixture *f = h->w->f;
    if (h->count == 0) return;
    twins *t = h->all[observed_pick(h->w, (uint64_t)h->count)];
    MUST(strata_observer_skip(t->shared, &f->error));
    MUST(strata_observer_skip(t->alone, &f->error));
    t->was_count = run(h, t, t->was);
}

static void come_and_go(house *h) {
    for (uint64_t n = observed_pick(h->w, 3); n > 0; n--) begin(h);
    for (uint64_t n = observed_pick(h->w, 3); n > 0 && h->count > 0; n--)
        end(h, (int)observed_pick(h->w, (uint64_t)h->count));
}

/* Whoever knows a result knows the one that the view shows. */
static void check_results(house *h) {
    for (int i = 0; i < h->count; i++) {
        known += observed_check_result(h->w, h->all[i]->shared, &h->all[i]->q.query);
        known += observed_check_result(h->w, h->all[i]->alone, &h->all[i]->q.query);
        results += 2;
    }
}

/* Asks some observers or all, while others come and go, and the view moves. */
static void deliver(house *h) {
    fixture *f = h->w->f;
    strata_observer *observer;
    strata_changes changes = strata_changes_blank();
    uint64_t left = observed_pick(h->w, 3) == 0 ? observed_pick(h->w, 30) : UINT64_MAX;
    MUST(strata_observers_advance(h->group, &f->error));
    for (int i = 0; i < h->count; i++) h->all[i]->asked = false;
    for (; left > 0; left--) {
        strata_status status = strata_observers_next(h->group, &observer, &changes, &f->error);
        twins *t = status == STRATA_OK ? strata_observer_context(observer) : NULL;
        MUST(status == STRATA_END ? STRATA_OK : status);
        check_silent(h, t);
        if (t == NULL) return;
        CHECK_EQ(changes.flags == STRATA_CHANGES_HELD, t->held);
        if (!t->held) check_alone(h, t, &changes);
        else if (observed_pick(h->w, 3) == 0) ask(h, t);
        t->asked = true;
        if (observed_pick(h->w, 20) == 0) come_and_go(h);
        if (observed_pick(h->w, 30) == 0) move_view(h);
        if (observed_pick(h->w, 30) == 0) check_results(h);
    }
}

static void live(bool values, uint64_t rounds, uint64_t seed) {
    house *h = calloc(1, sizeof *h);
    h->w = observed_world_make(seed);
    h->values = values;
    fixture *f = h->w->f;
    strata_observers_stats stats = { .size = sizeof stats };
    MUST(strata_view_refresh(f->view, NULL, &f->error));
    MUST(strata_observers_open(f->view, &h->group, &f->error));
    for (int i = 0; i < MOST / 2; i++) begin(h);
    for (uint64_t i = 0; i < rounds; i++) {
        move_view(h);
        if (observed_pick(h->w, 4) == 0) skip(h);
        if (h->count != 0 && observed_pick(h->w, 4) == 0) ask(h, h->all[observed_pick(h->w, (uint64_t)h->count)]);
        deliver(h);
        come_and_go(h);
        MUST(strata_observers_explain(h->group, &stats, &f->error));
        CHECK(stats.sharers <= stats.observers && stats.results <= stats.observers);
        shared += stats.sharers;
        observed_forget(h->w);
    }
    while (h->count > 0) end(h, (int)observed_pick(h->w, (uint64_t)h->count));
    MUST(strata_observers_explain(h->group, &stats, &f->error));
    CHECK_EQ(stats.results, 0);
    CHECK_EQ(stats.sharers, 0);
    strata_observers_close(h->group);
    observed_world_free(h->w);
    free(h);
}

static void live_in_many(bool values) {
    enum { WORLD = 200 };
    const char *text = getenv("CTEST_OBSERVE");
    uint64_t left = text == NULL ? ctest_rounds(200) : strtoull(text, NULL, 10), seed = ctest_seed();
    told = told_when_asked = shared = results = known = 0;
    for (uint64_t some; left > 0; left -= some) {
        some = left < WORLD ? left : WORLD;
        live(values, some, seed++);
    }
    CHECK(told > 0 && told_when_asked > 0 && shared > told && known > 0 && known < results);
}

void test_observers_that_share_tell_the_same_as_alone(void) { live_in_many(false); }

void test_observers_that_share_values_tell_the_same_as_alone(void) { live_in_many(true); }

/* ---- What sharing takes ----------------------------------------------- */

typedef struct costs {
    uint64_t rows, steps, results, sharers, memory, deliveries;
} costs;

static void add_costs(fixture *f, strata_observers *group, strata_observer **observers, int count, costs *out) {
    strata_observers_stats all = { .size = sizeof all };
    MUST(strata_observers_explain(group, &all, &f->error));
    *out = (costs){ .rows = all.rows_visited, .steps = all.steps, .results = all.results, .sharers = all.sharers,
                    .memory = all.memory };
    for (int i = 0; i < count; i++) {
        strata_observer_stats one = { .size = sizeof one };
        MUST(strata_observer_explain(observers[i], &one, &f->error));
        CHECK_EQ(one.sharers, (uint64_t)count);
        out->rows += one.rows_visited;
        out->memory += one.memory;
        out->deliveries += one.deliveries;
    }
}

/* What so many observers of one query take, from their beginning to the end of some deliveries. */
static costs observe(int count, uint32_t stage, bool one_set_of_paths) {
    enum { ROUNDS = 30 };
    observed_world *w = observed_world_make(3);
    fixture *f = w->f;
    strata_observers *group;
    strata_observer **observers = calloc((size_t)count, sizeof *observers), *told_now;
    strata_changes changes = strata_changes_blank();
    asked_query q = { .query = strata_query_blank(), .values = { strata_int(3) } };
    costs out;
    q.nodes[0] = (strata_node){ .op = STRATA_GREATER, .left = { .path = number_step, .path_length = 1 },
                                .value_count = 1, .values = &q.values[0] };
    q.query.table = NODE;
    q.query.nodes = q.nodes;
    q.query.node_count = 1;
    q.query.stages = stages[stage];
    q.query.stage_count = stage == 3 ? 2 : 1;
    MUST(strata_view_refresh(f->view, NULL, &f->error));
    MUST(strata_observers_open(f->view, &group, &f->error));
    for (int i = 0; i < count; i++)
        MUST(strata_observe_query(group, &q.query, &paths[one_set_of_paths ? 0 : i % 2], NULL, &observers[i],
                                  &f->error));
    for (int round = 0; round < ROUNDS; round++) {
        observed_change(w);
        MUST(strata_view_refresh(f->view, NULL, &f->error));
        MUST(strata_observers_advance(group, &f->error));
        strata_status status;
        do status = strata_observers_next(group, &told_now, &changes, &f->error);
        while (status == STRATA_OK);
        CHECK_EQ(status, STRATA_END);
    }
    add_costs(f, group, observers, count, &out);
    free(observers);
    strata_observers_close(group);
    observed_world_free(w);
    return out;
}

/* A thousand observers of a query read the rows that one reads, and the result is moved as often. */
void test_observers_that_share_cost_what_one_costs(void) {
    enum { MANY = 1000, BYTES = 400 };
    for (uint32_t stage = 0; stage < STAGES; stage++) {
        costs one = observe(1, stage, true), many = observe(MANY, stage, true), two = observe(2, stage, false);
        costs mixed = observe(MANY, stage, false);
        CHECK(one.deliveries > 0 && one.steps > 0 && one.rows > 0);
        CHECK_EQ(many.deliveries, MANY * one.deliveries);
        CHECK_EQ(many.rows, one.rows);
        CHECK_EQ(many.steps, one.steps);
        CHECK_EQ(many.results, 1);
        CHECK_EQ(many.sharers, MANY);
        CHECK_EQ(one.sharers, 0);
        CHECK_EQ(mixed.rows, two.rows); /* through other key paths other rows are looked at */
        CHECK_EQ(mixed.steps, one.steps);
        CHECK_EQ(mixed.results, 1);
        CHECK(many.memory <= one.memory + (MANY - 1) * BYTES);
        if (stage == 0) printf("%llu bytes for each further observer of a query\n",
                               (unsigned long long)((many.memory - one.memory) / (MANY - 1)));
    }
}

/* ---- Who is asked later ----------------------------------------------- */

static uint64_t results_of(fixture *f, const strata_observers *group) {
    strata_observers_stats stats = { .size = sizeof stats };
    MUST(strata_observers_explain(group, &stats, &f->error));
    return stats.results;
}

static uint64_t add_node(fixture *f) {
    MUST(strata_view_begin(f->view, &f->error));
    uint64_t key = ADD(NODE, strata_int(1));
    MUST(strata_view_commit(f->view, &f->error));
    return key;
}

static void check_next(fixture *f, strata_observers *group, strata_observer *expected, uint64_t insertions) {
    strata_observer *observer;
    strata_changes changes = strata_changes_blank();
    strata_status status = strata_observers_next(group, &observer, &changes, &f->error);
    MUST(status == STRATA_END ? STRATA_OK : status);
    CHECK(observer == expected);
    if (expected != NULL) CHECK_EQ(changes.insertion_count, insertions);
}

/* Observers who were held back have a result of their own until they meet the others again. */
void test_observers_that_were_held_back_share_again(void) {
    observed_world *w = observed_world_make(4);
    fixture *f = w->f;
    strata_observers *group;
    strata_observer *all[3];
    strata_query query = strata_query_blank();
    MUST(strata_view_refresh(f->view, NULL, &f->error));
    MUST(strata_observers_open(f->view, &group, &f->error));
    for (int i = 0; i < 3; i++) MUST(strata_observe_query(group, &query, &paths[i % 2], NULL, &all[i], &f->error));
    CHECK_EQ(results_of(f, group), 1);
    (void)add_node(f);
    MUST(strata_observers_advance(group, &f->error));
    check_next(f, group, all[0], 1); /* and the others are not asked */
    CHECK_EQ(results_of(f, group), 1);
    (void)add_node(f);
    MUST(strata_observers_advance(group, &f->error));
    check_next(f, group, all[0], 1);
    CHECK_EQ(results_of(f, group), 2);
    check_next(f, group, all[1], 2);
    check_next(f, group, all[2], 2);
    check_next(f, group, NULL, 0);
    (void)add_node(f);
    MUST(strata_observers_advance(group, &f->error));
    for (int i = 0; i < 3; i++) check_next(f, group, all[i], 1);
    check_next(f, group, NULL, 0);
    CHECK_EQ(results_of(f, group), 1);
    strata_observers_close(group);
    observed_world_free(w);
}

/* Whoever is asked after the view has moved is told up to what it shows, with or without an advance. */
void test_observers_are_told_what_the_view_shows(void) {
    observed_world *w = observed_world_make(5);
    fixture *f = w->f;
    strata_observers *group;
    strata_observer *all[2];
    strata_query query = strata_query_blank();
    enum { NODES = 300 };
    uint64_t nodes[NODES];
    query.stages = stages[0]; /* whose rows are read */
    query.stage_count = 1;
    MUST(strata_view_refresh(f->view, NULL, &f->error));
    for (int i = 0; i < NODES; i++) nodes[i] = add_node(f);
    MUST(strata_observers_open(f->view, &group, &f->error));
    for (int i = 0; i < 2; i++) MUST(strata_observe_query(group, &query, &paths[0], NULL, &all[i], &f->error));
    (void)add_node(f);
    MUST(strata_observers_advance(group, &f->error));
    check_next(f, group, all[0], 1);
    MUST(strata_view_begin(w->other, &f->error)); /* those go between which the new one stands */
    for (int i = 0; i < NODES; i++) MUST(strata_object_delete(w->other, NODE, nodes[i], &f->error));
    MUST(strata_view_commit(w->other, &f->error));
    MUST(strata_view_refresh(f->view, NULL, &f->error));
    check_next(f, group, all[1], 1);
    check_next(f, group, NULL, 0);
    MUST(strata_observers_advance(group, &f->error));
    check_next(f, group, all[0], 0);
    check_next(f, group, NULL, 0);
    strata_observers_close(group);
    observed_world_free(w);
}

/* ---- Holding ---------------------------------------------------------- */

/* A world with an observer that is held, and one that is not. */
typedef struct held_world {
    observed_world *w;
    strata_observers *group;
    strata_observer *held, *other;
} held_world;

static held_world hold_one(void) {
    held_world h = { .w = observed_world_make(6) };
    fixture *f = h.w->f;
    strata_query query = strata_query_blank();
    MUST(strata_view_refresh(f->view, NULL, &f->error));
    MUST(strata_observers_open(f->view, &h.group, &f->error));
    MUST(strata_observe_query(h.group, &query, &paths[0], NULL, &h.held, &f->error));
    MUST(strata_observe_query(h.group, &query, &paths[1], NULL, &h.other, &f->error));
    strata_observer_hold(h.held);
    return h;
}

static void held_world_end(held_world *h) {
    strata_observers_close(h->group);
    observed_world_free(h->w);
}

/* Commits an object; the one that is held is named, and the other one told. */
static void add_and_deliver(held_world *h) {
    fixture *f = h->w->f;
    strata_observer *named;
    strata_changes changes = strata_changes_blank();
    (void)add_node(f);
    MUST(strata_observers_advance(h->group, &f->error));
    MUST(strata_observers_next(h->group, &named, &changes, &f->error));
    CHECK(named == h->held);
    CHECK_EQ(changes.flags, STRATA_CHANGES_HELD);
    CHECK_EQ(changes.insertion_count, 0);
    check_next(f, h->group, h->other, 1);
    check_next(f, h->group, NULL, 0);
}

/* One that is held is named with each advance until it is asked; then it tells of everything in one step. */
void test_observers_that_are_held_are_told_when_they_ask(void) {
    enum { COMMITS = 3 };
    held_world h = hold_one();
    fixture *f = h.w->f;
    strata_changes changes = strata_changes_blank();
    for (int i = 0; i < COMMITS; i++) add_and_deliver(&h);
    MUST(strata_observer_ask(h.held, &changes, &f->error));
    CHECK_EQ(changes.flags, 0);
    CHECK_EQ(changes.insertion_count, COMMITS);
    CHECK_EQ(strata_observer_ask(h.held, &changes, &f->error), STRATA_END);
    MUST(strata_observers_advance(h.group, &f->error));
    check_next(f, h.group, NULL, 0);
    (void)add_node(f); /* asked without an advance, also who is not held */
    MUST(strata_observer_ask(h.other, &changes, &f->error));
    CHECK_EQ(changes.insertion_count, 1);
    MUST(strata_observer_ask(h.held, &changes, &f->error));
    CHECK_EQ(changes.insertion_count, 1);
    MUST(strata_observers_advance(h.group, &f->error));
    check_next(f, h.group, NULL, 0);
    MUST(strata_view_begin(f->view, &f->error));
    (void)ADD(NODE, strata_int(1));
    REFUSED(strata_observer_ask(h.held, &changes, &f->error), STRATA_WRITING, "observing in a write");
    MUST(strata_view_commit(f->view, &f->error));
    strata_observer_remove(h.held);
    held_world_end(&h);
}

/* The commits that somebody who is held does not know cannot be arbitrarily many; positions are told exactly all the
 * same. */
void test_observers_that_are_held_for_long_keep_a_thousand_commits(void) {
    enum { KEPT = 1024 };
    for (int commits = KEPT; commits <= KEPT + 1; commits++) {
        held_world h = hold_one();
        fixture *f = h.w->f;
        strata_changes changes = strata_changes_blank();
        strata_observers_stats stats = { .size = sizeof stats };
        for (int i = 0; i < commits; i++) add_and_deliver(&h);
        MUST(strata_observers_explain(h.group, &stats, &f->error));
        CHECK(stats.records != 0 && stats.records < KEPT * 1024);
        MUST(strata_observer_ask(h.held, &changes, &f->error));
        CHECK_EQ(changes.flags, commits == KEPT ? 0 : STRATA_CHANGES_ANEW);
        CHECK_EQ(changes.insertion_count, (uint64_t)commits);
        CHECK_EQ(changes.deletion_count, 0);
        MUST(strata_observers_advance(h.group, &f->error));
        check_next(f, h.group, NULL, 0);
        MUST(strata_observers_explain(h.group, &stats, &f->error));
        CHECK_EQ(stats.records, 0);
        held_world_end(&h);
    }
}

/* Nor are they kept for a program that advances and asks nobody, or always the same one. */
void test_observers_that_are_not_asked_keep_a_thousand_commits(void) {
    enum { KEPT = 1024 };
    for (int asks = 0; asks < 2; asks++) {
        held_world h = hold_one();
        fixture *f = h.w->f;
        uint64_t records[2];
        strata_changes changes = strata_changes_blank();
        strata_observers_stats stats = { .size = sizeof stats };
        for (int i = 0; i < 4 * KEPT; i++) {
            (void)add_node(f);
            if (asks == 0) MUST(strata_observers_advance(h.group, &f->error));
            else MUST(strata_observer_ask(h.other, &changes, &f->error));
            if (i != 2 * KEPT - 1 && i != 4 * KEPT - 1) continue;
            MUST(strata_observers_explain(h.group, &stats, &f->error));
            records[i / (3 * KEPT)] = stats.records;
        }
        CHECK(records[0] != 0 && records[1] < records[0] + records[0] / 4);
        MUST(strata_observer_ask(h.held, &changes, &f->error));
        CHECK_EQ(changes.flags, STRATA_CHANGES_ANEW);
        CHECK_EQ(changes.insertion_count, 4 * KEPT);
        held_world_end(&h);
    }
}

/* Assigns a property of many objects; the bytes of records that are kept then. */
static uint64_t assign_many(held_world *h, uint64_t first, uint64_t count, int64_t value) {
    fixture *f = h->w->f;
    strata_observer *named;
    strata_changes changes = strata_changes_blank();
    strata_observers_stats stats = { .size = sizeof stats };
    MUST(strata_view_begin(f->view, &f->error));
    for (uint64_t key = first; key < first + count; key++) set(f, NODE, key, NUMBER, strata_int(value));
    MUST(strata_view_commit(f->view, &f->error));
    MUST(strata_observers_advance(h->group, &f->error));
    while (strata_observers_next(h->group, &named, &changes, &f->error) == STRATA_OK)
        CHECK_EQ(changes.flags, STRATA_CHANGES_HELD);
    MUST(strata_observers_explain(h->group, &stats, &f->error));
    return stats.records;
}

/* Neither can their records take any number of bytes: with 16 MiB everything is told exactly, with one commit more the
 * oldest is forgotten. */
void test_observers_that_are_held_for_long_keep_some_megabytes(void) {
    enum { NODES = 200000, LIMIT = 16 << 20 };
    held_world h = hold_one();
    fixture *f = h.w->f;
    strata_changes changes = strata_changes_blank();
    strata_observer *late;
    strata_query query = strata_query_blank();
    uint64_t first = 0, records = 0, size = 0;
    MUST(strata_view_begin(f->view, &f->error));
    for (int i = 0; i < NODES; i++) {
        uint64_t key = ADD(NODE, strata_int(-1));
        if (i == 0) first = key;
    }
    MUST(strata_view_commit(f->view, &f->error));
    MUST(strata_observer_ask(h.held, &changes, &f->error));
    MUST(strata_observer_ask(h.other, &changes, &f->error));
    MUST(strata_observe_query(h.group, &query, &paths[0], NULL, &late, &f->error));
    strata_observer_hold(late);
    for (int commits = 0; records + size <= LIMIT; commits++) {
        uint64_t before = records;
        records = assign_many(&h, first, NODES, commits);
        CHECK(records > before);
        size = records - before;
    }
    CHECK(records <= LIMIT && size > 1000);
    MUST(strata_observer_ask(h.held, &changes, &f->error));
    CHECK_EQ(changes.flags, 0);
    CHECK_EQ(changes.modification_count, NODES);
    records = assign_many(&h, first, NODES, -2);
    CHECK(records <= LIMIT && records + size > LIMIT);
    MUST(strata_observer_ask(h.held, &changes, &f->error)); /* knows all but the last one */
    CHECK_EQ(changes.flags, 0);
    MUST(strata_observer_ask(late, &changes, &f->error));
    CHECK_EQ(changes.flags, STRATA_CHANGES_ANEW);
    CHECK_EQ(changes.insertion_count + changes.deletion_count, 0);
    held_world_end(&h);
}

/* Those who ask after each commit, and those who ask rarely, are told what leads to what there is. */
void test_observers_that_ask_more_or_less_often(void) {
    enum { LOOPS = 8 };
    house *h = calloc(1, sizeof *h);
    h->w = observed_world_make(ctest_seed());
    fixture *f = h->w->f;
    MUST(strata_view_refresh(f->view, NULL, &f->error));
    MUST(strata_observers_open(f->view, &h->group, &f->error));
    while (h->count < LOOPS) {
        begin(h);
        strata_observer_hold(h->all[h->count - 1]->shared);
    }
    for (uint64_t i = 0; i < ctest_rounds(1000); i++) {
        observed_change(h->w);
        MUST(strata_view_refresh(f->view, NULL, &f->error));
        for (uint64_t k = 0; k < LOOPS; k++)
            if (observed_pick(h->w, 1 + k) == 0) ask(h, h->all[k]);
        observed_forget(h->w);
    }
    while (h->count > 0) end(h, h->count - 1);
    strata_observers_close(h->group);
    observed_world_free(h->w);
    free(h);
}
