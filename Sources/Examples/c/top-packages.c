/* SPDX-License-Identifier: MIT
 *
 * top-packages.c -- opens the file of the example `packages` from C and prints the ten packages most others
 * depend on, as the first question of that program does.
 *
 * It knows the file by the names of its classes and properties alone: a class is a table, a property a column.
 * Usage: top-packages [FILE]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "strata.h"

enum { TOP = 10 };

/** A package on the list. Owns its name. */
typedef struct entry {
    char *name;
    uint64_t dependents;
} entry;

/** The packages with most dependents, most first; of equals, the first by name. */
typedef struct top_list {
    entry entries[TOP];
    size_t count;
} top_list;

/** Where the values are in the file. */
typedef struct columns {
    uint32_t table;
    uint32_t name;
    uint32_t dependencies;
} columns;

/** What failed, on the error stream; NULL fits any answer that carries no message. */
static int failed(const char *what, strata_status status, const strata_error *error) {
    const char *message = error != NULL && error->message[0] != '\0' ? error->message : strata_status_name(status);
    fprintf(stderr, "top-packages: %s: %s\n", what, message);
    return EXIT_FAILURE;
}

/** Copies the name of a package. Returns NULL, with `error` set, if it cannot be read. Caller frees. */
static char *copy_name(const strata_row *row, uint32_t column, strata_error *error) {
    strata_bytes bytes;
    bool lent = strata_row_bytes(row, column, &bytes); /* false for a long name, which is copied piece by piece */
    char *name = malloc(bytes.size + 1);
    if (name == NULL) {
        snprintf(error->message, sizeof error->message, "out of memory for a name of %zu bytes", bytes.size);
        return NULL;
    }
    size_t size = bytes.size;
    if (lent && size > 0) {
        memcpy(name, bytes.data, size);
    } else if (!lent && strata_row_read(row, column, 0, name, bytes.size, &size, error) != STRATA_OK) {
        free(name);
        return NULL;
    }
    name[size] = '\0';
    return name;
}

/** True if a package with that many dependents may belong on the list. */
static bool top_admits(const top_list *top, uint64_t dependents) {
    return dependents > 0 && (top->count < TOP || dependents >= top->entries[TOP - 1].dependents);
}

static bool goes_before(const entry *a, const entry *b) {
    if (a->dependents != b->dependents) return a->dependents > b->dependents;
    return strcmp(a->name, b->name) < 0;
}

/** Puts an entry on the list, which then owns its name; the last one may fall off. */
static void top_insert(top_list *top, entry added) {
    size_t place = 0;
    while (place < top->count && goes_before(&top->entries[place], &added)) place++;
    if (place == TOP) {
        free(added.name);
        return;
    }
    if (top->count == TOP) free(top->entries[TOP - 1].name);
    else top->count++;
    memmove(&top->entries[place + 1], &top->entries[place], (top->count - place - 1) * sizeof added);
    top->entries[place] = added;
}

static int find_columns(strata_view *view, columns *out) {
    strata_status status = strata_table_find(view, "Package", &out->table);
    if (status != STRATA_OK) return failed("the file has no class Package", status, NULL);
    status = strata_column_find(view, out->table, "name", &out->name);
    if (status != STRATA_OK) return failed("Package has no property name", status, NULL);
    status = strata_column_find(view, out->table, "dependencies", &out->dependencies);
    if (status != STRATA_OK) return failed("Package has no property dependencies", status, NULL);
    strata_column_info name;
    strata_column_info dependencies;
    status = strata_column_get(view, out->table, out->name, &name);
    if (status != STRATA_OK) return failed("Package.name", status, NULL);
    status = strata_column_get(view, out->table, out->dependencies, &dependencies);
    if (status != STRATA_OK) return failed("Package.dependencies", status, NULL);
    if (name.type != STRATA_STRING || dependencies.type != STRATA_LINK || dependencies.target != out->table)
        return failed("Package is not the class of the example", STRATA_TYPE, NULL);
    return EXIT_SUCCESS;
}

