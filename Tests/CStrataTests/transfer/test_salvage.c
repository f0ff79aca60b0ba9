/* SPDX-License-Identifier: MIT
 * test_salvage.c -- what is salvaged of damaged files. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "page/page.h"
#include "strata.h"
#include "strata_salvage.h"
#include "support/damage.h"
#include "support/faults.h"
#include "support/hostile.h"
#include "support/salvage_support.h"
#include "support/strata_support.h"

enum { PERSON, THING, PERSONS = 300, MANY = 7000 /* more blocks than a leaf has room for */,
       PAGE = DAMAGE_PAGE };

/* ---- Objects as lines ------------------------------------------------- */

typedef struct lines {
    char *text;
    char **items; /* sorted */
    size_t size, count;
} lines;

static bool take_text(void *context, const void *text, size_t size) {
    lines *it = context;
    it->text = realloc(it->text, it->size + size + 1);
    memcpy(it->text + it->size, text, size);
    it->size += size;
    return true;
}

static int compare(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* All objects of a class, whose keys do not matter. */
static lines lines_of(const char *name, uint32_t table) {
    lines it = { 0 };
    strata_export_options options = strata_export_options_blank();
    strata_export *to;
    fixture *f = fixture_open(name);
    MUST(strata_export_open(f->view, &options, take_text, &it, &to, &f->error));
    MUST(strata_export_table(to, table, &f->error));
    MUST(strata_export_end(to, &f->error));
    strata_export_close(to);
    fixture_close(f);
    take_text(&it, "", 1);
    it.items = calloc(it.size + 1, sizeof *it.items);
    for (char *line = strtok(it.text, "\n"); line != NULL; line = strtok(NULL, "\n")) it.items[it.count++] = line;
    qsort(it.items, it.count, sizeof *it.items, compare);
    return it;
}

static void lines_free(lines *it) {
    free(it->text);
    free(it->items);
}

/* How many of the lines are the same in both. */
static uint64_t same_lines(const lines *a, const lines *b) {
    uint64_t same = 0;
    for (size_t i = 0; i < b->count; i++)
        if (bsearch(&b->items[i], a->items, a->count, sizeof *a->items, compare) != NULL) same++;
    return same;
}

/* ---- Sound files ------------------------------------------------------ */

/* How many objects are there as they were. */
static uint64_t unharmed(const lines before[2]) {
    uint64_t same = 0;
    for (uint32_t table = PERSON; table <= THING; table++) {
        lines after = lines_of("saved", table);
        same += same_lines(&before[table], &after);
        lines_free(&after);
    }
    return same;
}

typedef struct sound_file {
    image image;
    lines lines[2];
    uint64_t objects;
} sound_file;

static sound_file make_sound(int persons) {
    sound_file it;
    ctest_directory_in_memory();
    hostile_make_file("sound", persons);
    it.image = image_read("sound");
    for (uint32_t table = PERSON; table <= THING; table++) it.lines[table] = lines_of("sound", table);
    it.objects = it.lines[PERSON].count + it.lines[THING].count;
    return it;
}

static image copy_of(const sound_file *sound) {
    image it = { malloc(sound->image.size), sound->image.size };
    memcpy(it.bytes, sound->image.bytes, it.size);
    return it;
}

static void sound_free(sound_file *it) {
    free(it->image.bytes);
    lines_free(&it->lines[PERSON]);
    lines_free(&it->lines[THING]);
}

/* ---- Damaged roots ---------------------------------------------------- */

static void wipe_metas(const image *it) {
    image_wipe(it, 0);
    image_wipe(it, 1);
}
static void wipe_newer_meta(const image *it) { image_wipe(it, image_file(it).txnid & 1); }
static void wipe_main(const image *it) { image_wipe(it, image_file(it).main_tree.root); }
static void wipe_rows(const image *it) { image_wipe(it, image_root(it, "rows")); }
static void wipe_all_roots(const image *it) {
    wipe_rows(it);
    image_wipe(it, image_root(it, "blobs"));
    image_wipe(it, image_root(it, "collections"));
    image_wipe(it, image_root(it, "index"));
}
static void wipe_metas_and_rows(const image *it) {
    wipe_rows(it);
    wipe_metas(it);
}
static void nothing(const image *it) { (void)it; }

/* Whatever leads to the objects is lost, and no object is. */
void test_salvage_finds_what_no_tree_leads_to(void) {
    static const struct {
        const char *what;
        void (*damage)(const image *);
        bool orphans;
    } cases[] = {
        { "nothing", nothing, false },           { "the main tree", wipe_main, true },
        { "the tree of rows", wipe_rows, true }, { "all roots but the main one", wipe_all_roots, true },
        { "both meta pages", wipe_metas, false },
    };
    sound_file sound = make_sound(MANY);
    st_page root;
    uint64_t rows = image_root(&sound.image, "rows");
    CHECK(st_page_open(image_page(&sound.image, rows), rows, PAGE, &root) == NULL && !root.leaf);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        image it = copy_of(&sound);
        cases[i].damage(&it);
        strata_salvage_report report = salvaged(&it, NULL);
        if (report.saved != sound.objects) fprintf(stderr, "%s\n", cases[i].what);
        CHECK_EQ(report.saved, sound.objects);
        CHECK_EQ(report.partly, 0);
        CHECK_EQ(unharmed(sound.lines), sound.objects);
        CHECK_EQ(report.orphans != 0, cases[i].orphans);
        CHECK(!report.declared);
        free(it.bytes);
    }
    sound_free(&sound);
}

