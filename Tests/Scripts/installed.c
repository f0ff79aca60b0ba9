/* SPDX-License-Identifier: MIT
 * installed.c -- a program outside of the tree, in the common part of C11 and C++17: it creates a store, writes,
 * commits, reads, and says nothing if all is well. Usage: installed FILE */
#include <stdio.h>
#include <string.h>

#include <strata.h>
#include <strata_decimal.h>
#include <strata_mixed.h>

static int fail(const char *doing, const strata_error *error) {
    fprintf(stderr, "%s: %s\n", doing, error->message);
    return 1;
}

int main(int argc, char **argv) {
    strata_store *store = NULL;
    strata_view *view = NULL;
    strata_error error;
    strata_config config;
    strata_column_spec columns[2];
    strata_table_spec table;
    strata_value values[2];
    strata_row row;
    uint64_t key = 0;

    if (argc != 2) return 2;
    if (strata_abi() != STRATA_ABI) return 3;
    memset(&config, 0, sizeof config);
    config.size = sizeof config;
    config.path = argv[1];
    if (strata_store_open(&config, &store, &error) != STRATA_OK) return fail("opening", &error);
    if (strata_view_open(store, &view, &error) != STRATA_OK) return fail("opening a view", &error);

    memset(columns, 0, sizeof columns);
    columns[0].name = "name";
    columns[0].type = STRATA_STRING;
    columns[0].flags = STRATA_COLUMN_PRIMARY;
    columns[1].name = "age";
    columns[1].type = STRATA_INT;
    memset(&table, 0, sizeof table);
    table.name = "Dog";
    table.column_count = 2;
    table.columns = columns;
    if (strata_schema_apply(view, &table, 1, 1, &error) != STRATA_OK) return fail("applying a schema", &error);

    values[0] = strata_string("Rex", 3);
    values[1] = strata_int(7);
    if (strata_view_begin(view, &error) != STRATA_OK) return fail("beginning a write", &error);
    if (strata_object_create(view, 0, values, 2, &key, &error) != STRATA_OK) return fail("creating", &error);
    if (strata_view_commit(view, &error) != STRATA_OK) return fail("committing", &error);

    if (strata_row_bind(view, 0, key, &row, &error) != STRATA_OK) return fail("reading", &error);
    if (strata_row_int(&row, 1) != 7) return 4;
    strata_view_close(view);
    strata_store_close(store);
    return 0;
}
