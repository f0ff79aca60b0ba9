/* SPDX-License-Identifier: MIT
 *
 * watch.c -- shows what a query finds in a file, live, while other programs write to it.
 *
 *   watch FILE TABLE [CONDITION]     for instance: watch my.tasks Task "done == false AND title CONTAINS 'milk'"
 *
 * On a terminal it draws a table, and again after each commit that changes it, with marks: + what came, ~ what was
 * modified. Otherwise it prints a line for each change. Ctrl-C ends it.
 *
 * It sleeps in poll() until somebody commits: the waiter has a descriptor, as an event loop wants one.
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "strata.h"
#include "strata_decimal.h"
#include "strata_observer.h"
#include "strata_predicate.h"

enum { MOST_COLUMNS = 8, WIDTH = 18 };

/** Seconds from 1970-01-01, where Unix counts from, to 2001-01-01, where dates of a store do. */
static const double reference_date = 978307200;

typedef struct watch {
    const char *path, *name, *text; /* of the file, the table and the condition, which may be NULL */
    strata_store *store;
    strata_view *view;
    strata_waiter *waiter;
    int descriptor;
    uint32_t table;
    uint32_t columns[MOST_COLUMNS], column_count;
    uint32_t shown; /* of them; on a terminal, those that fit */
    strata_predicate *predicate;
    strata_condition *condition;
    strata_query query;
    strata_observers *observers;
    strata_observer *observer;
    bool draws;
    strata_error error;
} watch;

/* Every call of the library returns a status; the message says what went wrong and what to do about it. */
static bool good(strata_status status) { return status == STRATA_OK; }

/* ---- Opening ---------------------------------------------------------- */

/** The first columns that hold one value; lists, sets and maps are not shown. */
static void choose_columns(watch *w) {
    strata_table_info table;
    strata_column_info column;
    if (!good(strata_table_get(w->view, w->table, &table))) return;
    for (uint32_t i = 0; i < table.column_count && w->column_count < MOST_COLUMNS; i++)
        if (good(strata_column_get(w->view, w->table, i, &column)) && column.name[0] != 0 &&
            column.collection == STRATA_SINGLE)
            w->columns[w->column_count++] = i;
    w->shown = w->column_count;
}

static bool find_table(watch *w) {
    if (good(strata_table_find(w->view, w->name, &w->table))) return true;
    snprintf(w->error.message, sizeof w->error.message, "%.200s has no table %.100s", w->path, w->name);
    return false;
}

static bool make_query(watch *w) {
    w->query = (strata_query){ .size = sizeof w->query, .table = w->table };
    if (w->text == NULL) return true;
    if (!good(strata_predicate_parse(w->text, strlen(w->text), NULL, 0, &w->predicate, &w->error)) ||
        !good(strata_predicate_resolve(w->predicate, w->view, w->table, NULL, 0, &w->condition, &w->error)))
        return false;
    w->query.nodes = w->condition->nodes;
    w->query.node_count = w->condition->node_count;
    return true;
}

/** Begins to observe: first the commits, so that none is missed, then what they change. */
static bool begin(watch *w) {
    const strata_key_paths all = { .all = true };
    strata_config config = { .size = sizeof config, .path = w->path };
    if (access(w->path, F_OK) != 0) {
        snprintf(w->error.message, sizeof w->error.message, "%.200s: %s", w->path, strerror(errno));
        return false;
    }
    return good(strata_store_open(&config, &w->store, &w->error)) &&
           good(strata_waiter_open(&w->waiter, &w->error)) &&
           good(strata_waiter_add(w->waiter, w->store, &w->error)) &&
           good(strata_waiter_descriptor(w->waiter, &w->descriptor, &w->error)) &&
           good(strata_view_open(w->store, &w->view, &w->error)) && find_table(w) && make_query(w) &&
           good(strata_observers_open(w->view, &w->observers, &w->error)) &&
           good(strata_observe_query(w->observers, &w->query, &all, NULL, &w->observer, &w->error));
}

