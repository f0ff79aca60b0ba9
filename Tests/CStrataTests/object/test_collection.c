/* SPDX-License-Identifier: MIT
 *
 * test_collection.c -- lists, sets and maps of every type, compared with plain C arrays.
 *
 * The model keeps numbers that values are made from. Target is what links point to; each Owner has one collection of
 * every kind for every type, with nulls and without.
 */
#include <math.h>
#include <stdio.h>

#include "strata_decimal.h"
#include "strata_mixed.h"
#include "store/handle.h"
#include "store/lmdb_status.h"
#include "support/strata_support.h"

enum { OWNERS = 3, TARGETS = 12, MOST = 1400, MOST_COLUMNS = 80, TARGET = 0, OWNER = 1, LONGEST = 6000 };

typedef struct entry {
    uint32_t seed; /* of the value; NONE: null */
    uint32_t key;  /* of a map: seed of the key */
} entry;
#define NONE UINT32_MAX

typedef struct collection {
    uint32_t count;
    entry items[MOST];
} collection;

typedef struct model {
    uint64_t owners[OWNERS], targets[TARGETS]; /* object keys */
    collection collections[OWNERS][MOST_COLUMNS];
} model;

typedef struct world {
    fixture *f;
    const char *file;
    uint64_t random;
    model now, committed;
} world;

static strata_column_spec columns[MOST_COLUMNS];
static char names[MOST_COLUMNS][40];
static uint32_t column_count;

static uint64_t below(world *w, uint64_t limit) { return ctest_random(&w->random) % limit; }

/* ---- Columns ---------------------------------------------------------- */

static bool is_sequence(strata_collection kind) { return kind != STRATA_MAP; }

static void add_column(strata_type type, strata_collection kind, bool nullable) {
    strata_column_spec *c = &columns[column_count];
    snprintf(names[column_count], sizeof names[0], "%d_%d_%d", (int)type, (int)kind, nullable);
    *c = (strata_column_spec){ names[column_count], type, kind, nullable ? STRATA_COLUMN_NULLABLE : 0u,
                               type == STRATA_LINK ? "Target" : NULL };
    column_count++;
}

static void make_columns(void) {
    column_count = 0;
    for (int kind = STRATA_LIST; kind <= STRATA_MAP; kind++) {
        for (int type = STRATA_BOOL; type <= STRATA_DECIMAL; type++) {
            add_column((strata_type)type, (strata_collection)kind, false);
            add_column((strata_type)type, (strata_collection)kind, true);
        }
        add_column(STRATA_LINK, (strata_collection)kind, false);
        add_column(STRATA_MIXED, (strata_collection)kind, true);
    }
}

static bool may_be_null(const strata_column_spec *c) {
    return (c->flags & STRATA_COLUMN_NULLABLE) != 0 || (c->type == STRATA_LINK && !is_sequence(c->collection));
}

/* ---- Values ----------------------------------------------------------- */

static uint64_t mix(uint64_t seed) {
    uint64_t state = seed;
    return ctest_random(&state);
}

/* Letters that a seed names; some are long, some are stored elsewhere. */
static strata_value text_of(uint32_t seed, char *bytes) {
    size_t size = mix(seed) % 13;
    if (seed % 61 == 0) size = 1000 + mix(seed) % (LONGEST - 1000);
    else if (seed % 17 == 0) size = 100 + mix(seed) % 900;
    for (size_t i = 0; i < size; i++) bytes[i] = (char)('a' + (mix(seed) >> (i % 9) & 3));
    if (size >= 4) memcpy(bytes + size - 4, &(uint32_t){ 0x61616161 + (seed & 15) * 0x01010101 }, 4);
    return strata_string(bytes, size);
}

static double real_of(uint32_t seed) {
    if (seed % 41 == 0) return (double)NAN;
    if (seed % 43 == 0) return seed % 2 == 0 ? -0.0 : (double)INFINITY;
    return (double)(mix(seed) % 2000) / 8 - 100;
}

static int64_t int_of(uint32_t seed) {
    if (seed % 19 == 0) return (int64_t)mix(seed);
    return seed % 5 == 0 ? (int64_t)(mix(seed) % 100000) : (int64_t)(mix(seed) % 200) - 100;
}

static strata_value decimal_of(uint32_t seed) {
    strata_value v = strata_null();
    v.type = STRATA_DECIMAL;
    strata_decimal d = strata_decimal_from_int64(int_of(seed));
    memcpy(v.as.fixed, &d, 16);
    return v;
}

static strata_value make(const world *w, strata_type type, uint32_t seed, char *bytes);

static strata_value mixed_of(const world *w, uint32_t seed, char *bytes) {
    static const strata_type types[] = { STRATA_BOOL, STRATA_INT,  STRATA_FLOAT,     STRATA_DOUBLE,  STRATA_STRING,
                                         STRATA_DATA, STRATA_DATE, STRATA_OBJECT_ID, STRATA_DECIMAL, STRATA_UUID,
                                         STRATA_LINK };
    strata_value v = make(w, types[mix(seed + 1) % 11], seed, bytes);
    if (v.type == STRATA_LINK) v.table = TARGET;
    return v;
}

