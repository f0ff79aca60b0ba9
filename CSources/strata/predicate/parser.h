/* SPDX-License-Identifier: MIT
 *
 * parser.h -- the state of a parser.
 *
 * The parser is a recursive descent: parse.h has conditions, term.h the sides of a comparison, path.h paths, argument.h
 * and literal.h constants. Unless it says otherwise, a function begins at the first token of what it reads and ends
 * behind the last one. It returns false or NULL after a failure, which is noted in the lexer. Whatever it makes lies in
 * `memory`.
 */
#ifndef ST_PREDICATE_PARSER_H
#define ST_PREDICATE_PARSER_H

#include "predicate/lexer.h"
#include "predicate/tree.h"

/** The variable of a subquery that the parser is inside of. */
typedef struct st_scope {
    strata_bytes variable;
    const struct st_scope *outer;
    uint32_t depth;
} st_scope;

typedef struct st_parser {
    st_lexer lexer;
    st_arena *memory;
    const strata_argument *arguments;
    uint32_t argument_count;
    uint32_t next_argument; /* the one that the next %@ or other format takes */
    const st_scope *scope;  /* NULL outside of subqueries */
    bool behind_operator;   /* on the right side of a comparison */
    uint32_t node_count;    /* at most so many nodes will be made of the clauses so far */
    struct st_level *closed; /* levels that were closed, to be used again */
    st_component *components; /* of the path being parsed: room for ST_PREDICATE_COMPONENTS */
    struct {
        void *items;
        size_t capacity;
    } values;               /* of the list being parsed */
} st_parser;

#endif
