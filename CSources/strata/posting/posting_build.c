/* SPDX-License-Identifier: MIT
 * posting_build.c -- divides a list of entries into posting blocks. */
#include "posting/posting_build.h"

#include <stdlib.h>

void st_posting_list_free(st_posting_list *list) {
    free(list->runs);
    free(list->keys);
    *list = (st_posting_list){ 0 };
}

/* Grows a plain array to hold `wanted` items, at least doubling it. */
static bool reserve(void **items, size_t *capacity, size_t wanted, size_t item_size) {
    if (wanted <= *capacity) return true;
    size_t larger = wanted < 2 * *capacity ? 2 * *capacity : wanted;
    if (larger > SIZE_MAX / 2 / item_size) return false;
    void *grown = realloc(*items, larger * item_size);
    if (grown == NULL) return false;
    *items = grown;
    *capacity = larger;
    return true;
}

bool st_posting_list_reserve(st_posting_list *list, size_t runs, size_t keys) {
    void *run_items = list->runs, *key_items = list->keys;
    bool done = reserve(&run_items, &list->run_capacity, list->run_count + runs, sizeof *list->runs) &&
                reserve(&key_items, &list->key_capacity, list->key_count + keys, sizeof *list->keys);
    list->runs = run_items;
    list->keys = key_items;
    return done;
}

/* ---- Sizes ------------------------------------------------------------ */

/* What the size of a block depends on. More entries never make a block smaller: fewer shared bytes, wider keys and the
 * array of ends only make it larger. So a binary search can find the most entries that fit. */
typedef struct block_measure {
    const st_posting_run *first, *last;
    size_t runs, entries, bytes; /* bytes: the sum of the sizes of the whole values */
    size_t least_size, most_size;
    uint64_t least, most; /* keys */
} block_measure;

/* Values are in order, so all of them have the bytes that the first and the last one have in common. */
static size_t shared_bytes(const block_measure *m) {
    const st_posting_run *a = m->first, *b = m->last;
    size_t limit = a->size < b->size ? a->size : b->size, n = 0;
    if (limit > UINT8_MAX) limit = UINT8_MAX;
    while (n < limit && a->value[n] == b->value[n]) n++;
    return n;
}

static bool is_copies(const block_measure *m) { return m->runs == 1 && m->entries > 1 && m->least == m->most; }

static size_t measured_size(const block_measure *m) {
    if (is_copies(m)) {
        return m->entries > ST_POSTING_MAX_COPIES ? SIZE_MAX : ST_POSTING_HEADER + m->bytes + 8;
    }
    if (m->entries > UINT16_MAX) return SIZE_MAX;
    size_t shared = shared_bytes(m);
    bool mixed = m->least_size != m->most_size || m->least_size - shared >= ST_POSTING_MIXED_WIDTH;
    return ST_POSTING_HEADER + shared + (mixed ? 2 * (m->runs + 1) : 0) + m->bytes - m->runs * shared +
           (m->runs < m->entries ? 2 * m->runs : 0) + m->entries * st_width_unsigned(m->most - m->least);
}

/* Adds the keys [from, to), at least one, of a run. */
static inline void measure_add(block_measure *m, const st_posting_run *run, const uint64_t *keys, size_t from,
                               size_t to) {
    uint64_t least = keys[from], most = keys[to - 1];
    if (m->runs == 0) *m = (block_measure){ .first = run, .least_size = run->size, .least = least };
    m->last = run;
    if (run->size < m->least_size) m->least_size = run->size;
    if (run->size > m->most_size) m->most_size = run->size;
    if (least < m->least) m->least = least;
    if (most > m->most) m->most = most;
    m->runs++;
    m->entries += to - from;
    m->bytes += run->size;
}

static size_t size_with(block_measure m, const st_posting_run *run, const uint64_t *keys, size_t from, size_t to) {
    measure_add(&m, run, keys, from, to);
    return measured_size(&m);
}

/* The entries [*out_from, *out_to) of the run `run` that lie between two positions; false if there are none. */
static bool part_of_run(const st_posting_list *list, st_posting_position from, st_posting_position to, size_t run,
                        size_t *out_from, size_t *out_to) {
    *out_from = run == from.run ? from.key : list->runs[run - 1].end;
    *out_to = run < to.run ? list->runs[run].end : to.key;
    return *out_from < *out_to;
}

static block_measure measure_between(const st_posting_list *list, st_posting_position from, st_posting_position to) {
    block_measure m = { 0 };
    size_t low, high;
    for (size_t run = from.run; run < list->run_count && run <= to.run; run++) {
        if (part_of_run(list, from, to, run, &low, &high)) measure_add(&m, list->runs + run, list->keys, low, high);
    }
    return m;
}

