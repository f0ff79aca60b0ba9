/* SPDX-License-Identifier: MIT
 *
 * process.h -- figures that need a process of their own: this program starts itself again; see bench_child(). */
#ifndef PROCESS_H
#define PROCESS_H

#include "peer.h"

/** Nanoseconds from the call that opens a store to the answer of the first lookup. */
double process_reopen(const bench_peer *peer, const char *folder, uint64_t n);
/** Bytes of memory that bulk insert into an empty folder took at its worst. */
double process_peak(const bench_peer *peer, const char *folder, uint64_t n);

#endif
