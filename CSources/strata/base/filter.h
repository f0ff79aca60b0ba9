/* SPDX-License-Identifier: MIT
 *
 * filter.h -- a Bloom filter that grows.
 *
 * A filter is a set of hashes that can answer "it is there" by mistake, but never "it is not". It consists of stages.
 * In a stage each hash sets eight bits within one group of 32 bytes, so a question costs one cache miss per stage. When
 * a stage has all the hashes it was made for, another one is added that is at least twice as large. A stage gives a
 * wrong answer to about one in 250 questions.
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

/** Empty when it is zero. Freed with st_filter_free(). */
typedef struct st_filter {
    st_filter_stage stages[ST_FILTER_STAGES];
    uint32_t count; /* of stages */
    uint64_t room;  /* hashes that the last stage can still take in */
} st_filter;

/** Makes room for `more` hashes. False if there is no memory, or if that needs more than ST_FILTER_STAGES stages. */
bool st_filter_reserve(st_filter *filter, uint64_t more);
/** Adds a hash; there must be room. */
void st_filter_add(st_filter *filter, uint32_t hash);
/** False if the hash was not added. */
bool st_filter_may_have(const st_filter *filter, uint32_t hash);
void st_filter_free(st_filter *filter);

#endif
