/* SPDX-License-Identifier: MIT
 * test_stage.c -- stages, bookmarks, groups and orders of values against plain C. Statements 103 to 114 and 139. */
#include <math.h>
#include <stdio.h>

#include "strata_facet.h"
#include "support/prepared_support.h"
#include "support/stage_model.h"

/* ---- Random queries --------------------------------------------------- */

enum { MOST_STAGES = 4, MOST_KEYS = 3, MOST_NODES = 16, MOST_VALUES = 64, MOST_STEPS = 120, MOST_LISTED = 40 };

/* A query with the memory it points to. */
typedef struct random_query {
    strata_query query;
    strata_stage stages[MOST_STAGES];
    strata_sort keys[MOST_STAGES * MOST_KEYS + 8];
    strata_node nodes[MOST_NODES];
    strata_value values[MOST_VALUES];
    strata_step steps[MOST_STEPS];
    uint64_t listed[MOST_LISTED];
    uint32_t key_count, value_count, step_count;
} random_query;

enum { TO_LINKS = 1, SINGLE_STEP = 2 };

/* A column, or one behind one or two links. */
static const strata_step *random_path(stage_model *m, random_query *r, uint32_t options, uint32_t *length,
                                      strata_type *type) {
    strata_step *path = r->steps + r->step_count;
    uint32_t table = THING, column;
    *length = 0;
    for (;;) {
        bool last = *length == 2 || (options & SINGLE_STEP) != 0;
        do {
            column = (uint32_t)model_below(m, table == MAKER ? (uint32_t)MAKER_COLUMNS : (uint32_t)PARTS);
            *type = model_column_type(table, column);
        } while (last && *type == STRATA_LINK && (options & TO_LINKS) == 0);
        path[(*length)++] = strata_step_column(column);
        bool ends = *type != STRATA_LINK || last || ((options & TO_LINKS) != 0 && model_below(m, 2) == 0);
        if (ends) break;
        table = column == MADE_BY ? MAKER : THING;
    }
    r->step_count += *length;
    return path;
}

static strata_sort random_key(stage_model *m, random_query *r, uint32_t options) {
    strata_sort key = { .descending = model_below(m, 2) == 0 };
    strata_type type;
    if (model_below(m, 2) == 0) options |= SINGLE_STEP;
    key.path = random_path(m, r, options, &key.path_length, &type);
    return key;
}

static strata_sort *random_keys(stage_model *m, random_query *r, uint32_t count, uint32_t options) {
    strata_sort *keys = r->keys + r->key_count;
    for (uint32_t i = 0; i < count; i++) keys[i] = random_key(m, r, options);
    r->key_count += count;
    return keys;
}

static void random_stage(stage_model *m, random_query *r, strata_stage *stage) {
    memset(stage, 0, sizeof *stage);
    stage->kind = (strata_stage_kind)model_below(m, 3);
    if (stage->kind == STRATA_STAGE_LIMIT) {
        stage->skip = model_below(m, 3) == 0 ? model_below(m, 30) : 0;
        stage->limit = model_below(m, 3) == 0 ? UINT64_MAX : model_below(m, 60);
        return;
    }
    stage->key_count = (uint32_t)model_below(m, 12) == 0 ? 0 : 1 + (uint32_t)model_below(m, MOST_KEYS);
    stage->keys = random_keys(m, r, stage->key_count, stage->kind == STRATA_STAGE_DISTINCT ? TO_LINKS : 0);
}

static strata_operator random_operator(stage_model *m, strata_type type) {
    static const strata_operator all[] = { STRATA_EQUAL, STRATA_IN, STRATA_NOT_EQUAL, STRATA_LESS, STRATA_LESS_EQUAL,
                                           STRATA_GREATER, STRATA_GREATER_EQUAL, STRATA_BETWEEN };
    if (type == STRATA_STRING && model_below(m, 4) == 0) return STRATA_BEGINS_WITH;
    bool ordered = type == STRATA_INT || type == STRATA_FLOAT || type == STRATA_DOUBLE || type == STRATA_DATE;
    uint64_t most = ordered ? 8 : type == STRATA_STRING || type == STRATA_UUID || type == STRATA_OBJECT_ID ? 7 : 3;
    return all[model_below(m, most)];
}

