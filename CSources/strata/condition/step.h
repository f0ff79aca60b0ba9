/* SPDX-License-Identifier: MIT
 *
 * step.h -- paths and operands, compiled.
 *
 * An operand is what is compared: each value that a path leads to, or an aggregate of them. A step owns the memory that
 * walking it takes, so that walks allocate nothing. In return only one walk goes through an operand at a time.
 */
#ifndef ST_CONDITION_STEP_H
#define ST_CONDITION_STEP_H

#include "block/vector.h"
#include "catalog/catalog.h"
#include "condition/answers.h"
#include "posting/postings_read.h"
#include "strata_query.h"

typedef enum st_step_kind {
    ST_STEP_CELL,          /* a column of one value */
    ST_STEP_ELEMENTS,      /* each element of a list or set, each value of a map */
    ST_STEP_KEYS,          /* each key of a map */
    ST_STEP_ENTRY,         /* the value of a map under a key */
    ST_STEP_ELEMENT,       /* the element of a list at a position */
    ST_STEP_BACKLINKS,     /* each link to the object through a column */
    ST_STEP_SELF,
    ST_STEP_VALUE,         /* the value that is tested; always the first step */
    ST_STEP_INNER_EACH,    /* each element, an entry or an element of what lies inside of a mixed value */
    ST_STEP_INNER_ENTRY,
    ST_STEP_INNER_ELEMENT
} st_step_kind;

/** A step as it is walked. A step of the caller's path that only says more about the collection before it, such as a
 * key or a position, has become a part of that step. */
typedef struct st_step {
    st_step_kind kind;
    uint32_t table;          /* the table of the column */
    uint32_t number;         /* the number of the column */
    const st_column *column; /* INNER: the column whose value it goes into; SELF: NULL */
    uint32_t target;         /* the table of the objects it leads to, or ST_NONE */
    uint32_t linked;         /* BACKLINKS: the table of the object that is linked to */
    int64_t position;
    strata_bytes key;
    union {
        strata_value *values; /* ST_SOURCE_BATCH elements of a collection */
        uint64_t *keys;       /* as many objects that link here */
    } batch;
    st_posting_cursor *cursor; /* BACKLINKS: NULL until the first walk */
    const uint8_t *block;      /* the block that was looked at last, */
    st_vector vector;          /* and the column in it */
    bool revisited;            /* walks may come here from the same object again, and it leads to many values: */
    st_answers answers;        /* does going on from that object find what is looked for? */
} st_step;

/** Does it lead to any number of values? */
static inline bool st_step_is_many(const st_step *step) {
    return step->kind == ST_STEP_ELEMENTS || step->kind == ST_STEP_KEYS || step->kind == ST_STEP_BACKLINKS ||
           step->kind == ST_STEP_INNER_EACH;
}

typedef struct st_operand {
    struct st_operand *next; /* of the query */
    uint32_t table;          /* where the path begins; ST_NONE: at the value that is tested */
    st_step *steps;
    uint32_t step_count;
    bool many;               /* it leads to any number of values */
    strata_aggregate aggregate;
    uint32_t collected;      /* of an aggregate: how many steps lead to the collection, that one included */
    strata_type element;     /* type of the values at the end of the path */
    strata_type type;        /* type of what is compared: that, or the aggregate's */
    uint32_t target;         /* of links: the table they lead to */
    st_buffer scratch;       /* an overflow value that was read on the way */
    st_answers counted;      /* a count with a condition: does an object meet it? */
} st_operand;

/** The number of the column, if the operand is one column of the row itself; otherwise ST_NONE. */
static inline uint32_t st_operand_column(const st_operand *operand) {
    bool plain = operand->step_count == 1 && operand->aggregate == STRATA_EACH_VALUE &&
                 operand->steps[0].kind == ST_STEP_CELL;
    return plain ? operand->steps[0].number : ST_NONE;
}

#endif