/* Adds as many whole runs, from a position on, as fit into the limit, and moves the position after them. */
static size_t fit_runs(const st_posting_list *list, size_t limit, block_measure *m, st_posting_position *at) {
    enum { FIRST_STEP = 16 };
    size_t size = 0, too_many = list->run_count + 1;
    for (size_t step = FIRST_STEP; at->run + 1 < too_many;) {
        block_measure more = *m;
        size_t key = at->key, run = at->run;
        if (step >= too_many - run) step = too_many - run - 1;
        for (; run < at->run + step; key = list->runs[run++].end)
            measure_add(&more, list->runs + run, list->keys, key, list->runs[run].end);
        size_t total = measured_size(&more);
        if (total <= limit) {
            *m = more;
            *at = (st_posting_position){ run, key };
            size = total;
            step = (limit - total) * m->runs / total; /* a guess: as if the other runs were like these */
            if (step == 0) step = 1;
        } else {
            too_many = run;
            step = (step + 1) / 2;
        }
    }
    return size;
}

st_posting_position st_posting_fit(const st_posting_list *list, st_posting_position from, size_t limit,
                                   size_t *out_size) {
    block_measure m = { 0 };
    st_posting_position at = from;
    *out_size = fit_runs(list, limit, &m, &at);
    if (at.run == list->run_count) return at;

    const st_posting_run *r = list->runs + at.run;
    size_t key = at.key;
    size_t low = m.runs == 0 ? key + 1 : key, high = r->end; /* the first entry always fits */
    while (low + 1 < high) {
        size_t middle = low + (high - low) / 2;
        if (size_with(m, r, list->keys, key, middle) <= limit) low = middle;
        else high = middle;
    }
    /* A block does not end between copies of an entry: all copies fit into a block of copies. */
    while (low > key && list->keys[low] == list->keys[low - 1]) low--;
    if (low == key && m.runs == 0) { /* too many copies, which the caller can tell from the size */
        while (low < r->end && list->keys[low] == list->keys[key]) low++;
    }
    if (low > key) *out_size = size_with(m, r, list->keys, key, low);
    return (st_posting_position){ low == r->end ? at.run + 1 : at.run, low };
}

size_t st_posting_size(const st_posting_list *list, st_posting_position from, st_posting_position to) {
    block_measure m = measure_between(list, from, to);
    return measured_size(&m);
}

/* ---- Writing ---------------------------------------------------------- */

void st_posting_put_keys(uint8_t *out, const uint64_t *keys, size_t count, uint64_t first, uint32_t width) {
    switch (width) {
    case 1:
        for (size_t i = 0; i < count; i++) out[i] = (uint8_t)(keys[i] - first);
        break;
    case 2:
        for (size_t i = 0; i < count; i++) st_store16(out + 2 * i, (uint16_t)(keys[i] - first));
        break;
    case 4:
        for (size_t i = 0; i < count; i++) st_store32(out + 4 * i, (uint32_t)(keys[i] - first));
        break;
    default:
        for (size_t i = 0; i < count; i++) st_store64(out + 8 * i, keys[i] - first);
        break;
    }
}

void st_posting_write(const st_posting_list *list, st_posting_position from, st_posting_position to, uint8_t *out) {
    block_measure m = measure_between(list, from, to);
    size_t shared = shared_bytes(&m);
    bool mixed = m.least_size != m.most_size || m.least_size - shared >= ST_POSTING_MIXED_WIDTH;
    bool copies = is_copies(&m);
    uint32_t key_width = copies ? 0 : st_width_unsigned(m.most - m.least);
    out[0] = ST_POSTING_FORMAT;
    out[1] = (uint8_t)shared;
    st_store16(out + 2, copies ? 0 : (uint16_t)m.entries);
    st_store16(out + 4, (uint16_t)m.runs);
    out[6] = mixed ? ST_POSTING_MIXED_WIDTH : (uint8_t)(m.least_size - shared);
    out[7] = (uint8_t)key_width;
    st_store64(out + 8, m.least);
    memcpy(out + ST_POSTING_HEADER, m.first->value, shared);

    uint8_t *position = out + ST_POSTING_HEADER + shared;
    uint8_t *values = position + (mixed ? 2 * (m.runs + 1) : 0), *value = values;
    uint8_t *end = values + m.bytes - m.runs * shared;
    bool with_ends = m.runs < m.entries && !copies;
    uint8_t *keys = end + (with_ends ? 2 * m.runs : 0);
    size_t entries = 0, low, high;
    for (size_t run = from.run; run < list->run_count && run <= to.run; run++) {
        if (!part_of_run(list, from, to, run, &low, &high)) continue;
        const st_posting_run *r = list->runs + run;
        if (mixed) {
            st_store16(position, (uint16_t)(value - values));
            position += 2;
        }
        memcpy(value, r->value + shared, r->size - shared);
        value += r->size - shared;
        entries += high - low;
        if (with_ends) {
            st_store16(end, (uint16_t)entries);
            end += 2;
        }
    }
    if (mixed) st_store16(position, (uint16_t)(value - values));
    if (copies) st_store64(keys, m.entries);
    else st_posting_put_keys(keys, list->keys + from.key, to.key - from.key, m.least, key_width);
}

void st_posting_list_drop(st_posting_list *list, st_posting_position before) {
    list->run_count -= before.run;
    list->key_count -= before.key;
    if (list->run_count != 0) memmove(list->runs, list->runs + before.run, list->run_count * sizeof *list->runs);
    if (list->key_count != 0) memmove(list->keys, list->keys + before.key, list->key_count * sizeof *list->keys);
    for (size_t i = 0; i < list->run_count; i++) list->runs[i].end -= before.key;
}