static void random_comparison(stage_model *m, random_query *r, strata_node *node) {
    strata_type type;
    do { /* mixed values and decimals have models of their own */
        uint32_t steps = r->step_count;
        node->left.path = random_path(m, r, TO_LINKS | (model_below(m, 3) == 0 ? 0 : SINGLE_STEP),
                                      &node->left.path_length, &type);
        if (type == STRATA_MIXED || type == STRATA_DECIMAL || type == STRATA_DATA) r->step_count = steps;
    } while (type == STRATA_MIXED || type == STRATA_DECIMAL || type == STRATA_DATA);
    node->op = random_operator(m, type);
    node->value_count = node->op == STRATA_BETWEEN ? 2 : node->op == STRATA_IN ? (uint32_t)model_below(m, 4) : 1;
    node->values = r->values + r->value_count;
    uint32_t column = node->left.path[node->left.path_length - 1].column, table = THING;
    for (uint32_t i = 0; i + 1 < node->left.path_length; i++) {
        table = node->left.path[i].column == MADE_BY ? MAKER : THING;
    }
    for (uint32_t i = 0; i < node->value_count; i++) r->values[r->value_count++] = model_cell(m, table, column);
}

static void random_condition(stage_model *m, random_query *r, uint32_t depth) {
    strata_node *node = &r->nodes[r->query.node_count++];
    memset(node, 0, sizeof *node);
    if (depth < 2 && model_below(m, 3) != 0) {
        node->op = model_below(m, 3) == 0 ? STRATA_OR : STRATA_AND;
        node->children = 1 + (uint32_t)model_below(m, 3);
        for (uint32_t i = 0; i < node->children; i++) random_condition(m, r, depth + 1);
    } else {
        random_comparison(m, r, node);
    }
}

static uint64_t random_thing(stage_model *m) { return m->tables[THING][model_below(m, m->counts[THING])].key; }

static void random_source(stage_model *m, random_query *r) {
    strata_query *q = &r->query;
    uint64_t source = model_below(m, 10);
    if (source > 2) return;
    q->source = (strata_source_kind)(source + 1);
    q->origin_table = THING;
    q->origin_column = source == 0 ? PARTS : NEXT;
    q->key = random_thing(m);
    if (q->source != STRATA_SOURCE_KEYS) return;
    q->key_count = model_below(m, MOST_LISTED);
    q->keys = r->listed;
    for (uint64_t i = 0; i < q->key_count; i++) r->listed[i] = 1 + model_below(m, m->counts[THING] * 5 / 4);
}

static void make_query(stage_model *m, random_query *r) {
    memset(r, 0, sizeof *r);
    r->query = (strata_query){ .size = sizeof r->query, .table = THING, .nodes = r->nodes, .stages = r->stages };
    random_source(m, r);
    if (model_below(m, 3) != 0) random_condition(m, r, 0);
    r->query.stage_count = (uint32_t)model_below(m, MOST_STAGES + 1);
    for (uint32_t i = 0; i < r->query.stage_count; i++) random_stage(m, r, &r->stages[i]);
}

/* ---- Keys and counts -------------------------------------------------- */

static void check_query(stage_model *m, const strata_query *q) {
    fixture *f = m->f;
    strata_keys keys;
    strata_query_stats stats;
    uint64_t count;
    model_rows expected = stage_model_answer(m, q);
    MUST(strata_query_check(f->view, q, &f->error));
    MUST(strata_query_run(f->view, q, &keys, &stats, &f->error));
    bool same = keys.count == expected.count;
    for (size_t i = 0; i < expected.count && same; i++) same = keys.data[i] == expected.rows[i]->key;
    if (!same) {
        char text[400];
        snprintf(text, sizeof text, "%zu objects expected, %zu found, or others, by: %s", expected.count,
                 (size_t)keys.count, stats.plan);
        ctest_fail(__FILE__, __LINE__, text);
    }
    check_prepared(f->view, q, &keys);
    strata_keys_free(&keys);
    MUST(strata_query_count(f->view, q, &count, &stats, &f->error));
    CHECK_EQ(count, expected.count);
    free(expected.rows);
}

