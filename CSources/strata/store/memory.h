/* SPDX-License-Identifier: MIT
 * memory.h -- stores without a file. */
#ifndef ST_STORE_MEMORY_H
#define ST_STORE_MEMORY_H

#include "strata.h"

/** Makes a store in memory, named `config->memory_name`. Called with the registry locked. */
strata_status st_memory_open(const strata_config *config, strata_store **out, strata_error *error);

#endif
