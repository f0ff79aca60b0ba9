/* SPDX-License-Identifier: MIT
 * crc32c.c -- CRC-32C, eight bytes at a time: by an instruction where the processor has one, or by tables.
 *
 * table[k][b] is the effect of byte b on the checksum when k zero bytes follow it. So eight look-ups, which do not
 * depend on each other, replace eight steps that do. */
#include "base/crc32c.h"

#include <pthread.h>

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

__attribute__((target("sse4.2"))) static uint32_t by_instruction(uint32_t crc, const uint8_t *p, size_t size) {
    uint64_t sum = ~crc;
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
