/* SPDX-License-Identifier: MIT
 *
 * operations.c -- random operations on a store, compared with plain C arrays.
 *
 * Node: id (int, primary), name (optional string, indexed), age (int, indexed), score (optional double),
 *       note (data, often large), next (link to Node), friends (list of Node)
 * Tag:  code (string, primary), owner (link to Node)
 * with compound indexes of several of these.
 */
#include "base/arena.h"
#include "plan/ranges.h"
#include "support/operations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "strata.h"
#include "support/strata_support.h"
#include "write/flush.h"
#include "write/index.h"

enum { NODES = 400, TAGS = 60, FRIENDS = 3000, NODE = 0, TAG = 1 };
enum { ID, NAME, AGE, SCORE, NOTE, NEXT, FRIENDS_COLUMN };

typedef struct node {
    bool alive;
    uint64_t key;
    int64_t id, age;
    bool has_name, has_score;
    char name[100];
    double score;
    uint32_t note_size, note_seed;
    int next;               /* slot, or -1 */
    uint16_t *friends;      /* slots */
    uint32_t friend_count;
} node;

typedef struct tag {
    bool alive;
    uint64_t key;
    char code[90];
    int owner;
} tag;

typedef struct model {
    node nodes[NODES];
    tag tags[TAGS];
    int64_t next_id;
    int slots; /* of nodes, that are used */
} model;

typedef struct world {
    strata_store *store;
    strata_view *view;
    strata_error error;
    model now, committed;
    operations_source source;
    strata_config config;
    int nodes, tags;       /* how many slots are used */
    strata_view *held;     /* an older snapshot, or NULL */
    model then;            /* what it shows */
} world;

#define DONE(w, call) check_status((w), (call), __LINE__, #call)

static void check_status(world *w, strata_status status, int line, const char *call) {
    if (status == STRATA_OK) return;
    char text[700];
    snprintf(text, sizeof text, "%s: %s (%s)", call, strata_status_name(status), w->error.message);
    ctest_fail(__FILE__, line, text);
}

/* The next choice. Of a fuzzer's bytes, as many as the limit needs; once they are used up, always 0. */
static uint64_t below(world *w, uint64_t limit) {
    operations_source *source = &w->source;
    if (source->data == NULL) return ctest_random(&source->seed) % limit;
    uint64_t number = 0;
    for (uint64_t range = 1; range < limit && source->size != 0; range <<= 8, source->size--)
        number = number << 8 | *source->data++;
    return number % limit;
}

static bool is_over(const world *w) { return w->source.data != NULL && w->source.size == 0; }

/* ---- The model -------------------------------------------------------- */

static void free_model(model *m) {
    for (int i = 0; i < m->slots; i++) free(m->nodes[i].friends);
}

static void copy_model(model *to, const model *from) {
    for (int i = 0; i < from->slots; i++) {
        uint16_t *friends = to->nodes[i].friends;
        if (friends == NULL) friends = malloc(FRIENDS * sizeof *friends);
        memcpy(friends, from->nodes[i].friends, from->nodes[i].friend_count * sizeof *friends);
        to->nodes[i] = from->nodes[i];
        to->nodes[i].friends = friends;
    }
    memcpy(to->tags, from->tags, sizeof to->tags);
    to->next_id = from->next_id;
}

static int random_node(world *w) {
    int from = (int)below(w, (uint64_t)w->nodes);
    for (int i = 0; i < w->nodes; i++) {
        int slot = (from + i) % w->nodes;
        if (w->now.nodes[slot].alive) return slot;
    }
    return -1;
}

static void fill_note(uint8_t *out, uint32_t size, uint32_t seed) {
    for (uint32_t i = 0; i < size; i++) out[i] = (uint8_t)(seed + i * 7 + (i >> 9));
}

static strata_value name_value(const node *n) {
    return n->has_name ? strata_string(n->name, strlen(n->name)) : strata_null();
}

/* ---- Comparing -------------------------------------------------------- */

static void compare_friends(world *w, const node *n, strata_row *row) {
    static uint64_t keys[FRIENDS];
    uint64_t size;
    DONE(w, strata_collection_size(row, FRIENDS_COLUMN, &size, &w->error));
    CHECK_EQ(size, n->friend_count);
    if (size == 0) return;
    DONE(w, get_keys(row, FRIENDS_COLUMN, 0, size, keys, &w->error));
    for (uint32_t i = 0; i < size; i++) CHECK_EQ(keys[i], w->now.nodes[n->friends[i]].key);
}

