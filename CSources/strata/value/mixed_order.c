/* SPDX-License-Identifier: MIT
 * mixed_order.c -- the order of values of any type.
 *
 * All numbers are in the order of decimals. The decimal of a double is exact if the double is a whole number, and
 * otherwise has the fewest digits that read back as the double. So the decimals of doubles are in the order of the
 * doubles, also with ints among them. That is why two doubles, or an int and a double, may be compared directly.
 */
#include "value/mixed_order.h"

#include <math.h>

#include "base/bits.h"
#include "value/decimal.h"
#include "value/decimal_order.h"
#include "value/mixed.h"

/* ON-DISK: the first bytes of keys. */
enum { GROUP_NULL, GROUP_BOOL, GROUP_NUMBER, GROUP_STRING, GROUP_DATA, GROUP_DATE, GROUP_OBJECT_ID, GROUP_UUID,
       GROUP_LINK, GROUP_NESTED };

uint8_t st_mixed_group(const strata_value *value) {
    switch (value->type) {
    case STRATA_BOOL: return GROUP_BOOL;
    case STRATA_INT:
    case STRATA_FLOAT:
    case STRATA_DOUBLE:
    case STRATA_DECIMAL: return GROUP_NUMBER;
    case STRATA_STRING: return GROUP_STRING;
    case STRATA_DATA: return GROUP_DATA;
    case STRATA_DATE: return GROUP_DATE;
    case STRATA_OBJECT_ID: return GROUP_OBJECT_ID;
    case STRATA_UUID: return GROUP_UUID;
    case STRATA_LINK: return GROUP_LINK;
    case STRATA_NESTED: return GROUP_NESTED;
    case STRATA_NULL:
    case STRATA_MIXED: break;
    }
    return GROUP_NULL;
}

bool st_mixed_alike(const strata_value *a, const strata_value *b) { return st_mixed_group(a) == st_mixed_group(b); }

/* ---- Numbers ---------------------------------------------------------- */

static double real_of(const strata_value *value) {
    return value->type == STRATA_FLOAT ? (double)value->as.single : value->as.real;
}

/* Whole numbers below 2^112 have at most 34 digits. */
static strata_decimal decimal_of_real(double value) {
    double magnitude = fabs(value);
    if (!(magnitude < 0x1p112) || magnitude != trunc(magnitude)) return strata_decimal_from_double(value);
    return st_decimal_pack(value < 0, 0, (st_u128)magnitude);
}

static strata_decimal decimal_of(const strata_value *value) {
    if (value->type == STRATA_DECIMAL) return strata_decimal_load(value->as.fixed);
    if (value->type == STRATA_INT) return strata_decimal_from_int64(value->as.integer);
    return decimal_of_real(real_of(value));
}

static int compare_reals(double a, double b) {
    uint64_t x = st_key_order_real(a), y = st_key_order_real(b);
    return x < y ? -1 : x > y;
}

/* Exact: a double cannot hold every int, nor an int every double. */
static int compare_int_real(int64_t a, double b) {
    if (b >= 0x1p63) return -1;
    if (!(b >= -0x1p63)) return 1; /* also NaN */
    int64_t whole = (int64_t)b;
    if (a != whole) return a < whole ? -1 : 1;
    double rest = b - (double)whole;
    return rest > 0 ? -1 : rest < 0;
}

static int compare_numbers(const strata_value *a, const strata_value *b) {
    if (a->type == STRATA_DECIMAL || b->type == STRATA_DECIMAL)
        return strata_decimal_compare(decimal_of(a), decimal_of(b));
    if (a->type == STRATA_INT && b->type == STRATA_INT)
        return a->as.integer < b->as.integer ? -1 : a->as.integer > b->as.integer;
    if (a->type == STRATA_INT) return compare_int_real(a->as.integer, real_of(b));
    if (b->type == STRATA_INT) return -compare_int_real(b->as.integer, real_of(a));
    return compare_reals(real_of(a), real_of(b));
}

/* ---- Comparing -------------------------------------------------------- */

static int sign(int order) { return order < 0 ? -1 : order > 0; }

static int compare(const strata_value *a, const strata_value *b, uint32_t depth);

/* Where the bytes are not well formed, the value counts as ended. */
static int compare_nested(strata_bytes a, strata_bytes b, uint32_t depth) {
    strata_nested_iterator x, y;
    bool more_x = strata_nested_open(a, &x, NULL) == STRATA_OK, more_y = strata_nested_open(b, &y, NULL) == STRATA_OK;
    if (x.kind != y.kind) return x.kind < y.kind ? -1 : 1;
    if (depth > STRATA_MAX_NESTING) return 0;
    for (;;) {
        strata_bytes key_x, key_y;
        strata_value value_x, value_y;
        more_x = more_x && strata_nested_next(&x, &key_x, &value_x) == STRATA_OK;
        more_y = more_y && strata_nested_next(&y, &key_y, &value_y) == STRATA_OK;
        if (!more_x || !more_y) return (int)more_x - (int)more_y;
        int order = sign(st_compare(key_x, key_y));
        if (order == 0) order = compare(&value_x, &value_y, depth + 1);
        if (order != 0) return order;
    }
}