void test_stage_against_a_model(void) {
    random_query r;
    uint64_t seed = ctest_seed();
    for (int indexed = 0; indexed < 2; indexed++) {
        stage_model m;
        stage_model_make(&m, seed, 400, indexed != 0);
        for (unsigned i = 0, rounds = ctest_rounds(2500); i < rounds; i++) {
            make_query(&m, &r);
            check_query(&m, &r.query);
        }
        stage_model_free(&m);
    }
}

/* ---- Bookmarks -------------------------------------------------------- */

static void mark(const stage_model *m, const strata_query *q, uint64_t key, strata_bookmark *out,
                 strata_value values[MOST_KEYS]) {
    const model_thing *row = model_thing_of(m, THING, key);
    const strata_stage *sort = q->stages[0].kind == STRATA_STAGE_SORT ? &q->stages[0] : NULL;
    *out = (strata_bookmark){ .values = values, .value_count = sort == NULL ? 0 : sort->key_count, .key = key };
    for (uint32_t i = 0; i < out->value_count; i++) {
        bool reached;
        values[i] = model_value_at(m, row, sort->keys[i].path, sort->keys[i].path_length, &reached);
        if (!reached) values[i] = (strata_value){ .type = STRATA_LINK };
    }
}

/* Page after page; now and then the object of the bookmark, or another one, is deleted in between. */
static void turn_pages(stage_model *m, random_query *r) {
    fixture *f = m->f;
    strata_query *q = &r->query;
    strata_bookmark place;
    strata_value values[MOST_KEYS];
    size_t pages = 0;
    for (;; pages++) {
        strata_keys keys;
        strata_query_stats stats;
        check_query(m, q);
        MUST(strata_query_run(f->view, q, &keys, &stats, &f->error));
        if (keys.count == 0) break;
        mark(m, q, keys.data[keys.count - 1], &place, values);
        q->after = &place;
        strata_keys_free(&keys);
        if (pages % 8 == 3 && m->counts[THING] > 100) {
            uint32_t at = (uint32_t)model_below(m, m->counts[THING]);
            if (model_below(m, 2) == 0) at = (uint32_t)(model_thing_of(m, THING, place.key) - m->tables[THING]);
            MUST(strata_view_begin(f->view, &f->error));
            stage_model_delete(m, at);
            MUST(strata_view_commit(f->view, &f->error));
        }
    }
}

void test_stage_pages_behind_a_bookmark(void) {
    random_query r;
    uint64_t seed = ctest_seed();
    for (int indexed = 0; indexed < 2; indexed++) {
        stage_model m;
        stage_model_make(&m, seed, 250, indexed != 0);
        for (int i = 0; i < 60; i++) {
            memset(&r, 0, sizeof r);
            r.query = (strata_query){ .size = sizeof r.query, .table = THING, .nodes = r.nodes, .stages = r.stages };
            if (i % 2 == 0) random_condition(&m, &r, 1);
            if (i % 5 != 0) {
                uint32_t count = 1 + (uint32_t)model_below(&m, MOST_KEYS);
                r.stages[r.query.stage_count++] = (strata_stage){ .kind = STRATA_STAGE_SORT, .key_count = count,
                                                                  .keys = random_keys(&m, &r, count, 0) };
            }
            r.stages[r.query.stage_count++] =
                (strata_stage){ .kind = STRATA_STAGE_LIMIT, .limit = 5 + model_below(&m, 20) };
            turn_pages(&m, &r);
        }
        stage_model_free(&m);
    }
}

/* ---- Groups ----------------------------------------------------------- */

typedef struct model_total {
    uint64_t count;
    uint64_t integer;
    double real, magnitude;
    strata_decimal decimal;
    strata_value least, greatest;
} model_total;

static bool counts_as_number(const strata_value *v) {
    return v->type == STRATA_INT || v->type == STRATA_FLOAT || v->type == STRATA_DOUBLE || v->type == STRATA_DECIMAL;
}