/** Walks all packages. `*out_visited` counts them. */
static int collect(strata_view *view, const columns *at, top_list *top, uint64_t *out_visited) {
    strata_error error = { STRATA_OK, 0, "" };
    strata_cursor *cursor = NULL;
    int result = EXIT_FAILURE;
    *out_visited = 0;
    strata_status status = strata_scan(view, at->table, false, &cursor, &error);
    if (status != STRATA_OK) {
        failed("cannot scan Package", status, &error);
        goto done;
    }
    strata_row row;
    while ((status = strata_cursor_next(cursor, &row, &error)) == STRATA_OK) {
        entry found = { NULL, 0 };
        ++*out_visited;
        status = strata_backlinks_count(view, at->table, row.key, at->table, at->dependencies, &found.dependents,
                                        &error);
        if (status != STRATA_OK) {
            failed("cannot count dependents", status, &error);
            goto done;
        }
        if (!top_admits(top, found.dependents)) continue;
        found.name = copy_name(&row, at->name, &error);
        if (found.name == NULL) {
            failed("cannot read a name", STRATA_IO, &error);
            goto done;
        }
        top_insert(top, found);
    }
    if (status != STRATA_END) {
        failed("cannot go on scanning Package", status, &error);
        goto done;
    }
    result = EXIT_SUCCESS;
done:
    strata_cursor_close(cursor);
    return result;
}

/** Writes 63666 as 63,666. `text` has room for 32 bytes. */
static const char *grouped(uint64_t number, char *text) {
    char digits[24];
    int count = snprintf(digits, sizeof digits, "%" PRIu64, number);
    size_t at = 0;
    for (int i = 0; i < count; i++) {
        if (i > 0 && (count - i) % 3 == 0) text[at++] = ',';
        text[at++] = digits[i];
    }
    text[at] = '\0';
    return text;
}

static void print(const top_list *top, uint64_t visited, double seconds) {
    char text[32];
    int width = (int)strlen("package");
    for (size_t i = 0; i < top->count; i++) {
        int length = (int)strlen(top->entries[i].name);
        if (length > width) width = length;
    }
    printf("The ten packages most others depend on\n");
    printf("   #  %-*s  dependents\n", width, "package");
    for (size_t i = 0; i < top->count; i++)
        printf("  %2zu  %-*s  %10s\n", i + 1, width, top->entries[i].name, grouped(top->entries[i].dependents, text));
    printf("  [%.1f ms, %s rows visited]\n", seconds * 1e3, grouped(visited, text));
}

static double seconds_now(void) {
    struct timespec now = { 0, 0 };
    (void)timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int argc, char **argv) {
    strata_error error = { STRATA_OK, 0, "" };
    strata_store *store = NULL;
    strata_view *view = NULL;
    columns at = { 0, 0, 0 };
    top_list top = { .count = 0 };
    uint64_t visited = 0;
    int result = EXIT_FAILURE;

    if (argc > 2) {
        fprintf(stderr, "usage: top-packages [FILE]\n");
        return 2;
    }
    strata_config config = {
        .size = sizeof config,
        .flags = STRATA_OPEN_READ_ONLY | STRATA_OPEN_NO_CREATE,
        .path = argc == 2 ? argv[1] : "build/packages.strata",
    };
    strata_status status = strata_store_open(&config, &store, &error);
    if (status != STRATA_OK) {
        failed("cannot open the file (the example `packages` makes one)", status, &error);
        goto done;
    }
    status = strata_view_open(store, &view, &error);
    if (status != STRATA_OK) {
        failed("cannot open a view", status, &error);
        goto done;
    }
    double start = seconds_now();
    if (find_columns(view, &at) != EXIT_SUCCESS || collect(view, &at, &top, &visited) != EXIT_SUCCESS) goto done;
    print(&top, visited, seconds_now() - start);
    result = EXIT_SUCCESS;
done:
    for (size_t i = 0; i < top.count; i++) free(top.entries[i].name);
    strata_view_close(view);
    strata_store_close(store);
    return result;
}
