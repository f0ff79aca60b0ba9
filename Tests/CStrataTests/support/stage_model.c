/* SPDX-License-Identifier: MIT
 * stage_model.c -- objects with a value of every type, and stages and bookmarks answered from plain C. */
#include "support/stage_model.h"

#include <math.h>

uint64_t model_below(stage_model *m, uint64_t limit) { return ctest_random(&m->random) % limit; }

/* ---- Objects ---------------------------------------------------------- */

static const strata_type types[COLUMNS] = {
    STRATA_INT, STRATA_BOOL, STRATA_INT, STRATA_FLOAT, STRATA_DOUBLE, STRATA_STRING, STRATA_DATA, STRATA_DATE,
    STRATA_UUID, STRATA_OBJECT_ID, STRATA_DECIMAL, STRATA_MIXED, STRATA_LINK, STRATA_LINK, STRATA_LINK,
};
static const strata_type maker_types[MAKER_COLUMNS] = { STRATA_STRING, STRATA_INT, STRATA_MIXED };

strata_type model_column_type(uint32_t table, uint32_t column) {
    return table == MAKER ? maker_types[column] : types[column];
}

/* Few values, so that many are equal; some are longer than what an index or a row holds of them. */
static strata_value some_text(stage_model *m, strata_type type) {
    static char longs[3][1100];
    static const char *const words[] = { "", "a", "A", "ab", "b", "\xC3\xA4", "Z", "abcdefgh", "abcdefghi",
                                         "abcdefgh1" };
    uint64_t r = model_below(m, 14);
    strata_value v = strata_string(words[r % 10], strlen(words[r % 10]));
    if (r >= 11) {
        char *text = longs[r - 11];
        memset(text, 'l', sizeof longs[0]);
        text[r == 12 ? 80 : 1050] = 'm';
        v = strata_string(text, r == 13 ? 1060 : 90);
    }
    v.type = type;
    return v;
}

static strata_value some_number(stage_model *m, strata_type type) {
    static const double odd[] = { -INFINITY, INFINITY, NAN, -0.0 };
    uint64_t r = model_below(m, 40);
    double real = r < 4 ? odd[r] : (double)((int64_t)r - 20) / 4;
    if (type == STRATA_INT) return strata_int(r == 0 ? INT64_MIN : r == 1 ? INT64_MAX : (int64_t)(r % 9) - 4);
    if (type == STRATA_FLOAT) return strata_float((float)real);
    if (type == STRATA_DATE) return strata_date(real);
    if (type == STRATA_DECIMAL) return strata_decimal_value(strata_decimal_from_double(real));
    return strata_double(real);
}

static strata_value some_fixed(stage_model *m, strata_type type) {
    strata_value v = strata_null();
    v.type = type;
    v.as.fixed[0] = (uint8_t)model_below(m, 3);
    v.as.fixed[11] = (uint8_t)model_below(m, 4);
    return v;
}

static strata_value some_value(stage_model *m, strata_type type) {
    static const strata_type any[] = { STRATA_BOOL, STRATA_INT, STRATA_FLOAT, STRATA_DOUBLE, STRATA_STRING, STRATA_DATA,
                                       STRATA_DATE, STRATA_UUID, STRATA_OBJECT_ID, STRATA_DECIMAL };
    switch (type) {
    case STRATA_BOOL: return strata_bool(model_below(m, 2) != 0);
    case STRATA_STRING:
    case STRATA_DATA: return some_text(m, type);
    case STRATA_UUID:
    case STRATA_OBJECT_ID: return some_fixed(m, type);
    case STRATA_MIXED: return some_value(m, any[model_below(m, sizeof any / sizeof *any)]);
    default: return some_number(m, type);
    }
}

strata_value model_cell(stage_model *m, uint32_t table, uint32_t column) {
    strata_type type = model_column_type(table, column);
    if (model_below(m, 6) == 0) return strata_null();
    if (type != STRATA_LINK) return some_value(m, type);
    uint32_t target = column == MADE_BY ? MAKER : THING;
    if (m->counts[target] == 0) return strata_null();
    return strata_link(m->tables[target][model_below(m, m->counts[target])].key);
}

