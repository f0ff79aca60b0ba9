/* SPDX-License-Identifier: MIT
 * test_feed.c -- the records of commits say what changed, and waiting for commits. */
#define _GNU_SOURCE 1
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/queue_support.h"

enum { THING, OTHER, TABLES };
enum { NUMBER, TEXT, LINK, LIST, SET, MAP, COLUMNS };
enum { MOST_OBJECTS = 200, MOST_ELEMENTS = 400 };

static void apply_things(fixture *f) {
    const strata_column_spec columns[COLUMNS] = {
        column("number", STRATA_INT, 0), column("text", STRATA_STRING, STRATA_COLUMN_NULLABLE),
        link_to("link", "Thing"),
        list_of("list", "Thing"), { "set", STRATA_INT, STRATA_SET, 0, NULL },
        { "map", STRATA_LINK, STRATA_MAP, 0, "Thing" },
    };
    const strata_column_spec other = column("number", STRATA_INT, 0);
    const strata_table_spec tables[TABLES] = { { "Thing", 0, COLUMNS, columns }, { "Other", 0, 1, &other } };
    MUST(apply(f, 0, tables, TABLES));
}

static void begin(fixture *f) { MUST(strata_view_begin(f->view, &f->error)); }
static void commit(fixture *f) { MUST(strata_view_commit(f->view, &f->error)); }

/* ---- A plain copy of the content -------------------------------------- */

#define UNKNOWN INT64_MIN /* an element that the record says is new: it may be anything */

typedef struct plain {
    uint64_t count[3];
    int64_t elements[3][MOST_ELEMENTS];
    int64_t number, link;
    char text[40];
    bool there, free_cell[3]; /* the cell was assigned */
} plain;

/* One number for an element: for entries of maps the key and the value, for the value may become null. */
static int64_t number_of(const strata_value *value, const strata_bytes *key) {
    int64_t number = value->type == STRATA_INT ? value->as.integer
                                               : value->type == STRATA_NULL ? 0 : (int64_t)value->as.link;
    for (size_t i = 0; key != NULL && i < key->size; i++) number = number * 31 + ((const char *)key->data)[i];
    return number;
}

static void read_plain(fixture *f, uint64_t key, plain *out) {
    strata_row row;
    memset(out, 0, sizeof *out);
    strata_status status = strata_row_bind(f->view, THING, key, &row, &f->error);
    if (status == STRATA_NOT_FOUND) return;
    MUST(status);
    strata_value value;
    out->there = true;
    MUST(strata_row_get(&row, NUMBER, &value, &f->error));
    out->number = value.as.integer;
    MUST(strata_row_get(&row, LINK, &value, &f->error));
    out->link = number_of(&value, NULL);
    MUST(strata_row_get(&row, TEXT, &value, &f->error));
    if (value.type != STRATA_NULL) memcpy(out->text, value.as.bytes.data, value.as.bytes.size);
    for (uint32_t k = 0; k < 3; k++) {
        strata_value values[MOST_ELEMENTS];
        strata_bytes keys[MOST_ELEMENTS];
        MUST(strata_collection_size(&row, LIST + k, &out->count[k], &f->error));
        CHECK(out->count[k] <= MOST_ELEMENTS);
        if (LIST + k == MAP) MUST(strata_map_keys(&row, MAP, 0, out->count[k], keys, &f->error));
        MUST(strata_collection_get(&row, LIST + k, 0, out->count[k], values, &f->error));
        for (uint64_t i = 0; i < out->count[k]; i++)
            out->elements[k][i] = number_of(&values[i], LIST + k == MAP ? &keys[i] : NULL);
    }
}

static plain *read_all(fixture *f) {
    plain *all = calloc(MOST_OBJECTS, sizeof *all);
    for (uint64_t key = 1; key < MOST_OBJECTS; key++) read_plain(f, key, &all[key]);
    return all;
}

/* ---- Replay ----------------------------------------------------------- */