static strata_value make(const world *w, strata_type type, uint32_t seed, char *bytes) {
    strata_value v = strata_null();
    v.type = type;
    if (seed == NONE) return strata_null();
    switch (type) {
    case STRATA_BOOL: return strata_bool(seed % 2 != 0);
    case STRATA_INT: return strata_int(int_of(seed));
    case STRATA_FLOAT: return strata_float((float)real_of(seed));
    case STRATA_DATE:
    case STRATA_DOUBLE: v.as.real = real_of(seed); return v;
    case STRATA_STRING: return text_of(seed, bytes);
    case STRATA_DATA: v = text_of(seed, bytes); v.type = STRATA_DATA; return v;
    case STRATA_DECIMAL: return decimal_of(seed);
    case STRATA_LINK: return strata_link(w->now.targets[seed % TARGETS]);
    case STRATA_MIXED: return mixed_of(w, seed, bytes);
    default: break;
    }
    uint64_t parts[2] = { mix(seed % 300), mix(seed % 7) };
    memcpy(v.as.fixed, parts, type == STRATA_UUID ? 16 : 12);
    return v;
}

static int order_of_reals(double a, double b) {
    if (isnan(a) || isnan(b)) return (isnan(b) != 0) - (isnan(a) != 0);
    return a < b ? -1 : a > b;
}

static int order(strata_type type, const strata_value *a, const strata_value *b) {
    if (a->type == STRATA_NULL || b->type == STRATA_NULL) return (b->type == STRATA_NULL) - (a->type == STRATA_NULL);
    size_t least;
    int found;
    switch (type) {
    case STRATA_BOOL: return (int)a->as.boolean - (int)b->as.boolean;
    case STRATA_INT: return a->as.integer < b->as.integer ? -1 : a->as.integer > b->as.integer;
    case STRATA_FLOAT: return order_of_reals((double)a->as.single, (double)b->as.single);
    case STRATA_DOUBLE:
    case STRATA_DATE: return order_of_reals(a->as.real, b->as.real);
    case STRATA_UUID: return memcmp(a->as.fixed, b->as.fixed, 16);
    case STRATA_OBJECT_ID: return memcmp(a->as.fixed, b->as.fixed, 12);
    case STRATA_LINK: return a->as.link < b->as.link ? -1 : a->as.link > b->as.link;
    case STRATA_DECIMAL: {
        strata_decimal left, right;
        memcpy(&left, a->as.fixed, 16);
        memcpy(&right, b->as.fixed, 16);
        return strata_decimal_compare(left, right);
    }
    case STRATA_MIXED: return strata_mixed_compare(a, b);
    default: break;
    }
    least = a->as.bytes.size < b->as.bytes.size ? a->as.bytes.size : b->as.bytes.size;
    found = memcmp(a->as.bytes.data, b->as.bytes.data, least);
    return found != 0 ? found : a->as.bytes.size < b->as.bytes.size ? -1 : a->as.bytes.size > b->as.bytes.size;
}

static bool has_bytes(const strata_value *v) { return v->type == STRATA_STRING || v->type == STRATA_DATA; }

/* The same value, to the last bit. */
static bool same(const strata_value *a, const strata_value *b) {
    if (a->type != b->type || a->table != b->table) return false;
    switch (a->type) {
    case STRATA_NULL: return true;
    case STRATA_BOOL: return a->as.boolean == b->as.boolean;
    case STRATA_FLOAT: return memcmp(&a->as.single, &b->as.single, 4) == 0;
    case STRATA_UUID:
    case STRATA_DECIMAL: return memcmp(a->as.fixed, b->as.fixed, 16) == 0;
    case STRATA_OBJECT_ID: return memcmp(a->as.fixed, b->as.fixed, 12) == 0;
    case STRATA_STRING:
    case STRATA_DATA:
        if (a->as.bytes.size != b->as.bytes.size) return false;
        return a->as.bytes.size == 0 || memcmp(a->as.bytes.data, b->as.bytes.data, a->as.bytes.size) == 0;
    default: return a->as.integer == b->as.integer;
    }
}

/* Keys of maps: the empty one, one of the longest, and those between. */
static strata_bytes key_of(uint32_t seed, char *bytes) {
    size_t size = (size_t)snprintf(bytes, 20, "%u", seed % 1000);
    if (seed % 1000 == 7) size = 0;
    if (seed % 1000 == 8) size = STRATA_MAX_MAP_KEY;
    else if (seed % 13 == 0) size = 150;
    if (size > 20) memset(bytes + strlen(bytes), 'k', size - strlen(bytes));
    return (strata_bytes){ bytes, size };
}

/* ---- Comparing -------------------------------------------------------- */

static void compare_element(world *w, strata_row *row, uint32_t column, uint64_t at, const strata_value *found,
                            uint32_t seed) {
    static char expected_bytes[LONGEST], bytes[LONGEST];
    strata_value expected = make(w, columns[column].type, seed, expected_bytes), whole = *found;
    fixture *f = w->f;
    if (has_bytes(found)) {
        size_t size;
        if (found->as.bytes.size > 1024) CHECK(strata_value_is_outside(found));
        if (found->as.bytes.size < 1000) CHECK(!strata_value_is_outside(found));
        CHECK_EQ(found->as.bytes.data == NULL && found->as.bytes.size > 0, strata_value_is_outside(found));
        CHECK_EQ(found->as.bytes.size, expected.as.bytes.size);
        MUST(strata_collection_read(row, column, at, 0, bytes, sizeof bytes, &size, &f->error));
        CHECK_EQ(size, expected.as.bytes.size);
        whole.as.bytes.data = bytes;
        whole.table = 0;
        if (size > 10) {
            char middle[5];
            MUST(strata_collection_read(row, column, at, size - 5, middle, 5, &size, &f->error));
            CHECK(size == 5 && memcmp(middle, bytes + found->as.bytes.size - 5, 5) == 0);
        }
    }
    CHECK(same(&whole, &expected));
}

