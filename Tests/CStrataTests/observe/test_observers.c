/* SPDX-License-Identifier: MIT
 * test_observers.c -- observers tell how to get from one result to the next one. */
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>

#include "strata_predicate.h"
#include "support/faults.h"
#include "support/observe_model.h"
#include "support/queue_support.h"

/* ---- Queries, as text and stages -------------------------------------- */

typedef struct case_of_query {
    const char *text;          /* the condition, or NULL */
    uint32_t stage;            /* an index of `stages` plus 1, or 0 */
    strata_source_kind source; /* of an object that is picked */
} case_of_query;

static const strata_step owner_age[] = { { .column = OWNED_BY }, { .column = OWNER_AGE } };
static const strata_step link_link_number[] = { { .column = LINK }, { .column = LINK }, { .column = NUMBER } };
static const strata_step number_step[] = { { .column = NUMBER } }, text_step[] = { { .column = TEXT } };
static const strata_sort by_number_and_text[] = { { number_step, 1, true }, { text_step, 1, false } };
static const strata_sort by_age[] = { { owner_age, 2, false } };
static const strata_sort by_far_number[] = { { link_link_number, 3, false } };
static const strata_sort by_number[] = { { number_step, 1, false } };
enum { STAGES = 6 };
static const strata_stage stages[STAGES][2] = {
    { { STRATA_STAGE_SORT, 2, by_number_and_text, 0, 0 } },
    { { STRATA_STAGE_SORT, 1, by_age, 0, 0 } },
    { { STRATA_STAGE_SORT, 1, by_far_number, 0, 0 } },
    { { STRATA_STAGE_DISTINCT, 1, by_number, 0, 0 } },
    { { STRATA_STAGE_SORT, 1, by_number, 0, 0 }, { STRATA_STAGE_LIMIT, 0, NULL, 1, 5 } },
    { { STRATA_STAGE_SORT, 1, by_age, 0, 0 }, { STRATA_STAGE_SORT, 1, by_number, 0, 0 } },
};
static const uint32_t stage_counts[STAGES] = { 1, 1, 1, 1, 2, 2 };

static const case_of_query cases[] = {
    { NULL, 0, STRATA_SOURCE_TABLE },
    { "number > 4", 0, STRATA_SOURCE_TABLE },
    { "number > 4", 1, STRATA_SOURCE_TABLE },
    { NULL, 2, STRATA_SOURCE_TABLE },
    { "owner.age > 5", 0, STRATA_SOURCE_TABLE },
    { "owner.age > 5", 3, STRATA_SOURCE_TABLE },
    { "ANY list.number == 3", 0, STRATA_SOURCE_TABLE },
    { "list.@count > 2 OR text == 'a'", 1, STRATA_SOURCE_TABLE },
    { "ANY set == 4", 0, STRATA_SOURCE_TABLE },
    { "SUBQUERY(list, $x, $x.number > 4 AND $x.owner.age < 7).@count > 0", 0, STRATA_SOURCE_TABLE },
    { "link.link.text == 'b'", 2, STRATA_SOURCE_TABLE },
    { "NOT owner.boss.age > 3", 6, STRATA_SOURCE_TABLE },
    { "links.@count > 1", 0, STRATA_SOURCE_TABLE },
    { "ANY links.number > 6", 1, STRATA_SOURCE_TABLE },
    { NULL, 4, STRATA_SOURCE_TABLE },
    { "text == 'a'", 5, STRATA_SOURCE_TABLE },
    { NULL, 0, STRATA_SOURCE_LIST },
    { "number > 3", 1, STRATA_SOURCE_LIST },
    { NULL, 0, STRATA_SOURCE_BACKLINKS },
    { "owner.age < 8", 2, STRATA_SOURCE_BACKLINKS },
    { "list.@sum.number > 12", 0, STRATA_SOURCE_TABLE },
    { "map.@count > 1", 0, STRATA_SOURCE_TABLE },
    { "number == 3", 0, STRATA_SOURCE_TABLE },
    { "number > 2 AND text == 'b'", 1, STRATA_SOURCE_TABLE },
    { "link != nil AND text == 'a' AND number < 9", 2, STRATA_SOURCE_TABLE },
};
enum { CASES = sizeof cases / sizeof *cases, VALUE_NODES = 6 };

/* ---- Key paths -------------------------------------------------------- */

static const strata_step list_number[] = { { .column = LIST }, { .column = NUMBER } };
static const strata_step list_step[] = { { .column = LIST } }, set_step[] = { { .column = SET } };
static const strata_step links_number[] = { { .kind = STRATA_STEP_BACKLINKS, .table = NODE, .column = LINK },
                                            { .column = NUMBER } };
static const strata_step boss_age[] = { { .column = OWNED_BY }, { .column = OWNER_BOSS }, { .column = OWNER_AGE } };
static const strata_step map_text[] = { { .column = MAP }, { .column = TEXT } };
static const strata_key_path some_paths[] = {
    { number_step, 1 }, { owner_age, 2 }, { list_number, 2 }, { list_step, 1 }, { links_number, 2 }, { boss_age, 3 },
    { map_text, 2 }, { set_step, 1 },
};

static strata_key_paths random_paths(observed_world *w) {
    strata_key_paths paths = { NULL, 0, false };
    if (observed_pick(w, 3) == 0) paths.all = true;
    else if (observed_pick(w, 5) != 0) {
        uint32_t first = (uint32_t)observed_pick(w, 8);
        paths.paths = some_paths + first;
        paths.count = 1 + (uint32_t)observed_pick(w, 8 - first < 2 ? 8 - first : 2);
    }
    return paths;
}

/* ---- What observes ---------------------------------------------------- */

typedef enum watcher_kind {
    WATCHES_QUERY, WATCHES_LIST, WATCHES_MAP, WATCHES_SET, WATCHES_OBJECT, WATCHES_OWNER
} watcher_kind;

