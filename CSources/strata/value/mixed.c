/* SPDX-License-Identifier: MIT
 * mixed.c -- values of any type as bytes, and back. */
#include "value/mixed.h"

#include "base/bits.h"
#include "base/status.h"
#include "base/utf8.h"

/* ---- Packing ---------------------------------------------------------- */

/* How many bytes follow the tag, if the type tells; otherwise 0. */
static uint32_t fixed_size(strata_type type) {
    switch (type) {
    case STRATA_BOOL: return 1;
    case STRATA_FLOAT: return 4;
    case STRATA_DOUBLE:
    case STRATA_DATE:
    case STRATA_LINK: return 8;
    case STRATA_OBJECT_ID: return 12;
    case STRATA_UUID:
    case STRATA_DECIMAL: return 16;
    default: return 0;
    }
}

static bool has_bytes(strata_type type) { return type == STRATA_STRING || type == STRATA_DATA; }

/* Writes a value that is neither a string or data nor nested: at most 17 bytes. Returns the size. */
static size_t pack_short(const strata_value *value, uint8_t *out) {
    uint32_t size = fixed_size(value->type);
    out[0] = (uint8_t)value->type;
    if (value->type == STRATA_INT) {
        size = st_width_signed(value->as.integer);
        out[0] = (uint8_t)(STRATA_INT | size << 4);
        st_store_width(out + 1, size, (uint64_t)value->as.integer);
    } else if (value->type == STRATA_LINK) {
        st_store64(out + 1, st_mixed_target(value->table, value->as.link));
    } else if (value->type == STRATA_BOOL) {
        out[1] = value->as.boolean;
    } else if (size != 0) {
        memcpy(out + 1, value->as.fixed, size); /* all members of the union have the same address */
    }
    return 1 + size;
}

size_t st_mixed_size(const strata_value *value) {
    if (value->type == STRATA_NESTED) return value->as.bytes.size;
    if (has_bytes(value->type)) return 1 + value->as.bytes.size;
    return 1 + (value->type == STRATA_INT ? st_width_signed(value->as.integer) : fixed_size(value->type));
}

void st_mixed_pack(const strata_value *value, uint8_t *out) {
    if (value->type == STRATA_NESTED) {
        memcpy(out, value->as.bytes.data, value->as.bytes.size);
    } else if (has_bytes(value->type)) {
        out[0] = (uint8_t)value->type;
        if (value->as.bytes.size != 0) memcpy(out + 1, value->as.bytes.data, value->as.bytes.size);
    } else {
        pack_short(value, out);
    }
}

bool st_mixed_append_entry(const strata_value *value, st_buffer *out) {
    uint8_t head[17];
    if (value->type == STRATA_NESTED) return st_buffer_append(out, value->as.bytes.data, value->as.bytes.size);
    if (!has_bytes(value->type)) return st_buffer_append(out, head, pack_short(value, head));
    size_t size = value->as.bytes.size;
    uint32_t width = st_width_unsigned(size);
    head[0] = (uint8_t)((uint32_t)value->type | width << 4);
    st_store_width(head + 1, width, size);
    return st_buffer_append(out, head, 1 + width) && (size == 0 || st_buffer_append(out, value->as.bytes.data, size));
}

/* ---- Unpacking -------------------------------------------------------- */

static bool is_width(uint32_t width, uint32_t most) {
    return width <= most && (width == 1 || width == 2 || width == 4 || width == 8);
}

static bool is_kind(uint32_t kind) { return kind == STRATA_LIST || kind == STRATA_MAP; }

static void unpack_fixed(const uint8_t *p, size_t size, strata_value *out) {
    if (out->type == STRATA_BOOL) {
        out->as.boolean = *p != 0;
    } else if (out->type == STRATA_LINK) {
        uint64_t target = strata_load64(p);
        out->table = (uint32_t)(target >> 48);
        out->as.link = target & ST_KEY_MAX;
    } else {
        memcpy(out->as.fixed, p, size);
    }
}

/* Reads the value that some bytes begin with. Returns its size, or 0 if there is none. `inside` says that the bytes are
 * inside of a nested value, where strings have a size and nulls are possible. */
static size_t unpack(const uint8_t *p, size_t size, bool inside, strata_value *out) {
    *out = strata_null();
    if (size == 0) return 0;
    uint32_t type = p[0] & 15, high = p[0] >> 4;
    size_t left = size - 1, own = fixed_size((strata_type)type);
    if (type == STRATA_NULL) return inside && high == 0 ? 1 : 0;
    if (type == STRATA_INT) {
        if (!is_width(high, 8) || left < high) return 0;
        *out = strata_int(strata_load_signed(p + 1, high));
        return 1 + high;
    }
    if (type == STRATA_NESTED) {
        if (!is_kind(high) || size < ST_MIXED_NESTED_HEAD) return 0;
        own = strata_load32(p + 1);
        if (size - ST_MIXED_NESTED_HEAD < own || (!inside && size - ST_MIXED_NESTED_HEAD != own)) return 0;
        out->as.bytes = (strata_bytes){ p, ST_MIXED_NESTED_HEAD + own };
        own = out->as.bytes.size - 1;
    } else if (has_bytes((strata_type)type)) {
        if (inside ? !is_width(high, 4) || left < high : high != 0) return 0;
        own = inside ? (size_t)strata_load_unsigned(p + 1, high) : left;
        if (left - high < own) return 0;
        out->as.bytes = (strata_bytes){ p + 1 + high, own };
        own += high;
    } else {
        if (own == 0 || high != 0 || left < own) return 0;
        out->type = (strata_type)type;
        unpack_fixed(p + 1, own, out);
    }
    out->type = (strata_type)type;
    return 1 + own;
}

