/* SPDX-License-Identifier: MIT
 *
 * key_marks.h -- a few bits for each of some object keys, which tell of most others that they are not among them: a
 * Bloom filter of 16 bits and three marks for each key, which is wrong about one in 200.
 */
#ifndef ST_COLLECTION_KEY_MARKS_H
#define ST_COLLECTION_KEY_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ST_KEY_MARKS = 3 /* of each key */ };

/** Nothing is known while it is zero. Freed with st_key_marks_free(). */
typedef struct st_key_marks {
    uint64_t *words;
    uint32_t shift; /* 64 less the bits of a number of a mark */
} st_key_marks;

/** Room for so many keys, none of which is marked yet. False if there is no memory. */
bool st_key_marks_make(st_key_marks *marks, uint32_t count);
void st_key_marks_free(st_key_marks *marks);
size_t st_key_marks_memory(const st_key_marks *marks);

/** Which marks a key has: numbers of bits. */
static inline void st_key_marks_of(const st_key_marks *marks, uint64_t key, uint32_t out[ST_KEY_MARKS]) {
    uint64_t hash = key * UINT64_C(0x9E3779B97F4A7C15);
    for (int i = 0; i < ST_KEY_MARKS; i++, hash <<= 64 - marks->shift) out[i] = (uint32_t)(hash >> marks->shift);
}
static inline void st_key_marks_add(st_key_marks *marks, uint64_t key) {
    uint32_t bits[ST_KEY_MARKS];
    st_key_marks_of(marks, key, bits);
    for (int i = 0; i < ST_KEY_MARKS; i++) marks->words[bits[i] / 64] |= UINT64_C(1) << bits[i] % 64;
}
/** Whether the key may have been added. */
static inline bool st_key_marks_may_have(const st_key_marks *marks, uint64_t key) {
    uint32_t bits[ST_KEY_MARKS];
    if (marks->words == NULL) return true;
    st_key_marks_of(marks, key, bits);
    for (int i = 0; i < ST_KEY_MARKS; i++)
        if ((marks->words[bits[i] / 64] >> bits[i] % 64 & 1) == 0) return false;
    return true;
}

#endif
