/* SPDX-License-Identifier: MIT
 *
 * strata_query.h -- which objects meet a condition, in which order, and what their values add up to.
 *
 * A query names a source, a condition, and stages that order and cut what was found. It is checked, planned and run in
 * one call; indexes are used where they pay. What is run often can be prepared (strata_prepared.h). The condition is a
 * tree, stored as an array in which every node stands before its children. strata_predicate.h makes such trees of text.
 *
 * Lifetime: a query and everything it points to belong to the caller and are only read during a call.
 * Arrays: each stands beside its count, and may be NULL if that is 0; otherwise NULL is STRATA_MISUSE.
 */
#ifndef STRATA_QUERY_H
#define STRATA_QUERY_H

#include "strata.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Limits ----------------------------------------------------------- */

/** What a query may have at most. More is refused with STRATA_MISUSE, and the message names the limit. */
enum {
    STRATA_MAX_NODES = 1000000,     /**< nodes of a condition */
    STRATA_MAX_DEPTH = 200,         /**< nodes inside each other; each step of what is counted with a condition is one,
                                         too */
    STRATA_MAX_STEPS = 200,         /**< steps of a path */
    STRATA_MAX_CONSTANTS = 1 << 22, /**< values of an IN; arguments of a predicate */
    STRATA_MAX_SEGMENT = 4096,      /**< of a pattern of LIKE: bytes between two stars, if there is a ? among them */
    STRATA_MAX_POINTS = 1000000,    /**< of a polygon */
    STRATA_MAX_EDGE_PAIRS = 1 << 26,/**< of a polygon: how often something has to be compared with one of its edges
                                         before it is known whether it makes sense. Up to 8,000 points that is never
                                         more; with more it depends on how many long edges lie side by side */
    STRATA_MAX_STAGES = 1000,       /**< stages of a query */
    STRATA_MAX_SORT_KEYS = 1000     /**< keys of all its sorts together, of one distinct, or of groups; measures */
};

/* ---- Paths ------------------------------------------------------------ */

typedef enum STRATA_ENUM strata_step_kind {
    STRATA_STEP_COLUMN = 0,    /**< `column` of the object reached; of a collection, each element or value in it */
    STRATA_STEP_BACKLINKS = 1, /**< each object of `table` that links to the object reached through `column`, as often
                                    as it links */
    STRATA_STEP_KEYS = 2,      /**< behind a map column: each of its keys, instead of its values */
    STRATA_STEP_KEY = 3,       /**< behind a map column: only its value under `key`; behind a mixed value: what the
                                    map in it has under `key`; null if there is none */
    STRATA_STEP_POSITION = 4,  /**< behind a list column: only its element at `position`, counted from the end if
                                    negative; behind a mixed value: the same of the list in it; null if there is none */
    STRATA_STEP_EACH = 5,      /**< behind a mixed value: each element or value of the list or map in it */
    STRATA_STEP_SELF = 6,      /**< the object reached, as a link to itself; the last step. In a condition on the values
                                    of a collection: the value that is tested; the first step of every path */
    STRATA_STEP_ELEMENTS = 7   /**< behind a list, set or map column: each element or value in it, as without this step,
                                    but so that a KEY or POSITION behind it is one in that value, if it is mixed */
} strata_step_kind;

/** One step of a path. Zero-initialise it, then set what the kind needs. */
typedef struct strata_step {
    strata_step_kind kind;
    uint32_t table;
    uint32_t column;
    int64_t position;
    strata_bytes key;
} strata_step;

static inline strata_step strata_step_column(uint32_t column) {
    strata_step step;
    memset(&step, 0, sizeof step);
    step.column = column;
    return step;
}

