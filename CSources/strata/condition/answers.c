/* SPDX-License-Identifier: MIT
 * answers.c -- what is known of objects: yes, no, or nothing yet. */
#include "condition/answers.h"

#include <stdlib.h>

enum { KEYS = 32, FIRST_WORDS = 64 };

/* The word for a number, or the free slot where it would be. */
static st_answer_word *find_word(const st_answers *answers, uint64_t number) {
    size_t at = (size_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 24) & (answers->capacity - 1);
    const st_answer_word *words = answers->words;
    while (words[at].number != 0 && words[at].number != number) at = (at + 1) & (answers->capacity - 1);
    return &answers->words[at];
}

st_answer st_answers_find(const st_answers *answers, uint64_t key) {
    if (answers->capacity == 0) return ST_UNKNOWN;
    const st_answer_word *word = find_word(answers, key / KEYS + 1);
    return word->round != answers->round ? ST_UNKNOWN : (st_answer)(word->bits >> 2 * (key % KEYS) & 3);
}

static bool grow(st_answers *answers) {
    st_answers grown = *answers;
    grown.capacity = answers->capacity == 0 ? FIRST_WORDS : 2 * answers->capacity;
    grown.words = calloc(grown.capacity, sizeof *grown.words);
    if (grown.words == NULL) return false;
    for (size_t i = 0; i < answers->capacity; i++) {
        if (answers->words[i].number != 0) *find_word(&grown, answers->words[i].number) = answers->words[i];
    }
    free(answers->words);
    *answers = grown;
    return true;
}

bool st_answers_note(st_answers *answers, uint64_t key, st_answer answer) {
    if (3 * answers->count >= 2 * answers->capacity && !grow(answers)) return false;
    st_answer_word *word = find_word(answers, key / KEYS + 1);
    if (word->number == 0) answers->count++;
    if (word->number == 0 || word->round != answers->round) {
        *word = (st_answer_word){ .number = key / KEYS + 1, .round = answers->round };
    }
    word->bits |= (uint64_t)answer << 2 * (key % KEYS);
    return true;
}

void st_answers_free(st_answers *answers) {
    free(answers->words);
    *answers = (st_answers){ 0 };
}
