/* SPDX-License-Identifier: MIT
 * fuzz_catalog.c
 *
 * Promise: whatever the records of the catalog hold, loading them ends with STRATA_OK, STRATA_CORRUPT or
 * STRATA_NO_MEMORY, without harm; and a catalog that was loaded is one that can be used: names end and are text, numbers
 * of tables and columns lie within, and stored again and loaded it is accepted again. */
#include "fuzz.h"

#include "base/bits.h"
#include "base/utf8.h"
#include "catalog/catalog_records.h"
#include "catalog/catalog_share.h"
#include "schema/history.h"
#include "store/tree.h"
#include "store/writer.h"

static strata_store *open_store(void) {
    static strata_store *store;
    strata_config config = { .size = sizeof config, .memory_name = "fuzz" };
    if (store == NULL) CHECK(strata_store_open(&config, &store, NULL) == STRATA_OK);
    return store;
}

static void put(st_txn *writer, const char *kind, uint32_t number, fuzz_input *input) {
    uint8_t key[8];
    size_t size = fuzz_u16(input) % 600;
    if (size > input->size) size = input->size;
    memcpy(key, kind, 4);
    st_store_big32(key + 4, number);
    strata_bytes value = { input->data, size };
    if (size != 0) CHECK(st_tree_put(writer, ST_META, (strata_bytes){ key, 8 }, value, NULL) == STRATA_OK);
    input->data += size;
    input->size -= size;
}

static void use(const st_catalog *catalog) {
    for (uint32_t t = 0; t < catalog->table_count; t++) {
        const st_table *table = &catalog->tables[t];
        CHECK(memchr(table->name, 0, sizeof table->name) != NULL);
        CHECK(st_utf8_valid(table->name, strlen(table->name)));
        CHECK(table->primary == ST_NONE || table->primary < table->column_count);
        for (uint32_t c = 0; c < table->column_count; c++) {
            const st_column *column = &table->columns[c];
            CHECK(memchr(column->name, 0, sizeof column->name) != NULL);
            if (column->type == STRATA_LINK) CHECK(column->target < catalog->table_count);
            CHECK(column->index_id < catalog->next_id && column->link_id < catalog->next_id);
            (void)st_type_name(column->type);
        }
        for (uint32_t i = 0; i < table->incoming_count; i++) {
            CHECK(table->incoming[i].table < catalog->table_count);
            CHECK(table->incoming[i].column < catalog->tables[table->incoming[i].table].column_count);
        }
        (void)st_catalog_find(catalog, table->name);
    }
}

/* The classes of a schema in the history are refused, or can be looked at. */
static void use_classes(st_txn *writer, fuzz_input *input) {
    st_catalog *classes;
    uint64_t version;
    strata_error error;
    put(writer, "\0cls", 0, input);
    strata_status status = st_schema_history_classes(writer, 0, &classes, &version, &error);
    CHECK(status == STRATA_OK || status == STRATA_NOT_FOUND || status == STRATA_CORRUPT);
    if (status != STRATA_OK) return;
    for (uint32_t t = 0; t < classes->table_count; t++) CHECK(classes->tables[t].name[0] != 0);
    use(classes);
    st_catalog_free(classes);
}

/* A record of the history is refused, or its names end and are text. */
static void use_history(st_txn *writer, fuzz_input *input) {
    strata_schema_record record;
    strata_error error;
    put(writer, "\0his", 0, input);
    strata_status status = st_schema_history_read(writer, 0, &record, &error);
    CHECK(status == STRATA_OK || status == STRATA_NOT_FOUND || status == STRATA_CORRUPT);
    if (status != STRATA_OK) return;
    CHECK(memchr(record.program, 0, sizeof record.program) != NULL);
    CHECK(memchr(record.migration, 0, sizeof record.migration) != NULL);
    CHECK(st_utf8_valid(record.program, strlen(record.program)));
    CHECK(st_utf8_valid(record.migration, strlen(record.migration)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static uint64_t version = 1000;
    fuzz_input input = { data, size };
    strata_store *store = open_store();
    const st_catalog *catalog;
    st_txn *writer;
    strata_error error;
    CHECK(st_writer_begin(store, &writer, NULL) == STRATA_OK);
    st_txn_header(writer)->catalog_version = ++version;
    put(writer, "\0cat", 0, &input);
    for (uint32_t table = 0; table < 4; table++) put(writer, "\0tab", table, &input);
    strata_status status = st_catalog_acquire(writer, &catalog, &error);
    CHECK(status == STRATA_OK || status == STRATA_CORRUPT || status == STRATA_NO_MEMORY);
    if (status == STRATA_OK) {
        use(catalog);
        st_catalog *copy = st_catalog_copy(catalog);
        const st_catalog *again;
        CHECK(copy != NULL);
        st_catalog_release(store, catalog);
        status = st_catalog_store(writer, copy, &error);
        CHECK(status == STRATA_OK);
        st_txn_header(writer)->catalog_version = ++version;
        CHECK(st_catalog_acquire(writer, &again, &error) == STRATA_OK);
        CHECK(again->table_count == copy->table_count);
        st_catalog_release(store, again);
        st_catalog_free(copy);
    }
    use_history(writer, &input);
    use_classes(writer, &input);
    st_writer_abort(writer);
    return 0;
}
