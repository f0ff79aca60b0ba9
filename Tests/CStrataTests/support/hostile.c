/* SPDX-License-Identifier: MIT
 * hostile.c -- files with everything in them, and using files that may be damaged. */
#define _GNU_SOURCE 1
#include "support/hostile.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "strata_mixed.h"
#include "support/strata_support.h"

/* ---- A store with everything ------------------------------------------ */

static strata_column_spec collection_of(const char *name, strata_collection kind, strata_type type,
                                        const char *target) {
    return (strata_column_spec){ .name = name, .type = type, .collection = kind, .target = target };
}

enum { PERSON, THING, PART };
enum { MAP_SIZE = 1 << 28 };

static strata_column_spec many_of(const char *name, strata_collection kind, strata_type type) {
    return collection_of(name, kind, type, type == STRATA_LINK ? "Person" : NULL);
}

static void apply_everything(fixture *f) {
    const strata_column_spec person[] = {
        column("id", STRATA_INT, STRATA_COLUMN_PRIMARY),
        column("name", STRATA_STRING, STRATA_COLUMN_INDEXED | STRATA_COLUMN_NULLABLE),
        column("score", STRATA_DOUBLE, 0),
        column("any", STRATA_MIXED, STRATA_COLUMN_INDEXED),
        column("exact", STRATA_DECIMAL, STRATA_COLUMN_NULLABLE),
        column("uuid", STRATA_UUID, 0),
        link_to("friend", "Person"),
        list_of("friends", "Person"),
        many_of("numbers", STRATA_LIST, STRATA_INT),
        many_of("tags", STRATA_SET, STRATA_STRING),
        many_of("notes", STRATA_MAP, STRATA_STRING),
        column("photo", STRATA_DATA, STRATA_COLUMN_NULLABLE),
    };
    const strata_column_spec thing[] = {
        column("flag", STRATA_BOOL, 0),
        column("small", STRATA_INT, STRATA_COLUMN_INDEXED | STRATA_COLUMN_NULLABLE),
        column("ratio", STRATA_FLOAT, 0),
        column("at", STRATA_DATE, STRATA_COLUMN_INDEXED),
        column("text", STRATA_STRING, 0),
        column("raw", STRATA_OBJECT_ID, STRATA_COLUMN_NULLABLE),
        column("uid", STRATA_UUID, STRATA_COLUMN_INDEXED),
        link_to("owner", "Person"),
        column("any", STRATA_MIXED, 0),
        many_of("anys", STRATA_LIST, STRATA_MIXED),
        many_of("values", STRATA_MAP, STRATA_MIXED),
        list_of("parts", "Part"),
        link_to("part", "Part"),
        many_of("sizes", STRATA_SET, STRATA_INT),
        many_of("dict", STRATA_MAP, STRATA_LINK),
        many_of("texts", STRATA_LIST, STRATA_STRING),
    };
    const strata_column_spec part[] = { column("n", STRATA_INT, 0), column("s", STRATA_STRING, 0) };
    static const char *const indexed[] = { "flag", "small", "owner" };
    const strata_index_spec index = { 3, indexed };
    const strata_table_spec tables[] = { { .name = "Person", .column_count = 12, .columns = person },
                                         { .name = "Thing", .column_count = 16, .columns = thing, .indexes = &index,
                                           .index_count = 1 },
                                         { "Part", STRATA_TABLE_EMBEDDED, 2, part } };
    MUST(apply(f, 1, tables, 3));
}

static void add_person(fixture *f, int i) {
    char name[40];
    int size = snprintf(name, sizeof name, "Person %d", i);
    uint8_t *photo = pattern(6000, (uint64_t)i);
    uint64_t key = ADD(PERSON, strata_int(i * 7919 % 100003), strata_string(name, (size_t)size), strata_double(i / 3.0),
                       i % 3 == 0 ? strata_int(i) : strata_string(name, (size_t)size));
    strata_row row = row_of(f, PERSON, key);
    if (i % 9 == 0) set(f, PERSON, key, 11, strata_data(photo, 6000));
    if (key > 1) {
        set(f, PERSON, key, 6, strata_link(key - 1));
        uint64_t friends[2] = { key, key - 1 };
        MUST(insert_keys(&row, 7, 0, friends, 2, &f->error));
    }
    int numbers = i % 100 == 7 ? 3000 : i % 5;
    for (int n = 0; n < numbers; n++) {
        strata_value number = strata_int(n * 31);
        MUST(strata_list_insert(&row, 8, (uint64_t)n, &number, 1, &f->error));
    }
    for (int n = 0; n < i % 4; n++) {
        char tag[20];
        int length = snprintf(tag, sizeof tag, "tag %d", n);
        strata_value value = strata_string(tag, (size_t)length);
        MUST(strata_set_insert(&row, 9, &value, NULL, NULL, &f->error));
        MUST(strata_map_set(&row, 10, (strata_bytes){ tag, (size_t)length }, &value, &f->error));
    }
    free(photo);
}

