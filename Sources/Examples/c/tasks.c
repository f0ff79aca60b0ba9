/* SPDX-License-Identifier: MIT
 *
 * tasks.c -- a list of tasks in a store of its own, from C alone: schema, writes, sets, queries as text, order, groups,
 * backup and upkeep.
 *
 *   tasks FILE add TITLE [--due YYYY-MM-DD] [--tag TAG]...
 *   tasks FILE list [CONDITION]     for instance: tasks my.tasks list "done == false AND ANY tags == 'home'"
 *   tasks FILE done NUMBER
 *   tasks FILE remove NUMBER
 *   tasks FILE tags                 how many tasks each tag has, and how many of them are done
 *   tasks FILE backup PATH
 *   tasks FILE check
 */
#define _GNU_SOURCE 1
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "strata_predicate.h"

/* The columns of the table "Task" are numbered in the order they are declared in. */
enum { TASK = 0 };
enum { NUMBER, TITLE, DONE, DUE, TAGS };

/** Seconds from 1970-01-01, where Unix counts from, to 2001-01-01, where dates of a store do. */
static const double reference_date = 978307200;

/** Everything the commands need. */
typedef struct tasks {
    strata_store *store;
    strata_view *view;
    strata_error error;
} tasks;

/* Every call of the library returns a status; the message says what went wrong and what to do about it. */
static int failed(const tasks *t) {
    fprintf(stderr, "tasks: %s\n", t->error.message);
    return EXIT_FAILURE;
}

static int usage(void) {
    fprintf(stderr, "usage: tasks FILE add TITLE [--due YYYY-MM-DD] [--tag TAG]... | list [CONDITION] | done NUMBER |\n"
                    "                  remove NUMBER | tags | backup PATH | check\n");
    return EXIT_FAILURE;
}

/* ---- Opening ---------------------------------------------------------- */

/** Whether the file is this program's: new, or with its table. Without this the first task would add the table to the
 * file of another program, if that has the same version of its schema. */
static bool is_mine(tasks *t, const char *path) {
    uint32_t table;
    if (strata_table_count(t->view) == 0 || strata_table_find(t->view, "Task", &table) == STRATA_OK) return true;
    snprintf(t->error.message, sizeof t->error.message, "%.200s belongs to another program: it has tables, but no Task",
             path);
    return false;
}

/** Opens the file. A command that only reads makes no file, and no table; none changes the file of another program. */
static bool open_tasks(tasks *t, const char *path, bool read_only) {
    static const strata_column_spec columns[] = {
        [NUMBER] = { .name = "number", .type = STRATA_INT, .flags = STRATA_COLUMN_PRIMARY },
        [TITLE] = { .name = "title", .type = STRATA_STRING },
        [DONE] = { .name = "done", .type = STRATA_BOOL },
        [DUE] = { .name = "due", .type = STRATA_DATE, .flags = STRATA_COLUMN_NULLABLE | STRATA_COLUMN_INDEXED },
        [TAGS] = { .name = "tags", .type = STRATA_STRING, .collection = STRATA_SET },
    };
    static const strata_table_spec task = {
        .name = "Task", .columns = columns, .column_count = sizeof columns / sizeof *columns,
    };
    strata_config config = { .size = sizeof config, .path = path, .flags = read_only ? STRATA_OPEN_READ_ONLY : 0 };
    return strata_store_open(&config, &t->store, &t->error) == STRATA_OK &&
           strata_view_open(t->store, &t->view, &t->error) == STRATA_OK && is_mine(t, path) &&
           strata_schema_apply(t->view, &task, 1, 1, &t->error) == STRATA_OK;
}

static void close_tasks(tasks *t) {
    strata_view_close(t->view);
    strata_store_close(t->store);
}

/* ---- Changing --------------------------------------------------------- */

/** Ends a write: with a commit, or without a trace. */
static int end_write(tasks *t, bool good) {
    if (good) return strata_view_commit(t->view, &t->error) == STRATA_OK ? EXIT_SUCCESS : failed(t);
    strata_view_cancel(t->view);
    return failed(t);
}

