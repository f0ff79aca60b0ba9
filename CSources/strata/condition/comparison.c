/* SPDX-License-Identifier: MIT
 * comparison.c -- does a comparison with constants hold for a value? */
#include "condition/comparison.h"

#include "base/bits.h"
#include "text/text.h"
#include "value/decimal.h"
#include "value/decimal_order.h"
#include "value/mixed.h"
#include "value/mixed_order.h"
#include "value/operator.h"
#include "value/scalar.h"

st_kind st_kind_of(strata_type type) {
    switch (type) {
    case STRATA_BOOL:
    case STRATA_INT:
    case STRATA_LINK: return ST_KIND_INT;
    case STRATA_FLOAT:
    case STRATA_DOUBLE:
    case STRATA_DATE: return ST_KIND_REAL;
    case STRATA_DECIMAL: return ST_KIND_DECIMAL;
    case STRATA_MIXED: return ST_KIND_MIXED;
    default: return ST_KIND_BYTES;
    }
}

/* ---- Numbers ---------------------------------------------------------- */

bool st_comparison_int(const st_comparison *c, int64_t value) {
    if (c->op != STRATA_IN) return (c->low <= value && value <= c->high) != c->negate;
    size_t low = 0, high = c->set_size;
    if (c->bits != NULL) {
        uint64_t bit = (uint64_t)value - (uint64_t)c->set.ints[0];
        return (bit <= c->span && (c->bits[bit / 8] >> bit % 8 & 1) != 0) != c->negate;
    }
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (c->set.ints[middle] < value) low = middle + 1;
        else high = middle;
    }
    return (low < c->set_size && c->set.ints[low] == value) != c->negate;
}

bool st_comparison_real(const st_comparison *c, double value) {
    if (c->op != STRATA_IN) return (c->real_low <= value && value <= c->real_high) != c->negate;
    size_t low = 0, high = c->set_size;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (c->set.reals[middle] < value) low = middle + 1;
        else high = middle;
    }
    bool found = low < c->set_size && c->set.reals[low] <= value && value <= c->set.reals[low];
    return found != c->negate;
}

/* ---- Bytes ------------------------------------------------------------ */

static bool in_set(const st_comparison *c, strata_bytes value) {
    size_t low = 0, high = c->set_size;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (st_compare(c->set.bytes[middle], value) < 0) low = middle + 1;
        else high = middle;
    }
    return low < c->set_size && st_compare(c->set.bytes[low], value) == 0;
}

static bool equal(strata_bytes a, strata_bytes b) {
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

static bool bytes_meet(const st_comparison *c, strata_bytes value) {
    strata_bytes operand = c->bytes;
    switch (c->op) {
    case STRATA_EQUAL: return equal(value, operand);
    case STRATA_LESS: return st_compare(value, operand) < 0;
    case STRATA_LESS_EQUAL: return st_compare(value, operand) <= 0;
    case STRATA_GREATER: return st_compare(value, operand) > 0;
    case STRATA_GREATER_EQUAL: return st_compare(value, operand) >= 0;
    case STRATA_IN: return in_set(c, value);
    case STRATA_BETWEEN: return st_compare(value, operand) >= 0 && st_compare(value, c->bytes_high) <= 0;
    case STRATA_BEGINS_WITH:
    case STRATA_ENDS_WITH:
    case STRATA_CONTAINS:
    case STRATA_LIKE: return st_search(c->op, value, operand, c->code_points);
    default: return false; /* FALSE stands for a comparison that holds for nothing */
    }
}

bool st_comparison_decimal(const st_comparison *c, const void *value) {
    uint8_t key[ST_DECIMAL_KEY];
    st_decimal_key_encode(strata_decimal_load(value), key);
    return bytes_meet(c, (strata_bytes){ key, sizeof key }) != c->negate;
}

/* Replaces bytes by their folded form, which lies in the buffer. False if there is no memory. */
static bool fold_bytes(strata_bytes *bytes, uint32_t options, st_buffer *folded) {
    if (bytes->size == 0) return true;
    if (!st_text_fold(*bytes, options, folded)) return false;
    *bytes = (strata_bytes){ folded->data, folded->size };
    return true;
}

bool st_comparison_bytes(const st_comparison *c, strata_bytes value, st_buffer *folded, bool *no_memory) {
    if (c->fold != 0 && !fold_bytes(&value, c->fold, folded)) {
        *no_memory = true;
        return false;
    }
    return bytes_meet(c, value) != c->negate;
}

bool st_comparison_size_fits(const st_comparison *c, size_t size) {
    if (c->negate) return true;
    switch (c->op) {
    case STRATA_EQUAL: /* a value becomes shorter when its marks are removed */
        return (c->fold & STRATA_DIACRITIC_INSENSITIVE) != 0 ? size >= c->bytes.size
                                                                  : size == c->bytes.size;
    case STRATA_BEGINS_WITH:
    case STRATA_ENDS_WITH:
    case STRATA_CONTAINS: return size >= c->bytes.size;
    case STRATA_FALSE: return false;
    default: return true;
    }
}

/* ---- Mixed values ----------------------------------------------------- */

static bool in_mixed_set(const st_comparison *c, const strata_value *value) {
    size_t low = 0, high = c->set_size;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (st_mixed_compare(&c->set.mixed[middle], value) < 0) low = middle + 1;
        else high = middle;
    }
    return low < c->set_size && st_mixed_compare(&c->set.mixed[low], value) == 0;
}

