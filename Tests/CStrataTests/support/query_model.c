/* SPDX-License-Identifier: MIT
 * query_model.c -- the same objects in a store and in plain C, and queries answered from the latter. */
#include "support/query_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/strata_support.h"

static uint64_t below(query_model *m, uint64_t limit) { return ctest_random(&m->random) % limit; }

void model_must(query_model *m, strata_status status) {
    if (status < 0) ctest_fail(__FILE__, __LINE__, m->error.message);
}

/* ---- Values ----------------------------------------------------------- */

static const strata_type types[COLUMNS] = {
    STRATA_INT, STRATA_INT, STRATA_INT, STRATA_DOUBLE, STRATA_FLOAT, STRATA_BOOL, STRATA_STRING,
    STRATA_STRING, STRATA_DATA, STRATA_DATE, STRATA_UUID, STRATA_OBJECT_ID, STRATA_LINK, STRATA_LINK,
};

strata_type model_type(uint32_t table, uint32_t column) {
    if (table != DOG) return types[column];
    return column == DOG_NAME ? STRATA_STRING : column == DOG_AGE ? STRATA_INT : STRATA_LINK;
}

/* Strings that share beginnings with each other, longer and shorter than what indexes and rows hold of them. */
static strata_bytes random_text(query_model *m) {
    static char long_text[4][1200];
    static const char *const words[] = {
        "", "a", "A", "ab", "aB", "abc", "b", "ba", "\xC3\x84pfel", "\xC3\xA4pfel", "\xC3\x97", "\xC3\xB7", "z",
        "Zebra", "Person 0000123", "Person 0000124", "Person 0099", "99", "199", "a b",
    };
    uint64_t r = below(m, 30);
    if (r < 20) return (strata_bytes){ words[r], strlen(words[r]) };
    if (r == 20) return (strata_bytes){ "a\0b", 3 };
    if (r == 21) return (strata_bytes){ "a\0", 2 };
    char *text = long_text[r % 4];
    if (text[0] == 0) {
        memset(text, 'x', sizeof long_text[0] - 1);
        text[r % 4 == 3 ? 70 : 1000] = (char)('a' + r % 4);
    }
    size_t size = r < 25 ? 60 + below(m, 12) : r < 28 ? 64 + below(m, 3) : 1020 + below(m, 9);
    return (strata_bytes){ text, size };
}

strata_value model_value(query_model *m, strata_type type) {
    strata_value v = strata_null();
    static const double reals[] = { -INFINITY, INFINITY, -0.0, 0, 1, -1, 0.5, 2.25, 1e300, NAN };
    uint64_t r = ctest_random(&m->random);
    double real = r % 3 == 0 ? reals[r / 3 % 10] : (double)(int64_t)(r % 400) / 8 - 25;
    if (r / 1024 % 12 == 0) return v;
    switch (type) {
    case STRATA_BOOL: return strata_bool(r % 2 != 0);
    case STRATA_INT:
        if (r % 40 < 2) return strata_int(r % 40 == 0 ? INT64_MIN : INT64_MAX);
        return strata_int(r % 40 == 2 ? (int64_t)r : (int64_t)(r % 50) - 5);
    case STRATA_FLOAT: return strata_float((float)real);
    case STRATA_DOUBLE: return strata_double(real);
    case STRATA_DATE: return strata_date(real);
    case STRATA_STRING:
    case STRATA_DATA:
        v.as.bytes = random_text(m);
        break;
    case STRATA_UUID:
    case STRATA_OBJECT_ID:
        v.as.fixed[0] = (uint8_t)(r % 5);
        v.as.fixed[11] = (uint8_t)(r / 5 % 7);
        break;
    case STRATA_LINK: return strata_null();
    default: break;
    }
    v.type = type;
    return v;
}

/* ---- Objects ---------------------------------------------------------- */

enum { N = STRATA_COLUMN_NULLABLE, I = STRATA_COLUMN_INDEXED };

