/* SPDX-License-Identifier: MIT
 *
 * example.c -- the worked example of the format document, and the golden file.
 *
 *   example            prints every byte of the example store, and single values as they are stored
 *   example make FILE  creates a file with an object of every type of column
 *   example read FILE  checks such a file, of this version or an earlier one, and says "sound"
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "block/block.h"
#include "store/cursor.h"
#include "store/snapshot.h"
#include "value/mixed.h"
#include "block/sequence.h"
#include "value/tuple.h"
#include "store/header.h"
#include "strata_decimal.h"
#include "table/reference.h"

static strata_error error;

static void must(strata_status status, const char *doing) {
    if (status == STRATA_OK) return;
    fprintf(stderr, "%s: %s\n", doing, error.message);
    exit(1);
}
#define MUST(call) must((call), #call)

static strata_value text(const char *utf8) { return strata_string(utf8, strlen(utf8)); }

static strata_column_spec column(const char *name, strata_type type, strata_collection kind, uint32_t flags) {
    return (strata_column_spec){ name, type, kind, flags, type == STRATA_LINK ? "Dog" : NULL };
}

/* ---- The example store ------------------------------------------------ */

static void print_bytes(const void *bytes, size_t size) {
    for (size_t i = 0; i < size; i++) printf(" %02x", ((const uint8_t *)bytes)[i]);
}

/* What is random, or a checksum of it, is printed as "..". */
static void print_header(const uint8_t *record) {
    for (size_t i = 0; i < ST_HEADER_SIZE; i++) {
        bool random = (i >= 12 && i < 16) || (i >= 32 && i < 56) || (i >= 96 && i < 112);
        if (random) printf(" ..");
        else printf(" %02x", record[i]);
    }
}

static void print_history(strata_bytes record) {
    print_bytes(record.data, 24);
    printf(" .. .. .. .. .. .. .. .."); /* the time */
    print_bytes((const uint8_t *)record.data + 32, record.size - 32);
}

/* The checks of the references of object 1: they depend on the hash key of the file. */
static void print_rows(strata_bytes value) {
    const uint8_t *block = value.data;
    bool hidden[1000] = { false };
    for (uint32_t column = 5; column <= 6; column++) {
        strata_bytes reference = st_block_bytes(block, strata_block_entry(block, column), 0);
        size_t at = (size_t)((const uint8_t *)reference.data - block);
        memset(hidden + at + 16, true, 4);
    }
    for (size_t i = 0; i < value.size; i++) {
        if (hidden[i]) printf(" ..");
        else printf(" %02x", block[i]);
    }
}

static void print_tree(st_txn *txn, st_tree tree, const char *name) {
    st_cursor *cursor;
    strata_bytes key, value;
    MUST(st_cursor_open(txn, tree, &cursor, &error));
    strata_status status = st_cursor_seek(cursor, (strata_bytes){ "\0", 1 }, &key, &value, &error);
    /* The names of the other trees stand behind our own records in the main tree. */
    for (; status == STRATA_OK; status = st_cursor_next(cursor, &key, &value, &error)) {
        if (tree == ST_META && *(const uint8_t *)key.data != 0) break;
        printf("%s", name);
        print_bytes(key.data, key.size);
        printf(" :");
        if (key.size == ST_HEADER_KEY_SIZE && memcmp(key.data, st_header_key, key.size) == 0) print_header(value.data);
        else if (key.size == 8 && memcmp(key.data, "\0his", 4) == 0) print_history(value);
        else if (tree == ST_ROWS) print_rows(value);
        else print_bytes(value.data, value.size < 96 || tree != ST_COLLECTIONS ? value.size : 40);
        printf("\n");
    }
    st_cursor_close(cursor);
}

