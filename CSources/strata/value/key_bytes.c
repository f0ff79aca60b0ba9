/* SPDX-License-Identifier: MIT
 * key_bytes.c -- the encodings of strings and real numbers. */
#include "value/key_bytes.h"

#include "base/bits.h"

/* ---- Numbers ---------------------------------------------------------- */

#define SIGN (UINT64_C(1) << 63)

/* No number becomes 0, so 0 can stand for NaN: even minus infinity, inverted, begins with 000f. */
uint64_t st_key_order_real(double value) {
    if (value != value) return 0;
    if (value == 0) return SIGN; /* also negative zero */
    uint64_t bits;
    memcpy(&bits, &value, 8);
    return (bits & SIGN) != 0 ? ~bits : bits | SIGN;
}

double st_key_real_of_order(uint64_t order) {
    uint64_t bits = order == 0 ? UINT64_C(0x7ff8000000000000) : (order & SIGN) != 0 ? order ^ SIGN : ~order;
    double value;
    memcpy(&value, &bits, 8);
    return value;
}

/* ---- Strings ---------------------------------------------------------- */

size_t st_key_encode_bytes(const st_hash_key *hash_key, strata_bytes string, uint8_t *out, bool *truncated) {
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
        st_store_big64(to, st_hash(hash_key, p, string.size));
        to += 8;
    }
    return (size_t)(to - out);
}