static void replay_elements(plain *p, const strata_delta *d) {
    uint32_t k = d->column - LIST;
    int64_t *at = p->elements[k] + d->position;
    uint64_t behind = p->count[k] - d->position;
    if (d->kind == STRATA_DELTA_INSERT) {
        CHECK(d->position <= p->count[k] && p->count[k] + d->count <= MOST_ELEMENTS);
        memmove(at + d->count, at, behind * sizeof *at);
        p->count[k] += d->count;
    } else {
        CHECK(d->position + d->count <= p->count[k]);
    }
    if (d->kind == STRATA_DELTA_REMOVE) {
        memmove(at, at + d->count, (behind - d->count) * sizeof *at);
        p->count[k] -= d->count;
        return;
    }
    for (uint64_t i = 0; i < d->count; i++) at[i] = UNKNOWN;
}

static void replay(plain *all, const plain *now, const strata_delta *d) {
    if (d->table != THING || d->kind == STRATA_DELTA_LINKED) return;
    plain *p = &all[d->key];
    CHECK(d->kind == STRATA_DELTA_CLEAR || (d->key != 0 && d->key < MOST_OBJECTS));
    switch (d->kind) {
    case STRATA_DELTA_CREATE: CHECK(!p->there); *p = now[d->key]; break;
    case STRATA_DELTA_DELETE: CHECK(p->there); memset(p, 0, sizeof *p); break;
    case STRATA_DELTA_CLEAR: memset(all, 0, MOST_OBJECTS * sizeof *all); break;
    case STRATA_DELTA_ASSIGN: CHECK(p->there && d->column < LIST); p->free_cell[d->column] = true; break;
    default: CHECK(p->there && d->column >= LIST && d->column < COLUMNS); replay_elements(p, d);
    }
}

/* The replayed content is the present one, but for what the record says is new. */
static void compare(const plain *was, const plain *now) {
    for (uint64_t key = 0; key < MOST_OBJECTS; key++) {
        const plain *a = &was[key], *b = &now[key];
        CHECK_EQ(a->there, b->there);
        CHECK(a->free_cell[NUMBER] || a->number == b->number);
        CHECK(a->free_cell[LINK] || a->link == b->link);
        CHECK(a->free_cell[TEXT] || strcmp(a->text, b->text) == 0);
        for (uint32_t k = 0; k < 3; k++) {
            CHECK_EQ(a->count[k], b->count[k]);
            for (uint64_t i = 0; i < a->count[k]; i++)
                CHECK(a->elements[k][i] == UNKNOWN || a->elements[k][i] == b->elements[k][i]);
        }
    }
}

/* ---- Random writes ---------------------------------------------------- */

static uint64_t next_random(uint64_t *random) {
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *random >> 33;
}

static void change_collection(fixture *f, strata_row *row, uint32_t number, uint64_t target, uint64_t *random) {
    uint64_t size, choice = next_random(random) % 4;
    char name[20];
    strata_value link = strata_link(target), values[3] = { link, link, link };
    MUST(strata_collection_size(row, number, &size, &f->error));
    uint64_t position = next_random(random) % (size + 1);
    if (size > MOST_ELEMENTS / 2 || (choice == 0 && position < size)) {
        if (position == size) position--;
        uint64_t count = 1 + next_random(random) % (size - position);
        MUST(strata_collection_remove(row, number, position, count, &f->error));
    } else if (number == SET) {
        for (int i = 0; i < 3; i++) values[i] = strata_int((int64_t)(next_random(random) % 60));
        if (choice == 1) MUST(strata_set_insert_all(row, SET, values, 3, &size, &f->error));
        else MUST(strata_set_insert(row, SET, values, NULL, NULL, &f->error));
    } else if (number == MAP) {
        size_t length = (size_t)snprintf(name, sizeof name, "k%d", (int)(next_random(random) % 40));
        strata_bytes keys[2] = { { name, length }, { "zero", 4 } };
        if (choice == 1) MUST(strata_map_set_all(row, MAP, keys, values, 2, &f->error));
        else MUST(strata_map_set(row, MAP, keys[0], values, &f->error));
    } else if (choice == 1 && position < size) {
        MUST(strata_list_set(row, LIST, position, values, &f->error));
    } else {
        MUST(strata_list_insert(row, LIST, position, values, 1 + choice % 3, &f->error));
    }
}

static uint64_t find_thing(fixture *f, uint64_t created, uint64_t *random) {
    strata_row row;
    for (int i = 0; i < 50 && created != 0; i++) {
        uint64_t key = 1 + next_random(random) % created;
        if (strata_row_bind(f->view, THING, key, &row, &f->error) == STRATA_OK) return key;
    }
    return 0;
}