static double real_of(const strata_value *v) {
    return v->type == STRATA_INT ? (double)v->as.integer : v->type == STRATA_FLOAT ? (double)v->as.single : v->as.real;
}

static strata_decimal decimal_of_value(const strata_value *v) {
    if (v->type == STRATA_DECIMAL) return strata_decimal_load(v->as.fixed);
    if (v->type == STRATA_INT) return strata_decimal_from_int64(v->as.integer);
    return v->type == STRATA_FLOAT ? strata_decimal_from_float(v->as.single) : strata_decimal_from_double(v->as.real);
}

static strata_value total_of(const stage_model *m, const model_rows *rows, const strata_measure *measure,
                             strata_type type, double *slack) {
    model_total t = { .decimal = strata_decimal_from_int64(0), .least = strata_null(), .greatest = strata_null() };
    bool exact = type == STRATA_DECIMAL || type == STRATA_MIXED;
    *slack = 0;
    if (measure->path_length == 0) return strata_int((int64_t)rows->count);
    for (size_t i = 0; i < rows->count; i++) {
        bool reached;
        strata_value v = model_value_at(m, rows->rows[i], measure->path, measure->path_length, &reached);
        if (v.type == STRATA_NULL || (measure->aggregate != STRATA_COUNT && !counts_as_number(&v) &&
                                      v.type != STRATA_DATE)) {
            continue;
        }
        if (t.count == 0 || model_compare(&v, &t.least) < 0) t.least = v;
        if (t.count == 0 || model_compare(&v, &t.greatest) > 0) t.greatest = v;
        if (measure->aggregate >= STRATA_SUM && !counts_as_number(&v)) continue;
        t.count++;
        if (measure->aggregate < STRATA_SUM) continue;
        if (exact || type == STRATA_INT) t.decimal = strata_decimal_add(t.decimal, decimal_of_value(&v));
        else t.real += real_of(&v), t.magnitude += fabs(real_of(&v));
        if (v.type == STRATA_INT) t.integer += (uint64_t)v.as.integer;
    }
    *slack = isfinite(t.magnitude) ? 1e-12 * t.magnitude : 0;
    switch (measure->aggregate) {
    case STRATA_COUNT: return strata_int((int64_t)t.count);
    case STRATA_MIN: return t.least;
    case STRATA_MAX: return t.greatest;
    case STRATA_SUM:
        return exact ? strata_decimal_value(t.decimal)
                     : type == STRATA_INT ? strata_int((int64_t)t.integer) : strata_double(t.real);
    default: break;
    }
    if (t.count == 0) return strata_null();
    strata_decimal quotient = strata_decimal_divide(t.decimal, strata_decimal_from_uint64(t.count));
    if (type == STRATA_INT) return strata_double(strata_decimal_to_double(quotient));
    return exact ? strata_decimal_value(quotient) : strata_double(t.real / (double)t.count);
}

/* Equal, but for what the order of adding makes of unlike doubles. */
static bool alike(const strata_value *a, const strata_value *b, double slack) {
    if (model_compare(a, b) == 0) return true;
    return a->type == STRATA_DOUBLE && b->type == STRATA_DOUBLE && fabs(a->as.real - b->as.real) <= slack;
}

static strata_value key_of(const stage_model *m, const model_thing *row, const strata_sort *key) {
    bool reached;
    return model_value_at(m, row, key->path, key->path_length, &reached);
}

static bool agree(const stage_model *m, const strata_sort *keys, uint32_t count, const model_thing *row,
                  const strata_value *values) {
    for (uint32_t i = 0; i < count; i++) {
        strata_value value = key_of(m, row, &keys[i]);
        if (model_compare(&value, &values[i]) != 0) return false;
    }
    return true;
}

