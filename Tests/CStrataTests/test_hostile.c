/* SPDX-License-Identifier: MIT
 * test_hostile.c -- files that were damaged, or made to do harm.
 *
 * Promise: a file that is opened with STRATA_OPEN_CHECK_PAGES and verified is either refused with a status, or can be
 * read and written without leaving its memory, without an abort, and without an endless loop. */
#define _GNU_SOURCE 1
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "strata_mixed.h"
#include "strata_support.h"

enum { PAGE = 4096 };

/* ---- A store with everything ------------------------------------------ */

static strata_column_spec collection_of(const char *name, strata_collection kind, strata_type type, const char *target) {
    return (strata_column_spec){ .name = name, .type = type, .collection = kind, .target = target };
}

static void apply_everything(fixture *f) {
    strata_column_spec columns[] = {
        column("id", STRATA_INT, STRATA_COLUMN_PRIMARY),
        column("name", STRATA_STRING, STRATA_COLUMN_INDEXED | STRATA_COLUMN_NULLABLE),
        column("score", STRATA_DOUBLE, 0),
        column("any", STRATA_MIXED, STRATA_COLUMN_INDEXED),
        column("exact", STRATA_DECIMAL, STRATA_COLUMN_NULLABLE),
        column("uuid", STRATA_UUID, 0),
        link_to("friend", "Person"),
        list_of("friends", "Person"),
        collection_of("numbers", STRATA_LIST, STRATA_INT, NULL),
        collection_of("tags", STRATA_SET, STRATA_STRING, NULL),
        collection_of("notes", STRATA_MAP, STRATA_STRING, NULL),
        column("photo", STRATA_DATA, STRATA_COLUMN_NULLABLE),
    };
    strata_table_spec person = { .name = "Person", .column_count = sizeof columns / sizeof *columns,
                                 .columns = columns };
    MUST(apply(f, 1, &person, 1));
}

static void add_person(fixture *f, int i) {
    char name[40];
    int size = snprintf(name, sizeof name, "Person %d", i);
    uint8_t *photo = pattern(6000, (uint64_t)i);
    uint64_t key = ADD(0, strata_int(i * 7919 % 100003), strata_string(name, (size_t)size), strata_double(i / 3.0),
                       i % 3 == 0 ? strata_int(i) : strata_string(name, (size_t)size));
    strata_row row = row_of(f, 0, key);
    if (i % 9 == 0) set(f, 0, key, 11, strata_data(photo, 6000));
    if (key > 1) {
        set(f, 0, key, 6, strata_link(key - 1));
        uint64_t friends[2] = { key, key - 1 };
        MUST(insert_keys(&row, 7, 0, friends, 2, &f->error));
    }
    int numbers = i % 100 == 0 ? 3000 : i % 5;
    for (int n = 0; n < numbers; n++) {
        strata_value number = strata_int(n * 31);
        MUST(strata_list_insert(&row, 8, (uint64_t)n, &number, 1, &f->error));
    }
    for (int n = 0; n < i % 4; n++) {
        char tag[20];
        int length = snprintf(tag, sizeof tag, "tag %d", n);
        strata_value value = strata_string(tag, (size_t)length);
        bool inserted;
        uint64_t position;
        MUST(strata_set_insert(&row, 9, &value, &inserted, &position, &f->error));
        MUST(strata_map_set(&row, 10, (strata_bytes){ tag, (size_t)length }, &value, &f->error));
    }
    free(photo);
}

/* Makes a file with all kinds of pages: deep trees, large values, free pages. */
static void make_file(const char *name, int persons) {
    fixture *f = fixture_open(name);
    apply_everything(f);
    MUST(strata_view_begin(f->view, &f->error));
    for (int i = 0; i < persons; i++) add_person(f, i);
    MUST(strata_view_commit(f->view, &f->error));
    MUST(strata_view_begin(f->view, &f->error));
    for (int i = 0; i < persons; i += 5) {
        MUST(strata_object_unlink(f->view, 0, (uint64_t)i + 1, &f->error));
        MUST(strata_object_delete(f->view, 0, (uint64_t)i + 1, &f->error));
    }
    MUST(strata_view_commit(f->view, &f->error));
    fixture_close(f);
}