static void change_at_random(fixture *f, uint64_t *created, uint64_t *random) {
    uint64_t choice = next_random(random) % 40, key = find_thing(f, *created, random);
    uint64_t target = find_thing(f, *created, random);
    char text[20];
    const uint32_t table = THING;
    if (target == 0) target = key; /* few are left */
    if (key == 0 || (choice < 4 && *created < MOST_OBJECTS - 2)) {
        if (*created < MOST_OBJECTS - 2) *created = ADD(THING, strata_int(7), value_of("new"));
        return;
    }
    strata_row row = row_of(f, THING, key);
    strata_value number = strata_int((int64_t)(next_random(random) % 3)), link = strata_link(target);
    snprintf(text, sizeof text, "text %d", (int)choice);
    strata_value words = value_of(text);
    if (choice < 6) {
        MUST(strata_object_unlink(f->view, THING, key, &f->error));
        MUST(strata_object_delete(f->view, THING, key, &f->error));
    } else if (choice < 12) MUST(strata_row_set(&row, NUMBER, &number, &f->error));
    else if (choice < 16) MUST(strata_row_set(&row, TEXT, &words, &f->error));
    else if (choice < 20) MUST(strata_row_set(&row, LINK, &link, &f->error));
    else if (choice == 39 && next_random(random) % 30 == 0) MUST(strata_tables_clear(f->view, &table, 1, &f->error));
    else change_collection(f, &row, LIST + (uint32_t)(choice % 3), target, random);
}

/* What the open write has changed up to now; the same again for who asks twice. */
static strata_commit *changes_of_write(fixture *f) {
    strata_commit *again, *changes;
    MUST(strata_view_changes(f->view, &again, &f->error));
    MUST(strata_view_changes(f->view, &changes, &f->error));
    strata_commit_free(again);
    return changes;
}

static void compare_records(fixture *f, strata_commit *a, strata_commit *b) {
    strata_delta x, y;
    strata_status status;
    do {
        status = strata_commit_next(a, &x, &f->error);
        CHECK_EQ(strata_commit_next(b, &y, &f->error), status);
        CHECK(status == STRATA_END || memcmp(&x, &y, sizeof x) == 0);
    } while (status == STRATA_OK);
    CHECK_EQ(status, STRATA_END);
    strata_commit_rewind(a);
    strata_commit_rewind(b);
}

void test_feed_can_be_replayed(void) {
    uint64_t random = ctest_seed(), created = 0;
    fixture *f = fixture_open_memory();
    strata_feed *feed;
    apply_things(f);
    MUST(strata_feed_open(f->store, &feed, &f->error));
    MUST(strata_view_log_changes(f->view, true, &f->error));
    plain *was = read_all(f);
    for (int i = 0; i < 300; i++) {
        strata_commit *record, *before;
        strata_delta delta;
        strata_status status;
        begin(f);
        for (uint64_t n = next_random(&random) % 12; n > 0; n--) {
            change_at_random(f, &created, &random);
            if (next_random(&random) % 4 == 0) strata_commit_free(changes_of_write(f));
        }
        before = changes_of_write(f);
        commit(f);
        plain *now = read_all(f);
        MUST(strata_feed_next(feed, &record, &f->error));
        compare_records(f, before, record);
        strata_commit_free(before);
        while ((status = strata_commit_next(record, &delta, &f->error)) == STRATA_OK) replay(was, now, &delta);
        CHECK_EQ(status, STRATA_END);
        compare(was, now);
        strata_commit_free(record);
        CHECK_EQ(strata_feed_next(feed, &record, &f->error), STRATA_END);
        free(was);
        was = now;
    }
    free(was);
    strata_feed_close(feed);
    verify(f);
    fixture_close(f);
}

/* ---- Each kind -------------------------------------------------------- */