static void compare(world *w, uint32_t owner, uint32_t column) {
    static strata_value values[MOST];
    static strata_bytes keys[MOST];
    const collection *c = &w->now.collections[owner][column];
    fixture *f = w->f;
    uint64_t size;
    strata_row row = row_of(f, OWNER, w->now.owners[owner]);
    MUST(strata_collection_size(&row, column, &size, &f->error));
    CHECK_EQ(size, c->count);
    MUST(strata_collection_get(&row, column, 0, size, values, &f->error));
    for (uint32_t i = 0; i < size; i++) compare_element(w, &row, column, i, &values[i], c->items[i].seed);
    if (size > 0) { /* one at a random place */
        uint64_t at = below(w, size);
        MUST(strata_collection_get(&row, column, at, 1, values, &f->error));
        compare_element(w, &row, column, at, values, c->items[at].seed);
    }
    if (columns[column].collection != STRATA_MAP) return;
    MUST(strata_map_keys(&row, column, 0, size, keys, &f->error));
    for (uint32_t i = 0; i < size; i++) {
        char bytes[STRATA_MAX_MAP_KEY + 20];
        strata_bytes key = key_of(c->items[i].key, bytes);
        CHECK_EQ(keys[i].size, key.size);
        CHECK(memcmp(keys[i].data, key.data, key.size) == 0);
    }
}

static void compare_all(world *w) {
    for (uint32_t o = 0; o < OWNERS; o++)
        for (uint32_t c = 0; c < column_count; c++) compare(w, o, c);
}

/* ---- Operations ------------------------------------------------------- */

static uint32_t random_seed(world *w, const strata_column_spec *c) {
    if (may_be_null(c) && below(w, 6) == 0) return NONE;
    return (uint32_t)below(w, below(w, 2) == 0 ? 50 : 100000);
}

static void open_items(collection *c, uint64_t at, uint64_t count) {
    memmove(c->items + at + count, c->items + at, (c->count - at) * sizeof *c->items);
    c->count += (uint32_t)count;
}

static void close_items(collection *c, uint64_t at, uint64_t count) {
    memmove(c->items + at, c->items + at + count, (c->count - at - count) * sizeof *c->items);
    c->count -= (uint32_t)count;
}

static void insert_into_list(world *w, collection *c, strata_row *row, uint32_t column) {
    enum { MANY = 400 };
    static strata_value values[MANY];
    static char bytes[MANY][LONGEST];
    fixture *f = w->f;
    uint64_t count = 1 + below(w, below(w, 8) == 0 ? MANY : 3), at = below(w, c->count + 1);
    if (below(w, 3) == 0) at = c->count;
    if (c->count + count > MOST) return;
    open_items(c, at, count);
    for (uint64_t i = 0; i < count; i++) {
        c->items[at + i] = (entry){ random_seed(w, &columns[column]), 0 };
        values[i] = make(w, columns[column].type, c->items[at + i].seed, bytes[i]);
    }
    MUST(strata_list_insert(row, column, at, values, count, &f->error));
}

/* Where a value is in a set of the model, or would be. */
static bool search_set(world *w, const collection *c, uint32_t column, const strata_value *value, uint32_t *at) {
    static char bytes[LONGEST];
    for (*at = 0; *at < c->count; ++*at) {
        strata_value other = make(w, columns[column].type, c->items[*at].seed, bytes);
        int found = order(columns[column].type, value, &other);
        if (found <= 0) return found == 0;
    }
    return false;
}

static void insert_into_set(world *w, collection *c, strata_row *row, uint32_t column) {
    static char bytes[LONGEST];
    fixture *f = w->f;
    uint32_t seed = random_seed(w, &columns[column]), at;
    uint64_t position;
    bool inserted;
    strata_value value = make(w, columns[column].type, seed, bytes);
    bool there = search_set(w, c, column, &value, &at);
    if (c->count == MOST) return;
    MUST(strata_set_insert(row, column, &value, &inserted, &position, &f->error));
    CHECK_EQ(inserted, !there);
    CHECK_EQ(position, at);
    if (there) return;
    open_items(c, at, 1);
    c->items[at] = (entry){ seed, 0 };
    MUST(strata_collection_find(row, column, &value, 0, &position, &f->error));
    CHECK_EQ(position, at);
}

static bool search_map(const collection *c, strata_bytes key, uint32_t *at) {
    char bytes[STRATA_MAX_MAP_KEY + 20];
    strata_value wanted = strata_string(key.data, key.size);
    for (*at = 0; *at < c->count; ++*at) {
        strata_bytes other = key_of(c->items[*at].key, bytes);
        strata_value value = strata_string(other.data, other.size);
        int found = order(STRATA_STRING, &wanted, &value);
        if (found <= 0) return found == 0;
    }
    return false;
}