typedef struct watcher {
    watcher_kind kind;
    strata_observer *observer;
    strata_query query;
    strata_predicate *predicate;
    strata_condition *condition;
    strata_key_paths paths;
    uint64_t key;
    uint64_t *was;      /* keys of objects, or numbers that stand for elements */
    uint64_t was_count;
    bool gone;
    const char *name;
    strata_node nodes[VALUE_NODES]; /* of a query for a value */
    strata_value values[2];
} watcher;

enum { WATCHERS = 24, ALIKE = 120, MOST = 4000 };

static uint64_t number_of_key(strata_bytes key) {
    uint64_t number = 0;
    for (size_t i = 0; i < key.size; i++) number = number * 256 + ((const uint8_t *)key.data)[i];
    return number;
}

/* The elements of a collection: keys of objects, numbers, and of a map the keys. */
static uint64_t read_elements(observed_world *w, const watcher *o, uint64_t *out, bool *gone) {
    static strata_value values[MOST];
    static strata_bytes keys[MOST];
    fixture *f = w->f;
    strata_row row;
    uint64_t size = 0;
    uint32_t number = o->kind == WATCHES_LIST ? LIST : o->kind == WATCHES_MAP ? MAP : SET;
    strata_status status = strata_row_bind(f->view, NODE, o->key, &row, &f->error);
    *gone = status == STRATA_NOT_FOUND;
    if (*gone) return 0;
    MUST(status);
    MUST(strata_collection_size(&row, number, &size, &f->error));
    CHECK(size <= MOST);
    if (o->kind == WATCHES_MAP) MUST(strata_map_keys(&row, number, 0, size, keys, &f->error));
    else MUST(strata_collection_get(&row, number, 0, size, values, &f->error));
    for (uint64_t i = 0; i < size; i++)
        out[i] = o->kind == WATCHES_MAP ? number_of_key(keys[i])
                                        : o->kind == WATCHES_LIST ? values[i].as.link : (uint64_t)values[i].as.integer;
    return size;
}

static uint64_t read_now(observed_world *w, const watcher *o, uint64_t *out, bool *gone) {
    fixture *f = w->f;
    *gone = false;
    if (o->kind == WATCHES_OBJECT || o->kind == WATCHES_OWNER) {
        strata_row row;
        *gone = strata_row_bind(f->view, o->kind == WATCHES_OBJECT ? NODE : OWNER, o->key, &row, &f->error) != STRATA_OK;
        return 0;
    }
    if (o->kind != WATCHES_QUERY) return read_elements(w, o, out, gone);
    strata_keys keys;
    MUST(strata_query_run(f->view, &o->query, &keys, NULL, &f->error));
    CHECK(keys.count <= MOST);
    uint64_t count = keys.count;
    if (count != 0) memcpy(out, keys.data, count * sizeof *out);
    strata_keys_free(&keys);
    return count;
}

static void make_query(observed_world *w, watcher *o) {
    static const strata_alias alias = { NODE, "links", { .kind = STRATA_STEP_BACKLINKS, .table = NODE, .column = LIST } };
    fixture *f = w->f;
    uint64_t few = observed_pick(w, 3) == 0; /* so that some are equal */
    const case_of_query *c = &cases[observed_pick(w, few ? 4 : CASES)];
    o->name = c->text == NULL ? "all" : c->text;
    o->query = strata_query_blank();
    o->query.table = NODE;
    o->query.source = c->source;
    o->query.origin_table = NODE;
    o->query.origin_column = c->source == STRATA_SOURCE_LIST ? LIST : LINK;
    o->query.key = o->key;
    if (c->text != NULL) {
        MUST(strata_predicate_parse(c->text, strlen(c->text), NULL, 0, &o->predicate, &f->error));
        MUST(strata_predicate_resolve(o->predicate, f->view, NODE, &alias, 1, &o->condition, &f->error));
        o->query.nodes = o->condition->nodes;
        o->query.node_count = o->condition->node_count;
    }
    if (c->stage != 0) {
        o->query.stages = stages[c->stage - 1];
        o->query.stage_count = stage_counts[c->stage - 1];
    }
}

/* One of many queries that differ in the value alone. */
static void make_query_for_value(observed_world *w, watcher *o) {
    static const strata_step columns[] = { { .column = LINK }, { .column = OWNED_BY }, { .column = NUMBER } };
    uint64_t choice = observed_pick(w, 6) == 0, key = observed_key(w, choice == 0 ? NODE : OWNER);
    o->values[0] = strata_link(key);
    o->values[1] = strata_int(4);
    const strata_node all = { .op = STRATA_AND, .children = 2 }, one = { .op = STRATA_OR, .children = 2 };
    const strata_node no = { .op = STRATA_NOT };
    const strata_node equal = { .op = STRATA_EQUAL, .left = { .path = &columns[choice], .path_length = 1 },
                                .value_count = 1, .values = &o->values[0] };
    const strata_node more = { .op = STRATA_GREATER, .left = { .path = &columns[2], .path_length = 1 },
                               .value_count = 1, .values = &o->values[1] };
    /* Wherever an equality stands, with others around it. */
    const struct {
        uint32_t count;
        strata_node nodes[VALUE_NODES];
    } shapes[] = { { 1, { equal } }, { 3, { all, equal, more } }, { 3, { all, more, equal } }, { 2, { no, equal } },
                   { 4, { all, no, equal, more } }, { 4, { all, more, no, equal } }, { 3, { one, equal, more } },
                   { 5, { all, one, equal, more, more } }, { 5, { all, no, no, equal, more } },
                   { 6, { all, no, one, equal, more, more } } };
    size_t shape = observed_pick(w, 3) != 0 ? 0 : (size_t)observed_pick(w, sizeof shapes / sizeof *shapes);
    memcpy(o->nodes, shapes[shape].nodes, sizeof o->nodes);
    o->name = choice == 0 ? "link == value" : "owner == value";
    o->query = strata_query_blank();
    o->query.table = NODE;
    if (key == 0) return; /* all nodes */
    o->query.nodes = o->nodes;
    o->query.node_count = shapes[shape].count;
    uint32_t stage = observed_pick(w, 8) == 0 ? 1 + (uint32_t)observed_pick(w, STAGES) : 0;
    if (stage != 0) {
        o->query.stages = stages[stage - 1];
        o->query.stage_count = stage_counts[stage - 1];
    }
}