bool st_mixed_unpack(strata_bytes cell, strata_value *out) {
    size_t used = unpack(cell.data, cell.size, false, out);
    if (used != 0 && used == cell.size) return true;
    *out = strata_null();
    return false;
}

/* ---- Walking ---------------------------------------------------------- */

strata_status strata_nested_open(strata_bytes nested, strata_nested_iterator *out, strata_error *error) {
    strata_value value;
    *out = (strata_nested_iterator){ .kind = STRATA_LIST };
    const uint8_t *p = nested.data;
    if (p == NULL && nested.size != 0)
        return st_fail(error, STRATA_MISUSE, 0, "a list or map of %zu bytes without an address", nested.size);
    if (p == NULL || unpack(p, nested.size, false, &value) != nested.size || value.type != STRATA_NESTED)
        return st_fail(error, STRATA_CORRUPT, 0, "%zu bytes are not a list or map of mixed values", nested.size);
    out->kind = (strata_collection)(p[0] >> 4);
    out->count = out->left = strata_load32(p + 5);
    out->at = p + ST_MIXED_NESTED_HEAD;
    out->end = p + nested.size;
    return STRATA_OK;
}

strata_status strata_nested_next(strata_nested_iterator *iterator, strata_bytes *out_key, strata_value *out) {
    strata_bytes key = { "", 0 };
    size_t left = (size_t)(iterator->end - iterator->at);
    if (out_key != NULL) *out_key = key;
    *out = strata_null();
    if (iterator->left == 0) return left == 0 ? STRATA_END : STRATA_CORRUPT;
    if (iterator->kind == STRATA_MAP) {
        if (left < 2) return STRATA_CORRUPT;
        key = (strata_bytes){ iterator->at + 2, strata_load16(iterator->at) };
        if (left - 2 < key.size) return STRATA_CORRUPT;
        iterator->at += 2 + key.size;
        left -= 2 + key.size;
    }
    size_t used = unpack(iterator->at, left, true, out);
    if (used == 0) return STRATA_CORRUPT;
    iterator->at += used;
    iterator->left--;
    if (out_key != NULL) *out_key = key;
    return STRATA_OK;
}

/* ---- Checking --------------------------------------------------------- */

static const char *flaw(const strata_value *value, uint32_t tables, uint32_t depth);

static const char *nested_flaw(strata_bytes nested, uint32_t tables, uint32_t depth) {
    strata_nested_iterator it;
    strata_bytes key, before = { NULL, 0 };
    strata_value entry;
    strata_status status;
    if (depth > STRATA_MAX_NESTING) return "is nested more than 100 deep";
    if (strata_nested_open(nested, &it, NULL) != STRATA_OK) return "has nested bytes that are not well formed";
    while ((status = strata_nested_next(&it, &key, &entry)) == STRATA_OK) {
        const char *found = flaw(&entry, tables, depth + 1);
        if (found != NULL) return found;
        if (it.kind != STRATA_MAP) continue;
        if (key.size > STRATA_MAX_MAP_KEY) return "has a map with a key of more than 1024 bytes";
        if (!st_utf8_valid(key.data, key.size)) return "has a map with a key that is not valid UTF-8";
        if (before.data != NULL && st_compare(before, key) >= 0) return "has a map whose keys are out of order";
        before = key;
    }
    return status == STRATA_END ? NULL : "has nested bytes that are not well formed";
}

static const char *flaw(const strata_value *value, uint32_t tables, uint32_t depth) {
    switch (value->type) {
    case STRATA_STRING:
        if (st_utf8_valid(value->as.bytes.data, value->as.bytes.size)) return NULL;
        return "has a string that is not valid UTF-8";
    case STRATA_LINK:
        if (value->table >= tables) return "links to a table that does not exist";
        return value->as.link == 0 || value->as.link >= ST_KEY_MAX ? "links to an object that does not exist" : NULL;
    case STRATA_NESTED: return nested_flaw(value->as.bytes, tables, depth);
    case STRATA_NULL:
    case STRATA_BOOL:
    case STRATA_INT:
    case STRATA_FLOAT:
    case STRATA_DOUBLE:
    case STRATA_DATA:
    case STRATA_DATE:
    case STRATA_UUID:
    case STRATA_OBJECT_ID:
    case STRATA_DECIMAL: return NULL;
    case STRATA_MIXED: break;
    }
    return "has a type that no value has";
}

const char *st_mixed_flaw(const strata_value *value, uint32_t tables) {
    return st_mixed_lacks_bytes(value) ? "has bytes without an address" : flaw(value, tables, 1);
}
