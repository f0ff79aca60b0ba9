/* SPDX-License-Identifier: MIT
 * mixed_support.c -- mixed values as trees of plain C. */
#include "support/mixed_support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

strata_value decimal_value(const char *text) {
    strata_decimal number;
    CHECK_EQ(strata_decimal_parse(text, strlen(text), &number, NULL), STRATA_OK);
    return strata_decimal_value(number);
}

strata_value value_apart(const strata_value *value, void **block) {
    strata_value copy = *value;
    size_t size = value->as.bytes.size;
    *block = NULL;
    if (value->type != STRATA_STRING && value->type != STRATA_DATA && value->type != STRATA_NESTED) return copy;
    *block = malloc(size == 0 ? 1 : size);
    CHECK(*block != NULL);
    if (size != 0) memcpy(*block, value->as.bytes.data, size);
    copy.as.bytes.data = *block;
    return copy;
}

/* ---- Random trees ----------------------------------------------------- */

static uint64_t below(uint64_t *random, uint64_t limit) { return ctest_random(random) % limit; }

static tree *make(strata_collection kind) {
    tree *t = calloc(1, sizeof *t);
    CHECK(t != NULL);
    t->kind = kind;
    return t;
}

/* Numbers that are equal to others of another type more often than not. */
static strata_value random_number(uint64_t *random) {
    static const double reals[] = { 0, -0.0, 1, 2, 3, 0.5, 0.1, 1e300, -1e300, 9007199254740992.0, 9223372036854775808.0 };
    static const char *const decimals[] = { "0", "1.0", "2", "0.1", "0.5", "NaN", "Infinity", "-1E+300", "1E-400",
                                            "9007199254740993", "9223372036854775808" };
    static const int64_t ints[] = { 0, 1, 2, 3, -1, INT64_MIN, INT64_MAX, 9007199254740992, 9007199254740993 };
    uint64_t r = below(random, 12);
    double real = r < 11 ? reals[r] : NAN;
    switch (below(random, 4)) {
    case 0: return strata_int(r < 9 ? ints[r] : (int64_t)ctest_random(random));
    case 1: return strata_float((float)real);
    case 2: return strata_double(below(random, 9) == 0 ? INFINITY : real);
    default: return decimal_value(decimals[r % 11]);
    }
}

static size_t random_size(uint64_t *random) {
    uint64_t r = below(random, 60);
    return r < 50 ? below(random, 6) : r < 57 ? 60 + below(random, 12) : r < 59 ? 1015 + below(random, 12) : 5000;
}

static void random_bytes(uint64_t *random, tree *t, strata_type type) {
    size_t size = random_size(random);
    char *bytes = malloc(size + 1);
    CHECK(bytes != NULL);
    for (size_t i = 0; i < size; i++) bytes[i] = (char)(i < 66 && size > 50 ? 'x' : 'a' + (int)below(random, 3));
    if (size > 0 && below(random, 6) == 0) bytes[size - 1] = type == STRATA_DATA && below(random, 2) == 0 ? -1 : 0;
    t->owned = bytes;
    t->leaf = strata_data(bytes, size);
    t->leaf.type = type;
}

static void random_leaf(uint64_t *random, const tree_links *links, tree *t) {
    switch (below(random, 12)) {
    case 0: break;
    case 1: t->leaf = strata_bool(below(random, 2) != 0); break;
    case 2:
    case 3:
    case 4: t->leaf = random_number(random); break;
    case 5:
    case 6: random_bytes(random, t, STRATA_STRING); break;
    case 7: random_bytes(random, t, STRATA_DATA); break;
    case 8: t->leaf = strata_date((double)below(random, 5) - 2); break;
    case 9:
        t->leaf.type = below(random, 2) == 0 ? STRATA_UUID : STRATA_OBJECT_ID;
        t->leaf.as.fixed[0] = (uint8_t)below(random, 3);
        t->leaf.as.fixed[11] = (uint8_t)below(random, 3);
        break;
    default:
        if (links != NULL) {
            uint32_t table = (uint32_t)below(random, links->tables);
            t->leaf = strata_mixed_link(table, links->key_of(links->context, table));
        }
    }
}

