/* SPDX-License-Identifier: MIT
 * workload.h -- what a store is made to do while something is made to go wrong.
 *
 * A workload is a sequence of steps on the files of a folder, each of which commits at most once. What must hold
 * afterwards, whatever happened, is that the files are as after the last step that was acknowledged, or as after the
 * one behind it; with relaxed durability, after a power cut, also as after the one before it, unless the last step was
 * lasting. No workload has a step without a commit, and not lasting, behind one with a commit. */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include "strata.h"
#include "tests.h"

/** A folder, and what is open in it. */
typedef struct site {
    char directory[400];
    strata_durability durability;
    bool lasting;        /* set by steps whose effect is durable even if commits are relaxed */
    strata_store *store; /* the file "store" */
    strata_view *view;
    strata_error error;
} site;

typedef struct workload {
    const char *name;
    bool fresh;      /* begins in an empty folder; the others with a store of some objects */
    bool open_first; /* opening the store is not part of what may go wrong */
    int steps;
    strata_status (*step)(site *at, int step);
} workload;

extern const workload workloads[];
extern const int workload_count;

/** The stores of a folder, by name, and what is in them. */
enum { WORLD_FILES = 6 };
typedef struct world {
    int count;
    struct world_file {
        char name[24];
        uint64_t digest;
    } files[WORLD_FILES];
} world;

/** What a program does that has run out of room, on the open store, or on one that is opened for that: deletes
 * everything, commits, and writes again. */
strata_status workload_make_room(site *at);

/** Fills an empty folder with what the workload begins with. */
void workload_prepare(const workload *what, site *at);
strata_status site_open(site *at);
void site_close(site *at);
char *site_path(const site *at, const char *name, char out[500]);

/** A number that every value, the schema and the number of the commit go into. Checks everything first. */
strata_status digest_of_view(strata_view *view, uint64_t *out, strata_error *error);
strata_status digest_of_file(const char *path, uint64_t *out, strata_error *error);
/** Looks into every store of the folder. Fails with what opening or checking one of them fails with. */
strata_status world_read(const site *at, world *out, strata_error *error);
/** Is each file as in one of some states, present or missing? If not, says in `why` what is wrong. */
bool world_is_among(const world *it, const world *states, int count, char why[200]);
/** Runs the workload in an empty folder, undisturbed: `out[0]` is how it begins, `out[n]` how step n - 1 ends. */
void workload_run(const workload *what, site *at, world *out);

enum { MOST_STEPS = 8 };

#endif
