/* SPDX-License-Identifier: MIT
 * access_find.c -- finds the cheapest access to the objects that meet a condition. */
#include "plan/access_find.h"

#include "condition/step.h"
#include "plan/access_compound.h"
#include "plan/ranges.h"
#include "table/table_state.h"

enum { MOST_CHOICES = 32 };

/* ---- Comparisons ------------------------------------------------------ */

/* The ranges of an index of `table` that a comparison, which `test` is or negates, leaves. */
static st_access *ranges_of(st_query *query, st_test *test, const st_index_probe *probe, const st_table *table) {
    st_index_match match;
    if (!st_ranges_of(query, probe, &match)) return NULL;
    st_access *access = st_access_alloc(query, sizeof *access);
    if (access == NULL) return NULL;
    *access = (st_access){ .kind = ST_ACCESS_RANGES, .exact = match.exact, .copies = match.copies,
                           .points = match.points, .set = match.set, .table = table, .column = probe->column,
                           .ranges = match.ranges, .range_count = match.range_count, .label = test };
    return access;
}

/* The steps of a comparison that goes through links to one column; NULL for other comparisons. */
static const strata_step *linked_path(const st_test *test, uint32_t *length) {
    const strata_node *node = test->node;
    if (node == NULL || node->right != NULL || node->left.aggregate != STRATA_EACH_VALUE) return NULL;
    *length = node->left.path_length;
    for (uint32_t i = 0; i < *length; i++) {
        if (node->left.path[i].kind != STRATA_STEP_COLUMN) return NULL;
    }
    return *length > 1 ? node->left.path : NULL;
}

/* The access to the objects that link through a column to what another access leads to. */
static st_access *linked_by(st_query *query, st_access *inner, uint32_t table_number, const st_column *column) {
    const st_table *table = &query->view->catalog->tables[table_number];
    st_table_state from, to;
    st_access **inputs = st_access_alloc(query, sizeof *inputs);
    if (inputs == NULL) return NULL;
    inputs[0] = inner;
    strata_status status = st_table_state_load(query->view->txn, table_number, &from, query->error);
    if (status == STRATA_OK) status = st_table_state_load(query->view->txn, column->target, &to, query->error);
    if (!st_query_note(query, status)) return NULL;
    st_access *access = st_access_join(query, ST_ACCESS_LINKED, inputs, 1);
    if (access == NULL) return NULL;
    access->set = (st_posting_set){ ST_LINKS, column->link_id };
    access->table = table;
    access->column = column;
    access->copies = true;
    access->entries = st_cost_times(inner->entries, from.rows) / (to.rows == 0 ? 1 : to.rows) + inner->entries;
    access->cost = inner->cost + st_cost_times(inner->entries, ST_COST_RANGE) + st_cost_times(access->entries,
                                                                                              ST_COST_MIXED);
    return access;
}

/* A column behind links: by its index, and then back along the links. Objects whose link is null are not found in this
 * way, which is only right if the comparison does not hold for null. */
static st_access *linked_access(st_query *query, st_test *test) {
    uint32_t tables[16], length = 0, at = query->spec->table;
    const strata_step *path = linked_path(test, &length);
    if (path == NULL || length > sizeof tables / sizeof *tables || st_comparison_null(&test->comparison)) return NULL;
    for (uint32_t i = 0; i < length; i++) {
        tables[i] = at;
        const st_column *column = &query->view->catalog->tables[at].columns[path[i].column];
        if (i + 1 < length && (column->type != STRATA_LINK || column->link_id == 0)) return NULL;
        at = column->target;
    }
    const st_table *last = &query->view->catalog->tables[tables[length - 1]];
    uint32_t number = path[length - 1].column;
    st_index_probe probe = { test->node, &test->comparison, &last->columns[number], last->fields[number], false };
    st_access *access = ranges_of(query, test, &probe, last);
    if (access != NULL && !st_access_count(query, access)) return NULL;
    for (uint32_t i = length - 1; i-- > 0 && access != NULL;) {
        const st_table *table = &query->view->catalog->tables[tables[i]];
        access = linked_by(query, access, tables[i], &table->columns[path[i].column]);
    }
    return access;
}

