/* SPDX-License-Identifier: MIT
 * test_consumer.c -- consumers get every commit of a file once, in order, or are told that they do not. */
#define _GNU_SOURCE 1
#include "strata_consumer.h"

#include <stdio.h>
#include <unistd.h>

#include "base/bits.h"
#include "changes/journal.h"
#include "store/snapshot.h"
#include "store/tree.h"
#include "support/queue_support.h"
#include "table/view.h"

static void begin(fixture *f) { MUST(strata_view_begin(f->view, &f->error)); }
static void commit(fixture *f) { MUST(strata_view_commit(f->view, &f->error)); }

static uint64_t add_item(fixture *f, strata_view *view, uint64_t id) {
    uint64_t key;
    const strata_value value = strata_int((int64_t)id);
    MUST(strata_object_create(view, ITEM, &value, 1, &key, &f->error));
    CHECK_EQ(key, id);
    return key;
}

static void reopen(fixture *f) {
    strata_config config = strata_config_blank();
    strata_view_close(f->view);
    strata_store_close(f->store);
    config.path = ctest_path("file");
    MUST(strata_store_open(&config, &f->store, &f->error));
    MUST(strata_view_open(f->store, &f->view, &f->error));
}

/* ---- A model ---------------------------------------------------------- */

enum { CONSUMERS = 3, ROUNDS = 400 };
static const char *const names[CONSUMERS] = { "search", "a", "thirty-one bytes: all that fits" };

/* Objects have the keys 1, 2, 3 ... in the order in which they were created. Of each consumer the model knows the last
 * one that it has. */
typedef struct model {
    fixture *f;
    uint64_t random;
    uint64_t created;
    uint64_t has[CONSUMERS];
    bool registered[CONSUMERS];
} model;

static uint64_t pick(model *m, uint64_t limit) { return ctest_random(&m->random) % limit; }

static void commit_some(model *m) {
    fixture *f = m->f;
    begin(f);
    for (uint64_t i = pick(m, 4); i > 0; i--) add_item(f, f->view, ++m->created);
    commit(f);
}

/* Registers one of the consumers in a write that adds an object, too. Returns which, or CONSUMERS. */
static unsigned register_within(model *m, strata_view *view) {
    fixture *f = m->f;
    unsigned i = (unsigned)pick(m, CONSUMERS);
    if (m->registered[i] || pick(m, 2) == 0) return CONSUMERS;
    MUST(strata_consumer_register(view, names[i], 0, &f->error));
    return i;
}

static void commit_a_group(model *m) {
    fixture *f = m->f;
    queued_group group;
    queued_group_ask(f, &group, 3);
    for (uint32_t i = 0; i < group.count; i++) {
        strata_view *view = queued_group_begin(f, &group, i);
        bool keep = pick(m, 4) != 0;
        unsigned consumer = register_within(m, view);
        add_item(f, view, m->created + 1);
        m->created += keep;
        if (keep && consumer < CONSUMERS) m->has[consumer] = m->created, m->registered[consumer] = true;
        queued_group_finish(f, &group, i, keep);
    }
    queued_group_end(&group);
}

static void commit_as_another(void *context) {
    const model *m = context;
    fixture other = { 0 }, *f = &other;
    strata_config config = strata_config_blank();
    config.path = ctest_path("file");
    MUST(strata_store_open(&config, &f->store, &f->error));
    MUST(strata_view_open(f->store, &f->view, &f->error));
    for (uint64_t i = 1; i <= 3; i++) {
        begin(f);
        add_item(f, f->view, m->created + i);
        commit(f);
    }
    _exit(0); /* without closing */
}

static void register_consumer(model *m, unsigned i) {
    fixture *f = m->f;
    begin(f);
    MUST(strata_consumer_register(f->view, names[i], 0, &f->error));
    if (pick(m, 2) == 0) add_item(f, f->view, ++m->created);
    commit(f);
    m->has[i] = m->created;
    m->registered[i] = true;
}