static void watcher_begin(observed_world *w, strata_observers *group, watcher *o, bool alike) {
    static const strata_key_paths few_paths[] = { { NULL, 0, false }, { some_paths, 2, false }, { NULL, 0, true } };
    fixture *f = w->f;
    memset(o, 0, sizeof *o);
    o->kind = (watcher_kind)(observed_pick(w, 10) < 6 ? 0 : observed_pick(w, 6));
    o->key = observed_key(w, o->kind == WATCHES_OWNER ? OWNER : NODE);
    o->paths = alike ? few_paths[observed_pick(w, 5) == 0 ? observed_pick(w, 3) : 0] : random_paths(w);
    o->name = "collection or object";
    if (o->key == 0) o->kind = WATCHES_QUERY;
    if (o->kind == WATCHES_QUERY) {
        if (alike) make_query_for_value(w, o);
        else make_query(w, o);
        MUST(strata_observe_query(group, &o->query, &o->paths, o, &o->observer, &f->error));
    } else if (o->kind == WATCHES_OBJECT || o->kind == WATCHES_OWNER) {
        if (o->kind == WATCHES_OWNER) o->paths = (strata_key_paths){ NULL, 0, true };
        MUST(strata_observe_object(group, o->kind == WATCHES_OBJECT ? NODE : OWNER, o->key, &o->paths, o, &o->observer,
                                   &f->error));
    } else {
        uint32_t number = o->kind == WATCHES_LIST ? LIST : o->kind == WATCHES_MAP ? MAP : SET;
        MUST(strata_observe_collection(group, NODE, o->key, number, &o->paths, o, &o->observer, &f->error));
    }
    o->was = malloc(MOST * sizeof *o->was);
    o->was_count = read_now(w, o, o->was, &o->gone);
}

static void watcher_end(watcher *o) {
    strata_observer_remove(o->observer);
    strata_condition_free(o->condition);
    strata_predicate_free(o->predicate);
    free(o->was);
}

static uint64_t rounds_of(const char *name, unsigned usual) {
    const char *text = getenv(name);
    return text == NULL ? ctest_rounds(usual) : strtoull(text, NULL, 10);
}

/* Says more of the check that is about to fail. */
#define note_failure(...) ((void)fprintf(stderr, __VA_ARGS__), (void)fputc('\n', stderr))

/* ---- Comparing -------------------------------------------------------- */

static bool contains(const uint64_t *list, uint64_t count, uint64_t item) {
    for (uint64_t i = 0; i < count; i++)
        if (list[i] == item) return true;
    return false;
}

static void check_ascending(const uint64_t *list, uint64_t count, uint64_t limit) {
    for (uint64_t i = 0; i < count; i++) CHECK(list[i] < limit && (i == 0 || list[i] > list[i - 1]));
}

/* Deletes and inserts: what is left must be what is there, and `from` says where each element was. */
static void check_steps(const watcher *o, const strata_changes *c, const uint64_t *now, uint64_t now_count,
                        uint64_t *from) {
    check_ascending(c->deletions, c->deletion_count, o->was_count);
    check_ascending(c->insertions, c->insertion_count, now_count);
    check_ascending(c->modifications, c->modification_count, o->was_count);
    CHECK_EQ(o->was_count - c->deletion_count + c->insertion_count, now_count);
    uint64_t old = 0;
    for (uint64_t i = 0; i < now_count; i++) {
        from[i] = UINT64_MAX;
        if (contains(c->insertions, c->insertion_count, i)) continue;
        while (contains(c->deletions, c->deletion_count, old)) old++;
        bool set = o->kind == WATCHES_LIST && contains(c->modifications, c->modification_count, old);
        if (o->was[old] != now[i] && !set)
            note_failure("%s: kind %d, object %d: position %d was %d; %d before, %d now, %d deleted, %d inserted, %u",
                         o->name, (int)o->kind, (int)o->key, (int)i, (int)old, (int)o->was_count, (int)now_count,
                         (int)c->deletion_count, (int)c->insertion_count, (unsigned)c->flags);
        if (!set) CHECK_EQ(o->was[old], now[i]);
        from[i] = old++;
    }
}

static void check_modified(observed_world *w, const watcher *o, const strata_changes *c, const uint64_t *now,
                           uint64_t now_count, const uint64_t *from) {
    bool objects = o->kind == WATCHES_QUERY || o->kind == WATCHES_LIST;
    for (uint64_t i = 0; i < now_count; i++) {
        if (from[i] == UINT64_MAX) continue;
        bool told = contains(c->modifications, c->modification_count, from[i]);
        bool is = objects && observed_concerns(w, NODE, now[i], &o->paths, 3);
        bool maybe = o->kind != WATCHES_QUERY; /* elements are assigned, too */
        if ((is && !told) || (told && !is && !maybe))
            note_failure("%s: object %d, all %d, %u paths", o->name, (int)now[i], o->paths.all,
                         (unsigned)o->paths.count);
        CHECK(told || !is);
        CHECK(is || !told || maybe);
    }
    for (uint64_t i = 0; i < c->modification_count; i++)
        CHECK(c->modifications_after[i] < now_count && from[c->modifications_after[i]] == c->modifications[i]);
}

static void check_object(observed_world *w, const watcher *o, const strata_changes *c) {
    uint32_t table = o->kind == WATCHES_OBJECT ? NODE : OWNER;
    for (uint32_t i = 0; o->paths.all && i < (table == NODE ? NODE_COLUMNS : OWNER_COLUMNS); i++) {
        bool told = false;
        for (uint32_t k = 0; k < c->column_count; k++) told = told || c->columns[k] == i;
        CHECK_EQ(told, w->assigned[table][o->key][i] != 0);
    }
    for (uint32_t i = 0; i < o->paths.count; i++) {
        bool told = false;
        const strata_key_paths one = { o->paths.paths + i, 1, false };
        for (uint32_t k = 0; k < c->path_count; k++) told = told || c->paths[k] == i;
        CHECK_EQ(told, observed_concerns(w, table, o->key, &one, 0));
    }
}

