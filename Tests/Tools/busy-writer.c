/* SPDX-License-Identifier: MIT
 * busy-writer.c -- commits as often as it is told to, for whoever looks at the file meanwhile.
 *
 *     busy-writer FILE PER_SECOND SECONDS FIRST_KEY KEYS
 *
 * Each commit writes the time, in milliseconds since 1970, into the column `weight` of the next of some objects of the
 * class Dog. Prints how many commits there were, and the object keys and weights of all these objects at the end. */
#define _GNU_SOURCE 1
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "strata.h"

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_nsec / 1000;
}

static void must(strata_status status, const strata_error *error) {
    if (status == STRATA_OK) return;
    fprintf(stderr, "busy-writer: %s\n", error->message);
    exit(1);
}

int main(int count, char **arguments) {
    strata_store *store;
    strata_view *view;
    strata_error error;
    uint32_t dog, weight;
    if (count != 6) return 2;
    uint64_t rate = strtoull(arguments[2], NULL, 10), seconds = strtoull(arguments[3], NULL, 10);
    uint64_t first = strtoull(arguments[4], NULL, 10), keys = strtoull(arguments[5], NULL, 10);
    strata_config config = strata_config_blank();
    config.path = arguments[1];
    config.durability = STRATA_DURABILITY_RELAXED;
    must(strata_store_open(&config, &store, &error), &error);
    must(strata_view_open(store, &view, &error), &error);
    must(strata_table_find(view, "Dog", &dog), &error);
    must(strata_column_find(view, dog, "weight", &weight), &error);
    double *written = calloc(keys, sizeof *written);
    uint64_t begun = now(), commits = 0;
    for (uint64_t at; written != NULL && (at = now() - begun) < seconds * 1000000;) {
        if (commits * 1000000 / rate > at) {
            nanosleep(&(struct timespec){ .tv_nsec = 200000 }, NULL);
            continue;
        }
        strata_row row;
        double time = (double)(now() / 1000);
        strata_value value = { .type = STRATA_DOUBLE };
        value.as.real = time;
        must(strata_view_begin(view, &error), &error);
        must(strata_row_bind(view, dog, first + commits % keys, &row, &error), &error);
        must(strata_row_set(&row, weight, &value, &error), &error);
        must(strata_view_commit(view, &error), &error);
        written[commits++ % keys] = time;
    }
    printf("%" PRIu64 "\n", commits);
    for (uint64_t i = 0; written != NULL && i < keys; i++) printf("%" PRIu64 " %.0f\n", first + i, written[i]);
    free(written);
    strata_view_close(view);
    strata_store_close(store);
    return 0;
}
