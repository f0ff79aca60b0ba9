/* SPDX-License-Identifier: MIT
 * tests.h -- what every test_<noun>.c includes: the checks, and the tests as list.def names them. */
#ifndef TESTS_H
#define TESTS_H

#include "ctest.h"

/* Tests write tables and columns by position, and leave out what is to be zero. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

#define CTEST(name) void name(void);
#include "list.def"
#undef CTEST

#endif
