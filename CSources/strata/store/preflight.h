/* SPDX-License-Identifier: MIT
 *
 * preflight.h -- is this the file of a store, and could LMDB read it without leaving it?
 *
 * LMDB trusts the file that it opens, and stops the process, or reads outside of its map, at a damaged one. So every
 * file is looked at before.
 */
#ifndef ST_STORE_PREFLIGHT_H
#define ST_STORE_PREFLIGHT_H

#include "strata.h"

/** Checks the first pages, the main tree and the header record. `thorough` also checks every other page of the file;
 * otherwise that is done only for a file that is shorter than its first pages say. `writing` refuses features that must
 * not be written. */
strata_status st_preflight(int file, const char *path, bool writing, bool thorough, strata_error *error);

#endif
