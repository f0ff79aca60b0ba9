/* SPDX-License-Identifier: MIT */
#include "store.h"

/** Begins a write and binds the series, which it makes if there is none. */
static void begin_with_series(store *s, strata_row *row) {
    strata_error error;
    begin(s);
    if (s->series == 0) must(strata_object_create(s->view, SERIES, NULL, 0, &s->series, &error), &error);
    must(strata_row_bind(s->view, SERIES, s->series, row, &error), &error);
}

void clear_list(store *s) {
    strata_error error;
    strata_row row;
    uint64_t size;
    begin_with_series(s, &row);
    must(strata_collection_size(&row, ELEMENTS, &size, &error), &error);
    if (size > 0) must(strata_collection_remove(&row, ELEMENTS, 0, size, &error), &error);
    commit(s);
}

double append_elements(store *s, uint64_t count) {
    strata_error error;
    strata_row row;
    begin_with_series(s, &row);
    for (uint64_t j = 0; j < count; j++) {
        strata_value element = strata_int(bench_element(j));
        must(strata_list_insert(&row, ELEMENTS, j, &element, 1, &error), &error);
    }
    commit(s);
    return (double)count;
}

double get_elements(store *s, uint64_t count) {
    strata_error error;
    strata_row row;
    strata_value element;
    double sum = 0;
    must(strata_row_bind(s->view, SERIES, s->series, &row, &error), &error);
    for (uint64_t j = 0; j < count; j++) {
        uint64_t position = bench_choose(STREAM_POSITION, s->n, j);
        must(strata_collection_get(&row, ELEMENTS, position, 1, &element, &error), &error);
        sum += (double)element.as.integer;
    }
    return sum;
}

double insert_elements(store *s, uint64_t count) {
    strata_error error;
    strata_row row;
    strata_value element;
    uint64_t position = 0, size;
    begin_with_series(s, &row);
    for (uint64_t j = 0; j < count; j++) {
        if (j > 0 && j % BENCH_INSERTS == 0) {
            commit(s);
            begin_with_series(s, &row);
        }
        element = strata_int(bench_element(s->n + j));
        position = bench_choose(STREAM_POSITION, s->n + j, j);
        must(strata_list_insert(&row, ELEMENTS, position, &element, 1, &error), &error);
    }
    must(strata_collection_size(&row, ELEMENTS, &size, &error), &error);
    must(strata_collection_get(&row, ELEMENTS, position, 1, &element, &error), &error);
    commit(s);
    return (double)size + (double)element.as.integer;
}
