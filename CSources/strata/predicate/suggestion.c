/* SPDX-License-Identifier: MIT
 * suggestion.c -- the word that was probably meant by a misspelt one. */
#include "predicate/suggestion.h"

#include <string.h>

enum { LONGEST = STRATA_MAX_COLUMN_NAME };

static char small(char letter) { return (char)(letter >= 'A' && letter <= 'Z' ? letter + 32 : letter); }

static unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

/* How many letters have to be added, removed, replaced or swapped with their neighbour to make `b` of `a`. Case does
 * not count. */
static unsigned distance(strata_bytes a, const char *b) {
    unsigned rows[3][LONGEST + 1];
    const char *from = a.data;
    size_t length = strlen(b);
    if (a.size > LONGEST || length > LONGEST) return LONGEST;
    for (size_t j = 0; j <= length; j++) rows[0][j] = (unsigned)j;
    for (size_t i = 1; i <= a.size; i++) {
        unsigned *row = rows[i % 3], *above = rows[(i - 1) % 3], *two_above = rows[(i + 1) % 3];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= length; j++) {
            char letter = small(from[i - 1]), other = small(b[j - 1]);
            bool neighbours = i > 1 && j > 1 && letter == small(b[j - 2]) && small(from[i - 2]) == other;
            row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + (letter != other));
            if (neighbours) row[j] = least(row[j], two_above[j - 2] + 1);
        }
    }
    return rows[a.size % 3][length];
}

st_suggestion st_suggestion_begin(strata_bytes name) {
    unsigned most = name.size < 3 ? (unsigned)(name.size > 0) : least((unsigned)(name.size / 3), 4);
    return (st_suggestion){ .name = name, .distance = most + 1 };
}

void st_suggestion_consider(st_suggestion *suggestion, const char *candidate) {
    unsigned far = candidate[0] == 0 ? LONGEST : distance(suggestion->name, candidate);
    if (far >= suggestion->distance) return;
    suggestion->best = candidate;
    suggestion->distance = far;
}