static int compare(const strata_value *a, const strata_value *b, uint32_t depth) {
    uint8_t group = st_mixed_group(a), other = st_mixed_group(b);
    if (group != other) return group < other ? -1 : 1;
    switch (group) {
    case GROUP_BOOL: return (int)a->as.boolean - (int)b->as.boolean;
    case GROUP_NUMBER: return compare_numbers(a, b);
    case GROUP_STRING:
    case GROUP_DATA: return sign(st_compare(a->as.bytes, b->as.bytes));
    case GROUP_DATE: return compare_reals(a->as.real, b->as.real);
    case GROUP_OBJECT_ID: return sign(memcmp(a->as.fixed, b->as.fixed, 12));
    case GROUP_UUID: return sign(memcmp(a->as.fixed, b->as.fixed, 16));
    case GROUP_LINK:
        if (a->table != b->table) return a->table < b->table ? -1 : 1;
        return a->as.link < b->as.link ? -1 : a->as.link > b->as.link;
    case GROUP_NESTED: return compare_nested(a->as.bytes, b->as.bytes, depth);
    default: return 0;
    }
}

int strata_mixed_compare(const strata_value *a, const strata_value *b) {
    return a == NULL || b == NULL ? 0 : compare(a, b, 1);
}

/* ---- Bytes in order --------------------------------------------------- */

/* Where the bytes go: to a buffer, or without a buffer only into a hash. */
typedef struct sink {
    st_buffer *buffer;
    st_hash_state hash;
    bool failed;
} sink;

static void give(sink *to, const void *bytes, size_t size) {
    if (to->buffer == NULL) st_hash_more(&to->hash, bytes, size);
    else if (size != 0 && !to->failed) to->failed = !st_buffer_append(to->buffer, bytes, size);
}

/* Each 0 as 0 255, and 0 0 at the end. */
static void give_bytes(sink *to, strata_bytes bytes) {
    const uint8_t *p = bytes.data;
    size_t left = bytes.size;
    while (left != 0) {
        const uint8_t *zero = memchr(p, 0, left);
        size_t plain = zero == NULL ? left : (size_t)(zero - p);
        give(to, p, plain);
        if (zero == NULL) break;
        give(to, "\0\377", 2);
        p = zero + 1;
        left -= plain + 1;
    }
    give(to, "\0\0", 2);
}

/* Writes the group of a value, and what follows if it has neither bytes nor entries: at most 17 bytes. */
static size_t put_short(const strata_value *value, uint8_t *out) {
    uint8_t group = st_mixed_group(value), *to = out + 1;
    out[0] = group;
    switch (group) {
    case GROUP_BOOL: *to = value->as.boolean; return 2;
    case GROUP_NUMBER: st_decimal_key_encode(decimal_of(value), to); return 1 + ST_DECIMAL_KEY;
    case GROUP_DATE: st_store_big64(to, st_key_order_real(value->as.real)); return 9;
    case GROUP_OBJECT_ID: memcpy(to, value->as.fixed, 12); return 13;
    case GROUP_UUID: memcpy(to, value->as.fixed, 16); return 17;
    case GROUP_LINK: st_store_big64(to, st_mixed_target(value->table, value->as.link)); return 9;
    default: return 1;
    }
}

static void give_value(sink *to, const strata_value *value, uint32_t depth);

/* The kind; then a 1 before each entry, and a 0 after the last one. */
static void give_nested(sink *to, strata_bytes nested, uint32_t depth) {
    strata_nested_iterator it;
    strata_bytes key;
    strata_value entry;
    bool more = strata_nested_open(nested, &it, NULL) == STRATA_OK && depth <= STRATA_MAX_NESTING;
    uint8_t kind = (uint8_t)it.kind;
    give(to, &kind, 1);
    while (more && strata_nested_next(&it, &key, &entry) == STRATA_OK) {
        give(to, "\1", 1);
        if (it.kind == STRATA_MAP) give_bytes(to, key);
        give_value(to, &entry, depth + 1);
    }
    give(to, "\0", 1);
}

static void give_value(sink *to, const strata_value *value, uint32_t depth) {
    uint8_t bytes[17];
    uint8_t group = st_mixed_group(value);
    give(to, bytes, put_short(value, bytes));
    if (group == GROUP_STRING || group == GROUP_DATA) give_bytes(to, value->as.bytes);
    else if (group == GROUP_NESTED) give_nested(to, value->as.bytes, depth);
}

bool st_mixed_order(const strata_value *value, st_buffer *out) {
    sink to = { .buffer = out };
    give_value(&to, value, 1);
    return !to.failed;
}

void st_mixed_key(const st_hash_key *hash_key, const strata_value *value, st_key *out) {
    uint8_t group = st_mixed_group(value);
    out->truncated = false;
    if (group == GROUP_STRING || group == GROUP_DATA) {
        out->bytes[0] = group;
        out->size = (uint16_t)(1 + st_key_encode_bytes(hash_key, value->as.bytes, out->bytes + 1, &out->truncated));
    } else if (group == GROUP_NESTED) {
        sink to = { .buffer = NULL };
        st_hash_begin(&to.hash, hash_key);
        give_nested(&to, value->as.bytes, 1);
        out->bytes[0] = group;
        st_store_big64(out->bytes + 1, st_hash_end(&to.hash));
        out->size = 9;
        out->truncated = true;
    } else {
        out->size = (uint16_t)put_short(value, out->bytes);
    }
}
