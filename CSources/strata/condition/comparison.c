/* SPDX-License-Identifier: MIT
 * comparison.c -- does a value meet a comparison? */
#define _GNU_SOURCE 1
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

bool st_comparison_int(const st_comparison *comparison, int64_t value) {
    if (comparison->op != STRATA_IN) return (comparison->low <= value && value <= comparison->high) != comparison->negate;
    size_t low = 0, high = comparison->set_size;
    if (comparison->bits != NULL) {
        uint64_t bit = (uint64_t)value - (uint64_t)comparison->set.ints[0];
        return (bit <= comparison->span && (comparison->bits[bit / 8] >> bit % 8 & 1) != 0) != comparison->negate;
    }
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (comparison->set.ints[middle] < value) low = middle + 1;
        else high = middle;
    }
    return (low < comparison->set_size && comparison->set.ints[low] == value) != comparison->negate;
}

bool st_comparison_real(const st_comparison *comparison, double value) {
    if (comparison->op != STRATA_IN) return (comparison->real_low <= value && value <= comparison->real_high) != comparison->negate;
    size_t low = 0, high = comparison->set_size;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (comparison->set.reals[middle] < value) low = middle + 1;
        else high = middle;
    }
    bool found = low < comparison->set_size && comparison->set.reals[low] <= value && value <= comparison->set.reals[low];
    return found != comparison->negate;
}

/* ---- Bytes ------------------------------------------------------------ */

static bool in_set(const st_comparison *comparison, strata_bytes value) {
    size_t low = 0, high = comparison->set_size;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (st_compare(comparison->set.bytes[middle], value) < 0) low = middle + 1;
        else high = middle;
    }
    return low < comparison->set_size && st_compare(comparison->set.bytes[low], value) == 0;
}

static bool equal(strata_bytes a, strata_bytes b) {
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

static bool meets(const st_comparison *comparison, strata_bytes value) {
    strata_bytes operand = comparison->bytes;
    switch (comparison->op) {
    case STRATA_EQUAL: return equal(value, operand);
    case STRATA_LESS: return st_compare(value, operand) < 0;
    case STRATA_LESS_EQUAL: return st_compare(value, operand) <= 0;
    case STRATA_GREATER: return st_compare(value, operand) > 0;
    case STRATA_GREATER_EQUAL: return st_compare(value, operand) >= 0;
    case STRATA_IN: return in_set(comparison, value);
    case STRATA_BETWEEN: return st_compare(value, operand) >= 0 && st_compare(value, comparison->bytes_high) <= 0;
    case STRATA_BEGINS_WITH:
    case STRATA_ENDS_WITH:
    case STRATA_CONTAINS:
    case STRATA_LIKE: return st_search(comparison->op, value, operand, comparison->code_points);
    default: return false; /* FALSE stands for a demand nothing meets */
    }
}

bool st_comparison_decimal(const st_comparison *comparison, const void *value) {
    uint8_t key[ST_DECIMAL_KEY];
    st_decimal_key_encode(strata_decimal_load(value), key);
    return meets(comparison, (strata_bytes){ key, sizeof key }) != comparison->negate;
}

/* Folds bytes into the buffer. False if there is no memory. */
static bool fold_bytes(strata_bytes *bytes, uint32_t options, st_buffer *folded) {
    if (bytes->size == 0) return true;
    if (!st_text_fold(*bytes, options, folded)) return false;
    *bytes = (strata_bytes){ folded->data, folded->size };
    return true;
}

bool st_comparison_bytes(const st_comparison *comparison, strata_bytes value, st_buffer *folded, bool *no_memory) {
    if (comparison->fold != 0 && !fold_bytes(&value, comparison->fold, folded)) {
        *no_memory = true;
        return false;
    }
    return meets(comparison, value) != comparison->negate;
}

bool st_comparison_size_fits(const st_comparison *comparison, size_t size) {
    if (comparison->negate) return true;
    switch (comparison->op) {
    case STRATA_EQUAL: /* without marks it may have become shorter */
        return (comparison->fold & STRATA_DIACRITIC_INSENSITIVE) != 0 ? size >= comparison->bytes.size
                                                                  : size == comparison->bytes.size;
    case STRATA_BEGINS_WITH:
    case STRATA_ENDS_WITH:
    case STRATA_CONTAINS: return size >= comparison->bytes.size;
    case STRATA_FALSE: return false;
    default: return true;
    }
}

/* ---- Mixed values ----------------------------------------------------- */

static bool in_mixed_set(const st_comparison *comparison, const strata_value *value) {
    size_t low = 0, high = comparison->set_size;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (st_mixed_compare(&comparison->set.mixed[middle], value) < 0) low = middle + 1;
        else high = middle;
    }
    return low < comparison->set_size && st_mixed_compare(&comparison->set.mixed[low], value) == 0;
}

static bool meets_mixed(const st_comparison *comparison, const strata_value *value) {
    bool alike = st_mixed_alike(value, &comparison->mixed);
    switch (comparison->op) {
    case STRATA_EQUAL: return alike && st_mixed_compare(value, &comparison->mixed) == 0;
    case STRATA_LESS: return alike && st_mixed_compare(value, &comparison->mixed) < 0;
    case STRATA_LESS_EQUAL: return alike && st_mixed_compare(value, &comparison->mixed) <= 0;
    case STRATA_GREATER: return alike && st_mixed_compare(value, &comparison->mixed) > 0;
    case STRATA_GREATER_EQUAL: return alike && st_mixed_compare(value, &comparison->mixed) >= 0;
    case STRATA_BETWEEN:
        return alike && st_mixed_alike(value, &comparison->mixed_high) && st_mixed_compare(value, &comparison->mixed) >= 0 &&
               st_mixed_compare(value, &comparison->mixed_high) <= 0;
    case STRATA_IN: return in_mixed_set(comparison, value);
    case STRATA_BEGINS_WITH:
    case STRATA_ENDS_WITH:
    case STRATA_CONTAINS:
    case STRATA_LIKE:
        return (value->type == STRATA_STRING || value->type == STRATA_DATA) &&
               st_search(comparison->op, value->as.bytes, comparison->bytes, value->type == STRATA_STRING);
    default: return false; /* FALSE stands for a demand nothing meets */
    }
}

bool st_comparison_mixed(const st_comparison *comparison, const strata_value *value, st_buffer *folded, bool *no_memory) {
    strata_value lower = *value;
    bool search = st_is_textual(comparison->op);
    bool letters = value->type == STRATA_STRING || (search && value->type == STRATA_DATA);
    if (comparison->fold != 0 && letters && !fold_bytes(&lower.as.bytes, comparison->fold, folded)) {
        *no_memory = true;
        return false;
    }
    return meets_mixed(comparison, &lower) != comparison->negate;
}

/* ---- Any value -------------------------------------------------------- */

bool st_comparison_value(const st_comparison *comparison, const strata_value *value, st_buffer *folded, bool *no_memory) {
    if (value->type == STRATA_NULL) return st_comparison_null(comparison);
    switch (comparison->kind) {
    case ST_KIND_INT: return st_comparison_int(comparison, st_int_of(value));
    case ST_KIND_REAL: return st_comparison_real(comparison, st_real_of(value));
    case ST_KIND_DECIMAL: return st_comparison_decimal(comparison, value->as.fixed);
    case ST_KIND_MIXED: return st_comparison_mixed(comparison, value, folded, no_memory);
    case ST_KIND_BYTES: break;
    }
    return st_comparison_bytes(comparison, st_bytes_of(value), folded, no_memory);
}
