/* SPDX-License-Identifier: MIT
 * test_segments.c -- segments tell where the elements of a plain array went. */
#include "observe/segments.h"

#include <string.h>

#include "tests.h"

enum { MOST = 400, OPERATIONS = 60 };

typedef struct model {
    uint64_t origins[MOST]; /* positions before, or ST_SEGMENT_NEW */
    size_t count;
    bool set[MOST]; /* by positions before */
} model;

static strata_delta draw(const model *m, uint64_t *random) {
    static const strata_delta_kind kinds[] = { STRATA_DELTA_INSERT, STRATA_DELTA_SET, STRATA_DELTA_REMOVE };
    strata_delta d = { .kind = m->count == 0 ? STRATA_DELTA_INSERT : kinds[ctest_random(random) % 3] };
    d.position = ctest_random(random) % (m->count + (d.kind == STRATA_DELTA_INSERT));
    uint64_t room = d.kind == STRATA_DELTA_REMOVE ? m->count - d.position : 5;
    d.count = d.kind == STRATA_DELTA_SET ? 1 : 1 + ctest_random(random) % (room < 5 ? room : 5);
    return d;
}

static void apply(model *m, const strata_delta *d) {
    uint64_t *at = m->origins + d->position;
    size_t behind = m->count - d->position;
    if (d->kind == STRATA_DELTA_SET && *at != ST_SEGMENT_NEW) m->set[*at] = true;
    if (d->kind == STRATA_DELTA_INSERT) {
        memmove(at + d->count, at, behind * sizeof *at);
        for (size_t i = 0; i < d->count; i++) at[i] = ST_SEGMENT_NEW;
        m->count += d->count;
    }
    if (d->kind == STRATA_DELTA_REMOVE) {
        memmove(at, at + d->count, (behind - d->count) * sizeof *at);
        m->count -= d->count;
    }
}

static void check(const st_segments *s, const model *m) {
    size_t at = 0;
    CHECK(!s->lost);
    CHECK_EQ(s->size, m->count);
    for (size_t i = 0; i < s->count; i++) {
        CHECK(s->items[i].count > 0);
        for (uint64_t n = 0; n < s->items[i].count; n++, at++) {
            CHECK(at < m->count);
            uint64_t first = s->items[i].first;
            CHECK_EQ(m->origins[at], first == ST_SEGMENT_NEW ? first : first + n);
        }
    }
    CHECK_EQ(at, m->count);
    bool set[MOST] = { false };
    for (size_t i = 0; i < s->set.count; i++) set[s->set.items[i]] = true;
    CHECK(memcmp(set, m->set, sizeof set) == 0);
}

void test_segments_are_a_plain_array(void) {
    uint64_t random = ctest_seed();
    for (int round = 0; round < 500; round++) {
        model m = { .count = ctest_random(&random) % 100 };
        for (size_t i = 0; i < m.count; i++) m.origins[i] = i;
        st_segments s;
        CHECK(st_segments_begin(&s, m.count));
        for (int i = 0; i < OPERATIONS; i++) {
            strata_delta d = draw(&m, &random);
            apply(&m, &d);
            CHECK(st_segments_apply(&s, &d));
            check(&s, &m);
        }
        st_segments_free(&s);
    }
}

void test_segments_that_do_not_fit_are_lost(void) {
    const strata_delta wrong[] = {
        { .kind = STRATA_DELTA_INSERT, .position = 11, .count = 1 },
        { .kind = STRATA_DELTA_REMOVE, .position = 8, .count = 3 },
        { .kind = STRATA_DELTA_REMOVE, .position = 1, .count = UINT64_MAX },
        { .kind = STRATA_DELTA_SET, .position = 10, .count = 1 },
        { .kind = STRATA_DELTA_INSERT, .position = 0, .count = UINT64_MAX },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        st_segments s;
        CHECK(st_segments_begin(&s, 10));
        CHECK(st_segments_apply(&s, &wrong[i]));
        CHECK(s.lost);
        st_segments_free(&s);
    }
}
