/* SPDX-License-Identifier: MIT
 * hostile.h -- files with everything in them, and using files that may be damaged; for tests and for fuzzing. */
#ifndef HOSTILE_H
#define HOSTILE_H

#include "support/survey.h"

/** Makes a file with all kinds of columns and pages: deep trees, large values, free pages. */
void hostile_make_file(const char *name, int persons);

/** Adds more of the same in a transaction of their own. */
void hostile_add_persons(const char *name, int from, int count);

/** How a file is opened. */
typedef enum hostile_mode { HOSTILE_USUAL, HOSTILE_CHECKED, HOSTILE_READ_ONLY, HOSTILE_MODES } hostile_mode;
extern const char *const hostile_mode_names[HOSTILE_MODES];

strata_status hostile_open(const char *path, hostile_mode mode, strata_store **out, strata_error *error);

/** Programs that write, each with several transactions. They touch the same objects whenever they run. */
enum { HOSTILE_PROGRAMS = 4 };

/** What happened to one file. */
typedef struct hostile_outcome {
    uint64_t opened, commits;
    uint64_t conditions; /* that ran before anything was written */
    uint64_t sound; /* objects read as they were in the sound file */
    uint64_t lost;  /* of those, how many were no longer read so after a program that does not touch them */
    uint32_t lost_table, lost_key; /* one of them */
} hostile_outcome;

/** What the sound file holds, and which objects each program touches in it. */
typedef struct hostile_model {
    survey sound;
    bool touched[HOSTILE_PROGRAMS][SURVEY_TABLES][SURVEY_KEYS];
} hostile_model;

/** Makes the model of a sound file, of which it uses a copy under `path`. */
void hostile_make_model(const void *bytes, size_t size, const char *path, hostile_model *out);

/** Opens a file, reads all of it, runs the program that `random` chooses, and reads it again. Adds to `out`. */
void hostile_use(const char *path, hostile_mode mode, uint64_t random, const hostile_model *model,
                 hostile_outcome *out);

#endif