static strata_status open_checked(const char *path, strata_store **out, strata_error *error) {
    strata_config config = { .size = sizeof config, .path = path, .flags = STRATA_OPEN_CHECK_PAGES };
    return strata_store_open(&config, out, error);
}

void test_hostile_sound_files_pass(void) {
    strata_error error;
    strata_store *store;
    make_file("a.strata", 800);
    strata_status status = open_checked(ctest_path("a.strata"), &store, &error);
    if (status != STRATA_OK) ctest_fail(__FILE__, __LINE__, error.message);
    strata_store_close(store);
    /* More transactions, so that lists of free pages come and go. */
    fixture *f = fixture_open("a.strata");
    for (int round = 0; round < 40; round++) {
        MUST(strata_view_begin(f->view, &f->error));
        for (int i = 0; i < 20; i++) add_person(f, 1000 + round * 20 + i);
        MUST(strata_view_commit(f->view, &f->error));
    }
    fixture_close(f);
    status = open_checked(ctest_path("a.strata"), &store, &error);
    if (status != STRATA_OK) ctest_fail(__FILE__, __LINE__, error.message);
    strata_store_close(store);
}

/* ---- Damage ----------------------------------------------------------- */

typedef struct image {
    uint8_t *bytes;
    size_t size;
    const char *path;
    uint64_t seed;
    uint64_t from, to; /* numbers of the variants to try */
} image;

static uint64_t interesting(uint64_t *random) {
    static const uint64_t values[] = { 0, 1, 2, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF,
                                       UINT64_C(0x7FFFFFFFFFFFFFFF), UINT64_MAX };
    if (ctest_random(random) % 2 == 0) return values[ctest_random(random) % (sizeof values / sizeof *values)];
    return ctest_random(random);
}

/* Changes a byte, a bit or a number somewhere, mostly where pages and values have their headers. */
static void damage(uint8_t *bytes, size_t size, uint64_t *random) {
    size_t page = ctest_random(random) % (size / PAGE) * PAGE;
    static const size_t headers[] = { 0, 16, 32, 64, 176, 600 };
    size_t within = ctest_random(random) % 4 == 0 ? PAGE : headers[1 + ctest_random(random) % 5];
    size_t at = page + ctest_random(random) % within;
    uint64_t value = interesting(random);
    switch (ctest_random(random) % 5) {
    case 0: bytes[at] ^= (uint8_t)(1 << ctest_random(random) % 8); break;
    case 1: bytes[at] = (uint8_t)value; break;
    case 2: memcpy(bytes + (at & ~(size_t)1), &value, 2); break;
    case 3: memcpy(bytes + (at & ~(size_t)7), &value, 8); break;
    default: { /* a piece of another page */
        size_t other = ctest_random(random) % (size / PAGE) * PAGE;
        size_t length = 1 + ctest_random(random) % 64;
        if (at + length <= size) memmove(bytes + at, bytes + other + (at - page), length);
        break;
    }
    }
}

static void read_everything(strata_view *view, uint64_t *out_sum) {
    strata_cursor *cursor;
    strata_row row;
    strata_error error;
    if (strata_scan(view, 0, false, &cursor, &error) != STRATA_OK) return;
    strata_status status;
    while ((status = strata_cursor_next(cursor, &row, &error)) == STRATA_OK) {
        strata_value value;
        for (uint32_t c = 0; c < 7; c++)
            if (strata_row_get(&row, c, &value, &error) == STRATA_OK) *out_sum += (uint64_t)value.type;
        uint64_t count;
        for (uint32_t c = 7; c < 11; c++)
            if (strata_collection_size(&row, c, &count, &error) == STRATA_OK) *out_sum += count;
    }
    strata_cursor_close(cursor);
}