static void make_schema(query_model *m) {
    static const char *const names[COLUMNS] = { "id", "age", "count", "score", "ratio", "flag", "name", "note", "blob",
                                                "born", "uid", "oid", "pet", "friends" };
    static const uint32_t flags[COLUMNS] = { STRATA_COLUMN_PRIMARY, N | I, N, 0, N, I, N | I, 0, N, N | I, I, N, 0, 0 };
    strata_column_spec columns[2][COLUMNS];
    for (int t = 0; t < 2; t++) {
        for (int c = 0; c < COLUMNS; c++) {
            uint32_t f = t == PERSON ? flags[c] : flags[c] & ~(uint32_t)(I | STRATA_COLUMN_PRIMARY);
            const char *target = c == PET ? "Dog" : c != FRIENDS ? NULL : t == PERSON ? "Person" : "Plain";
            strata_collection collection = c == FRIENDS ? STRATA_LIST : STRATA_SINGLE;
            columns[t][c] = (strata_column_spec){ names[c], types[c], collection, f, target };
        }
    }
    strata_column_spec dog[DOG_COLUMNS] = {
        { "name", STRATA_STRING, STRATA_SINGLE, N | I, NULL },
        { "age", STRATA_INT, STRATA_SINGLE, N, NULL },
        { "owner", STRATA_LINK, STRATA_SINGLE, 0, "Person" },
    };
    static const char *const by_flag[] = { "flag", "name" }, *const by_pet[] = { "pet", "age", "born" };
    static const char *const by_age[] = { "age", "count" }, *const by_oid[] = { "oid", "flag", "note", "age" };
    static const strata_index_spec indexes[] = { { 2, by_flag }, { 3, by_pet }, { 2, by_age }, { 4, by_oid } };
    strata_table_spec tables[TABLES] = {
        { "Person", 0, COLUMNS, columns[0], indexes, 4 },
        { "Plain", 0, COLUMNS, columns[1] },
        { "Dog", 0, DOG_COLUMNS, dog },
    };
    model_must(m, strata_schema_apply(m->view, tables, TABLES, 1, &m->error));
    for (uint32_t t = 0; t < TABLES; t++) {
        uint32_t number;
        CHECK_EQ(strata_table_find(m->view, tables[t].name, &number), STRATA_OK);
        CHECK_EQ(number, t);
    }
}

static bool may_be_null(uint32_t table, uint32_t column) {
    if (table == DOG) return true;
    return column == AGE || column == COUNT || column == RATIO || column == NAME || column == BLOB || column == BORN ||
           column == OID || column == PET;
}

static strata_value cell_value(query_model *m, uint32_t table, uint32_t column) {
    strata_value v;
    do {
        v = model_value(m, model_type(table, column));
    } while (v.type == STRATA_NULL && !may_be_null(table, column));
    return v;
}

static uint64_t random_key(query_model *m, uint32_t table) {
    return m->tables[table].rows[below(m, m->tables[table].count)].key;
}

static model_row *add_row(query_model *m, uint32_t table) {
    model_table *t = &m->tables[table];
    model_row *rows = realloc(t->rows, (t->count + 1) * sizeof *rows);
    CHECK(rows != NULL);
    t->rows = rows;
    memset(&rows[t->count], 0, sizeof *rows);
    return &rows[t->count++];
}

static void make_dogs(query_model *m, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        model_row *row = add_row(m, DOG);
        for (uint32_t c = 0; c < DOG_OWNER; c++) row->cells[c] = cell_value(m, DOG, c);
        model_must(m, strata_object_create(m->view, DOG, row->cells, DOG_COLUMNS, &row->key, &m->error));
    }
}

static void make_person(query_model *m, uint32_t i) {
    strata_value cells[COLUMNS] = { { 0 } };
    cells[ID] = strata_int((int64_t)i * 7 - 500);
    for (uint32_t c = AGE; c < PET; c++) cells[c] = cell_value(m, PERSON, c);
    if (below(m, 4) != 0) cells[PET] = strata_link(random_key(m, DOG));
    for (uint32_t t = PERSON; t <= PLAIN; t++) {
        model_row *row = add_row(m, t);
        memcpy(row->cells, cells, sizeof cells);
        model_must(m, strata_object_create(m->view, t, cells, FRIENDS, &row->key, &m->error));
    }
    const model_table *a = &m->tables[PERSON], *b = &m->tables[PLAIN];
    CHECK_EQ(a->rows[a->count - 1].key, b->rows[b->count - 1].key);
}