static void put_into_map(world *w, collection *c, strata_row *row, uint32_t column) {
    static char bytes[LONGEST];
    char key_bytes[STRATA_MAX_MAP_KEY + 20];
    fixture *f = w->f;
    uint32_t seed = random_seed(w, &columns[column]), key_seed = (uint32_t)below(w, 100000), at;
    uint64_t position;
    strata_bytes key = key_of(key_seed, key_bytes);
    strata_value value = make(w, columns[column].type, seed, bytes);
    bool there = search_map(c, key, &at);
    CHECK_EQ(strata_map_find(row, column, key, &position, &f->error), there ? STRATA_OK : STRATA_NOT_FOUND);
    CHECK_EQ(position, at);
    if (!there && c->count == MOST) return;
    MUST(strata_map_set(row, column, key, &value, &f->error));
    if (!there) open_items(c, at, 1);
    c->items[at] = (entry){ seed, key_seed };
}

enum { BULK = 60 };

/* Many at a time, some of them twice. */
static void insert_many_into_set(world *w, collection *c, strata_row *row, uint32_t column) {
    static strata_value values[BULK];
    static char bytes[BULK][LONGEST];
    fixture *f = w->f;
    uint64_t inserted, expected = 0, count = below(w, BULK + 1);
    uint32_t at;
    if (c->count + count > MOST) return;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t seed = random_seed(w, &columns[column]);
        values[i] = make(w, columns[column].type, seed, bytes[i]);
        if (search_set(w, c, column, &values[i], &at)) continue;
        open_items(c, at, 1);
        c->items[at] = (entry){ seed, 0 };
        expected++;
    }
    MUST(strata_set_insert_all(row, column, values, count, &inserted, &f->error));
    CHECK_EQ(inserted, expected);
}

static void put_many_into_map(world *w, collection *c, strata_row *row, uint32_t column) {
    static strata_value values[BULK];
    static strata_bytes keys[BULK];
    static char bytes[BULK][LONGEST], key_bytes[BULK][STRATA_MAX_MAP_KEY + 20];
    fixture *f = w->f;
    uint64_t count = below(w, BULK + 1);
    uint32_t at;
    if (c->count + count > MOST) return;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t seed = random_seed(w, &columns[column]), key_seed = (uint32_t)below(w, 100000);
        values[i] = make(w, columns[column].type, seed, bytes[i]);
        keys[i] = key_of(key_seed, key_bytes[i]);
        if (!search_map(c, keys[i], &at)) open_items(c, at, 1);
        c->items[at] = (entry){ seed, key_seed };
    }
    MUST(strata_map_set_all(row, column, keys, values, count, &f->error));
}

static void remove_some(world *w, collection *c, strata_row *row, uint32_t column) {
    fixture *f = w->f;
    if (c->count == 0) return;
    uint64_t at = below(w, c->count), count = 1 + below(w, below(w, 6) == 0 ? c->count - at : 1);
    if (below(w, 40) == 0) at = 0, count = c->count;
    MUST(strata_collection_remove(row, column, at, count, &f->error));
    close_items(c, at, count);
}

static void replace_one(world *w, collection *c, strata_row *row, uint32_t column) {
    static char bytes[LONGEST];
    fixture *f = w->f;
    if (c->count == 0 || columns[column].collection != STRATA_LIST) return;
    uint64_t at = below(w, c->count);
    c->items[at].seed = random_seed(w, &columns[column]);
    strata_value value = make(w, columns[column].type, c->items[at].seed, bytes);
    MUST(strata_list_set(row, column, at, &value, &f->error));
}

static void find_one(world *w, const collection *c, strata_row *row, uint32_t column) {
    static char bytes[LONGEST], other_bytes[LONGEST];
    fixture *f = w->f;
    uint64_t from = below(w, c->count + 1), position, expected;
    uint32_t seed = random_seed(w, &columns[column]);
    if (c->count > 0 && below(w, 2) == 0) seed = c->items[below(w, c->count)].seed;
    strata_value value = make(w, columns[column].type, seed, bytes);
    for (expected = from; expected < c->count; expected++) {
        strata_value other = make(w, columns[column].type, c->items[expected].seed, other_bytes);
        if (order(columns[column].type, &value, &other) == 0) break;
    }
    strata_status status = strata_collection_find(row, column, &value, from, &position, &f->error);
    CHECK_EQ(status, expected < c->count ? STRATA_OK : STRATA_NOT_FOUND);
    if (status == STRATA_OK) CHECK_EQ(position, expected);
}

static void change_collection(world *w, uint32_t owner, uint32_t column, bool grow) {
    collection *c = &w->now.collections[owner][column];
    strata_row row = row_of(w->f, OWNER, w->now.owners[owner]);
    for (uint64_t i = below(w, below(w, 3) == 0 ? 150 : 12); i > 0; i--) {
        uint64_t kind = below(w, 10);
        if (kind < (grow ? 6u : 2u)) {
            bool many = below(w, 12) == 0;
            if (columns[column].collection == STRATA_LIST) insert_into_list(w, c, &row, column);
            else if (columns[column].collection == STRATA_SET && many) insert_many_into_set(w, c, &row, column);
            else if (columns[column].collection == STRATA_SET) insert_into_set(w, c, &row, column);
            else if (many) put_many_into_map(w, c, &row, column);
            else put_into_map(w, c, &row, column);
        } else if (kind < 8) {
            if (!grow || below(w, 3) == 0) remove_some(w, c, &row, column);
            else replace_one(w, c, &row, column);
        } else {
            find_one(w, c, &row, column);
        }
    }
    if (below(w, 4) == 0) compare(w, owner, column);
}