static bool next_number(tasks *t, int64_t *out) {
    /* The largest primary key: its index is in order, so one entry of it is read. */
    strata_step number = strata_step_column(NUMBER);
    strata_measure largest = { STRATA_MAX, &number, 1 };
    strata_query query = { .size = sizeof query, .table = TASK };
    strata_groups groups;
    if (strata_query_group(t->view, &query, NULL, 0, &largest, 1, &groups, NULL, &t->error) != STRATA_OK) return false;
    *out = groups.values[0].type == STRATA_NULL ? 1 : groups.values[0].as.integer + 1;
    strata_groups_free(&groups);
    return true;
}

static bool parse_date(const char *text, strata_value *out) {
    struct tm day = { .tm_isdst = 0 };
    const char *end = strptime(text, "%Y-%m-%d", &day);
    if (end == NULL || *end != 0) return false;
    *out = strata_date((double)timegm(&day) - reference_date);
    return true;
}

static bool add_tag(tasks *t, strata_row *row, const char *tag) {
    strata_value value = strata_string(tag, strlen(tag));
    bool inserted;
    uint64_t position;
    return strata_set_insert(row, TAGS, &value, &inserted, &position, &t->error) == STRATA_OK;
}

static int add(tasks *t, const char *title, char **options) {
    strata_value values[] = { strata_int(0), strata_string(title, strlen(title)), strata_bool(false), strata_null() };
    int64_t number;
    uint64_t key;
    strata_row row;
    for (char **option = options; *option != NULL; option += 2) {
        bool known = option[1] != NULL && (strcmp(*option, "--tag") == 0 || strcmp(*option, "--due") == 0);
        if (!known || (option[0][2] == 'd' && !parse_date(option[1], &values[DUE]))) return usage();
    }
    if (strata_view_begin(t->view, &t->error) != STRATA_OK) return failed(t);
    bool good = next_number(t, &number);
    values[NUMBER] = strata_int(good ? number : 0);
    good = good && strata_object_create(t->view, TASK, values, 4, &key, &t->error) == STRATA_OK &&
           strata_row_bind(t->view, TASK, key, &row, &t->error) == STRATA_OK;
    for (char **option = options; good && *option != NULL; option += 2)
        if (strcmp(*option, "--tag") == 0) good = add_tag(t, &row, option[1]);
    int result = end_write(t, good);
    if (result == EXIT_SUCCESS) printf("added %" PRId64 "\n", number);
    return result;
}

/** Finds a task by the number it is shown with. */
static bool find(tasks *t, const char *number, uint64_t *out_key) {
    strata_value value = strata_int(strtoll(number, NULL, 10));
    strata_status status = strata_object_find(t->view, TASK, &value, out_key, &t->error);
    if (status == STRATA_NOT_FOUND) snprintf(t->error.message, sizeof t->error.message, "there is no task %s", number);
    return status == STRATA_OK;
}

static int finish(tasks *t, const char *number, bool remove) {
    uint64_t key;
    strata_row row;
    strata_value done = strata_bool(true);
    if (strata_view_begin(t->view, &t->error) != STRATA_OK) return failed(t);
    bool good = find(t, number, &key);
    if (good && remove) good = strata_object_delete(t->view, TASK, key, &t->error) == STRATA_OK;
    else if (good)
        good = strata_row_bind(t->view, TASK, key, &row, &t->error) == STRATA_OK &&
               strata_row_set(&row, DONE, &done, &t->error) == STRATA_OK;
    return end_write(t, good);
}

/* ---- Reading ---------------------------------------------------------- */

