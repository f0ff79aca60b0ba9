/* SPDX-License-Identifier: MIT
 *
 * access.h -- ways to the objects that meet a condition, by indexes.
 *
 * Ranges of one index are such a way, and so is what leads through links to the objects of another one; ways are united
 * where one of several comparisons has to hold, and met where all have to.
 */
#ifndef ST_PLAN_ACCESS_H
#define ST_PLAN_ACCESS_H

#include "condition/query.h"
#include "write/index.h"

typedef enum st_access_kind {
    ST_ACCESS_RANGES, /* entries of an index */
    ST_ACCESS_OBJECTS, /* some objects by their keys, as far as they exist */
    ST_ACCESS_UNION,  /* what any of the parts leads to; of none: nothing */
    ST_ACCESS_INTERSECTION,   /* what all of them lead to */
    ST_ACCESS_LINKED  /* what links to an object that the only part leads to */
} st_access_kind;

typedef struct st_access {
    st_access_kind kind;
    bool exact;                /* every object it leads to meets the condition */
    bool copies;               /* it may lead to an object more than once */
    bool points;               /* every range is of one value */
    bool counted;              /* `entries` and `cost` are known */
    st_posting_set set;        /* the index; of LINKED, that of the links */
    const st_table *table;     /* whose index it is */
    const st_index *index;     /* if it is a compound one */
    const st_column *column;   /* of the other indexes, and of links */
    st_posting_range *ranges;  /* in order, apart from each other */
    size_t range_count;
    uint32_t part_count;
    struct st_access **parts;
    const uint64_t *keys;      /* of OBJECTS: ascending, `entries` of them */
    st_test *label;             /* what objects it leads to, for people; of RANGES and OBJECTS. NULL: all */
    uint64_t entries;          /* how many objects it leads to, or at most; what LINKED leads to is guessed */
    uint64_t cost;             /* of finding them all, in nanoseconds */
} st_access;

/** A comparison, as an index is asked it. */
typedef struct st_index_probe {
    const strata_node *node;
    const st_comparison *comparison;
    const st_column *column;
    st_field field;
    bool opposite;             /* it must not hold */
} st_index_probe;

/** What the index of a column can say about a comparison. */
typedef struct st_index_match {
    st_posting_set set;
    st_posting_range *ranges;
    size_t range_count;
    bool exact;                /* all entries in the ranges meet the comparison */
    bool points;               /* of EQUAL and IN: every range is of one value */
    bool copies;
} st_index_match;

/* What steps cost in relation to each other, in nanoseconds as measured once. */
enum {
    ST_COST_SCANNED = 6,   /* a row of a scan, tested */
    ST_COST_SOUGHT = 250,  /* a row looked up, by ascending keys; those of a scan stand beside each other */
    ST_COST_FAR = 400,     /* a row looked up anywhere */
    ST_COST_SORTED = 60,   /* a row sorted */
    ST_COST_WALKED = 20,   /* an entry with its value */
    ST_COST_ENTRY = 2,     /* an entry of one value of an index */
    ST_COST_MIXED = 6,     /* an entry of several, whose keys have to be put in order */
    ST_COST_RANGE = 300    /* beginning a range */
};

/** a * b, but never so much that sums overflow. */
static inline uint64_t st_cost_times(uint64_t a, uint64_t b) {
    uint64_t product, most = UINT64_MAX / 4;
    return __builtin_mul_overflow(a, b, &product) || product > most ? most : product;
}

/* access.c */

/** The cheapest way to the objects of the query's table that meet a condition. NULL if no index helps, and after a
 * failure, which the query notes. */
st_access *st_access_of(st_query *query, st_test *test);
/** The same for tests that all have to hold, with what is then to be tested. `visits` if rows are looked at anyway. */
st_access *st_access_of_all(st_query *query, st_test **tests, uint32_t count, bool visits, st_test ***rest,
                            uint32_t *rest_count);
/** How many tests a condition consists of that are joined by an operator, AND or OR, and which. */
uint32_t st_tests_count(const st_test *test, strata_operator op);
uint32_t st_tests_gather(st_test *test, strata_operator op, st_test **out);
/** Two tests as one; `a` may be NULL. NULL after a failure. */
st_test *st_tests_join(st_query *query, strata_operator op, st_test *a, st_test *b);
/** Counts the entries of its ranges, unless that was done; when no others of the same index can join them any more.
 * False after a failure. */
bool st_access_count(st_query *query, st_access *access);
/** What the index of a column can say about the tests, if only that it has all objects. `*exactly` has a bit for each
 * test that need not be tested then. NULL after a failure. */
st_access *st_access_by_column(st_query *query, const st_column *column, st_test **tests, uint32_t count,
                               uint64_t *exactly);
/** `size` bytes of the query's memory. NULL after a failure, which is noted. */
void *st_access_alloc(st_query *query, size_t size);

/* access_compound.c */

/** Ranges of compound indexes that serve some of the tests. For each one, `covers[i]` has a bit for each test it
 * serves, and `exactly[i]` for each that need not be tested then. Returns how many; at most `room`. */
uint32_t st_access_compound(st_query *query, st_test **tests, uint32_t count, st_access **out, uint64_t *covers,
                            uint64_t *exactly, uint32_t room);

/** The same for one of them, however little it serves. `*fixed` of its first columns are equal to values, which are put
 * into `equal`. NULL after a failure. */
st_access *st_access_by_compound(st_query *query, const st_index *index, st_test **tests, uint32_t count,
                                 uint64_t *covers, uint64_t *exactly, uint32_t *fixed,
                                 strata_value equal[STRATA_MAX_INDEX_COLUMNS]);

/* ranges.c */

/** Turns a comparison into ranges of the index of its column. False if there is none for it; a failure is noted in the
 * query. */
bool st_ranges_of(st_query *query, const st_index_probe *probe, st_index_match *out);
/** What two lists of ranges have in common; `out` has room for both. Returns how many there are. */
size_t st_ranges_intersect(const st_posting_range *a, size_t a_count, const st_posting_range *b, size_t b_count,
                      st_posting_range *out);
/** Puts ranges in order and makes one of those that overlap. Returns how many are left. */
size_t st_ranges_union(st_posting_range *ranges, size_t count);

/* access_keys.c */

/** Object keys, ascending, each once. Freed with free(). */
typedef struct st_key_list {
    uint64_t *keys;
    size_t count;
} st_key_list;

/** Collects what an access leads to. Whatever it returns, `out` is freed by the caller. */
strata_status st_access_keys(st_query *query, const st_access *access, st_key_list *out);

#endif