static void make_schema(stage_model *m, bool indexed) {
    enum { N = STRATA_COLUMN_NULLABLE, I = STRATA_COLUMN_INDEXED };
    static const char *const names[COLUMNS] = { "id", "flag", "count", "ratio", "score", "name", "blob", "born", "uid",
                                                "oid", "price", "any", "next", "madeBy", "parts" };
    static const uint32_t flags[COLUMNS] = { STRATA_COLUMN_PRIMARY, N | I, N | I, N, N, N | I, N, N | I, N | I, N, N,
                                             I };
    strata_column_spec thing[COLUMNS], maker[] = { { "name", STRATA_STRING, STRATA_SINGLE, N | I, NULL },
                                                   { "rank", STRATA_INT, STRATA_SINGLE, N | I, NULL },
                                                   { "any", STRATA_MIXED, STRATA_SINGLE, 0, NULL } };
    for (uint32_t c = 0; c < COLUMNS; c++) {
        uint32_t mask = indexed ? UINT32_MAX : ~(uint32_t)I;
        const char *target = c == NEXT || c == PARTS ? "Thing" : c == MADE_BY ? "Maker" : NULL;
        thing[c] = (strata_column_spec){ names[c], types[c], c == PARTS ? STRATA_LIST : STRATA_SINGLE, flags[c] & mask,
                                         target };
    }
    if (!indexed) maker[0].flags = maker[1].flags = N;
    static const char *const one[] = { "flag", "count", "name" }, *const two[] = { "name", "born" };
    static const char *const three[] = { "count", "uid" };
    strata_index_spec indexes[] = { { 3, one }, { 2, two }, { 2, three } };
    strata_table_spec tables[TABLES] = { { .name = "Thing", .column_count = COLUMNS, .columns = thing },
                                         { .name = "Maker", .column_count = MAKER_COLUMNS, .columns = maker } };
    if (indexed) tables[0].indexes = indexes, tables[0].index_count = 3;
    fixture *f = m->f;
    MUST(apply(f, 1, tables, TABLES));
}

static model_thing *add_row(stage_model *m, uint32_t table) {
    model_thing *rows = realloc(m->tables[table], (m->counts[table] + 1) * sizeof *rows);
    CHECK(rows != NULL);
    m->tables[table] = rows;
    memset(&rows[m->counts[table]], 0, sizeof *rows);
    return &rows[m->counts[table]++];
}

static void add_thing(stage_model *m, uint32_t number) {
    fixture *f = m->f;
    strata_row live;
    model_thing row = { .cells[ID] = strata_int((int64_t)number * 3) };
    for (uint32_t c = FLAG; c < PARTS; c++) row.cells[c] = model_cell(m, THING, c);
    MUST(strata_object_create(f->view, THING, row.cells, PARTS, &row.key, &f->error));
    *add_row(m, THING) = row;
    if (model_below(m, 4) != 0) return;
    model_thing *at = &m->tables[THING][m->counts[THING] - 1];
    at->part_count = (uint32_t)model_below(m, MOST_PARTS);
    for (uint32_t i = 0; i < at->part_count; i++) at->parts[i] = m->tables[THING][model_below(m, m->counts[THING])].key;
    MUST(strata_row_bind(f->view, THING, at->key, &live, &f->error));
    MUST(insert_keys(&live, PARTS, 0, at->parts, at->part_count, &f->error));
}

void stage_model_make(stage_model *m, uint64_t seed, uint32_t things, bool indexed) {
    *m = (stage_model){ .f = fixture_open_memory(), .random = seed };
    fixture *f = m->f;
    make_schema(m, indexed);
    MUST(strata_view_begin(f->view, &f->error));
    for (uint32_t i = 0; i < 12; i++) {
        model_thing *row = add_row(m, MAKER);
        for (uint32_t c = 0; c < MAKER_COLUMNS; c++) row->cells[c] = model_cell(m, MAKER, c);
        MUST(strata_object_create(f->view, MAKER, row->cells, MAKER_COLUMNS, &row->key, &f->error));
    }
    for (uint32_t i = 0; i < things; i++) add_thing(m, i);
    MUST(strata_view_commit(f->view, &f->error));
    MUST(strata_view_begin(f->view, &f->error));
    for (uint32_t i = 0; i < things / 10; i++) stage_model_delete(m, (uint32_t)model_below(m, m->counts[THING]));
    MUST(strata_view_commit(f->view, &f->error));
}

void stage_model_free(stage_model *m) {
    fixture_close(m->f);
    for (uint32_t t = 0; t < TABLES; t++) free(m->tables[t]);
}

void stage_model_delete(stage_model *m, uint32_t at) {
    fixture *f = m->f;
    model_thing *things = m->tables[THING];
    uint64_t key = things[at].key;
    MUST(strata_object_unlink(f->view, THING, key, &f->error));
    MUST(strata_object_delete(f->view, THING, key, &f->error));
    m->counts[THING]--;
    memmove(things + at, things + at + 1, (m->counts[THING] - at) * sizeof *things);
    for (uint32_t i = 0; i < m->counts[THING]; i++) {
        uint32_t kept = 0;
        for (uint32_t p = 0; p < things[i].part_count; p++) {
            if (things[i].parts[p] != key) things[i].parts[kept++] = things[i].parts[p];
        }
        things[i].part_count = kept;
        if (things[i].cells[NEXT].type == STRATA_LINK && things[i].cells[NEXT].as.link == key) {
            things[i].cells[NEXT] = strata_null();
        }
    }
}