/* A leaf is lost, and with it the small blocks in it. Full ones have pages of their own, and are found. */
void test_salvage_finds_blocks_without_keys(void) {
    sound_file sound = make_sound(PERSONS);
    image it = copy_of(&sound);
    wipe_rows(&it);
    strata_salvage_report report = salvaged(&it, NULL);
    CHECK(report.saved > sound.objects / 2 && report.saved < sound.objects);
    CHECK(unharmed(sound.lines) > report.saved / 2); /* in others, links to what is lost are null */
    free(it.bytes);
    sound_free(&sound);
}

/* Nothing says which pages are of the newest commit: objects that were deleted in it may be back, but all that are
 * there are there. */
void test_salvage_without_meta_pages(void) {
    sound_file sound = make_sound(PERSONS);
    image it = copy_of(&sound);
    wipe_metas_and_rows(&it);
    strata_salvage_report report = salvaged(&it, NULL);
    CHECK(report.saved >= sound.objects && report.saved <= PERSONS + PERSONS / 4);
    free(it.bytes);
    it = copy_of(&sound);
    wipe_newer_meta(&it);
    report = salvaged(&it, NULL);
    CHECK(report.saved >= sound.objects && report.saved <= PERSONS + PERSONS / 4);
    free(it.bytes);
    sound_free(&sound);
}

/* ---- Lost pages ------------------------------------------------------- */

static void count_told(void *context, const strata_salvaged *table) {
    uint64_t *lost = context;
    CHECK(strcmp(table->table, "Person") == 0 || strcmp(table->table, "Thing") == 0);
    *lost += table->counted - table->saved;
}

/* Wipes a page with nothing but objects, somewhere in the middle. */
static void wipe_a_block(const image *it) {
    st_page page;
    st_page_node node;
    uint64_t leaf = image_leaf(it, image_root(it, "rows"));
    CHECK(st_page_open(image_page(it, leaf), leaf, PAGE, &page) == NULL);
    uint32_t index = 0;
    CHECK(st_page_node_read(&page, index, &node));
    while ((node.flags & ST_NODE_BIG) == 0) CHECK(st_page_node_read(&page, ++index, &node));
    image_wipe(it, strata_load64(node.value));
}

/* A page of objects is lost. How many, is known; and what an earlier commit had of them is there for who asks. */
void test_salvage_counts_what_is_lost(void) {
    sound_file sound = make_sound(PERSONS);
    image it = copy_of(&sound);
    wipe_a_block(&it);
    uint64_t lost = 0;
    strata_salvage_options options = strata_salvage_options_blank();
    options.told = count_told;
    options.context = &lost;
    strata_salvage_report report = salvaged(&it, &options);
    CHECK(report.has_counts);
    CHECK(report.saved < sound.objects && report.saved > sound.objects / 2);
    CHECK_EQ(report.counted, sound.objects);
    CHECK_EQ(lost, report.counted - report.saved);
    uint64_t without = report.saved;
    options.flags = STRATA_SALVAGE_OLD;
    report = salvaged(&it, &options);
    CHECK(report.saved > without);
    free(it.bytes);
    sound_free(&sound);
}