static void end(watch *w) {
    strata_observers_close(w->observers);
    strata_condition_free(w->condition);
    strata_predicate_free(w->predicate);
    strata_view_close(w->view);
    strata_waiter_close(w->waiter);
    strata_store_close(w->store);
}

/* ---- Values as text --------------------------------------------------- */

/** What a file holds may be meant for a terminal to obey, and is not to be. */
static void copy_text(char out[WIDTH * 4], strata_bytes bytes) {
    size_t size = 0;
    for (size_t i = 0; i < bytes.size && size < WIDTH - 1; i++) {
        unsigned char byte = ((const unsigned char *)bytes.data)[i];
        out[size++] = byte < 0x20 || byte == 0x7f ? '.' : (char)byte;
    }
    while (size != 0 && size == WIDTH - 1 && ((unsigned char)out[size - 1] & 0x80) != 0) size--; /* whole characters */
    out[size] = 0;
}

static void print_date(double seconds, char out[WIDTH * 4]) {
    double time = seconds + reference_date;
    time_t whole = (time_t)(time > -6e10 && time < 2.5e11 ? time : 0);
    struct tm day;
    strftime(out, WIDTH * 4, "%Y-%m-%d %H:%M", gmtime_r(&whole, &day));
}

static void print_value(const strata_value *value, char out[WIDTH * 4]) {
    const uint8_t *fixed = value->as.fixed;
    strata_decimal decimal;
    switch (value->type) {
    case STRATA_NULL: strcpy(out, "-"); return;
    case STRATA_BOOL: strcpy(out, value->as.boolean ? "true" : "false"); return;
    case STRATA_INT: sprintf(out, "%" PRId64, value->as.integer); return;
    case STRATA_FLOAT: sprintf(out, "%.7g", (double)value->as.single); return;
    case STRATA_DOUBLE: sprintf(out, "%.10g", value->as.real); return;
    case STRATA_DATE: print_date(value->as.real, out); return;
    case STRATA_LINK: sprintf(out, "-> %" PRIu64, value->as.link); return;
    case STRATA_DECIMAL:
        memcpy(&decimal, fixed, sizeof decimal);
        strata_decimal_print(decimal, out);
        return;
    case STRATA_UUID:
    case STRATA_OBJECT_ID: sprintf(out, "%02x%02x%02x%02x...", fixed[0], fixed[1], fixed[2], fixed[3]); return;
    case STRATA_STRING:
        if (value->as.bytes.data != NULL) {
            copy_text(out, value->as.bytes);
            return;
        }
        break; /* a long one, which lies elsewhere */
    default: break;
    }
    sprintf(out, "(%zu bytes)", value->as.bytes.size);
}

/* ---- Showing ---------------------------------------------------------- */

static void print_row(watch *w, char mark, uint64_t key) {
    strata_row row;
    strata_value value;
    char text[WIDTH * 4];
    if (!good(strata_row_bind(w->view, w->table, key, &row, &w->error))) return;
    printf("%c", mark);
    for (uint32_t i = 0; i < w->shown; i++) {
        strcpy(text, "?");
        if (good(strata_row_get(&row, w->columns[i], &value, &w->error))) print_value(&value, text);
        printf(" %-*s", i + 1 == w->shown ? 0 : WIDTH, text);
    }
    printf("\n");
}

static bool has(const uint64_t *positions, uint64_t count, uint64_t position) {
    for (uint64_t i = 0; i < count; i++)
        if (positions[i] == position) return true;
    return false;
}