static void compare_note(world *w, const node *n, const strata_row *row) {
    static uint8_t expected[8192], actual[8192];
    strata_bytes bytes;
    fill_note(expected, n->note_size, n->note_seed);
    bool lent = strata_row_bytes(row, NOTE, &bytes);
    CHECK_EQ(bytes.size, n->note_size);
    if (lent) {
        CHECK(bytes.size == 0 || memcmp(bytes.data, expected, bytes.size) == 0);
        return;
    }
    size_t read;
    DONE(w, strata_row_read(row, NOTE, 0, actual, sizeof actual, &read, &w->error));
    CHECK_EQ(read, n->note_size);
    CHECK(memcmp(actual, expected, read) == 0);
}

static void compare_node(world *w, int slot) {
    const node *n = &w->now.nodes[slot];
    strata_row row;
    if (!n->alive) {
        if (n->key != 0) CHECK_EQ(strata_row_bind(w->view, NODE, n->key, &row, &w->error), STRATA_NOT_FOUND);
        return;
    }
    DONE(w, strata_row_bind(w->view, NODE, n->key, &row, &w->error));
    CHECK_EQ(strata_row_int(&row, ID), n->id);
    CHECK_EQ(strata_row_int(&row, AGE), n->age);
    CHECK_EQ(strata_row_null(&row, NAME), !n->has_name);
    CHECK_EQ(strata_row_null(&row, SCORE), !n->has_score);
    if (n->has_score) CHECK(strata_row_double(&row, SCORE) == n->score);
    if (n->has_name) {
        strata_bytes name;
        CHECK(strata_row_bytes(&row, NAME, &name));
        CHECK_EQ(name.size, strlen(n->name));
        CHECK(memcmp(name.data, n->name, name.size) == 0);
    }
    CHECK_EQ(strata_row_link(&row, NEXT), n->next < 0 ? 0 : w->now.nodes[n->next].key);
    compare_note(w, n, &row);
    compare_friends(w, n, &row);
}

static void compare_age_index(world *w, int64_t age) {
    strata_value value = strata_int(age);
    strata_range range = { &value, &value, false, false };
    strata_cursor *cursor;
    strata_row row;
    uint64_t expected = 0, found = 0, last = 0;
    for (int i = 0; i < w->nodes; i++) expected += w->now.nodes[i].alive && w->now.nodes[i].age == age;
    DONE(w, strata_index_scan(w->view, NODE, AGE, &range, false, &cursor, &w->error));
    while (strata_cursor_next(cursor, &row, &w->error) == STRATA_OK) {
        CHECK_EQ(strata_row_int(&row, AGE), age);
        CHECK(row.key > last);
        last = row.key;
        found++;
    }
    strata_cursor_close(cursor);
    CHECK_EQ(found, expected);
}

/* The nodes of one age and name, by their compound index. A long name is cut in its keys, but has its hash there. */
static void compare_age_and_name_index(world *w, int slot) {
    const node *like = &w->now.nodes[slot];
    const st_table *table = &w->view->catalog->tables[NODE];
    st_arena memory = { 0 };
    st_posting_range range;
    uint32_t inexact;
    uint64_t expected = 0, found;
    strata_value equal[] = { strata_int(like->age), name_value(like) };
    st_compound_probe demand = { .equal = equal, .equal_count = 2 };
    for (int i = 0; i < w->nodes; i++) {
        const node *n = &w->now.nodes[i];
        bool same_name = n->has_name == like->has_name && (!n->has_name || strcmp(n->name, like->name) == 0);
        expected += n->alive && n->age == like->age && same_name;
    }
    CHECK(st_index_range(&memory, &w->view->hash_key, table, &table->indexes[0], &demand, &range, &inexact));
    DONE(w, st_postings_count(w->view->txn, st_index_set(&table->indexes[0]), &range, &found, &w->error));
    CHECK_EQ(found, expected);
    st_arena_free(&memory);
}

