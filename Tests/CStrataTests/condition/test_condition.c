/* SPDX-License-Identifier: MIT
 *
 * test_condition.c -- random conditions: paths of every kind, aggregates, counts of what meets a condition, columns
 * against columns; against plain C, with and without indexes, on damaged blocks and without memory.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>

#include "support/condition_model.h"
#include "support/faults.h"
#include "support/prepared_support.h"
#include "strata_decimal.h"
#include "strata_mixed.h"
#include "store/tree.h"
#include "table/view.h"

/* ---- Random paths ----------------------------------------------------- */

enum { MOST_NODES = 60, MOST_STEPS = 400, MOST_VALUES = 200, MOST_OPERANDS = 60, LONGEST = 14 };

/* A condition with the memory it points to. */
typedef struct condition {
    world *w;
    strata_node nodes[MOST_NODES];
    strata_step steps[MOST_STEPS];
    strata_value values[MOST_VALUES];
    strata_operand operands[MOST_OPERANDS];
    strata_shape shape;
    strata_geo_point corners[2];
    uint32_t node_count, step_count, value_count, operand_count;
} condition;

/* A path as it grows. */
typedef struct route {
    condition *c;
    strata_step *steps;
    uint32_t length;
    uint32_t table;     /* of the object reached */
    strata_type type;   /* of what is reached */
    bool ended;         /* nothing can follow */
    uint32_t collected; /* steps to the last collection on it; 0: none */
} route;

static strata_step *step(route *r, strata_step_kind kind) {
    strata_step *s = &r->steps[r->length++];
    *s = (strata_step){ .kind = kind };
    return s;
}

/* A key that some map has, or may have. */
static strata_bytes random_map_key(world *w) {
    static const char *const keys[] = { "0", "1", "2", "17", "k3", "kk5", "none", "" };
    const char *key = keys[pick(w, 8)];
    return (strata_bytes){ key, strlen(key) };
}

/* Columns that link to a table, mixed ones among them. */
static bool step_back(route *r) {
    world *w = r->c->w;
    for (int tries = 0; tries < 200; tries++) {
        uint32_t table = (uint32_t)pick(w, 2), column = (uint32_t)pick(w, w->tables[table].column_count);
        const world_column *from = &w->tables[table].columns[column];
        bool links = from->type == STRATA_MIXED ? pick(w, 4) == 0
                                                : from->type == STRATA_LINK && from->target == r->table;
        if (!links) continue;
        strata_step *s = step(r, STRATA_STEP_BACKLINKS);
        s->table = table;
        s->column = column;
        r->table = table;
        r->type = STRATA_LINK;
        r->collected = r->length;
        return true;
    }
    return false;
}

/* Into mixed values, some steps deep. */
static void step_inside(route *r) {
    world *w = r->c->w;
    for (uint64_t depth = pick(w, 3); depth > 0; depth--) {
        uint64_t kind = pick(w, 3);
        strata_step *s = step(r, kind == 0 ? STRATA_STEP_KEY : kind == 1 ? STRATA_STEP_POSITION : STRATA_STEP_EACH);
        if (kind == 0) s->key = random_map_key(w);
        if (kind == 1) s->position = (int64_t)pick(w, 5) - 2;
        if (kind == 2) r->collected = r->length;
    }
}

static void step_column(route *r, bool single) {
    world *w = r->c->w;
    const world_table *table = &w->tables[r->table];
    uint32_t number;
    do {
        number = (uint32_t)pick(w, table->column_count);
    } while (single && table->columns[number].collection != STRATA_SINGLE);
    const world_column *column = &table->columns[number];
    step(r, STRATA_STEP_COLUMN)->column = number;
    r->type = column->type;
    r->ended = column->type != STRATA_LINK;
    if (column->type == STRATA_LINK) r->table = column->target;
    uint64_t more = pick(w, 5);
    if (column->collection == STRATA_MAP && more == 0) {
        step(r, STRATA_STEP_KEYS);
        r->type = STRATA_STRING;
        r->ended = true;
        r->collected = r->length;
    } else if (column->collection == STRATA_MAP && more == 1) {
        step(r, STRATA_STEP_KEY)->key = random_map_key(w);
    } else if (column->collection == STRATA_LIST && more == 0) {
        step(r, STRATA_STEP_POSITION)->position = (int64_t)pick(w, 5) - 2;
    } else if (column->collection != STRATA_SINGLE) {
        r->collected = r->length;
        if (more == 2 || more == 3) step(r, STRATA_STEP_ELEMENTS);
        if (more == 2) r->collected = r->length; /* it may stand in front of the collection's end, or behind it */
    }
    if (r->type == STRATA_MIXED && !single) step_inside(r);
}