/* ---- Objects ---------------------------------------------------------- */

static uint32_t slot_of(const strata_column_spec *c, uint32_t seed) {
    if (seed == NONE) return NONE;
    if (c->type == STRATA_LINK) return seed % TARGETS;
    if (c->type == STRATA_MIXED && mix(seed + 1) % 11 == 10) return seed % TARGETS;
    return NONE;
}

static uint64_t count_links(const world *w, uint32_t column, uint32_t slot) {
    uint64_t count = 0;
    for (uint32_t o = 0; o < OWNERS; o++)
        for (uint32_t i = 0; i < w->now.collections[o][column].count; i++)
            count += slot_of(&columns[column], w->now.collections[o][column].items[i].seed) == slot;
    return count;
}

static void check_backlinks(world *w, uint32_t slot) {
    for (uint32_t c = 0; c < column_count; c++) {
        if (columns[c].type != STRATA_LINK && columns[c].type != STRATA_MIXED) continue;
        CHECK_EQ(backlinks(w->f, TARGET, w->now.targets[slot], OWNER, c), count_links(w, c, slot));
    }
}

/* Removes what links to a target, deletes it and makes another one. */
static void renew_target(world *w, uint32_t slot) {
    fixture *f = w->f;
    uint64_t links = 0;
    for (uint32_t c = 0; c < column_count; c++) links += count_links(w, c, slot);
    if (links != 0) {
        REFUSED(strata_object_delete(f->view, TARGET, w->now.targets[slot], &f->error), STRATA_REFERENCED, "Target");
        MUST(strata_object_unlink(f->view, TARGET, w->now.targets[slot], &f->error));
    }
    MUST(strata_object_delete(f->view, TARGET, w->now.targets[slot], &f->error));
    for (uint32_t o = 0; o < OWNERS; o++) {
        for (uint32_t c = 0; c < column_count; c++) {
            collection *found = &w->now.collections[o][c];
            for (uint32_t i = 0; i < found->count;) {
                if (slot_of(&columns[c], found->items[i].seed) != slot) i++;
                else if (columns[c].collection == STRATA_MAP) found->items[i++].seed = NONE;
                else close_items(found, i, 1);
            }
        }
    }
    w->now.targets[slot] = ADD(TARGET, strata_int((int64_t)slot));
    /* Nothing links to the new one yet, so the order of sets stays as it is. */
    for (uint32_t o = 0; o < OWNERS; o++)
        for (uint32_t c = 0; c < column_count; c++) compare(w, o, c);
}

static void renew_owner(world *w, uint32_t owner) {
    fixture *f = w->f;
    MUST(strata_object_delete(f->view, OWNER, w->now.owners[owner], &f->error));
    w->now.owners[owner] = ADD(OWNER, strata_null());
    for (uint32_t c = 0; c < column_count; c++) w->now.collections[owner][c].count = 0;
}

static void clear_owners(world *w) {
    static const uint32_t owner = OWNER;
    fixture *f = w->f;
    MUST(strata_tables_clear(f->view, &owner, 1, &f->error));
    for (uint32_t o = 0; o < OWNERS; o++) {
        w->now.owners[o] = ADD(OWNER, strata_null());
        for (uint32_t c = 0; c < column_count; c++) w->now.collections[o][c].count = 0;
    }
}

/* ---- Transactions ----------------------------------------------------- */

static void one_transaction(world *w) {
    fixture *f = w->f;
    bool grow = below(w, 5) < 3;
    MUST(strata_view_begin(f->view, &f->error));
    for (uint64_t i = 1 + below(w, 12); i > 0; i--)
        change_collection(w, (uint32_t)below(w, OWNERS), (uint32_t)below(w, column_count), grow);
    if (below(w, 4) == 0) renew_target(w, (uint32_t)below(w, TARGETS));
    if (below(w, 25) == 0) renew_owner(w, (uint32_t)below(w, OWNERS));
    if (below(w, 60) == 0) clear_owners(w);
    if (below(w, 4) == 0) check_backlinks(w, (uint32_t)below(w, TARGETS));
    if (below(w, 5) == 0) {
        strata_view_cancel(f->view);
        w->now = w->committed;
    } else {
        MUST(strata_view_commit(f->view, &f->error));
        w->committed = w->now;
    }
    verify(f);
    if (below(w, 6) == 0) compare_all(w);
    else compare(w, (uint32_t)below(w, OWNERS), (uint32_t)below(w, column_count));
}

static void open_world(world *w) {
    strata_column_spec number = column("number", STRATA_INT, 0);
    strata_table_spec tables[] = { { "Target", 0, 1, &number }, { "Owner", 0, column_count, columns } };
    w->f = fixture_open(w->file);
    fixture *f = w->f;
    MUST(apply(f, 0, tables, 2));
}

