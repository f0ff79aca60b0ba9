/* SPDX-License-Identifier: MIT
 * block.c -- finding a row in a block. */
#include "block/block.h"

uint32_t st_block_lower_bound(const uint8_t *block, uint64_t key) {
    uint32_t low = 0, high = strata_block_rows(block);
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (strata_block_key(block, middle) < key) low = middle + 1;
        else high = middle;
    }
    return low;
}
