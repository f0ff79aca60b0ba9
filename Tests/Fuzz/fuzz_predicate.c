/* SPDX-License-Identifier: MIT
 *
 * fuzz_predicate.c -- no text makes the parser crash, read outside of it or lose memory. What it refuses, it refuses with
 * a column inside of the text. What it reads prints as text that reads as an equal predicate, and prints the same again.
 * Resolving that works, or fails with STRATA_MISUSE or STRATA_TYPE; and so does checking and running a query with the
 * condition. Running it takes no more steps than there are conditions times links, whatever the paths are.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "support/predicate_support.h"

static strata_interrupt *interrupt;

/* One store in memory with a few objects, for all inputs. */
static strata_view *open_zoo(void) {
    static strata_view *view;
    strata_store *store;
    strata_error error;
    strata_config config = { .size = sizeof config, .memory_name = "fuzz" };
    uint64_t key;
    if (view != NULL) return view;
    CHECK(strata_store_open(&config, &store, &error) == STRATA_OK);
    CHECK(strata_view_open(store, &view, &error) == STRATA_OK);
    CHECK(strata_interrupt_make(&interrupt, &error) == STRATA_OK);
    CHECK(strata_view_set_interrupt(view, interrupt, &error) == STRATA_OK);
    CHECK(strata_schema_apply(view, zoo_tables, ZOO_TABLES, 1, &error) == STRATA_OK);
    CHECK(strata_view_begin(view, &error) == STRATA_OK);
    for (int i = 0; i < 6; i++) {
        strata_value dog[] = { strata_string("Rex", 3), strata_int(i), i < 2 ? strata_null() : strata_link(1) };
        strata_value person[] = { i == 0 ? strata_null() : strata_string("Änn a*", 7), strata_int(i * 3) };
        strata_row row;
        CHECK(strata_object_create(view, PERSON, person, 2, &key, &error) == STRATA_OK);
        CHECK(strata_object_create(view, DOG, dog, 3, &key, &error) == STRATA_OK);
        strata_value scores[] = { strata_int(i), strata_int(5) }, dogs[] = { strata_link(1), strata_link(key) };
        CHECK(strata_row_bind(view, PERSON, (uint64_t)i + 1, &row, &error) == STRATA_OK);
        CHECK(strata_list_insert(&row, P_SCORES, 0, scores, 2, &error) == STRATA_OK);
        CHECK(strata_list_insert(&row, P_DOGS, 0, dogs, 2, &error) == STRATA_OK);
    }
    CHECK(strata_view_commit(view, &error) == STRATA_OK);
    return view;
}

enum { ARGUMENTS = 12 };

/* The arguments for every text: one of every kind. */
static const strata_argument *arguments(void) {
    static strata_argument all[ARGUMENTS];
    static strata_value values[2], uuid;
    static strata_geo_point points[] = { { 1, 2 }, { 30, 40 } };
    static strata_shape box = { .kind = STRATA_BOX, .points = points, .point_count = 2 };
    values[0] = strata_int(3);
    values[1] = strata_null();
    uuid.type = STRATA_UUID;
    all[0] = argument_of(strata_int(5));
    all[1] = argument_of(strata_string("dogs.name", 9));
    all[2] = argument_list(values, 2);
    all[3] = argument_of(strata_date(1.5));
    all[4] = argument_nothing();
    all[5] = argument_shape(&box);
    all[6] = argument_of(strata_string("a'\\\n", 4));
    all[7] = argument_of(uuid);
    all[8] = argument_of(strata_float(0.1f));
    all[9] = argument_of(strata_double((double)NAN));
    all[10] = argument_of(strata_link(2));
    all[10].value.table = DOG;
    all[11] = argument_of(strata_data("\x00\xFF", 2));
    return all;
}

/* ---- The promises ----------------------------------------------------- */

static size_t characters(const uint8_t *data, size_t size) {
    size_t count = 0;
    for (size_t i = 0; i < size; i++) count += (data[i] & 0xC0) != 0x80;
    return count;
}

static void check_refusal(strata_status status, const strata_error *error, const uint8_t *data, size_t size) {
    unsigned column = 0;
    CHECK(status == STRATA_MISUSE && error->status == status);
    CHECK(sscanf(error->message, "at column %u: ", &column) == 1);
    CHECK(column >= 1 && column <= characters(data, size) + 1);
}

static char *print(const strata_predicate *predicate) {
    size_t size = strata_predicate_print(predicate, NULL, 0);
    char *text = malloc(size + 1);
    CHECK(text != NULL);
    CHECK(strata_predicate_print(predicate, text, size + 1) == size && strlen(text) == size);
    return text;
}

static void check_round_trip(const strata_predicate *predicate) {
    strata_predicate *again;
    strata_error error;
    char *first = print(predicate);
    if (strata_predicate_parse(first, strlen(first), NULL, 0, &again, &error) != STRATA_OK) {
        fprintf(stderr, "%s\n", first);
        ctest_fail(__FILE__, __LINE__, error.message);
    }
    char *second = print(again);
    CHECK(strata_predicate_equal(predicate, again) && strata_predicate_equal(again, predicate));
    CHECK_TEXT(second, first);
    strata_predicate_free(again);
    free(first);
    free(second);
}

static bool is_refusal(strata_status status) { return status == STRATA_MISUSE || status == STRATA_TYPE; }

/* A step for each object and each link on each step of each path, for each object that may be tested anew: 6 of each
 * class with 2 links to the other one, in all of them fewer than a hundred. */
static uint64_t most_steps(const strata_condition *condition) {
    enum { OBJECTS = 12, STEPS = 100 };
    uint64_t paths = 1;
    for (uint32_t i = 0; i < condition->node_count; i++) {
        const strata_node *node = &condition->nodes[i];
        uint64_t right = node->right == NULL ? 0 : node->right->path_length;
        paths += (1 + node->left.path_length) * (1 + right * OBJECTS);
    }
    return paths * OBJECTS * STEPS;
}

static void check_condition(strata_view *view, uint32_t table, const strata_predicate *predicate) {
    strata_condition *condition;
    strata_error error;
    uint64_t count;
    strata_status status = strata_predicate_resolve(predicate, view, table, zoo_aliases, zoo_alias_count, &condition,
                                                    &error);
    if (status != STRATA_OK) {
        CHECK(is_refusal(status) && condition == NULL && strncmp(error.message, "at column ", 10) == 0);
        return;
    }
    strata_query query = { .size = sizeof query, .table = table, .nodes = condition->nodes,
                           .node_count = condition->node_count };
    status = strata_query_check(view, &query, &error);
    CHECK(status == STRATA_OK || is_refusal(status));
    strata_interrupt_reset(interrupt);
    strata_interrupt_after_steps(interrupt, most_steps(condition));
    strata_status ran = strata_query_count(view, &query, &count, NULL, &error);
    CHECK(ran == status || (ran != STRATA_OK && is_refusal(ran)));
    strata_condition_free(condition);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    strata_predicate *predicate;
    strata_error error;
    strata_view *view = open_zoo();
    char *text = malloc(size); /* of exactly this size, so that nothing behind it is read */
    if (text == NULL) return 0;
    memcpy(text, data, size);
    strata_status status = strata_predicate_parse(text, size, arguments(), ARGUMENTS, &predicate, &error);
    free(text);
    if (status != STRATA_OK) {
        CHECK(predicate == NULL);
        check_refusal(status, &error, data, size);
        return 0;
    }
    check_round_trip(predicate);
    check_condition(view, PERSON, predicate);
    check_condition(view, DOG, predicate);
    strata_predicate_free(predicate);
    return 0;
}
