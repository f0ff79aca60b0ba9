/* SPDX-License-Identifier: MIT
 * access.c -- finds ways to the objects that meet a condition. */
#include "plan/access.h"

#include "base/status.h"
#include "condition/operand.h"

enum { MOST_TESTS = 64, MOST_WAYS = 32 };

void *st_access_take(st_query *query, size_t size) {
    void *memory = st_arena_alloc(&query->memory, size == 0 ? 1 : size);
    if (memory == NULL) st_query_fail(query, st_no_memory(query->error, "planning a query"));
    return memory;
}

/* ---- Costs ------------------------------------------------------------ */

bool st_access_count(st_query *query, st_access *access) {
    if (access->counted) return true;
    access->entries = 0;
    for (size_t i = 0; i < access->range_count; i++) {
        uint64_t count;
        strata_status status =
            st_postings_count(query->view->txn, access->set, &access->ranges[i], &count, query->error);
        if (status != STRATA_OK) st_query_fail(query, status);
        if (status != STRATA_OK) return false;
        access->entries += count;
    }
    bool in_order = access->points && access->range_count == 1;
    access->cost = st_cost_times(access->range_count, ST_COST_RANGE) +
                   st_cost_times(access->entries, in_order ? ST_COST_ENTRY : ST_COST_MIXED);
    access->counted = true;
    return true;
}

/* ---- Comparisons ------------------------------------------------------ */

static st_access *ranges_of(st_query *query, st_test *test, const st_asked *asked, const st_table *table) {
    st_served served;
    if (!st_ranges_of(query, asked, &served)) return NULL;
    st_access *access = st_access_take(query, sizeof *access);
    if (access == NULL) return NULL;
    *access = (st_access){ .kind = ST_ACCESS_RANGES, .exact = served.exact, .copies = served.copies,
                           .points = served.points, .set = served.set, .table = table, .column = asked->column,
                           .ranges = served.ranges, .range_count = served.range_count, .says = test };
    return access;
}

/* The only part, or all of them as one. */
static st_access *joined(st_query *query, st_access_kind kind, st_access **parts, uint32_t count) {
    if (count == 1 && kind != ST_ACCESS_LINKED) return parts[0];
    st_access *access = st_access_take(query, sizeof *access);
    if (access == NULL) return NULL;
    *access = (st_access){ .kind = kind, .exact = true, .counted = true, .table = query->table, .parts = parts,
                           .part_count = count };
    for (uint32_t i = 0; i < count; i++) {
        const st_access *part = parts[i];
        access->cost += part->cost;
        access->exact = access->exact && part->exact;
        if (kind == ST_ACCESS_UNION) access->entries += part->entries;
        else if (i == 0 || part->entries < access->entries) access->entries = part->entries;
    }
    if (kind == ST_ACCESS_UNION) access->cost += st_cost_times(access->entries, ST_COST_MIXED);
    return access;
}

/* The steps of a comparison that goes through links to one column; NULL if it is another one. */
static const strata_step *linked_path(const st_test *test, uint32_t *length) {
    const strata_node *node = test->node;
    if (node == NULL || node->right != NULL || node->left.aggregate != STRATA_EACH_VALUE) return NULL;
    *length = node->left.path_length;
    for (uint32_t i = 0; i < *length; i++) {
        if (node->left.path[i].kind != STRATA_STEP_COLUMN) return NULL;
    }
    return *length > 1 ? node->left.path : NULL;
}

