/* SPDX-License-Identifier: MIT
 * element_write.c -- elements that are put into collections, or taken out. */
#include "write/element_write.h"

#include "base/status.h"
#include "table/reference.h"
#include "write/links_log.h"
#include "write/overflow_store.h"
#include "write/write_set.h"

/* ---- Copying ---------------------------------------------------------- */

static strata_status no_memory(strata_view *view, strata_error *error) {
    strata_status status = st_no_memory(error, "changing a collection");
    st_writes_fail(view->writes, status, error);
    return status;
}

/* An element with a copy of these bytes, which may be the reference to an overflow value. */
static strata_status copy_bytes(strata_view *view, strata_type type, strata_bytes bytes, bool overflow,
                                strata_value *out, strata_error *error) {
    uint8_t *copy = bytes.size == 0 ? NULL : st_arena_alloc(&view->writes->memory.arena, bytes.size);
    if (copy == NULL && bytes.size != 0) return no_memory(view, error);
    if (bytes.size != 0) memcpy(copy, bytes.data, bytes.size);
    *out = strata_data(copy, bytes.size);
    out->type = type;
    if (overflow) st_mark_overflow(out);
    return STRATA_OK;
}

/* A mixed element: its encoding. */
static strata_status encode_mixed(strata_view *view, const strata_value *value, strata_value *out,
                                  strata_error *error) {
    size_t size = st_mixed_size(value);
    uint8_t *bytes = st_arena_alloc(&view->writes->memory.arena, size);
    if (bytes == NULL) return no_memory(view, error);
    st_mixed_pack(value, bytes);
    *out = strata_data(bytes, size);
    return STRATA_OK;
}

static strata_status store_overflow(strata_view *view, const st_column *column, uint64_t object,
                                    const strata_value *value, strata_value *out, strata_error *error) {
    uint8_t reference[ST_REFERENCE];
    strata_status status = st_overflow_store(view, column, object, value, 0, reference, error);
    if (status != STRATA_OK) return status;
    return copy_bytes(view, st_element_type(column), (strata_bytes){ reference, ST_REFERENCE }, true, out, error);
}

static bool is_long(const st_column *column, const strata_value *value) {
    if (value->type == STRATA_NULL || !st_element_has_bytes(column)) return false;
    return (column->type == STRATA_MIXED ? st_mixed_size(value) : value->as.bytes.size) > ST_INLINE_VALUE;
}

strata_status st_elements_copy(strata_view *view, const st_column *column, uint64_t object,
                               const strata_value *values, size_t count, strata_value *out, strata_error *error) {
    bool overflow = false;
    strata_status status = STRATA_OK;
    for (size_t i = 0; i < count && status == STRATA_OK; i++) {
        out[i] = values[i];
        st_unmark_overflow(&out[i]);
        if (values[i].type == STRATA_NULL || !st_element_has_bytes(column)) continue;
        if (is_long(column, &values[i])) {
            overflow = true; /* with its tag; without it, it may be so short that it is lent */
            if (values[i].as.bytes.size <= ST_INLINE_VALUE)
                status = copy_bytes(view, values[i].type, values[i].as.bytes, false, &out[i], error);
        } else if (column->type == STRATA_MIXED) status = encode_mixed(view, &values[i], &out[i], error);
        else status = copy_bytes(view, values[i].type, values[i].as.bytes, false, &out[i], error);
    }
    for (size_t i = 0; overflow && i < count && status == STRATA_OK; i++) {
        if (!is_long(column, &values[i])) continue;
        strata_value value = out[i];
        status = store_overflow(view, column, object, &value, &out[i], error);
    }
    return status;
}

/* ---- Links ------------------------------------------------------------ */

strata_status st_element_log(strata_view *view, const st_column *column, const strata_value *element, uint64_t origin,
                             bool added, strata_error *error) {
    st_buffer scratch = { 0 };
    strata_value value;
    if (!st_element_links(column) || element->type == STRATA_NULL) return STRATA_OK;
    if (column->type == STRATA_LINK) return st_links_log(view, column, element->as.link, origin, added, error);
    strata_status status = st_element_value(view, column, origin, element, &scratch, &value, error);
    if (status == STRATA_OK) status = st_links_log_value(view, column, &value, origin, added, error);
    st_buffer_free(&scratch);
    return status;
}

strata_status st_element_drop(strata_view *view, const st_column *column, const strata_value *element, uint64_t origin,
                              strata_error *error) {
    strata_status status = st_element_log(view, column, element, origin, false, error);
    return status == STRATA_OK ? st_element_drop_overflow(view, column, element, origin, error) : status;
}

strata_status st_element_drop_overflow(strata_view *view, const st_column *column, const strata_value *element,
                                       uint64_t origin, strata_error *error) {
    st_blob blob;
    if (!st_is_overflow(element)) return STRATA_OK;
    if (!st_reference_open(view, column, origin, element->as.bytes, &blob)) return st_element_damaged(column, error);
    return st_identity_drop_blob(&view->writes->identities, blob.identity, error);
}
