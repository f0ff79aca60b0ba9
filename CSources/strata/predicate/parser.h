/* SPDX-License-Identifier: MIT
 * parser.h -- what the files of the parser share. */
#ifndef ST_PREDICATE_PARSER_H
#define ST_PREDICATE_PARSER_H

#include "predicate/lexer.h"

/** Variables of the subqueries the parser is inside of. */
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
    uint32_t next_argument; /* the next one for %@ and its like */
    const st_scope *scope;  /* NULL outside of subqueries */
    bool behind_operator;   /* on the right side of a comparison */
    uint32_t node_count;    /* at most so many nodes have the clauses made so far */
    struct st_level *closed; /* levels that may be opened again */
    st_part *parts;         /* those of the path under way: room for ST_PREDICATE_PARTS */
    struct {
        void *items;
        size_t capacity;
    } values;               /* of the list under way */
} st_parser;

/* predicate_parse.c */

/** A whole predicate, up to a token that cannot go on with it. NULL after a failure. */
st_clause *st_parse_condition(st_parser *parser);

/* predicate_term.c: one side of a comparison. All return false after a failure. */

bool st_parse_term(st_parser *parser, st_term *out);
/** Is this what follows the name of a property, rather than a keyword: an operator, a dot or a bracket? */
bool st_on_rest(const st_lexer *lexer);
/** The path that begins with a name the lexer is already behind of. */
bool st_parse_rest(st_parser *parser, const st_token *name, st_term *out);
/** What may stand behind IN and BETWEEN: a list in braces, too. */
bool st_parse_set(st_parser *parser, st_term *out);

/* predicate_path.c */

/** The rest of a path behind its first `count` parts, which are among the parser's; at a dot, a bracket or its end. */
bool st_parse_parts(st_parser *parser, size_t count, st_term *out);
bool st_add_part(st_parser *parser, size_t count, st_part part);
/** Adds the parts of the key path in an argument. */
bool st_parse_key_path(st_parser *parser, strata_bytes text, uint32_t column, size_t *count);
/** The number of the part that `@text` names. */
bool st_part_of_at(st_parser *parser, strata_bytes text, uint32_t column, st_part *out);

/* predicate_argument.c */

/** The argument that the format or number under the lexer stands for. NULL after a failure. */
const strata_argument *st_take_argument(st_parser *parser);
/** A copy that lies in the memory of the predicate; checked. */
bool st_copy_argument(st_parser *parser, const strata_argument *argument, uint32_t column, strata_argument *out);

/* predicate_literal.c */

/** A constant such as date(0), behind its name. */
bool st_parse_typed(st_parser *parser, strata_bytes name, uint32_t column, strata_argument *out);

/* predicate_term.c */

/** Whether a condition can end here: at the end, AND, OR or a closing parenthesis. */
bool st_on_condition_end(const st_lexer *lexer);

/* predicate_names.c */

/** The word that was probably meant by a name; NULL if none is like it. */
const char *st_likest_word(strata_bytes name, const char *const *words, size_t count);

#endif