/* What links through a column to what the access leads to. */
static st_access *linked_by(st_query *query, st_access *inner, uint32_t table_number, const st_column *column) {
    const st_table *table = &query->view->catalog->tables[table_number];
    st_table_state from, to;
    st_access **parts = st_access_take(query, sizeof *parts);
    if (parts == NULL) return NULL;
    parts[0] = inner;
    strata_status status = st_table_state_load(query->view->txn, table_number, &from, query->error);
    if (status == STRATA_OK) status = st_table_state_load(query->view->txn, column->target, &to, query->error);
    if (status != STRATA_OK) st_query_fail(query, status);
    st_access *access = status == STRATA_OK ? joined(query, ST_ACCESS_LINKED, parts, 1) : NULL;
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

/* By the index of a column behind links, and back along them. A missing link must not be a match. */
static st_access *linked_access(st_query *query, st_test *test) {
    uint32_t tables[16], length = 0, at = query->spec->table;
    const strata_step *path = linked_path(test, &length);
    if (path == NULL || length > sizeof tables / sizeof *tables || st_demand_null(&test->demand)) return NULL;
    for (uint32_t i = 0; i < length; i++) {
        tables[i] = at;
        const st_column *column = &query->view->catalog->tables[at].columns[path[i].column];
        if (i + 1 < length && (column->type != STRATA_LINK || column->link_id == 0)) return NULL;
        at = column->target;
    }
    const st_table *last = &query->view->catalog->tables[tables[length - 1]];
    uint32_t number = path[length - 1].column;
    st_asked asked = { test->node, &test->demand, &last->columns[number], last->fields[number], false };
    st_access *access = ranges_of(query, test, &asked, last);
    if (access != NULL && !st_access_count(query, access)) return NULL;
    for (uint32_t i = length - 1; i-- > 0 && access != NULL;) {
        const st_table *table = &query->view->catalog->tables[tables[i]];
        access = linked_by(query, access, tables[i], &table->columns[path[i].column]);
    }
    return access;
}

/* Of SELF, which equals some objects. */
static st_access *objects_access(st_query *query, st_test *test) {
    const st_demand *demand = &test->demand;
    bool several = demand->op == STRATA_IN;
    if (demand->negate || (!several && demand->op != STRATA_EQUAL && demand->op != STRATA_FALSE)) return NULL;
    size_t count = several ? demand->set_size : demand->op == STRATA_EQUAL, kept = 0;
    st_access *access = st_access_take(query, sizeof *access);
    uint64_t *keys = st_access_take(query, count * sizeof *keys);
    if (access == NULL || keys == NULL) return NULL;
    for (size_t i = 0; i < count; i++) {
        uint64_t key = (uint64_t)(several ? demand->set.ints[i] : demand->low);
        if (kept == 0 || keys[kept - 1] != key) keys[kept++] = key;
    }
    *access = (st_access){ .kind = ST_ACCESS_OBJECTS, .exact = true, .counted = true, .table = query->table,
                           .keys = keys, .says = test, .entries = kept,
                           .cost = st_cost_times(kept, ST_COST_SOUGHT) };
    return access;
}

/* The comparison that a test consists of, also if it must not hold. */
static st_test *comparison_of(st_test *test) { return test->op == STRATA_NOT ? test->children[0] : test; }

static st_access *comparison_access(st_query *query, st_test *test) {
    st_test *comparison = comparison_of(test);
    bool opposite = test->op == STRATA_NOT, plain = comparison->right == NULL && comparison->region == NULL;
    if (plain && !opposite && comparison->left->steps->kind == ST_STEP_SELF) return objects_access(query, test);
    if (comparison->op > STRATA_BETWEEN) return NULL;
    if (comparison->column == NULL) return opposite ? NULL : linked_access(query, test);
    if (opposite && comparison->column->collection != STRATA_SINGLE) return NULL; /* of any element, not of each */
    st_asked asked = { comparison->node, &comparison->demand, comparison->column, comparison->field, opposite };
    return ranges_of(query, test, &asked, query->table);
}

/* ---- Several ---------------------------------------------------------- */

/* Copies items, if there are any: then there is an address of them. */
static void copy(void *to, const void *from, size_t size) {
    if (size != 0) memcpy(to, from, size);
}

uint32_t st_tests_count(const st_test *test, strata_operator op) {
    if (test->op != op) return 1;
    uint32_t count = 0;
    for (uint32_t i = 0; i < test->child_count; i++) count += st_tests_count(test->children[i], op);
    return count;
}

uint32_t st_tests_gather(st_test *test, strata_operator op, st_test **out) {
    if (test->op != op) {
        out[0] = test;
        return 1;
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < test->child_count; i++) count += st_tests_gather(test->children[i], op, out + count);
    return count;
}

st_test *st_tests_join(st_query *query, strata_operator op, st_test *a, st_test *b) {
    if (a == NULL) return b;
    uint32_t first = st_tests_count(a, op), count = first + st_tests_count(b, op);
    st_test *test = st_access_take(query, sizeof *test), **children = st_access_take(query, count * sizeof *children);
    if (test == NULL || children == NULL) return NULL;
    (void)st_tests_gather(a, op, children);
    (void)st_tests_gather(b, op, children + first);
    *test = (st_test){ .op = op, .children = children, .child_count = count };
    return test;
}

static bool same_set(const st_access *a, const st_access *b) {
    return a->kind == ST_ACCESS_RANGES && b->kind == ST_ACCESS_RANGES && a->set.tree == b->set.tree &&
           a->set.id == b->set.id;
}

/* Makes one of `access` and `more`, ranges of the same index: what both lead to if the operator is AND, what either
 * leads to if it is OR. False after a failure. */
static bool merge(st_query *query, st_access *access, strata_operator op, const st_access *more) {
    bool both = op == STRATA_AND;
    size_t count = access->range_count + more->range_count;
    st_posting_range *ranges = st_access_take(query, count * sizeof *ranges);
    st_test *says = st_tests_join(query, op, access->says, more->says);
    if (ranges == NULL || says == NULL) return false;
    if (both) {
        count = st_ranges_meet(access->ranges, access->range_count, more->ranges, more->range_count, ranges);
    } else {
        copy(ranges, access->ranges, access->range_count * sizeof *ranges);
        copy(ranges + access->range_count, more->ranges, more->range_count * sizeof *ranges);
        count = st_ranges_unite(ranges, count);
    }
    access->ranges = ranges;
    access->range_count = count;
    access->says = says;
    access->exact = access->exact && more->exact;
    access->points = both ? access->points || more->points : access->points && more->points;
    access->counted = false;
    return true;
}

/* ---- One of several --------------------------------------------------- */

static st_access *any_access(st_query *query, st_test *test) {
    uint32_t count = st_tests_count(test, STRATA_OR), part_count = 0;
    st_test **tests = st_access_take(query, count * sizeof *tests);
    st_access **parts = st_access_take(query, count * sizeof *parts);
    if (tests == NULL || parts == NULL) return NULL;
    (void)st_tests_gather(test, STRATA_OR, tests);
    for (uint32_t i = 0; i < count; i++) {
        st_access *part = st_access_of(query, tests[i]);
        if (part == NULL) return NULL;
        uint32_t at = 0;
        while (at < part_count && !same_set(parts[at], part)) at++;
        if (at == part_count) parts[part_count++] = part;
        else if (!merge(query, parts[at], STRATA_OR, part)) return NULL;
    }
    for (uint32_t i = 0; i < part_count; i++)
        if (!st_access_count(query, parts[i])) return NULL;
    return joined(query, ST_ACCESS_UNION, parts, part_count);
}

/* ---- All of several --------------------------------------------------- */

/* The ways that serve some of the tests. */
typedef struct ways {
    st_access *items[MOST_WAYS];
    uint64_t covers[MOST_WAYS], exactly[MOST_WAYS];
    uint32_t count;
} ways;

static void add_way(st_query *query, ways *all, st_access *access, uint32_t test) {
    uint64_t bit = UINT64_C(1) << test;
    for (uint32_t i = 0; i < all->count && access->kind == ST_ACCESS_RANGES && !access->copies; i++) {
        if (!same_set(all->items[i], access)) continue;
        all->covers[i] |= bit;
        if (access->exact) all->exactly[i] |= bit;
        (void)merge(query, all->items[i], STRATA_AND, access);
        return;
    }
    if (all->count == MOST_WAYS) return;
    all->items[all->count] = access;
    all->covers[all->count] = bit;
    all->exactly[all->count++] = access->exact ? bit : 0;
}

/* A primary key that equals a value: nothing is cheaper. */
static bool is_key(const st_access *access) {
    return access->kind == ST_ACCESS_RANGES && access->index == NULL && access->points && access->range_count == 1 &&
           (access->column->flags & STRATA_COLUMN_PRIMARY) != 0;
}

static void find_ways(st_query *query, st_test **tests, uint32_t count, ways *all) {
    bool found_key = false;
    all->count = 0;
    for (uint32_t i = 0; i < count && i < MOST_TESTS && !found_key && query->status == STRATA_OK; i++) {
        st_access *access = st_access_of(query, tests[i]);
        if (access != NULL) add_way(query, all, access, i);
        found_key = access != NULL && is_key(access);
    }
    if (!found_key && query->status == STRATA_OK && query->table->compound_count != 0)
        all->count += st_access_compound(query, tests, count < MOST_TESTS ? count : MOST_TESTS, all->items + all->count,
                                         all->covers + all->count, all->exactly + all->count, MOST_WAYS - all->count);
    for (uint32_t i = 0; i < all->count && query->status == STRATA_OK; i++) (void)st_access_count(query, all->items[i]);
}

/* What it costs to find `entries` objects and then, perhaps, to look at them. */
static uint64_t whole_cost(uint64_t cost, uint64_t entries, bool looks) {
    return looks ? cost + st_cost_times(entries, ST_COST_SOUGHT) : cost;
}

static bool looks_at_rows(uint64_t exactly, uint32_t count, bool visits) {
    return visits || count > MOST_TESTS || exactly != (count == MOST_TESTS ? UINT64_MAX : (UINT64_C(1) << count) - 1);
}

/* Picks ways, the best one first, as long as each further one saves more than it costs. */
static uint32_t pick(st_query *query, const ways *all, uint32_t count, bool visits, uint32_t *picked) {
    st_table_state state = { 0, 0 };
    uint64_t least = UINT64_MAX, entries = 0, cost = 0, exactly = 0, covered = 0;
    uint32_t picked_count = 0, best = UINT32_MAX;
    for (;;) {
        uint64_t best_entries = 0;
        best = UINT32_MAX;
        for (uint32_t i = 0; i < all->count; i++) {
            const st_access *way = all->items[i];
            if ((all->covers[i] & ~covered) == 0) continue;
            uint64_t together = way->entries;
            if (picked_count != 0) together = state.rows == 0 ? 0 : st_cost_times(entries, way->entries) / state.rows;
            bool looks = looks_at_rows(exactly | all->exactly[i], count, visits);
            uint64_t whole = whole_cost(cost + way->cost, together, looks);
            if (whole >= least) continue;
            least = whole;
            best = i;
            best_entries = together;
        }
        if (best == UINT32_MAX) return picked_count;
        picked[picked_count++] = best;
        entries = best_entries;
        cost += all->items[best]->cost;
        covered |= all->covers[best];
        exactly |= all->exactly[best];
        if (all->count == 1 || entries < 2 || !looks_at_rows(exactly, count, false)) return picked_count;
        strata_status status = st_table_state_load(query->view->txn, query->spec->table, &state, query->error);
        if (status != STRATA_OK) st_query_fail(query, status);
        if (status != STRATA_OK) return 0;
    }
}

/* The way to what meets a single test, if there can be only one. */
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
    ways all;
    uint32_t picked[MOST_WAYS], rests = 0;
    uint64_t exactly = 0;
    find_ways(query, tests, count, &all);
    if (all.count == 0 || query->status != STRATA_OK) return NULL;
    uint32_t picked_count = pick(query, &all, count, visits, picked);
    st_access **parts = st_access_take(query, picked_count * sizeof *parts);
    st_test **others = st_access_take(query, count * sizeof *others);
    if (query->status != STRATA_OK) return NULL;
    for (uint32_t i = 0; i < picked_count; i++) {
        parts[i] = all.items[picked[i]];
        exactly |= all.exactly[picked[i]];
    }
    for (uint32_t i = 0; i < count; i++) {
        if (i >= MOST_TESTS || (exactly >> i & 1) == 0) others[rests++] = tests[i];
    }
    st_access *access = joined(query, ST_ACCESS_MEET, parts, picked_count);
    *rest = others;
    *rest_count = rests;
    return access;
}

