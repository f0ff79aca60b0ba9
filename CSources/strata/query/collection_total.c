/* SPDX-License-Identifier: MIT
 * collection_total.c -- what the values of one collection add up to. */
#include "base/interrupt.h"
#include "base/status.h"
#include "collection/source.h"
#include "value/total.h"
#include "write/collection_open.h"

static strata_status add_elements(const st_source *source, st_total *total, strata_error *error) {
    strata_value batch[ST_SOURCE_BATCH], value;
    st_buffer scratch = { 0 }; /* never filled: overflow values are no numbers */
    strata_status status = STRATA_OK;
    uint32_t column = st_element_columns(source->column) - 1;
    for (uint64_t from = 0; from < source->count && status == STRATA_OK; from += ST_SOURCE_BATCH) {
        uint64_t count = source->count - from < ST_SOURCE_BATCH ? source->count - from : ST_SOURCE_BATCH;
        status = st_source_values(source, column, from, count, batch, error);
        if (status == STRATA_OK) status = st_interrupt_check(source->view->interrupt, count, error);
        for (uint64_t i = 0; i < count && status == STRATA_OK; i++) {
            if (batch[i].type == STRATA_NULL || st_is_overflow(&batch[i])) continue;
            if (batch[i].type == STRATA_INT) {
                st_total_add_int(total, batch[i].as.integer);
                continue;
            }
            status = st_element_value(source->view, source->column, source->object, &batch[i], &scratch, &value,
                                      error);
            if (status == STRATA_OK) st_total_add(total, &value);
        }
    }
    return status;
}

strata_status strata_collection_total(strata_row *row, uint32_t column, strata_aggregate aggregate, strata_value *out,
                                      strata_error *error) {
    st_source source;
    *out = strata_null();
    strata_status status = st_source_open(row, column, &source, error);
    if (status != STRATA_OK) return status;
    if (!st_total_fits(source.column->type, aggregate)) {
        return st_fail(error, STRATA_TYPE, 0, "%s is a %s of %s values, which cannot be added up in this way",
                       source.column->name, st_collection_name(source.column->collection),
                       st_type_name(source.column->type));
    }
    if (aggregate == STRATA_COUNT) {
        *out = strata_int((int64_t)source.count);
        return STRATA_OK;
    }
    st_total total = st_total_begin(source.column->type, aggregate);
    status = add_elements(&source, &total, error);
    if (status == STRATA_OK) *out = st_total_result(&total);
    return status;
}
