/* SPDX-License-Identifier: MIT
 *
 * test_misuse.c -- a table of what can be done wrong, each with the status and the words that say so. Afterwards the
 * store is as it was, and works. */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/faults.h"
#include "support/store_support.h"
#include "strata_blob.h"
#include "strata_predicate.h"
#include "strata_prepared.h"
#include "strata_queue.h"
#include "strata_query.h"
#include "support/strata_support.h"

enum { PERSON, TOWN };
enum { ID, NAME, AGE, FRIEND, FRIENDS, TAGS, NOTES, HOME, NOTE };

/* A store with two tables and two objects, and a view of it. */
typedef struct stage {
    fixture *f;
    char path[600];
    uint64_t ann, bob;
} stage;

static strata_error *error_of(stage *s) { return &s->f->error; }

static strata_status apply_people(fixture *f, uint64_t version, uint32_t columns) {
    strata_column_spec person[] = {
        column("id", STRATA_INT, STRATA_COLUMN_PRIMARY), column("name", STRATA_STRING, STRATA_COLUMN_NULLABLE),
        column("age", STRATA_INT, STRATA_COLUMN_INDEXED), link_to("friend", "Person"), list_of("friends", "Person"),
        { "tags", STRATA_STRING, STRATA_SET, 0, NULL }, { "notes", STRATA_STRING, STRATA_MAP, 0, NULL },
        link_to("home", "Town"), column("note", STRATA_STRING, 0),
    };
    strata_column_spec town[] = { column("name", STRATA_STRING, 0) };
    strata_table_spec tables[] = { { "Person", 0, columns, person }, { "Town", 0, 1, town } };
    return apply(f, version, tables, 2);
}

static void stage_open(stage *s) {
    snprintf(s->path, sizeof s->path, "%s", ctest_path("store"));
    fixture *f = s->f = fixture_open("store");
    MUST(apply_people(f, 1, 9));
    MUST(strata_view_begin(f->view, &f->error));
    s->ann = ADD(PERSON, strata_int(1), value_of("Ann"), strata_int(30));
    s->bob = ADD(PERSON, strata_int(2), value_of("Bob"), strata_int(40), strata_link(s->ann));
    uint64_t town = ADD(TOWN, value_of("Ulm"));
    set(f, PERSON, s->ann, HOME, strata_link(town));
    MUST(strata_view_commit(f->view, &f->error));
}

/* Closes everything, for misuse of the file. */
static void leave(stage *s) {
    strata_view_close(s->f->view);
    strata_store_close(s->f->store);
    s->f->view = NULL;
    s->f->store = NULL;
}

static strata_status open_config(stage *s, strata_config config) {
    strata_store *store;
    config.size = sizeof config;
    strata_status status = strata_store_open(&config, &store, error_of(s));
    CHECK((status == STRATA_OK) == (store != NULL));
    strata_store_close(store);
    return status;
}

static strata_status open_path(stage *s, const char *path, uint32_t flags) {
    return open_config(s, (strata_config){ .path = path, .flags = flags });
}

static strata_status begin(stage *s) { return strata_view_begin(s->f->view, error_of(s)); }
static void must_begin(stage *s) { CHECK_EQ(begin(s), STRATA_OK); }
static strata_row row(stage *s, uint64_t key) { return row_of(s->f, PERSON, key); }

/* ---- Opening ---------------------------------------------------------- */

static strata_status no_config(stage *s) {
    strata_store *store;
    return strata_store_open(NULL, &store, error_of(s));
}

static strata_status no_size(stage *s) {
    strata_config config = { .path = s->path };
    strata_store *store;
    return strata_store_open(&config, &store, error_of(s));
}

/* A struct that was never set to anything. */
static strata_status config_of_anything(stage *s) {
    strata_config config;
    strata_store *store;
    memset(&config, 0xa5, sizeof config);
    config.path = s->path;
    return strata_store_open(&config, &store, error_of(s));
}
static strata_status compact_with_anything(stage *s) {
    strata_config config;
    memset(&config, 0xa5, sizeof config);
    config.path = s->path;
    return strata_compact(&config, NULL, error_of(s));
}
static strata_status salvage_with_anything(stage *s) {
    strata_salvage_options options;
    memset(&options, 0xa5, sizeof options);
    return strata_salvage(s->path, ctest_path("saved"), &options, NULL, error_of(s));
}
static strata_status salvage_open(stage *s) {
    return strata_salvage(s->path, ctest_path("saved"), NULL, NULL, error_of(s));
}
static strata_status salvage_nothing(stage *s) { return strata_salvage(NULL, NULL, NULL, NULL, error_of(s)); }
static strata_status stats_of_anything(stage *s) {
    strata_store_stats stats;
    memset(&stats, 0xa5, sizeof stats);
    return strata_store_get_stats(s->f->store, &stats, error_of(s));
}
static strata_status query_of_anything(stage *s) {
    strata_query query;
    uint64_t count;
    memset(&query, 0xa5, sizeof query);
    return strata_query_count(s->f->view, &query, &count, NULL, error_of(s));
}

static strata_status unknown_flags(stage *s) { return open_path(s, s->path, 1u << 20); }
static strata_status no_path(stage *s) { return open_path(s, NULL, 0); }
static strata_status empty_path(stage *s) { return open_path(s, "", 0); }
static strata_status path_too_long(stage *s) {
    char path[5000];
    memset(path, 'p', sizeof path - 1);
    path[sizeof path - 1] = 0;
    return open_path(s, path, 0);
}
static strata_status two_places(stage *s) {
    return open_config(s, (strata_config){ .path = s->path, .memory_name = "m" });
}
static strata_status memory_read_only(stage *s) {
    return open_config(s, (strata_config){ .memory_name = "nowhere", .flags = STRATA_OPEN_READ_ONLY });
}
static strata_status open_otherwise(stage *s) { return open_path(s, s->path, STRATA_OPEN_READ_ONLY); }
static strata_status other_size(stage *s) {
    return open_config(s, (strata_config){ .path = s->path, .map_size = 1 << 22 });
}
static strata_status other_durability(stage *s) {
    return open_config(s, (strata_config){ .path = s->path, .durability = STRATA_DURABILITY_RELAXED });
}
static strata_status too_many_readers(stage *s) {
    return open_config(s, (strata_config){ .path = s->path, .max_readers = STRATA_MAX_READERS + 1 });
}
static strata_status little_resident(stage *s) {
    return open_config(s, (strata_config){ .path = s->path, .max_resident = 64 });
}
static strata_status other_resident(stage *s) {
    return open_config(s, (strata_config){ .path = s->path, .max_resident = 1 << 22 });
}
static strata_status unknown_durability(stage *s) {
    return open_config(s, (strata_config){ .path = s->path, .durability = (strata_durability)4 });
}
static strata_status missing(stage *s) { return open_path(s, ctest_path("missing"), STRATA_OPEN_NO_CREATE); }
static strata_status missing_folder(stage *s) { return open_path(s, ctest_path("no/store"), 0); }
static strata_status folder(stage *s) { return open_path(s, ctest_directory(), 0); }
static strata_status device(stage *s) { return open_path(s, "/dev/null", 0); }

static strata_status dangling_link(stage *s) {
    CHECK_EQ(symlink("nowhere", ctest_path("dangling")), 0);
    return open_path(s, ctest_path("dangling"), 0);
}

static strata_status long_name(stage *s) {
    char name[300];
    memset(name, 'n', sizeof name);
    name[299] = 0;
    return open_path(s, ctest_path(name), 0);
}

static strata_status other_file(stage *s) {
    FILE *file = fopen(ctest_path("text"), "w");
    CHECK(file != NULL);
    for (int i = 0; i < 2000; i++) fprintf(file, "line %d\n", i);
    CHECK_EQ(fclose(file), 0);
    return open_path(s, ctest_path("text"), 0);
}

/* No misuse: it is the same store, and the same handle. */
static strata_status through_a_symbolic_link(stage *s) {
    strata_store *again;
    strata_config config = { .size = sizeof config, .path = ctest_path("link") };
    CHECK_EQ(symlink(s->path, config.path), 0);
    strata_status status = strata_store_open(&config, &again, error_of(s));
    CHECK(again == s->f->store);
    strata_store_close(again);
    return status;
}

static strata_status hard_link(stage *s) {
    CHECK_EQ(link(s->path, ctest_path("other")), 0);
    strata_status status = open_path(s, ctest_path("other"), 0);
    CHECK_EQ(unlink(ctest_path("other")), 0);
    return status;
}

