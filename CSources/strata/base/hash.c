/* SPDX-License-Identifier: MIT
 * hash.c -- keyed 64-bit hashes of bytes. */
#define _GNU_SOURCE 1
#include "base/hash.h"

#include <errno.h>
#include <sys/random.h>

#include "base/status.h"

/* ---- Keys ------------------------------------------------------------- */

st_hash_key st_hash_key_of_process;

strata_status st_hash_key_draw(st_hash_key *out, strata_error *error) {
    *out = (st_hash_key){ 0, 0 };
    while (out->low == 0 && out->high == 0) { /* which stands for "not drawn" */
        if (getentropy(out, sizeof *out) != 0)
            return st_fail(error, STRATA_IO, errno, "the system gave no random numbers for a hash key");
    }
    return STRATA_OK;
}

strata_status st_hash_key_draw_for_process(strata_error *error) {
    bool drawn = st_hash_key_of_process.low != 0 || st_hash_key_of_process.high != 0;
    return drawn ? STRATA_OK : st_hash_key_draw(&st_hash_key_of_process, error);
}

/* ---- Hashes ----------------------------------------------------------- */

/* The bytes behind the last whole word: less than 8. */
static uint64_t load_rest(const uint8_t *p, size_t size) {
    uint64_t word = 0;
    for (size_t i = 0; i < size; i++) word |= (uint64_t)p[i] << 8 * i;
    return word;
}

uint64_t st_hash(const st_hash_key *key, const void *data, size_t size) {
    const uint8_t *p = data;
    uint64_t v[4], length = (uint64_t)size << 56;
    st_hash_start(v, key);
    for (; size >= 8; p += 8, size -= 8) st_hash_word(v, strata_load64(p));
    return st_hash_finish(v, length | load_rest(p, size));
}

void st_hash_begin(st_hash_state *state, const st_hash_key *key) {
    st_hash_start(state->v, key);
    state->word = state->size = 0;
}

void st_hash_more(st_hash_state *state, const void *data, size_t size) {
    const uint8_t *p = data;
    for (; size != 0; p++, size--) {
        uint32_t at = state->size++ % 8;
        state->word |= (uint64_t)*p << 8 * at;
        if (at < 7) continue;
        st_hash_word(state->v, state->word);
        state->word = 0;
    }
}

uint64_t st_hash_end(st_hash_state *state) { return st_hash_finish(state->v, state->size << 56 | state->word); }
