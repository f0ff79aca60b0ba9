/* SPDX-License-Identifier: MIT
 *
 * strata_predicate.h -- conditions written as text, such as "age > %@ AND ANY dogs.name BEGINSWITH[c] 'r'".
 *
 * Text is parsed once, without a store, and then resolved against the tables of a view as often as needed:
 *
 *     strata_predicate_parse("age > %@", 8, &argument, 1, &predicate, &error);
 *     strata_predicate_resolve(predicate, view, table, NULL, 0, &condition, &error);
 *     query.nodes = condition->nodes, query.node_count = condition->node_count;
 *
 * The grammar; keywords are read in upper and lower case:
 *
 *     predicate   = predicate ("OR" | "||") predicate | predicate ("AND" | "&&") predicate | ("NOT" | "!") predicate
 *                 | "(" predicate ")" | "TRUEPREDICATE" | "FALSEPREDICATE" | [quantifier] comparison
 *     quantifier  = "ANY" | "SOME" | "NONE"
 *     comparison  = operand operator [options] operand | operand "BETWEEN" (list | argument)
 *                 | operand "IN" [options] (list | argument | path)
 *     operator    = "==" "=" "!=" "<>" "<" "<=" "=<" ">" ">=" "=>" "CONTAINS" "BEGINSWITH" "ENDSWITH" "LIKE"
 *     options     = "[c]" | "[d]" | "[cd]"
 *     operand     = constant | argument | path | "SUBQUERY" "(" path "," "$" name "," predicate ")" "." "@count"
 *     path        = ["$" name "."] step {"." step}      step = name | "SELF" | "@count" | "@min" | "@max" | "@sum"
 *                 | "@avg" | "@allKeys" | "@allValues", each with any number of "[" (string | number | "#any") "]"
 *     argument    = "%@" | "%K" | "%d" and the other integer and real formats | "$" number
 *     constant    = number | string | "true" "yes" "false" "no" | "nil" "null" | typed
 *     list        = "{" [constant {"," constant}] "}"
 *     typed       = "float(1.5)" "double('inf')" "decimal('1.50')" "date(0.0)" "data('0aff')" "uuid('...')"
 *                 | "objectId('...')" "nested('...')" "object(table, key)" "nothing()", shapes, as they are printed; a date
 *                   in seconds since 2001, or as "date('2000-01-31T12:00:00Z')", in UTC or with an offset
 *
 * Strings stand in ' or ", with the escapes \\ \' \" \n \r \t \uXXXX \UXXXXXXXX. A name that is a keyword is
 * written with # in front of it, unless a dot stands there or it makes sense only as a name; one with odd characters
 * #'like this'. In brackets arguments may stand, too, and %K with "#any".
 *
 * AND binds tighter than OR, NOT tightest. "%@" and the formats take the arguments one after the other, "$0" the one
 * with that number; "%K" takes a string, which is a path, and "%d" or "%f" a number, which becomes a whole one or a
 * double. A number that has digits which a double would lose is a decimal. Arguments that nothing takes are ignored.
 * "object" takes the number of a table, not its name. A constant may stand on the left of == and its like, not of
 * CONTAINS and its like. A predicate has at most 64 MiB of text, 190 conditions inside each other, 20 subqueries
 * inside each other, and 100 steps of a path; STRATA_MAX_NODES conditions, STRATA_MAX_CONSTANTS values in a list, and
 * as many arguments; and shapes and patterns as strata_query.h says.
 *
 * Thread: a predicate is immutable and may be used from every thread; a condition likewise.
 */
#ifndef STRATA_PREDICATE_H
#define STRATA_PREDICATE_H

#include "strata_query.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum STRATA_ENUM strata_argument_kind {
    STRATA_ARGUMENT_VALUE = 0,  /**< `value`; a link names its table */
    STRATA_ARGUMENT_LIST = 1,   /**< `values`, for IN and BETWEEN */
    STRATA_ARGUMENT_SHAPE = 2,  /**< `shape`, for IN: lies within. The path leads to points, which are objects of an
                                     embedded table with "type" and "coordinates": see strata_shape */
    STRATA_ARGUMENT_NOTHING = 3 /**< an object that is in no store, or a list of none: equal to nothing, also not to
                                     null */
} strata_argument_kind;