static strata_status on_a_network(stage *s) {
    static const long kinds[] = { 0x6969, 0x517B, 0xFF534D42, 0xFE534D42, 0x01021997, 0x65735546, 0x00C36400 };
    leave(s);
    strata_status status = STRATA_OK;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        fault_file_system(kinds[i]);
        status = open_path(s, s->path, 0);
        if (i == 0) CHECK_EQ(open_path(s, s->path, STRATA_OPEN_ALLOW_REMOTE), STRATA_OK);
        fault_file_system(0);
        if (status != STRATA_REMOTE_FILE) break;
    }
    return status;
}

static strata_status with_lock_at(stage *s, off_t at) {
    int file = open(s->path, O_RDWR);
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = at, .l_len = 1 };
    CHECK(file >= 0);
    CHECK_EQ(fcntl(file, F_OFD_SETLK, &lock), 0);
    strata_status status = open_path(s, s->path, 0);
    close(file);
    return status;
}

/* A process of our number in another container has it open. */
static strata_status same_process_number(stage *s) {
    leave(s);
    return with_lock_at(s, ((off_t)1 << 60) + getpid());
}

static strata_status other_lock_file(stage *s) {
    leave(s);
    return with_lock_at(s, ((off_t)1 << 61) + (1 << 20) - 1); /* a place that is ours once in a million */
}

/* The library, loaded a second time under another name. */
static strata_status second_copy(stage *s) {
    typedef strata_status open_function(const strata_config *, strata_store **, strata_error *);
    const char *library = getenv("STRATA_LIBRARY");
    if (library == NULL) library = "build/libstrata.so";
    char command[1400];
    const char *copy = ctest_path("libother.so");
    snprintf(command, sizeof command, "cp '%s' '%s' 2> /dev/null", library, copy);
    if (system(command) != 0) return STRATA_END; /* it was not built */
    void *other = dlopen(copy, RTLD_NOW | RTLD_LOCAL);
    void *found = other == NULL ? NULL : dlsym(other, "strata_store_open");
    if (found == NULL) return STRATA_END;
    open_function *open_there;
    memcpy(&open_there, &found, sizeof open_there);
    strata_config config = { .size = sizeof config, .path = s->path };
    strata_store *store;
    CHECK(open_there != strata_store_open);
    return open_there(&config, &store, error_of(s)); /* stays loaded: it watches forks */
}

static strata_status with_header(stage *s, size_t at, uint16_t value, uint32_t flags) {
    leave(s);
    patch_header(s->path, at, value, true);
    strata_status status = open_path(s, s->path, flags);
    patch_header(s->path, at, at == 8, true);
    return status;
}

static strata_status newer_format(stage *s) { return with_header(s, 8, 2, 0); }
static strata_status unknown_write_feature(stage *s) { return with_header(s, 20, 4, 0); }
static strata_status unknown_read_feature(stage *s) { return with_header(s, 24, 4, STRATA_OPEN_READ_ONLY); }

/* ---- Files that go away ----------------------------------------------- */

static strata_status write_to_moved_file(stage *s) {
    CHECK_EQ(rename(s->path, ctest_path("moved")), 0);
    strata_status status = begin(s);
    CHECK_EQ(rename(ctest_path("moved"), s->path), 0);
    return status;
}

static strata_status open_in_place_of_moved_file(stage *s) {
    CHECK_EQ(rename(s->path, ctest_path("moved")), 0);
    strata_status status = open_path(s, s->path, 0);
    CHECK_EQ(rename(ctest_path("moved"), s->path), 0);
    return status;
}

static strata_status write_beside_replacement(stage *s) {
    CHECK_EQ(rename(s->path, ctest_path("moved")), 0);
    close(open(s->path, O_CREAT | O_WRONLY | O_EXCL, 0600));
    strata_status status = begin(s);
    CHECK_EQ(rename(ctest_path("moved"), s->path), 0);
    return status;
}

/* ---- Threads and processes -------------------------------------------- */

typedef struct elsewhere {
    stage *s;
    strata_status (*body)(stage *);
    strata_status status;
} elsewhere;

static void *run_elsewhere(void *argument) {
    elsewhere *it = argument;
    it->status = it->body(it->s);
    return NULL;
}

static strata_status on_a_thread(stage *s, strata_status (*body)(stage *)) {
    pthread_t thread;
    elsewhere it = { s, body, STRATA_OK };
    CHECK_EQ(pthread_create(&thread, NULL, run_elsewhere, &it), 0);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    return it.status;
}

static strata_status read_size(stage *s) {
    uint64_t size;
    return strata_table_size(s->f->view, PERSON, &size, error_of(s));
}
static strata_status commit(stage *s) { return strata_view_commit(s->f->view, error_of(s)); }
static strata_status refresh(stage *s) { return strata_view_refresh(s->f->view, NULL, error_of(s)); }
static strata_status delete_bob(stage *s) {
    return strata_object_delete(s->f->view, PERSON, s->bob, error_of(s));
}

static strata_status read_on_a_thread(stage *s) { return on_a_thread(s, read_size); }
static strata_status begin_on_a_thread(stage *s) { return on_a_thread(s, begin); }
static strata_status refresh_on_a_thread(stage *s) { return on_a_thread(s, refresh); }
static strata_status change_on_a_thread(stage *s) {
    must_begin(s);
    return on_a_thread(s, delete_bob);
}
static strata_status read_collection(stage *s) {
    strata_row ann = { .key = s->ann, .table = PERSON, .head = (const strata_view_head *)s->f->view };
    uint64_t size;
    return strata_collection_size(&ann, FRIENDS, &size, error_of(s));
}
static strata_status read_collection_on_a_thread(stage *s) { return on_a_thread(s, read_collection); }
static strata_status read_collection_at_rest(stage *s) {
    strata_view_rest(s->f->view);
    CHECK_EQ(strata_view_adopt(s->f->view, error_of(s)), STRATA_OK);
    strata_status status = read_collection(s);
    CHECK_EQ(refresh(s), STRATA_OK);
    return status;
}
static strata_status commit_on_a_thread(stage *s) {
    must_begin(s);
    return on_a_thread(s, commit);
}

static bool take_text(void *context, const void *text, size_t size) {
    (void)context, (void)text, (void)size;
    return true;
}

/* Whatever begins to read a view as a whole, without a row of it. */
static strata_status read_whole(stage *s, strata_status expected) {
    strata_declaration *declaration;
    strata_export *export;
    strata_import *import;
    strata_export_options to = strata_export_options_blank();
    strata_import_options from = strata_import_options_blank();
    CHECK_EQ(strata_declaration_read(s->f->view, &declaration, error_of(s)), expected);
    strata_status of_import = strata_import_open(s->f->view, &from, &import, error_of(s));
    CHECK_EQ(of_import, expected == STRATA_CLOSED ? STRATA_OK : expected); /* which begins with a write */
    CHECK(declaration == NULL && (of_import == STRATA_OK) == (import != NULL));
    strata_import_close(import);
    strata_status status = strata_export_open(s->f->view, &to, take_text, NULL, &export, error_of(s));
    CHECK(export == NULL);
    return status;
}
static strata_status read_whole_elsewhere(stage *s) { return read_whole(s, STRATA_WRONG_THREAD); }
static strata_status read_whole_on_a_thread(stage *s) { return on_a_thread(s, read_whole_elsewhere); }
static strata_status read_whole_at_rest(stage *s) {
    strata_view_rest(s->f->view);
    CHECK_EQ(strata_view_adopt(s->f->view, error_of(s)), STRATA_OK);
    strata_status status = read_whole(s, STRATA_CLOSED);
    CHECK_EQ(refresh(s), STRATA_OK);
    return status;
}

static void change_in_child(void *argument) {
    stage *s = argument;
    uint64_t key;
    strata_row ann = { .key = s->ann, .table = PERSON, .head = (const strata_view_head *)s->f->view };
    strata_value value = value_of("Eve");
    CHECK_EQ(strata_object_create(s->f->view, TOWN, &value, 1, &key, error_of(s)), STRATA_AFTER_FORK);
    CHECK_EQ(delete_bob(s), STRATA_AFTER_FORK);
    CHECK_EQ(strata_row_set(&ann, NAME, &value, error_of(s)), STRATA_AFTER_FORK);
    CHECK_EQ(strata_blob_append(&ann, NOTE, "x", 1, error_of(s)), STRATA_AFTER_FORK);
    CHECK_EQ(strata_collection_remove(&ann, FRIENDS, 0, 0, error_of(s)), STRATA_AFTER_FORK);
    CHECK_EQ(strata_tables_clear(s->f->view, (uint32_t[]){ TOWN }, 1, error_of(s)), STRATA_AFTER_FORK);
    CHECK_EQ(commit(s), STRATA_AFTER_FORK);
}