typedef enum STRATA_ENUM strata_aggregate {
    STRATA_EACH_VALUE = 0, /**< none: whatever the path leads to, one by one */
    STRATA_COUNT = 1,      /**< how many elements there are, nulls included */
    STRATA_MIN = 2,        /**< null if there is no value, as in the others but sums; nulls are ignored, and among mixed
                                values all but numbers and dates, in sums and averages all but numbers */
    STRATA_MAX = 3,
    STRATA_SUM = 4,        /**< of ints an int that wraps around; of decimals and mixed values a decimal; otherwise a
                                double; 0 of nothing */
    STRATA_AVERAGE = 5     /**< of decimals and mixed values a decimal, else a double; of ints the one nearest to it */
} strata_aggregate;

/** What is compared: the values a path leads to, or an aggregate of them. */
typedef struct strata_operand {
    const strata_step *path;     /**< from the object tested, through links; a missing link makes the value null, or
                                      leads to nothing if there is a collection in the path */
    uint32_t path_length;
    strata_aggregate aggregate;
    uint32_t aggregate_length;   /**< of an aggregate: how many steps lead to the collection it is taken of, that one
                                      included; the others lead on from each element, without further collections */
} strata_operand;

/* ---- Conditions ------------------------------------------------------- */

typedef enum STRATA_ENUM strata_operator {
    STRATA_TRUE = 0,
    STRATA_FALSE = 1,
    STRATA_AND = 2,          /**< of `children` nodes that follow; none = true */
    STRATA_OR = 3,           /**< none = false */
    STRATA_NOT = 4,          /**< of one node */
    STRATA_EQUAL = 5,        /**< null equals null */
    STRATA_NOT_EQUAL = 6,
    STRATA_LESS = 7,         /**< of numbers, dates, strings, uuids, object ids and mixed values; false for nulls, as
                                  are the next three */
    STRATA_LESS_EQUAL = 8,
    STRATA_GREATER = 9,
    STRATA_GREATER_EQUAL = 10,
    STRATA_IN = 11,          /**< equal to one of `value_count` values */
    STRATA_BEGINS_WITH = 12, /**< of strings and data, among mixed values also of one with the other, by their bytes; an
                                  empty operand matches nothing, as in the next two */
    STRATA_ENDS_WITH = 13,
    STRATA_CONTAINS = 14,
    STRATA_BETWEEN = 15,     /**< of two values, both included; of numbers, dates and mixed values */
    STRATA_LIKE = 16,        /**< of strings and data: the whole of it, where * stands for anything and ? for one
                                  code point, of data one byte; null is like null only */
    STRATA_WITHIN = 17       /**< of a link to a point (see strata_shape): it lies in the shape */
} strata_operator;

enum {
    STRATA_CASE_INSENSITIVE = 1,      /**< node option of strings and mixed values, not with < and its like: ASCII and
                                           Latin-1 letters are folded, also in data among mixed values that is searched
                                           or compared with LIKE */
    STRATA_DIACRITIC_INSENSITIVE = 2, /**< node option: letters are compared without their marks; not with LIKE */
    STRATA_PARAMETERS = 4             /**< node option: its `values` are given when it is run; only for
                                           strata_query_prepare() (strata_prepared.h) */
};

/** A point on the earth, in degrees. */
typedef struct strata_geo_point {
    double longitude; /**< -180 to 180 */
    double latitude;  /**< -90 to 90 */
} strata_geo_point;

typedef enum STRATA_ENUM strata_shape_kind {
    STRATA_BOX = 0,    /**< from the south-west corner points[0] to the north-east one points[1], borders included */
    STRATA_CIRCLE = 1, /**< around points[0]; `radius` in radians */
    STRATA_POLYGON = 2 /**< rings of points, the first one outside, the others holes; edges are great circles; each
                            ring ends where it began */
} strata_shape_kind;

/**
 * A region of the earth's surface. A point in a store is an object with a string column "type", which has to be
 * "Point", and a list of doubles "coordinates": longitude, latitude and perhaps an altitude, which is ignored. In
 * conditions written as text its table must be embedded (STRATA_TABLE_EMBEDDED).
 */
typedef struct strata_shape {
    strata_shape_kind kind;
    const strata_geo_point *points;
    uint32_t point_count;
    const uint32_t *ring_sizes; /**< of a polygon; they add up to `point_count` */
    uint32_t ring_count;
    double radius;
} strata_shape;

