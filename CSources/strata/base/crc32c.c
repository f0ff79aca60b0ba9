/* SPDX-License-Identifier: MIT
 * crc32c.c -- CRC-32C: by an instruction where the processor has one, or by tables, eight bytes at a time.
 *
 * table[k][b] is the effect of byte b on the checksum when k zero bytes follow it. So eight look-ups, which do not
 * depend on each other, replace eight steps that do. */
#include "base/crc32c.h"

#include <pthread.h>
#include <string.h>

#include "strata_row.h"

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

enum { POLYNOMIAL = (int)0x82F63B78 }; /* 0x1EDC6F41 with its bits reversed */

static uint32_t table[8][256];
static pthread_once_t table_once = PTHREAD_ONCE_INIT;

static void fill_table(void) {
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ ((crc & 1) != 0 ? (uint32_t)POLYNOMIAL : 0);
        table[0][byte] = crc;
    }
    for (uint32_t byte = 0; byte < 256; byte++)
        for (int k = 1; k < 8; k++) table[k][byte] = table[k - 1][byte] >> 8 ^ table[0][table[k - 1][byte] & 255];
}

uint32_t st_crc32c_by_table(uint32_t crc, const void *data, size_t size) {
    const uint8_t *p = data;
    pthread_once(&table_once, fill_table);
    crc = ~crc;
    for (; size >= 8; size -= 8, p += 8) {
        uint32_t low = strata_load32(p) ^ crc, high = strata_load32(p + 4);
        crc = table[7][low & 255] ^ table[6][low >> 8 & 255] ^ table[5][low >> 16 & 255] ^ table[4][low >> 24] ^
              table[3][high & 255] ^ table[2][high >> 8 & 255] ^ table[1][high >> 16 & 255] ^ table[0][high >> 24];
    }
    for (; size != 0; size--, p++) crc = crc >> 8 ^ table[0][(crc ^ *p) & 255];
    return ~crc;
}

#if defined(__x86_64__)

/* The instruction takes three cycles, but one can begin in each. So three lanes of bytes are summed up beside each other,
 * and put together: what comes behind a checksum does to it what as many zero bytes do. */
enum { LANE = 1024 /* bytes, a power of two */ };

static uint32_t after_lane[4][256]; /* the effect of a lane of zero bytes on each byte of a checksum */
static pthread_once_t after_lane_once = PTHREAD_ONCE_INIT;

/* `effects` has that on each bit. */
static uint32_t effect_on(const uint32_t *effects, uint32_t crc) {
    uint32_t sum = 0;
    for (; crc != 0; crc &= crc - 1) sum ^= effects[__builtin_ctz(crc)];
    return sum;
}

static void fill_after_lane(void) {
    uint32_t effects[32], twice[32];
    pthread_once(&table_once, fill_table);
    for (int bit = 0; bit < 32; bit++) effects[bit] = UINT32_C(1) << bit >> 8 ^ (bit < 8 ? table[0][1 << bit] : 0);
    for (int bytes = 1; bytes < LANE; bytes *= 2) {
        for (int bit = 0; bit < 32; bit++) twice[bit] = effect_on(effects, effects[bit]);
        memcpy(effects, twice, sizeof effects);
    }
    for (int k = 0; k < 4; k++)
        for (uint32_t byte = 0; byte < 256; byte++) after_lane[k][byte] = effect_on(effects, byte << 8 * k);
}

static uint32_t pass_lane(uint32_t crc) {
    return after_lane[0][crc & 255] ^ after_lane[1][crc >> 8 & 255] ^ after_lane[2][crc >> 16 & 255] ^
           after_lane[3][crc >> 24];
}

__attribute__((target("sse4.2"))) static uint32_t three_lanes(uint32_t crc, const uint8_t *p) {
    uint64_t first = crc, second = 0, third = 0;
    for (const uint8_t *end = p + LANE; p < end; p += 8) {
        first = _mm_crc32_u64(first, strata_load64(p));
        second = _mm_crc32_u64(second, strata_load64(p + LANE));
        third = _mm_crc32_u64(third, strata_load64(p + 2 * LANE));
    }
    return pass_lane(pass_lane((uint32_t)first) ^ (uint32_t)second) ^ (uint32_t)third;
}

__attribute__((target("sse4.2"))) static uint32_t by_instruction(uint32_t crc, const uint8_t *p, size_t size) {
    if (size >= 3 * LANE) pthread_once(&after_lane_once, fill_after_lane);
    crc = ~crc;
    for (; size >= 3 * LANE; size -= 3 * LANE, p += 3 * LANE) crc = three_lanes(crc, p);
    uint64_t sum = crc;
    for (; size >= 8; size -= 8, p += 8) sum = _mm_crc32_u64(sum, strata_load64(p));
    crc = (uint32_t)sum;
    for (; size != 0; size--, p++) crc = _mm_crc32_u8(crc, *p);
    return ~crc;
}

uint32_t st_crc32c(uint32_t crc, const void *data, size_t size) {
    return __builtin_cpu_supports("sse4.2") ? by_instruction(crc, data, size) : st_crc32c_by_table(crc, data, size);
}

#else

uint32_t st_crc32c(uint32_t crc, const void *data, size_t size) { return st_crc32c_by_table(crc, data, size); }

#endif