static void make_friends(query_model *m, uint32_t at) {
    uint64_t r = below(m, 20), count = r == 0 ? below(m, MOST_FRIENDS) : r < 10 ? below(m, 5) : 0;
    uint64_t friends[MOST_FRIENDS];
    for (uint64_t i = 0; i < count; i++) friends[i] = random_key(m, PERSON);
    for (uint32_t t = PERSON; t <= PLAIN && count != 0; t++) {
        model_row *row = &m->tables[t].rows[at];
        strata_row live;
        row->friends = malloc(count * sizeof *friends);
        CHECK(row->friends != NULL);
        memcpy(row->friends, friends, count * sizeof *friends);
        row->friend_count = (uint32_t)count;
        model_must(m, strata_row_bind(m->view, t, row->key, &live, &m->error));
        model_must(m, insert_keys(&live, FRIENDS, 0, friends, count, &m->error));
    }
}

static void change_person(query_model *m, uint32_t at) {
    uint32_t column = AGE + (uint32_t)below(m, PET - AGE);
    strata_value value = cell_value(m, PERSON, column);
    for (uint32_t t = PERSON; t <= PLAIN; t++) {
        strata_row live;
        model_must(m, strata_row_bind(m->view, t, m->tables[t].rows[at].key, &live, &m->error));
        model_must(m, strata_row_set(&live, column, &value, &m->error));
        m->tables[t].rows[at].cells[column] = value;
    }
}

/* Removes a person, and every link to it, from both tables. */
static void delete_person(query_model *m, uint32_t at) {
    for (uint32_t t = PERSON; t <= PLAIN; t++) {
        model_table *table = &m->tables[t];
        uint64_t key = table->rows[at].key;
        model_must(m, strata_object_unlink(m->view, t, key, &m->error));
        model_must(m, strata_object_delete(m->view, t, key, &m->error));
        free(table->rows[at].friends);
        table->count--;
        memmove(table->rows + at, table->rows + at + 1, (table->count - at) * sizeof *table->rows);
        for (uint32_t i = 0; i < table->count; i++) {
            model_row *row = &table->rows[i];
            uint32_t kept = 0;
            for (uint32_t f = 0; f < row->friend_count; f++) {
                if (row->friends[f] != key) row->friends[kept++] = row->friends[f];
            }
            row->friend_count = kept;
        }
        for (uint32_t i = 0; t == PERSON && i < m->tables[DOG].count; i++) {
            strata_value *owner = &m->tables[DOG].rows[i].cells[DOG_OWNER];
            if (owner->type == STRATA_LINK && owner->as.link == key) *owner = strata_null();
        }
    }
}

void model_make(query_model *m, uint64_t seed, uint32_t persons) {
    memset(m, 0, sizeof *m);
    m->random = seed;
    strata_config config = { .size = sizeof config, .path = ctest_path("queries") };
    model_must(m, strata_store_open(&config, &m->store, &m->error));
    model_must(m, strata_view_open(m->store, &m->view, &m->error));
    make_schema(m);
    model_must(m, strata_view_begin(m->view, &m->error));
    make_dogs(m, 30);
    for (uint32_t i = 0; i < persons; i++) make_person(m, i);
    for (uint32_t i = 0; i < persons; i++) make_friends(m, i);
    for (uint32_t i = 0; i < m->tables[DOG].count; i++) {
        strata_row live;
        strata_value owner = below(m, 3) == 0 ? strata_null() : strata_link(random_key(m, PERSON));
        model_must(m, strata_row_bind(m->view, DOG, m->tables[DOG].rows[i].key, &live, &m->error));
        model_must(m, strata_row_set(&live, DOG_OWNER, &owner, &m->error));
        m->tables[DOG].rows[i].cells[DOG_OWNER] = owner;
    }
    model_must(m, strata_view_commit(m->view, &m->error));
    model_must(m, strata_view_begin(m->view, &m->error));
    for (uint32_t i = 0; i < persons / 4; i++) change_person(m, (uint32_t)below(m, m->tables[PERSON].count));
    for (uint32_t i = 0; i < persons / 8; i++) delete_person(m, (uint32_t)below(m, m->tables[PERSON].count));
    if (below(m, 2) == 0) model_must(m, strata_view_commit(m->view, &m->error)); /* or leave it pending */
}

