/* SPDX-License-Identifier: MIT
 * The counting allocator of the tests, which lies outside of what this package may name as a path. */
#define _GNU_SOURCE 1
#include "../../../CAllocationCount/allocation_count.c"