static void compare_backlinks(world *w, int slot) {
    const node *target = &w->now.nodes[slot];
    uint64_t by_next = 0, by_list = 0, by_tag = 0, found;
    if (!target->alive) return;
    for (int i = 0; i < w->nodes; i++) {
        const node *n = &w->now.nodes[i];
        if (!n->alive) continue;
        by_next += n->next == slot;
        for (uint32_t k = 0; k < n->friend_count; k++) by_list += n->friends[k] == slot;
    }
    for (int i = 0; i < w->tags; i++) by_tag += w->now.tags[i].alive && w->now.tags[i].owner == slot;
    DONE(w, strata_backlinks_count(w->view, NODE, target->key, NODE, NEXT, &found, &w->error));
    CHECK_EQ(found, by_next);
    DONE(w, strata_backlinks_count(w->view, NODE, target->key, NODE, FRIENDS_COLUMN, &found, &w->error));
    CHECK_EQ(found, by_list);
    DONE(w, strata_backlinks_count(w->view, NODE, target->key, TAG, 1, &found, &w->error));
    CHECK_EQ(found, by_tag);
}

static void compare_all(world *w) {
    uint64_t size, alive = 0, walked = 0, last = 0;
    strata_cursor *cursor;
    strata_row row;
    for (int i = 0; i < w->nodes; i++) {
        compare_node(w, i);
        alive += w->now.nodes[i].alive;
    }
    DONE(w, strata_table_size(w->view, NODE, &size, &w->error));
    CHECK_EQ(size, alive);
    DONE(w, strata_scan(w->view, NODE, false, &cursor, &w->error));
    while (strata_cursor_next(cursor, &row, &w->error) == STRATA_OK) {
        CHECK(row.key > last);
        last = row.key;
        walked++;
    }
    strata_cursor_close(cursor);
    CHECK_EQ(walked, alive);
    last = UINT64_MAX;
    DONE(w, strata_scan(w->view, NODE, true, &cursor, &w->error));
    while (strata_cursor_next(cursor, &row, &w->error) == STRATA_OK) {
        CHECK(row.key < last);
        last = row.key;
        walked--;
    }
    strata_cursor_close(cursor);
    CHECK_EQ(walked, 0);
    compare_age_index(w, (int64_t)below(w, 20) - 5);
    if (!strata_view_is_writing(w->view)) /* then nothing is pending that indexes lack */
        for (int i = 0; i < 5; i++) compare_age_and_name_index(w, (int)below(w, (uint64_t)w->nodes));
    for (int i = 0; i < 5; i++) compare_backlinks(w, (int)below(w, (uint64_t)w->nodes));
}

/* ---- Operations ------------------------------------------------------- */

static void random_name(world *w, node *n) {
    n->has_name = below(w, 4) != 0;
    size_t size = below(w, 6) == 0 ? 70 + below(w, 20) : below(w, 12);
    for (size_t i = 0; i < size; i++) n->name[i] = (char)('a' + (i < 66 ? 0 : below(w, 3)));
    n->name[size] = 0;
}

static void random_note(world *w, node *n) {
    n->note_size = (uint32_t)(below(w, 5) == 0 ? below(w, 8000) : below(w, 40));
    n->note_seed = (uint32_t)below(w, 250);
}

static strata_value note_value(const node *n) {
    static uint8_t note[8192];
    fill_note(note, n->note_size, n->note_seed);
    return strata_data(note, n->note_size);
}

static void create_node(world *w) {
    int slot = (int)below(w, (uint64_t)w->nodes), other = random_node(w);
    node *n = &w->now.nodes[slot];
    if (n->alive) return;
    uint16_t *friends = n->friends;
    uint64_t key;
    *n = (node){ .friends = friends, .id = w->now.next_id++, .age = (int64_t)below(w, 20) - 5, .next = -1 };
    random_name(w, n);
    random_note(w, n);
    if (below(w, 2) == 0) n->next = other;
    strata_value values[] = { strata_int(n->id), name_value(n), strata_int(n->age), strata_null(), note_value(n),
                              strata_link(n->next < 0 ? 0 : w->now.nodes[n->next].key) };
    DONE(w, strata_object_create(w->view, NODE, values, 6, &key, &w->error));
    n->alive = true;
    n->key = key;
    strata_value again = strata_int(n->id);
    uint64_t found;
    DONE(w, strata_object_find(w->view, NODE, &again, &found, &w->error));
    CHECK_EQ(found, key);
    CHECK_EQ(strata_object_create(w->view, NODE, values, 6, &found, &w->error), STRATA_DUPLICATE);
    CHECK_EQ(found, key);
}