/* Checks what an observer told, or that it had nothing to tell. */
static void check_told(observed_world *w, watcher *o, const strata_changes *c) {
    static uint64_t now[MOST], from[MOST];
    bool gone;
    uint64_t count = read_now(w, o, now, &gone);
    CHECK_EQ((c->flags & STRATA_CHANGES_GONE) != 0, gone && !o->gone);
    CHECK((c->flags & STRATA_CHANGES_ANEW) == 0 || w->short_of_memory);
    if (o->kind == WATCHES_OBJECT || o->kind == WATCHES_OWNER) {
        if (!gone) check_object(w, o, c);
    } else {
        check_steps(o, c, now, count, from);
        check_modified(w, o, c, now, count, from);
        if (o->kind == WATCHES_MAP)
            for (uint64_t i = 0; i < c->deletion_count; i++)
                CHECK_EQ(number_of_key(c->deleted_keys[i]), o->was[c->deletions[i]]);
    }
    memcpy(o->was, now, count * sizeof *now);
    o->was_count = count;
    o->gone = gone;
}

static uint64_t deliveries; /* of the running test */

static void check_all(observed_world *w, strata_observers *group, watcher *watchers, int count) {
    fixture *f = w->f;
    bool told[ALIKE] = { false };
    strata_observer *observer;
    strata_changes changes = strata_changes_blank();
    const strata_changes none = strata_changes_blank();
    strata_status status;
    MUST(strata_view_refresh(f->view, NULL, &f->error));
    MUST(strata_observers_advance(group, &f->error));
    while ((status = strata_observers_next(group, &observer, &changes, &f->error)) == STRATA_OK) {
        watcher *o = strata_observer_context(observer);
        CHECK(!told[o - watchers]);
        told[o - watchers] = true;
        check_told(w, o, &changes);
        deliveries++;
    }
    MUST(status == STRATA_END ? STRATA_OK : status);
    for (int i = 0; i < count; i++)
        if (!told[i] && !watchers[i].gone) check_told(w, &watchers[i], &none);
    for (int i = 0; i < count; i++)
        if (watchers[i].kind == WATCHES_QUERY)
            CHECK(observed_check_result(w, watchers[i].observer, &watchers[i].query));
}

/* A random change, in this process or now and then in another one. */
static void change(observed_world *w, bool shared) {
    if (shared && observed_pick(w, 2) == 0) observed_change_elsewhere(w);
    else observed_change(w);
}

/* How a world is: shared with another process; full of observers that differ in a value alone. */
typedef struct kind_of_world {
    bool shared, alike;
} kind_of_world;

static uint64_t asked, could_be_asked; /* of the running test */

static void note_asked(fixture *f, const strata_observers *group, uint64_t rounds) {
    strata_observers_stats stats = { .size = sizeof stats };
    MUST(strata_observers_explain(group, &stats, &f->error));
    asked += stats.asked;
    could_be_asked += rounds * stats.observers;
}

static void live_in(observed_world *w, uint64_t rounds, kind_of_world kind) {
    fixture *f = w->f;
    strata_observers *group;
    watcher *watchers = calloc(ALIKE, sizeof *watchers);
    int count = kind.alike ? ALIKE : WATCHERS;
    MUST(strata_view_refresh(f->view, NULL, &f->error));
    observed_forget(w);
    MUST(strata_observers_open(f->view, &group, &f->error));
    for (int i = 0; i < count; i++) watcher_begin(w, group, &watchers[i], kind.alike);
    for (uint64_t round = 0; round < rounds; round++) {
        for (uint64_t n = 1 + observed_pick(w, 3); n > 0; n--) change(w, kind.shared);
        check_all(w, group, watchers, count);
        observed_forget(w);
        for (uint64_t n = observed_pick(w, 3); n > 0; n--) {
            watcher *o = &watchers[observed_pick(w, (uint64_t)count)];
            watcher_end(o);
            watcher_begin(w, group, o, kind.alike);
        }
    }
    note_asked(f, group, rounds);
    for (int i = 0; i < count; i++) watcher_end(&watchers[i]);
    strata_observers_close(group);
    observed_world_free(w);
    free(watchers);
}

/* In one world after the other, each of another seed. */
static void tell_the_difference(uint64_t rounds, kind_of_world kind) {
    enum { WORLD = 400 };
    uint64_t seed = ctest_seed();
    deliveries = asked = could_be_asked = 0;
    for (uint64_t left = rounds, i = 0; left > 0; i++) {
        char name[30];
        uint64_t some = left < WORLD ? left : WORLD;
        snprintf(name, sizeof name, "file%llu", (unsigned long long)i);
        live_in(kind.shared ? observed_world_make_in(seed + i, name) : observed_world_make(seed + i), some, kind);
        left -= some;
    }
    CHECK(asked <= could_be_asked);
    if (rounds > WORLD)
        printf("%llu deliveries compared; %llu times an observer was asked, of %llu\n", (unsigned long long)deliveries,
               (unsigned long long)asked, (unsigned long long)could_be_asked);
}

void test_observers_tell_the_difference(void) {
    tell_the_difference(rounds_of("CTEST_OBSERVE", 400), (kind_of_world){ false, false });
}

/* So many differ in a value alone that they are looked up by it. */
void test_observers_of_values_tell_the_difference(void) {
    tell_the_difference(rounds_of("CTEST_OBSERVE", 400), (kind_of_world){ false, true });
    CHECK(asked < could_be_asked); /* how many exactly, test_families.c says */
}

void test_observers_tell_the_difference_of_others(void) {
    tell_the_difference(rounds_of("CTEST_OBSERVE", 400) / 4, (kind_of_world){ true, false });
}

/* ---- Without memory --------------------------------------------------- */

