/* SPDX-License-Identifier: MIT
 * sequence.c -- short collections. */
#include "block/sequence.h"

#include "base/bits.h"

enum { NULLS = 0x80 };

/* ---- Packing ---------------------------------------------------------- */

static int64_t number_of(const strata_value *value) {
    if (value->type == STRATA_BOOL) return value->as.boolean;
    return value->type == STRATA_LINK ? (int64_t)value->as.link : value->as.integer;
}

/* The width of every value; 0 if each value has a size of its own. */
static uint32_t common_width(st_packing packing, const strata_value *values, size_t count) {
    uint32_t width = 1;
    if (packing == ST_PACK_BYTES) return 0;
    if (packing != ST_PACK_SIGNED && packing != ST_PACK_UNSIGNED) return st_packing_size(packing);
    for (size_t i = 0; i < count; i++) {
        if (values[i].type == STRATA_NULL) continue;
        int64_t number = number_of(&values[i]);
        uint32_t own = packing == ST_PACK_SIGNED ? st_width_signed(number) : st_width_unsigned((uint64_t)number);
        if (own > width) width = own;
    }
    return width;
}

/* Writes one value at `out`; returns its size, or SIZE_MAX if there is no room. */
static size_t pack_value(uint32_t width, const strata_value *value, uint8_t *out, size_t room) {
    if (width != 0) {
        if (room < width) return SIZE_MAX;
        bool number = value->type == STRATA_BOOL || value->type == STRATA_INT || value->type == STRATA_LINK;
        if (number) st_store_width(out, width, (uint64_t)number_of(value));
        else memcpy(out, value->as.fixed, width);
        return width;
    }
    size_t size = value->as.bytes.size, head = size < 128 ? 1 : 2;
    if (size > ST_SEQUENCE_MAX || room < head + size) return SIZE_MAX;
    out[0] = (uint8_t)(size < 128 ? size : 128 | (size & 127));
    if (head == 2) out[1] = (uint8_t)(size >> 7);
    if (size != 0) memcpy(out + head, value->as.bytes.data, size);
    return head + size;
}

size_t st_sequence_pack(st_packing packing, const strata_value *values, size_t count, uint8_t *out, size_t limit) {
    if (count == 0) return 0;
    if (count > ST_SEQUENCE_MAX) return SIZE_MAX;
    bool nulls = false;
    for (size_t i = 0; i < count; i++) nulls = nulls || values[i].type == STRATA_NULL;
    uint32_t width = common_width(packing, values, count);
    size_t bitmap = nulls ? (count + 7) / 8 : 0, at = nulls ? 2 + bitmap : 1;
    if (at > limit) return SIZE_MAX;
    out[0] = (uint8_t)(width | (nulls ? NULLS : 0));
    if (nulls) {
        out[1] = (uint8_t)count;
        memset(out + 2, 0, bitmap);
    }
    for (size_t i = 0; i < count; i++) {
        if (values[i].type == STRATA_NULL) {
            out[2 + i / 8] = (uint8_t)(out[2 + i / 8] | 1u << i % 8);
            continue;
        }
        size_t size = pack_value(width, &values[i], out + at, limit - at);
        if (size == SIZE_MAX) return SIZE_MAX;
        at += size;
    }
    return at;
}

/* ---- Unpacking -------------------------------------------------------- */

static void unpack_fixed(strata_type type, st_packing packing, uint32_t width, const uint8_t *p, strata_value *out) {
    if (packing == ST_PACK_UNSIGNED) {
        *out = strata_link(strata_load_unsigned(p, width));
    } else if (type == STRATA_BOOL) {
        *out = strata_bool(strata_load_signed(p, width) != 0);
    } else if (packing == ST_PACK_SIGNED) {
        *out = strata_int(strata_load_signed(p, width));
    } else {
        *out = strata_null();
        memcpy(out->as.fixed, p, width);
    }
    if (out->type != STRATA_NULL || packing != ST_PACK_UNSIGNED) out->type = type;
}