/* SELF compared with some objects. */
static st_access *objects_access(st_query *query, st_test *test) {
    const st_comparison *c = &test->comparison;
    bool several = c->op == STRATA_IN;
    if (c->negate || (!several && c->op != STRATA_EQUAL && c->op != STRATA_FALSE)) return NULL;
    size_t count = several ? c->set_size : c->op == STRATA_EQUAL, distinct = 0;
    st_access *access = st_access_alloc(query, sizeof *access);
    uint64_t *keys = st_access_alloc(query, count * sizeof *keys);
    if (access == NULL || keys == NULL) return NULL;
    for (size_t i = 0; i < count; i++) {
        uint64_t key = (uint64_t)(several ? c->set.ints[i] : c->low);
        if (distinct == 0 || keys[distinct - 1] != key) keys[distinct++] = key;
    }
    *access = (st_access){ .kind = ST_ACCESS_OBJECTS, .exact = true, .counted = true, .table = query->table,
                           .keys = keys, .label = test, .entries = distinct,
                           .cost = st_cost_times(distinct, ST_COST_SOUGHT) };
    return access;
}

/* The comparison that a test is or negates. */
static st_test *comparison_of(st_test *test) { return test->op == STRATA_NOT ? test->children[0] : test; }

/* A single comparison, or the opposite of one. */
static st_access *comparison_access(st_query *query, st_test *test) {
    st_test *comparison = comparison_of(test);
    bool opposite = test->op == STRATA_NOT, plain = comparison->right == NULL && comparison->within == NULL;
    if (plain && !opposite && comparison->left->steps->kind == ST_STEP_SELF) return objects_access(query, test);
    if (comparison->op > STRATA_BETWEEN) return NULL;
    if (comparison->column == NULL) return opposite ? NULL : linked_access(query, test);
    if (opposite && comparison->column->collection != STRATA_SINGLE) return NULL; /* it is about any element */
    st_index_probe probe = { comparison->node, &comparison->comparison, comparison->column, comparison->field,
                             opposite };
    return ranges_of(query, test, &probe, query->table);
}

/* ---- One of several --------------------------------------------------- */

/* Puts accesses by the same index beside each other; otherwise they keep their order. `grouped` has room for all. */
static void group_by_index(st_access **inputs, uint32_t count, st_access **grouped) {
    uint32_t filled = 0;
    for (uint32_t i = 0; i < count; i++) {
        st_access *first = inputs[i];
        if (first == NULL) continue;
        grouped[filled++] = first;
        for (uint32_t k = i + 1; k < count && first->kind == ST_ACCESS_RANGES; k++) {
            if (inputs[k] == NULL || !st_access_same_index(first, inputs[k])) continue;
            grouped[filled++] = inputs[k];
            inputs[k] = NULL;
        }
    }
}

/* Merges neighbours by the same index, two at a time until there are none, so that none is merged often. Returns how
 * many accesses are left. */
static uint32_t merge_neighbours(st_query *query, st_access **inputs, uint32_t count) {
    for (uint32_t before = count + 1; count < before && query->status == STRATA_OK;) {
        uint32_t kept = 0;
        before = count;
        for (uint32_t i = 0; i < before; i++) {
            bool pair = i + 1 < before && st_access_same_index(inputs[i], inputs[i + 1]);
            inputs[kept++] = inputs[i];
            if (pair) (void)st_access_merge(query, inputs[i], STRATA_OR, inputs[i + 1]);
            i += pair;
        }
        count = kept;
    }
    return count;
}

/* A union of the accesses of all children; there is none if one of the children has none, or if there are so many that
 * a scan is no worse. */
static st_access *any_access(st_query *query, st_test *test) {
    enum { MOST = 4096 };
    uint32_t count = st_tests_count(test, STRATA_OR);
    if (count > MOST) return NULL;
    st_test **tests = st_access_alloc(query, count * sizeof *tests);
    st_access **inputs = st_access_alloc(query, count * sizeof *inputs);
    st_access **grouped = st_access_alloc(query, count * sizeof *grouped);
    if (tests == NULL || inputs == NULL || grouped == NULL) return NULL;
    (void)st_tests_gather(test, STRATA_OR, tests);
    for (uint32_t i = 0; i < count; i++) {
        inputs[i] = st_access_of(query, tests[i]);
        if (inputs[i] == NULL) return NULL;
    }
    group_by_index(inputs, count, grouped);
    uint32_t group_count = merge_neighbours(query, grouped, count);
    for (uint32_t i = 0; i < group_count; i++) {
        if (query->status != STRATA_OK || !st_access_count(query, grouped[i])) return NULL;
    }
    return st_access_join(query, ST_ACCESS_UNION, grouped, group_count);
}

/* ---- All of several --------------------------------------------------- */

/* The accesses that match some of the tests: which tests each of them covers, and which of those it covers exactly, so
 * that they need not be tested on the rows. */
typedef struct choices {
    st_access *items[MOST_CHOICES];
    st_test_set covered[MOST_CHOICES], exact[MOST_CHOICES];
    uint32_t count;
} choices;