/* Tells what there is to tell; allocations fail now and then, if `fails`. Returns whether somebody is still to be told. */
static bool tell_some(observed_world *w, strata_observers *group, watcher *watchers, bool *told, bool fails) {
    fixture *f = w->f;
    strata_observer *observer;
    strata_changes changes = strata_changes_blank();
    bool failed = false;
    strata_status status = strata_observers_advance(group, &f->error);
    while (status == STRATA_OK || status == STRATA_NO_MEMORY) {
        if (fails) fault_set(FAULT_ALLOCATION, 1 + (unsigned)observed_pick(w, 40), 1, ENOMEM);
        status = strata_observers_next(group, &observer, &changes, &f->error);
        (void)fault_clear();
        failed = failed || status == STRATA_NO_MEMORY;
        if (status != STRATA_OK) continue;
        watcher *o = strata_observer_context(observer);
        CHECK(!told[o - watchers]);
        told[o - watchers] = true;
        check_told(w, o, &changes);
    }
    MUST(status == STRATA_END ? STRATA_OK : status);
    return failed;
}

/* Whatever fails, what is told in the end leads from what was told last to what there is. */
void test_observers_without_memory_tell_it_later(void) {
    if (!fault_allocations_work()) ctest_skip("the allocator belongs to a sanitizer, or to the program");
    observed_world_free(observed_world_make(1)); /* what the process keeps is there afterwards */
    long blocks = fault_blocks();
    observed_world *w = observed_world_make(ctest_seed());
    fixture *f = w->f;
    strata_observers *group;
    watcher watchers[WATCHERS];
    unsigned failures = 0;
    const strata_changes none = strata_changes_blank();
    w->short_of_memory = true;
    MUST(strata_view_refresh(f->view, NULL, &f->error));
    observed_forget(w);
    MUST(strata_observers_open(f->view, &group, &f->error));
    for (int i = 0; i < WATCHERS; i++) watcher_begin(w, group, &watchers[i], i % 2 == 0);
    for (unsigned round = ctest_rounds(300); round > 0; round--) {
        bool told[WATCHERS] = { false };
        for (uint64_t n = 1 + observed_pick(w, 3); n > 0; n--) observed_change(w);
        MUST(strata_view_refresh(f->view, NULL, &f->error));
        if (tell_some(w, group, watchers, told, true)) failures++;
        CHECK(!tell_some(w, group, watchers, told, false));
        for (int i = 0; i < WATCHERS; i++)
            if (!told[i] && !watchers[i].gone) check_told(w, &watchers[i], &none);
        observed_forget(w);
    }
    CHECK(failures > 20);
    for (int i = 0; i < WATCHERS; i++) watcher_end(&watchers[i]);
    strata_observers_close(group);
    observed_world_free(w);
    CHECK_EQ(fault_blocks(), blocks);
}

/* ---- What is read ----------------------------------------------------- */

/* So many nodes; one owner has the first forty. */
static fixture *crowd(uint64_t count) {
    observed_world *w = observed_world_make(1);
    fixture *f = w->f;
    strata_view_close(w->other);
    MUST(strata_view_begin(f->view, &f->error));
    uint64_t owner = ADD(OWNER, value_of("name"), strata_int(3), strata_null());
    for (uint64_t i = 0; i < count; i++)
        ADD(NODE, strata_int((int64_t)(i % 1000)), value_of("text"), strata_null(), strata_null(), strata_null(),
            strata_null(), strata_link(i < 40 ? owner : 0));
    MUST(strata_view_commit(f->view, &f->error));
    (void)munmap(w, sizeof *w);
    return f;
}

enum { READERS = 5 };

/* Commits a change of one cell, and delivers it. Returns which readers were told, as bits, and in `rows` the rows that
 * each looked at. */
static unsigned deliver(fixture *f, strata_observers *group, strata_observer **readers, uint32_t table, uint64_t key,
                        uint32_t number, strata_value value, uint64_t *rows) {
    unsigned told = 0;
    strata_observer *observer;
    strata_observer_stats before[READERS], after;
    strata_changes changes = strata_changes_blank();
    for (int i = 0; i < READERS; i++) {
        before[i].size = (uint32_t)sizeof before[i];
        MUST(strata_observer_explain(readers[i], &before[i], &f->error));
    }
    MUST(strata_view_begin(f->view, &f->error));
    set(f, table, key, number, value);
    MUST(strata_view_commit(f->view, &f->error));
    MUST(strata_observers_advance(group, &f->error));
    while (strata_observers_next(group, &observer, &changes, &f->error) == STRATA_OK)
        told |= 1u << (uintptr_t)strata_observer_context(observer);
    for (int i = 0; i < READERS; i++) {
        after.size = (uint32_t)sizeof after;
        MUST(strata_observer_explain(readers[i], &after, &f->error));
        rows[i] = after.rows_visited - before[i].rows_visited;
        CHECK_EQ(after.reruns, before[i].reruns);
    }
    return told;
}