void test_collection_random_operations(void) {
    static world w;
    make_columns();
    memset(&w, 0, sizeof w);
    w.random = ctest_seed();
    w.file = "collections";
    open_world(&w);
    fixture *f = w.f;
    MUST(strata_view_begin(f->view, &f->error));
    for (uint32_t i = 0; i < TARGETS; i++) w.now.targets[i] = ADD(TARGET, strata_int((int64_t)i));
    for (uint32_t i = 0; i < OWNERS; i++) w.now.owners[i] = ADD(OWNER, strata_null());
    MUST(strata_view_commit(f->view, &f->error));
    w.committed = w.now;
    for (unsigned i = 0, rounds = ctest_rounds(220); i < rounds; i++) {
        one_transaction(&w);
        if (below(&w, 25) != 0) continue;
        fixture_close(w.f);
        open_world(&w);
        compare_all(&w);
    }
    f = w.f;
    MUST(strata_view_begin(f->view, &f->error));
    for (uint32_t i = 0; i < OWNERS; i++) MUST(strata_object_delete(f->view, OWNER, w.now.owners[i], &f->error));
    MUST(strata_view_commit(f->view, &f->error));
    CHECK_EQ(tree_entries(f, ST_BLOBS), 0);
    CHECK_EQ(tree_entries(f, ST_COLLECTIONS), 0);
    CHECK_EQ(tree_entries(f, ST_LINKS), 0);
    verify(f);
    fixture_close(f);
}

/* ---- Single cases ----------------------------------------------------- */

enum { INTS, NAMES, MAYBE, TAGS, SCORES, FRIENDS };

static fixture *open_single(uint64_t *out_key) {
    static const strata_column_spec all[] = {
        { "ints", STRATA_INT, STRATA_LIST, 0, NULL },
        { "names", STRATA_STRING, STRATA_LIST, 0, NULL },
        { "maybe", STRATA_INT, STRATA_LIST, STRATA_COLUMN_NULLABLE, NULL },
        { "tags", STRATA_STRING, STRATA_SET, 0, NULL },
        { "scores", STRATA_DOUBLE, STRATA_MAP, 0, NULL },
        { "friends", STRATA_LINK, STRATA_SET, 0, "Thing" },
    };
    strata_table_spec thing = { "Thing", 0, 6, all };
    fixture *f = fixture_open("single");
    MUST(apply(f, 0, &thing, 1));
    MUST(strata_view_begin(f->view, &f->error));
    *out_key = ADD(0, strata_null());
    return f;
}

void test_collection_refuses_misuse(void) {
    uint64_t key, position;
    bool inserted;
    strata_value value = strata_int(1), text = value_of("a"), none = strata_null(), odd = strata_string("\xff", 1);
    strata_value nobody = strata_link(77), out;
    fixture *f = open_single(&key);
    strata_row row = row_of(f, 0, key);
    REFUSED(strata_list_insert(&row, INTS, 1, &value, 1, &f->error), STRATA_RANGE, "Thing.ints", "0 elements");
    REFUSED(strata_list_insert(&row, INTS, 0, &text, 1, &f->error), STRATA_TYPE, "Thing.ints", "string");
    REFUSED(strata_list_insert(&row, INTS, 0, &none, 1, &f->error), STRATA_TYPE, "Thing.ints", "null");
    REFUSED(strata_list_insert(&row, NAMES, 0, &odd, 1, &f->error), STRATA_TYPE, "Thing.names", "UTF-8");
    REFUSED(strata_list_insert(&row, TAGS, 0, &text, 1, &f->error), STRATA_MISUSE, "Thing.tags", "set");
    REFUSED(strata_set_insert(&row, NAMES, &text, &inserted, &position, &f->error), STRATA_MISUSE, "Thing.names",
            "list");
    REFUSED(strata_set_insert(&row, FRIENDS, &nobody, &inserted, &position, &f->error), STRATA_MISUSE,
            "Thing.friends", "77");
    REFUSED(strata_set_insert(&row, FRIENDS, &none, &inserted, &position, &f->error), STRATA_TYPE, "Thing.friends");
    REFUSED(strata_list_set(&row, INTS, 0, &value, &f->error), STRATA_RANGE, "Thing.ints");
    REFUSED(strata_collection_get(&row, INTS, 0, 1, &out, &f->error), STRATA_RANGE, "Thing.ints");
    REFUSED(strata_collection_remove(&row, INTS, 0, 1, &f->error), STRATA_RANGE, "Thing.ints");
    REFUSED(strata_collection_get(&row, 77, 0, 1, &out, &f->error), STRATA_MISUSE, "77");
    strata_bytes name = { "k", 1 };
    value = strata_double(2);
    MUST(strata_map_set(&row, SCORES, name, &value, &f->error));
    char *big = calloc(1, STRATA_MAX_MAP_KEY + 1);
    memset(big, 'x', STRATA_MAX_MAP_KEY + 1);
    REFUSED(strata_map_set(&row, SCORES, (strata_bytes){ big, STRATA_MAX_MAP_KEY + 1 }, &value, &f->error),
            STRATA_TOO_LARGE, "Thing.scores", "1025", "1024");
    free(big);
    REFUSED(strata_map_set(&row, SCORES, (strata_bytes){ "\xff", 1 }, &value, &f->error), STRATA_TYPE, "UTF-8");
    REFUSED(strata_map_set(&row, SCORES, name, &none, &f->error), STRATA_TYPE, "Thing.scores");
    REFUSED(strata_map_find(&row, TAGS, name, &position, &f->error), STRATA_MISUSE, "Thing.tags", "set");
    MUST(strata_view_commit(f->view, &f->error)); /* nothing of it spoiled the write */
    strata_value texts[] = { text, text };
    strata_node node = { .op = STRATA_BETWEEN, .left = path_of(TAGS), .value_count = 2, .values = texts };
    strata_query query = { .size = sizeof query, .nodes = &node, .node_count = 1 };
    REFUSED(strata_query_check(f->view, &query, &f->error), STRATA_TYPE, "tags of Thing", "(in a set)", "BETWEEN");
    REFUSED(strata_collection_remove(&row, SCORES, 0, 1, &f->error), STRATA_NOT_WRITING, "write");
    MUST(strata_collection_get(&row, SCORES, 0, 1, &out, &f->error));
    CHECK(out.type == STRATA_DOUBLE && out.as.real == 2);
    verify(f);
    fixture_close(f);
}

