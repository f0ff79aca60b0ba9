/* SPDX-License-Identifier: MIT
 *
 * store.h -- the store of this peer, and what its files share. */
#ifndef STORE_H
#define STORE_H

#include "peer.h"
#include "strata_query.h"

enum { DOG = 0, PERSON = 1, SERIES = 2 };                           /* tables */
enum { ID = 0, NAME = 1 };                                          /* columns of both */
enum { AGE = 2, SCORE = 3, EMAIL = 4, OWNED = 5, CREATED = 6 };     /* columns of a person */
enum { ELEMENTS = 0 };                                              /* of a series */

typedef struct store {
    strata_store *file;
    strata_view *view;
    char path[BENCH_PATH_SIZE];
    strata_durability durability;
    uint64_t n;
    uint64_t committed;  /* persons, one by one */
    uint64_t series;     /* key of the only one; 0: not made yet */
    struct strata_observers *observers; /* or NULL */
    bench_workload reads; /* of a reader */
} store;

/** Ends the program unless the status is STRATA_OK. */
void must(strata_status status, const strata_error *error);

void begin(store *s);
void commit(store *s);

/** Object keys are handed out in order from 1 on. */
static inline uint64_t key_of(uint64_t index) { return index + 1; }

double insert_all(store *s);
void create_next_person(store *s);
double commit_persons(store *s, uint64_t count);
double commit_together(store *s, uint64_t count);
double update_scores(store *s, uint64_t count);
double update_ages(store *s, uint64_t count);
double delete_persons(store *s, uint64_t count);

void set_person(store *s, uint64_t index, uint32_t column, strata_value value);

void observe_scores(store *s);
void stop_observing(store *s);
double observe_first(store *s);
double observe_changes(store *s, uint64_t count);

double look_up(store *s, uint64_t count);
double read_strings(store *s, uint64_t count);
double read_emails(store *s, uint64_t count);
double read_linked_strings(store *s, uint64_t count);
double count_backlinks(store *s);
double read_property(store *s, uint64_t count);
double count_scores(store *s);
double count_names(store *s, strata_operator op, const char *text);
double iterate(store *s);
double sum_scores(store *s);
double count_ages(store *s, uint64_t count, int64_t from, int64_t to);
double visit_age(store *s);
double sort_scores(store *s, uint64_t limit);

void *open_reader(void *store, bench_workload workload, uint64_t count);
uint64_t read_batch(void *reader, uint64_t from, uint64_t count);
void close_reader(void *reader);

void clear_list(store *s);
double append_elements(store *s, uint64_t count);
double get_elements(store *s, uint64_t count);
double insert_elements(store *s, uint64_t count);

#endif