typedef struct strata_argument {
    strata_argument_kind kind;
    strata_value value;
    const strata_value *values;
    uint32_t value_count;
    const strata_shape *shape;
} strata_argument;

typedef struct strata_predicate strata_predicate;

/**
 * Parses text. Everything it needs is copied.
 *
 * Ownership: the caller frees `*out` with strata_predicate_free().
 * Fails: STRATA_MISUSE with the column, counted in characters from 1, and what was expected there; STRATA_NO_MEMORY.
 */
STRATA_CHECKED strata_status strata_predicate_parse(const char *text, size_t size, const strata_argument *arguments,
                                                    uint32_t argument_count, strata_predicate **out,
                                                    strata_error *error);
void strata_predicate_free(strata_predicate *predicate);

/** Are they of the same form, with equal constants? Spelling does not matter: that of operators, parentheses that
 * change nothing, the side of a constant. */
bool strata_predicate_equal(const strata_predicate *a, const strata_predicate *b);

/**
 * Writes the predicate in its plainest spelling, with the constants in it: parsed without arguments, the text gives an
 * equal predicate. At most `size` bytes, the zero included, go to `buffer`; returns the length of all of it, without
 * the zero.
 */
size_t strata_predicate_print(const strata_predicate *predicate, char *buffer, size_t size);

/** A name that leads somewhere else than to the column of that name. */
typedef struct strata_alias {
    uint32_t table;   /**< in which it is a name */
    const char *name;
    strata_step step; /**< STRATA_STEP_COLUMN or STRATA_STEP_BACKLINKS */
} strata_alias;

/** The condition of a query. */
typedef struct strata_condition {
    const strata_node *nodes;
    uint32_t node_count;
} strata_condition;

/**
 * Finds the columns that a predicate on objects of `table` names, and checks quantifiers and types. `aliases` are
 * looked at before the names of columns, and not kept.
 *
 * Numbers become what a column stores; an int column takes whole ones only, a bool column also 0 and 1. Every other
 * constant has the type of its column. A path through a collection needs a quantifier or an aggregate, unless it is
 * looked into with IN, or ends in @allKeys, @allValues or #any; a path through a mixed value may have one. `x IN path`
 * also looks into the list or map in a mixed value, as path[#any] does, and a STRATA_IN of nodes does not. Behind a
 * collection [#any] stands for each of its elements: brackets behind it are about what lies inside of that. What can
 * never hold becomes STRATA_FALSE: IN an empty list, an order against null, a search for an empty string. Options
 * are for strings: a data column is compared as it is, whatever they say. A value of any type that is data is searched,
 * and asked with LIKE, as a string of the same bytes would be, options included; only a ? stands for one byte of it. It
 * never equals a string.
 *
 * Ownership: the caller frees `*out` with strata_condition_free(). It needs neither the predicate nor the view, only
 *   that the numbers of tables and columns stay what they are.
 * Fails: STRATA_MISUSE and STRATA_TYPE with the column in the text and the likely fix, such as
 *   "at column 17: no property 'nmae' in Dog; did you mean 'name'?"; STRATA_NO_MEMORY.
 */
STRATA_CHECKED strata_status strata_predicate_resolve(const strata_predicate *predicate, strata_view *view,
                                                      uint32_t table, const strata_alias *aliases,
                                                      uint32_t alias_count, strata_condition **out,
                                                      strata_error *error);
/**
 * The same for a predicate on the values of `column`, a list, set or map of `table`, or on what is nested in a mixed
 * one. SELF is the value, as in "SELF > 3"; behind a link a path may begin with the name of a property. The condition
 * is for strata_collection_select() and strata_nested_select().
 */
STRATA_CHECKED strata_status strata_predicate_resolve_values(const strata_predicate *predicate, strata_view *view,
                                                             uint32_t table, uint32_t column,
                                                             const strata_alias *aliases, uint32_t alias_count,
                                                             strata_condition **out, strata_error *error);
void strata_condition_free(strata_condition *condition);

#ifdef __cplusplus
}
#endif
#endif
