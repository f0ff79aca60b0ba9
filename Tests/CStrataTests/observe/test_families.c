/* SPDX-License-Identifier: MIT
 * test_families.c -- of many observers those are asked whom a commit may concern, however many there are. */
#include <stdlib.h>

#include "strata_observer.h"
#include "support/strata_support.h"

enum { THING, OWNER };
enum { ID, OWNED_BY, NOTE };
enum { BY_ID, BY_OWNER, OF_OBJECT, KINDS };

/* Things of different owners, and for each of them an observer of `id == its id`, one of `owner == its owner`, and one
 * of the object. */
typedef struct crowd {
    fixture *f;
    uint64_t count;
    uint64_t *things, *owners;
    strata_observers *group;
    strata_observer **observers[KINDS];
} crowd;

static strata_observer *observe_value(crowd *c, uint32_t column_number, strata_value value) {
    fixture *f = c->f;
    const strata_step step = { .column = column_number };
    const strata_node node = { .op = STRATA_EQUAL, .left = { .path = &step, .path_length = 1 }, .value_count = 1,
                               .values = &value };
    const strata_key_paths all = { .all = true };
    strata_query query = strata_query_blank();
    strata_observer *observer;
    query.nodes = &node;
    query.node_count = 1;
    MUST(strata_observe_query(c->group, &query, &all, NULL, &observer, &f->error));
    return observer;
}

static crowd crowd_make(uint64_t count) {
    crowd c = { .f = fixture_open_memory(), .count = count };
    fixture *f = c.f;
    const strata_column_spec thing[] = { column("id", STRATA_INT, STRATA_COLUMN_INDEXED), link_to("owner", "Owner"),
                                         column("note", STRATA_STRING, 0) };
    const strata_column_spec owner[] = { column("name", STRATA_STRING, 0) };
    const strata_table_spec tables[] = { { "Thing", 0, 3, thing }, { "Owner", 0, 1, owner } };
    const strata_key_paths all = { .all = true };
    MUST(apply(f, 0, tables, 2));
    c.things = malloc(count * sizeof *c.things);
    c.owners = malloc(count * sizeof *c.owners);
    MUST(strata_view_begin(f->view, &f->error));
    for (uint64_t i = 0; i < count; i++) {
        c.owners[i] = ADD(OWNER, value_of("name"));
        c.things[i] = ADD(THING, strata_int((int64_t)i), strata_link(c.owners[i]), value_of("note"));
    }
    MUST(strata_view_commit(f->view, &f->error));
    MUST(strata_observers_open(f->view, &c.group, &f->error));
    for (int kind = 0; kind < KINDS; kind++) c.observers[kind] = malloc(count * sizeof **c.observers);
    for (uint64_t i = 0; i < count; i++) {
        c.observers[BY_ID][i] = observe_value(&c, ID, strata_int((int64_t)i));
        c.observers[BY_OWNER][i] = observe_value(&c, OWNED_BY, strata_link(c.owners[i]));
        MUST(strata_observe_object(c.group, THING, c.things[i], &all, NULL, &c.observers[OF_OBJECT][i], &f->error));
    }
    return c;
}

static void crowd_free(crowd *c) {
    for (int kind = 0; kind < KINDS; kind++) {
        /* Half of them go one by one, which leaves the others as they are. */
        for (uint64_t i = 0; i < c->count; i += 2) strata_observer_remove(c->observers[kind][i]);
        free(c->observers[kind]);
    }
    strata_observers_close(c->group);
    free(c->things);
    free(c->owners);
    fixture_close(c->f);
}

static strata_observers_stats stats_of(const crowd *c) {
    fixture *f = c->f;
    strata_observers_stats stats = { .size = sizeof stats };
    MUST(strata_observers_explain(c->group, &stats, &f->error));
    return stats;
}

static uint64_t rows_read(const crowd *c) {
    fixture *f = c->f;
    uint64_t rows = 0;
    for (int kind = 0; kind < KINDS; kind++) {
        for (uint64_t i = 0; i < c->count; i++) {
            strata_observer_stats stats = { .size = sizeof stats };
            MUST(strata_observer_explain(c->observers[kind][i], &stats, &f->error));
            rows += stats.rows_visited;
        }
    }
    return rows;
}

/* Commits what was changed, and checks how many observers are asked, how many are told, and the rows that are read: by
 * the group, and by all observers together. */
static void check_commit(crowd *c, uint64_t asked, uint64_t told, uint64_t looks, uint64_t reads) {
    fixture *f = c->f;
    strata_observer *observer;
    strata_changes changes = strata_changes_blank();
    uint64_t rows = rows_read(c), count = 0;
    strata_observers_stats before = stats_of(c);
    MUST(strata_view_commit(f->view, &f->error));
    MUST(strata_observers_advance(c->group, &f->error));
    while (strata_observers_next(c->group, &observer, &changes, &f->error) == STRATA_OK) count++;
    strata_observers_stats after = stats_of(c);
    CHECK_EQ(after.commits - before.commits, 1);
    CHECK_EQ(after.asked - before.asked, asked);
    CHECK_EQ(count, told);
    CHECK_EQ(after.rows_visited - before.rows_visited, looks);
    CHECK_EQ(rows_read(c) - rows, reads);
}

