/* SPDX-License-Identifier: MIT
 * reference.c -- what a cell or an element has in place of what is stored outside of its row. */
#include "table/reference.h"

#include "base/bits.h"
#include "base/hash.h"

static uint32_t check_of(const strata_view *view, const st_column *column, uint64_t object, st_blob blob) {
    uint64_t v[4];
    st_hash_start(v, &view->hash_key);
    st_hash_word(v, object);
    st_hash_word(v, blob.identity);
    st_hash_word(v, blob.size);
    return (uint32_t)st_hash_finish(v, UINT64_C(28) << 56 | (uint64_t)column->table << 16 | column->number);
}

void st_reference_make(const strata_view *view, const st_column *column, uint64_t object, st_blob blob,
                       uint8_t out[ST_REFERENCE]) {
    st_store64(out, blob.size);
    st_store64(out + 8, blob.identity);
    st_store32(out + 16, check_of(view, column, object, blob));
}

bool st_reference_open(const strata_view *view, const st_column *column, uint64_t object, strata_bytes bytes,
                       st_blob *out) {
    const uint8_t *p = bytes.data;
    *out = (st_blob){ 0, 0 };
    if (p == NULL || bytes.size != ST_REFERENCE) return false;
    st_blob blob = { strata_load64(p), strata_load64(p + 8) };
    if (blob.identity == 0 || strata_load32(p + 16) != check_of(view, column, object, blob)) return false;
    *out = blob;
    return true;
}