/* Large values and long collections are lost: the objects are not. */
void test_salvage_keeps_objects_of_which_a_part_is_lost(void) {
    sound_file sound = make_sound(PERSONS);
    image it = copy_of(&sound);
    image_wipe(&it, image_root(&it, "collections"));
    image_wipe(&it, image_leaf(&it, image_root(&it, "blobs")));
    strata_salvage_report report = salvaged(&it, NULL);
    CHECK_EQ(report.saved, sound.objects);
    uint64_t same = unharmed(sound.lines);
    CHECK(report.partly > 0 && same == sound.objects - report.partly);
    free(it.bytes);
    sound_free(&sound);
}

/* A file that was cut in its middle. */
void test_salvage_of_half_a_file(void) {
    sound_file sound = make_sound(PERSONS);
    image it = copy_of(&sound);
    it.size /= 2;
    strata_salvage_report report = salvaged(&it, NULL);
    CHECK(report.saved > 0 && unharmed(sound.lines) > 0);
    free(it.bytes);
    sound_free(&sound);
}

static bool claims_all(const strata_salvage_report *report) {
    return report->has_counts && report->saved == report->counted && report->partly == 0 && report->unplaced == 0 &&
           report->uncertain == 0;
}

/* Cuts a file, or wipes some of its pages, which leaves nothing that looks like what was there. */
static void lose_pages(image *it, uint64_t *random) {
    const uint64_t pages = it->size / PAGE;
    if (ctest_random(random) % 2 == 0) {
        it->size = 2 * PAGE + ctest_random(random) % (it->size - 2 * PAGE);
        return;
    }
    for (uint64_t i = 0, count = 1 + ctest_random(random) % 4; i < count; i++)
        image_wipe(it, ctest_random(random) % pages);
}

/* Whichever pages are lost: either all objects are saved as they were, or it is told that they may not be. */
static void check_claims(const sound_file *sound, int rounds, uint64_t *random) {
    int losses = 0;
    for (int round = 0; round <= rounds; round++) {
        image it = copy_of(sound);
        strata_salvage_report report;
        strata_error error;
        if (round > 0) lose_pages(&it, random);
        strata_status status = salvage(&it, NULL, &report, &error);
        free(it.bytes);
        if (round == 0) CHECK(status == STRATA_OK && claims_all(&report));
        if (status != STRATA_OK) continue;
        bool all = claims_all(&report);
        losses += !all;
        if (all) CHECK_EQ(unharmed(sound->lines), sound->objects);
    }
    CHECK(losses > 0);
}

void test_salvage_tells_of_what_is_lost(void) {
    uint64_t random = ctest_seed();
    sound_file sound = make_sound(PERSONS);
    check_claims(&sound, 40, &random);
    sound_free(&sound);
}

/* The same of a file whose main tree has several pages, since it has many classes. */
void test_salvage_tells_of_what_is_lost_of_many_classes(void) {
    enum { CLASSES = 40, COLUMNS = 12, OBJECTS = 200 };
    uint64_t random = ctest_seed();
    char names[CLASSES][20], properties[COLUMNS][20];
    strata_column_spec columns[COLUMNS];
    strata_table_spec tables[CLASSES];
    for (int c = 0; c < COLUMNS; c++) {
        snprintf(properties[c], sizeof properties[c], "property %d", c);
        columns[c] = column(properties[c], STRATA_INT, c == 0 ? STRATA_COLUMN_PRIMARY : 0);
    }
    for (int t = 0; t < CLASSES; t++) {
        snprintf(names[t], sizeof names[t], "Class %d", t);
        tables[t] = (strata_table_spec){ .name = names[t], .column_count = COLUMNS, .columns = columns };
    }
    ctest_directory_in_memory();
    fixture *f = fixture_open("sound");
    MUST(apply(f, 1, tables, CLASSES));
    MUST(strata_view_begin(f->view, &f->error));
    for (int i = 0; i < OBJECTS; i++)
        for (uint32_t t = PERSON; t <= THING; t++) ADD(t, strata_int(i), strata_int(7));
    MUST(strata_view_commit(f->view, &f->error));
    fixture_close(f);
    sound_file sound = { .image = image_read("sound"), .objects = 2 * OBJECTS };
    for (uint32_t table = PERSON; table <= THING; table++) sound.lines[table] = lines_of("sound", table);
    CHECK(image_file(&sound.image).main_tree.leaf_pages > 1);
    for (int lost = 1; lost < 4; lost++) { /* one meta page, or both */
        image it = copy_of(&sound);
        for (uint64_t page = 0; page < 2; page++)
            if ((lost >> page & 1) != 0) image_wipe(&it, page);
        strata_salvage_report report = salvaged(&it, NULL);
        CHECK_EQ(report.saved, sound.objects);
        CHECK_EQ(unharmed(sound.lines), sound.objects);
        free(it.bytes);
    }
    check_claims(&sound, 40, &random);
    sound_free(&sound);
}

