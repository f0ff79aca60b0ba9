/* SPDX-License-Identifier: MIT
 *
 * comparison.h -- a comparison with constants, compiled so that single values are tested quickly.
 *
 * Everything that can be decided once is decided when the comparison is compiled (comparison_make.h): ranges of numbers
 * have both bounds included, the values of an IN are sorted, text that is compared without case or marks is folded. All
 * memory is that of the query. A compiled comparison never changes.
 */
#ifndef ST_CONDITION_COMPARISON_H
#define ST_CONDITION_COMPARISON_H

#include "base/buffer.h"
#include "strata_query.h"

/** How values are compared. */
typedef enum st_kind {
    ST_KIND_INT,     /* bool, int, link */
    ST_KIND_REAL,    /* float, double, date */
    ST_KIND_BYTES,   /* string, data, uuid, object id */
    ST_KIND_DECIMAL, /* compared as the bytes of its key */
    ST_KIND_MIXED
} st_kind;

enum { ST_FEW = 12 /* in a set of at most so many values, looking at all of them is as fast as searching */ };

/** NOT_EQUAL is compiled as EQUAL with `negate`. */
typedef struct st_comparison {
    st_kind kind;
    strata_operator op; /* bytes and mixed values: the operator; numbers: IN for a set, otherwise a range of numbers */
    bool negate;        /* the answer is the opposite, also that for null */
    bool null_matches;  /* the answer for null, before it is negated */
    bool code_points;   /* LIKE: the bytes are a string */
    uint32_t fold;      /* bytes and mixed values: the options by which text is folded; the constants are folded */
    int64_t low, high;            /* a range of ints, both included */
    double real_low, real_high;   /* a range of reals, both included */
    strata_bytes bytes;           /* the constant; BETWEEN: the lower one */
    strata_bytes bytes_high;      /* BETWEEN: the upper one */
    strata_value mixed, mixed_high; /* the same for mixed values */
    size_t set_size;                /* IN: how many values `set` has */
    uint8_t *bits;                  /* a set of ints close together: a bit for each int from the least one on */
    uint64_t span;                  /* the greatest int of such a set minus the least one */
    union {
        int64_t *ints;
        double *reals;
        strata_bytes *bytes;
        strata_value *mixed;
    } set; /* IN: the values, ascending */
} st_comparison;

st_kind st_kind_of(strata_type type);

bool st_comparison_int(const st_comparison *comparison, int64_t value);
bool st_comparison_real(const st_comparison *comparison, double value);
/** `folded` is a buffer for the folded value. False, with `*no_memory` set, if there is no memory for it. */
bool st_comparison_bytes(const st_comparison *comparison, strata_bytes value, st_buffer *folded, bool *no_memory);
/** `value` is the 16 bytes of a decimal. */
bool st_comparison_decimal(const st_comparison *comparison, const void *value);
/** A value of any type but null. It does not match if its type does not compare with that of the constant. */
bool st_comparison_mixed(const st_comparison *comparison, const strata_value *value, st_buffer *folded,
                         bool *no_memory);
static inline bool st_comparison_null(const st_comparison *comparison) {
    return comparison->null_matches != comparison->negate;
}
/** A value of the kind of the comparison, or null. */
bool st_comparison_value(const st_comparison *comparison, const strata_value *value, st_buffer *folded,
                         bool *no_memory);
/** False if no bytes of that size can match, so that they need not be read. */
bool st_comparison_size_fits(const st_comparison *comparison, size_t size);

#endif