static void check_rows(fixture *f, uint64_t most) {
    static const char *const texts[READERS] = { NULL, "number > 500", "number > 500", "owner.age > 5", "text == 'other'" };
    static const strata_stage sorts[] = { { STRATA_STAGE_SORT, 2, by_number_and_text, 0, 0 } };
    strata_observers *group;
    strata_observer *readers[READERS];
    strata_predicate *predicates[READERS] = { NULL };
    strata_condition *conditions[READERS] = { NULL };
    const strata_key_paths all = { NULL, 0, true }, none = { NULL, 0, false };
    uint64_t rows[READERS], last;
    MUST(strata_table_size(f->view, NODE, &last, &f->error));
    MUST(strata_observers_open(f->view, &group, &f->error));
    for (uintptr_t i = 0; i < READERS; i++) {
        strata_query query = strata_query_blank();
        if (texts[i] != NULL) {
            MUST(strata_predicate_parse(texts[i], strlen(texts[i]), NULL, 0, &predicates[i], &f->error));
            MUST(strata_predicate_resolve(predicates[i], f->view, NODE, NULL, 0, &conditions[i], &f->error));
            query.nodes = conditions[i]->nodes;
            query.node_count = conditions[i]->node_count;
        }
        if (i == 2) {
            query.stages = sorts;
            query.stage_count = 1;
        }
        MUST(strata_observe_query(group, &query, i == 4 ? &none : &all, (void *)i, &readers[i], &f->error));
    }
    /* The number decides the second and the third, and is a property of all; the last one is not concerned. */
    CHECK_EQ(deliver(f, group, readers, NODE, last, NUMBER, strata_int(700), rows), 1 | 2 | 4);
    CHECK_EQ(rows[0], 0);
    CHECK_EQ(rows[1], 1);
    CHECK(rows[2] <= most);
    CHECK_EQ(rows[3], 0);
    CHECK_EQ(rows[4], 0);
    CHECK_EQ(deliver(f, group, readers, NODE, last, NUMBER, strata_int(600), rows), 1 | 2 | 4);
    CHECK(rows[2] <= most);
    /* A number that no other has: the test, and what is looked for, but none of the others. */
    CHECK_EQ(deliver(f, group, readers, NODE, last, NUMBER, strata_int(2000), rows), 1 | 2 | 4);
    CHECK_EQ(rows[2], 2);
    /* An owner of a hundred nodes. */
    uint64_t owner;
    MUST(strata_table_size(f->view, OWNER, &owner, &f->error));
    CHECK_EQ(deliver(f, group, readers, OWNER, owner, OWNER_AGE, strata_int(9), rows), 1 | 8);
    CHECK(rows[3] <= 300);
    CHECK_EQ(rows[4], 0);
    /* A text. */
    CHECK_EQ(deliver(f, group, readers, NODE, last, TEXT, value_of("other"), rows), 1 | 2 | 4 | 16);
    CHECK_EQ(rows[4], 2); /* a look whether it has the text, and the test */
    for (int i = 0; i < READERS; i++) {
        strata_observer_remove(readers[i]);
        strata_condition_free(conditions[i]);
        strata_predicate_free(predicates[i]);
    }
    strata_observers_close(group);
}

/* As many rows are looked at among a hundred times as many objects, but for the steps among those that are equal in the
 * first key of an order, of which there are more. */
void test_observers_read_what_was_changed(void) {
    const uint64_t counts[] = { 10000, ctest_tries_all() ? 1000000 : 100000 };
    for (int i = 0; i < 2; i++) {
        fixture *f = crowd(counts[i]);
        check_rows(f, 12 + 4 * (uint64_t)i);
        fixture_close(f);
    }
}

/* ---- Who is told ------------------------------------------------------ */

/* A node, an owner, and two observers of all nodes. */
typedef struct pair_of_observers {
    observed_world *w;
    strata_observers *group;
    strata_observer *first, *second;
} pair_of_observers;

static pair_of_observers begin_pair(void) {
    pair_of_observers p = { .w = observed_world_make(2) };
    fixture *f = p.w->f;
    strata_query query = strata_query_blank();
    const strata_key_paths all = { NULL, 0, true };
    MUST(strata_view_refresh(f->view, NULL, &f->error));
    MUST(strata_observers_open(f->view, &p.group, &f->error));
    MUST(strata_observe_query(p.group, &query, &all, NULL, &p.first, &f->error));
    MUST(strata_observe_query(p.group, &query, &all, NULL, &p.second, &f->error));
    return p;
}

static void end_pair(pair_of_observers *p) {
    strata_observers_close(p->group);
    observed_world_free(p->w);
}

static uint64_t add_node(fixture *f, strata_view *view) {
    const strata_value number = strata_int(1);
    uint64_t key;
    MUST(strata_view_begin(view, &f->error));
    MUST(strata_object_create(view, NODE, &number, 1, &key, &f->error));
    MUST(strata_view_commit(view, &f->error));
    return key;
}

void test_observers_skip_what_the_program_knows(void) {
    pair_of_observers p = begin_pair();
    fixture *f = p.w->f;
    strata_observer *observer;
    strata_changes changes = strata_changes_blank();
    (void)add_node(f, f->view);
    MUST(strata_observer_skip(p.first, &f->error));
    MUST(strata_observers_advance(p.group, &f->error));
    CHECK_EQ(strata_observers_next(p.group, &observer, &changes, &f->error), STRATA_OK);
    CHECK(observer == p.second && changes.insertion_count == 1);
    CHECK_EQ(strata_observers_next(p.group, &observer, &changes, &f->error), STRATA_END);
    /* What comes behind is told; what was not asked for comes with it. */
    (void)add_node(f, p.w->other);
    MUST(strata_view_refresh(f->view, NULL, &f->error));
    MUST(strata_observers_advance(p.group, &f->error));
    CHECK_EQ(strata_observers_next(p.group, &observer, &changes, &f->error), STRATA_OK);
    CHECK(observer == p.first && changes.insertion_count == 1);
    (void)add_node(f, f->view);
    MUST(strata_observers_advance(p.group, &f->error));
    CHECK_EQ(strata_observers_next(p.group, &observer, &changes, &f->error), STRATA_OK);
    CHECK(observer == p.first && changes.insertion_count == 1);
    CHECK_EQ(strata_observers_next(p.group, &observer, &changes, &f->error), STRATA_OK);
    CHECK(observer == p.second && changes.insertion_count == 2);
    CHECK_EQ(strata_observers_next(p.group, &observer, &changes, &f->error), STRATA_END);
    end_pair(&p);
}