/* The same of a file of two commits: one that made the classes, and one that made all objects. */
void test_salvage_tells_of_what_is_lost_of_few_commits(void) {
    uint64_t random = ctest_seed();
    static char text[100000];
    const strata_column_spec person[] = { column("id", STRATA_INT, STRATA_COLUMN_PRIMARY),
                                          column("text", STRATA_STRING, 0) };
    const strata_column_spec thing[] = { column("id", STRATA_INT, STRATA_COLUMN_PRIMARY) };
    const strata_table_spec tables[] = { { .name = "Person", .column_count = 2, .columns = person },
                                         { .name = "Thing", .column_count = 1, .columns = thing } };
    ctest_directory_in_memory();
    for (int round = 0; round < 6; round++) {
        const int items = round < 3 ? 20 : 500;
        memset(text, 't', sizeof text - 1);
        text[round < 3 ? sizeof text - 1 : ctest_random(&random) % 200] = 0;
        char name[20];
        snprintf(name, sizeof name, "sound %d", round);
        fixture *f = fixture_open(name);
        MUST(apply(f, 1, tables, 2));
        MUST(strata_view_begin(f->view, &f->error));
        for (int i = 0; i < items; i++) ADD(PERSON, strata_int(i), value_of(text));
        MUST(strata_view_commit(f->view, &f->error));
        fixture_close(f);
        sound_file sound = { .image = image_read(name), .objects = (uint64_t)items };
        for (uint32_t table = PERSON; table <= THING; table++) sound.lines[table] = lines_of(name, table);
        check_claims(&sound, 15, &random);
        sound_free(&sound);
    }
}

/* The file is cut before the root of its newest commit, or has lost the meta page that leads there. The commit before is
 * whole, and has no object yet. */
void test_salvage_of_a_file_without_its_newest_root(void) {
    enum { ITEMS = 5000 };
    const strata_column_spec columns[] = { column("id", STRATA_INT, STRATA_COLUMN_PRIMARY),
                                           column("text", STRATA_STRING, 0) };
    const strata_table_spec table = { .name = "Item", .column_count = 2, .columns = columns };
    ctest_directory_in_memory();
    fixture *f = fixture_open("cut");
    MUST(apply(f, 1, &table, 1));
    MUST(strata_view_begin(f->view, &f->error));
    for (int i = 0; i < ITEMS; i++) ADD(0, strata_int(i), value_of("an item among others"));
    MUST(strata_view_commit(f->view, &f->error));
    fixture_close(f);
    image it = image_read("cut");
    uint64_t root = image_file(&it).main_tree.root;
    CHECK(root > it.size / PAGE / 2);
    image without_meta = { malloc(it.size), it.size };
    memcpy(without_meta.bytes, it.bytes, it.size);
    wipe_newer_meta(&without_meta);
    strata_salvage_report report = salvaged(&without_meta, NULL);
    CHECK(report.saved == ITEMS && report.orphans == 0 && report.has_counts);
    free(without_meta.bytes);
    it.size = root * PAGE;
    report = salvaged(&it, NULL);
    CHECK(report.saved > ITEMS / 2 && report.orphans > 0 && !report.has_counts);
    free(it.bytes);
}

/* ---- Schemas ---------------------------------------------------------- */

/* No page with a schema is left: a declaration has to say what the objects are. The hash key is lost, too, so large
 * values are not followed. */