/* A path of some steps from a table. `single`: columns of one value only, behind a collection. */
static void go(route *r, uint32_t most, bool single) {
    world *w = r->c->w;
    for (uint32_t hops = 0; hops < most && !r->ended; hops++) {
        uint64_t kind = pick(w, 16);
        if (!single && kind == 0) {
            (void)step_back(r);
        } else if (kind == 1) {
            step(r, STRATA_STEP_SELF);
            r->type = STRATA_LINK;
            r->ended = true;
        } else {
            step_column(r, single);
        }
        if (r->type == STRATA_LINK && pick(w, 4) == 0) break;
    }
    if (r->length == 0) step_column(r, single);
}

static route begin(condition *c, uint32_t table) {
    route r = { .c = c, .steps = c->steps + c->step_count, .table = table, .type = STRATA_NULL };
    return r;
}

static strata_operand end(const route *r, strata_aggregate aggregate) {
    strata_operand operand = { .path = r->steps, .path_length = r->length, .aggregate = aggregate };
    if (aggregate != STRATA_EACH_VALUE) operand.aggregate_length = r->collected;
    r->c->step_count += r->length;
    return operand;
}

/* ---- Random operands -------------------------------------------------- */

static bool can_total(strata_type type, strata_aggregate aggregate) {
    bool number = type == STRATA_INT || type == STRATA_FLOAT || type == STRATA_DOUBLE || type == STRATA_DECIMAL ||
                  type == STRATA_MIXED;
    return number || (type == STRATA_DATE && aggregate < STRATA_SUM);
}

static strata_type type_of_total(strata_aggregate aggregate, strata_type type) {
    if (aggregate == STRATA_COUNT) return STRATA_INT;
    if (aggregate == STRATA_MIN || aggregate == STRATA_MAX) return type;
    if (type == STRATA_DECIMAL || type == STRATA_MIXED) return STRATA_DECIMAL;
    return type == STRATA_INT && aggregate == STRATA_SUM ? STRATA_INT : STRATA_DOUBLE;
}

/* An aggregate if chance finds a path for one. Its type; `*target` is the table of links. */
static strata_type random_operand(condition *c, uint32_t table, strata_operand *out, uint32_t *target) {
    world *w = c->w;
    for (int tries = 0; pick(w, 3) == 0 && tries < 20; tries++) {
        strata_aggregate aggregate = (strata_aggregate)(1 + pick(w, 5));
        route r = begin(c, table);
        go(&r, 3, false);
        if (r.collected == 0 || r.collected != r.length) continue;
        *target = r.table;
        if (aggregate == STRATA_COUNT) {
            *out = end(&r, aggregate);
            return STRATA_INT;
        }
        if (r.type == STRATA_LINK) go(&r, 2, true);
        if (!can_total(r.type, aggregate)) continue;
        *out = end(&r, aggregate);
        return type_of_total(aggregate, r.type);
    }
    route r = begin(c, table);
    go(&r, 4, false);
    *target = r.table;
    *out = end(&r, STRATA_EACH_VALUE);
    return r.type;
}

/* ---- Random comparisons ----------------------------------------------- */

static strata_operator random_operator(world *w, strata_type type) {
    static const strata_operator all[] = {
        STRATA_EQUAL, STRATA_NOT_EQUAL, STRATA_IN, /* 3 */
        STRATA_LESS, STRATA_LESS_EQUAL, STRATA_GREATER, STRATA_GREATER_EQUAL, /* 7 */
        STRATA_BETWEEN, /* 8 */
        STRATA_BEGINS_WITH, STRATA_ENDS_WITH, STRATA_CONTAINS, STRATA_LIKE, /* 12 */
    };
    uint64_t r;
    switch (type) {
    case STRATA_BOOL:
    case STRATA_LINK: return all[pick(w, 3)];
    case STRATA_UUID:
    case STRATA_OBJECT_ID: return all[pick(w, 7)];
    case STRATA_STRING: return r = pick(w, 11), all[r < 7 ? r : r + 1];
    case STRATA_DATA: return r = pick(w, 7), all[r < 3 ? r : r + 5];
    case STRATA_MIXED: return all[pick(w, 12)];
    default: return all[pick(w, 8)];
    }
}