static void change_in_grandchild(void *argument) {
    change_in_child(argument);
    CHECK_EQ(ctest_child(change_in_child, argument), 0);
}

/* With and without a write of the parent, and in a child of the child. */
static strata_status change_in_a_child(stage *s) {
    bool sound = ctest_child(change_in_grandchild, s) == 0;
    must_begin(s);
    strata_row ann = row(s, s->ann);
    strata_value value = strata_int(35);
    CHECK_EQ(strata_row_set(&ann, AGE, &value, error_of(s)), STRATA_OK);
    sound = ctest_child(change_in_grandchild, s) == 0 && sound;
    strata_view_cancel(s->f->view);
    if (sound) *error_of(s) = (strata_error){ STRATA_AFTER_FORK, 0, "as the child saw it" };
    return error_of(s)->status;
}

static void use_in_child(void *argument) {
    stage *s = argument;
    strata_view *view;
    CHECK_EQ(strata_view_open(s->f->store, &view, error_of(s)), STRATA_AFTER_FORK);
    CHECK(strstr(error_of(s)->message, "anew") != NULL);
    CHECK_EQ(begin(s), STRATA_AFTER_FORK);
    CHECK_EQ(refresh(s), STRATA_AFTER_FORK);
    CHECK_EQ(read_size(s), STRATA_AFTER_FORK);
    CHECK_EQ(read_whole(s, STRATA_AFTER_FORK), STRATA_AFTER_FORK);
    CHECK_EQ(strata_store_backup(s->f->store, ctest_path("copy"), 0, error_of(s)), STRATA_AFTER_FORK);
    CHECK_EQ(strata_store_flush(s->f->store, error_of(s)), STRATA_AFTER_FORK);
}

static strata_status in_a_child(stage *s) {
    if (ctest_child(use_in_child, s) == 0)
        *error_of(s) = (strata_error){ STRATA_AFTER_FORK, 0, "as the child saw it" };
    return error_of(s)->status;
}

/* ---- Transactions ----------------------------------------------------- */

static strata_status begin_twice(stage *s) {
    must_begin(s);
    return begin(s);
}

static strata_status begin_in_two_views(stage *s) {
    strata_view *other;
    must_begin(s);
    CHECK_EQ(strata_view_open(s->f->store, &other, error_of(s)), STRATA_OK);
    strata_status status = strata_view_begin(other, error_of(s));
    strata_view_close(other);
    return status;
}

static strata_status set_outside(stage *s) {
    strata_row ann = row(s, s->ann);
    strata_value age = strata_int(3);
    return strata_row_set(&ann, AGE, &age, error_of(s));
}

/* Opens the stage's store anew, to read it. */
static void open_read_only(stage *s) {
    leave(s);
    strata_config config = { .size = sizeof config, .path = s->path, .flags = STRATA_OPEN_READ_ONLY };
    CHECK_EQ(strata_store_open(&config, &s->f->store, error_of(s)), STRATA_OK);
    CHECK_EQ(strata_view_open(s->f->store, &s->f->view, error_of(s)), STRATA_OK);
}

static strata_status write_read_only(stage *s) {
    open_read_only(s);
    strata_status status = begin(s);
    leave(s);
    return status;
}

static strata_status verify_while_writing(stage *s) {
    strata_verify_report report;
    must_begin(s);
    return strata_verify(s->f->view, &report, error_of(s));
}

static strata_status apply_while_writing(stage *s) {
    must_begin(s);
    return apply_people(s->f, 2, 8);
}

static strata_status too_many_snapshots(stage *s) {
    enum { MOST = 6 };
    strata_view *views[MOST + 1];
    strata_store *store;
    strata_config config = { .size = sizeof config, .path = ctest_path("few"), .max_readers = MOST };
    strata_status status = STRATA_OK;
    int opened = 0;
    CHECK_EQ(strata_store_open(&config, &store, error_of(s)), STRATA_OK);
    while (opened <= MOST && (status = strata_view_open(store, &views[opened], error_of(s))) == STRATA_OK) opened++;
    strata_snapshot all[MOST + 1];
    uint32_t count;
    CHECK_EQ(strata_store_get_snapshots(store, all, MOST + 1, &count, NULL), STRATA_OK); /* it needs none itself */
    CHECK(count == MOST && all[0].process == getpid() && all[MOST - 1].version == strata_view_version(views[0]));
    while (opened > 0) strata_view_close(views[--opened]);
    strata_store_close(store);
    return status;
}

static strata_status too_much_for_the_map(stage *s) {
    leave(s);
    strata_config config = { .size = sizeof config, .path = s->path, .map_size = 1 << 20 };
    CHECK_EQ(strata_store_open(&config, &s->f->store, error_of(s)), STRATA_OK);
    CHECK_EQ(strata_view_open(s->f->store, &s->f->view, error_of(s)), STRATA_OK);
    uint8_t *big = pattern(3 << 20, 1);
    strata_row ann = row(s, s->ann);
    strata_value name = strata_string((char *)big, 3 << 20);
    must_begin(s);
    strata_status status = strata_row_set(&ann, NAME, &name, error_of(s));
    if (status == STRATA_OK) status = commit(s);
    leave(s);
    free(big);
    return status;
}

/* No misuse: what is still open keeps the file open. */
static strata_status close_store_first(stage *s) {
    strata_store_close(s->f->store);
    s->f->store = NULL;
    strata_status status = read_size(s);
    leave(s);
    return status;
}

/* ---- Copies ----------------------------------------------------------- */

static strata_status backup_while_writing(stage *s) {
    must_begin(s);
    return strata_store_backup(s->f->store, ctest_path("copy"), 0, error_of(s));
}
static strata_status backup_to_nothing(stage *s) {
    return strata_store_backup(s->f->store, NULL, 0, error_of(s));
}
static strata_status backup_over_itself(stage *s) { return strata_store_backup(s->f->store, s->path, 0, error_of(s)); }
static strata_status backup_flags(stage *s) {
    return strata_store_backup(s->f->store, ctest_path("copy"), 64, error_of(s));
}
static strata_status backup_descriptor(stage *s) { return strata_store_backup_to(s->f->store, -1, error_of(s)); }

static strata_status compact_flags(stage *s, const char *path, uint32_t flags) {
    strata_config config = { .size = sizeof config, .path = path, .flags = flags };
    return strata_compact(&config, NULL, error_of(s));
}
static strata_status compact_open(stage *s) { return compact_flags(s, s->path, 0); }
static strata_status compact_read_only(stage *s) { return compact_flags(s, s->path, STRATA_OPEN_READ_ONLY); }
static strata_status compact_missing(stage *s) { return compact_flags(s, ctest_path("missing"), 0); }
static strata_status compact_memory(stage *s) { return compact_flags(s, NULL, 0); }
static strata_status delete_open(stage *s) { return strata_file_delete(s->path, error_of(s)); }
static strata_status delete_nothing(stage *s) { return strata_file_delete(NULL, error_of(s)); }
static strata_status replace_missing(stage *s) {
    return strata_file_replace(s->path, ctest_path("missing"), error_of(s));
}
static strata_status replace_nothing(stage *s) {
    return strata_file_replace(NULL, ctest_path("missing"), error_of(s));
}
static strata_status replace_by_itself(stage *s) { return strata_file_replace(s->path, s->path, error_of(s)); }
static strata_status stats_size(stage *s) {
    strata_store_stats stats = { .size = 0 };
    return strata_store_get_stats(s->f->store, &stats, error_of(s));
}

/* ---- Schemas ---------------------------------------------------------- */

static strata_status apply_one(stage *s, const char *table, strata_column_spec a, strata_column_spec b) {
    strata_column_spec columns[] = { a, b };
    strata_table_spec spec = { table, 0, 2, columns };
    return apply(s->f, 2, &spec, 1);
}

