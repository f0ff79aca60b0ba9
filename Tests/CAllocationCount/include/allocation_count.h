/* SPDX-License-Identifier: MIT
 * allocation_count.h -- how often memory is allocated, for tests that assert on costs. */
#ifndef ALLOCATION_COUNT_H
#define ALLOCATION_COUNT_H

#include <stdint.h>

/** How many allocations this thread has made in the process so far, by whatever language. */
uint64_t allocation_count(void);

/** How many bytes of the allocator of libc are in use in the process. */
uint64_t allocated_bytes(void);

#endif
