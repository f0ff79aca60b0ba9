/* SPDX-License-Identifier: MIT
 * assets.h -- files that are inside of the program. */
#ifndef STRATA_ASSETS_H
#define STRATA_ASSETS_H

#include <stddef.h>

/** The bytes of a file, or NULL if there is none of that name. Lifetime: for ever. */
const unsigned char *strata_asset(const char *name, size_t *out_size);

#endif