/* Every group has its keys in order, and measures of just the rows that agree with them. */
static void check_groups(const stage_model *m, const strata_sort *keys, uint32_t key_count,
                         const strata_measure *measures, const strata_type *types, uint32_t measure_count,
                         const model_rows *rows, const strata_groups *groups) {
    model_rows part = { malloc((rows->count + 1) * sizeof *part.rows), 0 };
    size_t grouped = 0;
    CHECK_EQ(groups->width, key_count + measure_count);
    if (key_count == 0) CHECK_EQ(groups->count, 1);
    for (uint64_t g = 0; g < groups->count; g++) {
        const strata_value *values = groups->values + g * groups->width;
        int order = g == 0 ? -1 : 0;
        for (uint32_t i = 0; i < key_count && order == 0; i++) order = model_compare(values + i - groups->width,
                                                                                     values + i);
        CHECK(order < 0 || key_count == 0);
        part.count = 0;
        for (size_t i = 0; i < rows->count; i++) {
            if (agree(m, keys, key_count, rows->rows[i], values)) part.rows[part.count++] = rows->rows[i];
        }
        CHECK(part.count != 0 || key_count == 0);
        grouped += part.count;
        for (uint32_t i = 0; i < measure_count; i++) {
            double slack;
            strata_value expected = total_of(m, &part, &measures[i], types[i], &slack);
            CHECK(alike(&values[key_count + i], &expected, slack));
        }
    }
    CHECK_EQ(grouped, rows->count);
    free(part.rows);
}

static bool has_measure(strata_type type, strata_aggregate aggregate) {
    bool number = type == STRATA_INT || type == STRATA_FLOAT || type == STRATA_DOUBLE || type == STRATA_DECIMAL ||
                  type == STRATA_MIXED;
    return aggregate == STRATA_COUNT || number || (type == STRATA_DATE && aggregate <= STRATA_MAX);
}

/* 110 to 113: what is added up, what is ignored, and of which type it is. */
void test_stage_groups_against_a_model(void) {
    enum { MOST_MEASURES = 4 };
    random_query r;
    stage_model m;
    uint64_t seed = ctest_seed();
    for (int indexed = 0; indexed < 2; indexed++) {
        stage_model_make(&m, seed, 300, indexed != 0);
        fixture *f = m.f;
        for (int i = 0; i < 1500; i++) {
            strata_measure measures[MOST_MEASURES];
            strata_type types[MOST_MEASURES] = { STRATA_NULL };
            strata_groups groups;
            make_query(&m, &r);
            uint32_t key_count = (uint32_t)model_below(&m, 4), count = (uint32_t)model_below(&m, MOST_MEASURES + 1);
            const strata_sort *keys = random_keys(&m, &r, key_count, TO_LINKS);
            bool fits = true;
            for (uint32_t k = 0; k < count; k++) {
                memset(&measures[k], 0, sizeof *measures);
                measures[k].aggregate = (strata_aggregate)(STRATA_COUNT + (int)model_below(&m, 5));
                if (measures[k].aggregate == STRATA_COUNT && model_below(&m, 2) == 0) continue;
                measures[k].path = random_path(&m, &r, TO_LINKS | (model_below(&m, 2) == 0 ? SINGLE_STEP : 0),
                                               &measures[k].path_length, &types[k]);
                fits = fits && has_measure(types[k], measures[k].aggregate);
            }
            strata_status status = strata_query_group(f->view, &r.query, keys, key_count, measures, count, &groups,
                                                      NULL, &f->error);
            if (!fits) CHECK_EQ(status, STRATA_TYPE);
            if (!fits) continue;
            MUST(status);
            model_rows rows = stage_model_answer(&m, &r.query);
            check_groups(&m, keys, key_count, measures, types, count, &rows, &groups);
            free(rows.rows);
            strata_groups_free(&groups);
        }
        stage_model_free(&m);
    }
}

/* ---- Facets ----------------------------------------------------------- */

static bool finite_of(const strata_value *value, double *out) {
    switch (value->type) {
    case STRATA_INT: *out = (double)value->as.integer; return true;
    case STRATA_FLOAT: *out = (double)value->as.single; break;
    case STRATA_DOUBLE:
    case STRATA_DATE: *out = value->as.real; break;
    default: return false;
    }
    return isfinite(*out) != 0;
}

