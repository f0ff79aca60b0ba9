/* SPDX-License-Identifier: MIT
 *
 * access.h -- access paths: how indexes lead to the objects that meet a condition.
 *
 * The simplest access is a list of ranges of one index. Others are made of accesses: a union where one of several
 * comparisons has to hold, an intersection where all have to, and a step back along links from the objects of another
 * access. An access lies in the memory of its query. Its numbers are known once st_access_count() was called.
 */
#ifndef ST_PLAN_ACCESS_H
#define ST_PLAN_ACCESS_H

#include "condition/query.h"
#include "condition/test.h"

typedef enum st_access_kind {
    ST_ACCESS_RANGES,       /* entries of an index */
    ST_ACCESS_OBJECTS,      /* some objects by their keys, as far as they exist */
    ST_ACCESS_UNION,        /* what any of the inputs leads to; without inputs: nothing */
    ST_ACCESS_INTERSECTION, /* what all of the inputs lead to */
    ST_ACCESS_LINKED        /* what links to an object that the only input leads to */
} st_access_kind;

typedef struct st_access {
    st_access_kind kind;
    bool exact;                /* every object it leads to meets the condition */
    bool copies;               /* it may lead to an object more than once */
    bool points;               /* RANGES: every range is of one value */
    bool counted;              /* `entries` and `cost` are known */
    st_posting_set set;        /* RANGES: the index; LINKED: that of the links */
    const st_table *table;     /* the table of the index */
    const st_index *index;     /* RANGES: the index if it is a compound one, otherwise NULL */
    const st_column *column;   /* RANGES of another index, and LINKED: its column */
    st_posting_range *ranges;  /* in order, apart from each other */
    size_t range_count;
    uint32_t input_count;
    struct st_access **inputs;
    const uint64_t *keys;      /* OBJECTS: ascending, `entries` of them */
    st_test *label;            /* RANGES and OBJECTS: the condition they stand for, to explain the plan; NULL: none */
    uint64_t entries;          /* how many objects it leads to, at most; for LINKED an estimate */
    uint64_t cost;             /* of finding all of them, in nanoseconds */
} st_access;

/** Some of the tests that are joined by an AND, a bit for each of the first 64. */
typedef uint64_t st_test_set;
enum { ST_MOST_TESTS = 64 };

/* What steps cost in relation to each other, in nanoseconds as measured once. */
enum {
    ST_COST_SCANNED = 6,   /* a row of a scan, tested */
    ST_COST_SOUGHT = 250,  /* a row looked up, by ascending keys; those of a scan stand beside each other */
    ST_COST_FAR = 400,     /* a row looked up anywhere */
    ST_COST_SORTED = 60,   /* a row sorted */
    ST_COST_WALKED = 20,   /* an entry with its value */
    ST_COST_ENTRY = 2,     /* an entry in the range of a single value */
    ST_COST_MIXED = 6,     /* an entry in other ranges, whose object keys have to be put in order */
    ST_COST_RANGE = 300    /* beginning a range */
};

/** a * b, but never so much that sums overflow. */
static inline uint64_t st_cost_times(uint64_t a, uint64_t b) {
    uint64_t product, most = UINT64_MAX / 4;
    return __builtin_mul_overflow(a, b, &product) || product > most ? most : product;
}

/** `size` bytes of the query's memory. NULL after a failure, which is noted. */
void *st_access_alloc(st_query *query, size_t size);

/** Counts the entries of ranges, unless that was done. To be called when no other ranges of the same index will be
 * merged into it. False after a failure. */
bool st_access_count(st_query *query, st_access *access);
/** Are both ranges of the same index? */
bool st_access_same_index(const st_access *a, const st_access *b);
/** Makes `access` out of itself and `more`, ranges of the same index: their intersection if the operator is AND, their
 * union if it is OR. False after a failure. */
bool st_access_merge(st_query *query, st_access *access, strata_operator op, const st_access *more);
/** Leaves only the entries that lie in some other ranges, too. False after a failure. */
bool st_access_narrow(st_query *query, st_access *access, const st_posting_range *ranges, size_t count);
/** One access made of counted ones; a single one stays as it is, unless it is LINKED. NULL after a failure. */
st_access *st_access_join(st_query *query, st_access_kind kind, st_access **inputs, uint32_t count);

/** Tests that an operator, AND or OR, joins are a list, however they are nested: how many, and which. */
uint32_t st_tests_count(const st_test *test, strata_operator op);
uint32_t st_tests_gather(st_test *test, strata_operator op, st_test **out);
/** Two tests as one; `a` may be NULL. NULL after a failure. */
st_test *st_tests_join(st_query *query, strata_operator op, st_test *a, st_test *b);

#endif