/* Adds the access of one test; ranges of an index that is there already are intersected with its ranges. */
static void add_choice(st_query *query, choices *all, st_access *access, uint32_t test) {
    st_test_set bit = UINT64_C(1) << test;
    for (uint32_t i = 0; i < all->count && access->kind == ST_ACCESS_RANGES && !access->copies; i++) {
        if (!st_access_same_index(all->items[i], access)) continue;
        all->covered[i] |= bit;
        if (access->exact) all->exact[i] |= bit;
        (void)st_access_merge(query, all->items[i], STRATA_AND, access);
        return;
    }
    if (all->count == MOST_CHOICES) return;
    all->items[all->count] = access;
    all->covered[all->count] = bit;
    all->exact[all->count++] = access->exact ? bit : 0;
}

/* Is it a primary key that equals a value? Nothing is cheaper. */
static bool is_key(const st_access *access) {
    return access->kind == ST_ACCESS_RANGES && access->index == NULL && access->points && access->range_count == 1 &&
           (access->column->flags & STRATA_COLUMN_PRIMARY) != 0;
}

/* Is there an access that leaves no row that this one would leave out, because it covers the same tests and more of them
 * exactly? Then this one need not even be counted, which for a long range takes longer than to answer by the other. */
static bool is_surpassed(const choices *all, uint32_t choice) {
    for (uint32_t i = 0; i < all->count; i++) {
        const st_access *other = all->items[i];
        bool covers = (all->covered[choice] & ~all->exact[i]) == 0 && all->covered[choice] != all->exact[i];
        if (covers && !other->copies && other->range_count <= all->items[choice]->range_count) return true;
    }
    return false;
}

static void drop_surpassed(choices *all) {
    choices kept = { .count = 0 };
    for (uint32_t i = 0; i < all->count; i++) {
        if (is_surpassed(all, i)) continue;
        kept.items[kept.count] = all->items[i];
        kept.covered[kept.count] = all->covered[i];
        kept.exact[kept.count++] = all->exact[i];
    }
    *all = kept;
}

static void find_choices(st_query *query, st_test **tests, uint32_t count, choices *all) {
    bool found_key = false;
    uint32_t known = count < ST_MOST_TESTS ? count : ST_MOST_TESTS;
    all->count = 0;
    for (uint32_t i = 0; i < known && !found_key && query->status == STRATA_OK; i++) {
        st_access *access = st_access_of(query, tests[i]);
        if (access != NULL) add_choice(query, all, access, i);
        found_key = access != NULL && is_key(access);
    }
    if (!found_key && query->status == STRATA_OK && query->table->compound_count != 0) {
        uint32_t at = all->count;
        all->count += st_access_compound(query, tests, known, &all->items[at], &all->covered[at], &all->exact[at],
                                         MOST_CHOICES - at);
        drop_surpassed(all);
    }
    for (uint32_t i = 0; i < all->count && query->status == STRATA_OK; i++) (void)st_access_count(query, all->items[i]);
}

/* What it costs to find `entries` objects and then, perhaps, to look at them. */
static uint64_t whole_cost(uint64_t cost, uint64_t entries, bool looks) {
    return looks ? cost + st_cost_times(entries, ST_COST_SOUGHT) : cost;
}

/* Are rows looked at, if only the tests of `exact` need not be tested on them? */
static bool looks_at_rows(st_test_set exact, uint32_t count, bool visits) {
    st_test_set all = count == ST_MOST_TESTS ? UINT64_MAX : (UINT64_C(1) << count) - 1;
    return visits || count > ST_MOST_TESTS || exact != all;
}

/* Picks accesses to be intersected, by a greedy set cover by cost: each round takes the access that makes the whole
 * cheapest, of those which cover a test that is not covered yet, until no further one saves more than it costs. */
static uint32_t pick(st_query *query, const choices *all, uint32_t count, bool visits, uint32_t *picked) {
    st_table_state state = { 0, 0 };
    uint64_t least = UINT64_MAX, entries = 0, cost = 0;
    st_test_set covered = 0, exact = 0;
    uint32_t picked_count = 0, best = UINT32_MAX;
    for (;;) {
        uint64_t best_entries = 0;
        best = UINT32_MAX;
        for (uint32_t i = 0; i < all->count; i++) {
            const st_access *access = all->items[i];
            if ((all->covered[i] & ~covered) == 0) continue;
            uint64_t together = access->entries;
            if (picked_count != 0) {
                together = state.rows == 0 ? 0 : st_cost_times(entries, access->entries) / state.rows;
            }
            bool looks = looks_at_rows(exact | all->exact[i], count, visits);
            uint64_t whole = whole_cost(cost + access->cost, together, looks);
            if (whole >= least) continue;
            least = whole;
            best = i;
            best_entries = together;
        }
        if (best == UINT32_MAX) return picked_count;
        picked[picked_count++] = best;
        entries = best_entries;
        cost += all->items[best]->cost;
        covered |= all->covered[best];
        exact |= all->exact[best];
        if (all->count == 1 || entries < 2 || !looks_at_rows(exact, count, false)) return picked_count;
        strata_status status = st_table_state_load(query->view->txn, query->spec->table, &state, query->error);
        if (!st_query_note(query, status)) return 0;
    }
}