static strata_status old_version(stage *s) { return apply_people(s->f, 0, 9); }
static strata_status same_version(stage *s) { return apply_people(s->f, 1, 8); }
static strata_status equal_columns(stage *s) {
    return apply_one(s, "New", column("a", STRATA_INT, 0), column("a", STRATA_INT, 0));
}
static strata_status two_primaries(stage *s) {
    return apply_one(s, "New", column("a", STRATA_INT, STRATA_COLUMN_PRIMARY),
                     column("b", STRATA_INT, STRATA_COLUMN_PRIMARY));
}
static strata_status unknown_target(stage *s) {
    return apply_one(s, "New", column("a", STRATA_INT, 0), link_to("b", "Nobody"));
}
static strata_status no_table_name(stage *s) {
    return apply_one(s, "", column("a", STRATA_INT, 0), column("b", STRATA_INT, 0));
}

/* ---- Migrations ------------------------------------------------------- */

/* Checks the first of some tables, and ends the write. */
static strata_status check_migration(stage *s, const strata_table_spec *tables, uint32_t count, uint32_t position) {
    strata_migration_failures found;
    strata_status status = strata_migration_check(s->f->view, tables, count, position, &found, error_of(s));
    CHECK(status == STRATA_OK || (found.duplicates.count == 0 && found.unowned.count == 0));
    strata_view_cancel(s->f->view);
    return status;
}

/* Begins a migration that keeps the towns only, and checks it with another declaration of them. */
static strata_status check_town(stage *s, uint32_t position, strata_table_spec other) {
    strata_column_spec name = column("name", STRATA_STRING, 0);
    strata_table_spec town = { "Town", 0, 1, &name };
    fixture *f = s->f;
    MUST(strata_migration_begin(f->view, &town, 1, 2, &f->error));
    return check_migration(s, &other, 1, position);
}

static strata_status check_outside(stage *s) { return check_migration(s, NULL, 0, 0); }
static strata_status check_in_a_write(stage *s) {
    must_begin(s);
    return check_migration(s, NULL, 0, 0);
}
static strata_status check_no_declaration(stage *s) { return check_town(s, 1, (strata_table_spec){ "Town", 0 }); }
static strata_status check_no_name(stage *s) {
    strata_column_spec name = column("name", STRATA_STRING, 0);
    return check_town(s, 0, (strata_table_spec){ NULL, 0, 1, &name });
}
static strata_status check_no_columns(stage *s) { return check_town(s, 0, (strata_table_spec){ "Town", 0, 1, NULL }); }
static strata_status check_unnamed_column(stage *s) {
    strata_column_spec unnamed = column(NULL, STRATA_STRING, STRATA_COLUMN_PRIMARY);
    return check_town(s, 0, (strata_table_spec){ "Town", 0, 1, &unnamed });
}
static strata_status check_another_table(stage *s) {
    strata_column_spec name = column("name", STRATA_STRING, 0);
    return check_town(s, 0, (strata_table_spec){ "Village", 0, 1, &name });
}
static strata_status check_another_column(stage *s) {
    strata_column_spec size = column("size", STRATA_INT, 0);
    return check_town(s, 0, (strata_table_spec){ "Town", 0, 1, &size });
}
static strata_status check_no_columns_of_another(stage *s) {
    return check_town(s, 0, (strata_table_spec){ "Village", 0 });
}
static strata_status check_no_tables(stage *s) {
    strata_column_spec name = column("name", STRATA_STRING, 0);
    strata_table_spec town = { "Town", 0, 1, &name };
    fixture *f = s->f;
    MUST(strata_migration_begin(f->view, &town, 1, 2, &f->error));
    return check_migration(s, NULL, 1, 0);
}
static strata_status check_on_a_thread(stage *s) { return on_a_thread(s, check_outside); }

static strata_status read_history(stage *s) {
    strata_declaration *declaration;
    strata_status status = strata_declaration_read_history(s->f->view, 0, &declaration, error_of(s));
    CHECK((status == STRATA_OK) == (declaration != NULL));
    strata_declaration_free(declaration);
    return status;
}
static strata_status read_history_on_a_thread(stage *s) { return on_a_thread(s, read_history); }
static strata_status read_history_to_nothing(stage *s) {
    return strata_declaration_read_history(s->f->view, 0, NULL, error_of(s));
}
static strata_status read_history_of_nothing(stage *s) {
    strata_declaration *declaration;
    return strata_declaration_read_history(NULL, 0, &declaration, error_of(s));
}
static strata_status read_history_to_come(stage *s) {
    strata_declaration *declaration;
    strata_status status = strata_declaration_read_history(s->f->view, 7, &declaration, error_of(s));
    CHECK(declaration == NULL);
    return status;
}

/* ---- Objects ---------------------------------------------------------- */

static strata_status create_with(stage *s, uint32_t table, uint32_t count, const strata_value *values) {
    uint64_t key;
    must_begin(s);
    return strata_object_create(s->f->view, table, values, count, &key, error_of(s));
}
#define CREATE(table, ...) \
    create_with(s, table, sizeof((strata_value[]){ __VA_ARGS__ }) / sizeof(strata_value), \
                (strata_value[]){ __VA_ARGS__ })

static strata_status set_ann(stage *s, uint32_t number, strata_value value) {
    must_begin(s);
    strata_row ann = row(s, s->ann);
    return strata_row_set(&ann, number, &value, error_of(s));
}

static strata_status no_table(stage *s) { return CREATE(9, strata_int(1)); }
static strata_status too_many_values(stage *s) { return CREATE(TOWN, value_of("a"), value_of("b")); }
static strata_status no_column(stage *s) { return set_ann(s, 77, strata_int(1)); }
static strata_status wrong_type(stage *s) { return set_ann(s, NAME, strata_int(1)); }
static strata_status null_value(stage *s) { return set_ann(s, AGE, strata_null()); }
static strata_status not_utf8(stage *s) { return set_ann(s, NAME, strata_string("\xFF\xFE", 2)); }
static strata_status missing_target(stage *s) { return set_ann(s, FRIEND, strata_link(12345)); }
static strata_status change_primary(stage *s) { return set_ann(s, ID, strata_int(9)); }
static strata_status set_collection(stage *s) { return set_ann(s, FRIENDS, strata_link(s->bob)); }
static strata_status duplicate(stage *s) { return CREATE(PERSON, strata_int(1)); }
static strata_status too_long(stage *s) {
    char *big = calloc(1, STRATA_MAX_VALUE + 1);
    strata_status status = set_ann(s, NAME, strata_string(big, STRATA_MAX_VALUE + 1));
    free(big);
    return status;
}

static strata_status delete_referenced(stage *s) {
    must_begin(s);
    return strata_object_delete(s->f->view, PERSON, s->ann, error_of(s));
}
static strata_status clear_referenced(stage *s) {
    must_begin(s);
    return strata_tables_clear(s->f->view, &(uint32_t){ TOWN }, 1, error_of(s));
}

static strata_status find(stage *s, uint32_t table, strata_value value) {
    uint64_t key;
    return strata_object_find(s->f->view, table, &value, &key, error_of(s));
}
static strata_status find_without_primary(stage *s) { return find(s, TOWN, value_of("Ulm")); }
static strata_status find_wrong_type(stage *s) { return find(s, PERSON, value_of("1")); }
static strata_status bind_no_table(stage *s) {
    strata_row any;
    return strata_row_bind(s->f->view, 9, 1, &any, error_of(s));
}
static strata_status bind_many_no_table(stage *s) {
    strata_row any;
    return strata_rows_bind(s->f->view, 9, &(uint64_t){ 1 }, 1, &any, error_of(s));
}
static strata_status get_collection(stage *s) {
    strata_row ann = row(s, s->ann);
    strata_value value;
    return strata_row_get(&ann, FRIENDS, &value, error_of(s));
}

/* ---- Collections, cursors, queries ------------------------------------ */

static strata_status insert_at(stage *s, uint32_t number, uint64_t position, strata_value value) {
    must_begin(s);
    strata_row ann = row(s, s->ann);
    return strata_list_insert(&ann, number, position, &value, 1, error_of(s));
}
static strata_status position_past_end(stage *s) { return insert_at(s, FRIENDS, 5, strata_link(s->bob)); }
static strata_status insert_into_set(stage *s) { return insert_at(s, TAGS, 0, value_of("tag")); }
static strata_status insert_into_single(stage *s) { return insert_at(s, AGE, 0, strata_int(1)); }
static strata_status insert_wrong_type(stage *s) { return insert_at(s, FRIENDS, 0, value_of("Bob")); }
static strata_status insert_null_link(stage *s) { return insert_at(s, FRIENDS, 0, strata_null()); }