/* Elements lent by the view are values like others, also while large ones are stored before them. */
void test_collection_values_may_be_lent(void) {
    uint64_t key;
    uint8_t *large = pattern(3000, 1);
    fixture *f = open_single(&key);
    strata_row row = row_of(f, 0, key);
    for (uint64_t i = 0; i < 300; i++) {
        char text[20];
        snprintf(text, sizeof text, "element %llu", (unsigned long long)i);
        strata_value value = value_of(text);
        MUST(strata_list_insert(&row, NAMES, i, &value, 1, &f->error));
    }
    for (int stored = 0; stored < 2; stored++) {
        strata_value values[21];
        MUST(strata_view_commit(f->view, &f->error));
        MUST(strata_view_begin(f->view, &f->error));
        MUST(strata_collection_get(&row, NAMES, 290, 10, values + 11, &f->error));
        for (int i = 0; i < 10; i++) values[i] = strata_string((const char *)large, 3000);
        values[10] = values[11];
        MUST(strata_list_insert(&row, NAMES, 0, values, 21, &f->error));
        MUST(strata_view_commit(f->view, &f->error));
        MUST(strata_collection_get(&row, NAMES, 0, 21, values, &f->error));
        CHECK(strata_value_is_outside(&values[9]) && values[9].as.bytes.size == 3000);
        CHECK(values[20].as.bytes.size == 11 && memcmp(values[20].as.bytes.data, "element 2", 9) == 0);
        MUST(strata_view_begin(f->view, &f->error));
        MUST(strata_collection_remove(&row, NAMES, 0, 21, &f->error));
    }
    MUST(strata_view_commit(f->view, &f->error));
    CHECK_EQ(tree_entries(f, ST_BLOBS), 0);
    verify(f);
    free(large);
    fixture_close(f);
}

/* What does not fit keeps all the others out, and spoils nothing. */
void test_collection_takes_many_or_none(void) {
    enum { COUNT = 3000 };
    static strata_value values[COUNT + 1];
    static strata_bytes keys[COUNT + 1];
    static char texts[COUNT + 1][12];
    uint64_t key, size, inserted;
    fixture *f = open_single(&key);
    strata_row row = row_of(f, 0, key);
    for (int i = 0; i <= COUNT; i++) {
        int length = snprintf(texts[i], sizeof texts[i], "%d", i * 7919 % COUNT);
        values[i] = strata_string(texts[i], (size_t)length);
        keys[i] = (strata_bytes){ texts[i], (size_t)length };
    }
    values[COUNT] = strata_string("\xff", 1);
    REFUSED(strata_set_insert_all(&row, TAGS, values, COUNT + 1, &inserted, &f->error), STRATA_TYPE, "UTF-8");
    CHECK_EQ(inserted, 0);
    REFUSED(strata_set_insert_all(&row, INTS, values, 1, &inserted, &f->error), STRATA_MISUSE, "Thing.ints", "list");
    MUST(strata_collection_size(&row, TAGS, &size, &f->error));
    CHECK_EQ(size, 0);
    uint64_t calls = st_store_calls();
    MUST(strata_set_insert_all(&row, TAGS, values, COUNT, &inserted, &f->error));
    CHECK_EQ(inserted, COUNT);
    MUST(strata_set_insert_all(&row, TAGS, values, COUNT, &inserted, &f->error));
    CHECK_EQ(inserted, 0);
    MUST(strata_set_insert_all(&row, TAGS, NULL, 0, &inserted, &f->error));
    CHECK_EQ(st_store_calls(), calls); /* nothing of it needs the trees */

    for (int i = 0; i <= COUNT; i++) values[i] = strata_double(i);
    keys[COUNT] = (strata_bytes){ "\xff", 1 };
    REFUSED(strata_map_set_all(&row, SCORES, keys, values, COUNT + 1, &f->error), STRATA_TYPE, "UTF-8");
    keys[COUNT] = keys[0];
    MUST(strata_map_set_all(&row, SCORES, keys, values, COUNT + 1, &f->error));
    MUST(strata_collection_size(&row, SCORES, &size, &f->error));
    CHECK_EQ(size, COUNT);
    uint64_t position;
    MUST(strata_map_find(&row, SCORES, keys[0], &position, &f->error));
    MUST(strata_collection_get(&row, SCORES, position, 1, values, &f->error));
    CHECK(values[0].as.real == (double)COUNT); /* the last one counts */
    MUST(strata_view_commit(f->view, &f->error));
    verify(f);
    REFUSED(strata_map_set_all(&row, SCORES, keys, values, 1, &f->error), STRATA_NOT_WRITING, "write");
    fixture_close(f);
}

