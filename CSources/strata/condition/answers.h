/* SPDX-License-Identifier: MIT
 *
 * answers.h -- what is known of objects: yes, no, or nothing yet.
 *
 * A condition asks the same of an object each time a path leads there. Whoever notes the answer walks on from an
 * object once, so that a walk takes as many steps as there are links, and not as there are ways through them. Two bits
 * for each object; keys that lie close together share a word.
 */
#ifndef ST_CONDITION_ANSWERS_H
#define ST_CONDITION_ANSWERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum st_answer { ST_UNKNOWN = 0, ST_NO = 1, ST_YES = 2 } st_answer;

/** The answers of 32 objects. */
typedef struct st_answer_word {
    uint64_t number; /* the keys divided by 32, and 1; 0: the slot is free */
    uint64_t bits;
    uint64_t round;  /* in which they were noted */
} st_answer_word;

/** Answers about the objects of one table: a hash table of words. Empty when it is zero. */
typedef struct st_answers {
    st_answer_word *words;
    size_t capacity; /* a power of two, or 0 */
    size_t count;
    uint64_t round;
} st_answers;

st_answer st_answers_find(const st_answers *answers, uint64_t key);
/** Notes an answer other than ST_UNKNOWN about an object of which nothing is known. False if there is no memory. */
bool st_answers_note(st_answers *answers, uint64_t key, st_answer answer);
/** Nothing is known of any object any more. Takes no time. */
static inline void st_answers_forget(st_answers *answers) { answers->round++; }
void st_answers_free(st_answers *answers);

#endif