/**
 * One node of a condition.
 *
 * A comparison holds if it holds for any of the values its operand leads to. Objects that several ways lead to are
 * walked on from once, so that it takes a step for each link and not for each way; an aggregate takes a value as often
 * as a way leads there. Of two operands with any number of values each, all pairs are compared. Constants must fit the
 * operand's type, and two operands be of one type. A mixed operand is compared with values of any type, in the order
 * of strata_mixed_compare(): numbers of all types with each other, lists and maps with lists and maps, everything else
 * with its own type; other types do not match. An aggregate that is a number may be compared with numbers of other
 * types; if a constant or the other operand is of another type than it, the whole comparison is in that order.
 * Decimals compare in the order of strata_decimal_compare(). NaN equals nothing and has no order, unless it is among
 * decimals or the comparison is in the order of strata_mixed_compare(): a minimum of doubles that is NaN is not less
 * than 5.0, but less than the int 5. Conditions made of text have constants of the type of the aggregate.
 */
typedef struct strata_node {
    strata_operator op;
    uint32_t options;             /**< STRATA_CASE_INSENSITIVE and the others */
    uint32_t children;            /**< AND, OR: how many child nodes follow, each with its own children. A comparison
                                       of a STRATA_COUNT may have one: a condition on each element, which is an
                                       object; then only those that meet it are counted */
    strata_operand left;          /**< of a comparison */
    const strata_operand *right;  /**< compared with `left`, not by BETWEEN; IN: `left` is equal to one of its values.
                                       NULL: `values` are */
    uint32_t value_count;         /**< 1, or as the operator says */
    const strata_value *values;
    const strata_shape *shape;    /**< of STRATA_WITHIN */
} strata_node;

/* ---- Order ------------------------------------------------------------ */

/** One key of an order. Ascending, nulls come first, and objects whose path meets a null link come last; descending is
 * the opposite: objects whose path meets a null link come first, and nulls last. */
typedef struct strata_sort {
    const strata_step *path; /**< columns only: to-one links, then the column */
    uint32_t path_length;
    bool descending;
} strata_sort;

typedef enum STRATA_ENUM strata_stage_kind {
    STRATA_STAGE_SORT = 0,     /**< by `keys`, the most significant first; ties keep the order they had */
    STRATA_STAGE_DISTINCT = 1, /**< only the first of those that agree in all `keys`; objects whose path meets a null
                                    link are left out, nulls are one value */
    STRATA_STAGE_LIMIT = 2     /**< without the first `skip`, and at most `limit`; UINT64_MAX for all */
} strata_stage_kind;

/** What is done with the objects that meet the condition, one stage after the other. */
typedef struct strata_stage {
    strata_stage_kind kind;
    uint32_t key_count;
    const strata_sort *keys;
    uint64_t skip, limit;
} strata_stage;

/** A position in an order: right behind the object with these values and this key, which need not exist any more. */
typedef struct strata_bookmark {
    const strata_value *values; /**< one for each key of the order; where its path meets a null link, a link to the
                                     object 0 */
    uint32_t value_count;
    uint64_t key;
} strata_bookmark;

/* ---- Queries ---------------------------------------------------------- */

typedef enum STRATA_ENUM strata_source_kind {
    STRATA_SOURCE_TABLE = 0,     /**< all objects of `table`, in the order of their keys */
    STRATA_SOURCE_LIST = 1,      /**< the objects in the list, set or map `origin_column` of the object `key` of
                                      `origin_table`, in its order, nulls left out; `table` is that of the elements */
    STRATA_SOURCE_BACKLINKS = 2, /**< what links through `origin_column` of `origin_table` to the object `key` of
                                      that column's target table, in the order of keys, each as often as it
                                      links; `table` is `origin_table`. Of a mixed column, which may link
                                      anywhere, `key` has the target table in its upper 16 bits */
    STRATA_SOURCE_KEYS = 3       /**< the objects of `table` with these `keys`, in their order; those that do not exist
                                      are left out */
} strata_source_kind;

