/* SPDX-License-Identifier: MIT
 * hostile.h -- files with everything in them, and using files that may be damaged; for tests and for fuzzing. */
#ifndef HOSTILE_H
#define HOSTILE_H

#include "strata.h"

/** Makes a file with all kinds of columns and pages: deep trees, large values, free pages. */
void hostile_make_file(const char *name, int persons);

/** Adds more of the same in a transaction of their own. */
void hostile_add_persons(const char *name, int from, int count);

/** Opens a file as one from anywhere has to be opened. */
strata_status hostile_open(const char *path, strata_store **out, strata_error *error);

/** Opens such a file, verifies it, reads and changes it. False if it was refused. */
bool hostile_use(const char *path);

#endif
