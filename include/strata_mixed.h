/* SPDX-License-Identifier: MIT
 *
 * strata_mixed.h -- values of mixed columns: how they compare, and the lists and maps among them.
 *
 * A mixed column holds null or a value of any other type. A link in it names its table, too. A list or a map is one
 * value of type STRATA_NESTED, whose bytes hold all of its entries, each null or a value of any type, lists and maps
 * again included. It is built with a strata_nested and walked with a strata_nested_iterator; nobody else needs to know
 * the bytes. Bytes from elsewhere do no harm: every reader stays inside of them, and a column refuses what is not well
 * formed.
 *
 * Thread: a builder or an iterator is used by one thread at a time; everything else by every thread.
 */
#ifndef STRATA_MIXED_H
#define STRATA_MIXED_H

#include "strata.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { STRATA_MAX_NESTING = 100 /**< lists and maps inside each other, the outermost one counted */ };

/** A link for a mixed column. Null if `key` is 0. */
static inline strata_value strata_mixed_link(uint32_t table, uint64_t key) {
    strata_value value = strata_link(key);
    if (key != 0) value.table = table;
    return value;
}

/**
 * Compares two values of any type: -1, 0 or 1. A total order.
 *
 * null < bool < numbers < string < data < date < object id < uuid < link < list < map. Numbers compare by value
 * whatever their types: 1, 1.0f, 1.0 and the decimal 1.00 are equal. Ints, floats and doubles compare exactly; next to
 * a decimal, a double that is not whole stands for the shortest number that reads back as it, so that 0.1 equals
 * the decimal 0.1, and a float stands for the double of the same value. NaN is equal to NaN of every type and below all
 * other numbers. Strings and data compare by bytes, then the shorter is less; links by table and key; lists by their
 * elements, then the shorter is less; maps by their entries in the order of their keys.
 */
int strata_mixed_compare(const strata_value *a, const strata_value *b);

/* ---- Building --------------------------------------------------------- *
 *
 * A list or map is begun, given its entries and ended; whatever is begun before the end is its next entry. Finishing
 * the outermost gives the value:
 *
 *     strata_nested_begin_map(n, NULL, &error);
 *     strata_nested_put(n, (strata_bytes){ "age", 3 }, &age, &error);
 *     strata_nested_begin_list(n, &(strata_bytes){ "tags", 4 }, &error);
 *     strata_nested_append(n, &tag, &error);
 *     strata_nested_end(n, &error);
 *     strata_nested_end(n, &error);
 *     strata_nested_finish(n, &value, &error);
 *
 * A call that fails changes nothing. Fails: STRATA_MISUSE (a call out of order, an address missing), STRATA_TYPE (a
 * value that is none, or not valid UTF-8), STRATA_TOO_LARGE (too deep, a key or all of it too long),
 * STRATA_NO_MEMORY.
 */

typedef struct strata_nested strata_nested;

/** A builder, empty. Ownership: freed with strata_nested_free(). NULL if there is no memory. */
strata_nested *strata_nested_make(void);
void strata_nested_free(strata_nested *nested);
/** Forgets everything that was built. */
void strata_nested_reset(strata_nested *nested);

/** Begins a list or map: the outermost one, an element of the list, or what the map has under `key`, which is NULL in
 * the other two cases. The keys of a map are UTF-8 of at most STRATA_MAX_MAP_KEY bytes. */
STRATA_CHECKED strata_status strata_nested_begin_list(strata_nested *nested, const strata_bytes *key,
                                                      strata_error *error);
STRATA_CHECKED strata_status strata_nested_begin_map(strata_nested *nested, const strata_bytes *key,
                                                     strata_error *error);

/** Appends to the list that was begun last. A nested value is copied. */
STRATA_CHECKED strata_status strata_nested_append(strata_nested *nested, const strata_value *value,
                                                  strata_error *error);
/** Puts into the map that was begun last. Keys may come in any order; of equal ones the last counts. */
STRATA_CHECKED strata_status strata_nested_put(strata_nested *nested, strata_bytes key, const strata_value *value,
                                               strata_error *error);

/** Ends what was begun last. */
STRATA_CHECKED strata_status strata_nested_end(strata_nested *nested, strata_error *error);

/** The value, once all is ended. Lifetime: until the builder is changed, reset or freed; the next begin starts anew. */
STRATA_CHECKED strata_status strata_nested_finish(strata_nested *nested, strata_value *out, strata_error *error);

/* ---- Walking ---------------------------------------------------------- */

/** A position in a list or map. Lifetime: that of the bytes it was opened on. */
typedef struct strata_nested_iterator {
    strata_collection kind; /**< STRATA_LIST or STRATA_MAP */
    uint32_t count;         /**< of its entries */
    uint32_t left;          /**< of them, how many are still to come */
    const uint8_t *at, *end;
} strata_nested_iterator;

/** Begins to walk the bytes of a nested value. Fails: STRATA_CORRUPT, STRATA_MISUSE; there is then no entry. */
STRATA_CHECKED strata_status strata_nested_open(strata_bytes nested, strata_nested_iterator *out, strata_error *error);

/**
 * The next entry; those of a map come in the order of the bytes of their keys.
 *
 * `out_key` may be NULL; in a list it is empty. Bytes are lent from those that are walked.
 * Returns STRATA_OK or STRATA_END. Fails: STRATA_CORRUPT.
 */
STRATA_CHECKED strata_status strata_nested_next(strata_nested_iterator *iterator, strata_bytes *out_key,
                                                strata_value *out);

#ifdef __cplusplus
}
#endif
#endif