static void print_text(const strata_row *row, uint32_t column) {
    strata_bytes bytes;
    if (strata_row_bytes(row, column, &bytes)) {
        printf("%.*s", (int)bytes.size, bytes.size == 0 ? "" : (const char *)bytes.data);
        return;
    }
    char piece[256]; /* a long text lies outside of its row and is read in pieces */
    size_t size;
    for (size_t at = 0; at < bytes.size; at += size) {
        if (strata_row_read(row, column, at, piece, sizeof piece, &size, NULL) != STRATA_OK || size == 0) return;
        printf("%.*s", (int)size, piece);
    }
}

static void print_task(strata_row *row) {
    uint64_t count;
    strata_value tag;
    printf("%3" PRId64 " [%c] ", strata_row_int(row, NUMBER), strata_row_bool(row, DONE) ? 'x' : ' ');
    print_text(row, TITLE);
    if (!strata_row_null(row, DUE)) {
        time_t due = (time_t)(strata_row_double(row, DUE) + reference_date);
        char day[20];
        strftime(day, sizeof day, "%Y-%m-%d", gmtime(&due));
        printf("  due %s", day);
    }
    if (strata_collection_size(row, TAGS, &count, NULL) != STRATA_OK) count = 0;
    for (uint64_t i = 0; i < count; i++)
        if (strata_collection_get(row, TAGS, i, 1, &tag, NULL) == STRATA_OK && tag.as.bytes.data != NULL)
            printf(" #%.*s", (int)tag.as.bytes.size, (const char *)tag.as.bytes.data);
    printf("\n");
}

/** Prints the tasks that meet a condition, or all: those that are due first come first. */
static int list(tasks *t, const char *condition_text) {
    strata_predicate *predicate = NULL;
    strata_condition *condition = NULL;
    strata_keys keys = { NULL, 0 };
    strata_step due = strata_step_column(DUE);
    strata_sort by_due = { .path = &due, .path_length = 1 };
    strata_stage sort = { .kind = STRATA_STAGE_SORT, .keys = &by_due, .key_count = 1 };
    strata_query query = { .size = sizeof query, .table = TASK, .stages = &sort, .stage_count = 1 };
    int result = EXIT_FAILURE;

    if (condition_text != NULL) {
        size_t size = strlen(condition_text);
        if (strata_predicate_parse(condition_text, size, NULL, 0, &predicate, &t->error) != STRATA_OK ||
            strata_predicate_resolve(predicate, t->view, TASK, NULL, 0, &condition, &t->error) != STRATA_OK) {
            (void)failed(t);
            goto done;
        }
        query.nodes = condition->nodes;
        query.node_count = condition->node_count;
    }
    if (strata_query_run(t->view, &query, &keys, NULL, &t->error) != STRATA_OK) {
        (void)failed(t);
        goto done;
    }
    for (uint64_t i = 0; i < keys.count; i++) {
        strata_row row;
        if (strata_row_bind(t->view, TASK, keys.data[i], &row, &t->error) == STRATA_OK) print_task(&row);
    }
    result = EXIT_SUCCESS;

done:
    strata_keys_free(&keys);
    strata_condition_free(condition);
    strata_predicate_free(predicate);
    return result;
}

/** Counts the tasks that have a tag; with `done`, those of them that are done. */
static bool count_tag(tasks *t, const strata_value *tag, bool done, uint64_t *out) {
    strata_step tags = strata_step_column(TAGS), is_done = strata_step_column(DONE);
    strata_value yes = strata_bool(true);
    strata_node nodes[] = {
        { .op = STRATA_AND, .children = 2 },
        { .op = STRATA_EQUAL, .left = { .path = &tags, .path_length = 1 }, .value_count = 1, .values = tag },
        { .op = STRATA_EQUAL, .left = { .path = &is_done, .path_length = 1 }, .value_count = 1, .values = &yes },
    };
    strata_query query = { .size = sizeof query, .table = TASK, .nodes = done ? nodes : nodes + 1,
                           .node_count = done ? 3 : 1 };
    return strata_query_count(t->view, &query, out, NULL, &t->error) == STRATA_OK;
}

