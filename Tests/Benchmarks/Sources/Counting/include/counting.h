/* SPDX-License-Identifier: MIT
 * See counting.c. */
#include "../../../../CCounting/include/counting.h"