/* Observers may be removed and added while others are told. */
void test_observers_come_and_go_while_they_are_told(void) {
    pair_of_observers p = begin_pair();
    fixture *f = p.w->f;
    strata_observer *observer, *third;
    strata_query query = strata_query_blank();
    const strata_key_paths none = { NULL, 0, false };
    strata_changes changes = strata_changes_blank();
    (void)add_node(f, f->view);
    MUST(strata_observers_advance(p.group, &f->error));
    CHECK_EQ(strata_observers_next(p.group, &observer, &changes, &f->error), STRATA_OK);
    CHECK(observer == p.first);
    MUST(strata_observe_query(p.group, &query, &none, &p, &third, &f->error));
    CHECK(strata_observer_context(third) == &p);
    strata_observer_remove(p.second); /* which would be told next */
    CHECK_EQ(strata_observers_next(p.group, &observer, &changes, &f->error), STRATA_END);
    strata_observer_remove(p.first);
    (void)add_node(f, f->view);
    MUST(strata_observers_advance(p.group, &f->error));
    CHECK_EQ(strata_observers_next(p.group, &observer, &changes, &f->error), STRATA_OK);
    CHECK(observer == third && changes.insertion_count == 1 && changes.modification_count == 0);
    strata_observer_remove(third); /* the one that was just told */
    CHECK_EQ(strata_observers_next(p.group, &observer, &changes, &f->error), STRATA_END);
    end_pair(&p);
}

void test_observers_are_not_told_in_a_write_that_changed_something(void) {
    uint64_t size;
    pair_of_observers p = begin_pair();
    fixture *f = p.w->f;
    strata_observer *observer;
    strata_query query = strata_query_blank();
    const strata_key_paths none = { NULL, 0, false };
    strata_changes changes = strata_changes_blank();
    (void)add_node(f, p.w->other);
    MUST(strata_view_begin(f->view, &f->error)); /* which moves the view */
    MUST(strata_observers_advance(p.group, &f->error));
    CHECK_EQ(strata_observers_next(p.group, &observer, &changes, &f->error), STRATA_OK);
    CHECK(observer == p.first && changes.insertion_count == 1);
    ADD(NODE, strata_int(1));
    REFUSED(strata_observers_next(p.group, &observer, &changes, &f->error), STRATA_WRITING, "before the first change");
    CHECK_EQ(strata_observer_size(p.first, &size, &f->error), STRATA_END);
    MUST(strata_query_count(f->view, &query, &size, NULL, &f->error)); /* which stores the change */
    REFUSED(strata_observers_next(p.group, &observer, &changes, &f->error), STRATA_WRITING, "before the first change");
    CHECK_EQ(strata_observer_size(p.first, &size, &f->error), STRATA_END);
    REFUSED(strata_observers_advance(p.group, &f->error), STRATA_WRITING, "after the commit");
    REFUSED(strata_observe_query(p.group, &query, &none, NULL, &observer, &f->error), STRATA_WRITING, "after the commit");
    strata_view_cancel(f->view);
    MUST(strata_observers_advance(p.group, &f->error));
    CHECK_EQ(strata_observers_next(p.group, &observer, &changes, &f->error), STRATA_OK);
    CHECK(observer == p.second && changes.insertion_count == 1);
    CHECK_EQ(strata_observers_next(p.group, &observer, &changes, &f->error), STRATA_END);
    end_pair(&p);
}

/* The writes of a group show what those before them have changed, which is no commit yet. */
void test_observers_know_nothing_in_a_write_of_a_group(void) {
    fixture *f = fixture_open("file");
    strata_view *other;
    strata_observers *group;
    strata_observer *observer;
    strata_query query = strata_query_blank();
    const strata_key_paths all = { NULL, 0, true };
    const strata_value values[] = { strata_int(1), strata_int(1) };
    uint64_t key, size;
    make_items(f);
    MUST(strata_view_open(f->store, &other, &f->error));
    query.table = ITEM;
    MUST(strata_observers_open(f->view, &group, &f->error));
    MUST(strata_observe_query(group, &query, &all, NULL, &observer, &f->error));
    request *first = request_begun(f, other), *second = request_make(f, f->view, STRATA_STORE_WAIT);
    MUST(strata_object_create(other, ITEM, values, 2, &key, &f->error));
    MUST(strata_view_commit(other, &f->error));
    CHECK_EQ(request_granted(second), STRATA_OK);
    MUST(strata_view_begin_granted(f->view, second->handle, &f->error));
    MUST(strata_query_count(f->view, &query, &size, NULL, &f->error));
    CHECK_EQ(size, 1);
    CHECK_EQ(strata_observer_size(observer, &size, &f->error), STRATA_END);
    CHECK_EQ(strata_observer_find(observer, key, &size, &f->error), STRATA_END);
    REFUSED(strata_observers_advance(group, &f->error), STRATA_WRITING, "may share its transaction with others");
    strata_view_cancel(f->view);
    CHECK_EQ(request_done(first), STRATA_OK);
    MUST(strata_view_refresh(f->view, NULL, &f->error));
    CHECK_EQ(strata_observer_size(observer, &size, &f->error), STRATA_END);
    strata_changes changes = strata_changes_blank();
    MUST(strata_observers_advance(group, &f->error));
    MUST(strata_observers_next(group, &observer, &changes, &f->error));
    MUST(strata_observer_size(observer, &size, &f->error));
    CHECK_EQ(size, 1);
    request_free(first);
    request_free(second);
    strata_observers_close(group);
    strata_view_close(other);
    fixture_close(f);
}

void test_observers_refuse_what_cannot_be_observed(void) {
    pair_of_observers p = begin_pair();
    fixture *f = p.w->f;
    strata_observer *observer;
    strata_query query = strata_query_blank();
    strata_key_paths paths = { .all = true };
    const strata_step beyond[] = { { .column = NUMBER }, { .column = NUMBER } };
    const strata_step astray[] = { { .kind = STRATA_STEP_BACKLINKS, .table = NODE, .column = OWNED_BY } };
    const strata_step keys[] = { { .kind = STRATA_STEP_KEYS } };
    const strata_key_path bad[] = { { beyond, 2 }, { astray, 1 }, { keys, 1 }, { beyond, 0 } };
    const char *const words[] = { "key path 0 goes on behind a property that is no link", "does not link to 'Node'",
                                  "use columns and backlinks", "has 0 steps" };
    REFUSED(strata_observe_object(p.group, NODE, 99999, &paths, NULL, &observer, &f->error), STRATA_NOT_FOUND,
            "object 99999 of Node, which is gone");
    REFUSED(strata_observe_collection(p.group, NODE, 1, NUMBER, &paths, NULL, &observer, &f->error), STRATA_MISUSE,
            "Node.number, which is no collection");
    const strata_bookmark bookmark = { NULL, 0, 1 };
    query.after = &bookmark;
    REFUSED(strata_observe_query(p.group, &query, &paths, NULL, &observer, &f->error), STRATA_MISUSE, "bookmark");
    query.after = NULL;
    for (int i = 0; i < 4; i++) {
        paths = (strata_key_paths){ &bad[i], 1, false };
        REFUSED(strata_observe_query(p.group, &query, &paths, NULL, &observer, &f->error), STRATA_MISUSE, words[i]);
    }
    paths = (strata_key_paths){ NULL, 1, false };
    REFUSED(strata_observe_query(p.group, &query, &paths, NULL, &observer, &f->error), STRATA_MISUSE, "no key paths");
    end_pair(&p);
}

