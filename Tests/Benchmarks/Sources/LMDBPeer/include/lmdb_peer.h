/* SPDX-License-Identifier: MIT */
#ifndef LMDB_PEER_H
#define LMDB_PEER_H

#include "peer.h"

/** LMDB by itself, one row per key: what the engine below Strata costs a program that needs nothing else. */
extern const bench_peer lmdb_peer;

#endif