static bool mixed_meets(const st_comparison *c, const strata_value *value) {
    bool alike = st_mixed_alike(value, &c->mixed);
    switch (c->op) {
    case STRATA_EQUAL: return alike && st_mixed_compare(value, &c->mixed) == 0;
    case STRATA_LESS: return alike && st_mixed_compare(value, &c->mixed) < 0;
    case STRATA_LESS_EQUAL: return alike && st_mixed_compare(value, &c->mixed) <= 0;
    case STRATA_GREATER: return alike && st_mixed_compare(value, &c->mixed) > 0;
    case STRATA_GREATER_EQUAL: return alike && st_mixed_compare(value, &c->mixed) >= 0;
    case STRATA_BETWEEN:
        return alike && st_mixed_alike(value, &c->mixed_high) && st_mixed_compare(value, &c->mixed) >= 0 &&
               st_mixed_compare(value, &c->mixed_high) <= 0;
    case STRATA_IN: return in_mixed_set(c, value);
    case STRATA_BEGINS_WITH:
    case STRATA_ENDS_WITH:
    case STRATA_CONTAINS:
    case STRATA_LIKE:
        return (value->type == STRATA_STRING || value->type == STRATA_DATA) &&
               st_search(c->op, value->as.bytes, c->bytes, value->type == STRATA_STRING);
    default: return false; /* FALSE stands for a comparison that holds for nothing */
    }
}

bool st_comparison_mixed(const st_comparison *c, const strata_value *value, st_buffer *folded, bool *no_memory) {
    strata_value lower = *value;
    bool search = st_is_textual(c->op);
    bool letters = value->type == STRATA_STRING || (search && value->type == STRATA_DATA);
    if (c->fold != 0 && letters && !fold_bytes(&lower.as.bytes, c->fold, folded)) {
        *no_memory = true;
        return false;
    }
    return mixed_meets(c, &lower) != c->negate;
}

/* ---- Any value -------------------------------------------------------- */

bool st_comparison_value(const st_comparison *c, const strata_value *value, st_buffer *folded, bool *no_memory) {
    if (value->type == STRATA_NULL) return st_comparison_null(c);
    switch (c->kind) {
    case ST_KIND_INT: return st_comparison_int(c, st_int_of(value));
    case ST_KIND_REAL: return st_comparison_real(c, st_real_of(value));
    case ST_KIND_DECIMAL: return st_comparison_decimal(c, value->as.fixed);
    case ST_KIND_MIXED: return st_comparison_mixed(c, value, folded, no_memory);
    case ST_KIND_BYTES: break;
    }
    return st_comparison_bytes(c, st_bytes_of(value), folded, no_memory);
}