void test_collection_of_nothing_but_nulls(void) {
    enum { COUNT = 10000 };
    uint64_t key, size, position;
    fixture *f = open_single(&key);
    strata_row row = row_of(f, 0, key);
    strata_value none = strata_null(), zero = strata_int(0), out;
    for (uint64_t i = 0; i < COUNT; i++) {
        MUST(strata_list_insert(&row, MAYBE, i, &none, 1, &f->error));
        MUST(strata_list_insert(&row, INTS, i, &zero, 1, &f->error));
    }
    MUST(strata_view_commit(f->view, &f->error));
    verify(f);
    MUST(strata_collection_size(&row, MAYBE, &size, &f->error));
    CHECK_EQ(size, COUNT);
    MUST(strata_collection_get(&row, MAYBE, COUNT - 1, 1, &out, &f->error));
    CHECK_EQ(out.type, STRATA_NULL);
    MUST(strata_collection_get(&row, INTS, COUNT - 1, 1, &out, &f->error));
    CHECK(out.type == STRATA_INT && out.as.integer == 0);
    CHECK_EQ(strata_collection_find(&row, MAYBE, &zero, 0, &position, &f->error), STRATA_NOT_FOUND);
    fixture_close(f);
}

void test_collection_appended_fills_blocks(void) {
    enum { COUNT = 50000 };
    uint64_t key;
    fixture *f = open_single(&key);
    strata_row row = row_of(f, 0, key);
    for (uint64_t i = 0; i < COUNT; i++) {
        strata_value value = strata_int(1000000 + (int64_t)i);
        MUST(strata_list_insert(&row, INTS, i, &value, 1, &f->error));
        if (i % 9000 == 0) {
            MUST(strata_view_commit(f->view, &f->error));
            MUST(strata_view_begin(f->view, &f->error));
        }
    }
    MUST(strata_view_commit(f->view, &f->error));
    uint64_t full = COUNT * 4 / st_store_block_size(f->store);
    CHECK(tree_entries(f, ST_COLLECTIONS) <= full + full / 20 + 3);
    uint64_t calls = st_store_calls();
    for (uint64_t i = 0; i < COUNT; i++) {
        strata_value out;
        uint64_t at = i * 7919 % COUNT;
        MUST(strata_collection_get(&row, INTS, at, 1, &out, &f->error));
        CHECK_EQ(out.as.integer, 1000000 + (int64_t)at);
    }
    CHECK(st_store_calls() - calls <= full + full / 20 + 5); /* each block is looked up once */
    verify(f);
    fixture_close(f);
}

void test_collection_schema_in_words(void) {
    strata_column_spec now[] = { { "a", STRATA_INT, STRATA_LIST, 0, NULL }, { "b", STRATA_LINK, STRATA_MAP, 0, "T" } };
    strata_table_spec table = { "T", 0, 2, now };
    fixture *f = fixture_open_memory();
    MUST(apply(f, 0, &table, 1));
    now[1].flags = STRATA_COLUMN_NULLABLE; /* a map of links always is */
    MUST(apply(f, 0, &table, 1));
    now[0].flags = STRATA_COLUMN_NULLABLE;
    now[1].collection = STRATA_LIST;
    now[1].flags = 0;
    REFUSED(apply(f, 1, &table, 1), STRATA_SCHEMA_MISMATCH, "T.a changed from list of int to list of optional int",
            "T.b changed from map of link to T to list of link to T");
    fixture_close(f);
}

/* The first change of a collection whose row is pending already moves nothing, but what was known of it is old. */
void test_collection_opened_last_is_forgotten_when_it_changes(void) {
    enum { MANY = 5000, NUMBER = 0, NUMBERS = 1 };
    static strata_value numbers[MANY];
    const strata_column_spec declared[] = { column("number", STRATA_INT, 0),
                                           { "numbers", STRATA_INT, STRATA_LIST, 0, NULL } };
    const strata_table_spec table = { "Thing", 0, 2, declared };
    uint64_t size;
    strata_value element, more = strata_int(-1);
    for (int i = 0; i < MANY; i++) numbers[i] = strata_int(i * 1000);
    fixture *f = fixture_open_memory();
    MUST(apply(f, 0, &table, 1));
    MUST(strata_view_begin(f->view, &f->error));
    ADD(0, strata_int(1));
    strata_row row = row_of(f, 0, 1);
    MUST(strata_list_insert(&row, NUMBERS, 0, numbers, MANY, &f->error));
    MUST(strata_view_commit(f->view, &f->error));
    MUST(strata_view_begin(f->view, &f->error));
    row = row_of(f, 0, 1);
    strata_value text = strata_int(2);
    MUST(strata_row_set(&row, NUMBER, &text, &f->error));
    row = row_of(f, 0, 1);
    MUST(strata_collection_get(&row, NUMBERS, 7, 1, &element, &f->error));
    CHECK_EQ(element.as.integer, 7000);
    const uint8_t *block = row.block;
    MUST(strata_list_insert(&row, NUMBERS, 0, &more, 1, &f->error));
    CHECK(row.block == block);
    MUST(strata_collection_get(&row, NUMBERS, 0, 1, &element, &f->error));
    CHECK_EQ(element.as.integer, -1);
    MUST(strata_collection_size(&row, NUMBERS, &size, &f->error));
    CHECK_EQ(size, MANY + 1);
    MUST(strata_view_commit(f->view, &f->error));
    verify(f);
    fixture_close(f);
}
