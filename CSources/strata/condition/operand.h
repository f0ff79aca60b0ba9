/* SPDX-License-Identifier: MIT
 *
 * operand.h -- what is compared: the values that a path leads to, or an aggregate of them.
 *
 * A path is walked from object to object, and each value at its end is shown to a visitor. Steps own the memory
 * that takes, so that no row allocates any; in return an operand is walked by one walk at a time. A link that leads to
 * no object makes the value null, and in a path with collections leads to nothing.
 */
#ifndef ST_CONDITION_OPERAND_H
#define ST_CONDITION_OPERAND_H

#include "condition/query.h"

typedef enum st_step_kind {
    ST_STEP_CELL,          /* a column of one value */
    ST_STEP_ELEMENTS,      /* each element of a list or set, each value of a map */
    ST_STEP_KEYS,          /* each key of a map */
    ST_STEP_ENTRY,         /* the value of a map under a key */
    ST_STEP_ELEMENT,       /* the element of a list at a position */
    ST_STEP_BACKLINKS,     /* each link to the object through a column */
    ST_STEP_SELF,
    ST_STEP_INNER_EACH,    /* the same inside of a mixed value */
    ST_STEP_INNER_ENTRY,
    ST_STEP_INNER_ELEMENT
} st_step_kind;

/** A step as it is walked; what is said about a map or a list behind its column is part of that step. */
typedef struct st_step {
    st_step_kind kind;
    uint32_t table;          /* where the column is */
    uint32_t number;         /* of the column */
    const st_column *column; /* of an inner step, the one whose value it goes into; of SELF, none */
    uint32_t target;         /* table of the objects it leads to, or ST_NONE */
    uint32_t linked;         /* of backlinks: the table that is linked to */
    int64_t position;
    strata_bytes key;
    union {
        strata_value *values; /* ST_SOURCE_BATCH elements of a collection */
        uint64_t *keys;       /* the same of backlinks */
    } batch;
    st_posting_cursor *cursor; /* of backlinks, once it was needed */
    const uint8_t *block;      /* looked at last, and the column in it; blocks stay where they are */
    st_vector vector;
} st_step;

/** Does it lead to any number of values? */
static inline bool st_step_is_many(const st_step *step) {
    return step->kind == ST_STEP_ELEMENTS || step->kind == ST_STEP_KEYS || step->kind == ST_STEP_BACKLINKS ||
           step->kind == ST_STEP_INNER_EACH;
}

typedef struct st_operand {
    struct st_operand *next; /* of the query */
    uint32_t table;          /* where the path begins */
    st_step *steps;
    uint32_t step_count;
    bool many;               /* it leads to any number of values */
    strata_aggregate aggregate;
    uint32_t collected;      /* of an aggregate: steps to the collection, that one included */
    strata_type element;     /* type of the values at the end of the path */
    strata_type type;        /* type of what is compared: that, or the aggregate's */
    uint32_t target;         /* of links: their table */
    st_buffer scratch;       /* a large value on the way */
} st_operand;

/** Columns of its own object, without steps beyond them, by the number of the column; ST_NONE if it is more. */
static inline uint32_t st_operand_column(const st_operand *operand) {
    bool plain = operand->step_count == 1 && operand->aggregate == STRATA_EACH_VALUE &&
                 operand->steps[0].kind == ST_STEP_CELL;
    return plain ? operand->steps[0].number : ST_NONE;
}

/** Called for each value of a walk; bytes are lent until it returns. True: the walk ends. */
typedef bool (*st_visitor)(void *context, const strata_value *value);

/* path_make.c */

/** Checks a path from objects of `table` and turns it into steps. Fails: STRATA_MISUSE, STRATA_TYPE, ... */
strata_status st_path_make(st_query *query, const strata_operand *spec, st_operand *out);

/* path.c */

/** The column of a step in the block of a row. NULL after a failure. */
const st_vector *st_step_vector(st_query *query, st_step *step, const st_stored_row *row);
/** Shows the values behind the first `steps` steps. True if a visitor ended it; failures are noted in the query. */
bool st_path_walk(st_query *query, st_operand *operand, uint32_t steps, const st_stored_row *row, st_visitor visit,
                  void *context);
/** The value of an operand that is a column of its own object; see st_operand_column(). Bytes are lent until the next
 * one. False after a failure. */
bool st_operand_value(st_query *query, st_operand *operand, const st_stored_row *row, strata_value *out);
/** How many elements there are in the collection that the first `steps` steps lead to. */
uint64_t st_path_count(st_query *query, st_operand *operand, uint32_t steps, const st_stored_row *row);

/* operand.c */

/** Checks an operand for objects of `table`. Lifetime: that of the query. Fails: STRATA_MISUSE, STRATA_TYPE, ... */
strata_status st_operand_make(st_query *query, uint32_t table, const strata_operand *spec, st_operand **out);
void st_operand_free(st_operand *operand);
/** What it is, for messages: "age of Dog", "the count of dogs of Person". Returns `out`. */
enum { ST_OPERAND_NAME = 256 };
const char *st_operand_name(const st_query *query, const st_operand *operand, char out[ST_OPERAND_NAME]);
/** The value of an aggregate. It holds no bytes. `counted`: see st_test. */
strata_value st_operand_total(st_query *query, st_operand *operand, const st_test *counted, const st_stored_row *row);
/** Relative to looking at a number. */
uint32_t st_operand_cost(const st_operand *operand);

/* pair.c */

/** Checks what two operands are compared by; the kind of the comparison. Fails: STRATA_TYPE, STRATA_MISUSE. */
strata_status st_pair_check(st_query *query, const strata_node *node, const st_operand *left, const st_operand *right,
                            st_kind *out);
/** Does the comparison hold for any two values of its operands? */
bool st_pair_match(st_query *query, const st_test *test, const st_stored_row *row);
/** Does it hold for two values? */
bool st_pair_meets(st_query *query, const st_test *test, const strata_value *left, const strata_value *right);

#endif