/* A record as text; frees it. */
static const char *text_of(fixture *f, strata_commit *record) {
    static char text[500];
    strata_delta d;
    size_t size = 0;
    text[0] = 0;
    while (strata_commit_next(record, &d, &f->error) == STRATA_OK) {
        int more = snprintf(text + size, sizeof text - size, "%c%u.%u", " +-0=ISRL"[d.kind], (unsigned)d.table,
                            (unsigned)d.key);
        size += (size_t)more;
        if (d.kind < STRATA_DELTA_ASSIGN) more = snprintf(text + size, sizeof text - size, " ");
        else more = snprintf(text + size, sizeof text - size, ".%u@%u*%u ", (unsigned)d.column, (unsigned)d.position,
                             (unsigned)d.count);
        size += (size_t)more;
    }
    strata_commit_free(record);
    return text;
}

/* The record of the next commit, as text. */
static const char *told(fixture *f, strata_feed *feed) {
    strata_commit *record;
    MUST(strata_feed_next(feed, &record, &f->error));
    return text_of(f, record);
}

#define TOLD(expected) CHECK_TEXT(told(f, feed), expected)

void test_feed_tells_each_kind(void) {
    fixture *f = fixture_open_memory();
    strata_feed *feed;
    const uint32_t both[] = { THING, OTHER };
    apply_things(f);
    MUST(strata_feed_open(f->store, &feed, &f->error));
    begin(f);
    for (int i = 0; i < 4; i++) ADD(THING, strata_int(1));
    MUST(strata_object_delete(f->view, THING, 2, &f->error)); /* created here: never there */
    set(f, THING, 1, NUMBER, strata_int(3));
    ADD(OTHER, strata_int(1));
    commit(f);
    TOLD("+0.1 +0.3 +0.4 +1.1 ");
    begin(f);
    set(f, THING, 3, NUMBER, strata_int(3));
    set(f, THING, 1, NUMBER, strata_int(3)); /* the same value counts */
    set(f, THING, 1, TEXT, value_of("a"));
    set(f, THING, 1, NUMBER, strata_int(3));
    commit(f);
    TOLD("=0.1.0@0*0 =0.1.1@0*0 =0.3.0@0*0 ");
    begin(f);
    strata_row row = row_of(f, THING, 1);
    strata_value links[2] = { strata_link(3), strata_link(4) };
    MUST(strata_list_insert(&row, LIST, 0, links, 2, &f->error));
    MUST(strata_list_insert(&row, LIST, 2, links, 2, &f->error));
    MUST(strata_list_set(&row, LIST, 1, links, &f->error));
    MUST(strata_map_set(&row, MAP, (strata_bytes){ "b", 1 }, links, &f->error));
    MUST(strata_map_set(&row, MAP, (strata_bytes){ "a", 1 }, links, &f->error));
    set(f, THING, 4, LINK, strata_link(3));
    commit(f);
    TOLD("I0.1.3@0*4 S0.1.3@1*1 I0.1.5@0*1 I0.1.5@0*1 L0.3.3@0*0 L0.3.5@0*0 L0.3.2@0*0 L0.4.3@0*0 =0.4.2@0*0 ");
    begin(f);
    MUST(strata_object_unlink(f->view, THING, 3, &f->error));
    MUST(strata_object_delete(f->view, THING, 3, &f->error));
    commit(f);
    TOLD("R0.1.3@0*3 S0.1.5@0*1 S0.1.5@1*1 -0.3 =0.4.2@0*0 ");
    begin(f);
    ADD(OTHER, strata_int(1));
    MUST(strata_tables_clear(f->view, both, 2, &f->error));
    ADD(OTHER, strata_int(1));
    commit(f);
    TOLD("00.0 01.0 +1.3 ");
    strata_feed_close(feed);
    fixture_close(f);
}

/* ---- Before the commit ------------------------------------------------ */

#define CHANGED(expected) CHECK_TEXT(text_of(f, changes_of_write(f)), expected)