/* A text with wildcards for some of its characters. */
static strata_value pattern_of(world *w, strata_value text) {
    if (text.type != STRATA_STRING && text.type != STRATA_DATA) return text;
    if (text.as.bytes.size > 20) {
        text.as.bytes = (strata_bytes){ "a*a", 3 };
        return text;
    }
    char *pattern = world_memory(w, 2 * text.as.bytes.size + 2);
    const char *from = text.as.bytes.data;
    size_t size = 0;
    for (size_t i = 0; i < text.as.bytes.size; i++) {
        bool whole = (from[i] & 0x80) == 0, two = (from[i] & 0xE0) == 0xC0 && i + 1 < text.as.bytes.size;
        uint64_t r = pick(w, 5);
        if (whole && r == 0) pattern[size++] = '*';
        else if ((whole || two) && r == 1) pattern[size++] = '?';
        else pattern[size++] = from[i];
        if (two && r == 1) i++;
    }
    if (pick(w, 3) == 0) pattern[size++] = '*';
    if (pick(w, 3) == 0) memmove(pattern + 1, pattern, size++), pattern[0] = '*';
    text.as.bytes = (strata_bytes){ pattern, size };
    return text;
}

static bool may_fold(strata_type type, strata_operator op) {
    if (type != STRATA_STRING && type != STRATA_MIXED) return false;
    return op <= STRATA_NOT_EQUAL || (op >= STRATA_IN && op != STRATA_BETWEEN);
}

static void add_constants(condition *c, strata_node *node, strata_type type, uint32_t target) {
    static const strata_type numbers[] = { STRATA_INT, STRATA_FLOAT, STRATA_DOUBLE, STRATA_DECIMAL };
    world *w = c->w;
    strata_aggregate total = node->left.aggregate;
    bool never_null = total == STRATA_COUNT || total == STRATA_SUM;
    node->value_count = node->op == STRATA_BETWEEN ? 2 : node->op == STRATA_IN ? (uint32_t)pick(w, 5) : 1;
    if (node->op == STRATA_IN && type == STRATA_INT && pick(w, 3) == 0) node->value_count = 20;
    node->values = c->values + c->value_count;
    for (uint32_t i = 0; i < node->value_count; i++) {
        strata_type wanted = type;
        bool number = type == STRATA_INT || type == STRATA_DOUBLE || type == STRATA_DECIMAL || type == STRATA_FLOAT;
        if (total != STRATA_EACH_VALUE && number && pick(w, 3) == 0) wanted = numbers[pick(w, 4)];
        strata_value value;
        do {
            value = world_value(w, wanted, target);
        } while (value.type == STRATA_NULL && never_null);
        if (node->op == STRATA_LIKE) value = pattern_of(w, value);
        c->values[c->value_count++] = value;
    }
}

/* A second operand of the same type, if chance finds one. */
static bool add_right(condition *c, strata_node *node, uint32_t table, strata_type type, uint32_t target) {
    if (node->op == STRATA_BETWEEN) return false;
    for (int tries = 0; tries < 60; tries++) {
        uint32_t steps = c->step_count, other;
        strata_operand *right = &c->operands[c->operand_count];
        if (random_operand(c, table, right, &other) == type && (type != STRATA_LINK || other == target)) {
            node->right = right;
            c->operand_count++;
            return true;
        }
        c->step_count = steps;
    }
    return false;
}

static void add_condition(condition *c, uint32_t table, uint32_t depth);

static void add_comparison(condition *c, strata_node *node, uint32_t table, uint32_t depth) {
    world *w = c->w;
    uint32_t target;
    strata_type type = random_operand(c, table, &node->left, &target);
    bool link = type == STRATA_LINK, count = node->left.aggregate == STRATA_COUNT;
    if (link && target == PLACE && pick(w, 2) == 0) {
        node->op = STRATA_WITHIN;
        node->shape = &c->shape;
        return;
    }
    node->op = random_operator(w, type);
    if (may_fold(type, node->op) && pick(w, 2) == 0) {
        node->options = node->op == STRATA_LIKE ? STRATA_CASE_INSENSITIVE : (uint32_t)(1 + pick(w, 3));
    }
    if (pick(w, 3) != 0 || !add_right(c, node, table, type, target)) add_constants(c, node, type, target);
    strata_step_kind last = node->left.path[node->left.path_length - 1].kind;
    bool objects = last == STRATA_STEP_BACKLINKS || last == STRATA_STEP_COLUMN;
    if (!count || !objects || depth > 3 || pick(w, 2) == 0) return;
    const strata_step *end = &node->left.path[node->left.path_length - 1];
    for (uint32_t t = 0; t < WORLD_TABLES && last == STRATA_STEP_COLUMN; t++) { /* is it a column of links? */
        objects = false;
        uint32_t at = table;
        for (uint32_t i = 0; i + 1 < node->left.path_length; i++) {
            const strata_step *s = &node->left.path[i];
            if (s->kind == STRATA_STEP_BACKLINKS) at = s->table;
            else if (s->kind == STRATA_STEP_COLUMN) at = w->tables[at].columns[s->column].target;
        }
        objects = w->tables[at].columns[end->column].type == STRATA_LINK;
    }
    if (!objects) return;
    node->children = 1;
    add_condition(c, target, depth + 1);
}

