/* SPDX-License-Identifier: MIT
 *
 * readers.h -- threads that read while another one commits. */
#ifndef READERS_H
#define READERS_H

#include "model.h"

/** Lets two threads read beside a writer for about a second. Returns nanoseconds per lookup of both together, or
 * BENCH_NOT_OFFERED. Every batch is checked. */
double readers_run(const bench_peer *peer, void *store, const bench_model *model);

/** Lets a writer commit and a thread read BENCH_BATCH known strings, by turns, BENCH_TURNS times: each batch sees a
 * snapshot that was not there before. Returns nanoseconds per string, the commits left out, or BENCH_NOT_OFFERED, and
 * how many of them were spent on a processor. */
double readers_take_turns(const bench_peer *peer, void *store, const bench_model *model, double *out_processor);

#endif