/* ---- Things ----------------------------------------------------------- */

/* A list or map with others in it. */
static void set_nested(strata_row *row, uint32_t column, int i, fixture *f) {
    strata_nested *nested = strata_nested_make();
    strata_bytes k = { "k", 1 }, other = { "other", 5 };
    strata_value value, number = strata_int(i % 7), text = value_of("deep");
    if (i % 2 == 0) {
        MUST(strata_nested_begin_map(nested, NULL, &f->error));
        MUST(strata_nested_put(nested, k, &number, &f->error));
        MUST(strata_nested_begin_list(nested, &other, &f->error));
    } else {
        MUST(strata_nested_begin_list(nested, NULL, &f->error));
        MUST(strata_nested_begin_list(nested, NULL, &f->error));
    }
    for (int n = 0; n < i % 40; n++) MUST(strata_nested_append(nested, n % 5 == 4 ? &text : &number, &f->error));
    MUST(strata_nested_end(nested, &f->error));
    MUST(strata_nested_end(nested, &f->error));
    MUST(strata_nested_finish(nested, &value, &f->error));
    MUST(strata_row_set(row, column, &value, &f->error));
    strata_nested_free(nested);
}

static void fill_collections(fixture *f, strata_row *row, int i) {
    uint8_t *text = pattern(3000, (uint64_t)i);
    for (int n = 0; n < (i % 25 == 3 ? 900 : i % 4); n++) {
        strata_value any = n % 3 == 0 ? strata_mixed_link(PERSON, (uint64_t)(2 + i % 3)) : strata_int(n);
        strata_value size = strata_int(n * n), person = strata_link((uint64_t)(2 + i % 3));
        char key[12] = "a";
        if (n > 0) snprintf(key, sizeof key, "key %d", n);
        strata_bytes name = { key, strlen(key) };
        MUST(strata_list_insert(row, 9, (uint64_t)n, &any, 1, &f->error));
        MUST(strata_map_set(row, 10, name, n % 2 == 0 ? &size : &any, &f->error));
        MUST(strata_set_insert(row, 13, &size, NULL, NULL, &f->error));
        MUST(strata_map_set(row, 14, name, &person, &f->error));
    }
    for (int n = 0; n < i % 5; n++) {
        strata_value value = strata_string((const char *)text, n == 3 ? 3000 : (size_t)(20 * n));
        memset(text, 's', 3000);
        MUST(strata_list_insert(row, 15, 0, &value, 1, &f->error));
    }
    free(text);
}

static uint64_t add_part(fixture *f, int i) {
    char text[12];
    int size = snprintf(text, sizeof text, "s%d", i % 9);
    return ADD(PART, strata_int(i % 6), strata_string(text, (size_t)size));
}

static void add_thing(fixture *f, int i) {
    char text[60];
    int size = snprintf(text, sizeof text, "a thing with number %d", i * 31);
    strata_value uid = strata_null();
    uid.type = STRATA_UUID;
    memset(uid.as.fixed, i * 37 & 0xFF, 16);
    uint64_t key = ADD(THING, strata_bool(i % 3 == 0), i % 4 == 0 ? strata_null() : strata_int(i % 17),
                       strata_float((float)i / 8), strata_date(i * 1000.5), strata_string(text, (size_t)size),
                       strata_null(), uid, strata_link((uint64_t)(2 + i % 3)));
    strata_row row = row_of(f, THING, key);
    if (i % 3 == 0) set_nested(&row, 8, i, f);
    else set(f, THING, key, 8, i % 3 == 1 ? strata_int(i) : value_of("any text"));
    fill_collections(f, &row, i);
    set(f, THING, key, 12, strata_link(add_part(f, i)));
    for (int n = 0; n < i % 3; n++) {
        uint64_t part = add_part(f, i + n);
        MUST(insert_keys(&row, 11, 0, &part, 1, &f->error));
    }
}

