/* SPDX-License-Identifier: MIT
 * literal.h -- constants with their type in front of them, such as date(0.0). */
#ifndef ST_PREDICATE_LITERAL_H
#define ST_PREDICATE_LITERAL_H

#include "predicate/parser.h"

/** The rest of a constant whose name was read, from its parenthesis on. `column` is that of the name. */
bool st_parse_typed(st_parser *parser, strata_bytes name, uint32_t column, strata_argument *out);

#endif
