/* SPDX-License-Identifier: MIT
 * See allocation_count.c. */
#include "../../../../CAllocationCount/include/allocation_count.h"