const model_thing *model_thing_of(const stage_model *m, uint32_t table, uint64_t key) {
    for (uint32_t i = 0; i < m->counts[table]; i++) {
        if (m->tables[table][i].key == key) return &m->tables[table][i];
    }
    return NULL;
}

/* ---- Values ----------------------------------------------------------- */

strata_value model_value_at(const stage_model *m, const model_thing *row, const strata_step *path, uint32_t length,
                            bool *reached) {
    for (uint32_t i = 0; i + 1 < length; i++) {
        const strata_value *link = &row->cells[path[i].column];
        *reached = link->type == STRATA_LINK;
        if (!*reached) return strata_null();
        row = model_thing_of(m, path[i].column == MADE_BY ? MAKER : THING, link->as.link);
    }
    *reached = true;
    return row->cells[path[length - 1].column];
}

int model_compare(const strata_value *a, const strata_value *b) {
    if (a->type == STRATA_NULL || b->type == STRATA_NULL) {
        return (int)(a->type != STRATA_NULL) - (int)(b->type != STRATA_NULL);
    }
    return strata_mixed_compare(a, b);
}

/* ---- Conditions ------------------------------------------------------- */

static bool is_nan(const strata_value *v) {
    if (v->type == STRATA_FLOAT) return isnan(v->as.single);
    return (v->type == STRATA_DOUBLE || v->type == STRATA_DATE) && isnan(v->as.real);
}

static bool equals(const strata_value *a, const strata_value *b) {
    if (a->type == STRATA_NULL || b->type == STRATA_NULL) return a->type == b->type;
    return !is_nan(a) && !is_nan(b) && strata_mixed_compare(a, b) == 0;
}

static bool compares(const strata_node *node, const strata_value *v) {
    const strata_value *w = node->values;
    if (node->op == STRATA_EQUAL) return equals(v, w);
    if (node->op == STRATA_NOT_EQUAL) return !equals(v, w);
    if (node->op == STRATA_IN) {
        for (uint32_t i = 0; i < node->value_count; i++) {
            if (equals(v, &w[i])) return true;
        }
        return false;
    }
    if (v->type == STRATA_NULL || w->type == STRATA_NULL || is_nan(v) || is_nan(w)) return false;
    if (node->op == STRATA_BEGINS_WITH) {
        size_t size = w->as.bytes.size;
        return size != 0 && v->as.bytes.size >= size && memcmp(v->as.bytes.data, w->as.bytes.data, size) == 0;
    }
    int order = strata_mixed_compare(v, w);
    switch (node->op) {
    case STRATA_LESS: return order < 0;
    case STRATA_LESS_EQUAL: return order <= 0;
    case STRATA_GREATER: return order > 0;
    case STRATA_GREATER_EQUAL: return order >= 0;
    default: break;
    }
    return order >= 0 && w[1].type != STRATA_NULL && !is_nan(&w[1]) && strata_mixed_compare(v, &w[1]) <= 0;
}

static bool holds(const stage_model *m, const strata_query *q, const model_thing *row, uint32_t *at) {
    const strata_node *node = &q->nodes[(*at)++];
    bool reached;
    if (node->op == STRATA_AND || node->op == STRATA_OR) {
        bool all = true, any = false;
        for (uint32_t i = 0; i < node->children; i++) {
            bool one = holds(m, q, row, at);
            all = all && one;
            any = any || one;
        }
        return node->op == STRATA_AND ? all : any;
    }
    if (node->op == STRATA_NOT) return !holds(m, q, row, at);
    strata_value value = model_value_at(m, row, node->left.path, node->left.path_length, &reached);
    return compares(node, &value);
}

/* ---- Stages ----------------------------------------------------------- */

static int compare_rows(const stage_model *m, const strata_stage *stage, const model_thing *a, const model_thing *b) {
    for (uint32_t i = 0; i < stage->key_count; i++) {
        const strata_sort *key = &stage->keys[i];
        bool x_reached, y_reached;
        strata_value x = model_value_at(m, a, key->path, key->path_length, &x_reached);
        strata_value y = model_value_at(m, b, key->path, key->path_length, &y_reached);
        int order = x_reached != y_reached ? (int)y_reached - (int)x_reached : model_compare(&x, &y);
        if (order != 0) return key->descending ? -order : order;
    }
    return 0;
}

static void sort_rows(const stage_model *m, const strata_stage *stage, model_rows *rows) {
    for (size_t i = 1; i < rows->count; i++) { /* each to behind those that do not come after it */
        const model_thing *row = rows->rows[i];
        size_t at = i;
        for (; at > 0 && compare_rows(m, stage, row, rows->rows[at - 1]) < 0; at--) rows->rows[at] = rows->rows[at - 1];
        rows->rows[at] = row;
    }
}

