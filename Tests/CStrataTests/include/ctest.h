/* SPDX-License-Identifier: MIT
 *
 * ctest.h -- the tests of the C core: how they are written, and how a runner (C or Swift) runs them.
 *
 * A test is `void test_<what>(void)` in some test_<noun>.c, which includes tests.h, and one line
 * CTEST(test_<what>) in list.def.
 * The first failed CHECK ends it. Tests run one at a time, each with a private directory of its own.
 */
#ifndef CTEST_H
#define CTEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- For runners ------------------------------------------------------ */

/** How many tests there are. */
int ctest_count(void);
/** The name of a test, without the "test_" in front. */
const char *ctest_name(int index);
/** Runs a test: NULL if it passed, otherwise what failed. Lifetime: until the next run. */
const char *ctest_run(int index);
/** Why the last test that passed could not look at everything on this machine, or NULL. */
const char *ctest_skipped(void);

/* ---- For tests -------------------------------------------------------- */

/** Fails the test unless the condition holds. On a thread that the test started, the failure is noted and the
 * thread goes on; in a child process, the child ends. */
#define CHECK(condition) ((condition) ? (void)0 : ctest_fail(__FILE__, __LINE__, #condition))

/** Fails the test unless two integers are equal; prints both. */
#define CHECK_EQ(actual, expected) \
    ctest_equal(__FILE__, __LINE__, #actual, (long long)(actual), (long long)(expected))

/** Fails the test unless two strings are equal; prints both. */
#define CHECK_TEXT(actual, expected) ctest_equal_text(__FILE__, __LINE__, #actual, actual, expected)

void ctest_fail(const char *file, int line, const char *what);
void ctest_equal(const char *file, int line, const char *what, long long actual, long long expected);
void ctest_equal_text(const char *file, int line, const char *what, const char *actual, const char *expected);

/** Ends the test as passed, and says why it cannot run on this machine. */
void ctest_skip(const char *why);

/** The private directory of the running test, removed with all it contains when the test ends. */
const char *ctest_directory(void);
/** Before anything else of it is used: it lies in memory if it can, for tests to which no disk matters. Also for
 * those whose children use it: it is removed by who made it. */
void ctest_directory_in_memory(void);
/** The path of a file in it. Lifetime: until the test ends. */
const char *ctest_path(const char *name);

/** The seed of the running test: CTEST_SEED of the environment, or a fresh one. Printed if the test fails. */
uint64_t ctest_seed(void);
/** The next number of a sequence that starts at a seed. */
uint64_t ctest_random(uint64_t *state);

/** Where everything is slow, CTEST_PART of the environment says which part of the long tests is enough.
 * So many rounds of something, or the CTEST_PART-th part of them. */
unsigned ctest_rounds(unsigned rounds);
/** Is number `i` of many cases to be tried? All are, or every CTEST_PART-th, begun with by the seed. */
bool ctest_tries(uint64_t i);
bool ctest_tries_all(void);

/** Runs `body` in a child process. Returns its exit status: 0, 99 if a CHECK failed in it (with its message on
 * stderr), or 1000 and more for 1000 + the signal that ended it. */
int ctest_child(void (*body)(void *), void *argument);
/** The two halves of it, for several children at a time. */
int ctest_child_start(void (*body)(void *), void *argument);
int ctest_child_wait(int pid);

#ifdef __cplusplus
}
#endif
#endif
