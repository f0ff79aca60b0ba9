/* SPDX-License-Identifier: MIT
 * element.c -- single elements of collections. */
#include "write/element.h"

#include "base/status.h"
#include "strata_decimal.h"
#include "table/blob.h"
#include "value/mixed_order.h"
#include "write/identity.h"

/* ---- Keeping ---------------------------------------------------------- */

static strata_status no_memory(strata_view *view, strata_error *error) {
    view->writes->failed = true;
    return st_no_memory(error, "changing a collection");
}

/* An element whose bytes are these, or a reference that stands there. */
static strata_status keep_bytes(strata_view *view, strata_type type, strata_bytes bytes, bool elsewhere,
                                strata_value *out, strata_error *error) {
    uint8_t *copy = bytes.size == 0 ? NULL : st_arena_alloc(&view->writes->memory, bytes.size);
    if (copy == NULL && bytes.size != 0) return no_memory(view, error);
    if (bytes.size != 0) memcpy(copy, bytes.data, bytes.size);
    *out = strata_data(copy, bytes.size);
    out->type = type;
    out->table = elsewhere ? ST_ELSEWHERE : 0;
    return STRATA_OK;
}

/* An element of any type, encoded. */
static strata_status keep_mixed(strata_view *view, const strata_value *value, strata_value *out, strata_error *error) {
    size_t size = st_mixed_size(value);
    uint8_t *bytes = st_arena_alloc(&view->writes->memory, size);
    if (bytes == NULL) return no_memory(view, error);
    st_mixed_pack(value, bytes);
    *out = strata_data(bytes, size);
    return STRATA_OK;
}

static strata_status keep_large(strata_view *view, const st_column *column, const strata_value *value,
                                strata_value *out, strata_error *error) {
    uint8_t reference[ST_REFERENCE];
    st_blob blob;
    strata_status status = st_bytes_store(view, value->as.bytes, &blob, error);
    if (status != STRATA_OK) return status;
    if (column->type == STRATA_MIXED) blob.size = st_mixed_reference(value->type, blob.size);
    st_blob_save(blob, reference);
    return keep_bytes(view, st_element_type(column), (strata_bytes){ reference, ST_REFERENCE }, true, out, error);
}

static bool is_large(const st_column *column, const strata_value *value) {
    if (value->type == STRATA_NULL || !st_element_has_bytes(column)) return false;
    return (column->type == STRATA_MIXED ? st_mixed_size(value) : value->as.bytes.size) > ST_INLINE_VALUE;
}

strata_status st_elements_keep(strata_view *view, const st_column *column, const strata_value *values, size_t count,
                               strata_value *out, strata_error *error) {
    bool large = false;
    strata_status status = STRATA_OK;
    for (size_t i = 0; i < count && status == STRATA_OK; i++) {
        out[i] = values[i];
        out[i].table = 0;
        if (values[i].type == STRATA_NULL || !st_element_has_bytes(column)) continue;
        if (is_large(column, &values[i])) {
            large = true; /* what is only just too long, with its tag, may be lent, too */
            if (values[i].as.bytes.size <= ST_INLINE_VALUE)
                status = keep_bytes(view, values[i].type, values[i].as.bytes, false, &out[i], error);
        } else if (column->type == STRATA_MIXED) status = keep_mixed(view, &values[i], &out[i], error);
        else status = keep_bytes(view, values[i].type, values[i].as.bytes, false, &out[i], error);
    }
    for (size_t i = 0; large && i < count && status == STRATA_OK; i++) {
        if (!is_large(column, &values[i])) continue;
        strata_value value = out[i];
        status = keep_large(view, column, &value, &out[i], error);
    }
    return status;
}

/* ---- Showing ---------------------------------------------------------- */

void st_element_show(const st_column *column, const strata_value *element, strata_value *out) {
    strata_value shown = *element;
    if (st_value_is_elsewhere(element)) {
        uint64_t size = st_blob_load(element->as.bytes).size;
        if (column->type == STRATA_MIXED && !st_mixed_of_reference(size, &shown.type, &size)) shown = strata_null();
        shown.as.bytes = (strata_bytes){ NULL, (size_t)size };
        shown.table = 0;
    } else if (column->type == STRATA_MIXED && element->type != STRATA_NULL) {
        if (!st_mixed_unpack(element->as.bytes, &shown)) shown = strata_null();
    }
    *out = shown;
}

size_t st_element_size(const st_column *column, const strata_value *element) {
    strata_value shown;
    st_element_show(column, element, &shown);
    bool bytes = shown.type == STRATA_STRING || shown.type == STRATA_DATA || shown.type == STRATA_NESTED;
    return bytes ? shown.as.bytes.size : 0;
}