/* ---- Other processes -------------------------------------------------- */

static void commit_elsewhere(void *path) {
    strata_error error;
    strata_store *store;
    strata_view *view;
    uint64_t key;
    const strata_value number = strata_int(77);
    strata_config config = strata_config_blank();
    config.path = path;
    CHECK_EQ(strata_store_open(&config, &store, &error), STRATA_OK);
    CHECK_EQ(strata_view_open(store, &view, &error), STRATA_OK);
    CHECK_EQ(strata_view_begin(view, &error), STRATA_OK);
    CHECK_EQ(strata_object_create(view, NODE, &number, 1, &key, &error), STRATA_OK);
    CHECK_EQ(strata_object_delete(view, NODE, 2, &error), STRATA_OK);
    CHECK_EQ(strata_view_commit(view, &error), STRATA_OK);
    strata_view_close(view);
    strata_store_close(store);
}

/* A commit of another process is told as one of this one is. */
void test_observers_tell_of_commits_of_others(void) {
    fixture *f = fixture_open("file");
    const strata_column_spec node[] = { column("number", STRATA_INT, 0), list_of("list", "Node") };
    const strata_table_spec table = { "Node", 0, 2, node };
    const strata_key_paths all = { NULL, 0, true };
    strata_observers *group;
    strata_observer *observer, *of_list, *of_object;
    strata_query query = strata_query_blank();
    strata_changes changes = strata_changes_blank();
    MUST(apply(f, 0, &table, 1));
    MUST(strata_view_begin(f->view, &f->error));
    for (int i = 0; i < 5; i++) ADD(NODE, strata_int(i));
    MUST(strata_view_commit(f->view, &f->error));
    MUST(strata_observers_open(f->view, &group, &f->error));
    MUST(strata_observe_query(group, &query, &all, NULL, &observer, &f->error));
    MUST(strata_observe_collection(group, NODE, 1, 1, &all, NULL, &of_list, &f->error));
    MUST(strata_observe_object(group, NODE, 2, &all, NULL, &of_object, &f->error));
    CHECK_EQ(ctest_child(commit_elsewhere, (void *)(uintptr_t)strata_store_path(f->store)), 0);
    MUST(strata_view_refresh(f->view, NULL, &f->error));
    MUST(strata_observers_advance(group, &f->error));
    strata_observer *told;
    bool gone = false, listed = false;
    while (strata_observers_next(group, &told, &changes, &f->error) == STRATA_OK) {
        if (told == of_object) gone = (changes.flags & STRATA_CHANGES_GONE) != 0;
        CHECK((changes.flags & STRATA_CHANGES_ANEW) == 0);
        if (told == observer) {
            listed = true;
            CHECK_EQ(changes.modification_count, 0);
            CHECK_EQ(changes.deletion_count, 1);
            CHECK_EQ(changes.deletions[0], 1);
            CHECK_EQ(changes.insertion_count, 1);
            CHECK_EQ(changes.insertions[0], 4);
        }
    }
    CHECK(gone && listed);
    strata_observers_close(group);
    verify(f);
    fixture_close(f);
}

/* A number that is stored in place (strata_row.h) is an assignment like any other. */
void test_observers_tell_of_numbers_that_were_stored_in_place(void) {
    observed_world *w = observed_world_make(7);
    fixture *f = w->f;
    strata_observers *group;
    strata_observer *observer, *told;
    strata_changes changes = strata_changes_blank();
    const strata_key_paths all = { NULL, 0, true };
    strata_row row;
    char text[5000];
    memset(text, 'x', sizeof text);
    const strata_value small = value_of("x"), large = strata_string(text, sizeof text), number = strata_int(7);
    MUST(strata_view_begin(f->view, &f->error));
    uint64_t key = ADD(NODE, strata_int(1));
    MUST(strata_view_commit(f->view, &f->error));
    MUST(strata_observers_open(f->view, &group, &f->error));
    MUST(strata_observe_object(group, NODE, key, &all, NULL, &observer, &f->error));
    for (int round = 0; round < 2; round++) {
        MUST(strata_view_begin(f->view, &f->error));
        MUST(strata_row_bind(f->view, NODE, key, &row, &f->error));
        MUST(strata_row_set(&row, TEXT, &small, &f->error)); /* so that the row is pending */
        if (round == 1) MUST(strata_row_set(&row, TEXT, &large, &f->error)); /* and moves */
        CHECK(!strata_row_store_int(&row, NUMBER, 6)); /* nobody would know */
        MUST(strata_row_set(&row, NUMBER, &number, &f->error));
        CHECK(strata_row_store_int(&row, NUMBER, 8)); /* it is known that it was assigned */
        MUST(strata_view_commit(f->view, &f->error));
        MUST(strata_observers_advance(group, &f->error));
        MUST(strata_observers_next(group, &told, &changes, &f->error));
        CHECK_EQ(changes.column_count, 2);
        CHECK_EQ(changes.columns[0], NUMBER);
        CHECK_EQ(changes.columns[1], TEXT);
    }
    strata_observers_close(group);
    observed_world_free(w);
}