void model_free(query_model *m) {
    strata_view_close(m->view);
    strata_store_close(m->store);
    for (int t = 0; t < TABLES; t++) {
        for (uint32_t i = 0; i < m->tables[t].count; i++) free(m->tables[t].rows[i].friends);
        free(m->tables[t].rows);
    }
}

const model_row *model_find(const query_model *m, uint32_t table, uint64_t key) {
    const model_table *t = &m->tables[table];
    for (uint32_t i = 0; i < t->count; i++) {
        if (t->rows[i].key == key) return &t->rows[i];
    }
    return NULL;
}

/* ---- Comparing values ------------------------------------------------- */

static int compare_bytes(const void *a, size_t a_size, const void *b, size_t b_size) {
    size_t size = a_size < b_size ? a_size : b_size;
    int order = size == 0 ? 0 : memcmp(a, b, size);
    return order != 0 ? order : a_size < b_size ? -1 : a_size > b_size;
}

/* Of two values that are not null and not NaN. */
static int compare_values(const strata_value *a, const strata_value *b) {
    switch (a->type) {
    case STRATA_BOOL: return (int)a->as.boolean - (int)b->as.boolean;
    case STRATA_INT: return a->as.integer < b->as.integer ? -1 : a->as.integer > b->as.integer;
    case STRATA_FLOAT: return a->as.single < b->as.single ? -1 : a->as.single > b->as.single;
    case STRATA_DOUBLE:
    case STRATA_DATE: return a->as.real < b->as.real ? -1 : a->as.real > b->as.real;
    case STRATA_UUID: return memcmp(a->as.fixed, b->as.fixed, 16);
    case STRATA_OBJECT_ID: return memcmp(a->as.fixed, b->as.fixed, 12);
    case STRATA_LINK: return a->as.link < b->as.link ? -1 : a->as.link > b->as.link;
    default: return compare_bytes(a->as.bytes.data, a->as.bytes.size, b->as.bytes.data, b->as.bytes.size);
    }
}

static bool is_nan(const strata_value *v) {
    if (v->type == STRATA_FLOAT) return isnan(v->as.single);
    return (v->type == STRATA_DOUBLE || v->type == STRATA_DATE) && isnan(v->as.real);
}

/* Small letters of ASCII and of the second half of Latin-1. */
static void fold_text(const strata_bytes *from, char *to) {
    const unsigned char *p = from->data;
    for (size_t i = 0; i < from->size; i++) {
        unsigned c = p[i];
        if (c >= 'A' && c <= 'Z') c += 'a' - 'A';
        if (i > 0 && p[i - 1] == 0xC3 && c >= 0x80 && c < 0x9F && c != 0x97) c += 0x20;
        to[i] = (char)c;
    }
}

static bool has_text(const char *text, size_t size, const char *part, size_t part_size, strata_operator op) {
    if (part_size == 0 || part_size > size) return false;
    for (size_t at = 0; at + part_size <= size; at++) {
        if (op == STRATA_BEGINS_WITH && at > 0) break;
        if (op == STRATA_ENDS_WITH && at + part_size < size) continue;
        if (memcmp(text + at, part, part_size) == 0) return true;
    }
    return false;
}

static bool equal_values(const strata_value *a, const strata_value *b, bool fold) {
    if (a->type == STRATA_NULL || b->type == STRATA_NULL) return a->type == b->type;
    if (is_nan(a) || is_nan(b)) return false;
    if (!fold) return compare_values(a, b) == 0;
    char x[2000], y[2000];
    if (a->as.bytes.size != b->as.bytes.size) return false;
    fold_text(&a->as.bytes, x);
    fold_text(&b->as.bytes, y);
    return memcmp(x, y, a->as.bytes.size) == 0;
}

