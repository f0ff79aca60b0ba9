/* SPDX-License-Identifier: MIT
 * fuzz.c -- a CHECK that fails ends a fuzz target the way a crash does. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ctest_fail(const char *file, int line, const char *what) {
    fprintf(stderr, "%s:%d: %s\n", file, line, what);
    abort();
}

void ctest_equal(const char *file, int line, const char *what, long long actual, long long expected) {
    if (actual != expected) ctest_fail(file, line, what);
}

void ctest_equal_text(const char *file, int line, const char *what, const char *actual, const char *expected) {
    if (strcmp(actual, expected) != 0) ctest_fail(file, line, what);
}