/* ---- Files ------------------------------------------------------------ */

void hostile_make_file(const char *name, int persons) {
    fixture *f = fixture_open(name);
    apply_everything(f);
    MUST(strata_view_begin(f->view, &f->error));
    for (int i = 0; i < persons; i++) add_person(f, i);
    for (int i = 0; i < persons / 4; i++) add_thing(f, i);
    MUST(strata_view_commit(f->view, &f->error));
    MUST(strata_view_begin(f->view, &f->error));
    for (int i = 0; i < persons; i += 5) {
        MUST(strata_object_unlink(f->view, PERSON, (uint64_t)i + 1, &f->error));
        MUST(strata_object_delete(f->view, PERSON, (uint64_t)i + 1, &f->error));
    }
    MUST(strata_view_commit(f->view, &f->error));
    fixture_close(f);
}

void hostile_add_persons(const char *name, int from, int count) {
    fixture *f = fixture_open(name);
    MUST(strata_view_begin(f->view, &f->error));
    for (int i = 0; i < count; i++) add_person(f, from + i);
    MUST(strata_view_commit(f->view, &f->error));
    fixture_close(f);
}

/* ---- Opening ---------------------------------------------------------- */

const char *const hostile_mode_names[HOSTILE_MODES] = { "opened as usual", "with its pages checked", "read-only" };

strata_status hostile_open(const char *path, hostile_mode mode, strata_store **out, strata_error *error) {
    static const uint32_t flags[HOSTILE_MODES] = { STRATA_OPEN_NO_CREATE, STRATA_OPEN_CHECK_PAGES,
                                                   STRATA_OPEN_READ_ONLY };
    strata_config config = { .size = sizeof config, .path = path, .flags = flags[mode], .map_size = MAP_SIZE };
    return strata_store_open(&config, out, error);
}

/* ---- Programs that write ---------------------------------------------- */

/* The rest of a transaction is left out after the first call that failed. */
#define STEP(call) \
    do { \
        if (status >= 0) status = (call); \
    } while (0)

static strata_status change_cells(strata_view *view, uint64_t key, strata_error *error) {
    uint8_t photo[5000];
    strata_row row;
    strata_value text = strata_string("a name that nobody had before", 29), number = strata_int(-31),
                 score = strata_double(7), data = strata_data(photo, sizeof photo), friend = strata_link(3);
    memset(photo, 7, sizeof photo);
    strata_status status = strata_row_bind(view, PERSON, key, &row, error);
    if (status != STRATA_OK) return status;
    STEP(strata_row_set(&row, 2, &score, error));
    if (status >= 0 && strata_row_ready(&row) == STRATA_OK) (void)strata_row_store_double(&row, 2, 8.5);
    STEP(strata_row_set(&row, 1, &text, error));
    STEP(strata_row_set(&row, 3, &number, error));
    STEP(strata_row_set(&row, 6, &friend, error));
    STEP(strata_row_set(&row, 11, &data, error));
    return status;
}

static strata_status change_collections(strata_view *view, uint64_t key, strata_error *error) {
    strata_row row;
    strata_value number = strata_int(77), text = strata_string("changed", 7), friends[3];
    strata_bytes name = { "tag 0", 5 }, other = { "new", 3 };
    uint64_t count = 0;
    for (uint64_t i = 0; i < 3; i++) friends[i] = strata_link(2 + i % 2);
    strata_status status = strata_row_bind(view, PERSON, key, &row, error);
    if (status != STRATA_OK) return status;
    STEP(strata_collection_size(&row, 8, &count, error));
    STEP(strata_list_insert(&row, 8, count / 2, &number, 1, error));
    if (count > 2) STEP(strata_collection_remove(&row, 8, count / 3, 1 + count / 4, error));
    STEP(strata_list_set(&row, 8, 0, &number, error));
    STEP(strata_list_insert(&row, 7, 0, friends, 3, error));
    STEP(strata_set_insert(&row, 9, &text, NULL, NULL, error));
    STEP(strata_map_set(&row, 10, name, &text, error));
    STEP(strata_map_set(&row, 10, other, &text, error));
    return status;
}