/* The access of a single test, if there is nothing to choose from. */
static st_access *only_access(st_query *query, st_test **test, st_test ***rest, uint32_t *rest_count) {
    st_access *access = st_access_of(query, *test);
    if (access == NULL || !st_access_count(query, access)) return NULL;
    *rest = test;
    *rest_count = !access->exact;
    return access;
}

st_access *st_access_of_all(st_query *query, st_test **tests, uint32_t count, bool visits, st_test ***rest,
                            uint32_t *rest_count) {
    if (count == 1 && query->table->compound_count == 0) return only_access(query, tests, rest, rest_count);
    choices all;
    uint32_t picked[MOST_CHOICES], rests = 0;
    st_test_set exact = 0;
    find_choices(query, tests, count, &all);
    if (all.count == 0 || query->status != STRATA_OK) return NULL;
    uint32_t picked_count = pick(query, &all, count, visits, picked);
    st_access **inputs = st_access_alloc(query, picked_count * sizeof *inputs);
    st_test **others = st_access_alloc(query, count * sizeof *others);
    if (query->status != STRATA_OK) return NULL;
    for (uint32_t i = 0; i < picked_count; i++) {
        inputs[i] = all.items[picked[i]];
        exact |= all.exact[picked[i]];
    }
    for (uint32_t i = 0; i < count; i++) {
        if (i >= ST_MOST_TESTS || (exact >> i & 1) == 0) others[rests++] = tests[i];
    }
    st_access *access = st_access_join(query, ST_ACCESS_INTERSECTION, inputs, picked_count);
    *rest = others;
    *rest_count = rests;
    return access;
}

/* Does the condition compare nothing but this column? */
static bool is_about(const st_test *test, const st_column *column) {
    if (test->op >= STRATA_EQUAL) return test->column == column;
    for (uint32_t i = 0; i < test->child_count; i++) {
        if (!is_about(test->children[i], column)) return false;
    }
    return test->child_count != 0;
}

st_access *st_access_by_column(st_query *query, const st_column *column, st_test **tests, uint32_t count,
                               st_test_set *exact) {
    st_access *access = st_access_alloc(query, sizeof *access);
    st_posting_range *range = st_access_alloc(query, sizeof *range);
    *exact = 0;
    if (access == NULL || range == NULL) return NULL;
    *range = (st_posting_range){ .high_key = UINT64_MAX };
    *access = (st_access){ .kind = ST_ACCESS_RANGES, .exact = true, .set = { ST_INDEX, column->index_id },
                           .table = query->table, .column = column, .ranges = range, .range_count = 1 };
    for (uint32_t i = 0; i < count && i < ST_MOST_TESTS; i++) {
        if (!is_about(tests[i], column)) continue;
        const st_access *more = st_access_of(query, tests[i]);
        if (query->status != STRATA_OK) return NULL;
        if (more == NULL || !st_access_same_index(access, more)) continue;
        if (!st_access_merge(query, access, STRATA_AND, more)) return NULL;
        if (more->exact) *exact |= UINT64_C(1) << i;
    }
    return access;
}

/* The cheapest access to what meets all children. If it is not exact, the whole condition is tested on the rows. */
static st_access *all_access(st_query *query, st_test *test) {
    uint32_t rest_count, count = st_tests_count(test, STRATA_AND);
    st_test **rest, **tests = st_access_alloc(query, count * sizeof *tests);
    if (tests == NULL) return NULL;
    (void)st_tests_gather(test, STRATA_AND, tests);
    st_access *access = st_access_of_all(query, tests, count, true, &rest, &rest_count);
    if (access == NULL) return NULL;
    access->exact = rest_count == 0;
    return access;
}

st_access *st_access_of(st_query *query, st_test *test) {
    if (query->status != STRATA_OK) return NULL;
    switch (test->op) {
    case STRATA_AND: return all_access(query, test);
    case STRATA_OR: return any_access(query, test);
    case STRATA_FALSE: return st_access_join(query, ST_ACCESS_UNION, NULL, 0);
    default: return comparison_access(query, test);
    }
}