/* Reads records; in the order of keys, without a gap. Returns the last key of the commits that the token names. */
static uint64_t take(model *m, strata_feed *feed, uint64_t last, uint64_t most, strata_token *token) {
    fixture *f = m->f;
    strata_commit *record;
    strata_delta delta;
    uint64_t version = 0, before = last; /* the last key of the commits before `version` */
    strata_status status = STRATA_OK;
    for (; most > 0 && (status = strata_feed_next(feed, &record, &f->error)) == STRATA_OK; most--) {
        strata_commit_info info = strata_commit_info_blank();
        MUST(strata_commit_get_info(record, &info, &f->error));
        CHECK_EQ(info.flags, 0);
        if (info.version != version) before = last;
        version = info.version;
        while (strata_commit_next(record, &delta, &f->error) == STRATA_OK) {
            CHECK_EQ(delta.kind, STRATA_DELTA_CREATE);
            CHECK_EQ(delta.key, ++last);
        }
        strata_commit_free(record);
    }
    CHECK(status >= 0);
    MUST(strata_feed_token(feed, token, &f->error));
    return status == STRATA_END ? last : before;
}

static void advance(model *m, unsigned i, uint64_t most) {
    fixture *f = m->f;
    strata_feed *feed;
    strata_token token;
    MUST(strata_feed_open_consumer(f->store, names[i], &feed, &f->error));
    if (pick(m, 4) == 0) commit_some(m); /* with a feed in memory beside it */
    uint64_t has = take(m, feed, m->has[i], most, &token);
    if (most == UINT64_MAX) CHECK_EQ(has, m->created);
    strata_feed_close(feed);
    begin(f);
    MUST(strata_consumer_advance(f->view, names[i], &token, &f->error));
    bool works = pick(m, 4) == 0;
    if (works) add_item(f, f->view, ++m->created);
    if (pick(m, 8) == 0) {
        strata_view_cancel(f->view);
        m->created -= works;
        return;
    }
    commit(f);
    m->has[i] = has;
}

static void remove_consumer(model *m, unsigned i) {
    fixture *f = m->f;
    begin(f);
    MUST(strata_consumer_remove(f->view, names[i], &f->error));
    commit(f);
    m->registered[i] = false;
}

static void compact(model *m) {
    fixture *f = m->f;
    strata_config config = strata_config_blank();
    strata_compaction sizes;
    strata_view_close(f->view);
    strata_store_close(f->store);
    config.path = ctest_path("file");
    MUST(strata_compact(&config, &sizes, &f->error));
    MUST(strata_store_open(&config, &f->store, &f->error));
    MUST(strata_view_open(f->store, &f->view, &f->error));
}

/* What strata_consumer_next() lists are the consumers of the model. */
static void check_list(model *m) {
    fixture *f = m->f;
    strata_consumer c = strata_consumer_blank();
    unsigned expected = 0, found = 0;
    strata_status status;
    char after[STRATA_MAX_LABEL + 1] = "";
    MUST(strata_view_refresh(f->view, NULL, &f->error));
    for (int i = 0; i < CONSUMERS; i++) expected += m->registered[i];
    while ((status = strata_consumer_next(f->view, found == 0 ? NULL : after, &c, &f->error)) == STRATA_OK) {
        int i = 0;
        while (i < CONSUMERS && strcmp(names[i], c.name) != 0) i++;
        CHECK(i < CONSUMERS && m->registered[i] && strcmp(after, c.name) < 0 && c.expired == 0 && c.limit == 0);
        CHECK(m->has[i] == m->created || (c.lag_commits > 0 && c.lag_bytes > 0 && c.waits_since > 0));
        memcpy(after, c.name, sizeof after);
        found++;
    }
    CHECK_EQ(status, STRATA_END);
    CHECK_EQ(found, expected);
}