/** A query: strata_query_blank(), then the fields that matter. */
typedef struct strata_query {
    uint32_t size;               /**< sizeof(strata_query) */
    strata_source_kind source;
    uint32_t table;              /**< the table of the objects in the result */
    uint32_t origin_table;
    uint32_t origin_column;
    uint64_t key;
    const uint64_t *keys;
    uint64_t key_count;
    const strata_node *nodes;    /**< the condition; none of them: all objects */
    uint32_t node_count;
    const strata_stage *stages;
    uint32_t stage_count;
    const strata_bookmark *after; /**< only what comes behind this position, in the order of the sort and then of
                                       object keys; NULL for all. The source is a table, and there is at most one
                                       sort and behind it one limit */
} strata_query;

/** A query with its size, and zeros: all objects of table 0. */
static inline strata_query strata_query_blank(void) {
    strata_query query;
    memset(&query, 0, sizeof query);
    query.size = (uint32_t)sizeof query;
    return query;
}

/** What running a query took. */
typedef struct strata_query_stats {
    uint64_t rows_visited;   /**< rows whose values were looked at */
    uint64_t rows_returned;
    uint64_t entries_visited;/**< index entries walked one by one */
    char plan[200];          /**< one line, such as "index age = 42, then filter score > 3" */
} strata_query_stats;

/** The object keys of a result, or positions in a collection. */
typedef struct strata_keys {
    uint64_t *data;
    uint64_t count;
} strata_keys;

/**
 * Runs a query. Compiled into the program, as all functions with stats are.
 *
 * Ownership: the caller frees `out` with strata_keys_free(). `stats` may be NULL.
 * Fails: STRATA_TYPE (a value that does not fit its column), STRATA_MISUSE, STRATA_CORRUPT, STRATA_NO_MEMORY,
 *   STRATA_INTERRUPTED.
 */
STRATA_CHECKED strata_status strata_query_run_sized(strata_view *view, const strata_query *query, strata_keys *out,
                                                    strata_query_stats *stats, size_t stats_size, strata_error *error);
STRATA_CHECKED static inline strata_status strata_query_run(strata_view *view, const strata_query *query,
                                                            strata_keys *out, strata_query_stats *stats,
                                                            strata_error *error) {
    return strata_query_run_sized(view, query, out, stats, sizeof *stats, error);
}
void strata_keys_free(strata_keys *keys);
/** The first position from `from` on of a key. Returns STRATA_OK or STRATA_NOT_FOUND. */
STRATA_CHECKED strata_status strata_keys_find(const strata_keys *keys, uint64_t key, uint64_t from,
                                              uint64_t *out_position);

/** Counts what a query would return, without collecting it. */
STRATA_CHECKED strata_status strata_query_count_sized(strata_view *view, const strata_query *query, uint64_t *out,
                                                      strata_query_stats *stats, size_t stats_size,
                                                      strata_error *error);
STRATA_CHECKED static inline strata_status strata_query_count(strata_view *view, const strata_query *query,
                                                              uint64_t *out, strata_query_stats *stats,
                                                              strata_error *error) {
    return strata_query_count_sized(view, query, out, stats, sizeof *stats, error);
}

/** Checks a query without running it: types, paths, operators. Returns STRATA_OK or what running it fails with. */
STRATA_CHECKED strata_status strata_query_check(strata_view *view, const strata_query *query, strata_error *error);

/* ---- Queries that end early ------------------------------------------- */

/**
 * Ends queries before they are complete: when a thread says so, at a deadline, or after a number of steps. A view has
 * at most one; it is for everything of this header, of strata_prepared.h and of strata_facet.h that is called with the
 * view or with a row of it, and for strata_object_remove(); an export and a wait for a commit can be given one, too
 * (strata_export.h, strata_changes.h). A call looks at it when it begins and then every few thousand steps, which takes
 * a fraction of a millisecond, and fails with STRATA_INTERRUPTED. Nothing is lost: the view goes on, and so does what
 * it writes. A step is a row, an element of a collection, an entry of an index, or the like. One value is compared in
 * one go: if it has megabytes, that takes milliseconds, and with a pattern of LIKE that has thousands of bytes with a ?
 * among them up to some seconds.
 *
 * Thread: all functions but _free() may be called from every thread at any time, and _stop() from a signal handler.
 */
