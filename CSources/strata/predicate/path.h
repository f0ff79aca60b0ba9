/* SPDX-License-Identifier: MIT
 * path.h -- paths: names with dots between them, and what may stand in brackets. */
#ifndef ST_PREDICATE_PATH_H
#define ST_PREDICATE_PATH_H

#include "predicate/parser.h"

/** Makes `component` number `count` of the path being parsed. */
bool st_path_add(st_parser *parser, size_t count, st_component component);
/** The rest of a path, whose first `count` components are known; the token is a dot, a bracket or behind the path.
 * Without any, the path begins here. */
bool st_parse_components(st_parser *parser, size_t count, st_term *out);

#endif
