/* SPDX-License-Identifier: MIT
 * element_column.c -- the columns of elements. */
#include "collection/element_column.h"

#include "block/block_numbers.h"

st_field st_element_field(const st_column *column, uint32_t block_column) {
    if (st_element_is_key(column, block_column)) return st_field_of(STRATA_STRING, STRATA_SINGLE, 0);
    return st_field_of(column->type, STRATA_SINGLE, column->flags);
}

void st_elements_load(const st_column *column, const uint8_t *block, uint32_t block_column, uint32_t slot,
                      uint32_t count, strata_value *out) {
    enum { SOME = 64 };
    uint64_t numbers[SOME];
    if (count < 4 || !st_element_is_number(column, block_column)) {
        for (uint32_t i = 0; i < count; i++) st_element_load(column, block, block_column, slot + i, &out[i]);
        return;
    }
    st_packing packing = (st_packing)st_element_field(column, block_column).packing;
    for (uint32_t done = 0; done < count;) {
        uint32_t some = count - done < SOME ? count - done : SOME;
        st_numbers_load(packing, block, block_column, slot + done, some, numbers);
        for (uint32_t i = 0; i < some; i++) out[done + i] = st_element_of_number(column->type, numbers[i]);
        done += some;
    }
}