static void change_something(strata_view *view) {
    strata_error error;
    strata_value values[3] = { strata_int(-5), strata_null(), strata_double(1) };
    uint64_t key;
    if (strata_view_begin(view, &error) != STRATA_OK) return;
    bool good = strata_object_create(view, 0, values, 3, &key, &error) == STRATA_OK;
    for (uint64_t old = 2; old < 40 && good; old += 7) {
        good = strata_object_unlink(view, 0, old, &error) >= 0 && strata_object_delete(view, 0, old, &error) >= 0;
    }
    if (good) (void)!strata_view_commit(view, &error);
    else strata_view_cancel(view);
}

/* Opens, verifies, reads and writes a damaged file. */
static bool use_file(const char *path) {
    strata_store *store;
    strata_view *view;
    strata_error error;
    strata_verify_report report;
    uint64_t sum = 0;
    if (open_checked(path, &store, &error) != STRATA_OK) return false;
    bool sound = false;
    if (strata_view_open(store, &view, &error) == STRATA_OK) {
        sound = strata_verify(view, &report, &error) == STRATA_OK && strata_table_count(view) == 1;
        if (sound) {
            read_everything(view, &sum);
            change_something(view);
        }
        strata_view_close(view);
    }
    strata_store_close(store);
    return sound;
}

static void write_image(const char *path, const uint8_t *bytes, size_t size) {
    int file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    CHECK(file >= 0);
    CHECK_EQ(write(file, bytes, size), (long long)size);
    CHECK_EQ(close(file), 0);
}

static void try_variants(void *argument) {
    const image *it = argument;
    uint8_t *bytes = malloc(it->size);
    CHECK(bytes != NULL);
    alarm(120); /* an endless loop ends the child */
    for (uint64_t variant = it->from; variant < it->to; variant++) {
        uint64_t random = it->seed + variant * UINT64_C(0x9E3779B97F4A7C15);
        memcpy(bytes, it->bytes, it->size);
        for (uint64_t i = 0, count = 1 + ctest_random(&random) % 3; i < count; i++) damage(bytes, it->size, &random);
        write_image(it->path, bytes, it->size);
        (void)use_file(it->path);
    }
    free(bytes);
}

/* STRATA_HOSTILE_FILES of the environment sets how many variants are tried. A failure names the seed and the variant;
 * CTEST_SEED with STRATA_HOSTILE_FROM repeats it. */
void test_hostile_variants_do_no_harm(void) {
    enum { BATCH = 25 };
    const char *wish = getenv("STRATA_HOSTILE_FILES"), *start = getenv("STRATA_HOSTILE_FROM");
    uint64_t variants = wish != NULL ? strtoull(wish, NULL, 10) : 400;
    struct stat info;
    make_file("a.strata", 300);
    int file = open(ctest_path("a.strata"), O_RDONLY);
    CHECK(file >= 0 && fstat(file, &info) == 0);
    image it = { .size = (size_t)info.st_size, .path = ctest_path("b.strata"), .seed = ctest_seed() };
    it.bytes = malloc(it.size);
    CHECK(it.bytes != NULL && read(file, it.bytes, it.size) == info.st_size);
    close(file);
    write_image(it.path, it.bytes, it.size);
    CHECK(use_file(it.path)); /* without damage all of it is done */
    uint64_t first = start != NULL ? strtoull(start, NULL, 10) : 0;
    for (uint64_t from = first; from < first + variants; from += BATCH) {
        it.from = from;
        it.to = from + BATCH < first + variants ? from + BATCH : first + variants;
        int result = ctest_child(try_variants, &it);
        for (it.to = it.from + 1; result != 0 && it.from < from + BATCH; it.from++, it.to++) {
            if (ctest_child(try_variants, &it) != 0) break;
        }
        if (result != 0) {
            char what[120];
            snprintf(what, sizeof what, "variant %llu ends with %d", (unsigned long long)it.from, result);
            ctest_fail(__FILE__, __LINE__, what);
        }
    }
    free(it.bytes);
}
