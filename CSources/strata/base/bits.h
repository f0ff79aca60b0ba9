/* SPDX-License-Identifier: MIT
 * bits.h -- unaligned loads and stores beyond those of strata_row.h. */
#ifndef ST_BASE_BITS_H
#define ST_BASE_BITS_H

#include "strata_row.h"

static inline void st_store16(uint8_t *p, uint16_t v) { memcpy(p, &v, 2); }
static inline void st_store32(uint8_t *p, uint32_t v) { memcpy(p, &v, 4); }
static inline void st_store64(uint8_t *p, uint64_t v) { memcpy(p, &v, 8); }

/** Stores the low `width` bytes (1, 2, 4 or 8) of `v`. */
static inline void st_store_width(uint8_t *p, uint32_t width, uint64_t v) {
    switch (width) {
    case 8: st_store64(p, v); break;
    case 4: st_store32(p, (uint32_t)v); break;
    case 2: st_store16(p, (uint16_t)v); break;
    default: *p = (uint8_t)v; break;
    }
}

static inline void st_store_big16(uint8_t *p, uint16_t v) { st_store16(p, __builtin_bswap16(v)); }
static inline void st_store_big32(uint8_t *p, uint32_t v) { st_store32(p, __builtin_bswap32(v)); }
static inline void st_store_big64(uint8_t *p, uint64_t v) { st_store64(p, __builtin_bswap64(v)); }
static inline uint16_t st_load_big16(const uint8_t *p) { return __builtin_bswap16(strata_load16(p)); }
static inline uint32_t st_load_big32(const uint8_t *p) { return __builtin_bswap32(strata_load32(p)); }
static inline uint64_t st_load_big64(const uint8_t *p) { return __builtin_bswap64(strata_load64(p)); }

/** Object keys in trees: 48 bits, big-endian. */
enum { ST_KEY_SIZE = 6 };
#define ST_KEY_MAX ((UINT64_C(1) << 48) - 1)
static inline void st_store_key(uint8_t *p, uint64_t key) {
    st_store_big16(p, (uint16_t)(key >> 32));
    st_store_big32(p + 2, (uint32_t)key);
}
static inline uint64_t st_load_key(const uint8_t *p) {
    return (uint64_t)st_load_big16(p) << 32 | __builtin_bswap32(strata_load32(p + 2));
}

/** Bytes (1, 2, 4 or 8) that an unsigned number needs. */
static inline uint32_t st_width_unsigned(uint64_t v) {
    return v <= UINT8_MAX ? 1 : v <= UINT16_MAX ? 2 : v <= UINT32_MAX ? 4 : 8;
}
/** Bytes (1, 2, 4 or 8) that a signed number needs. */
static inline uint32_t st_width_signed(int64_t v) {
    return v == (int8_t)v ? 1 : v == (int16_t)v ? 2 : v == (int32_t)v ? 4 : 8;
}

/** `value` if the condition holds, otherwise 0, without a branch. For binary searches: which half comes next cannot be
 * predicted. */
static inline uint32_t st_if(bool condition, uint32_t value) {
    uint32_t mask = 0 - (uint32_t)condition;
    __asm__("" : "+r"(mask)); /* otherwise the compiler may turn this into a branch */
    return value & mask;
}

/** The order of byte strings: by their bytes; a string comes after its own beginning. */
static inline int st_compare(strata_bytes a, strata_bytes b) {
    size_t shared = a.size < b.size ? a.size : b.size;
    int order = shared == 0 ? 0 : memcmp(a.data, b.data, shared);
    return order != 0 ? order : a.size < b.size ? -1 : a.size > b.size;
}

#endif