static strata_status get_past_end(stage *s) {
    strata_row ann = row(s, s->ann);
    strata_value values[3];
    return strata_collection_get(&ann, FRIENDS, 0, 3, values, error_of(s));
}

/* ---- Addresses that are missing --------------------------------------- */

static strata_status create_of_nothing(stage *s) { return create_with(s, PERSON, 3, NULL); }
static strata_status find_nothing(stage *s) {
    uint64_t key;
    return strata_object_find(s->f->view, PERSON, NULL, &key, error_of(s));
}
static strata_status clear_nothing(stage *s) {
    must_begin(s);
    return strata_tables_clear(s->f->view, NULL, 2, error_of(s));
}
static strata_status bind_nothing(stage *s) {
    strata_row any;
    return strata_rows_bind(s->f->view, PERSON, NULL, 1, &any, error_of(s));
}

/* One call for Ann, whose value, or array of values or keys, is missing. */
static strata_status miss(stage *s, strata_status (*call)(strata_row *ann, strata_error *error)) {
    must_begin(s);
    strata_row ann = row(s, s->ann);
    return call(&ann, error_of(s));
}
#define MISSING(name, ...) \
    static strata_status name##_call(strata_row *ann, strata_error *error) { __VA_ARGS__; } \
    static strata_status name(stage *s) { return miss(s, name##_call); }

MISSING(set_no_value, return strata_row_set(ann, NAME, NULL, error))
MISSING(insert_no_values, return strata_list_insert(ann, FRIENDS, 0, NULL, 3, error))

/* A value as strata_row_get() gives it. */
static strata_status set_outside_value(stage *s) {
    strata_row ann = row(s, s->ann);
    strata_value name = { .type = STRATA_STRING, .table = STRATA_OUTSIDE, .as.bytes = { NULL, 100000 } };
    must_begin(s);
    return strata_row_set(&ann, NAME, &name, error_of(s));
}

MISSING(find_no_element, uint64_t at; return strata_collection_find(ann, FRIENDS, NULL, 0, &at, error))
MISSING(insert_no_member, bool is_new; return strata_set_insert(ann, TAGS, NULL, &is_new, NULL, error))
MISSING(insert_no_members, uint64_t fresh; return strata_set_insert_all(ann, TAGS, NULL, 2, &fresh, error))
MISSING(map_no_value, return strata_map_set(ann, NOTES, bytes("k", 1), NULL, error))
MISSING(map_no_keys, strata_value v = value_of("v"); return strata_map_set_all(ann, NOTES, NULL, &v, 1, error))
MISSING(map_no_values, strata_bytes k = bytes("k", 1); return strata_map_set_all(ann, NOTES, &k, NULL, 1, error))
MISSING(find_no_key, uint64_t at; return strata_map_find(ann, NOTES, bytes(NULL, 5), &at, error))

static strata_status long_map_key(stage *s) {
    char key[STRATA_MAX_MAP_KEY + 1];
    memset(key, 'k', sizeof key);
    must_begin(s);
    strata_row ann = row(s, s->ann);
    strata_value value = value_of("v");
    return strata_map_set(&ann, NOTES, bytes(key, sizeof key), &value, error_of(s));
}

static strata_status scan_without_index(stage *s) {
    strata_cursor *cursor;
    return strata_index_scan(s->f->view, PERSON, NAME, NULL, false, &cursor, error_of(s));
}
static strata_status backlinks_of_number(stage *s) {
    strata_cursor *cursor;
    return strata_backlinks(s->f->view, PERSON, s->ann, PERSON, AGE, &cursor, error_of(s));
}

static strata_status query(stage *s, uint32_t size, uint32_t column, strata_value value) {
    strata_step step = strata_step_column(column);
    strata_node node = { .op = STRATA_EQUAL, .left = { .path = &step, .path_length = 1 }, .value_count = 1,
                         .values = &value };
    strata_query it = { .size = size, .nodes = &node, .node_count = 1 };
    uint64_t count;
    return strata_query_count(s->f->view, &it, &count, NULL, error_of(s));
}
static strata_status query_size(stage *s) { return query(s, 0, AGE, strata_int(1)); }
static strata_status parameter_of_nothing(stage *s) {
    strata_node node = { .op = STRATA_AND, .options = STRATA_PARAMETERS };
    strata_query it = { .size = sizeof it, .nodes = &node, .node_count = 1 };
    strata_prepared *prepared;
    return strata_query_prepare(s->f->view, &it, &prepared, error_of(s));
}
static strata_status parameter_unprepared(stage *s) {
    strata_step step = strata_step_column(AGE);
    strata_node node = { .op = STRATA_EQUAL, .options = STRATA_PARAMETERS, .left = { .path = &step, .path_length = 1 },
                         .value_count = 1 };
    strata_query it = { .size = sizeof it, .nodes = &node, .node_count = 1 };
    uint64_t count;
    return strata_query_count(s->f->view, &it, &count, NULL, error_of(s));
}
static strata_status prepared_with_too_few(stage *s) {
    strata_step step = strata_step_column(AGE);
    strata_node node = { .op = STRATA_BETWEEN, .options = STRATA_PARAMETERS,
                         .left = { .path = &step, .path_length = 1 }, .value_count = 2 };
    strata_query it = { .size = sizeof it, .nodes = &node, .node_count = 1 };
    strata_prepared *prepared;
    strata_value one = strata_int(1);
    uint64_t count;
    strata_status status = strata_query_prepare(s->f->view, &it, &prepared, error_of(s));
    if (status == STRATA_OK) status = strata_prepared_count(prepared, s->f->view, &one, 1, &count, NULL, error_of(s));
    strata_prepared_free(prepared);
    return status;
}
static strata_status cache_unmade(stage *s) {
    strata_query it = strata_query_blank();
    uint64_t count;
    return strata_query_cache_count(NULL, s->f->view, &it, &count, NULL, error_of(s));
}
static strata_status query_column(stage *s) { return query(s, sizeof(strata_query), 77, strata_int(1)); }
static strata_status query_type(stage *s) { return query(s, sizeof(strata_query), AGE, value_of("old")); }

static strata_status query_of(stage *s, strata_query it) {
    strata_keys keys;
    it.size = sizeof it;
    return strata_query_run(s->f->view, &it, &keys, NULL, error_of(s));
}
static strata_status query_without_path(stage *s) {
    strata_value value = strata_int(1);
    strata_node node = { .op = STRATA_EQUAL, .value_count = 1, .values = &value };
    return query_of(s, (strata_query){ .nodes = &node, .node_count = 1 });
}
static strata_status query_children(stage *s) {
    strata_node node = { .op = STRATA_AND, .children = 3 };
    return query_of(s, (strata_query){ .nodes = &node, .node_count = 1 });
}
static strata_status query_nodes(stage *s) {
    strata_node nodes[] = { { .op = STRATA_TRUE }, { .op = STRATA_FALSE } };
    return query_of(s, (strata_query){ .nodes = nodes, .node_count = 2 });
}
static strata_status query_source(stage *s) { return query_of(s, (strata_query){ .source = (strata_source_kind)9 }); }
static strata_status query_source_list(stage *s) {
    return query_of(s, (strata_query){ .source = STRATA_SOURCE_LIST, .origin_column = AGE, .key = s->ann });
}
static strata_status query_source_backlinks(stage *s) {
    return query_of(s, (strata_query){ .source = STRATA_SOURCE_BACKLINKS, .origin_column = AGE, .key = s->ann });
}
static strata_status query_stages(stage *s) { return query_of(s, (strata_query){ .stage_count = 2 }); }
static strata_status sort_by_list(stage *s) {
    strata_step friends = strata_step_column(FRIENDS);
    strata_sort sort = { &friends, 1, false };
    strata_stage sorted = { .kind = STRATA_STAGE_SORT, .keys = &sort, .key_count = 1 };
    return query_of(s, (strata_query){ .stages = &sorted, .stage_count = 1 });
}

static strata_status select_of(stage *s, uint32_t column, strata_step step) {
    strata_keys keys;
    strata_row ann = row(s, s->ann);
    strata_value value = value_of("x");
    strata_node node = { .op = STRATA_EQUAL, .left = { .path = &step, .path_length = 1 }, .value_count = 1,
                         .values = &value };
    return strata_collection_select(&ann, column, &node, 1, &keys, error_of(s));
}
static strata_status select_of_cell(stage *s) {
    return select_of(s, AGE, (strata_step){ .kind = STRATA_STEP_SELF });
}
static strata_status select_nested_of_cell(stage *s) {
    strata_keys keys;
    return strata_nested_select(s->f->view, PERSON, AGE, (strata_bytes){ "", 0 }, NULL, 0, &keys, error_of(s));
}
static strata_status select_nested_of_no_column(stage *s) {
    strata_keys keys;
    return strata_nested_select(s->f->view, PERSON, 77, (strata_bytes){ "", 0 }, NULL, 0, &keys, error_of(s));
}
static strata_status select_without_self(stage *s) { return select_of(s, TAGS, strata_step_column(AGE)); }
static strata_status resolve_values_of_cell(stage *s) {
    strata_predicate *predicate;
    strata_condition *condition;
    strata_status status = strata_predicate_parse("SELF > 3", 8, NULL, 0, &predicate, error_of(s));
    if (status != STRATA_OK) return status;
    status = strata_predicate_resolve_values(predicate, s->f->view, PERSON, AGE, NULL, 0, &condition, error_of(s));
    strata_predicate_free(predicate);
    return status;
}

static strata_status read_number(stage *s) {
    char buffer[8];
    size_t size;
    strata_row ann = row(s, s->ann);
    return strata_row_read(&ann, AGE, 0, buffer, sizeof buffer, &size, error_of(s));
}

/* ---- Frozen views ----------------------------------------------------- */

/* A call with a view of this thread on a frozen view, and with the frozen one itself. */
typedef strata_status (*frozen_call)(stage *s, strata_view *frozen, strata_view *own);

static strata_status with_frozen(stage *s, frozen_call call) {
    strata_view *frozen, *own;
    CHECK_EQ(strata_view_freeze(s->f->view, &frozen, error_of(s)), STRATA_OK);
    CHECK_EQ(strata_view_open_frozen(frozen, &own, error_of(s)), STRATA_OK);
    strata_status status = call(s, frozen, own);
    strata_view_close(own);
    strata_view_close(frozen);
    return status;
}
#define FROZEN(name, ...) \
    static strata_status name##_call(stage *s, strata_view *frozen, strata_view *own) { \
        (void)frozen, (void)own; \
        __VA_ARGS__; \
    } \
    static strata_status name(stage *s) { return with_frozen(s, name##_call); }

FROZEN(frozen_begins, return strata_view_begin(own, error_of(s)))
FROZEN(frozen_begins_within, return strata_view_begin_within(own, 0, error_of(s)))
FROZEN(frozen_begins_granted, return strata_view_begin_granted(own, NULL, error_of(s)))
FROZEN(frozen_commits, return strata_view_commit(own, error_of(s)))
FROZEN(frozen_changes, return strata_object_delete(own, PERSON, s->bob, error_of(s)))
FROZEN(frozen_sets, strata_row it; strata_value age = strata_int(3);
       CHECK_EQ(strata_row_bind(own, PERSON, s->ann, &it, error_of(s)), STRATA_OK);
       return strata_row_set(&it, AGE, &age, error_of(s)))
FROZEN(frozen_is_adopted, return strata_view_adopt(frozen, error_of(s)))
FROZEN(frozen_is_read, uint64_t size; return strata_table_size(frozen, PERSON, &size, error_of(s)))
FROZEN(frozen_is_refreshed, return strata_view_refresh(frozen, NULL, error_of(s)))
FROZEN(frozen_is_frozen, strata_view *again; return strata_view_freeze(frozen, &again, error_of(s)))
static strata_status opened_on_live(stage *s) {
    strata_view *own;
    strata_status status = strata_view_open_frozen(s->f->view, &own, error_of(s));
    CHECK(own == NULL);
    return status;
}
static strata_status freeze(stage *s) {
    strata_view *frozen;
    strata_status status = strata_view_freeze(s->f->view, &frozen, error_of(s));
    CHECK(frozen == NULL);
    return status;
}
static strata_status freeze_on_a_thread(stage *s) { return on_a_thread(s, freeze); }
static strata_status freeze_at_rest(stage *s) {
    strata_view_rest(s->f->view);
    CHECK_EQ(strata_view_adopt(s->f->view, error_of(s)), STRATA_OK);
    strata_status status = freeze(s);
    CHECK_EQ(refresh(s), STRATA_OK);
    return status;
}

/* No misuse: what is left of a frozen view is its commit. */
FROZEN(live_is_closed_first, strata_view_close(s->f->view);
       CHECK_EQ(strata_view_open(s->f->store, &s->f->view, error_of(s)), STRATA_OK);
       uint64_t size; return strata_table_size(own, PERSON, &size, error_of(s)))

/* ---- Failing disks ---------------------------------------------------- */

static strata_status commit_in_vain(stage *s) {
    must_begin(s);
    set(s->f, PERSON, s->ann, AGE, strata_int(99));
    fault_set(FAULT_FDATASYNC, 1, 1, EIO);
    strata_status status = commit(s);
    fault_clear();
    return status;
}
static strata_status backup(stage *s) {
    return strata_store_backup(s->f->store, ctest_path("copy"), 0, error_of(s));
}
static strata_status flush(stage *s) { return strata_store_flush(s->f->store, error_of(s)); }
static strata_status after_error(stage *s, strata_status (*call)(stage *s)) {
    CHECK_EQ(commit_in_vain(s), STRATA_IO);
    strata_status status = call(s);
    leave(s);
    return status;
}
static strata_status write_after_error(stage *s) { return after_error(s, begin); }
static strata_status backup_after_error(stage *s) { return after_error(s, backup); }
static strata_status flush_after_error(stage *s) { return after_error(s, flush); }
static strata_status flush_read_only(stage *s) {
    open_read_only(s);
    strata_status status = flush(s);
    leave(s);
    return status;
}
static strata_status flush_in_vain(stage *s) {
    fault_set(FAULT_FDATASYNC, 1, 1, EIO);
    strata_status status = flush(s);
    if (!fault_clear()) status = STRATA_END;
    leave(s);
    return status;
}
static strata_status write_after_flush_in_vain(stage *s) {
    fault_set(FAULT_FDATASYNC, 1, 1, EIO);
    CHECK_EQ(flush(s), STRATA_IO);
    fault_clear();
    strata_status status = begin(s);
    leave(s);
    return status;
}
static strata_status commit_unknown(stage *s) {
    must_begin(s);
    set(s->f, PERSON, s->ann, AGE, strata_int(31));
    fault_set(FAULT_PWRITE, 2, 2, EIO); /* the page that speaks of the others */
    strata_status status = commit(s);
    if (!fault_clear()) status = STRATA_END;
    leave(s);
    return status;
}

/* ---- The table -------------------------------------------------------- */

static const struct misuse {
    strata_status (*provoke)(stage *s);
    strata_status expected;
    const char *words[2];
} misuses[] = {
    { no_config, STRATA_MISUSE, { "sizeof(strata_config)", "size" } },
    { no_size, STRATA_MISUSE, { "sizeof(strata_config)", "size" } },
    { config_of_anything, STRATA_MISUSE, { "sizeof(strata_config)", "size" } },
    { compact_with_anything, STRATA_MISUSE, { "sizeof(strata_config)", "compacting" } },
    { salvage_with_anything, STRATA_MISUSE, { "strata_salvage_options_blank()", "salvaging" } },
    { salvage_open, STRATA_IN_USE, { "is open", "close it everywhere first" } },
    { salvage_nothing, STRATA_MISUSE, { "name the damaged file", "the new one" } },
    { stats_of_anything, STRATA_MISUSE, { "sizeof(strata_store_stats)", "size" } },
    { query_of_anything, STRATA_MISUSE, { "sizeof(strata_query)", "size" } },
    { unknown_flags, STRATA_MISUSE, { "flags", "100000" } },
    { no_path, STRATA_MISUSE, { "neither", "memory_name" } },
    { empty_path, STRATA_MISUSE, { "its path", "is empty" } },
    { path_too_long, STRATA_NOT_A_FILE, { "its path has 4999 bytes", "there may be 4095" } },
    { two_places, STRATA_MISUSE, { "both", "memory_name" } },
    { memory_read_only, STRATA_MISUSE, { "nowhere", "read-only" } },
    { open_otherwise, STRATA_IN_USE, { "open for writing", "in the same way" } },
    { other_size, STRATA_IN_USE, { "map_size", "4194304" } },
    { other_durability, STRATA_IN_USE, { "full durability", "in the same way" } },
    { too_many_readers, STRATA_MISUSE, { "max_readers 1048577", "above 1048576" } },
    { unknown_durability, STRATA_MISUSE, { "durability 4", "" } },
    { little_resident, STRATA_MISUSE, { "max_resident 64 is below 1048576", "in bytes" } },
    { other_resident, STRATA_IN_USE, { "max_resident of 0 bytes", "not 4194304" } },
    { missing, STRATA_FILE_NOT_FOUND, { "does not exist", "STRATA_OPEN_NO_CREATE" } },
    { missing_folder, STRATA_FILE_NOT_FOUND, { "directory", "create it first" } },
    { folder, STRATA_NOT_A_FILE, { "directory", "" } },
    { device, STRATA_NOT_A_FILE, { "/dev/null", "" } },
    { dangling_link, STRATA_FILE_NOT_FOUND, { "symbolic link", "does not exist" } },
    { long_name, STRATA_NOT_A_FILE, { "may have 250", "nnn" } },
    { other_file, STRATA_NOT_A_STORE, { "text", "some other file" } },
    { through_a_symbolic_link, STRATA_OK, { "", "" } },
    { hard_link, STRATA_LINKED_FILE, { "hard links", "remove" } },
    { on_a_network, STRATA_REMOTE_FILE, { "of several machines", "STRATA_OPEN_ALLOW_REMOTE" } },
    { same_process_number, STRATA_IN_USE, { "container", "same process number" } },
    { other_lock_file, STRATA_LINKED_FILE, { "another lock file", "one path" } },
    { second_copy, STRATA_IN_USE, { "second copy of the library", "store" } },
    { newer_format, STRATA_NEWER_FORMAT, { "format 2", "newer library" } },
    { unknown_write_feature, STRATA_NEWER_FORMAT, { "features", "read-only" } },
    { unknown_read_feature, STRATA_NEWER_FORMAT, { "features", "newer library" } },
    { write_to_moved_file, STRATA_REPLACED_FILE, { "moved or replaced", "open it again" } },
    { open_in_place_of_moved_file, STRATA_REPLACED_FILE, { "replaced", "close every handle" } },
    { write_beside_replacement, STRATA_REPLACED_FILE, { "replaced", "open it again" } },
    { read_on_a_thread, STRATA_WRONG_THREAD, { "thread", "one view per thread" } },
    { begin_on_a_thread, STRATA_WRONG_THREAD, { "thread", "one view per thread" } },
    { refresh_on_a_thread, STRATA_WRONG_THREAD, { "thread", "one view per thread" } },
    { change_on_a_thread, STRATA_WRONG_THREAD, { "thread", "" } },
    { commit_on_a_thread, STRATA_WRONG_THREAD, { "thread", "" } },
    { read_collection_on_a_thread, STRATA_WRONG_THREAD, { "thread", "one view per thread" } },
    { read_collection_at_rest, STRATA_CLOSED, { "no snapshot", "refresh it first" } },
    { read_whole_on_a_thread, STRATA_WRONG_THREAD, { "thread", "one view per thread" } },
    { read_whole_at_rest, STRATA_CLOSED, { "no snapshot", "refresh it first" } },
    { in_a_child, STRATA_AFTER_FORK, { "", "" } },
    { change_in_a_child, STRATA_AFTER_FORK, { "", "" } },
    { begin_twice, STRATA_WRITING, { "this view", "already" } },
    { begin_in_two_views, STRATA_WRITING, { "this thread", "end it first" } },
    { commit, STRATA_NOT_WRITING, { "no write transaction", "commit" } },
    { delete_bob, STRATA_NOT_WRITING, { "needs a write transaction", "begin one first" } },
    { set_outside, STRATA_NOT_WRITING, { "needs a write transaction", "begin one first" } },
    { write_read_only, STRATA_READ_ONLY, { "opened read-only", "store" } },
    { verify_while_writing, STRATA_WRITING, { "write", "" } },
    { apply_while_writing, STRATA_WRITING, { "write", "" } },
    { too_many_snapshots, STRATA_READERS_FULL, { "too many snapshots", "max_readers" } },
    { too_much_for_the_map, STRATA_SIZE_LIMIT, { "map size", "map_size" } },
    { close_store_first, STRATA_OK, { "", "" } },
    { backup_while_writing, STRATA_WRITING, { "this thread", "commit it first" } },
    { backup_to_nothing, STRATA_MISUSE, { "path", "empty" } },
    { backup_over_itself, STRATA_FILE_EXISTS, { "exists already", "another name" } },
    { backup_flags, STRATA_MISUSE, { "flags", "40" } },
    { backup_descriptor, STRATA_IO, { "copying", "store" } },
    { compact_open, STRATA_IN_USE, { "is open", "close it everywhere" } },
    { compact_read_only, STRATA_READ_ONLY, { "compacting", "STRATA_OPEN_READ_ONLY" } },
    { compact_missing, STRATA_FILE_NOT_FOUND, { "compacting", "does not exist" } },
    { compact_memory, STRATA_MISUSE, { "path of a file", "compacting" } },
    { delete_open, STRATA_IN_USE, { "deleting", "close it everywhere" } },
    { delete_nothing, STRATA_MISUSE, { "deleting a file", "without a path" } },
    { replace_missing, STRATA_FILE_NOT_FOUND, { "replacing a file by", "does not exist" } },
    { replace_nothing, STRATA_MISUSE, { "replacing a file", "has no path" } },
    { replace_by_itself, STRATA_IN_USE, { "replacing a file by", "close it everywhere" } },
    { stats_size, STRATA_MISUSE, { "sizeof(strata_store_stats)", "size" } },
    { old_version, STRATA_SCHEMA_OLD, { "1", "0" } },
    { same_version, STRATA_SCHEMA_MISMATCH, { "Person", "note" } },
    { equal_columns, STRATA_INVALID_SCHEMA, { "New", "a" } },
    { two_primaries, STRATA_INVALID_SCHEMA, { "New", "primary" } },
    { unknown_target, STRATA_INVALID_SCHEMA, { "New", "Nobody" } },
    { no_table_name, STRATA_INVALID_SCHEMA, { "name", "" } },
    { check_outside, STRATA_NOT_WRITING, { "needs a write transaction", "begin one first" } },
    { check_in_a_write, STRATA_MISUSE, { "strata_migration_check() needs a migration", "strata_migration_begin()" } },
    { check_no_declaration, STRATA_MISUSE, { "of 1 tables", "none at 1" } },
    { check_no_name, STRATA_INVALID_SCHEMA, { "name", "" } },
    { check_no_columns, STRATA_INVALID_SCHEMA, { "Town", "" } },
    { check_unnamed_column, STRATA_INVALID_SCHEMA, { "Town", "name" } },
    { check_another_table, STRATA_MISUSE, { "Village.name was not declared", "when the migration began" } },
    { check_no_columns_of_another, STRATA_MISUSE, { "Village was not declared", "when the migration began" } },
    { check_another_column, STRATA_MISUSE, { "Town.size was not declared", "when the migration began" } },
    { check_no_tables, STRATA_MISUSE, { "1 tables", "without an address" } },
    { check_on_a_thread, STRATA_WRONG_THREAD, { "thread", "one view per thread" } },
    { read_history_on_a_thread, STRATA_WRONG_THREAD, { "thread", "one view per thread" } },
    { read_history_to_nothing, STRATA_MISUSE, { "read to nowhere", "" } },
    { read_history_of_nothing, STRATA_MISUSE, { "view", "" } },
    { read_history_to_come, STRATA_NOT_FOUND, { "", "" } },
    { no_table, STRATA_MISUSE, { "no table 9", "2" } },
    { bind_no_table, STRATA_MISUSE, { "no table 9", "2" } },
    { bind_many_no_table, STRATA_MISUSE, { "no table 9", "2" } },
    { too_many_values, STRATA_MISUSE, { "Town", "" } },
    { no_column, STRATA_MISUSE, { "Person", "77" } },
    { wrong_type, STRATA_TYPE, { "Person.name", "" } },
    { null_value, STRATA_TYPE, { "Person.age", "null" } },
    { not_utf8, STRATA_TYPE, { "Person.name", "UTF-8" } },
    { too_long, STRATA_TOO_LARGE, { "Person.name", "16777217" } },
    { missing_target, STRATA_MISUSE, { "Person.friend", "12345" } },
    { change_primary, STRATA_MISUSE, { "Person.id", "primary key" } },
    { set_collection, STRATA_TYPE, { "Person.friends", "" } },
    { get_collection, STRATA_MISUSE, { "friends is a list", "" } },
    { duplicate, STRATA_DUPLICATE, { "Person", "primary key" } },
    { delete_referenced, STRATA_REFERENCED, { "Person", "" } },
    { clear_referenced, STRATA_REFERENCED, { "Town", "" } },
    { find_without_primary, STRATA_MISUSE, { "Town", "primary key" } },
    { find_wrong_type, STRATA_TYPE, { "Person.id", "" } },
    { position_past_end, STRATA_RANGE, { "5", "" } },
    { get_past_end, STRATA_RANGE, { "", "" } },
    { insert_into_set, STRATA_MISUSE, { "Person.tags", "list" } },
    { insert_into_single, STRATA_MISUSE, { "Person.age", "" } },
    { insert_wrong_type, STRATA_TYPE, { "Person.friends", "" } },
    { insert_null_link, STRATA_TYPE, { "Person.friends", "null" } },
    { create_of_nothing, STRATA_MISUSE, { "3 values without an address", "Person" } },
    { find_nothing, STRATA_MISUSE, { "a value without an address", "Person.id" } },
    { clear_nothing, STRATA_MISUSE, { "2 tables", "without an address" } },
    { bind_nothing, STRATA_MISUSE, { "1 rows", "without an address" } },
    { set_no_value, STRATA_MISUSE, { "a value without an address", "Person.name" } },
    { set_outside_value, STRATA_MISUSE, { "Person.name", "strata_row_read()" } },
    { insert_no_values, STRATA_MISUSE, { "a value without an address", "Person.friends" } },
    { find_no_element, STRATA_MISUSE, { "a value without an address", "Person.friends" } },
    { insert_no_member, STRATA_MISUSE, { "a value without an address", "Person.tags" } },
    { insert_no_members, STRATA_MISUSE, { "a value without an address", "Person.tags" } },
    { map_no_value, STRATA_MISUSE, { "a value without an address", "Person.notes" } },
    { map_no_keys, STRATA_MISUSE, { "keys without an address", "Person.notes" } },
    { map_no_values, STRATA_MISUSE, { "a value without an address", "Person.notes" } },
    { find_no_key, STRATA_MISUSE, { "a key without an address", "Person.notes" } },
    { long_map_key, STRATA_TOO_LARGE, { "1025", "1024" } },
    { scan_without_index, STRATA_MISUSE, { "Person.name", "index" } },
    { backlinks_of_number, STRATA_MISUSE, { "Person.age", "link" } },
    { query_size, STRATA_MISUSE, { "sizeof(strata_query)", "" } },
    { parameter_of_nothing, STRATA_MISUSE, { "node 0", "STRATA_PARAMETERS" } },
    { parameter_unprepared, STRATA_MISUSE, { "Person", "strata_query_prepare()" } },
    { prepared_with_too_few, STRATA_MISUSE, { "2 parameters", "1 arguments" } },
    { cache_unmade, STRATA_MISUSE, { "cache of queries", "making it failed" } },
    { query_column, STRATA_MISUSE, { "77", "" } },
    { query_without_path, STRATA_MISUSE, { "Person", "no column" } },
    { select_of_cell, STRATA_MISUSE, { "Person.age", "not a collection" } },
    { select_nested_of_cell, STRATA_TYPE, { "Person.age", "int values" } },
    { select_nested_of_no_column, STRATA_MISUSE, { "77", "" } },
    { select_without_self, STRATA_MISUSE, { "tags", "begins with SELF" } },
    { resolve_values_of_cell, STRATA_MISUSE, { "Person.age", "no collection" } },
    { query_children, STRATA_MISUSE, { "3 children", "" } },
    { query_nodes, STRATA_MISUSE, { "2 nodes", "after 1" } },
    { query_source, STRATA_MISUSE, { "9", "source" } },
    { query_source_list, STRATA_MISUSE, { "age", "list" } },
    { query_source_backlinks, STRATA_MISUSE, { "age", "backlinks" } },
    { query_stages, STRATA_MISUSE, { "2 stages", "address" } },
    { sort_by_list, STRATA_TYPE, { "friends", "one value" } },
    { read_number, STRATA_MISUSE, { "age", "neither a string nor data" } },
    { frozen_begins, STRATA_READ_ONLY, { "a frozen view cannot write", "a live one" } },
    { frozen_begins_within, STRATA_READ_ONLY, { "a frozen view cannot write", "a live one" } },
    { frozen_begins_granted, STRATA_READ_ONLY, { "a frozen view cannot write", "a live one" } },
    { frozen_commits, STRATA_NOT_WRITING, { "no write transaction", "commit" } },
    { frozen_changes, STRATA_NOT_WRITING, { "needs a write transaction", "" } },
    { frozen_sets, STRATA_NOT_WRITING, { "needs a write transaction", "" } },
    { frozen_is_adopted, STRATA_MISUSE, { "belongs to every thread", "open a view of this thread" } },
    { frozen_is_read, STRATA_WRONG_THREAD, { "thread", "" } },
    { frozen_is_refreshed, STRATA_WRONG_THREAD, { "thread", "" } },
    { frozen_is_frozen, STRATA_WRONG_THREAD, { "thread", "" } },
    { opened_on_live, STRATA_MISUSE, { "strata_view_open_frozen()", "strata_view_freeze()" } },
    { freeze_on_a_thread, STRATA_WRONG_THREAD, { "thread", "one view per thread" } },
    { freeze_at_rest, STRATA_CLOSED, { "", "" } },
    { live_is_closed_first, STRATA_OK, { "", "" } },
    { write_after_error, STRATA_POISONED, { "earlier write failed", "open it again" } },
    { backup_after_error, STRATA_POISONED, { "copying", "open it again" } },
    { flush_after_error, STRATA_POISONED, { "flushing", "open it again" } },
    { flush_read_only, STRATA_READ_ONLY, { "flushing", "opened read-only" } },
    { flush_in_vain, STRATA_IO, { "flushing", "store" } },
    { write_after_flush_in_vain, STRATA_POISONED, { "earlier write failed", "open it again" } },
    { commit_unknown, STRATA_COMMIT_UNKNOWN, { "last write of the commit", "open it again" } },
    { query_type, STRATA_TYPE, { "age of Person", "string" } },
};

/* Whatever was done wrong, the store is whole, and can be written. */
static void stage_close(stage *s) {
    fixture *f = s->f;
    if (f->view == NULL) {
        free(f);
        f = s->f = fixture_open("store");
    }
    strata_view_cancel(f->view);
    verify(f);
    CHECK_EQ(table_size(f, PERSON), 2);
    MUST(strata_view_begin(f->view, &f->error));
    set(f, PERSON, s->ann, AGE, strata_int(31));
    MUST(strata_view_commit(f->view, &f->error));
    fixture_close(f);
    CHECK_EQ(unlink(s->path), 0);
    CHECK_EQ(unlink(ctest_path("store-lock")), 0);
}

void test_misuse_is_told_apart(void) {
    enum { ROWS = (int)(sizeof misuses / sizeof misuses[0]) };
    bool left_out = false;
    for (int i = 0; i < ROWS; i++) {
        const struct misuse *it = &misuses[i];
        char text[800];
        stage s;
        stage_open(&s);
        *error_of(&s) = (strata_error){ .status = STRATA_OK };
        strata_status status = it->provoke(&s);
        left_out = left_out || status == STRATA_END;
        const strata_error *error = error_of(&s);
        bool told = strstr(error->message, it->words[0]) != NULL && strstr(error->message, it->words[1]) != NULL;
        if (status != STRATA_END && (status != it->expected || (status < 0 && (error->status != status || !told)))) {
            snprintf(text, sizeof text, "row %d: %s, not %s: \"%s\" should say \"%s\" and \"%s\"", i,
                     strata_status_name(status), strata_status_name(it->expected), error->message, it->words[0],
                     it->words[1]);
            ctest_fail(__FILE__, __LINE__, text);
        }
        stage_close(&s);
    }
    if (left_out) ctest_skip("there is no build/libstrata.so to load a second time: make libstrata");
}
