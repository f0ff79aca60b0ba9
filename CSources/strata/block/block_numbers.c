/* SPDX-License-Identifier: MIT
 * block_numbers.c -- blocks of one column of numbers. */
#include "block/block_numbers.h"

#include "base/bits.h"

enum { BEGIN = STRATA_BLOCK_HEADER + 4, WORD_REST = 7, STEP = 64 };

/* What is known of some numbers: the bits that are set in any of them, and in any of their magnitudes. */
typedef struct number_extent {
    uint64_t any, magnitude;
} number_extent;

static number_extent extent_of(st_packing packing, const uint64_t *numbers, size_t count, number_extent e) {
    uint64_t any = e.any, magnitude = e.magnitude;
    uint64_t sign = packing == ST_PACK_SIGNED ? UINT64_MAX : 0;
    for (size_t i = 0; i < count; i++) {
        any |= numbers[i];
        magnitude |= numbers[i] ^ ((uint64_t)((int64_t)numbers[i] >> 63) & sign);
    }
    return (number_extent){ any, magnitude };
}

/* The width of each number in bytes; 0 if all numbers are 0. */
static uint32_t width_of(st_packing packing, number_extent e) {
    if (e.any == 0) return 0;
    if (packing == ST_PACK_UNSIGNED) return st_width_unsigned(e.magnitude);
    if (packing == ST_PACK_SIGNED) return st_width_signed((int64_t)e.magnitude);
    return st_packing_size(packing);
}

static size_t size_of(st_packing packing, number_extent e, size_t count) {
    return BEGIN + width_of(packing, e) * count + WORD_REST;
}

size_t st_numbers_size(st_packing packing, const uint64_t *numbers, size_t count) {
    return size_of(packing, extent_of(packing, numbers, count, (number_extent){ 0, 0 }), count);
}

size_t st_numbers_fitting(st_packing packing, const uint64_t *numbers, size_t count, size_t limit) {
    number_extent e = { 0, 0 };
    size_t done = 0;
    for (size_t step = STEP; step > 0;) {
        number_extent more = count - done < step ? e : extent_of(packing, numbers + done, step, e);
        bool fits = count - done >= step && size_of(packing, more, done + step) <= limit;
        if (!fits) {
            step /= 2;
            continue;
        }
        e = more;
        done += step;
    }
    return done == 0 ? count != 0 : done;
}

static void store_numbers(uint32_t width, const uint64_t *numbers, size_t count, uint8_t *out) {
    switch (width) {
    case 8: memcpy(out, numbers, 8 * count); break;
    case 4: for (size_t i = 0; i < count; i++) st_store32(out + 4 * i, (uint32_t)numbers[i]); break;
    case 2: for (size_t i = 0; i < count; i++) st_store16(out + 2 * i, (uint16_t)numbers[i]); break;
    case 1: for (size_t i = 0; i < count; i++) out[i] = (uint8_t)numbers[i]; break;
    default: break;
    }
}

bool st_numbers_pack(st_packing packing, const uint64_t *numbers, size_t count, st_buffer *out) {
    number_extent e = extent_of(packing, numbers, count, (number_extent){ 0, 0 });
    size_t total = size_of(packing, e, count);
    if (!st_buffer_reserve(out, total)) return false;
    uint8_t *block = out->data + out->size;
    uint32_t width = width_of(packing, e);
    memset(block, 0, BEGIN);
    memset(block + total - WORD_REST, 0, WORD_REST);
    block[0] = STRATA_BLOCK_FORMAT;
    st_store16(block + 2, (uint16_t)count);
    st_store16(block + 4, 1);
    st_store64(block + 8, 1);
    st_store32(block + 16, (uint32_t)total);
    if (width != 0) st_store32(block + STRATA_BLOCK_HEADER, (uint32_t)BEGIN | width << 16);
    store_numbers(width, numbers, count, block + BEGIN);
    out->size += total;
    return true;
}

static void load_signed(uint32_t width, const uint8_t *p, size_t count, uint64_t *out) {
    switch (width) {
    case 4: for (size_t i = 0; i < count; i++) out[i] = (uint64_t)(int32_t)strata_load32(p + 4 * i); break;
    case 2: for (size_t i = 0; i < count; i++) out[i] = (uint64_t)(int16_t)strata_load16(p + 2 * i); break;
    case 1: for (size_t i = 0; i < count; i++) out[i] = (uint64_t)(int8_t)p[i]; break;
    default: break;
    }
}

static void load_unsigned(uint32_t width, const uint8_t *p, size_t count, uint64_t *out) {
    switch (width) {
    case 4: for (size_t i = 0; i < count; i++) out[i] = strata_load32(p + 4 * i); break;
    case 2: for (size_t i = 0; i < count; i++) out[i] = strata_load16(p + 2 * i); break;
    case 1: for (size_t i = 0; i < count; i++) out[i] = p[i]; break;
    default: break;
    }
}

void st_numbers_load(st_packing packing, const uint8_t *block, uint32_t column, uint32_t slot, size_t count,
                     uint64_t *out) {
    uint32_t entry = strata_block_entry(block, column), width = strata_entry_width(entry);
    const uint8_t *p = block + strata_entry_offset(entry) + (size_t)slot * width;
    if (width == 8) memcpy(out, p, 8 * count);
    else if (width == 0) memset(out, 0, 8 * count);
    else if (packing == ST_PACK_SIGNED) load_signed(width, p, count, out);
    else load_unsigned(width, p, count, out);
}