static strata_status change_thing(strata_view *view, uint64_t key, strata_error *error) {
    strata_row row;
    strata_value number = strata_int(5), null = strata_null(), any = strata_mixed_link(PERSON, 4);
    strata_bytes name = { "key 1", 5 };
    uint64_t part = 0;
    strata_status status = strata_row_bind(view, THING, key, &row, error);
    if (status != STRATA_OK) return status;
    STEP(strata_row_set(&row, 1, &number, error));
    STEP(strata_row_set(&row, 8, &any, error));
    STEP(strata_list_insert(&row, 9, 0, &number, 1, error));
    STEP(strata_map_set(&row, 10, name, &any, error));
    STEP(strata_set_insert(&row, 13, &number, NULL, NULL, error));
    STEP(strata_row_set(&row, 12, &null, error));
    STEP(strata_object_create(view, PART, &number, 1, &part, error));
    strata_value link = strata_link(part);
    STEP(strata_list_insert(&row, 11, 0, &link, 1, error));
    return status;
}

static strata_status update(strata_view *view, strata_error *error) {
    strata_status status = STRATA_OK;
    for (uint64_t key = 2; key < 5; key++) STEP(change_cells(view, key * 3, error));
    STEP(change_cells(view, 19, error)); /* which has a photo */
    STEP(change_collections(view, 7 + 1, error));
    STEP(change_collections(view, 44, error));
    STEP(change_thing(view, 4, error));
    STEP(change_thing(view, 29, error));
    return status;
}

static strata_status remove_some(strata_view *view, strata_error *error) {
    strata_status status = STRATA_OK;
    for (uint64_t key = 22; key < 60; key += 9) {
        STEP(strata_object_unlink(view, PERSON, key, error));
        STEP(strata_object_delete(view, PERSON, key, error));
    }
    STEP(strata_object_unlink(view, PERSON, 28, error)); /* which has a photo */
    STEP(strata_object_delete(view, PERSON, 28, error));
    STEP(strata_object_delete(view, THING, 5, error));
    STEP(strata_object_delete(view, THING, 13, error));
    return status;
}

static strata_status create_many(strata_view *view, strata_error *error) {
    strata_status status = STRATA_OK;
    for (int i = 0; i < 60; i++) {
        char name[40];
        int size = snprintf(name, sizeof name, "Somebody of the others %d", i);
        uint64_t key;
        strata_value values[] = { strata_int(-5 - i), strata_string(name, (size_t)size), strata_double(i),
                                  strata_int(i) };
        STEP(strata_object_create(view, PERSON, values, 4, &key, error));
    }
    return status;
}

static strata_status clear_things(strata_view *view, strata_error *error) {
    uint32_t table = THING;
    return strata_tables_clear(view, &table, 1, error);
}

static bool transaction(strata_view *view, strata_status (*body)(strata_view *view, strata_error *error),
                        hostile_outcome *out) {
    strata_error error;
    if (strata_view_begin(view, &error) != STRATA_OK) return false;
    strata_status status = body(view, &error);
    if (status < 0) {
        *survey_step = "cancelling";
        strata_view_cancel(view);
        return false;
    }
    *survey_step = "committing";
    if (strata_view_commit(view, &error) != STRATA_OK) return false;
    out->commits++;
    return true;
}

static void change_schema(strata_view *view) {
    strata_column_spec columns[] = { column("n", STRATA_INT, STRATA_COLUMN_INDEXED), column("s", STRATA_STRING, 0),
                                     column("more", STRATA_DOUBLE, 0) };
    strata_table_spec table = { "Part", STRATA_TABLE_EMBEDDED, 3, columns };
    strata_error error;
    *survey_step = "changing the schema";
    (void)!strata_schema_apply(view, &table, 1, 2, &error);
}

static void run_program(strata_view *view, unsigned program, hostile_outcome *out) {
    *survey_step = "updating";
    transaction(view, update, out);
    *survey_step = "removing";
    transaction(view, remove_some, out);
    *survey_step = "creating";
    transaction(view, create_many, out);
    if (program == 1) change_schema(view);
    if (program == 2) transaction(view, clear_things, out);
    *survey_step = "updating again";
    transaction(view, update, out);
}

/* ---- Use -------------------------------------------------------------- */

/* Counts if something was written. Otherwise nothing can have been overwritten, but in pages that contradict
 * themselves a search may end elsewhere the next time. Embedded objects belong to others, which may be damaged; so they
 * are not counted. */
static void count_sound(const survey *before, const survey *after, const hostile_model *model, unsigned program,
                        hostile_outcome *out) {
    for (uint32_t t = 0; t < PART; t++) {
        for (uint32_t key = 1; key < SURVEY_KEYS; key++) {
            uint64_t expected = model->sound.digests[t][key];
            if (expected == 0 || before->digests[t][key] != expected || model->touched[program][t][key]) continue;
            out->sound++;
            if (after->digests[t][key] == expected) continue;
            out->lost++;
            out->lost_table = t;
            out->lost_key = key;
        }
    }
}