tree *tree_random(uint64_t *random, const tree_links *links, int depth) {
    tree *t = make(STRATA_SINGLE);
    uint64_t r = below(random, 10);
    if (r > 2 || depth == 0) {
        random_leaf(random, links, t);
        return t;
    }
    t->kind = r == 0 ? STRATA_MAP : STRATA_LIST;
    int count = (int)below(random, MOST_CHILDREN + 1);
    for (int i = 0; i < count; i++) {
        char key[8];
        int at = t->count;
        snprintf(key, sizeof key, "%.*s%d", (int)below(random, 3), "kkk", (int)below(random, 30));
        if (t->kind == STRATA_MAP) {
            for (at = 0; at < t->count && strcmp(t->keys[at], key) < 0;) at++;
            if (at < t->count && strcmp(t->keys[at], key) == 0) continue;
        }
        memmove(t->children + at + 1, t->children + at, (size_t)(t->count - at) * sizeof t->children[0]);
        memmove(t->keys + at + 1, t->keys + at, (size_t)(t->count - at) * sizeof t->keys[0]);
        t->children[at] = tree_random(random, links, depth - 1);
        memcpy(t->keys[at], key, sizeof key);
        t->count++;
    }
    return t;
}

tree *tree_copy(const tree *from) {
    tree *t = make(from->kind);
    *t = *from;
    t->leaf = value_apart(&from->leaf, &t->owned);
    for (int i = 0; i < from->count; i++) t->children[i] = tree_copy(from->children[i]);
    return t;
}

void tree_free(tree *t) {
    if (t == NULL) return;
    for (int i = 0; i < t->count; i++) tree_free(t->children[i]);
    free(t->owned);
    free(t);
}

/* ---- As values -------------------------------------------------------- */

static void must(strata_status status) { CHECK_EQ(status, STRATA_OK); }

/* Entries of maps are put in backwards, some of them twice: neither makes a difference. */
static void build(const tree *t, const strata_bytes *key, strata_nested *to) {
    if (t->kind == STRATA_SINGLE) {
        must(key == NULL ? strata_nested_append(to, &t->leaf, NULL) : strata_nested_put(to, *key, &t->leaf, NULL));
        return;
    }
    bool map = t->kind == STRATA_MAP;
    must(map ? strata_nested_begin_map(to, key, NULL) : strata_nested_begin_list(to, key, NULL));
    for (int i = 0; i < t->count; i++) {
        int at = map ? t->count - 1 - i : i;
        strata_bytes name = { t->keys[at], strlen(t->keys[at]) };
        strata_value other = strata_int(7);
        if (map && at % 2 == 0) must(strata_nested_put(to, name, &other, NULL));
        build(t->children[at], map ? &name : NULL, to);
    }
    must(strata_nested_end(to, NULL));
}

strata_value tree_value(const tree *t, strata_nested *builder) {
    strata_value value = t->leaf;
    if (t->kind == STRATA_SINGLE) return value;
    strata_nested_reset(builder);
    build(t, NULL, builder);
    must(strata_nested_finish(builder, &value, NULL));
    return value;
}

/* ---- Links ------------------------------------------------------------ */

static bool links_to(const tree *t, uint32_t table, uint64_t key) {
    return t->kind == STRATA_SINGLE && t->leaf.type == STRATA_LINK && t->leaf.table == table && t->leaf.as.link == key;
}

uint64_t tree_count_links(const tree *t, uint32_t table, uint64_t key) {
    uint64_t count = links_to(t, table, key);
    for (int i = 0; i < t->count; i++) count += tree_count_links(t->children[i], table, key);
    return count;
}

tree *tree_unlink(tree *t, uint32_t table, uint64_t key) {
    if (links_to(t, table, key)) t->leaf = strata_null();
    for (int i = 0; i < t->count;) {
        if (t->kind == STRATA_LIST && links_to(t->children[i], table, key)) {
            tree_free(t->children[i]);
            t->count--;
            memmove(t->children + i, t->children + i + 1, (size_t)(t->count - i) * sizeof t->children[0]);
        } else {
            t->children[i] = tree_unlink(t->children[i], table, key);
            i++;
        }
    }
    return t;
}