static void step(model *m) {
    unsigned i = (unsigned)pick(m, CONSUMERS);
    uint64_t what = pick(m, 100);
    if (what < 35) commit_some(m);
    else if (what < 40) commit_a_group(m);
    else if (what < 80 && m->registered[i]) advance(m, i, pick(m, 2) == 0 ? UINT64_MAX : pick(m, 6));
    else if (what < 90 && !m->registered[i]) register_consumer(m, i);
    else if (what == 91 && m->registered[i]) remove_consumer(m, i);
    else if (what == 92) reopen(m->f);
    else if (what == 93) compact(m);
    else if (what < 97) {
        CHECK_EQ(ctest_child(commit_as_another, m), 0);
        m->created += 3;
        fixture *f = m->f;
        MUST(strata_view_refresh(f->view, NULL, &f->error));
    }
    check_list(m);
}

void test_consumer_gets_every_commit_once(void) {
    fixture *f = fixture_open("file");
    model m = { .f = f, .random = ctest_seed() };
    make_items(f);
    for (unsigned round = 0; round < ctest_rounds(ROUNDS); round++) {
        step(&m);
        if (round % 50 == 0) verify(f);
    }
    for (unsigned i = 0; i < CONSUMERS; i++) {
        if (!m.registered[i]) register_consumer(&m, i);
        advance(&m, i, UINT64_MAX);
    }
    for (unsigned i = 0; i < CONSUMERS; i++) remove_consumer(&m, i);
    /* A few records go at each commit, and then everything is as if nobody had ever been registered. */
    for (uint64_t left = tree_entries(f, ST_CHANGES); left != 0;) {
        commit_some(&m);
        uint64_t now = tree_entries(f, ST_CHANGES);
        CHECK(now < left);
        left = now;
    }
    verify(f);
    fixture_close(f);
}

/* ---- Limits ----------------------------------------------------------- */

static strata_consumer get(fixture *f, const char *after) {
    strata_consumer c = strata_consumer_blank();
    MUST(strata_view_refresh(f->view, NULL, &f->error));
    MUST(strata_consumer_next(f->view, after, &c, &f->error));
    return c;
}

static void commit_empty(fixture *f, int times) {
    for (int i = 0; i < times; i++) begin(f), commit(f);
}

void test_consumer_expires_and_is_told(void) {
    fixture *f = fixture_open("file");
    strata_feed *feed, *other;
    strata_token token;
    strata_commit *record;
    make_items(f);
    MUST(strata_view_token(f->view, &token, &f->error));
    begin(f);
    MUST(strata_consumer_register(f->view, "lazy", 1000, &f->error));
    MUST(strata_consumer_register(f->view, "patient", 1000000, &f->error));
    commit(f);
    CHECK_EQ(get(f, NULL).limit, 1000);
    CHECK_EQ(get(f, NULL).lag_commits, 0);
    CHECK_EQ(get(f, NULL).waits_since, 0);
    MUST(strata_feed_open_consumer(f->store, "lazy", &feed, &f->error));
    commit_empty(f, 20);
    CHECK(get(f, NULL).expired == 1 && get(f, "lazy").expired == 0);
    CHECK_EQ(get(f, "lazy").lag_commits, 20);
    CHECK_EQ(get(f, "lazy").lag_bytes, 20 * 72);
    /* The feed that was open all the time has its records in memory; a new one is refused. */
    for (int i = 0; i < 20; i++) {
        MUST(strata_feed_next(feed, &record, &f->error));
        strata_commit_free(record);
    }
    CHECK_EQ(strata_feed_next(feed, &record, &f->error), STRATA_END);
    MUST(strata_feed_token(feed, &token, &f->error));
    strata_feed_close(feed);
    REFUSED(strata_feed_open_consumer(f->store, "lazy", &feed, &f->error), STRATA_EXPIRED, "'lazy'", "its limit");
    begin(f);
    REFUSED(strata_consumer_advance(f->view, "lazy", &token, &f->error), STRATA_EXPIRED, "register it again");
    MUST(strata_consumer_register(f->view, "lazy", 2000, &f->error));
    commit(f);
    CHECK(get(f, NULL).expired == 0 && get(f, NULL).limit == 2000);
    MUST(strata_feed_open_consumer(f->store, "lazy", &feed, &f->error));
    CHECK_EQ(strata_feed_next(feed, &record, &f->error), STRATA_END);
    strata_feed_close(feed);
    MUST(strata_feed_open_consumer(f->store, "patient", &other, &f->error));
    for (int i = 0; i < 20; i++) {
        MUST(strata_feed_next(other, &record, &f->error));
        strata_commit_free(record);
    }
    CHECK_EQ(strata_feed_next(other, &record, &f->error), STRATA_END); /* passes over the registration */
    strata_feed_close(other);
    verify(f);
    fixture_close(f);
}