static bool reaches_all(const stage_model *m, const strata_stage *stage, const model_thing *row) {
    for (uint32_t i = 0; i < stage->key_count; i++) {
        bool reached;
        (void)model_value_at(m, row, stage->keys[i].path, stage->keys[i].path_length, &reached);
        if (!reached) return false;
    }
    return true;
}

static void drop_equal(const stage_model *m, const strata_stage *stage, model_rows *rows) {
    size_t kept = 0;
    for (size_t i = 0; i < rows->count; i++) {
        bool seen = !reaches_all(m, stage, rows->rows[i]);
        for (size_t k = 0; k < kept && !seen; k++) seen = compare_rows(m, stage, rows->rows[k], rows->rows[i]) == 0;
        if (!seen) rows->rows[kept++] = rows->rows[i];
    }
    rows->count = kept;
}

static void limit_rows(const strata_stage *stage, model_rows *rows) {
    size_t skip = stage->skip < rows->count ? (size_t)stage->skip : rows->count;
    rows->count -= skip;
    memmove(rows->rows, rows->rows + skip, rows->count * sizeof *rows->rows);
    if (stage->limit < rows->count) rows->count = (size_t)stage->limit;
}

/* Drops the rows that do not come behind the bookmark. */
static void drop_before(const stage_model *m, const strata_query *q, model_rows *rows) {
    static const strata_stage none = { .kind = STRATA_STAGE_SORT };
    const strata_stage *sort = &none;
    size_t kept = 0;
    for (uint32_t i = 0; i < q->stage_count; i++) {
        if (q->stages[i].kind == STRATA_STAGE_SORT) sort = &q->stages[i];
    }
    for (size_t i = 0; i < rows->count; i++) {
        const model_thing *row = rows->rows[i];
        int order = 0;
        for (uint32_t k = 0; k < sort->key_count && order == 0; k++) {
            const strata_value *mark = &q->after->values[k];
            bool reached, mark_reached = mark->type != STRATA_LINK || mark->as.link != 0;
            strata_value value = model_value_at(m, row, sort->keys[k].path, sort->keys[k].path_length, &reached);
            order = reached != mark_reached ? (int)mark_reached - (int)reached
                                            : reached ? model_compare(&value, mark) : 0;
            if (sort->keys[k].descending) order = -order;
        }
        if (order > 0 || (order == 0 && row->key > q->after->key)) rows->rows[kept++] = row;
    }
    rows->count = kept;
}

static void add_source(const stage_model *m, const strata_query *q, model_rows *rows) {
    const model_thing *things = m->tables[THING], *owner;
    switch (q->source) {
    case STRATA_SOURCE_KEYS:
        for (uint64_t i = 0; i < q->key_count; i++) {
            const model_thing *row = model_thing_of(m, THING, q->keys[i]);
            if (row != NULL) rows->rows[rows->count++] = row;
        }
        return;
    case STRATA_SOURCE_LIST:
        owner = model_thing_of(m, THING, q->key);
        for (uint32_t i = 0; owner != NULL && i < owner->part_count; i++) {
            rows->rows[rows->count++] = model_thing_of(m, THING, owner->parts[i]);
        }
        return;
    default: break;
    }
    for (uint32_t i = 0; i < m->counts[THING]; i++) {
        const strata_value *link = &things[i].cells[NEXT];
        if (q->source == STRATA_SOURCE_BACKLINKS && (link->type != STRATA_LINK || link->as.link != q->key)) continue;
        rows->rows[rows->count++] = &things[i];
    }
}

model_rows stage_model_answer(const stage_model *m, const strata_query *q) {
    model_rows rows = { malloc((m->counts[THING] + MOST_PARTS + q->key_count) * sizeof *rows.rows), 0 };
    size_t kept = 0;
    CHECK(rows.rows != NULL);
    add_source(m, q, &rows);
    for (size_t i = 0; i < rows.count; i++) {
        uint32_t at = 0;
        if (q->node_count == 0 || holds(m, q, rows.rows[i], &at)) rows.rows[kept++] = rows.rows[i];
    }
    rows.count = kept;
    if (q->after != NULL) drop_before(m, q, &rows);
    for (uint32_t i = 0; i < q->stage_count; i++) {
        const strata_stage *stage = &q->stages[i];
        if (stage->kind == STRATA_STAGE_SORT) sort_rows(m, stage, &rows);
        else if (stage->kind == STRATA_STAGE_DISTINCT) drop_equal(m, stage, &rows);
        else limit_rows(stage, &rows);
    }
    return rows;
}