static int tags(tasks *t) {
    char seen[64][64]; /* a program of its own would keep tags as objects, and count their backlinks */
    size_t count = 0;
    strata_cursor *cursor;
    strata_row row;
    strata_status status = strata_scan(t->view, TASK, false, &cursor, &t->error);
    if (status != STRATA_OK) return failed(t);
    while ((status = strata_cursor_next(cursor, &row, &t->error)) == STRATA_OK) {
        uint64_t size;
        strata_value tag;
        if (strata_collection_size(&row, TAGS, &size, &t->error) != STRATA_OK) break;
        for (uint64_t i = 0; i < size && count < 64; i++) {
            if (strata_collection_get(&row, TAGS, i, 1, &tag, &t->error) != STRATA_OK) break;
            char text[64];
            snprintf(text, sizeof text, "%.*s", (int)tag.as.bytes.size, (const char *)tag.as.bytes.data);
            size_t at = 0;
            while (at < count && strcmp(seen[at], text) != 0) at++;
            if (at == count) memcpy(seen[count++], text, sizeof text);
        }
    }
    strata_cursor_close(cursor);
    if (status != STRATA_END) return failed(t);
    for (size_t i = 0; i < count; i++) {
        strata_value tag = strata_string(seen[i], strlen(seen[i]));
        uint64_t all, done;
        if (!count_tag(t, &tag, false, &all) || !count_tag(t, &tag, true, &done)) return failed(t);
        printf("%-20s %3" PRIu64 " tasks, %" PRIu64 " done\n", seen[i], all, done);
    }
    return EXIT_SUCCESS;
}

/* ---- Upkeep ----------------------------------------------------------- */

static int check(tasks *t) {
    strata_verify_report report;
    strata_store_stats stats = { .size = sizeof stats };
    if (strata_verify(t->view, &report, &t->error) != STRATA_OK ||
        strata_store_get_stats(t->store, &stats, &t->error) != STRATA_OK)
        return failed(t);
    printf("%" PRIu64 " tasks, %" PRIu64 " index entries: all agree\n", report.rows, report.index_entries);
    printf("commit %" PRIu64 "; %" PRIu64 " KiB used, %" PRIu64 " KiB free in the file\n", stats.version,
           stats.used_size / 1024, stats.free_size / 1024);
    return EXIT_SUCCESS;
}

static int backup(tasks *t, const char *path) {
    return strata_store_backup(t->store, path, 0, &t->error) == STRATA_OK ? EXIT_SUCCESS : failed(t);
}

/* ---- Commands --------------------------------------------------------- */

typedef struct command {
    const char *name;
    bool reads; /* and does not write */
    bool needs_argument;
} command;

static const command *find_command(const char *name, const char *argument) {
    static const command commands[] = {
        { "add", false, true },   { "list", true, false },  { "done", false, true }, { "remove", false, true },
        { "tags", true, false }, { "backup", true, true }, { "check", true, false },
    };
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(commands[i].name, name) == 0)
            return commands[i].needs_argument && argument == NULL ? NULL : &commands[i];
    return NULL;
}

static int run(tasks *t, const char *name, char **arguments) {
    if (strcmp(name, "add") == 0) return add(t, arguments[0], arguments + 1);
    if (strcmp(name, "list") == 0) return list(t, arguments[0]);
    if (strcmp(name, "done") == 0) return finish(t, arguments[0], false);
    if (strcmp(name, "remove") == 0) return finish(t, arguments[0], true);
    if (strcmp(name, "tags") == 0) return tags(t);
    if (strcmp(name, "backup") == 0) return backup(t, arguments[0]);
    return check(t);
}

int main(int argc, char **argv) {
    tasks t = { 0 };
    const command *command = argc < 3 ? NULL : find_command(argv[2], argv[3]);
    if (command == NULL) return usage();
    int result = open_tasks(&t, argv[1], command->reads) ? run(&t, command->name, argv + 3) : failed(&t);
    close_tasks(&t);
    return result;
}