static bool meets(const strata_value *v, const strata_node *node) {
    const strata_value *w = node->values;
    bool fold = (node->options & STRATA_CASE_INSENSITIVE) != 0;
    switch (node->op) {
    case STRATA_EQUAL: return equal_values(v, w, fold);
    case STRATA_NOT_EQUAL: return !equal_values(v, w, fold);
    case STRATA_IN:
        for (uint32_t i = 0; i < node->value_count; i++) {
            if (equal_values(v, w + i, fold)) return true;
        }
        return false;
    default: break;
    }
    if (v->type == STRATA_NULL || w->type == STRATA_NULL || is_nan(v) || is_nan(w)) return false;
    switch (node->op) {
    case STRATA_LESS: return compare_values(v, w) < 0;
    case STRATA_LESS_EQUAL: return compare_values(v, w) <= 0;
    case STRATA_GREATER: return compare_values(v, w) > 0;
    case STRATA_GREATER_EQUAL: return compare_values(v, w) >= 0;
    case STRATA_BETWEEN:
        if (w[1].type == STRATA_NULL || is_nan(w + 1)) return false;
        return compare_values(v, w) >= 0 && compare_values(v, w + 1) <= 0;
    default: break;
    }
    char text[2000], part[2000];
    strata_bytes a = v->as.bytes, b = w->as.bytes;
    if (fold) {
        fold_text(&a, text);
        fold_text(&b, part);
    } else {
        if (a.size != 0) memcpy(text, a.data, a.size);
        if (b.size != 0) memcpy(part, b.data, b.size);
    }
    return has_text(text, a.size, part, b.size, node->op);
}

/* ---- Conditions ------------------------------------------------------- */

static uint32_t target_of(uint32_t table, uint32_t column) {
    return table == DOG ? PERSON : column == PET ? DOG : table;
}

/* Paths begin at persons. */
static bool has_list(const strata_node *node) {
    uint32_t table = PERSON;
    for (uint32_t i = 0; i < node->left.path_length; i++) {
        uint32_t column = node->left.path[i].column;
        if (table != DOG && column == FRIENDS) return true;
        table = target_of(table, column);
    }
    return false;
}

static bool meets_path(const query_model *m, uint32_t table, const model_row *row, const strata_node *node,
                       uint32_t step) {
    uint32_t column = node->left.path[step].column, target = target_of(table, column);
    bool last = step + 1 == node->left.path_length;
    strata_value none = strata_null();
    if (table != DOG && column == FRIENDS) {
        for (uint32_t i = 0; i < row->friend_count; i++) {
            strata_value link = strata_link(row->friends[i]);
            const model_row *element = last ? NULL : model_find(m, target, row->friends[i]);
            if (last ? meets(&link, node) : meets_path(m, target, element, node, step + 1)) return true;
        }
        return false;
    }
    const strata_value *v = &row->cells[column];
    if (last) return meets(v, node);
    if (v->type == STRATA_NULL) return !has_list(node) && meets(&none, node);
    return meets_path(m, target, model_find(m, target, v->as.link), node, step + 1);
}

static bool holds(const query_model *m, const strata_query *q, const model_row *row, uint32_t *at) {
    const strata_node *node = &q->nodes[(*at)++];
    bool result;
    switch (node->op) {
    case STRATA_TRUE: return true;
    case STRATA_FALSE: return false;
    case STRATA_NOT: return !holds(m, q, row, at);
    case STRATA_AND:
    case STRATA_OR:
        result = node->op == STRATA_AND;
        for (uint32_t i = 0; i < node->children; i++) {
            bool child = holds(m, q, row, at); /* every child must be passed over */
            result = node->op == STRATA_AND ? result && child : result || child;
        }
        return result;
    default: return meets_path(m, q->table, row, node, 0);
    }
}

/* ---- Orders ----------------------------------------------------------- */

/* qsort has no context. */
static const query_model *sorting;
static const strata_query *sorting_query;
static strata_stage sorting_stage;

typedef struct ranked {
    const model_row *row;
    size_t place;
} ranked;