static void add_condition(condition *c, uint32_t table, uint32_t depth) {
    world *w = c->w;
    strata_node *node = &c->nodes[c->node_count++];
    uint64_t kind = pick(w, 10);
    *node = (strata_node){ .op = STRATA_TRUE };
    bool room = c->node_count < MOST_NODES - 20 && c->value_count < MOST_VALUES - 60 &&
                c->step_count < MOST_STEPS - 4 * LONGEST && c->operand_count < MOST_OPERANDS - 10;
    if (!room) return;
    if (depth < 4 && kind < (depth == 0 ? 5 : 3)) {
        node->op = kind % 3 == 0 ? STRATA_OR : kind % 3 == 1 ? STRATA_AND : STRATA_NOT;
        uint32_t children = node->op == STRATA_NOT ? 1 : (uint32_t)pick(w, 4);
        if (node->op != STRATA_NOT) node->children = children;
        for (uint32_t i = 0; i < children; i++) add_condition(c, table, depth + 1);
    } else {
        add_comparison(c, node, table, depth);
    }
}

static void make_condition(condition *c, world *w, uint32_t table) {
    memset(c, 0, sizeof *c);
    c->w = w;
    c->corners[0] = (strata_geo_point){ (double)pick(w, 30) - 20, (double)pick(w, 30) - 20 };
    c->corners[1] = (strata_geo_point){ c->corners[0].longitude + (double)pick(w, 20),
                                    c->corners[0].latitude + (double)pick(w, 20) };
    c->shape = (strata_shape){ .kind = STRATA_BOX, .points = c->corners, .point_count = 2 };
    add_condition(c, table, 0);
}

/* ---- Against plain C -------------------------------------------------- */

static void complain(uint64_t expected, uint64_t found, const char *plan) {
    char text[600];
    snprintf(text, sizeof text, "%llu objects expected, %llu found, or others, by: %s", (unsigned long long)expected,
             (unsigned long long)found, plan);
    ctest_fail(__FILE__, __LINE__, text);
}

static void check_condition(condition *c, uint32_t table) {
    static uint64_t expected[1000];
    uint64_t count = 0;
    const world_table *t = &c->w->tables[table];
    for (uint32_t i = 0; i < t->row_count; i++) {
        if (world_holds(c->w, c->nodes, table, &t->rows[i])) expected[count++] = t->rows[i].key;
    }
    strata_query q = { .size = sizeof q, .table = table, .nodes = c->nodes, .node_count = c->node_count };
    for (int s = 0; s < 2; s++) {
        fixture *f = c->w->stores[s];
        strata_query_stats stats;
        strata_keys keys;
        uint64_t counted;
        MUST(strata_query_check(f->view, &q, &f->error));
        MUST(strata_query_run(f->view, &q, &keys, &stats, &f->error));
        if (keys.count != count || (count != 0 && memcmp(keys.data, expected, count * sizeof *expected) != 0))
            complain(count, keys.count, stats.plan);
        check_prepared(f->view, &q, &keys);
        strata_keys_free(&keys);
        MUST(strata_query_count(f->view, &q, &counted, NULL, &f->error));
        CHECK_EQ(counted, count);
    }
}

void test_condition_against_plain_values(void) {
    static condition c;
    world *w = world_make(ctest_seed());
    for (unsigned i = 0, rounds = ctest_rounds(3000); i < rounds; i++) {
        uint32_t table = pick(w, 4) == 0 ? NARROW : (uint32_t)pick(w, 2);
        make_condition(&c, w, table);
        check_condition(&c, table);
    }
    world_free(w);
}