void test_feed_tells_what_an_open_write_changed(void) {
    fixture *f = fixture_open_memory();
    strata_commit *changes;
    strata_commit_info info = strata_commit_info_blank();
    const uint32_t thing = THING;
    apply_things(f);
    MUST(strata_view_log_changes(f->view, true, &f->error));
    REFUSED(strata_view_changes(f->view, &changes, &f->error), STRATA_NOT_WRITING, "no write");
    begin(f);
    CHANGED("");
    ADD(THING, strata_int(1));
    CHANGED("+0.1 ");
    ADD(THING, strata_int(2));
    set(f, THING, 1, NUMBER, strata_int(3)); /* created here: nothing more is said */
    CHANGED("+0.1 +0.2 ");
    REFUSED(strata_view_log_changes(f->view, false, &f->error), STRATA_WRITING, "before the write");
    commit(f);
    begin(f);
    set(f, THING, 2, NUMBER, strata_int(3));
    MUST(strata_object_delete(f->view, THING, 1, &f->error));
    CHANGED("-0.1 =0.2.0@0*0 ");
    strata_view_cancel(f->view);
    begin(f);
    CHANGED("");
    MUST(strata_tables_clear(f->view, &thing, 1, &f->error));
    changes = changes_of_write(f);
    MUST(strata_commit_get_info(changes, &info, &f->error));
    CHECK_EQ(info.version, strata_view_version(f->view));
    CHECK_EQ(info.flags, 0);
    commit(f);
    CHECK_TEXT(text_of(f, changes), "00.0 "); /* outlives the write */
    MUST(strata_view_log_changes(f->view, false, &f->error));
    begin(f);
    REFUSED(strata_view_changes(f->view, &changes, &f->error), STRATA_MISUSE, "strata_view_log_changes()");
    strata_view_cancel(f->view);
    fixture_close(f);
}

void test_feed_says_that_a_write_changed_too_much(void) {
    enum { ENOUGH = (1 << 20) + 2 };
    fixture *f = fixture_open_memory();
    strata_commit *changes;
    strata_delta delta;
    strata_commit_info info = strata_commit_info_blank();
    apply_things(f);
    MUST(strata_view_log_changes(f->view, true, &f->error));
    begin(f);
    ADD(THING, strata_int(1));
    commit(f);
    begin(f);
    strata_row row = row_of(f, THING, 1);
    const strata_value one = strata_int(1), text = value_of("a");
    for (int i = 0; i < ENOUGH; i++) MUST(strata_row_set(&row, (uint32_t)i % 2, i % 2 == 0 ? &one : &text, &f->error));
    MUST(strata_view_changes(f->view, &changes, &f->error));
    MUST(strata_commit_get_info(changes, &info, &f->error));
    CHECK_EQ(info.flags, STRATA_COMMIT_WHOLE);
    CHECK_EQ(strata_commit_next(changes, &delta, &f->error), STRATA_END);
    strata_commit_free(changes);
    commit(f);
    fixture_close(f);
}

/* ---- Feeds ------------------------------------------------------------ */

void test_feed_says_who_committed(void) {
    fixture *f = fixture_open("file");
    strata_feed *feed;
    strata_commit *record;
    strata_commit_info info = strata_commit_info_blank();
    strata_token token, parsed;
    char text[STRATA_TOKEN_TEXT];
    apply_things(f);
    MUST(strata_feed_open(f->store, &feed, &f->error));
    strata_view_set_label(f->view, "importer");
    begin(f);
    REFUSED(strata_view_token(f->view, &token, &f->error), STRATA_WRITING, "after");
    commit(f);
    MUST(strata_view_token(f->view, &token, &f->error));
    MUST(strata_feed_next(feed, &record, &f->error));
    MUST(strata_commit_get_info(record, &info, &f->error));
    CHECK(strcmp(info.label, "importer") == 0);
    CHECK_EQ(info.process, getpid());
    CHECK_EQ(info.version, strata_view_version(f->view));
    CHECK_EQ(strata_token_version(&token), info.version);
    CHECK(memcmp(&info.token, &token, sizeof token) == 0);
    strata_token_text(&token, text);
    MUST(strata_token_parse(text, STRATA_TOKEN_TEXT - 1, &parsed, &f->error));
    CHECK(memcmp(&parsed, &token, sizeof token) == 0);
    REFUSED(strata_token_parse(text, 63, &parsed, &f->error), STRATA_MISUSE, "64 digits");
    text[5] = 'G';
    REFUSED(strata_token_parse(text, 64, &parsed, &f->error), STRATA_MISUSE, "64 digits");
    info.size = 3;
    REFUSED(strata_commit_get_info(record, &info, &f->error), STRATA_MISUSE, "3 bytes", "strata_commit_info_blank");
    strata_commit_free(record);
    strata_feed_close(feed);
    fixture_close(f);
}