/* Is nothing but the column compared? */
static bool is_about(const st_test *test, const st_column *column) {
    if (test->op >= STRATA_EQUAL) return test->column == column;
    for (uint32_t i = 0; i < test->child_count; i++) {
        if (!is_about(test->children[i], column)) return false;
    }
    return test->child_count != 0;
}

st_access *st_access_by_column(st_query *query, const st_column *column, st_test **tests, uint32_t count,
                               uint64_t *exactly) {
    st_access *access = st_access_take(query, sizeof *access);
    st_posting_range *range = st_access_take(query, sizeof *range);
    *exactly = 0;
    if (access == NULL || range == NULL) return NULL;
    *range = (st_posting_range){ .high_key = UINT64_MAX };
    *access = (st_access){ .kind = ST_ACCESS_RANGES, .exact = true, .set = { ST_INDEX, column->index_id },
                           .table = query->table, .column = column, .ranges = range, .range_count = 1 };
    for (uint32_t i = 0; i < count && i < MOST_TESTS; i++) {
        if (!is_about(tests[i], column)) continue;
        const st_access *more = st_access_of(query, tests[i]);
        if (query->status != STRATA_OK) return NULL;
        if (more == NULL || !same_set(access, more)) continue;
        if (!merge(query, access, STRATA_AND, more)) return NULL;
        if (more->exact) *exactly |= UINT64_C(1) << i;
    }
    return access;
}

/* The cheapest way to what meets all children; what is not exact is tested later, with the whole condition. */
static st_access *all_access(st_query *query, st_test *test) {
    uint32_t rest_count, count = st_tests_count(test, STRATA_AND);
    st_test **rest, **tests = st_access_take(query, count * sizeof *tests);
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
    case STRATA_FALSE: return joined(query, ST_ACCESS_UNION, NULL, 0);
    default: return comparison_access(query, test);
    }
}
