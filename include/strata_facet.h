/* SPDX-License-Identifier: MIT
 *
 * strata_facet.h -- what the values of one property are among the objects of a query: the commonest ones, how many
 * different ones there are, and how numbers are spread. The memory is bounded, however many objects there are.
 *
 *     strata_step age = strata_step_column(2);
 *     strata_facet_options options = strata_facet_options_blank();
 *     options.most_values = 20;
 *     status = strata_query_facet(view, &query, &age, 1, &options, &facet, &error);
 *     for (uint32_t i = 0; i < facet.value_count; i++) show(facet.values[i].value, facet.values[i].count);
 *     strata_facet_free(&facet);
 *
 * Values are told apart in memory, as far as that has room for them. If there are more, they are counted in an index
 * whose entries have all of each value, if there is one that knows which objects the query has. Otherwise `too_many` is
 * set; numbers are then looked at once more for the histogram.
 */
#ifndef STRATA_FACET_H
#define STRATA_FACET_H

#include "strata_query.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Begin with strata_facet_options_blank(). */
typedef struct strata_facet_options {
    uint32_t size;           /**< sizeof(strata_facet_options) */
    uint32_t most_values;    /**< how many of the commonest values are told; at most 1,000 */
    uint32_t most_bins;      /**< how many bins the histogram may have; at most 1,000; 0: none is made */
    uint32_t most_different; /**< how many different values are told apart in memory; 0: 50,000. Strings and data of
                                  more than 16 MiB together are too many, too */
} strata_facet_options;

static inline strata_facet_options strata_facet_options_blank(void) {
    strata_facet_options options;
    memset(&options, 0, sizeof options);
    options.size = (uint32_t)sizeof options;
    return options;
}

typedef struct strata_facet_value {
    strata_value value;
    uint64_t count;          /**< how many objects have it */
} strata_facet_value;

typedef struct strata_facet {
    uint64_t different;      /**< how many different values there are, null as one of them */
    bool too_many;           /**< there are more than `different`: too many to be told apart. Then there are no values */
    uint32_t value_count;
    uint32_t bin_count;      /**< 0: there are not two different numbers */
    const strata_facet_value *values; /**< the commonest first; of equally common ones the least first */
    strata_value least;      /**< the least of the finite numbers or dates, an int, a double or a date; null if there */
    strata_value greatest;   /**< is no histogram */
    const uint64_t *bins;    /**< how many objects have a number in each of `bin_count` ranges of equal width from
                                  `least` to `greatest`. Of ints that lie closer together than there may be bins, each
                                  has its own */
    void *memory;            /**< what all of these lie in */
} strata_facet;

/**
 * Looks at the values of a property: `path` are to-one links, then the column. Objects whose path meets a null link
 * count as those with null.
 *
 * Ownership: the caller frees `out` with strata_facet_free(), and with it the bytes of its values.
 * Fails: as strata_query_group(); STRATA_MISUSE for options that are too large.
 */
STRATA_CHECKED strata_status strata_query_facet_sized(strata_view *view, const strata_query *query,
                                                      const strata_step *path, uint32_t path_length,
                                                      const strata_facet_options *options, strata_facet *out,
                                                      size_t out_size, strata_error *error);
STRATA_CHECKED static inline strata_status strata_query_facet(strata_view *view, const strata_query *query,
                                                              const strata_step *path, uint32_t path_length,
                                                              const strata_facet_options *options, strata_facet *out,
                                                              strata_error *error) {
    return strata_query_facet_sized(view, query, path, path_length, options, out, sizeof *out, error);
}
/** What is freed already, or was never filled in, may be freed again. */
void strata_facet_free(strata_facet *facet);

#ifdef __cplusplus
}
#endif
#endif
