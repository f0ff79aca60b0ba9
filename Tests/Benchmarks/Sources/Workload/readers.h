/* SPDX-License-Identifier: MIT
 *
 * readers.h -- threads that look up persons while another one commits. */
#ifndef READERS_H
#define READERS_H

#include "model.h"

/** Lets two threads read beside a writer for about a second. Returns nanoseconds per lookup of both together, or
 * BENCH_NOT_OFFERED. Every batch is checked. */
double readers_run(const bench_peer *peer, void *store, const bench_model *model);

#endif