static void make_dogs(strata_view *view) {
    uint64_t rex, fido;
    strata_row row;
    strata_column_spec columns[] = {
        column("name", STRATA_STRING, STRATA_SINGLE, STRATA_COLUMN_PRIMARY),
        column("age", STRATA_INT, STRATA_SINGLE, STRATA_COLUMN_NULLABLE | STRATA_COLUMN_INDEXED),
        column("weight", STRATA_DOUBLE, STRATA_SINGLE, 0),
        column("mother", STRATA_LINK, STRATA_SINGLE, 0),
        column("toys", STRATA_STRING, STRATA_LIST, 0),
        column("steps", STRATA_INT, STRATA_LIST, 0),
        column("photo", STRATA_DATA, STRATA_SINGLE, 0),
    };
    const char *const by_age[] = { "age", "name" };
    strata_index_spec index = { 2, by_age };
    strata_table_spec table = { .name = "Dog", .column_count = 7, .columns = columns, .indexes = &index,
                                .index_count = 1 };
    MUST(strata_schema_apply(view, &table, 1, 1, &error));
    MUST(strata_view_begin(view, &error));
    strata_value first[] = { text("Rex"), strata_int(7), strata_double(12.5) };
    MUST(strata_object_create(view, 0, first, 3, &rex, &error));
    strata_value second[] = { text("Fido"), strata_null(), strata_double(-1), strata_link(rex) };
    MUST(strata_object_create(view, 0, second, 4, &fido, &error));
    MUST(strata_row_bind(view, 0, fido, &row, &error));
    strata_value toys[] = { text("ball"), text("bone") };
    MUST(strata_list_insert(&row, 4, 0, toys, 2, &error));
    MUST(strata_row_bind(view, 0, rex, &row, &error));
    for (int64_t i = 0; i < 300; i++) {
        strata_value step = strata_int(i % 100);
        MUST(strata_list_insert(&row, 5, (uint64_t)i, &step, 1, &error));
    }
    static const uint8_t photo[1100] = { 0xFF, 0xD8 };
    strata_value data = strata_data(photo, sizeof photo);
    MUST(strata_row_set(&row, 6, &data, &error));
    MUST(strata_view_commit(view, &error));
}

static void print_store(void) {
    static const char *const names[] = { "meta", "rows", "index", "links", "collections", "blobs", "changes" };
    strata_config config = { .size = sizeof config, .memory_name = "example" };
    strata_store *store;
    strata_view *view;
    st_txn *txn;
    MUST(strata_store_open(&config, &store, &error));
    MUST(strata_view_open(store, &view, &error));
    make_dogs(view);
    MUST(st_snapshot_begin(store, &txn, &error));
    for (int tree = 0; tree < ST_TREES; tree++)
        if (tree != ST_BLOBS) print_tree(txn, (st_tree)tree, names[tree]);
    st_snapshot_end(txn);
    strata_view_close(view);
    strata_store_close(store);
}

/* ---- Single values ---------------------------------------------------- */

/* The hash key of the examples: the bytes 0 to 15. */
static const st_hash_key example_key = { UINT64_C(0x0706050403020100), UINT64_C(0x0f0e0d0c0b0a0908) };

static void print_key(const char *what, strata_type type, bool nullable, strata_value value) {
    st_key key;
    st_key_encode(&example_key, type, nullable, &value, &key);
    printf("key %s :", what);
    print_bytes(key.bytes, key.size);
    printf("\n");
}

static void print_reference(const char *what, uint64_t object, uint32_t table, uint32_t number, st_blob blob) {
    strata_view view = { .hash_key = example_key };
    st_column column = { .table = table, .number = number };
    uint8_t reference[ST_REFERENCE];
    st_reference_make(&view, &column, object, blob, reference);
    printf("reference %s :", what);
    print_bytes(reference, sizeof reference);
    printf("\n");
}

static void print_mixed(const char *what, strata_value value) {
    uint8_t cell[200];
    st_mixed_pack(&value, cell);
    printf("mixed %s :", what);
    print_bytes(cell, st_mixed_size(&value));
    printf("\n");
}

