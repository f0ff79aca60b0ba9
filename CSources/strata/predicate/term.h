/* SPDX-License-Identifier: MIT
 * term.h -- what stands on either side of an operator. */
#ifndef ST_PREDICATE_TERM_H
#define ST_PREDICATE_TERM_H

#include "predicate/parser.h"

bool st_parse_term(st_parser *parser, st_term *out);
/** What may stand behind IN and BETWEEN: a term, or a list in braces. */
bool st_parse_set(st_parser *parser, st_term *out);
/** The path that begins with a name which was read already. */
bool st_parse_rest(st_parser *parser, const st_token *name, st_term *out);

/** Does the token follow the name of a property, so that what was read is no keyword? It is an operator, a dot or a
 * bracket. */
bool st_on_rest(const st_lexer *lexer);
/** Can a condition end before the token? It is AND, OR, a closing parenthesis or the end. */
bool st_on_condition_end(const st_lexer *lexer);

#endif