static void draw(watch *w, const strata_keys *keys, const strata_changes *changes) {
    struct winsize size = { .ws_row = 24, .ws_col = 80 };
    strata_column_info column;
    char now[20];
    time_t seconds = time(NULL);
    (void)ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
    w->shown = size.ws_col > WIDTH + 2 ? (size.ws_col - 1u) / (WIDTH + 1) : 1;
    if (w->shown > w->column_count) w->shown = w->column_count;
    strftime(now, sizeof now, "%H:%M:%S", localtime(&seconds));
    printf("\033[H\033[J%s: %s%s%s, %" PRIu64 " objects, %s\n ", w->path, w->name, w->text != NULL ? " where " : "",
           w->text != NULL ? w->text : "", keys->count, now);
    for (uint32_t i = 0; i < w->shown; i++)
        if (good(strata_column_get(w->view, w->table, w->columns[i], &column)))
            printf(" \033[1m%-*.*s\033[0m", WIDTH, WIDTH - 1, column.name);
    printf("\n");
    uint64_t rows = size.ws_row > 5 ? size.ws_row - 4u : 1;
    for (uint64_t i = 0; i < keys->count && i < rows; i++) {
        bool came = has(changes->insertions, changes->insertion_count, i);
        bool modified = has(changes->modifications_after, changes->modification_count, i);
        print_row(w, came ? '+' : modified ? '~' : ' ', keys->data[i]);
    }
    if (keys->count > rows) printf("  and %" PRIu64 " more\n", keys->count - rows);
}

static void print_changes(watch *w, const strata_keys *keys, const strata_changes *changes) {
    for (uint64_t i = 0; i < changes->deletion_count; i++) printf("- row %" PRIu64 "\n", changes->deletions[i]);
    for (uint64_t i = 0; i < changes->insertion_count; i++) print_row(w, '+', keys->data[changes->insertions[i]]);
    for (uint64_t i = 0; i < changes->modification_count; i++)
        print_row(w, '~', keys->data[changes->modifications_after[i]]);
    printf("%" PRIu64 " objects\n", keys->count);
}

/** The whole result is read anew, to keep this short; a program with much of it would read the rows that it shows. */
static bool show(watch *w, const strata_changes *changes) {
    strata_keys keys;
    if (!good(strata_query_run(w->view, &w->query, &keys, NULL, &w->error))) return false;
    if (w->draws) draw(w, &keys, changes);
    else print_changes(w, &keys, changes);
    fflush(stdout);
    strata_keys_free(&keys);
    return true;
}

/* ---- Watching --------------------------------------------------------- */

static volatile sig_atomic_t ended;

static void on_signal(int signal) { ended = signal; }

/** Shows what was committed since the last time. */
static bool catch_up(watch *w) {
    strata_store *store;
    strata_observer *observer;
    strata_changes changes = strata_changes_blank();
    strata_status status = STRATA_OK;
    bool moved;
    while (good(status)) status = strata_waiter_next(w->waiter, 0, &store, &w->error); /* all that it has to tell */
    if (status != STRATA_NOT_FOUND || !good(strata_view_refresh(w->view, &moved, &w->error)) ||
        !good(strata_observers_advance(w->observers, &w->error)))
        return false;
    while (good(status = strata_observers_next(w->observers, &observer, &changes, &w->error)))
        if (!show(w, &changes)) return false;
    return status == STRATA_END;
}

static bool run(watch *w) {
    const struct sigaction end_it = { .sa_handler = on_signal };
    sigaction(SIGINT, &end_it, NULL);
    sigaction(SIGTERM, &end_it, NULL);
    const strata_changes none = strata_changes_blank();
    choose_columns(w);
    if (!show(w, &none)) return false;
    while (!ended) {
        struct pollfd commits = { .fd = w->descriptor, .events = POLLIN };
        /* A signal between the look at `ended` and poll() is noticed a second later. */
        if (poll(&commits, 1, 1000) > 0 && !catch_up(w)) return false;
    }
    return true;
}

int main(int argc, char **argv) {
    if (argc < 3 || argc > 4) {
        fprintf(stderr, "usage: watch FILE TABLE [CONDITION]\n");
        return 2;
    }
    watch w = { .path = argv[1], .name = argv[2], .text = argv[3], .draws = isatty(STDOUT_FILENO) != 0 };
    bool went_well = begin(&w) && run(&w);
    if (!went_well) fprintf(stderr, "watch: %s\n", w.error.message);
    end(&w);
    return went_well ? EXIT_SUCCESS : EXIT_FAILURE;
}
