/* SPDX-License-Identifier: MIT
 *
 * condition_model.c -- conditions decided in plain C, by the words of strata_query.h and with no thought of speed.
 */
#include "support/condition_model.h"

#include <math.h>

#include "strata_decimal.h"
#include "strata_mixed.h"

/* Values that a path leads to. */
typedef struct bag {
    strata_value *values;
    size_t count, capacity;
} bag;

static void put(bag *b, strata_value value) {
    if (b->count == b->capacity) {
        b->capacity = b->capacity == 0 ? 16 : 2 * b->capacity;
        b->values = realloc(b->values, b->capacity * sizeof *b->values);
        CHECK(b->values != NULL);
    }
    b->values[b->count++] = value;
}

static bool same_bytes(strata_bytes a, strata_bytes b) {
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/* ---- Paths ------------------------------------------------------------ */

typedef struct trail {
    const world *w;
    const strata_step *steps;
    uint32_t length;
    bool many; /* there is a collection on it */
    bag *out;
} trail;

static strata_step_kind kind_at(const trail *t, uint32_t at) {
    return at < t->length ? t->steps[at].kind : STRATA_STEP_COLUMN;
}

/* Steps that say more about the column before them. */
static bool refines(const trail *t, uint32_t at, const world_column *column) {
    strata_step_kind kind = kind_at(t, at + 1);
    if (column->collection == STRATA_MAP) return kind == STRATA_STEP_KEYS || kind == STRATA_STEP_KEY;
    return column->collection == STRATA_LIST && kind == STRATA_STEP_POSITION;
}

static bool has_collection(const trail *t, uint32_t table) {
    for (uint32_t i = 0; i < t->length; i++) {
        const strata_step *step = &t->steps[i];
        if (step->kind == STRATA_STEP_BACKLINKS || step->kind == STRATA_STEP_EACH) return true;
        if (step->kind == STRATA_STEP_KEYS) return true;
        if (step->kind != STRATA_STEP_COLUMN) continue;
        const world_column *column = &t->w->tables[table].columns[step->column];
        if (column->collection != STRATA_SINGLE && !refines(t, i, column)) return true;
        table = column->target;
    }
    return false;
}

static uint64_t links_in(const strata_value *value, uint32_t table, uint64_t key) {
    strata_nested_iterator it;
    strata_value entry;
    uint64_t count = 0;
    if (value->type == STRATA_LINK) return value->table == table && value->as.link == key;
    if (value->type != STRATA_NESTED) return 0;
    CHECK_EQ(strata_nested_open(value->as.bytes, &it, NULL), STRATA_OK);
    while (strata_nested_next(&it, NULL, &entry) == STRATA_OK) count += links_in(&entry, table, key);
    return count;
}

static void go_on(const trail *t, uint32_t at, uint32_t table, const strata_value *value);
static void follow(const trail *t, uint32_t at, uint32_t table, const world_row *row);

/* Into the list or map in a mixed value. */
static void go_into(const trail *t, uint32_t at, const strata_value *value) {
    const strata_step *step = &t->steps[at];
    strata_nested_iterator it = { .kind = STRATA_SINGLE };
    strata_value entry, found = strata_null();
    strata_bytes key;
    if (value->type == STRATA_NESTED) CHECK_EQ(strata_nested_open(value->as.bytes, &it, NULL), STRATA_OK);
    int64_t position = step->position + (step->position < 0 ? (int64_t)it.count : 0);
    for (int64_t i = 0; it.kind != STRATA_SINGLE && strata_nested_next(&it, &key, &entry) == STRATA_OK; i++) {
        if (step->kind == STRATA_STEP_EACH) go_on(t, at + 1, 0, &entry);
        bool wanted = step->kind == STRATA_STEP_KEY ? it.kind == STRATA_MAP && same_bytes(key, step->key)
                                                    : it.kind == STRATA_LIST && i == position;
        if (wanted) found = entry;
    }
    if (step->kind != STRATA_STEP_EACH) go_on(t, at + 1, 0, &found);
}

/* On from a value; if that is a link, from the object of `table`. */
static void go_on(const trail *t, uint32_t at, uint32_t table, const strata_value *value) {
    if (at == t->length) {
        put(t->out, *value);
        return;
    }
    strata_step_kind kind = t->steps[at].kind;
    if (kind == STRATA_STEP_ELEMENTS) {
        go_on(t, at + 1, table, value); /* that is what is done anyway, if no key or position stands there */
        return;
    }
    if (kind == STRATA_STEP_KEY || kind == STRATA_STEP_POSITION || kind == STRATA_STEP_EACH) {
        go_into(t, at, value);
        return;
    }
    const world_row *row = value->type == STRATA_LINK ? world_find(t->w, table, value->as.link) : NULL;
    if (row != NULL) follow(t, at, table, row);
    else if (!t->many) put(t->out, strata_null());
}

static void go_into_collection(const trail *t, uint32_t at, const world_column *column, const world_cell *cell) {
    bool refined = refines(t, at, column);
    strata_value found = strata_null();
    if (!refined) {
        for (uint32_t i = 0; i < cell->count; i++) go_on(t, at + 1, column->target, &cell->values[i]);
        return;
    }
    const strata_step *step = &t->steps[at + 1];
    int64_t position = step->position + (step->position < 0 ? (int64_t)cell->count : 0);
    for (uint32_t i = 0; i < cell->count; i++) {
        if (step->kind == STRATA_STEP_KEYS) {
            strata_value key = strata_string(cell->keys[i].data, cell->keys[i].size);
            go_on(t, at + 2, 0, &key);
        }
        bool wanted = step->kind == STRATA_STEP_KEY ? same_bytes(cell->keys[i], step->key) : (int64_t)i == position;
        if (wanted) found = cell->values[i];
    }
    if (step->kind != STRATA_STEP_KEYS) go_on(t, at + 2, column->target, &found);
}

static void go_back(const trail *t, uint32_t at, uint32_t table, const world_row *row) {
    const strata_step *step = &t->steps[at];
    const world_table *from = &t->w->tables[step->table];
    for (uint32_t i = 0; i < from->row_count; i++) {
        const world_cell *cell = &from->rows[i].cells[step->column];
        strata_value link = strata_link(from->rows[i].key);
        uint64_t times = 0;
        for (uint32_t n = 0; n < cell->count; n++) {
            strata_value value = cell->values[n];
            if (from->columns[step->column].type == STRATA_LINK) value.table = table;
            times += links_in(&value, table, row->key);
        }
        for (; times > 0; times--) go_on(t, at + 1, step->table, &link);
    }
}

static void follow(const trail *t, uint32_t at, uint32_t table, const world_row *row) {
    const strata_step *step = &t->steps[at];
    strata_value self = strata_link(row->key);
    if (step->kind == STRATA_STEP_BACKLINKS) {
        go_back(t, at, table, row);
    } else if (step->kind == STRATA_STEP_SELF) {
        go_on(t, at + 1, table, &self);
    } else {
        const world_column *column = &t->w->tables[table].columns[step->column];
        const world_cell *cell = &row->cells[step->column];
        if (column->collection == STRATA_SINGLE) go_on(t, at + 1, column->target, cell->values);
        else go_into_collection(t, at, column, cell);
    }
}

/* ---- Operands --------------------------------------------------------- */

static bool is_number(const strata_value *v) {
    return v->type == STRATA_INT || v->type == STRATA_FLOAT || v->type == STRATA_DOUBLE || v->type == STRATA_DECIMAL;
}

static double real_of(const strata_value *v) {
    if (v->type == STRATA_INT) return (double)v->as.integer;
    return v->type == STRATA_FLOAT ? (double)v->as.single : v->as.real;
}

static strata_decimal decimal_of(const strata_value *v) {
    if (v->type == STRATA_INT) return strata_decimal_from_int64(v->as.integer);
    if (v->type == STRATA_FLOAT) return strata_decimal_from_float(v->as.single);
    if (v->type == STRATA_DOUBLE) return strata_decimal_from_double(v->as.real);
    return strata_decimal_load(v->as.fixed);
}

static strata_value extreme(const bag *b, bool least) {
    strata_value best = strata_null();
    for (size_t i = 0; i < b->count; i++) {
        const strata_value *v = &b->values[i];
        if (!is_number(v) && v->type != STRATA_DATE) continue;
        int order = strata_mixed_compare(v, &best);
        if (best.type == STRATA_NULL || (least ? order < 0 : order > 0)) best = *v;
    }
    return best;
}

static strata_value sum(const bag *b, strata_type type, bool average) {
    uint64_t whole = 0, count = 0;
    double real = 0;
    strata_decimal exact = strata_decimal_from_int64(0);
    bool decimal = type == STRATA_DECIMAL || type == STRATA_MIXED;
    for (size_t i = 0; i < b->count; i++) {
        const strata_value *v = &b->values[i];
        if (!is_number(v)) continue;
        count++;
        if (decimal || type == STRATA_INT) exact = strata_decimal_add(exact, decimal_of(v));
        if (v->type == STRATA_INT) whole += (uint64_t)v->as.integer;
        if (!decimal) real += real_of(v);
    }
    if (average && count == 0) return strata_null();
    strata_decimal quotient = strata_decimal_divide(exact, strata_decimal_from_uint64(count));
    if (average && decimal) return strata_decimal_value(quotient);
    if (average) return strata_double(type == STRATA_INT ? strata_decimal_to_double(quotient) : real / (double)count);
    if (decimal) return strata_decimal_value(exact);
    return type == STRATA_INT ? strata_int((int64_t)whole) : strata_double(real);
}

/* What the path ends in, and the table of links. */
static strata_type end_of(const trail *t, uint32_t table, uint32_t *target) {
    strata_type type = STRATA_LINK;
    for (uint32_t i = 0; i < t->length; i++) {
        const strata_step *step = &t->steps[i];
        if (step->kind == STRATA_STEP_BACKLINKS) {
            type = STRATA_LINK;
            table = step->table;
        } else if (step->kind == STRATA_STEP_KEYS) {
            type = STRATA_STRING;
        } else if (step->kind == STRATA_STEP_COLUMN) {
            const world_column *column = &t->w->tables[table].columns[step->column];
            type = column->type;
            if (type == STRATA_LINK) table = column->target;
        } else if (step->kind == STRATA_STEP_SELF) {
            type = STRATA_LINK;
        }
    }
    *target = table;
    return type;
}

/* The number of the nodes that a condition is made of. */
static uint32_t size_of(const strata_node *nodes) {
    uint32_t size = 1, children = nodes->op == STRATA_NOT ? 1 : nodes->children;
    for (uint32_t i = 0; i < children; i++) size += size_of(nodes + size);
    return size;
}

/* Collects the values of an operand; returns their type. `counted`: of a count, the condition on elements, or NULL. */
static strata_type collect(const world *w, const strata_operand *operand, const strata_node *counted, uint32_t table,
                           const world_row *row, bag *out) {
    bag values = { 0 };
    bool count = operand->aggregate == STRATA_COUNT, single = operand->aggregate == STRATA_EACH_VALUE;
    trail t = { w, operand->path, count ? operand->aggregate_length : operand->path_length, false,
                single ? out : &values };
    uint32_t target;
    t.many = has_collection(&t, table);
    follow(&t, 0, table, row);
    strata_type type = end_of(&t, table, &target);
    if (single) return type;
    int64_t number = 0;
    for (size_t i = 0; count && i < values.count; i++) {
        const world_row *element = counted == NULL || values.values[i].type != STRATA_LINK
                                       ? NULL : world_find(w, target, values.values[i].as.link);
        number += counted == NULL || (element != NULL && world_holds(w, counted, target, element));
    }
    bool exact = type == STRATA_DECIMAL || type == STRATA_MIXED, average = operand->aggregate == STRATA_AVERAGE;
    if (count) put(out, strata_int(number));
    else if (operand->aggregate == STRATA_MIN || operand->aggregate == STRATA_MAX)
        put(out, extreme(&values, operand->aggregate == STRATA_MIN));
    else put(out, sum(&values, type, average));
    free(values.values);
    if (count) return STRATA_INT;
    if (operand->aggregate == STRATA_MIN || operand->aggregate == STRATA_MAX) return type;
    return exact ? STRATA_DECIMAL : type == STRATA_INT && !average ? STRATA_INT : STRATA_DOUBLE;
}

/* ---- Letters ---------------------------------------------------------- */

/* The marks that condition_data.c uses, then the case of ASCII and Latin-1. */
static strata_bytes folded(strata_bytes text, uint32_t options, char *out) {
    const unsigned char *p = text.data;
    size_t size = 0;
    for (size_t i = 0; i < text.size; i++) {
        unsigned char next = i + 1 < text.size ? p[i + 1] : 0;
        if ((options & STRATA_DIACRITIC_INSENSITIVE) != 0) {
            if (p[i] == 0xC3 && (next == 0xA1 || next == 0xA4 || next == 0x81 || next == 0x84)) {
                out[size++] = next >= 0xA0 ? 'a' : 'A';
                i++;
                continue;
            }
            if (p[i] == 0xCC && next == 0x81) {
                i++;
                continue;
            }
        }
        out[size] = (char)p[i];
        if ((options & STRATA_CASE_INSENSITIVE) != 0 && i > 0 && p[i - 1] == 0xC3 && p[i] >= 0x80 && p[i] < 0x9F &&
            p[i] != 0x97)
            out[size] = (char)(p[i] + 0x20);
        size++;
    }
    for (size_t i = 0; i < size && (options & STRATA_CASE_INSENSITIVE) != 0; i++) {
        if (out[i] >= 'A' && out[i] <= 'Z') out[i] = (char)(out[i] + 'a' - 'A');
    }
    return (strata_bytes){ out, size };
}

static size_t width(const unsigned char *p, size_t left, bool points) {
    size_t size = !points || p[0] < 0xC0 ? 1 : p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4;
    return size < left ? size : left;
}

static bool is_like(strata_bytes pattern, strata_bytes value, bool points) {
    const unsigned char *p = pattern.data, *v = value.data;
    if (pattern.size == 0) return value.size == 0;
    strata_bytes rest = { p + 1, pattern.size - 1 };
    if (p[0] == '*') {
        for (size_t i = 0; i <= value.size; i++) {
            if (is_like(rest, (strata_bytes){ v + i, value.size - i }, points)) return true;
        }
        return false;
    }
    if (value.size == 0) return false;
    size_t used = p[0] == '?' ? width(v, value.size, points) : 1;
    return (p[0] == '?' || p[0] == v[0]) && is_like(rest, (strata_bytes){ v + used, value.size - used }, points);
}

static bool has_part(strata_operator op, strata_bytes text, strata_bytes part) {
    if (part.size == 0) return false;
    for (size_t at = 0; at + part.size <= text.size; at++) {
        if (op == STRATA_BEGINS_WITH && at > 0) break;
        if (op == STRATA_ENDS_WITH && at + part.size < text.size) continue;
        if (memcmp((const char *)text.data + at, part.data, part.size) == 0) return true;
    }
    return false;
}

static bool is_text(const strata_value *v) { return v->type == STRATA_STRING || v->type == STRATA_DATA; }

/* ---- Two values ------------------------------------------------------- */

static bool searched(strata_operator op) {
    return op == STRATA_BEGINS_WITH || op == STRATA_ENDS_WITH || op == STRATA_CONTAINS || op == STRATA_LIKE;
}

static int group_of(const strata_value *v) {
    return is_number(v) ? STRATA_INT : (int)v->type;
}

/* Reals equal no NaN, unless they are compared as mixed values. */
static bool apart(const strata_value *a, const strata_value *b, bool mixed) {
    bool real = a->type == STRATA_FLOAT || a->type == STRATA_DOUBLE || a->type == STRATA_DATE;
    if (group_of(a) != group_of(b)) return true;
    return real && !mixed && (isnan(real_of(a)) || isnan(real_of(b)));
}

/* `op` is none of NOT_EQUAL, IN and BETWEEN. */
static bool meets_plainly(strata_operator op, uint32_t options, const strata_value *a, const strata_value *b,
                          bool mixed) {
    static char left[6000], right[6000];
    if (a->type == STRATA_NULL || b->type == STRATA_NULL)
        return a->type == b->type && (op == STRATA_EQUAL || op == STRATA_LIKE);
    strata_value x = *a, y = *b;
    bool fold_a = options != 0 && (x.type == STRATA_STRING || (searched(op) && x.type == STRATA_DATA));
    bool fold_b = options != 0 && (y.type == STRATA_STRING || (searched(op) && y.type == STRATA_DATA));
    if (fold_a) x.as.bytes = folded(x.as.bytes, options, left);
    if (fold_b) y.as.bytes = folded(y.as.bytes, options, right);
    if (searched(op)) {
        if (!is_text(&x) || !is_text(&y)) return false;
        return op == STRATA_LIKE ? is_like(y.as.bytes, x.as.bytes, x.type == STRATA_STRING)
                                 : has_part(op, x.as.bytes, y.as.bytes);
    }
    if (apart(&x, &y, mixed)) return false;
    int order = strata_mixed_compare(&x, &y);
    if (x.type == STRATA_LINK && !mixed) order = x.as.link < y.as.link ? -1 : x.as.link > y.as.link;
    switch (op) {
    case STRATA_LESS: return order < 0;
    case STRATA_LESS_EQUAL: return order <= 0;
    case STRATA_GREATER: return order > 0;
    case STRATA_GREATER_EQUAL: return order >= 0;
    default: return order == 0;
    }
}

static bool meets(const strata_node *node, const strata_value *value, const strata_value *others, size_t count,
                  bool mixed) {
    uint32_t options = node->options;
    bool any = false;
    switch (node->op) {
    case STRATA_NOT_EQUAL: return !meets_plainly(STRATA_EQUAL, options, value, others, mixed);
    case STRATA_BETWEEN:
        return meets_plainly(STRATA_GREATER_EQUAL, options, value, others, mixed) &&
               meets_plainly(STRATA_LESS_EQUAL, options, value, others + 1, mixed);
    case STRATA_IN:
        for (size_t i = 0; i < count; i++) any = any || meets_plainly(STRATA_EQUAL, options, value, others + i, mixed);
        return any;
    default: return meets_plainly(node->op, options, value, others, mixed);
    }
}

/* Places in a box. */
static bool lies_within(const world *w, const strata_node *node, const strata_value *link) {
    const strata_geo_point *corner = node->shape->points;
    const world_row *row = link->type == STRATA_LINK ? world_find(w, PLACE, link->as.link) : NULL;
    if (row == NULL || row->cells[1].count < 2) return false;
    const strata_value *type = row->cells[0].values, *at = row->cells[1].values;
    if (type->type == STRATA_NULL || !same_bytes(type->as.bytes, (strata_bytes){ "Point", 5 })) return false;
    if (at[0].type == STRATA_NULL || at[1].type == STRATA_NULL) return false;
    return at[0].as.real >= corner[0].longitude && at[0].as.real <= corner[1].longitude &&
           at[1].as.real >= corner[0].latitude && at[1].as.real <= corner[1].latitude;
}

/* ---- Conditions ------------------------------------------------------- */

static bool compares(const world *w, const strata_node *node, uint32_t table, const world_row *row) {
    bag left = { 0 }, right = { 0 };
    bool any = false;
    strata_type other = STRATA_NULL;
    strata_type type = collect(w, &node->left, node->children == 0 ? NULL : node + 1, table, row, &left);
    if (node->right != NULL) other = collect(w, node->right, NULL, table, row, &right);
    bool mixed = type == STRATA_MIXED || (node->right != NULL && other != type);
    for (uint32_t i = 0; i < node->value_count; i++) {
        mixed = mixed || (node->values[i].type != STRATA_NULL && node->values[i].type != type);
    }
    for (size_t i = 0; i < left.count && !any; i++) {
        if (node->op == STRATA_WITHIN) any = lies_within(w, node, &left.values[i]);
        else if (node->right == NULL) any = meets(node, &left.values[i], node->values, node->value_count, mixed);
        for (size_t n = 0; n < right.count && !any; n++) any = meets(node, &left.values[i], &right.values[n], 1, mixed);
    }
    free(left.values);
    free(right.values);
    return any;
}

bool world_holds(const world *w, const strata_node *nodes, uint32_t table, const world_row *row) {
    uint32_t at = 1;
    bool all = true, any = false;
    switch (nodes->op) {
    case STRATA_TRUE: return true;
    case STRATA_FALSE: return false;
    case STRATA_NOT: return !world_holds(w, nodes + 1, table, row);
    case STRATA_AND:
    case STRATA_OR:
        for (uint32_t i = 0; i < nodes->children; i++, at += size_of(nodes + at)) {
            bool holds = world_holds(w, nodes + at, table, row);
            all = all && holds;
            any = any || holds;
        }
        return nodes->op == STRATA_AND ? all : any;
    default: return compares(w, nodes, table, row);
    }
}
