/* SPDX-License-Identifier: MIT
 * counting.h -- how often memory is allocated, for tests that assert on costs. */
#ifndef COUNTING_H
#define COUNTING_H

#include <stdint.h>

/** How many allocations this thread has made in the process so far, by whatever language. */
uint64_t counting_allocations(void);

#endif
