/* SPDX-License-Identifier: MIT
 * spec.c -- what a program declares, in the structs of this library. */
#include "schema/spec.h"

#include "base/sized.h"
#include "base/status.h"

static const strata_spec_sizes known = { sizeof(strata_table_spec), sizeof(strata_column_spec),
                                         sizeof(strata_index_spec) };

/* The fields that structs have had from the beginning. */
static const strata_spec_sizes least = { 40, 32, 16 };

static strata_status unknown(strata_error *error) {
    return st_fail(error, STRATA_MISUSE, 0,
                   "the schema uses what version %s of the library does not know: this program was built with newer "
                   "headers, so install the library that belongs to them", strata_version());
}

static bool is_same(const strata_spec_sizes *sizes) {
    return sizes->table == known.table && sizes->column == known.column && sizes->index == known.index;
}

/* An array of the structs that the library knows, made of an array of structs of size `size`. */
static strata_status read_array(st_arena *memory, const void *given, uint32_t count, size_t size, size_t known_size,
                                const void **out, strata_error *error) {
    *out = NULL;
    if (count == 0 || given == NULL) return STRATA_OK; /* what is missing is refused by the rules of the schema */
    uint8_t *array = st_arena_alloc(memory, count * known_size);
    if (array == NULL) return st_no_memory(error, "reading the schema");
    for (size_t i = 0; i < count; i++) {
        const uint8_t *from = (const uint8_t *)given + i * size;
        if (!st_sized_read(array + i * known_size, known_size, from, size)) return unknown(error);
    }
    *out = array;
    return STRATA_OK;
}

static strata_status read_parts(st_arena *memory, strata_table_spec *table, const strata_spec_sizes *sizes,
                                strata_error *error) {
    const void *columns, *indexes;
    strata_status status = read_array(memory, table->columns, table->column_count, sizes->column, known.column,
                                      &columns, error);
    if (status == STRATA_OK)
        status = read_array(memory, table->indexes, table->index_count, sizes->index, known.index, &indexes, error);
    if (status != STRATA_OK) return status;
    table->columns = columns;
    table->indexes = indexes;
    return STRATA_OK;
}

strata_status st_specs_read(st_arena *memory, const strata_table_spec *tables, uint32_t count,
                            const strata_spec_sizes *sizes, const strata_table_spec **out, strata_error *error) {
    static const strata_spec_sizes none;
    *out = tables;
    if (sizes == NULL) sizes = &none;
    if (count != 0 && tables == NULL)
        return st_fail(error, STRATA_MISUSE, 0, "applying a schema: %u tables without an address", (unsigned)count);
    if (sizes->table < least.table || sizes->column < least.column || sizes->index < least.index)
        return st_fail(error, STRATA_MISUSE, 0, "applying a schema: strata_spec_sizes are %u, %u and %u; set them to "
                       "the sizes of the structs", (unsigned)sizes->table, (unsigned)sizes->column,
                       (unsigned)sizes->index);
    if (is_same(sizes)) return STRATA_OK;
    const void *array;
    strata_status status = read_array(memory, tables, count, sizes->table, known.table, &array, error);
    if (status != STRATA_OK) return status;
    strata_table_spec *copies = (strata_table_spec *)(uintptr_t)array;
    for (uint32_t t = 0; t < count && status == STRATA_OK; t++) status = read_parts(memory, &copies[t], sizes, error);
    *out = copies;
    return status;
}
