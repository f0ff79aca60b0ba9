/* SPDX-License-Identifier: MIT
 * main.c -- the C tests without Swift: for sanitizers, valgrind and debuggers.
 *
 * runner [part of a name]...   runs the tests whose name contains one of the arguments, or all of them. */
#include "ctest.h"

#include <stdio.h>
#include <string.h>

static bool wanted(const char *name, int count, char **parts) {
    for (int i = 0; i < count; i++)
        if (strstr(name, parts[i]) != NULL) return true;
    return count == 0;
}

int main(int argc, char **argv) {
    int passed = 0, failed = 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int i = 0; i < ctest_count(); i++) {
        if (!wanted(ctest_name(i), argc - 1, argv + 1)) continue;
        const char *failure = ctest_run(i);
        if (failure != NULL) {
            failed++;
            printf("FAILED %s: %s\n", ctest_name(i), failure);
        } else {
            passed++;
            if (ctest_skipped() != NULL)
                printf("ok     %s (not on this machine: %s)\n", ctest_name(i), ctest_skipped());
            else
                printf("ok     %s\n", ctest_name(i));
        }
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0 || passed == 0;
}