static void set_value(world *w, node *n, uint32_t column, strata_value value) {
    strata_row row;
    DONE(w, strata_row_bind(w->view, NODE, n->key, &row, &w->error));
    bool stored = false;
    if (value.type == STRATA_INT) stored = strata_row_store_int(&row, column, value.as.integer);
    if (value.type == STRATA_DOUBLE) stored = strata_row_store_double(&row, column, value.as.real);
    if (!stored) DONE(w, strata_row_set(&row, column, &value, &w->error));
}

static void change_node(world *w) {
    int slot = random_node(w);
    if (slot < 0) return;
    node *n = &w->now.nodes[slot];
    switch (below(w, 5)) {
    case 0:
        n->age = (int64_t)below(w, 20) - 5;
        set_value(w, n, AGE, strata_int(n->age));
        break;
    case 1:
        random_name(w, n);
        set_value(w, n, NAME, name_value(n));
        break;
    case 2:
        n->has_score = below(w, 3) != 0;
        n->score = (double)below(w, 1000) / 8 - 40;
        set_value(w, n, SCORE, n->has_score ? strata_double(n->score) : strata_null());
        break;
    case 3:
        random_note(w, n);
        set_value(w, n, NOTE, note_value(n));
        break;
    default:
        n->next = below(w, 3) == 0 ? -1 : random_node(w);
        set_value(w, n, NEXT, strata_link(n->next < 0 ? 0 : w->now.nodes[n->next].key));
    }
}

static void edit_list(world *w) {
    int slot = random_node(w);
    if (slot < 0) return;
    node *n = &w->now.nodes[slot];
    strata_row row;
    DONE(w, strata_row_bind(w->view, NODE, n->key, &row, &w->error));
    uint64_t operation = below(w, 10);
    if (operation < 4 || n->friend_count == 0) {
        uint64_t keys[900];
        uint32_t count = (uint32_t)(below(w, 12) == 0 ? 1 + below(w, 900) : 1 + below(w, 4));
        if (n->friend_count + count > FRIENDS) return;
        uint32_t at = (uint32_t)below(w, n->friend_count + 1);
        memmove(n->friends + at + count, n->friends + at, (n->friend_count - at) * sizeof(uint16_t));
        for (uint32_t i = 0; i < count; i++) {
            int other = random_node(w);
            if (other < 0) other = slot;
            n->friends[at + i] = (uint16_t)other;
            keys[i] = w->now.nodes[other].key;
        }
        n->friend_count += count;
        DONE(w, insert_keys(&row, FRIENDS_COLUMN, at, keys, count, &w->error));
    } else if (operation < 6) {
        uint32_t at = (uint32_t)below(w, n->friend_count);
        int other = random_node(w);
        n->friends[at] = (uint16_t)other;
        DONE(w, set_key(&row, FRIENDS_COLUMN, at, w->now.nodes[other].key, &w->error));
    } else {
        uint32_t at = (uint32_t)below(w, n->friend_count);
        uint32_t count = (uint32_t)(below(w, 8) == 0 ? n->friend_count - at : 1);
        memmove(n->friends + at, n->friends + at + count, (n->friend_count - at - count) * sizeof(uint16_t));
        n->friend_count -= count;
        DONE(w, strata_collection_remove(&row, FRIENDS_COLUMN, at, count, &w->error));
    }
}

static bool is_referenced(const world *w, int slot) {
    for (int i = 0; i < w->nodes; i++) {
        const node *n = &w->now.nodes[i];
        if (!n->alive || i == slot) continue;
        if (n->next == slot) return true;
        for (uint32_t k = 0; k < n->friend_count; k++)
            if (n->friends[k] == slot) return true;
    }
    for (int i = 0; i < w->tags; i++)
        if (w->now.tags[i].alive && w->now.tags[i].owner == slot) return true;
    return false;
}

static void forget_links(world *w, int slot) {
    for (int i = 0; i < w->nodes; i++) {
        node *n = &w->now.nodes[i];
        uint32_t kept = 0;
        if (!n->alive) continue;
        if (n->next == slot) n->next = -1;
        for (uint32_t k = 0; k < n->friend_count; k++)
            if (n->friends[k] != slot) n->friends[kept++] = n->friends[k];
        n->friend_count = kept;
    }
    for (int i = 0; i < w->tags; i++)
        if (w->now.tags[i].owner == slot) w->now.tags[i].owner = -1;
}