void test_feed_expires_when_it_is_not_read(void) {
    fixture *f = fixture_open_memory();
    strata_feed *feed, *fresh;
    strata_commit *record;
    apply_things(f);
    MUST(strata_feed_open(f->store, &feed, &f->error));
    for (int i = 0; i < 1024; i++) begin(f), commit(f);
    MUST(strata_feed_next(feed, &record, &f->error));
    strata_commit_free(record);
    for (int i = 0; i < 2; i++) begin(f), commit(f);
    for (int i = 0; i < 2; i++)
        REFUSED(strata_feed_next(feed, &record, &f->error), STRATA_EXPIRED, "open another feed");
    MUST(strata_feed_open(f->store, &fresh, &f->error));
    CHECK_EQ(strata_feed_next(fresh, &record, &f->error), STRATA_END);
    strata_feed_close(feed);
    strata_feed_close(fresh);
    fixture_close(f);
}

/* ---- Writes that share a transaction ------------------------------------ */

enum { FOLLOWERS = 3 };

/* A feed, and how many items there are as far as it was told. */
typedef struct follower {
    strata_feed *feed; /* or NULL */
    uint64_t known;
    bool anew;         /* it was told that anything may have changed */
} follower;

static uint64_t count_items(fixture *f) {
    strata_view *view;
    uint64_t count;
    MUST(strata_view_open(f->store, &view, &f->error));
    MUST(strata_table_size(view, ITEM, &count, &f->error));
    strata_view_close(view);
    return count;
}

static void come_or_go(fixture *f, follower *one) {
    if (one->feed != NULL) {
        strata_feed_close(one->feed);
        one->feed = NULL;
        return;
    }
    MUST(strata_feed_open(f->store, &one->feed, &f->error));
    one->known = count_items(f);
}

static void follow(fixture *f, follower *one) {
    strata_commit *record;
    strata_delta delta;
    strata_status status;
    while ((status = strata_feed_next(one->feed, &record, &f->error)) == STRATA_OK) {
        strata_commit_info info = strata_commit_info_blank();
        MUST(strata_commit_get_info(record, &info, &f->error));
        if ((info.flags & STRATA_COMMIT_WHOLE) != 0) one->anew = true;
        while (strata_commit_next(record, &delta, &f->error) == STRATA_OK)
            if (!one->anew) CHECK_EQ(delta.key, ++one->known);
        strata_commit_free(record);
    }
    if (status == STRATA_EXPIRED) {
        strata_feed_close(one->feed);
        MUST(strata_feed_open(f->store, &one->feed, &f->error));
        one->anew = true;
    } else {
        CHECK_EQ(status, STRATA_END);
    }
    if (one->anew) one->known = count_items(f);
    one->anew = false;
}

static void come_or_go_now_and_then(fixture *f, follower *all, uint64_t *random) {
    if (next_random(random) % 3 == 0) come_or_go(f, &all[next_random(random) % FOLLOWERS]);
}

/* Between the writes of a group, feeds come and go. */
static void commit_parts(fixture *f, follower *all, uint64_t *created, uint64_t *random) {
    queued_group group;
    queued_group_ask(f, &group, 1 + (uint32_t)(next_random(random) % MOST_IN_GROUP));
    for (uint32_t i = 0; i < group.count; i++) {
        uint64_t key;
        const strata_value value = strata_int((int64_t)*created + 1);
        bool keep = next_random(random) % 5 != 0;
        strata_view *view = queued_group_begin(f, &group, i);
        come_or_go_now_and_then(f, all, random);
        MUST(strata_object_create(view, ITEM, &value, 1, &key, &f->error));
        come_or_go_now_and_then(f, all, random);
        *created += keep;
        queued_group_finish(f, &group, i, keep);
    }
    queued_group_end(&group);
}

/* Who begins between two of them has to hear of all that the commit changed, or that it may be anything. */
void test_feed_that_begins_within_a_group_misses_nothing(void) {
    fixture *f = fixture_open_memory();
    follower all[FOLLOWERS] = { 0 };
    uint64_t created = 0, random = ctest_seed();
    make_items(f);
    for (unsigned round = 0; round < ctest_rounds(600); round++) {
        commit_parts(f, all, &created, &random);
        for (int i = 0; i < FOLLOWERS; i++) {
            if (all[i].feed == NULL) continue;
            follow(f, &all[i]);
            CHECK_EQ(all[i].known, created);
        }
    }
    for (int i = 0; i < FOLLOWERS; i++) strata_feed_close(all[i].feed);
    fixture_close(f);
}