void test_salvage_with_a_declaration(void) {
    sound_file sound = make_sound(PERSONS);
    image it = copy_of(&sound);
    strata_declaration *declaration;
    fixture *f = fixture_open("sound");
    MUST(strata_declaration_read(f->view, &declaration, &f->error));
    fixture_close(f);
    for (uint64_t number = 2; number < it.size / PAGE; number++) {
        bool has_records = memmem(image_page(&it, number), PAGE, "\0header", 8) != NULL;
        if (has_records) image_wipe(&it, number);
    }
    wipe_metas(&it);
    strata_error error;
    strata_salvage_report report;
    CHECK_EQ(salvage(&it, NULL, &report, &error), STRATA_CORRUPT);
    CHECK(strstr(error.message, "has no copy of its schema any more") != NULL);
    strata_salvage_options options = strata_salvage_options_blank();
    options.declaration = declaration;
    report = salvaged(&it, &options);
    CHECK(report.declared && !report.has_counts && report.saved >= sound.objects && report.partly > 0);
    strata_declaration_free(declaration);
    free(it.bytes);
    sound_free(&sound);
}

/* ---- Refusals --------------------------------------------------------- */

static bool stop(void *context, uint64_t done, uint64_t all) {
    (void)context;
    CHECK(done > 0 && all >= done);
    return false;
}

void test_salvage_refuses(void) {
    sound_file sound = make_sound(PERSONS);
    strata_error error;
    strata_salvage_report report;
    strata_salvage_options options = strata_salvage_options_blank();
    image noise = { calloc(8, PAGE), 8 * PAGE };
    CHECK_EQ(salvage(&noise, NULL, &report, &error), STRATA_NOT_A_STORE);
    options.progress = stop;
    CHECK_EQ(salvage(&sound.image, &options, NULL, &error), STRATA_CANCELLED);
    CHECK_EQ(strata_salvage(ctest_path("nowhere"), ctest_path("saved"), NULL, NULL, &error), STRATA_FILE_NOT_FOUND);
    CHECK_EQ(strata_salvage(ctest_path("sound"), ctest_path("sound"), NULL, NULL, &error), STRATA_FILE_EXISTS);
    fixture *f = fixture_open("sound");
    CHECK_EQ(strata_salvage(ctest_path("sound"), ctest_path("saved"), NULL, NULL, &error), STRATA_IN_USE);
    fixture_close(f);
    options.flags = 4;
    CHECK_EQ(strata_salvage(ctest_path("sound"), ctest_path("saved"), &options, NULL, &error), STRATA_MISUSE);
    free(noise.bytes);
    sound_free(&sound);
}

/* ---- On the way ------------------------------------------------------- */

/* What is told of pages, and after how many times it is enough. */
typedef struct looks {
    uint64_t times, most, last_done, last_all;
} looks;

static bool look(void *context, uint64_t done, uint64_t all) {
    looks *it = context;
    CHECK(all == 0 || (done <= all && (it->last_all == 0 || (all == it->last_all && done > it->last_done))));
    it->last_done = done;
    it->last_all = all;
    return ++it->times < it->most;
}

void test_salvage_can_be_stopped_while_it_looks(void) {
    sound_file sound = make_sound(PERSONS);
    strata_error error;
    strata_salvage_options options = strata_salvage_options_blank();
    looks all = { .most = UINT64_MAX };
    options.looking = look;
    options.context = &all;
    CHECK_EQ(salvage(&sound.image, &options, NULL, &error), STRATA_OK);
    CHECK(all.times > 3 && all.last_all != 0 && all.last_done + 64 > all.last_all);
    CHECK_EQ(unlink(ctest_path("saved")), 0);
    for (uint64_t most = 1; most <= all.times; most++) {
        looks some = { .most = most };
        options.context = &some;
        CHECK_EQ(salvage(&sound.image, &options, NULL, &error), STRATA_CANCELLED);
        CHECK_EQ(some.times, most);
        CHECK(access(ctest_path("saved"), F_OK) != 0);
    }
    sound_free(&sound);
}

