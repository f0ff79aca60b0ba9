/* SPDX-License-Identifier: MIT
 *
 * posting.h -- posting blocks: sorted entries of an index, many to a page.
 *
 * An entry is an encoded value (key.h) and an object key. Entries are ordered by value, then by key. There may be
 * several copies of an entry, because a list may link to one object twice. Entries of the same value form a run, whose
 * value is stored once.
 *
 * Posting block, format 1. Numbers are little-endian; nothing needs to be aligned.
 *
 *   offset  size             field
 *   0       1                format, always 1
 *   1       1                shared: bytes that all values of the block begin with
 *   2       2                entries: at least 1, or 0 for a block of copies
 *   4       2                runs: number of distinct values
 *   6       1                width of the values without the shared bytes; 255: their sizes differ
 *   7       1                key width: bytes of an object key less `first`: 1, 2, 4 or 8; 0 in a block of copies
 *   8       8                first: the least object key in the block
 *   16      shared           the shared bytes
 *   ...     2*(runs + 1)     only if the width is 255: positions of the values, counted from the end of this array
 *   ...                      the values without their shared bytes
 *   ...     2*runs           the number of entries up to and including each run; left out if runs = entries
 *   ...     entries*kw       object keys less `first`
 *
 * A block of two or more entries that are all copies of one entry is a block of copies: it has one run, and after the
 * value it ends with the number of entries in 8 bytes. So copies of an entry never need more than one block, and no two
 * blocks end with the same entry.
 *
 * In a tree the name of a block, which is its key there, is made of the id of its index (4 bytes, big-endian), the
 * value and the object key (6 bytes, big-endian) of its last entry, and a zero byte if that makes the size even. The
 * last block of an index is open-ended: its name is id + 1 in 4 bytes and nothing else, so appending never changes it.
 * Because no value is a prefix of another one, the names are in the order of the entries. Among the blocks stand the
 * totals of values with many entries: see postings_total.h.
 *
 * ON-DISK: never renumber, reorder or resize; add format 3 instead (2 stands for a total).
 */
#ifndef ST_POSTING_POSTING_H
#define ST_POSTING_POSTING_H

#include "base/bits.h"
#include "strata.h"

enum { ST_POSTING_FORMAT = 1, ST_POSTING_HEADER = 16, ST_POSTING_MIXED_WIDTH = 255, ST_POSTING_MAX_COPIES = 1 << 26 };

/** True if the bytes have the layout above, and the entries are in order. */
bool st_posting_valid(strata_bytes block);

/* ---- Reading ---------------------------------------------------------- */

/** The parts of a block, which are lent from it. Nothing that is read through a view is outside of the block, even if
 * the block is not valid: positions that would lead out of it are limited. */
typedef struct st_posting_view {
    const uint8_t *shared, *positions, *values, *ends, *keys;
    const uint8_t *last; /* NULL, or a hint for searches, which may be wrong: bytes that equal the last value without
                          * the shared bytes. At least 8 bytes before their end can be read */
    uint64_t first;
    uint32_t shared_size, values_size, width, key_width, runs, entries;
} st_posting_view;

/** Finds the parts of a block. False if they do not fill it exactly. */
bool st_posting_open(strata_bytes block, st_posting_view *out);

/** The number of entries in a block, from its header alone; 0 if it is not a posting block. */
static inline uint32_t st_posting_entries(strata_bytes block) {
    const uint8_t *p = (const uint8_t *)block.data;
    if (block.size < ST_POSTING_HEADER || p[0] != ST_POSTING_FORMAT) return 0;
    if (p[7] != 0) return strata_load16(p + 2);
    uint64_t copies = strata_load64(p + block.size - 8); /* in a damaged block they may be bytes of the header */
    return copies > ST_POSTING_MAX_COPIES ? 0 : (uint32_t)copies;
}

/** The object key of an entry. */
static inline uint64_t st_posting_key(const st_posting_view *view, uint32_t entry) {
    return view->first + strata_load_unsigned(view->keys + (size_t)entry * view->key_width, view->key_width);
}

/** The object keys of the entries from `from` to `to`, excluded. */
void st_posting_keys(const st_posting_view *view, uint32_t from, uint32_t to, uint64_t *out);

/** The value of a run without the shared bytes. */
static inline strata_bytes st_posting_suffix(const st_posting_view *view, uint32_t run) {
    if (view->width != ST_POSTING_MIXED_WIDTH) {
        return (strata_bytes){ view->values + (size_t)run * view->width, view->width };
    }
    uint32_t from = strata_load16(view->positions + 2 * (size_t)run);
    uint32_t to = strata_load16(view->positions + 2 * (size_t)run + 2);
    if (to > view->values_size) to = view->values_size;
    if (from > to) from = to;
    return (strata_bytes){ view->values + from, to - from };
}

/** The number of entries of the first `runs` runs. */
static inline uint32_t st_posting_end(const st_posting_view *view, uint32_t runs) {
    if (runs == view->runs) return view->entries;
    if (runs == 0 || view->ends == NULL) return runs;
    uint32_t end = strata_load16(view->ends + 2 * ((size_t)runs - 1));
    return end < view->entries ? end : view->entries;
}

/** The run that an entry belongs to. */
uint32_t st_posting_run_of(const st_posting_view *view, uint32_t entry);

/** How many entries are less than (value, key). */
uint32_t st_posting_lower(const st_posting_view *view, strata_bytes value, uint64_t key);

/** Finds the entries of a value whose keys are at least `low_key` and less than `high_key`: from `*out_from` to
 * `*out_to`, excluded. */
void st_posting_find(const st_posting_view *view, strata_bytes value, uint64_t low_key, uint64_t high_key,
                     uint32_t *out_from, uint32_t *out_to);

/** Compares the value of a run with another value. */
int st_posting_compare(const st_posting_view *view, uint32_t run, strata_bytes value);

/** Copies the whole value of a run, but at most `capacity` bytes of it. Returns how many bytes were copied. */
size_t st_posting_value(const st_posting_view *view, uint32_t run, uint8_t *out, size_t capacity);

#endif