/* A histogram has the ends of the finite numbers, and each of them in one bin. */
static void check_spread(const strata_groups *groups, const strata_facet *facet, uint32_t most) {
    double least = HUGE_VAL, greatest = -HUGE_VAL, number, end;
    uint64_t counted = 0, expected = 0;
    for (uint64_t g = 0; g < groups->count; g++) {
        if (!finite_of(&groups->values[2 * g], &number)) continue;
        if (number < least) least = number;
        if (number > greatest) greatest = number;
        expected += (uint64_t)groups->values[2 * g + 1].as.integer;
    }
    if (most == 0 || !(least < greatest)) {
        CHECK_EQ(facet->bin_count, 0);
        return;
    }
    CHECK(facet->bin_count <= most && facet->bin_count >= (most < 2 ? most : 2));
    CHECK(finite_of(&facet->least, &end) && end == least);
    CHECK(finite_of(&facet->greatest, &end) && end == greatest);
    for (uint32_t i = 0; i < facet->bin_count; i++) counted += facet->bins[i];
    CHECK_EQ(counted, expected);
    CHECK(facet->bins[0] != 0 && facet->bins[facet->bin_count - 1] != 0);
}

/* The commonest first, of equally common ones the least; none is left out that is commoner. */
static void check_commonest(const strata_groups *groups, const strata_facet *facet, uint32_t most) {
    CHECK_EQ(facet->different, groups->count);
    CHECK_EQ(facet->value_count, groups->count < most ? groups->count : most);
    uint64_t last = UINT64_MAX, commoner = 0, from = 0;
    for (uint32_t i = 0; i < facet->value_count; i++) {
        const strata_facet_value *told = &facet->values[i];
        if (told->count != last) from = 0;
        last = told->count;
        while (from < groups->count && model_compare(&groups->values[2 * from], &told->value) != 0) from++;
        CHECK(from < groups->count);
        if (from < groups->count) CHECK_EQ(groups->values[2 * from + 1].as.integer, (int64_t)told->count);
    }
    for (uint64_t g = 0; g < groups->count && facet->value_count != 0; g++) {
        commoner += (uint64_t)groups->values[2 * g + 1].as.integer > last;
    }
    CHECK(commoner <= facet->value_count);
}

/* A facet is the groups of the same query, as far as there are not too many of them; and numbers are spread all the
 * same. */
void test_stage_facets_against_a_model(void) {
    static const strata_measure count = { .aggregate = STRATA_COUNT };
    random_query r;
    stage_model m;
    uint64_t seed = ctest_seed();
    uint32_t told = 0, many = 0;
    for (int indexed = 0; indexed < 2; indexed++) {
        stage_model_make(&m, seed, 300, indexed != 0);
        fixture *f = m.f;
        for (int i = 0; i < 1500; i++) {
            strata_facet_options options = strata_facet_options_blank();
            strata_groups groups;
            strata_facet facet;
            make_query(&m, &r);
            strata_sort key = { NULL, 0, false };
            strata_type type;
            key.path = random_path(&m, &r, TO_LINKS, &key.path_length, &type);
            options.most_values = (uint32_t)model_below(&m, 30);
            options.most_bins = (uint32_t)model_below(&m, 25);
            options.most_different = (uint32_t)model_below(&m, 3) == 0 ? 5 : 0;
            MUST(strata_query_group(f->view, &r.query, &key, 1, &count, 1, &groups, NULL, &f->error));
            MUST(strata_query_facet(f->view, &r.query, key.path, key.path_length, &options, &facet, &f->error));
            check_spread(&groups, &facet, type == STRATA_MIXED ? 0 : options.most_bins);
            if (facet.too_many) {
                CHECK(options.most_different == 5 && groups.count > 5);
                CHECK_EQ(facet.different, 5);
                CHECK_EQ(facet.value_count, 0);
                many++;
            } else {
                check_commonest(&groups, &facet, options.most_values);
                told++;
            }
            strata_facet_free(&facet);
            strata_groups_free(&groups);
        }
        stage_model_free(&m);
    }
    CHECK(told > 100 && many > 100);
}
