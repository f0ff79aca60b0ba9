/* SPDX-License-Identifier: MIT
 * key_bytes.c -- what encoded values are made of. */
#include "value/key_bytes.h"

#include "base/bits.h"

/* ---- Hashes ----------------------------------------------------------- */

uint64_t st_hash_more(uint64_t h, const void *data, size_t size) {
    const uint8_t *p = data;
    for (size_t i = 0; i < size; i++) h = (h ^ p[i]) * UINT64_C(0x100000001b3);
    return h;
}

uint64_t st_hash_end(uint64_t h) {
    h = (h ^ h >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    h = (h ^ h >> 27) * UINT64_C(0x94d049bb133111eb);
    return h ^ h >> 31;
}

uint64_t st_hash(const void *data, size_t size) { return st_hash_end(st_hash_more(ST_HASH_START, data, size)); }

/* ---- Numbers ---------------------------------------------------------- */

#define SIGN (UINT64_C(1) << 63)

/* Zero stands for NaN: the least number, minus infinity, has 000f... when inverted. */
uint64_t st_key_order_real(double value) {
    if (value != value) return 0;
    if (value == 0) return SIGN; /* also negative zero */
    uint64_t bits;
    memcpy(&bits, &value, 8);
    return (bits & SIGN) != 0 ? ~bits : bits | SIGN;
}

/* ---- Strings ---------------------------------------------------------- */

size_t st_key_encode_bytes(strata_bytes string, uint8_t *out, bool *truncated) {
    const uint8_t *p = string.data;
    *truncated = string.size > ST_KEY_PREFIX;
    size_t plain = *truncated ? (size_t)ST_KEY_PREFIX : string.size;
    uint8_t *to = out;
    if (plain != 0 && memchr(p, 0, plain) == NULL) {
        memcpy(to, p, plain);
        to += plain;
    } else {
        for (size_t i = 0; i < plain; i++) {
            *to++ = p[i];
            if (p[i] == 0) *to++ = 255;
        }
    }
    *to++ = 0;
    *to++ = *truncated;
    if (*truncated) {
        st_store_big64(to, st_hash(p, string.size));
        to += 8;
    }
    return (size_t)(to - out);
}