typedef struct strata_interrupt strata_interrupt;

/** Ownership: the caller frees `*out` with strata_interrupt_free(), after the last view that has it. Fails:
 * STRATA_NO_MEMORY. */
STRATA_CHECKED strata_status strata_interrupt_make(strata_interrupt **out, strata_error *error);
void strata_interrupt_free(strata_interrupt *interrupt);
/** Whatever runs ends, and whatever begins fails at once, until strata_interrupt_reset(). */
void strata_interrupt_stop(strata_interrupt *interrupt);
/** Sets a deadline: so many milliseconds from now. */
void strata_interrupt_after(strata_interrupt *interrupt, uint64_t milliseconds);
/** Sets how many steps may be taken from now on, in all calls together. Unlike a deadline that does not depend on how
 * busy the machine is. */
void strata_interrupt_after_steps(strata_interrupt *interrupt, uint64_t steps);
/** Sets how many bytes of memory a sort may take from now on, in each call. A sort of which only the first objects are
 * wanted keeps little more than those; a result that an index has in its order is not sorted. */
void strata_interrupt_after_bytes(strata_interrupt *interrupt, uint64_t bytes);
/** Forgets the stop, the deadline, the steps, and the bytes. */
void strata_interrupt_reset(strata_interrupt *interrupt);
/** How many steps were taken since it was made or reset; those of a call that still runs only roughly. */
uint64_t strata_interrupt_steps(const strata_interrupt *interrupt);

/** Gives the view an interrupt; NULL takes it away. Fails: STRATA_WRONG_THREAD, STRATA_AFTER_FORK, STRATA_CLOSED. */
STRATA_CHECKED strata_status strata_view_set_interrupt(strata_view *view, strata_interrupt *interrupt,
                                                       strata_error *error);

/* ---- Results piece by piece ------------------------------------------- */

/** A result that is found while it is read. */
typedef struct strata_query_cursor strata_query_cursor;

/**
 * Opens a query whose objects are read one after the other, without a list of all of them: for results of which perhaps
 * only the beginning is wanted, or which are too long for a list.
 *
 * Objects of a table in the order of their keys, with at most a STRATA_STAGE_LIMIT, are found in pieces of at most
 * 16,384, as reading goes on; for any other order the keys of all are found when the first is read. Objects created
 * after it was opened are not visited, and deleted ones are skipped; whether an object meets the condition is decided
 * when its piece is found.
 *
 * Ownership: the caller closes `*out` with strata_query_close(), before the view. Lifetime: `query` may go, but what it
 *   points to must stay until then.
 * Fails: as strata_query_check().
 */
STRATA_CHECKED strata_status strata_query_open(strata_view *view, const strata_query *query, strata_query_cursor **out,
                                               strata_error *error);
/**
 * The next objects, ready to read: `*out_count` of them, at least one and at most `capacity`, which is not 0.
 *
 * Returns STRATA_OK or STRATA_END. Fails: as strata_query_run() and strata_rows_bind().
 */
STRATA_CHECKED strata_status strata_query_next_rows(strata_query_cursor *cursor, strata_row *rows, size_t capacity,
                                                    size_t *out_count, strata_error *error);
void strata_query_close(strata_query_cursor *cursor);

/* ---- Groups and totals ------------------------------------------------ */

/** What is taken of the objects of a group. */
typedef struct strata_measure {
    strata_aggregate aggregate;  /**< STRATA_COUNT without a path counts objects, with one values that are not null */
    const strata_step *path;     /**< columns only: to-one links, then the column */
    uint32_t path_length;
} strata_measure;

