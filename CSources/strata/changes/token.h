/* SPDX-License-Identifier: MIT
 * token.h -- names of commits: the uuid of the store, the epoch, and the version. */
#ifndef ST_CHANGES_TOKEN_H
#define ST_CHANGES_TOKEN_H

#include "strata.h"

void st_token_make(const uint8_t uuid[16], uint64_t epoch, uint64_t version, strata_token *out);
uint64_t st_token_epoch(const strata_token *token);

#endif