static void commit_in_a_child(void *path) {
    fixture other = { 0 }, *f = &other;
    strata_config config = strata_config_blank();
    config.path = path;
    MUST(strata_store_open(&config, &f->store, &f->error));
    MUST(strata_view_open(f->store, &f->view, &f->error));
    begin(f);
    ADD(OTHER, strata_int(1));
    commit(f);
    raise(SIGKILL); /* nothing is told, nothing is closed */
}

static void *commit_elsewhere(void *path) {
    (void)ctest_child(commit_in_a_child, path);
    return NULL;
}

void test_feed_tells_of_commits_of_others(void) {
    fixture *f = fixture_open("file");
    strata_feed *feed;
    strata_commit *record;
    strata_token token;
    pthread_t thread;
    char path[500];
    apply_things(f);
    snprintf(path, sizeof path, "%s", strata_store_path(f->store));
    MUST(strata_feed_open(f->store, &feed, &f->error));
    MUST(strata_view_token(f->view, &token, &f->error));
    CHECK_EQ(strata_feed_next(feed, &record, &f->error), STRATA_END);
    CHECK_EQ(strata_store_wait(f->store, &token, 0, NULL, &f->error), STRATA_NOT_FOUND);
    CHECK_EQ(pthread_create(&thread, NULL, commit_elsewhere, path), 0);
    CHECK_EQ(strata_store_wait(f->store, &token, 60000, NULL, &f->error), STRATA_OK);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    MUST(strata_feed_next(feed, &record, &f->error));
    strata_commit_info info = strata_commit_info_blank();
    strata_delta delta;
    MUST(strata_commit_get_info(record, &info, &f->error));
    CHECK(info.process != getpid() && info.flags == 0 && info.version == strata_token_version(&token) + 1);
    MUST(strata_commit_next(record, &delta, &f->error));
    CHECK(delta.kind == STRATA_DELTA_CREATE && delta.table == OTHER && delta.key == 1);
    CHECK_EQ(strata_commit_next(record, &delta, &f->error), STRATA_END);
    strata_commit_free(record);
    CHECK_EQ(strata_feed_next(feed, &record, &f->error), STRATA_END);
    begin(f);
    commit(f);
    MUST(strata_feed_next(feed, &record, &f->error)); /* from memory again */
    strata_commit_free(record);
    CHECK_EQ(strata_feed_next(feed, &record, &f->error), STRATA_END);
    CHECK_EQ(tree_entries(f, ST_CHANGES), 2); /* no more for this process, and the other one's are kept for its feed */
    strata_feed_close(feed);
    begin(f);
    commit(f);
    CHECK_EQ(tree_entries(f, ST_CHANGES), 0);
    verify(f);
    fixture_close(f);
}

/* ---- Waiting ---------------------------------------------------------- */

void test_feed_waits_until_it_is_told_otherwise(void) {
    fixture *f = fixture_open_memory();
    strata_token token, other;
    strata_interrupt *interrupt;
    apply_things(f);
    MUST(strata_view_token(f->view, &token, &f->error));
    MUST(strata_interrupt_make(&interrupt, &f->error));
    strata_interrupt_stop(interrupt);
    REFUSED(strata_store_wait(f->store, &token, UINT32_MAX, interrupt, &f->error), STRATA_INTERRUPTED, "interrupted");
    strata_interrupt_free(interrupt);
    other = token;
    other.bytes[0] ^= 1;
    REFUSED(strata_store_wait(f->store, &other, 9, NULL, &f->error), STRATA_OTHER_HISTORY, "another store");
    other = token;
    other.bytes[20] ^= 1;
    REFUSED(strata_store_wait(f->store, &other, 9, NULL, &f->error), STRATA_OTHER_HISTORY, "older copy");
    other = token;
    other.bytes[24]++;
    REFUSED(strata_store_wait(f->store, &other, 9, NULL, &f->error), STRATA_OTHER_HISTORY, "older copy");
    begin(f);
    commit(f);
    MUST(strata_store_wait(f->store, &token, UINT32_MAX, NULL, &f->error));
    fixture_close(f);
}