static void delete_node(world *w) {
    int slot = random_node(w);
    if (slot < 0) return;
    node *n = &w->now.nodes[slot];
    strata_status status = strata_object_delete(w->view, NODE, n->key, &w->error);
    if (is_referenced(w, slot)) {
        CHECK_EQ(status, STRATA_REFERENCED);
        if (below(w, 2) == 0) return;
        DONE(w, strata_object_unlink(w->view, NODE, n->key, &w->error));
        forget_links(w, slot);
        status = strata_object_delete(w->view, NODE, n->key, &w->error);
    }
    DONE(w, status);
    n->alive = false;
    n->friend_count = 0;
    n->next = -1;
}

static void change_tag(world *w) {
    int slot = (int)below(w, (uint64_t)w->tags);
    tag *t = &w->now.tags[slot];
    if (t->alive) {
        if (below(w, 3) == 0) {
            DONE(w, strata_object_delete(w->view, TAG, t->key, &w->error));
            t->alive = false;
            t->owner = -1;
            return;
        }
        strata_row row;
        strata_value code = strata_string(t->code, strlen(t->code));
        uint64_t found;
        DONE(w, strata_object_find(w->view, TAG, &code, &found, &w->error));
        CHECK_EQ(found, t->key);
        t->owner = random_node(w);
        strata_value owner = strata_link(t->owner < 0 ? 0 : w->now.nodes[t->owner].key);
        DONE(w, strata_row_bind(w->view, TAG, t->key, &row, &w->error));
        DONE(w, strata_row_set(&row, 1, &owner, &w->error));
        return;
    }
    /* Codes share their first 70 bytes, so that only the row tells them apart; some come again after a delete. */
    memset(t->code, 'c', 80);
    snprintf(t->code + 75, 10, "%d", slot);
    strata_value code = strata_string(t->code, strlen(t->code));
    DONE(w, strata_object_create(w->view, TAG, &code, 1, &t->key, &w->error));
    t->alive = true;
    t->owner = -1;
}

/* ---- Transactions ----------------------------------------------------- */

static void open_world(world *w) {
    static const strata_column_spec nodes[] = {
        { "id", STRATA_INT, STRATA_SINGLE, STRATA_COLUMN_PRIMARY, NULL },
        { "name", STRATA_STRING, STRATA_SINGLE, STRATA_COLUMN_NULLABLE | STRATA_COLUMN_INDEXED, NULL },
        { "age", STRATA_INT, STRATA_SINGLE, STRATA_COLUMN_INDEXED, NULL },
        { "score", STRATA_DOUBLE, STRATA_SINGLE, STRATA_COLUMN_NULLABLE, NULL },
        { "note", STRATA_DATA, STRATA_SINGLE, 0, NULL },
        { "next", STRATA_LINK, STRATA_SINGLE, 0, "Node" },
        { "friends", STRATA_LINK, STRATA_LIST, 0, "Node" },
    };
    static const strata_column_spec tags[] = {
        { "code", STRATA_STRING, STRATA_SINGLE, STRATA_COLUMN_PRIMARY, NULL },
        { "owner", STRATA_LINK, STRATA_SINGLE, 0, "Node" },
    };
    static const char *const by_age[] = { "age", "name" }, *const by_name[] = { "name", "next", "age", "id" };
    static const char *const by_owner[] = { "owner", "code" };
    static const strata_index_spec node_indexes[] = { { 2, by_age }, { 4, by_name } }, tag_index = { 2, by_owner };
    static const strata_table_spec tables[] = { { "Node", 0, 7, nodes, node_indexes, 2 },
                                                { "Tag", 0, 2, tags, &tag_index, 1 } };
    DONE(w, strata_store_open(&w->config, &w->store, &w->error));
    DONE(w, strata_view_open(w->store, &w->view, &w->error));
    DONE(w, strata_schema_apply(w->view, tables, 2, 0, &w->error));
}

static void close_world(world *w) {
    strata_view_close(w->view);
    strata_store_close(w->store);
}

static void one_operation(world *w) {
    uint64_t kind = below(w, 100);
    if (kind < 30) create_node(w);
    else if (kind < 60) change_node(w);
    else if (kind < 80) edit_list(w);
    else if (kind < 90) change_tag(w);
    else if (kind < 96) delete_node(w);
    else if (kind == 96) DONE(w, st_writes_store(w->view, &w->error)); /* as if the write had grown large */
    else if (kind == 97) compare_age_index(w, (int64_t)below(w, 20) - 5);
    else if (kind == 98) compare_backlinks(w, (int)below(w, (uint64_t)w->nodes));
    else compare_node(w, (int)below(w, (uint64_t)w->nodes));
}