void test_consumer_asks_for_what_there_is(void) {
    fixture *f = fixture_open("file");
    strata_token token, later;
    strata_feed *feed;
    strata_consumer c = strata_consumer_blank();
    const char *long_name = "a name of thirty-two bytes, look";
    make_items(f);
    MUST(strata_view_token(f->view, &token, &f->error));
    REFUSED(strata_consumer_register(f->view, "a", 0, &f->error), STRATA_NOT_WRITING, "begin one first");
    REFUSED(strata_feed_open_consumer(f->store, "a", &feed, &f->error), STRATA_NOT_FOUND, "no consumer 'a'");
    REFUSED(strata_feed_open_consumer(f->store, NULL, &feed, &f->error), STRATA_MISUSE, "1 to 31 bytes");
    REFUSED(strata_feed_open_after(f->store, NULL, &feed, &f->error), STRATA_MISUSE, "token is NULL");
    CHECK_EQ(strata_consumer_next(f->view, NULL, &c, &f->error), STRATA_END);
    c.size = 3;
    REFUSED(strata_consumer_next(f->view, NULL, &c, &f->error), STRATA_MISUSE, "3 bytes", "strata_consumer_blank");
    begin(f);
    REFUSED(strata_consumer_register(f->view, "", 0, &f->error), STRATA_MISUSE, "1 to 31 bytes");
    REFUSED(strata_consumer_register(f->view, long_name, 0, &f->error), STRATA_MISUSE, "1 to 31 bytes");
    REFUSED(strata_consumer_register(f->view, "\xff", 0, &f->error), STRATA_MISUSE, "UTF-8");
    REFUSED(strata_consumer_advance(f->view, "a", &token, &f->error), STRATA_NOT_FOUND, "'a'", "register it first");
    REFUSED(strata_consumer_remove(f->view, "a", &f->error), STRATA_NOT_FOUND, "'a'");
    MUST(strata_consumer_register(f->view, "a", 0, &f->error));
    commit(f);
    MUST(strata_view_token(f->view, &later, &f->error));
    commit_empty(f, 1);
    begin(f);
    REFUSED(strata_consumer_advance(f->view, "a", &token, &f->error), STRATA_MISUSE, "cannot go back");
    later.bytes[0] ^= 1;
    REFUSED(strata_consumer_advance(f->view, "a", &later, &f->error), STRATA_OTHER_HISTORY, "another store");
    later.bytes[0] ^= 1;
    later.bytes[16] ^= 1;
    REFUSED(strata_consumer_advance(f->view, "a", &later, &f->error), STRATA_OTHER_HISTORY, "older copy");
    later.bytes[16] ^= 1;
    MUST(strata_consumer_advance(f->view, "a", &later, &f->error));
    later.bytes[24] += 9;
    REFUSED(strata_consumer_advance(f->view, "a", &later, &f->error), STRATA_OTHER_HISTORY, "older copy");
    char name[20];
    for (int i = 1; i < STRATA_MAX_CONSUMERS; i++) {
        snprintf(name, sizeof name, "%d", i);
        MUST(strata_consumer_register(f->view, name, 0, &f->error));
    }
    REFUSED(strata_consumer_register(f->view, "one more", 0, &f->error), STRATA_TOO_LARGE, "at most 256");
    commit(f);
    verify(f);
    fixture_close(f);
}

/* ---- Tokens ----------------------------------------------------------- */

