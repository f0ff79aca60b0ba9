/* SPDX-License-Identifier: MIT
 * element.c -- single elements of collections. */
#include "collection/element.h"

#include "base/status.h"
#include "strata_decimal.h"
#include "table/cell_value.h"
#include "value/mixed_links.h"
#include "value/mixed_order.h"

/* ---- Reading ---------------------------------------------------------- */

bool st_element_show(const st_column *column, const strata_value *element, strata_value *out) {
    return st_value_open(column->type, element, out);
}

size_t st_element_size(const st_column *column, const strata_value *element) {
    strata_value shown;
    (void)st_element_show(column, element, &shown);
    bool bytes = shown.type == STRATA_STRING || shown.type == STRATA_DATA || shown.type == STRATA_NESTED;
    return bytes ? shown.as.bytes.size : 0;
}

strata_status st_element_damaged(const st_column *column, strata_error *error) {
    return st_fail(error, STRATA_CORRUPT, 0, "an element of %s is damaged", column->name);
}

strata_status st_element_read(strata_view *view, const st_column *column, uint64_t object,
                              const strata_value *element, size_t offset, void *out, size_t size,
                              strata_error *error) {
    strata_value shown;
    st_blob blob;
    if (size == 0) return STRATA_OK;
    if (!st_value_open_at(view, column, object, element, &shown, &blob)) return st_element_damaged(column, error);
    if (blob.identity != 0) return st_blob_read(view->txn, blob, offset, out, size, error);
    memcpy(out, (const uint8_t *)shown.as.bytes.data + offset, size);
    return STRATA_OK;
}

strata_status st_element_value(strata_view *view, const st_column *column, uint64_t object,
                               const strata_value *element, st_buffer *scratch, strata_value *out,
                               strata_error *error) {
    st_blob blob;
    if (!st_value_open_at(view, column, object, element, out, &blob)) return st_element_damaged(column, error);
    if (blob.identity == 0) return STRATA_OK;
    return st_blob_read_all(view->txn, blob, scratch, &out->as.bytes, error);
}

strata_status st_element_each_link(const st_column *column, const strata_value *value, st_mixed_visitor visit,
                                   void *context, strata_error *error) {
    if (column->type == STRATA_MIXED) return st_mixed_links(value, visit, context, error);
    return value->type == STRATA_LINK ? visit(context, column->target, value->as.link, error) : STRATA_OK;
}

/* ---- Comparing -------------------------------------------------------- */

static int order_of_ints(int64_t a, int64_t b) { return a < b ? -1 : a > b; }

static int order_of_links(uint64_t a, uint64_t b) { return a < b ? -1 : a > b; }

static int order_of_reals(double a, double b) {
    if (a != a || b != b) return (b != b) - (a != a); /* NaN comes first */
    return a < b ? -1 : a > b;
}

static int order_of_decimals(const uint8_t *a, const uint8_t *b) {
    strata_decimal left, right;
    memcpy(&left, a, sizeof left);
    memcpy(&right, b, sizeof right);
    return strata_decimal_compare(left, right);
}

/* Compares bytes with those of an overflow value, some at a time. */
static strata_status order_of_overflow(strata_view *view, const st_column *column, uint64_t object,
                                       strata_bytes value, const strata_value *element, int *out,
                                       strata_error *error) {
    uint8_t some[4096];
    st_blob blob;
    if (!st_reference_open(view, column, object, element->as.bytes, &blob)) return st_element_damaged(column, error);
    size_t size = (size_t)blob.size, shared = value.size < size ? value.size : size;
    for (size_t at = 0; at < shared; at += sizeof some) {
        size_t count = shared - at < sizeof some ? shared - at : sizeof some;
        strata_status status = st_blob_read(view->txn, blob, at, some, count, error);
        if (status != STRATA_OK) return status;
        *out = memcmp((const uint8_t *)value.data + at, some, count);
        if (*out != 0) return STRATA_OK;
    }
    *out = value.size < size ? -1 : value.size > size;
    return STRATA_OK;
}

static strata_status order_of_mixed(strata_view *view, const st_column *column, uint64_t object,
                                    const strata_value *value, const strata_value *element, int *out,
                                    strata_error *error) {
    st_buffer scratch = { 0 };
    strata_value other;
    strata_status status = st_element_value(view, column, object, element, &scratch, &other, error);
    if (status == STRATA_OK) *out = st_mixed_compare(value, &other);
    st_buffer_free(&scratch);
    return status;
}

strata_status st_element_order(strata_view *view, const st_column *column, uint64_t object,
                               const strata_value *value, const strata_value *element, int *out,
                               strata_error *error) {
    *out = 0;
    if (value->type == STRATA_NULL || element->type == STRATA_NULL) {
        *out = (element->type == STRATA_NULL) - (value->type == STRATA_NULL);
        return STRATA_OK;
    }
    if (column->type == STRATA_MIXED) return order_of_mixed(view, column, object, value, element, out, error);
    switch (element->type) {
    case STRATA_BOOL: *out = order_of_ints(value->as.boolean, element->as.boolean); break;
    case STRATA_INT: *out = order_of_ints(value->as.integer, element->as.integer); break;
    case STRATA_FLOAT: *out = order_of_reals((double)value->as.single, (double)element->as.single); break;
    case STRATA_DOUBLE:
    case STRATA_DATE: *out = order_of_reals(value->as.real, element->as.real); break;
    case STRATA_UUID: *out = memcmp(value->as.fixed, element->as.fixed, 16); break;
    case STRATA_OBJECT_ID: *out = memcmp(value->as.fixed, element->as.fixed, 12); break;
    case STRATA_DECIMAL: *out = order_of_decimals(value->as.fixed, element->as.fixed); break;
    case STRATA_LINK: *out = order_of_links(value->as.link, element->as.link); break;
    case STRATA_STRING:
    case STRATA_DATA:
        if (st_is_overflow(element))
            return order_of_overflow(view, column, object, value->as.bytes, element, out, error);
        *out = st_compare(value->as.bytes, element->as.bytes);
        break;
    case STRATA_NULL:
    case STRATA_MIXED:
    case STRATA_NESTED: break;
    }
    return STRATA_OK;
}