/* ---- Damage ----------------------------------------------------------- */

/* Changes some bytes of a random block of rows, of a collection or of links, in the open write. */
static void damage_block(world *w, fixture *f) {
    static const st_tree trees[] = { ST_ROWS, ST_ROWS, ST_COLLECTIONS, ST_LINKS };
    st_tree tree = trees[pick(w, 4)];
    uint8_t from[8] = { 0 }, name[600], copy[70000];
    strata_bytes key, value, start = { from, 8 };
    if (tree == ST_ROWS) start = st_row_tree_key(from, (uint32_t)pick(w, 3), pick(w, 60));
    else if (tree == ST_COLLECTIONS) from[7] = (uint8_t)pick(w, 256);
    else start = (strata_bytes){ from, 4 }, from[pick(w, 4)] = (uint8_t)pick(w, 60);
    strata_status status = st_tree_seek(f->view->txn, tree, start, &key, &value, &f->error);
    if (status != STRATA_OK || value.size > sizeof copy || key.size > sizeof name || value.size == 0) return;
    memcpy(name, key.data, key.size);
    memcpy(copy, value.data, value.size);
    for (uint64_t hits = 1 + pick(w, 4); hits > 0; hits--) copy[pick(w, value.size)] = (uint8_t)pick(w, 256);
    strata_bytes damaged = { copy, pick(w, 10) == 0 ? 1 + pick(w, value.size) : value.size };
    MUST(st_tree_put(f->view->txn, tree, (strata_bytes){ name, key.size }, damaged, &f->error));
    st_view_trees_moved(f->view);
}

/* Whatever the blocks say, a query answers or refuses, and reads nothing that is not its own. */
void test_condition_survives_damage(void) {
    static condition c;
    world *w = world_make(ctest_seed() | 1);
    fixture *f = w->stores[0];
    uint64_t corrupt = 0;
    for (int round = 0; round < 200; round++) {
        MUST(strata_view_begin(f->view, &f->error));
        for (uint64_t n = 1 + pick(w, 4); n > 0; n--) damage_block(w, f);
        for (int i = 0; i < 30; i++) {
            strata_query q = { .size = sizeof q, .table = (uint32_t)pick(w, 2) };
            uint64_t count;
            make_condition(&c, w, q.table);
            q.nodes = c.nodes;
            q.node_count = c.node_count;
            strata_status status = strata_query_count(f->view, &q, &count, NULL, &f->error);
            if (status != STRATA_OK) CHECK_EQ(status, STRATA_CORRUPT);
            corrupt += status == STRATA_CORRUPT;
        }
        strata_view_cancel(f->view);
    }
    CHECK(corrupt > 0);
    world_free(w);
}

/* ---- Memory ----------------------------------------------------------- */

/* Counts with allocation `n` failing, and those behind it if `rest`. False if there were fewer than `n`. */
static bool count_short_of_memory(fixture *f, const strata_query *q, uint64_t expected, unsigned n, bool rest) {
    uint64_t count;
    long before = fault_blocks();
    fault_set(FAULT_ALLOCATION, n, rest ? UINT_MAX : 1, ENOMEM);
    strata_status status = strata_query_count(f->view, q, &count, NULL, &f->error);
    bool met = fault_clear();
    CHECK_EQ(status, met && status < 0 ? STRATA_NO_MEMORY : STRATA_OK);
    CHECK_EQ(count, status == STRATA_OK ? expected : 0);
    CHECK_EQ(fault_blocks(), before);
    return met;
}

void test_condition_without_memory(void) {
    static condition c;
    unsigned allocations = 0;
    if (!fault_allocations_work()) ctest_skip("the allocator belongs to a sanitizer, or to the program");
    world *w = world_make(ctest_seed() | 1);
    fixture *f = w->stores[0];
    for (int i = 0; i < 150; i++) {
        strata_query q = { .size = sizeof q, .table = (uint32_t)pick(w, 2) };
        uint64_t expected;
        make_condition(&c, w, q.table);
        q.nodes = c.nodes;
        q.node_count = c.node_count;
        MUST(strata_query_count(f->view, &q, &expected, NULL, &f->error));
        for (int rest = 0; rest < 2; rest++) {
            unsigned n = 1;
            while (count_short_of_memory(f, &q, expected, n, rest)) n++;
            allocations += n;
            CHECK(n < 200); /* none for a row */
        }
    }
    CHECK(allocations > 600);
    world_free(w);
}
