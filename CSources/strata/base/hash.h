/* SPDX-License-Identifier: MIT
 *
 * hash.h -- keyed 64-bit hashes of bytes and numbers.
 *
 * Who does not know the key cannot make values whose hashes are equal, or alike, so that data from outside cannot turn
 * a hash table, or an index of long strings, into a list (hash flooding). The hash is SipHash-1-3 by Aumasson and
 * Bernstein, as other hash tables use it.
 *
 * ON-DISK: hashes with the key of a file are in the keys of its indexes: see value/key.h.
 */
#ifndef ST_BASE_HASH_H
#define ST_BASE_HASH_H

#include "strata_row.h"

enum { ST_HASH_KEY = 16 /* bytes */ };

/** A secret of 16 bytes: two little-endian numbers. */
typedef struct st_hash_key {
    uint64_t low, high;
} st_hash_key;

/** Draws a key. Fails: STRATA_IO. */
strata_status st_hash_key_draw(st_hash_key *out, strata_error *error);

/** The key of this process, for what is in memory only. It is drawn before the first store is opened. */
extern st_hash_key st_hash_key_of_process;
/** Draws the key of this process unless that was done. Not by two threads at a time. Fails: STRATA_IO. */
strata_status st_hash_key_draw_for_process(strata_error *error);

uint64_t st_hash(const st_hash_key *key, const void *data, size_t size);

/** The same hash, of bytes that come one after the other. */
typedef struct st_hash_state {
    uint64_t v[4];
    uint64_t word; /* bytes that do not fill a word yet */
    uint64_t size; /* of all bytes */
} st_hash_state;

void st_hash_begin(st_hash_state *state, const st_hash_key *key);
void st_hash_more(st_hash_state *state, const void *data, size_t size);
uint64_t st_hash_end(st_hash_state *state);

/* ---- Rounds ----------------------------------------------------------- */

static inline uint64_t st_hash_rotate(uint64_t x, uint32_t bits) { return x << bits | x >> (64 - bits); }

static inline void st_hash_round(uint64_t v[4]) {
    v[0] += v[1], v[2] += v[3];
    v[1] = st_hash_rotate(v[1], 13) ^ v[0], v[3] = st_hash_rotate(v[3], 16) ^ v[2];
    v[0] = st_hash_rotate(v[0], 32);
    v[2] += v[1], v[0] += v[3];
    v[1] = st_hash_rotate(v[1], 17) ^ v[2], v[3] = st_hash_rotate(v[3], 21) ^ v[0];
    v[2] = st_hash_rotate(v[2], 32);
}

static inline void st_hash_start(uint64_t v[4], const st_hash_key *key) {
    v[0] = key->low ^ UINT64_C(0x736f6d6570736575);
    v[1] = key->high ^ UINT64_C(0x646f72616e646f6d);
    v[2] = key->low ^ UINT64_C(0x6c7967656e657261);
    v[3] = key->high ^ UINT64_C(0x7465646279746573);
}

static inline void st_hash_word(uint64_t v[4], uint64_t word) {
    v[3] ^= word;
    st_hash_round(v);
    v[0] ^= word;
}

/** `last` has the bytes behind the last whole word, and the size of all in its uppermost byte. */
static inline uint64_t st_hash_finish(uint64_t v[4], uint64_t last) {
    st_hash_word(v, last);
    v[2] ^= 0xff;
    for (int i = 0; i < 3; i++) st_hash_round(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/** The hash of the 8 bytes of a number. */
static inline uint64_t st_hash_number(const st_hash_key *key, uint64_t number) {
    uint64_t v[4];
    st_hash_start(v, key);
    st_hash_word(v, number);
    return st_hash_finish(v, UINT64_C(8) << 56);
}

#endif