/* Opens the file again, as somebody else would, and looks whether all is there. */
static void look_again(const char *path, const survey *before, const hostile_model *model, unsigned program,
                       hostile_outcome *out) {
    static survey after;
    strata_store *store;
    strata_view *view;
    strata_error error;
    *survey_step = "opening again";
    memset(&after, 0, sizeof after);
    if (hostile_open(path, HOSTILE_USUAL, &store, &error) == STRATA_OK) {
        if (strata_view_open(store, &view, &error) == STRATA_OK) {
            survey_objects(view, &after);
            strata_view_close(view);
        }
        *survey_step = "closing again";
        strata_store_close(store);
    }
    *survey_step = "comparing";
    count_sound(before, &after, model, program, out);
}

static bool compact(const char *path) {
    strata_config config = { .size = sizeof config, .path = path, .flags = STRATA_OPEN_NO_CREATE,
                             .map_size = MAP_SIZE };
    strata_compaction result;
    strata_error error;
    *survey_step = "compacting";
    return strata_compact(&config, &result, &error) == STRATA_OK;
}

/* Returns whether something was written. */
static bool use_view(strata_store *store, strata_view *view, const char *path, hostile_mode mode, uint64_t random,
                     const hostile_model *model, survey *before, hostile_outcome *out) {
    static survey after;
    unsigned program = (unsigned)(random % HOSTILE_PROGRAMS);
    uint64_t commits = out->commits;
    char copy[400];
    snprintf(copy, sizeof copy, "%s-copy", path);
    survey_objects(view, before);
    out->conditions += survey_everything(store, view, random, random / HOSTILE_PROGRAMS % 4 == 0 ? copy : NULL);
    if (mode == HOSTILE_READ_ONLY) return false;
    run_program(view, program, out);
    survey_objects(view, &after);
    if (model != NULL && out->commits != commits) count_sound(before, &after, model, program, out);
    if (random / HOSTILE_PROGRAMS % 4 == 1) survey_everything(store, view, random, NULL);
    return out->commits != commits;
}

void hostile_use(const char *path, hostile_mode mode, uint64_t random, const hostile_model *model,
                 hostile_outcome *out) {
    static survey before;
    unsigned program = (unsigned)(random % HOSTILE_PROGRAMS);
    strata_store *store;
    strata_view *view;
    strata_error error;
    *survey_step = "opening";
    if (hostile_open(path, mode, &store, &error) != STRATA_OK) return;
    out->opened++;
    bool viewed = strata_view_open(store, &view, &error) == STRATA_OK, written = false;
    if (viewed) {
        written = use_view(store, view, path, mode, random, model, &before, out);
        *survey_step = "closing";
        strata_view_close(view);
    }
    strata_store_close(store);
    if (!viewed || mode == HOSTILE_READ_ONLY || model == NULL) return;
    if (program == 3 && compact(path)) written = true;
    if (written) look_again(path, &before, model, program, out);
}

/* ---- The model -------------------------------------------------------- */

static void write_file(const char *path, const void *bytes, size_t size) {
    int file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    CHECK(file >= 0);
    CHECK_EQ(write(file, bytes, size), (long long)size);
    CHECK_EQ(close(file), 0);
}

void hostile_make_model(const void *bytes, size_t size, const char *path, hostile_model *out) {
    static survey after;
    strata_store *store;
    strata_view *view;
    strata_error error;
    for (unsigned program = 0; program < HOSTILE_PROGRAMS; program++) {
        hostile_outcome outcome = { 0 };
        write_file(path, bytes, size);
        CHECK_EQ(hostile_open(path, HOSTILE_CHECKED, &store, &error), STRATA_OK);
        CHECK_EQ(strata_view_open(store, &view, &error), STRATA_OK);
        survey_objects(view, &out->sound);
        run_program(view, program, &outcome);
        CHECK(outcome.commits >= 4);
        survey_objects(view, &after);
        for (uint32_t t = 0; t < SURVEY_TABLES; t++)
            for (uint32_t key = 1; key < SURVEY_KEYS; key++)
                out->touched[program][t][key] = out->sound.digests[t][key] != after.digests[t][key];
        strata_view_close(view);
        strata_store_close(store);
    }
}
