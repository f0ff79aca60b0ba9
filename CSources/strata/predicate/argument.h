/* SPDX-License-Identifier: MIT
 * argument.h -- the constants that are given beside the text. */
#ifndef ST_PREDICATE_ARGUMENT_H
#define ST_PREDICATE_ARGUMENT_H

#include "predicate/parser.h"

/** The argument that the token, a format or a number such as $0, stands for. NULL after a failure. */
const strata_argument *st_consume_argument(st_parser *parser);
/** Checks an argument and copies it to the memory of the predicate. */
bool st_copy_argument(st_parser *parser, const strata_argument *argument, uint32_t column, strata_argument *out);

#endif