static void change_one_after_the_other(crowd *c) {
    fixture *f = c->f;
    const uint64_t thing = c->things[7];
    CHECK_EQ(stats_of(c).observers, KINDS * c->count);
    /* A property that decides nothing: its object's observer, and those of its id and of its owner. A look at each of
     * the two values. */
    MUST(strata_view_begin(f->view, &f->error));
    set(f, THING, thing, NOTE, value_of("other"));
    check_commit(c, 3, 3, 2, 0);
    /* Another owner: those of the one and of the other. Both test the thing; the new one looks at its value before. */
    MUST(strata_view_begin(f->view, &f->error));
    set(f, THING, thing, OWNED_BY, strata_link(c->owners[8]));
    check_commit(c, 4, 4, 2, 3);
    MUST(strata_view_begin(f->view, &f->error));
    set(f, THING, thing, OWNED_BY, strata_link(c->owners[7]));
    check_commit(c, 4, 4, 2, 3);
    /* An id that nobody looks for, and back. */
    MUST(strata_view_begin(f->view, &f->error));
    set(f, THING, thing, ID, strata_int(-1));
    check_commit(c, 3, 3, 2, 1);
    MUST(strata_view_begin(f->view, &f->error));
    set(f, THING, thing, ID, strata_int(7));
    check_commit(c, 3, 3, 2, 2);
    /* An owner: what belongs to it is modified. Who links to it is found once for each family, and by each observer. */
    MUST(strata_view_begin(f->view, &f->error));
    set(f, OWNER, c->owners[7], 0, value_of("other"));
    check_commit(c, 2, 2, 4, 2);
    /* A thing comes and goes. */
    MUST(strata_view_begin(f->view, &f->error));
    uint64_t added = ADD(THING, strata_int(5), strata_link(c->owners[9]), value_of("note"));
    check_commit(c, 2, 2, 2, 4);
    MUST(strata_view_begin(f->view, &f->error));
    MUST(strata_object_delete(f->view, THING, added, &f->error));
    check_commit(c, 2, 2, 2, 0);
    /* An object of which nobody is concerned. */
    MUST(strata_view_begin(f->view, &f->error));
    (void)ADD(OWNER, value_of("nobody"));
    check_commit(c, 0, 0, 0, 0);
}

void test_families_find_those_who_are_concerned(void) {
    const uint64_t counts[] = { 1000, ctest_tries_all() ? 10000 : 3000 };
    for (int i = 0; i < 2; i++) {
        crowd c = crowd_make(counts[i]);
        change_one_after_the_other(&c);
        crowd_free(&c);
    }
}

/* A thing of which everybody is told, because a commit changed everything. */
void test_families_ask_everybody_when_nobody_knows(void) {
    crowd c = crowd_make(30);
    fixture *f = c.f;
    MUST(strata_view_begin(f->view, &f->error));
    const uint32_t cleared = THING;
    MUST(strata_tables_clear(f->view, &cleared, 1, &f->error));
    check_commit(&c, 90, 90, 0, 0);
    MUST(strata_view_begin(f->view, &f->error));
    (void)ADD(THING, strata_int(5), strata_link(c.owners[9]), value_of("note"));
    check_commit(&c, 2, 2, 2, 4);
    crowd_free(&c);
}

/* Few are asked without a look; when they become many, those who have an object are found by the value that it had. */
void test_families_of_few_become_many(void) {
    crowd c = crowd_make(30);
    fixture *f = c.f;
    strata_observer *observer;
    strata_changes changes = strata_changes_blank();
    for (uint64_t i = 5; i < 30; i++)
        for (int kind = 0; kind < KINDS; kind++) strata_observer_remove(c.observers[kind][i]);
    c.count = 5;
    MUST(strata_view_begin(f->view, &f->error));
    set(f, THING, c.things[3], OWNED_BY, strata_link(c.owners[20]));
    MUST(strata_view_commit(f->view, &f->error));
    MUST(strata_observers_advance(c.group, &f->error)); /* and nobody asks */
    for (uint64_t i = 5; i < 30; i++) {
        const strata_key_paths all = { .all = true };
        c.observers[BY_ID][i] = observe_value(&c, ID, strata_int((int64_t)i));
        c.observers[BY_OWNER][i] = observe_value(&c, OWNED_BY, strata_link(c.owners[i]));
        MUST(strata_observe_object(c.group, THING, c.things[i], &all, NULL, &c.observers[OF_OBJECT][i], &f->error));
    }
    c.count = 30;
    MUST(strata_view_begin(f->view, &f->error));
    set(f, THING, c.things[3], OWNED_BY, strata_link(c.owners[21]));
    MUST(strata_view_commit(f->view, &f->error));
    MUST(strata_observers_advance(c.group, &f->error));
    uint64_t deletions = 0, insertions = 0;
    while (strata_observers_next(c.group, &observer, &changes, &f->error) == STRATA_OK) {
        if (observer == c.observers[BY_OWNER][3]) CHECK_EQ(changes.deletion_count, 1);
        deletions += changes.deletion_count;
        insertions += changes.insertion_count;
    }
    CHECK_EQ(deletions, 2); /* of the first owner, and of the one in between */
    CHECK_EQ(insertions, 1);
    MUST(strata_view_begin(f->view, &f->error));
    set(f, THING, c.things[3], OWNED_BY, strata_link(c.owners[3]));
    check_commit(&c, 4, 4, 2, 3);
    crowd_free(&c);
}
