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

uint64_t ctest_random(uint64_t *state) {
    *state += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t z = *state;
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

/* Targets have no files: a name is as good as a path. */
const char *ctest_path(const char *name) { return name; }