/* What a row is sorted by; a link to nothing if one on the way is null. */
static strata_value sort_value(const model_row *row, const strata_sort *sort) {
    uint32_t table = sorting_query->table;
    for (uint32_t i = 0; i + 1 < sort->path_length; i++) {
        const strata_value *link = &row->cells[sort->path[i].column];
        if (link->type == STRATA_NULL) return (strata_value){ .type = STRATA_LINK };
        table = target_of(table, sort->path[i].column);
        row = model_find(sorting, table, link->as.link);
    }
    return row->cells[sort->path[sort->path_length - 1].column];
}

static int sort_rank(const strata_value *v) {
    return v->type == STRATA_NULL ? 0 : is_nan(v) ? 1 : v->type != STRATA_LINK ? 2 : 3;
}

static int compare_ranked(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    for (uint32_t i = 0; i < sorting_stage.key_count; i++) {
        const strata_sort *sort = &sorting_stage.keys[i];
        strata_value v = sort_value(x->row, sort), w = sort_value(y->row, sort);
        int rank_v = sort_rank(&v), rank_w = sort_rank(&w);
        int order = rank_v != rank_w ? rank_v - rank_w : rank_v == 2 ? compare_values(&v, &w) : 0;
        if (order != 0) return sort->descending ? -order : order;
    }
    return x->place < y->place ? -1 : x->place > y->place;
}

/* ---- Answers ---------------------------------------------------------- */

/* The rows of the source, in its order. */
static size_t source_rows(const query_model *m, const strata_query *q, ranked **out) {
    const model_table *table = &m->tables[q->table];
    size_t count = 0, capacity = table->count + MOST_FRIENDS + (size_t)table->count * 8;
    *out = malloc(capacity * sizeof **out);
    CHECK(*out != NULL);
    if (q->source == STRATA_SOURCE_LIST) {
        const model_row *owner = model_find(m, q->origin_table, q->key);
        for (uint32_t i = 0; owner != NULL && i < owner->friend_count; i++) {
            (*out)[count++].row = model_find(m, q->table, owner->friends[i]);
        }
        return count;
    }
    for (uint32_t i = 0; i < table->count; i++) {
        const model_row *row = &table->rows[i];
        uint32_t times = 1;
        if (q->source == STRATA_SOURCE_BACKLINKS) {
            const strata_value *link = &row->cells[q->origin_column];
            times = q->origin_column != FRIENDS && link->type == STRATA_LINK && link->as.link == q->key;
            for (uint32_t f = 0; q->origin_column == FRIENDS && f < row->friend_count; f++) {
                times += row->friends[f] == q->key;
            }
        }
        for (; times > 0 && count < capacity; times--) (*out)[count++].row = row;
    }
    return count;
}

strata_stage model_sort(const strata_query *query) {
    for (uint32_t i = 0; i < query->stage_count; i++) {
        if (query->stages[i].kind == STRATA_STAGE_SORT) return query->stages[i];
    }
    return (strata_stage){ .kind = STRATA_STAGE_SORT };
}

uint64_t *model_answer(const query_model *m, const strata_query *query, size_t *out_count) {
    ranked *rows;
    size_t count = source_rows(m, query, &rows), kept = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t at = 0;
        if (query->node_count != 0 && !holds(m, query, rows[i].row, &at)) continue;
        rows[kept] = (ranked){ rows[i].row, kept };
        kept++;
    }
    sorting = m;
    sorting_query = query;
    sorting_stage = model_sort(query);
    qsort(rows, kept, sizeof *rows, compare_ranked);
    for (uint32_t i = 0; i < query->stage_count; i++) {
        const strata_stage *stage = &query->stages[i];
        if (stage->kind == STRATA_STAGE_LIMIT && stage->limit < kept) kept = (size_t)stage->limit;
    }
    uint64_t *keys = malloc((kept + 1) * sizeof *keys);
    CHECK(keys != NULL);
    for (size_t i = 0; i < kept; i++) keys[i] = rows[i].row->key;
    free(rows);
    *out_count = kept;
    return keys;
}
