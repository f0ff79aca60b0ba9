/* SPDX-License-Identifier: MIT
 * test_selection.c -- columns of strings whose positions make no sense: they are found out before any byte is read. */
#include <string.h>

#include "condition/selection_bytes.h"
#include "tests.h"

enum { ROOM = 256, BLOCK = 64, ROWS = 3 };

/* Where the strings of three rows begin, and where the last one ends. Two of them go backwards, one by a single byte;
 * one leaves the block. */
static const uint16_t wrong[][ROWS + 1] = { { 20, 30, 29, 40 }, { 20, 30, 10, 40 }, { 20, 30, 40, BLOCK + 1 } };

void test_selection_of_damaged_strings(void) {
    static const strata_operator operators[] = { STRATA_EQUAL, STRATA_CONTAINS, STRATA_BEGINS_WITH, STRATA_ENDS_WITH,
                                                 STRATA_LESS, STRATA_GREATER_EQUAL };
    uint8_t bytes[ROOM] = { 0 }, out[ROWS];
    st_vector vector = { .block = bytes, .size = BLOCK, .rows = ROWS, .width = 2, .values = bytes,
                         .packing = ST_PACK_BYTES };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        memcpy(bytes, wrong[i], sizeof wrong[i]);
        for (size_t k = 0; k < sizeof operators / sizeof *operators; k++) {
            for (size_t size = 1; size <= 2 * BLOCK; size += BLOCK / 4) {
                /* The operand is what lies in the block: nothing but sizes tells them apart. */
                st_comparison comparison = { .kind = ST_KIND_BYTES, .op = operators[k], .bytes = { bytes + 30, size } };
                st_buffer folded = { 0 };
                bool damaged = false;
                CHECK(st_select_bytes(&comparison, &vector, &folded, out, &damaged));
                CHECK(damaged);
                st_buffer_free(&folded);
            }
        }
    }
}
