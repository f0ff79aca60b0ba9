/* SPDX-License-Identifier: MIT
 *
 * filter.h -- a set of hashes that says yes by mistake now and then, but never no: a Bloom filter that grows.
 *
 * A hash sets eight bits of a group of 32 bytes, so that a question costs one cache miss for each stage. When a stage
 * has as many hashes as it is meant for, the next one is at least twice as large. Of the questions that ought to be
 * answered no, about one in 250 is answered yes by each stage.
 */
#ifndef ST_BASE_FILTER_H
#define ST_BASE_FILTER_H

#include <stdbool.h>
#include <stdint.h>

enum { ST_FILTER_STAGES = 16, ST_FILTER_GROUP = 8 };

typedef struct st_filter_stage {
    uint32_t (*groups)[ST_FILTER_GROUP];
    uint64_t size; /* number of groups */
} st_filter_stage;

/** Zero-initialised it is empty. */
typedef struct st_filter {
    st_filter_stage stages[ST_FILTER_STAGES];
    uint32_t count; /* of stages */
    uint64_t room;  /* hashes that the last stage still takes */
} st_filter;

/** Makes room for `more` hashes. False if there is no memory, or there would be too many stages. */
bool st_filter_reserve(st_filter *filter, uint64_t more);
/** Adds a hash; there must be room. */
void st_filter_add(st_filter *filter, uint32_t hash);
/** False if the hash was not added. */
bool st_filter_may_have(const st_filter *filter, uint32_t hash);
void st_filter_free(st_filter *filter);

#endif
