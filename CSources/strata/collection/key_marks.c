/* SPDX-License-Identifier: MIT
 * key_marks.c -- a few bits for each of some object keys. */
#include "collection/key_marks.h"

#include <stdlib.h>

/* The marks of a key are parts of one hash, which has room for three of so many bits. */
enum { FEWEST_BITS = 6, MOST_BITS = 21, BITS_OF_KEY = 16 };

static size_t words_of(const st_key_marks *marks) { return ((size_t)1 << (64 - marks->shift)) / 64; }

bool st_key_marks_make(st_key_marks *marks, uint32_t count) {
    uint32_t bits = FEWEST_BITS;
    while (bits < MOST_BITS && (uint64_t)1 << bits < (uint64_t)count * BITS_OF_KEY) bits++;
    marks->shift = 64 - bits;
    marks->words = calloc(words_of(marks), sizeof *marks->words);
    return marks->words != NULL;
}

void st_key_marks_free(st_key_marks *marks) {
    free(marks->words);
    *marks = (st_key_marks){ NULL, 0 };
}

size_t st_key_marks_memory(const st_key_marks *marks) {
    return marks->words == NULL ? 0 : words_of(marks) * sizeof *marks->words;
}