/* ---- Older snapshots --------------------------------------------------- */

static void hold_snapshot(world *w) {
    DONE(w, strata_view_open(w->store, &w->held, &w->error));
    copy_model(&w->then, &w->committed);
}

static void let_go(world *w) {
    strata_view_close(w->held);
    w->held = NULL;
}

static void swap_held(world *w) {
    static model other;
    strata_view *view = w->view;
    w->view = w->held;
    w->held = view;
    other = w->now;
    w->now = w->then;
    w->then = other;
}

/* Whatever was committed since, an older snapshot shows what it showed. */
static void compare_held(world *w) {
    strata_verify_report report;
    swap_held(w);
    compare_all(w);
    DONE(w, strata_verify(w->view, &report, &w->error));
    swap_held(w);
}

/* ---- Playing ---------------------------------------------------------- */

static strata_store_stats stats_of(world *w) {
    strata_store_stats stats = { .size = sizeof stats };
    DONE(w, strata_store_get_stats(w->store, &stats, &w->error));
    return stats;
}

/* A write makes the file grow by what it leaves behind, at most about twice, however often it changed that. */
static void check_growth(world *w, uint64_t before) {
    enum { BESIDE = 64 };
    strata_store_stats now = stats_of(w);
    CHECK(now.file_size <= before + 2 * now.used_size + BESIDE * (uint64_t)now.page_size);
}

static void one_transaction(world *w) {
    uint64_t operations = below(w, 4) == 0 ? below(w, 400) : below(w, 20);
    DONE(w, strata_view_begin(w->view, &w->error));
    for (uint64_t i = 0; i < operations && !is_over(w); i++) one_operation(w);
    if (below(w, 30) == 0) {
        static const uint32_t all[] = { NODE, TAG };
        DONE(w, strata_tables_clear(w->view, all, 2, &w->error));
        for (int i = 0; i < w->nodes; i++) {
            w->now.nodes[i].alive = false;
            w->now.nodes[i].friend_count = 0;
            w->now.nodes[i].next = -1;
        }
        for (int i = 0; i < w->tags; i++) w->now.tags[i].alive = false;
    }
    if (below(w, 5) == 0) compare_all(w);
    if (below(w, 5) == 0) {
        strata_view_cancel(w->view);
        copy_model(&w->now, &w->committed);
    } else {
        uint64_t size = stats_of(w).file_size;
        DONE(w, strata_view_commit(w->view, &w->error));
        copy_model(&w->committed, &w->now);
        check_growth(w, size);
    }
    strata_verify_report report;
    DONE(w, strata_verify(w->view, &report, &w->error));
    compare_all(w);
}

static void make_model(model *m, int slots) {
    m->slots = slots;
    for (int i = 0; i < slots; i++) m->nodes[i] = (node){ .next = -1, .friends = malloc(FRIENDS * sizeof(uint16_t)) };
    for (int i = 0; i < TAGS; i++) m->tags[i] = (tag){ .owner = -1 };
    m->next_id = 0;
}

void operations_play(operations_source source, const strata_config *config, int transactions) {
    static world w;
    bool fuzzing = source.data != NULL;
    w = (world){ .source = source, .config = *config, .nodes = fuzzing ? 24 : NODES, .tags = fuzzing ? 8 : TAGS };
    make_model(&w.now, w.nodes);
    make_model(&w.committed, w.nodes);
    make_model(&w.then, w.nodes);
    open_world(&w);
    for (int i = 0; i < transactions && !is_over(&w); i++) {
        one_transaction(&w);
        if (w.held == NULL && below(&w, 6) == 0) hold_snapshot(&w);
        else if (w.held != NULL && below(&w, 3) == 0) compare_held(&w);
        else if (w.held != NULL && below(&w, 8) == 0) let_go(&w);
        if (below(&w, 20) != 0) continue;
        let_go(&w);
        close_world(&w);
        open_world(&w);
        compare_all(&w);
    }
    let_go(&w);
    close_world(&w);
    free_model(&w.now);
    free_model(&w.committed);
    free_model(&w.then);
}
