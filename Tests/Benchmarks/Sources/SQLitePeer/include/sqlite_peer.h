/* SPDX-License-Identifier: MIT */
#ifndef SQLITE_PEER_H
#define SQLITE_PEER_H

#include "peer.h"

/** SQLite through its C interface: prepared statements, a write-ahead log that is flushed by each commit. */
extern const bench_peer sqlite_peer;

#endif