/* How many records there are after a token, or without one in all; or how it fails. */
static long records_after(fixture *f, const strata_token *token) {
    strata_feed *feed;
    strata_commit *record;
    strata_token first;
    long count = 0;
    strata_status status = token == NULL ? strata_feed_open_oldest(f->store, &feed, &f->error)
                                         : strata_feed_open_after(f->store, token, &feed, &f->error);
    if (status != STRATA_OK) return (long)status;
    if (token == NULL) {
        MUST(strata_feed_token(feed, &first, &f->error));
        strata_feed_close(feed);
        return records_after(f, &first);
    }
    while ((status = strata_feed_next(feed, &record, &f->error)) == STRATA_OK) {
        strata_commit_free(record);
        count++;
    }
    strata_feed_close(feed);
    return status == STRATA_END ? count : (long)status;
}

void test_consumer_history_is_kept_for_tokens(void) {
    fixture *f = fixture_open("file");
    strata_token early, token, newest;
    uint64_t before;
    make_items(f);
    MUST(strata_view_token(f->view, &early, &f->error));
    commit_empty(f, 1);
    MUST(strata_view_token(f->view, &token, &f->error));
    CHECK_EQ(records_after(f, &early), STRATA_EXPIRED);
    CHECK_EQ(records_after(f, &token), 0);
    CHECK_EQ(records_after(f, NULL), 0);
    begin(f);
    MUST(strata_history_keep(f->view, 72 * 100, &before, &f->error));
    CHECK_EQ(before, 0);
    commit(f);
    MUST(strata_view_token(f->view, &token, &f->error));
    commit_empty(f, 50);
    reopen(f);
    commit_empty(f, 20);
    CHECK_EQ(records_after(f, &token), 70);
    CHECK_EQ(records_after(f, NULL), 70);
    CHECK_EQ(records_after(f, &early), STRATA_EXPIRED);
    /* A copy has the commits of the original, and then goes its own way. */
    MUST(strata_store_backup(f->store, ctest_path("copy"), STRATA_BACKUP_COMPACT, &f->error));
    commit_empty(f, 1);
    MUST(strata_view_token(f->view, &newest, &f->error));
    fixture *copy = fixture_open("copy");
    CHECK_EQ(records_after(copy, &token), 70);
    CHECK_EQ(records_after(copy, &newest), STRATA_OTHER_HISTORY);
    commit_empty(copy, 1);
    CHECK_EQ(records_after(copy, &token), 71);
    CHECK_EQ(records_after(copy, NULL), 71);
    CHECK_EQ(records_after(copy, &newest), STRATA_OTHER_HISTORY);
    commit_empty(copy, 1);
    CHECK_EQ(records_after(copy, &newest), STRATA_OTHER_HISTORY);
    verify(copy);
    fixture_close(copy);
    /* The oldest ones go. */
    commit_empty(f, 200);
    CHECK_EQ(records_after(f, &token), STRATA_EXPIRED);
    CHECK(tree_entries(f, ST_CHANGES) <= 101 + 1);
    CHECK(records_after(f, NULL) >= 99 && records_after(f, NULL) <= 101);
    begin(f);
    MUST(strata_history_keep(f->view, 0, &before, &f->error));
    CHECK_EQ(before, 7200);
    commit(f);
    commit_empty(f, 20);
    CHECK_EQ(tree_entries(f, ST_CHANGES), 0);
    CHECK_EQ(records_after(f, NULL), 0);
    verify(f);
    fixture_close(f);
}

/* A gap in the records ends what the oldest feed tells of: it begins behind it. */
void test_consumer_oldest_feed_begins_behind_gaps(void) {
    fixture *f = fixture_open("file");
    uint8_t key[12] = { 'r', 0 };
    make_items(f);
    begin(f);
    MUST(strata_consumer_register(f->view, "a", 0, &f->error));
    commit(f);
    uint64_t version = strata_view_version(f->view);
    commit_empty(f, 5);
    CHECK_EQ(records_after(f, NULL), 5);
    begin(f);
    for (size_t i = 0; i < 8; i++) key[2 + i] = (uint8_t)((version + 2) >> (56 - 8 * i));
    MUST(st_tree_delete(f->view->txn, ST_CHANGES, (strata_bytes){ key, sizeof key }, &f->error));
    commit(f);
    CHECK_EQ(records_after(f, NULL), 3);
    fixture_close(f);
}
