/* SPDX-License-Identifier: MIT
 * observe_model.c -- random changes of a small world, and what observers have to tell of them. */
#define _GNU_SOURCE 1
#include "observe_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { MOST_ELEMENTS = 4000, START = 30 };

/* ---- The world -------------------------------------------------------- */

observed_world *observed_world_make(uint64_t seed) { return observed_world_make_in(seed, NULL); }

observed_world *observed_world_make_in(uint64_t seed, const char *file) {
    observed_world *w = mmap(NULL, sizeof *w, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(w != MAP_FAILED);
    const strata_column_spec node[NODE_COLUMNS] = {
        column("number", STRATA_INT, 0), column("text", STRATA_STRING, STRATA_COLUMN_NULLABLE), link_to("link", "Node"),
        list_of("list", "Node"), { "set", STRATA_INT, STRATA_SET, 0, NULL }, { "map", STRATA_LINK, STRATA_MAP, 0, "Node" },
        link_to("owner", "Owner"),
    };
    const strata_column_spec owner[OWNER_COLUMNS] = {
        column("name", STRATA_STRING, 0), column("age", STRATA_INT, STRATA_COLUMN_INDEXED), link_to("boss", "Owner"),
    };
    const strata_table_spec tables[OBSERVED_TABLES] = { { "Node", 0, NODE_COLUMNS, node },
                                                        { "Owner", 0, OWNER_COLUMNS, owner } };
    w->f = file == NULL ? fixture_open_memory() : fixture_open(file);
    w->random = seed;
    fixture *f = w->f;
    MUST(apply(f, 0, tables, OBSERVED_TABLES));
    MUST(strata_view_open(f->store, &w->other, &f->error));
    for (int i = 0; i < START; i++) observed_change(w);
    return w;
}

void observed_world_free(observed_world *w) {
    strata_view_close(w->other);
    verify(w->f);
    fixture_close(w->f);
    (void)munmap(w, sizeof *w);
}

uint64_t observed_key(observed_world *w, uint32_t table) {
    fixture *f = w->f;
    strata_view *view = w->writer == NULL ? f->view : w->writer;
    for (int i = 0; i < 40 && w->newest[table] != 0; i++) {
        strata_row row;
        uint64_t key = 1 + observed_pick(w, w->newest[table]);
        strata_status status = strata_row_bind(view, table, key, &row, &f->error);
        if (status == STRATA_OK) return key;
    }
    return 0;
}

/* ---- What was assigned ------------------------------------------------ */

static void note_link(observed_world *w, const strata_value *value, uint32_t target, uint32_t table, uint32_t number) {
    if (value->type == STRATA_LINK) w->linked[target][value->as.link][table][number] = 1;
}

/* Notes all links of a column, before and after it is changed. */
static void note_links(observed_world *w, uint32_t table, uint64_t key, uint32_t number) {
    static const uint32_t targets[OBSERVED_TABLES][NODE_COLUMNS] = {
        { 9, 9, NODE, NODE, 9, NODE, OWNER }, { 9, 9, OWNER, 9, 9, 9, 9 },
    };
    static strata_value values[MOST_ELEMENTS];
    fixture *f = w->f;
    strata_row row;
    uint64_t size = 1;
    if (targets[table][number] == 9) return;
    MUST(strata_row_bind(w->writer, table, key, &row, &f->error));
    if (table == NODE && number >= LIST && number <= MAP) {
        MUST(strata_collection_size(&row, number, &size, &f->error));
        CHECK(size <= MOST_ELEMENTS);
        MUST(strata_collection_get(&row, number, 0, size, values, &f->error));
    } else {
        MUST(strata_row_get(&row, number, values, &f->error));
    }
    for (uint64_t i = 0; i < size; i++) note_link(w, &values[i], targets[table][number], table, number);
}

static void note(observed_world *w, uint32_t table, uint64_t key, uint32_t number) {
    w->assigned[table][key][number] = 1;
    note_links(w, table, key, number);
}

void observed_forget(observed_world *w) {
    memset(w->assigned, 0, sizeof w->assigned);
    memset(w->linked, 0, sizeof w->linked);
}

/* ---- Changes ---------------------------------------------------------- */

static strata_row bind(observed_world *w, uint32_t table, uint64_t key) {
    fixture *f = w->f;
    strata_row row;
    MUST(strata_row_bind(w->writer, table, key, &row, &f->error));
    return row;
}

static void set_cell(observed_world *w, uint32_t table, uint64_t key, uint32_t number, strata_value value) {
    fixture *f = w->f;
    strata_row row = bind(w, table, key);
    strata_value before;
    MUST(strata_row_get(&row, number, &before, &f->error));
    bool moves = before.type != value.type || (value.type == STRATA_LINK && before.as.link != value.as.link);
    w->assigned[table][key][number] = 1;
    if (moves) note_links(w, table, key, number);
    row = bind(w, table, key);
    MUST(strata_row_set(&row, number, &value, &f->error));
    if (moves) note_links(w, table, key, number);
}

/* Assigns a number to an object that was just changed: in place, if that can be done. */
static void store_number(observed_world *w, uint64_t key) {
    fixture *f = w->f;
    strata_row row = bind(w, NODE, key);
    strata_value value = strata_int((int64_t)observed_pick(w, 10));
    w->assigned[NODE][key][NUMBER] = 1;
    if (!strata_row_store_int(&row, NUMBER, value.as.integer)) MUST(strata_row_set(&row, NUMBER, &value, &f->error));
}

static void change_list(observed_world *w, uint64_t key) {
    fixture *f = w->f;
    strata_row row = bind(w, NODE, key);
    uint64_t size, target = observed_key(w, NODE);
    strata_value values[3] = { strata_link(target), strata_link(key), strata_link(target) };
    MUST(strata_collection_size(&row, LIST, &size, &f->error));
    uint64_t at = observed_pick(w, size + 1), choice = observed_pick(w, 5);
    note(w, NODE, key, LIST);
    if (choice == 0 && at < size) MUST(strata_list_set(&row, LIST, at, values, &f->error));
    else if (choice < 3 && at < size)
        MUST(strata_collection_remove(&row, LIST, at, 1 + observed_pick(w, size - at < 3 ? size - at : 3), &f->error));
    else MUST(strata_list_insert(&row, LIST, at, values, 1 + observed_pick(w, 3), &f->error));
    note(w, NODE, key, LIST);
}

static void change_map(observed_world *w, uint64_t key) {
    fixture *f = w->f;
    strata_row row = bind(w, NODE, key);
    char name[8];
    uint64_t size;
    strata_bytes bytes = { name, (size_t)snprintf(name, sizeof name, "k%d", (int)observed_pick(w, 12)) };
    strata_value value = strata_link(observed_key(w, NODE));
    MUST(strata_collection_size(&row, MAP, &size, &f->error));
    note(w, NODE, key, MAP);
    if (size != 0 && observed_pick(w, 3) == 0)
        MUST(strata_collection_remove(&row, MAP, observed_pick(w, size), 1, &f->error));
    else MUST(strata_map_set(&row, MAP, bytes, &value, &f->error));
    note(w, NODE, key, MAP);
}

static void change_set(observed_world *w, uint64_t key) {
    fixture *f = w->f;
    strata_row row = bind(w, NODE, key);
    strata_value value = strata_int((int64_t)observed_pick(w, 10));
    uint64_t size;
    bool inserted = true;
    MUST(strata_collection_size(&row, SET, &size, &f->error));
    if (size != 0 && observed_pick(w, 2) == 0)
        MUST(strata_collection_remove(&row, SET, observed_pick(w, size), 1, &f->error));
    else MUST(strata_set_insert(&row, SET, &value, &inserted, NULL, &f->error));
    if (inserted) w->assigned[NODE][key][SET] = 1;
}

/* Notes the columns of the objects that link to the one that goes; it takes its own links with it. */
static void note_unlinked(observed_world *w, uint32_t table, uint64_t key) {
    static const uint32_t from[OBSERVED_TABLES][4] = { { LINK, LIST, MAP, 9 }, { OWNED_BY, 9, 9, 9 } };
    fixture *f = w->f;
    for (int i = 0; i < 4 && from[table][i] != 9; i++) {
        strata_cursor *cursor;
        strata_row row;
        MUST(strata_backlinks(w->writer, table, key, NODE, from[table][i], &cursor, &f->error));
        while (strata_cursor_next(cursor, &row, &f->error) == STRATA_OK) w->assigned[NODE][row.key][from[table][i]] = 1;
        strata_cursor_close(cursor);
    }
    if (table == OWNER) {
        strata_cursor *cursor;
        strata_row row;
        MUST(strata_backlinks(w->writer, table, key, OWNER, OWNER_BOSS, &cursor, &f->error));
        while (strata_cursor_next(cursor, &row, &f->error) == STRATA_OK) w->assigned[OWNER][row.key][OWNER_BOSS] = 1;
        strata_cursor_close(cursor);
        note_links(w, OWNER, key, OWNER_BOSS);
        return;
    }
    const uint32_t own[] = { LINK, LIST, MAP, OWNED_BY };
    for (int i = 0; i < 4; i++) note_links(w, NODE, key, own[i]);
}

static void delete_object(observed_world *w, uint32_t table) {
    fixture *f = w->f;
    uint64_t key = observed_key(w, table);
    if (key == 0) return;
    note_unlinked(w, table, key);
    MUST(strata_object_unlink(w->writer, table, key, &f->error));
    MUST(strata_object_delete(w->writer, table, key, &f->error));
}

static void create(observed_world *w) {
    fixture *f = w->f;
    uint64_t owner = observed_key(w, OWNER), node = observed_key(w, NODE);
    strata_value values[NODE_COLUMNS] = { strata_int((int64_t)observed_pick(w, 10)) };
    for (int i = 1; i < NODE_COLUMNS; i++) values[i] = strata_null();
    if (w->newest[OWNER] + 2 < MOST_KEYS && observed_pick(w, 5) == 0) {
        const strata_value person[] = { value_of("name"), values[0], strata_link(owner) };
        MUST(strata_object_create(w->writer, OWNER, person, OWNER_COLUMNS, &w->newest[OWNER], &f->error));
        if (owner != 0) w->linked[OWNER][owner][OWNER][OWNER_BOSS] = 1;
        return;
    }
    if (w->newest[NODE] + 2 >= MOST_KEYS) return;
    values[LINK] = strata_link(node);
    values[OWNED_BY] = strata_link(owner);
    MUST(strata_object_create(w->writer, NODE, values, NODE_COLUMNS, &w->newest[NODE], &f->error));
    if (node != 0) w->linked[NODE][node][NODE][LINK] = 1;
    if (owner != 0) w->linked[OWNER][owner][NODE][OWNED_BY] = 1;
}

static void change_node(observed_world *w) {
    static const char *texts[] = { "a", "b", "Ab", "c" };
    uint64_t key = observed_key(w, NODE);
    if (key == 0) return;
    switch (observed_pick(w, 9)) {
    case 0: case 1: set_cell(w, NODE, key, NUMBER, strata_int((int64_t)observed_pick(w, 10))); break;
    case 2: set_cell(w, NODE, key, TEXT, value_of(texts[observed_pick(w, 4)])); break;
    case 3: set_cell(w, NODE, key, LINK, strata_link(observed_pick(w, 4) == 0 ? 0 : observed_key(w, NODE))); break;
    case 4: set_cell(w, NODE, key, OWNED_BY, strata_link(observed_key(w, OWNER))); break;
    case 5: case 6: change_list(w, key); break;
    case 7: change_map(w, key); break;
    default: change_set(w, key); break;
    }
    if (observed_pick(w, 4) == 0) store_number(w, key);
}

static void change_owner(observed_world *w) {
    uint64_t key = observed_key(w, OWNER);
    if (key == 0) return;
    if (observed_pick(w, 3) == 0) set_cell(w, OWNER, key, OWNER_BOSS, strata_link(observed_key(w, OWNER)));
    else set_cell(w, OWNER, key, OWNER_AGE, strata_int((int64_t)observed_pick(w, 10)));
}

static void change_something(observed_world *w) {
    uint64_t choice = observed_pick(w, 20);
    if (choice < 4 || w->newest[NODE] < 20) create(w);
    else if (choice < 5) delete_object(w, observed_pick(w, 4) == 0 ? OWNER : NODE);
    else if (choice < 8) change_owner(w);
    else change_node(w);
}

void observed_change(observed_world *w) {
    fixture *f = w->f;
    w->writer = observed_pick(w, 2) == 0 ? f->view : w->other;
    MUST(strata_view_begin(w->writer, &f->error));
    for (uint64_t n = observed_pick(w, 6); n > 0; n--) change_something(w);
    MUST(strata_view_commit(w->writer, &f->error));
    w->writer = NULL;
}

/* The handles of the parent are dead in a child; the rest of the world is shared with it. */
static void change_in_a_child(void *context) {
    observed_world *w = context, own = *w;
    fixture here = { 0 }, *f = &here;
    strata_config config = strata_config_blank();
    config.path = strata_store_path(w->f->store);
    MUST(strata_store_open(&config, &f->store, &f->error));
    MUST(strata_view_open(f->store, &f->view, &f->error));
    MUST(strata_view_open(f->store, &own.other, &f->error));
    own.f = f;
    observed_change(&own);
    strata_view_close(own.other);
    strata_view_close(f->view);
    strata_store_close(f->store);
    own.f = w->f;
    own.other = w->other;
    *w = own;
}

void observed_change_elsewhere(observed_world *w) { CHECK_EQ(ctest_child(change_in_a_child, w), 0); }

/* ---- What concerns an object ------------------------------------------ */

static bool any_assigned(observed_world *w, uint32_t table, uint64_t key) {
    for (int i = 0; i < NODE_COLUMNS; i++)
        if (w->assigned[table][key][i]) return true;
    return false;
}

/* Where a step leads from an object; how many places these are. */
static uint64_t step_forward(observed_world *w, uint32_t table, uint64_t key, const strata_step *step, uint64_t *out,
                             uint32_t *out_table) {
    static const uint32_t targets[OBSERVED_TABLES][NODE_COLUMNS] = { { 9, 9, NODE, NODE, 9, NODE, OWNER },
                                                                     { 9, 9, OWNER, 9, 9, 9, 9 } };
    static strata_value values[MOST_ELEMENTS];
    fixture *f = w->f;
    strata_row row;
    uint64_t size = 1, count = 0;
    if (step->kind == STRATA_STEP_BACKLINKS) {
        strata_cursor *cursor;
        *out_table = step->table;
        MUST(strata_backlinks(f->view, table, key, step->table, step->column, &cursor, &f->error));
        while (strata_cursor_next(cursor, &row, &f->error) == STRATA_OK && count < MOST_ELEMENTS) out[count++] = row.key;
        strata_cursor_close(cursor);
        return count;
    }
    *out_table = targets[table][step->column];
    if (*out_table == 9) return 0;
    MUST(strata_row_bind(f->view, table, key, &row, &f->error));
    if (table == NODE && step->column >= LIST && step->column <= MAP) {
        MUST(strata_collection_size(&row, step->column, &size, &f->error));
        MUST(strata_collection_get(&row, step->column, 0, size, values, &f->error));
    } else {
        MUST(strata_row_get(&row, step->column, values, &f->error));
    }
    for (uint64_t i = 0; i < size; i++)
        if (values[i].type == STRATA_LINK) out[count++] = values[i].as.link;
    return count;
}

static bool concerns_deep(observed_world *w, uint32_t table, uint64_t key, int deep) {
    if (any_assigned(w, table, key)) return true;
    for (uint32_t c = 0; deep > 0 && c < (table == NODE ? NODE_COLUMNS : OWNER_COLUMNS); c++) {
        uint64_t *to = malloc(MOST_ELEMENTS * sizeof *to);
        uint32_t target;
        strata_step step = strata_step_column(c);
        uint64_t count = step_forward(w, table, key, &step, to, &target);
        bool does = false;
        for (uint64_t i = 0; i < count && !does; i++) does = concerns_deep(w, target, to[i], deep - 1);
        free(to);
        if (does) return true;
    }
    return false;
}

static bool concerns_path(observed_world *w, uint32_t table, uint64_t key, const strata_step *steps, uint32_t length) {
    bool backward = steps->kind == STRATA_STEP_BACKLINKS;
    if (backward ? w->linked[table][key][steps->table][steps->column] : w->assigned[table][key][steps->column]) return true;
    if (length == 1) return false;
    uint64_t *to = malloc(MOST_ELEMENTS * sizeof *to);
    uint32_t target;
    uint64_t count = step_forward(w, table, key, steps, to, &target);
    bool does = false;
    for (uint64_t i = 0; i < count && !does; i++) does = concerns_path(w, target, to[i], steps + 1, length - 1);
    free(to);
    return does;
}

bool observed_concerns(observed_world *w, uint32_t table, uint64_t key, const strata_key_paths *paths, int deep) {
    if (paths->all && concerns_deep(w, table, key, deep)) return true;
    for (uint32_t i = 0; i < paths->count; i++)
        if (concerns_path(w, table, key, paths->paths[i].steps, paths->paths[i].length)) return true;
    return false;
}

/* ---- Results ---------------------------------------------------------- */

static void check_part(observed_world *w, const strata_observer *o, const strata_keys *keys) {
    fixture *f = w->f;
    uint64_t from = observed_pick(w, keys->count + 1), count = observed_pick(w, keys->count - from + 1);
    uint64_t *part = malloc((size_t)(count + 1) * sizeof *part); /* so that the sanitizer sees what is written behind */
    MUST(strata_observer_keys(o, from, count, part, &f->error));
    for (uint64_t i = 0; i < count; i++) CHECK_EQ(part[i], keys->data[from + i]);
    CHECK_EQ(strata_observer_keys(o, from, keys->count - from + 1, part, &f->error), STRATA_RANGE);
    free(part);
}

bool observed_check_result(observed_world *w, const strata_observer *o, const strata_query *query) {
    fixture *f = w->f;
    uint64_t size, position, first;
    strata_keys keys;
    strata_status status = strata_observer_size(o, &size, &f->error);
    if (status == STRATA_END) {
        CHECK_EQ(strata_observer_keys(o, 0, 0, NULL, &f->error), STRATA_END);
        CHECK_EQ(strata_observer_find(o, 1, &position, &f->error), STRATA_END);
        return false;
    }
    MUST(status);
    MUST(strata_query_run(f->view, query, &keys, NULL, &f->error));
    CHECK_EQ(size, keys.count);
    check_part(w, o, &keys);
    for (uint64_t key = 1; key <= 40; key++) {
        status = strata_observer_find(o, key, &position, &f->error);
        CHECK_EQ(status, strata_keys_find(&keys, key, 0, &first));
        if (status == STRATA_OK) CHECK_EQ(keys.data[position], key); /* a list may have it more than once */
    }
    strata_keys_free(&keys);
    return true;
}