static void print_values(void) {
    uint8_t sequence[64];
    print_key("true", STRATA_BOOL, false, strata_bool(true));
    print_key("7", STRATA_INT, false, strata_int(7));
    print_key("-1", STRATA_INT, false, strata_int(-1));
    print_key("optional-7", STRATA_INT, true, strata_int(7));
    print_key("optional-null", STRATA_INT, true, strata_null());
    print_key("date-1.0", STRATA_DATE, false, strata_date(1));
    print_key("Rex", STRATA_STRING, false, text("Rex"));
    print_key("one-hundred-a", STRATA_STRING, false, text("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                                                          "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"));
    print_key("mixed-7", STRATA_MIXED, true, strata_int(7));
    print_key("mixed-Rex", STRATA_MIXED, true, text("Rex"));

    print_reference("photo-of-object-1", 1, 0, 6, (st_blob){ 1100, 1 });

    print_mixed("true", strata_bool(true));
    print_mixed("300", strata_int(300));
    print_mixed("Rex", text("Rex"));
    print_mixed("object-5-of-table-2", strata_mixed_link(2, 5));
    strata_nested *nested = strata_nested_make();
    strata_value age = strata_int(7), tag = text("big"), list;
    MUST(strata_nested_begin_map(nested, NULL, &error));
    MUST(strata_nested_put(nested, (strata_bytes){ "age", 3 }, &age, &error));
    MUST(strata_nested_begin_list(nested, &(strata_bytes){ "tags", 4 }, &error));
    MUST(strata_nested_append(nested, &tag, &error));
    MUST(strata_nested_end(nested, &error));
    MUST(strata_nested_end(nested, &error));
    MUST(strata_nested_finish(nested, &list, &error));
    print_mixed("map", list);
    strata_nested_free(nested);

    strata_value numbers[] = { strata_int(1), strata_int(300), strata_int(-1) };
    size_t size = st_sequence_pack(ST_PACK_SIGNED, numbers, 3, sequence, sizeof sequence);
    printf("sequence 1-300--1 :");
    print_bytes(sequence, size);
    strata_value words[] = { text("a"), strata_null(), text("bcd") };
    size = st_sequence_pack(ST_PACK_BYTES, words, 3, sequence, sizeof sequence);
    printf("\nsequence a-null-bcd :");
    print_bytes(sequence, size);
    printf("\n");
}

/* ---- The golden file -------------------------------------------------- */

static const strata_type types[] = { STRATA_BOOL, STRATA_INT, STRATA_FLOAT, STRATA_DOUBLE, STRATA_STRING, STRATA_DATA,
                                     STRATA_DATE, STRATA_UUID, STRATA_OBJECT_ID, STRATA_DECIMAL, STRATA_MIXED,
                                     STRATA_LINK };
enum { TYPES = sizeof types / sizeof *types, DOGS = 20, LONG_LIST = 700 };

/* The value number `i` of a type. `room` holds the bytes of a string or data. */
static strata_value value_of(strata_type type, uint32_t i, char room[1400]) {
    strata_value value = strata_null();
    value.type = type;
    switch (type) {
    case STRATA_BOOL: return strata_bool(i % 2 == 1);
    case STRATA_INT: return strata_int((int64_t)i * i * i - 1000);
    case STRATA_FLOAT: return strata_float((float)i / 4);
    case STRATA_DOUBLE: return strata_double(i / 8.0 - 2);
    case STRATA_DATE: return strata_date(86400.0 * i);
    case STRATA_STRING:
    case STRATA_DATA:
        value.as.bytes.data = room;
        value.as.bytes.size = (size_t)snprintf(room, 1400, "value %u", i);
        if (i % 10 == 9) { /* too long for its row */
            memset(room + value.as.bytes.size, 'x', 1200);
            value.as.bytes.size += 1200;
        }
        return value;
    case STRATA_UUID:
    case STRATA_OBJECT_ID: memset(value.as.fixed, (int)i, type == STRATA_UUID ? 16 : 12); return value;
    case STRATA_DECIMAL: strata_decimal_store(strata_decimal_from_int64((int64_t)i * 11), value.as.fixed); return value;
    case STRATA_MIXED: return value_of(types[i % 10], i, room);
    case STRATA_LINK: return strata_link(1 + i % DOGS);
    default: return value;
    }
}

static void describe(strata_column_spec *columns, char names[][16]) {
    static const char *const kinds[] = { "one", "list", "set", "map" };
    columns[0] = column("id", STRATA_INT, STRATA_SINGLE, STRATA_COLUMN_PRIMARY);
    for (uint32_t c = 0; c < 4 * TYPES; c++) {
        strata_type type = types[c % TYPES];
        strata_collection kind = (strata_collection)(c / TYPES);
        bool indexable = type == STRATA_BOOL || type == STRATA_INT || type == STRATA_STRING || type == STRATA_DATE ||
                         type == STRATA_UUID || type == STRATA_OBJECT_ID || type == STRATA_MIXED;
        uint32_t flags = kind == STRATA_SINGLE && indexable ? STRATA_COLUMN_INDEXED : 0;
        if (type == STRATA_MIXED || (type == STRATA_LINK && (kind == STRATA_SINGLE || kind == STRATA_MAP)))
            flags |= STRATA_COLUMN_NULLABLE;
        snprintf(names[c], 16, "%s%d", kinds[kind], (int)type);
        columns[1 + c] = column(names[c], type, kind, flags);
    }
}

static void fill_collection(strata_row *row, uint32_t c, uint32_t dog) {
    char room[1400];
    strata_type type = types[c % TYPES];
    uint32_t count = c == TYPES + 1 && dog == 0 ? LONG_LIST : dog % 4;
    for (uint32_t i = 0; i < count; i++) {
        strata_value value = value_of(type, dog + i, room);
        bool inserted;
        uint64_t position;
        char key[16];
        size_t size = (size_t)snprintf(key, sizeof key, "key %u", i);
        switch (c / TYPES) {
        case STRATA_LIST: MUST(strata_list_insert(row, 1 + c, i, &value, 1, &error)); break;
        case STRATA_SET: MUST(strata_set_insert(row, 1 + c, &value, &inserted, &position, &error)); break;
        default: MUST(strata_map_set(row, 1 + c, (strata_bytes){ key, size }, &value, &error)); break;
        }
    }
}

static void make_file(const char *path) {
    strata_config config = { .size = sizeof config, .path = path };
    strata_store *store;
    strata_view *view;
    strata_column_spec columns[1 + 4 * TYPES];
    char names[4 * TYPES][16], room[1400];
    describe(columns, names);
    const char *const together[] = { "one5", "one2" };
    strata_index_spec index = { 2, together };
    strata_table_spec table = { .name = "Dog", .column_count = 1 + 4 * TYPES, .columns = columns, .indexes = &index,
                                .index_count = 1 };
    MUST(strata_store_open(&config, &store, &error));
    MUST(strata_view_open(store, &view, &error));
    MUST(strata_schema_apply(view, &table, 1, 1, &error));
    MUST(strata_view_begin(view, &error));
    uint64_t keys[DOGS];
    for (uint32_t dog = 0; dog < DOGS; dog++) {
        strata_value id = strata_int(dog);
        MUST(strata_object_create(view, 0, &id, 1, &keys[dog], &error));
    }
    for (uint32_t dog = 0; dog < DOGS; dog++) {
        strata_row row;
        for (uint32_t c = 0; c < 4 * TYPES; c++) {
            MUST(strata_row_bind(view, 0, keys[dog], &row, &error));
            strata_value value = value_of(types[c % TYPES], dog, room);
            if (c < TYPES) MUST(strata_row_set(&row, 1 + c, &value, &error));
            else fill_collection(&row, c, dog);
        }
    }
    MUST(strata_view_commit(view, &error));
    strata_view_close(view);
    strata_store_close(store);
    MUST(strata_compact(&config, NULL, &error));
}

static void differ(uint32_t dog, const char *column_name) {
    fprintf(stderr, "%s of dog %u is not what it was\n", column_name, dog);
    exit(1);
}

/* Bytes that are stored elsewhere are compared by their size and in parts. */
static bool same(const strata_value *found, const strata_value *wanted, const char *read) {
    if (found->type != wanted->type) return false;
    if (found->type != STRATA_STRING && found->type != STRATA_DATA) return strata_mixed_compare(found, wanted) == 0;
    const void *bytes = found->as.bytes.data != NULL ? found->as.bytes.data : read;
    size_t size = wanted->as.bytes.size;
    return found->as.bytes.size == size && memcmp(bytes, wanted->as.bytes.data, size) == 0;
}

static void read_single(const strata_row *row, uint32_t c, uint32_t dog, const char *name) {
    char room[1400], read[1400];
    strata_value wanted = value_of(types[c % TYPES], dog, room), found;
    size_t size = 0;
    MUST(strata_row_get(row, 1 + c, &found, &error));
    bool bytes = found.type == STRATA_STRING || found.type == STRATA_DATA;
    if (bytes && found.as.bytes.data == NULL) MUST(strata_row_read(row, 1 + c, 0, read, sizeof read, &size, &error));
    if (!same(&found, &wanted, read)) differ(dog, name);
}

static void read_collection(strata_row *row, uint32_t c, uint32_t dog, const char *name) {
    uint64_t count;
    uint32_t wanted = c == TYPES + 1 && dog == 0 ? LONG_LIST : dog % 4;
    char room[1400], read[1400];
    MUST(strata_collection_size(row, 1 + c, &count, &error));
    bool set = c / TYPES == STRATA_SET;
    if (set ? count > wanted || (wanted != 0) != (count != 0) : count != wanted) differ(dog, name);
    for (uint32_t i = 0; i < count; i++) {
        strata_value expected = value_of(types[c % TYPES], dog + i, room), found;
        uint64_t position = i;
        size_t size = 0;
        if (set) MUST(strata_collection_find(row, 1 + c, &expected, 0, &position, &error));
        MUST(strata_collection_get(row, 1 + c, position, 1, &found, &error));
        bool bytes = found.type == STRATA_STRING || found.type == STRATA_DATA;
        if (bytes && found.as.bytes.data == NULL)
            MUST(strata_collection_read(row, 1 + c, position, 0, read, sizeof read, &size, &error));
        if (!same(&found, &expected, read)) differ(dog, name);
    }
}

static void read_file(const char *path) {
    strata_config config = { .size = sizeof config, .path = path, .flags = STRATA_OPEN_CHECK_PAGES };
    strata_store *store;
    strata_view *view;
    strata_verify_report report;
    strata_column_spec columns[1 + 4 * TYPES];
    char names[4 * TYPES][16];
    describe(columns, names);
    MUST(strata_store_open(&config, &store, &error));
    MUST(strata_view_open(store, &view, &error));
    MUST(strata_verify(view, &report, &error));
    for (uint32_t dog = 0; dog < DOGS; dog++) {
        strata_value id = strata_int(dog);
        uint64_t key;
        strata_row row;
        MUST(strata_object_find(view, 0, &id, &key, &error));
        MUST(strata_row_bind(view, 0, key, &row, &error));
        for (uint32_t c = 0; c < 4 * TYPES; c++) {
            if (c < TYPES) read_single(&row, c, dog, names[c]);
            else read_collection(&row, c, dog, names[c]);
        }
    }
    strata_view_close(view);
    strata_store_close(store);
    printf("%s is sound\n", path);
}

int main(int argc, char **argv) {
    if (argc == 1) {
        print_store();
        print_values();
    } else if (argc == 3 && strcmp(argv[1], "make") == 0) {
        make_file(argv[2]);
    } else if (argc == 3 && strcmp(argv[1], "read") == 0) {
        read_file(argv[2]);
    } else {
        return 2;
    }
    return 0;
}