static bool width_fits(st_packing packing, uint32_t width) {
    if (packing == ST_PACK_BYTES) return width == 0;
    if (packing == ST_PACK_SIGNED || packing == ST_PACK_UNSIGNED)
        return width == 1 || width == 2 || width == 4 || width == 8;
    return width == st_packing_size(packing);
}

/* A sequence being read, value by value. */
typedef struct sequence_reader {
    strata_type type;
    st_packing packing;
    strata_bytes bytes;
    const uint8_t *nulls; /* NULL: none is null */
    uint32_t width;       /* 0: each value has a size of its own */
    size_t limit;         /* how many values there can be */
    size_t at, count;     /* where the next value is, and how many were read */
} sequence_reader;

static bool open_sequence(strata_type type, st_packing packing, strata_bytes sequence, sequence_reader *out) {
    const uint8_t *p = sequence.data;
    *out = (sequence_reader){ .type = type, .packing = packing, .bytes = sequence, .limit = ST_SEQUENCE_MAX };
    if (sequence.size == 0) return true;
    out->width = p[0] & 0x7f;
    out->at = 1;
    if (!width_fits(packing, out->width)) return false;
    if ((p[0] & NULLS) == 0) return true;
    if (sequence.size < 2 || sequence.size < 2 + (size_t)(p[1] + 7) / 8) return false;
    out->limit = p[1];
    out->nulls = p + 2;
    out->at = 2 + (out->limit + 7) / 8;
    return true;
}

static bool at_end(const sequence_reader *r) {
    return r->nulls != NULL ? r->count == r->limit : r->at >= r->bytes.size;
}

/* Reads the next value. False if there is none in the bytes. */
static bool next_value(sequence_reader *r, strata_value *out) {
    const uint8_t *p = r->bytes.data;
    if (r->count == r->limit) return false;
    if (r->nulls != NULL && (r->nulls[r->count / 8] >> r->count % 8 & 1) != 0) {
        *out = strata_null();
        r->count++;
        return true;
    }
    size_t left = r->bytes.size - r->at, size = r->width;
    if (size == 0) {
        if (left < 1 || ((p[r->at] & 128) != 0 && left < 2)) return false;
        size = p[r->at] & 127;
        if ((p[r->at++] & 128) != 0) size |= (size_t)p[r->at++] << 7;
        left = r->bytes.size - r->at;
    }
    if (left < size) return false;
    if (r->width == 0) {
        *out = strata_data(p + r->at, size);
        out->type = r->type;
    } else {
        unpack_fixed(r->type, r->packing, r->width, p + r->at, out);
    }
    r->at += size;
    r->count++;
    return true;
}

static bool is_plain(const sequence_reader *r) { return r->nulls == NULL && r->width != 0; }

size_t st_sequence_count(st_packing packing, strata_bytes sequence) {
    sequence_reader r;
    strata_value value;
    if (!open_sequence(STRATA_DATA, packing, sequence, &r)) return SIZE_MAX;
    if (is_plain(&r)) {
        size_t count = (sequence.size - 1) / r.width;
        return count * r.width + 1 == sequence.size && count <= ST_SEQUENCE_MAX ? count : SIZE_MAX;
    }
    while (!at_end(&r)) {
        if (!next_value(&r, &value)) return SIZE_MAX;
    }
    return r.at == sequence.size ? r.count : SIZE_MAX;
}

bool st_sequence_read(strata_type type, st_packing packing, strata_bytes sequence, size_t from, size_t count,
                      strata_value *out) {
    sequence_reader r;
    strata_value skipped;
    if (from > ST_SEQUENCE_MAX || !open_sequence(type, packing, sequence, &r)) return false;
    if (is_plain(&r)) {
        r.at += from * r.width;
        r.count = from;
        if (r.at > sequence.size) return false;
    }
    while (r.count < from) {
        if (at_end(&r) || !next_value(&r, &skipped)) return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (at_end(&r) || !next_value(&r, &out[i])) return false;
    }
    return true;
}
