/* SPDX-License-Identifier: MIT */
#ifndef STRATA_PEER_H
#define STRATA_PEER_H

#include "peer.h"

/** Strata through its C interface. */
extern const bench_peer strata_peer;

#endif