/** Groups of objects that agree in all keys, in the ascending order of the keys. */
typedef struct strata_groups {
    uint64_t count;
    uint32_t width;             /**< values of a group: its keys, then its measures */
    const strata_value *values; /**< of all groups, one behind the other */
    void *memory;               /**< what the values lie in */
} strata_groups;

/**
 * Groups the objects of a query and takes measures of each group. Without keys there is exactly one group, of all
 * objects, even if there are none. Objects whose path to a key meets a null link are grouped as those with null.
 *
 * Ownership: the caller frees `out` with strata_groups_free(), and with it the bytes of its values.
 * Fails: as strata_query_run(); STRATA_TYPE also for a measure that its column does not have.
 */
STRATA_CHECKED strata_status strata_query_group_sized(strata_view *view, const strata_query *query,
                                                      const strata_sort *keys, uint32_t key_count,
                                                      const strata_measure *measures, uint32_t measure_count,
                                                      strata_groups *out, strata_query_stats *stats,
                                                      size_t stats_size, strata_error *error);
STRATA_CHECKED static inline strata_status strata_query_group(strata_view *view, const strata_query *query,
                                                              const strata_sort *keys, uint32_t key_count,
                                                              const strata_measure *measures, uint32_t measure_count,
                                                              strata_groups *out, strata_query_stats *stats,
                                                              strata_error *error) {
    return strata_query_group_sized(view, query, keys, key_count, measures, measure_count, out, stats, sizeof *stats,
                                    error);
}
void strata_groups_free(strata_groups *groups);

/* ---- Values of one collection ----------------------------------------- */

enum {
    STRATA_DESCENDING = 1, /**< the greatest first */
    STRATA_DISTINCT = 2,   /**< only the first of equal values */
    STRATA_UNSORTED = 4    /**< in the order of the collection */
};

/**
 * The positions of the values of a list, set or map in the order of the values, nulls first; ties keep their order.
 * `options` are STRATA_DESCENDING, STRATA_DISTINCT, STRATA_UNSORTED.
 *
 * Ownership: the caller frees `out` with strata_keys_free(). Fails: STRATA_TYPE (links), STRATA_NOT_FOUND, ...
 */
STRATA_CHECKED strata_status strata_collection_order(strata_row *row, uint32_t column, uint32_t options,
                                                     strata_keys *out, strata_error *error);
/**
 * The positions of the values of a list, set or map that meet a condition, in the order of the collection. Every path
 * of the condition begins with STRATA_STEP_SELF, the value; behind a link or a mixed value it goes on as usual.
 *
 * Ownership: the caller frees `out` with strata_keys_free().
 * Fails: STRATA_TYPE, STRATA_MISUSE, STRATA_NOT_FOUND, ... as strata_query_run() and strata_collection_order().
 */
STRATA_CHECKED strata_status strata_collection_select(strata_row *row, uint32_t column, const strata_node *nodes,
                                                      uint32_t node_count, strata_keys *out, strata_error *error);
/**
 * The same of a list or map that is nested in a value of the mixed `column`, or in an element of that column: the
 * positions of its entries, those of a map in the order of its keys. `nested` are its bytes (strata_mixed.h).
 *
 * Ownership: the caller frees `out` with strata_keys_free(). Nothing of `nested` is kept.
 * Fails: as strata_collection_select(); STRATA_TYPE also for bytes that no mixed column can hold.
 */
STRATA_CHECKED strata_status strata_nested_select(strata_view *view, uint32_t table, uint32_t column,
                                                  strata_bytes nested, const strata_node *nodes, uint32_t node_count,
                                                  strata_keys *out, strata_error *error);
/** One aggregate of the values of a list, set or map. The value is of the column's type, or as strata_aggregate says;
 * it holds no bytes. Fails: STRATA_TYPE, STRATA_NOT_FOUND, ... */
STRATA_CHECKED strata_status strata_collection_total(strata_row *row, uint32_t column, strata_aggregate aggregate,
                                                     strata_value *out, strata_error *error);

#ifdef __cplusplus
}
#endif
#endif