/* A rehearsal tells what would be saved, and leaves nothing. */
void test_salvage_dry_run_leaves_no_file(void) {
    sound_file sound = make_sound(PERSONS);
    strata_error error;
    strata_salvage_report report, rehearsed;
    strata_salvage_options options = strata_salvage_options_blank();
    options.flags = STRATA_SALVAGE_DRY_RUN;
    CHECK_EQ(salvage(&sound.image, &options, &rehearsed, &error), STRATA_OK);
    CHECK(access(ctest_path("saved"), F_OK) != 0);
    options.flags = 0;
    CHECK_EQ(salvage(&sound.image, &options, &report, &error), STRATA_OK);
    CHECK(report.saved > 0 && memcmp(&report, &rehearsed, sizeof report) == 0);
    sound_free(&sound);
}

/* ---- Damage that was met ------------------------------------------------ */

/* An entry of the free list whose value has no room for the number of pages that it counts. */
void test_salvage_of_a_free_list_without_a_value(void) {
    sound_file sound = make_sound(PERSONS);
    for (uint16_t size = 0; size < 8; size++) {
        image it = copy_of(&sound);
        st_page page;
        st_page_node node;
        uint64_t root = image_file(&it).free_tree.root;
        CHECK(st_page_open(image_page(&it, root), root, PAGE, &page) == NULL && page.leaf);
        CHECK(st_page_node_read(&page, 0, &node) && node.flags == 0);
        uint8_t *at = image_page(&it, root) + node.offset;
        /* The value ends where the page does, so that to read more is to leave it. */
        uint16_t moved = (uint16_t)(PAGE - 16 - size);
        memmove(image_page(&it, root) + moved, at, 16);
        memcpy(image_page(&it, root) + moved, &size, 2);
        memcpy(image_page(&it, root) + 16, &moved, 2);
        CHECK_EQ(salvaged(&it, NULL).saved, sound.objects);
        free(it.bytes);
    }
    sound_free(&sound);
}

/* Nothing to sort, and nothing to write. */
void test_salvage_of_a_file_without_objects(void) {
    sound_file sound = make_sound(0);
    strata_salvage_report report = salvaged(&sound.image, NULL);
    CHECK(report.saved == 0 && report.counted == 0);
    image it = copy_of(&sound);
    wipe_metas(&it);
    CHECK_EQ(salvaged(&it, NULL).saved, 0);
    free(it.bytes);
    sound_free(&sound);
}

/* Any damage at all: what is saved is a sound file. */
void test_salvage_of_any_damage(void) {
    enum { ROUNDS = 60 };
    sound_file sound = make_sound(PERSONS);
    uint64_t random = ctest_seed(), saved = 0;
    for (int round = 0; round < ROUNDS; round++) {
        image it = copy_of(&sound);
        strata_salvage_report report;
        strata_error error;
        const char *way;
        uint64_t times = 1 + random % 5;
        for (uint64_t i = 0; i < times; i++) it.size = damage_image(it.bytes, it.size, &random, &way);
        strata_salvage_options options = strata_salvage_options_blank();
        options.flags = (uint32_t)round % 2;
        strata_status status = salvage(&it, &options, &report, &error);
        free(it.bytes);
        if (status != STRATA_OK) continue;
        fixture *f = fixture_open("saved");
        verify(f);
        fixture_close(f);
        saved += report.saved;
    }
    CHECK(saved > ROUNDS * sound.objects / 2);
    sound_free(&sound);
}

/* Memory runs out at an allocation, at each of many: there is no new file then, and nothing is lost without a word. */
void test_salvage_runs_out_of_memory(void) {
    if (!fault_allocations_work()) ctest_skip("the allocator belongs to a sanitizer, or to the program");
    sound_file sound = make_sound(40);
    image it = copy_of(&sound);
    wipe_rows(&it);
    uint64_t saved = salvaged(&it, NULL).saved;
    salvage_fault_was_met = true;
    for (unsigned n = 1; salvage_fault_was_met; n += 1 + n / 16) {
        strata_salvage_report report;
        strata_error error;
        salvage_failing_allocation = n;
        strata_status status = salvage(&it, NULL, &report, &error);
        salvage_failing_allocation = 0;
        CHECK(status == STRATA_OK ? report.saved == saved : status == STRATA_NO_MEMORY && salvage_fault_was_met);
    }
    free(it.bytes);
    sound_free(&sound);
}
