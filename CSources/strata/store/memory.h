/* SPDX-License-Identifier: MIT
 * memory.h -- stores without a file. */
#ifndef ST_STORE_MEMORY_H
#define ST_STORE_MEMORY_H

#include "strata.h"

/** A new store in memory, named `config->memory_name`. Under the registry's lock. */
strata_status st_memory_open(const strata_config *config, strata_store **out, strata_error *error);

#endif