strata_status st_element_read(strata_view *view, const st_column *column, const strata_value *element, size_t offset,
                              void *out, size_t size, strata_error *error) {
    strata_value shown;
    if (size == 0) return STRATA_OK;
    if (st_value_is_elsewhere(element))
        return st_blob_read(view->txn, st_blob_load(element->as.bytes), offset, out, size, error);
    st_element_show(column, element, &shown);
    memcpy(out, (const uint8_t *)shown.as.bytes.data + offset, size);
    return STRATA_OK;
}

strata_status st_element_value(strata_view *view, const st_column *column, const strata_value *element,
                               st_buffer *scratch, strata_value *out, strata_error *error) {
    st_element_show(column, element, out);
    if (element->type != STRATA_NULL && out->type == STRATA_NULL && column->type == STRATA_MIXED)
        return st_fail(error, STRATA_CORRUPT, 0, "an element of %s is damaged", column->name);
    if (!st_value_is_elsewhere(element)) return STRATA_OK;
    size_t size = out->as.bytes.size;
    if (size > STRATA_MAX_VALUE)
        return st_fail(error, STRATA_CORRUPT, 0, "an element of %s claims %zu bytes", column->name, size);
    scratch->size = 0;
    if (!st_buffer_reserve(scratch, size)) return st_no_memory(error, "reading a large value");
    out->as.bytes.data = scratch->data;
    return st_blob_read(view->txn, st_blob_load(element->as.bytes), 0, scratch->data, size, error);
}

/* ---- Links ------------------------------------------------------------ */

strata_status st_element_each_link(const st_column *column, const strata_value *value, st_mixed_visitor visit,
                                   void *context, strata_error *error) {
    if (column->type == STRATA_MIXED) return st_mixed_links(value, visit, context, error);
    return value->type == STRATA_LINK ? visit(context, column->target, value->as.link, error) : STRATA_OK;
}

strata_status st_element_log(strata_view *view, const st_column *column, const strata_value *element, uint64_t origin,
                             bool added, strata_error *error) {
    st_buffer scratch = { 0 };
    strata_value value;
    if (!st_element_links(column) || element->type == STRATA_NULL) return STRATA_OK;
    if (column->type == STRATA_LINK) return st_links_log(view, column, element->as.link, origin, added, error);
    strata_status status = st_element_value(view, column, element, &scratch, &value, error);
    if (status == STRATA_OK) status = st_links_log_value(view, column, &value, origin, added, error);
    st_buffer_free(&scratch);
    return status;
}

strata_status st_element_drop(strata_view *view, const st_column *column, const strata_value *element, uint64_t origin,
                              strata_error *error) {
    strata_status status = st_element_log(view, column, element, origin, false, error);
    if (status != STRATA_OK || !st_value_is_elsewhere(element)) return status;
    return st_identity_drop(view->writes, st_blob_load(element->as.bytes).identity, false, error);
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

/* Compares bytes with those of an element stored elsewhere, some at a time. */
static strata_status order_of_large(strata_view *view, const st_column *column, strata_bytes value,
                                    const strata_value *element, int *out, strata_error *error) {
    uint8_t some[4096];
    size_t size = (size_t)st_blob_load(element->as.bytes).size, shared = value.size < size ? value.size : size;
    for (size_t at = 0; at < shared; at += sizeof some) {
        size_t count = shared - at < sizeof some ? shared - at : sizeof some;
        strata_status status = st_element_read(view, column, element, at, some, count, error);
        if (status != STRATA_OK) return status;
        *out = memcmp((const uint8_t *)value.data + at, some, count);
        if (*out != 0) return STRATA_OK;
    }
    *out = value.size < size ? -1 : value.size > size;
    return STRATA_OK;
}

static strata_status order_of_mixed(strata_view *view, const st_column *column, const strata_value *value,
                                    const strata_value *element, int *out, strata_error *error) {
    st_buffer scratch = { 0 };
    strata_value other;
    strata_status status = st_element_value(view, column, element, &scratch, &other, error);
    if (status == STRATA_OK) *out = st_mixed_compare(value, &other);
    st_buffer_free(&scratch);
    return status;
}

strata_status st_element_order(strata_view *view, const st_column *column, const strata_value *value,
                               const strata_value *element, int *out, strata_error *error) {
    *out = 0;
    if (value->type == STRATA_NULL || element->type == STRATA_NULL) {
        *out = (element->type == STRATA_NULL) - (value->type == STRATA_NULL);
        return STRATA_OK;
    }
    if (column->type == STRATA_MIXED) return order_of_mixed(view, column, value, element, out, error);
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
        if (st_value_is_elsewhere(element)) return order_of_large(view, column, value->as.bytes, element, out, error);
        *out = st_compare(value->as.bytes, element->as.bytes);
        break;
    case STRATA_NULL:
    case STRATA_MIXED:
    case STRATA_NESTED: break;
    }
    return STRATA_OK;
}
