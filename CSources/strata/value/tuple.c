/* SPDX-License-Identifier: MIT
 * tuple.c -- several values as one key. */
#include "value/tuple.h"

#include "base/bits.h"

enum { STRING_END = 2, HASH_SIZE = 8 };

/* ---- Writing ---------------------------------------------------------- */

/* The limit for the bytes of a string in a key that has `used` bytes already: see tuple.h. */
static size_t room_for_string(const st_tuple *tuple, uint32_t part, size_t used) {
    size_t needed = used, strings = 0;
    for (uint32_t i = part; i < tuple->count; i++) {
        bool string = tuple->parts[i].type == STRATA_STRING;
        needed += string ? (size_t)tuple->parts[i].nullable + STRING_END + HASH_SIZE
                         : st_key_width(tuple->parts[i].type, tuple->parts[i].nullable);
        strings += string;
    }
    size_t room = (ST_MAX_KEY - needed) / strings;
    return room < ST_KEY_PREFIX ? room : ST_KEY_PREFIX;
}

/* Writes as much of a string as fits into `room` bytes. Returns how many bytes of the string that was. */
static size_t write_content(strata_bytes string, size_t room, uint8_t *out, size_t *out_size) {
    const uint8_t *p = string.data;
    size_t at = 0, done = 0;
    for (; done < string.size; done++) {
        size_t width = p[done] == 0 ? 2 : 1;
        if (at + width > room) break;
        out[at] = p[done];
        if (width == 2) out[at + 1] = 255;
        at += width;
    }
    *out_size = at;
    return done;
}

static bool add_string(const st_tuple *tuple, uint32_t part, strata_bytes string, bool whole, st_key *key) {
    size_t size, room = room_for_string(tuple, part, key->size);
    uint8_t *to = key->bytes + key->size;
    if (tuple->parts[part].nullable) *to++ = 1;
    bool cut = write_content(string, room, to, &size) < string.size;
    to += size;
    if (whole || cut) {
        *to++ = 0;
        *to++ = cut;
    }
    if (whole && cut) {
        st_store_big64(to, st_hash(tuple->hash_key, string.data, string.size));
        to += HASH_SIZE;
    }
    key->size = (uint16_t)(to - key->bytes);
    if (cut) key->truncated = true;
    return cut;
}

bool st_tuple_add(const st_tuple *tuple, uint32_t part, const strata_value *value, st_key *key) {
    strata_type type = tuple->parts[part].type;
    if (type == STRATA_STRING && value->type != STRATA_NULL)
        return add_string(tuple, part, value->as.bytes, true, key);
    st_key alone;
    st_key_encode(tuple->hash_key, type, tuple->parts[part].nullable, value, &alone);
    memcpy(key->bytes + key->size, alone.bytes, alone.size);
    key->size = (uint16_t)(key->size + alone.size);
    return false;
}

bool st_tuple_add_prefix(const st_tuple *tuple, uint32_t part, strata_bytes string, st_key *key) {
    return add_string(tuple, part, string, false, key);
}

/* ---- Reading ---------------------------------------------------------- */

/* The size of an encoded string without its byte for null; 0 if it is not one. */
static size_t string_size(const uint8_t *p, size_t left, bool *cut) {
    size_t at = 0;
    for (;;) {
        const uint8_t *zero = at < left ? memchr(p + at, 0, left - at) : NULL;
        if (zero == NULL) return 0;
        at = (size_t)(zero - p) + STRING_END;
        if (at > left || (zero[1] > 1 && zero[1] != 255)) return 0;
        if (zero[1] == 255) continue;
        *cut = zero[1] == 1;
        if (*cut) at += HASH_SIZE;
        return at <= left ? at : 0;
    }
}

size_t st_tuple_size(const st_tuple *tuple, uint32_t parts, strata_bytes encoded, bool *last_cut) {
    const uint8_t *p = encoded.data;
    size_t at = 0;
    for (uint32_t i = 0; i < parts; i++) {
        size_t left = encoded.size - at, size = st_key_width(tuple->parts[i].type, tuple->parts[i].nullable);
        *last_cut = false;
        if (tuple->parts[i].type == STRATA_STRING) {
            bool nullable = tuple->parts[i].nullable;
            size = nullable && left > 0 && p[at] == 0 ? 1 : 0;
            if (size == 0 && left > nullable) {
                size = string_size(p + at + nullable, left - nullable, last_cut);
                if (size != 0) size += nullable;
            }
        }
        if (size == 0 || size > left) return 0;
        at += size;
    }
    return at;
}
