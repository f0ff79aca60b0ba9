/* SPDX-License-Identifier: MIT
 * key.c -- the keys of indexes. */
#include "value/key.h"

#include "base/bits.h"
#include "value/mixed_order.h"

#define SIGN (UINT64_C(1) << 63)

/* ---- Decoding numbers and strings ------------------------------------- */

static bool decode_string(const uint8_t *p, size_t size, uint8_t *scratch, strata_value *out) {
    size_t at = 0, length = 0;
    for (;;) {
        if (at == size) return false;
        uint8_t byte = p[at++];
        if (byte == 0) {
            if (at == size) return false;
            uint8_t next = p[at++];
            if (next == 0 && at == size) break;
            if (next == 1 && size - at == 8 && length == ST_KEY_PREFIX) break;
            if (next != 255) return false;
        }
        if (length == ST_KEY_PREFIX) return false;
        scratch[length++] = byte;
    }
    *out = strata_string((const char *)scratch, length);
    return true;
}

/* ---- Values ----------------------------------------------------------- */

/* The size of a value that is not null; 0 for strings and for types that indexes cannot have. */
static uint32_t plain_width(strata_type type) {
    switch (type) {
    case STRATA_BOOL: return 1;
    case STRATA_INT:
    case STRATA_DATE:
    case STRATA_LINK: return 8;
    case STRATA_UUID: return 16;
    case STRATA_OBJECT_ID: return 12;
    default: return 0;
    }
}

uint32_t st_key_width(strata_type type, bool nullable) {
    uint32_t width = plain_width(type);
    return width == 0 ? 0 : width + nullable;
}

void st_key_encode(const st_hash_key *hash_key, strata_type type, bool nullable, const strata_value *value,
                   st_key *out) {
    uint8_t *to = out->bytes;
    size_t width = plain_width(type);
    if (type == STRATA_MIXED) {
        st_mixed_key(hash_key, value, out);
        return;
    }
    out->truncated = false;
    if (nullable) *to++ = value->type != STRATA_NULL;
    if (value->type == STRATA_NULL) {
        memset(to, 0, width);
        out->size = (uint16_t)(nullable + width);
        return;
    }
    switch (type) {
    case STRATA_BOOL: *to = value->as.boolean; break;
    case STRATA_INT: st_store_big64(to, (uint64_t)value->as.integer ^ SIGN); break;
    case STRATA_DATE: st_store_big64(to, st_key_order_real(value->as.real)); break;
    case STRATA_LINK: st_store_big64(to, value->as.link); break;
    case STRATA_UUID:
    case STRATA_OBJECT_ID: memcpy(to, value->as.fixed, width); break;
    case STRATA_STRING: width = st_key_encode_bytes(hash_key, value->as.bytes, to, &out->truncated); break;
    default: break;
    }
    out->size = (uint16_t)(nullable + width);
}

/* Are these the zeros after the first byte of a null? */
static bool all_zero(const uint8_t *p, size_t size) {
    for (size_t i = 0; i < size; i++) {
        if (p[i] != 0) return false;
    }
    return true;
}

bool st_key_decode(strata_type type, bool nullable, strata_bytes encoded, uint8_t scratch[ST_KEY_PREFIX],
                   strata_value *out) {
    const uint8_t *p = encoded.data;
    size_t size = encoded.size, width = plain_width(type);
    *out = strata_null();
    if (nullable) {
        if (size == 0 || *p > 1) return false;
        size--;
        if (*p++ == 0) return size == width && all_zero(p, size);
    }
    if (type == STRATA_STRING) return decode_string(p, size, scratch, out);
    if (width == 0 || size != width) return false;
    out->type = type;
    switch (type) {
    case STRATA_BOOL: out->as.boolean = *p != 0; return *p <= 1;
    case STRATA_INT: out->as.integer = (int64_t)(st_load_big64(p) ^ SIGN); return true;
    case STRATA_DATE: out->as.real = st_key_real_of_order(st_load_big64(p)); return true;
    case STRATA_LINK: out->as.link = st_load_big64(p); return out->as.link != 0;
    default: memcpy(out->as.fixed, p, width); return true;
    }
}

/* Inside of a string a 0 is followed by 255. So 0 1 is the end of a truncated string, and its hash follows. */
bool st_key_is_truncated(strata_type type, bool nullable, strata_bytes encoded) {
    const uint8_t *p = encoded.data;
    size_t front = type == STRATA_MIXED || nullable ? 1 : 0;
    if (type == STRATA_MIXED) {
        strata_value group = { .type = STRATA_NESTED };
        if (encoded.size == 9 && p[0] == st_mixed_group(&group)) return true;
        group.type = STRATA_STRING;
        strata_value data = { .type = STRATA_DATA };
        if (encoded.size == 0 || (p[0] != st_mixed_group(&group) && p[0] != st_mixed_group(&data))) return false;
    } else if (type != STRATA_STRING) {
        return false;
    }
    if (encoded.size < front + ST_KEY_PREFIX + 10) return false;
    return p[encoded.size - 10] == 0 && p[encoded.size - 9] == 1;
}
