/* SPDX-License-Identifier: MIT
 * parse.h -- conditions: comparisons, and AND, OR and NOT between them. */
#ifndef ST_PREDICATE_PARSE_H
#define ST_PREDICATE_PARSE_H

#include "predicate/parser.h"

/** A whole condition, up to a token that cannot go on with it. NULL after a failure. */
st_clause *st_parse_condition(st_parser *parser);

#endif
