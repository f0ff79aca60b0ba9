/* SPDX-License-Identifier: MIT
 * posting.c -- reading posting blocks. No allocation, no I/O. */
#include "posting/posting.h"

bool st_posting_open(strata_bytes block, st_posting_view *out) {
    const uint8_t *p = block.data;
    if (block.size < ST_POSTING_HEADER || p[0] != ST_POSTING_FORMAT) return false;
    uint32_t shared = p[1], entries = strata_load16(p + 2), runs = strata_load16(p + 4), width = p[6], key_width = p[7];
    bool copies = key_width == 0, mixed = width == ST_POSTING_MIXED_WIDTH;
    if (runs == 0 || (copies ? runs != 1 || entries != 0 : runs > entries) || key_width > 8 ||
        (key_width & (key_width - 1)) != 0) {
        return false;
    }
    size_t positions = mixed ? 2 * ((size_t)runs + 1) : 0;
    size_t ends = copies || runs == entries ? 0 : 2 * (size_t)runs;
    size_t keys = copies ? 8 : (size_t)entries * key_width;
    size_t around = ST_POSTING_HEADER + (size_t)shared + positions + ends + keys;
    if (around > block.size) return false;
    size_t values = block.size - around;
    if (!mixed && values != (size_t)runs * width) return false;
    const uint8_t *first_value = p + ST_POSTING_HEADER + shared + positions, *behind = first_value + values + ends;
    if (mixed && strata_load16(first_value - 2) != values) return false;
    if (ends != 0 && strata_load16(behind - 2) != entries) return false;
    if (copies) {
        uint64_t count = strata_load64(behind);
        if (count < 2 || count > ST_POSTING_MAX_COPIES) return false;
        entries = (uint32_t)count;
    }
    *out = (st_posting_view){
        .shared = p + ST_POSTING_HEADER,
        .positions = mixed ? p + ST_POSTING_HEADER + shared : NULL,
        .values = first_value,
        .ends = ends == 0 ? NULL : first_value + values,
        .keys = behind,
        .first = strata_load64(p + 8),
        .shared_size = shared,
        .values_size = (uint32_t)values,
        .width = width,
        .key_width = key_width,
        .runs = runs,
        .entries = entries,
    };
    return true;
}

/* ---- Searching -------------------------------------------------------- */

int st_posting_compare(const st_posting_view *view, uint32_t run, strata_bytes value) {
    size_t shared = view->shared_size < value.size ? view->shared_size : value.size;
    int order = shared == 0 ? 0 : memcmp(view->shared, value.data, shared);
    if (order != 0) return order;
    if (value.size < view->shared_size) return 1;
    strata_bytes rest = { (const uint8_t *)value.data + shared, value.size - shared };
    return st_compare(st_posting_suffix(view, run), rest);
}

/* Runs this near to a guess are prefetched together. Among some hundred random numbers, few guesses are further off. */
enum { NEAR = 12 };

/* The value that is searched for, without the shared bytes. */
typedef struct value_target {
    strata_bytes rest;
    uint64_t number; /* as a big-endian number: the whole value if `is_number`, otherwise its first 8 bytes */
    bool is_number;  /* it has at most 8 bytes, as many as the values of the block */
} value_target;

/* A value of at most 8 bytes as a big-endian number. The 8 bytes before its end are loaded, and those before the value
 * masked out. They are in the block, too, because its header is longer than that. */
static inline uint64_t number_before(const uint8_t *end, uint32_t width) {
    return width == 0 ? 0 : st_load_big64(end - 8) & UINT64_MAX >> (64 - 8 * width);
}

static inline bool is_less(const st_posting_view *view, uint32_t run, const value_target *s) {
    if (!s->is_number) return st_compare(st_posting_suffix(view, run), s->rest) < 0;
    return number_before(view->values + (size_t)(run + 1) * view->width, view->width) < s->number;
}

/* The first run from `low` on that is not less than the target; `high` if all runs before that are less. */
static inline uint32_t bisect(const st_posting_view *view, const value_target *s, uint32_t low, uint32_t high) {
    for (uint32_t count = high - low; count > 0;) {
        uint32_t half = (count + 1) / 2;
        low += st_if(is_less(view, low + half - 1, s), half);
        count -= half;
    }
    return low;
}

/* The run where the target would be if values were spread evenly, as numbers often are. */
static uint32_t guess_run(const st_posting_view *view, const value_target *s) {
    uint32_t last = view->runs - 1;
    const uint8_t *a = view->values, *b = view->last != NULL ? view->last : a + (size_t)last * view->width;
    uint64_t low = s->is_number ? number_before(a + view->width, view->width) : st_load_big64(a);
    uint64_t high = s->is_number ? number_before(b + view->width, view->width) : st_load_big64(b);
    if (s->number <= low) return 0;
    if (s->number >= high) return last;
    return (uint32_t)((double)(s->number - low) / (double)(high - low) * last);
}

/* Prefetches what is near to a guess: the values, and what is read after the search. */
static void fetch_near(const st_posting_view *view, uint32_t from, uint32_t to, uint32_t guess) {
    enum { LINE = 64 };
    const uint8_t *end = view->values + (size_t)to * view->width;
    for (const uint8_t *p = view->values + (size_t)from * view->width; p < end; p += LINE) __builtin_prefetch(p);
    __builtin_prefetch(view->ends != NULL ? view->ends + 2 * (size_t)guess
                                          : view->keys + (size_t)guess * view->key_width);
}

/* The first run that is not less than the target. A binary search waits for several lines of memory, one after the
 * other, which may all be out of the cache; if the guess is near, there is only one line to wait for. */
static inline uint32_t search(const st_posting_view *view, const value_target *s, bool guessing) {
    uint32_t low = 0, high = view->runs;
    if (guessing && high > 2 * NEAR) {
        uint32_t guess = guess_run(view, s);
        uint32_t from = guess > NEAR ? guess - NEAR : 0, to = high - guess > NEAR ? guess + NEAR : high;
        fetch_near(view, from, to, guess);
        bool exact = !is_less(view, guess, s) && (guess == 0 || is_less(view, guess - 1, s));
        if (exact) return guess;
        if (from > 0 && !is_less(view, from - 1, s)) high = from - 1;
        else if (to < high && is_less(view, to, s)) low = to + 1;
        else low = from, high = to;
    }
    return bisect(view, s, low, high);
}

/* The first run whose value, without the shared bytes, is not less than `rest`. `*out_found` says whether it is
 * equal. */
static uint32_t lower_run(const st_posting_view *view, strata_bytes rest, bool *out_found) {
    value_target s = { rest, 0, view->width == rest.size && rest.size <= 8 };
    uint32_t run;
    if (s.is_number) {
        memcpy((uint8_t *)&s.number + 8 - rest.size, rest.data, rest.size);
        s.number = __builtin_bswap64(s.number);
        run = search(view, &s, true);
        *out_found = run < view->runs && number_before(view->values + (size_t)(run + 1) * view->width, view->width) ==
                                             s.number;
        return run;
    }
    bool alike = view->width > 8 && view->width != ST_POSTING_MIXED_WIDTH && rest.size >= 8;
    if (alike) s.number = st_load_big64(rest.data);
    run = search(view, &s, alike);
    *out_found = run < view->runs && st_compare(st_posting_suffix(view, run), rest) == 0;
    return run;
}

static uint32_t lower_key(const st_posting_view *view, uint32_t low, uint32_t high, uint64_t key) {
    for (uint32_t count = high > low ? high - low : 0; count > 0;) {
        uint32_t half = (count + 1) / 2;
        bool less = st_posting_key(view, low + half - 1) < key;
        low += st_if(less, half);
        count -= half;
    }
    return low;
}

/* Finds the entries of a value: from `*out_from` to `*out_to`, excluded. If there are none, both are where they would
 * be. */
static void entries_of(const st_posting_view *view, strata_bytes value, uint32_t *out_from, uint32_t *out_to) {
    size_t shared = view->shared_size < value.size ? view->shared_size : value.size;
    int order = shared == 0 ? 0 : memcmp(value.data, view->shared, shared);
    if (order == 0 && value.size < view->shared_size) order = -1;
    *out_from = *out_to = order < 0 ? 0 : view->entries;
    if (order != 0) return;
    strata_bytes rest = { shared == 0 ? value.data : (const uint8_t *)value.data + shared, value.size - shared };
    bool found;
    uint32_t run = lower_run(view, rest, &found);
    *out_from = *out_to = st_posting_end(view, run);
    if (found) *out_to = st_posting_end(view, run + 1);
}

/* The first of some entries, which have the same value, whose key is not less than `key`. */
static uint32_t lower_of(const st_posting_view *view, uint32_t from, uint32_t to, uint64_t key) {
    return key == 0 ? from : key > ST_KEY_MAX ? to : lower_key(view, from, to, key);
}

uint32_t st_posting_lower(const st_posting_view *view, strata_bytes value, uint64_t key) {
    uint32_t from, to;
    entries_of(view, value, &from, &to);
    return lower_of(view, from, to, key);
}

void st_posting_find(const st_posting_view *view, strata_bytes value, uint64_t low_key, uint64_t high_key,
                     uint32_t *out_from, uint32_t *out_to) {
    uint32_t from, to;
    entries_of(view, value, &from, &to);
    *out_from = lower_of(view, from, to, low_key);
    *out_to = lower_of(view, from, to, high_key);
}

uint32_t st_posting_run_of(const st_posting_view *view, uint32_t entry) {
    if (view->ends == NULL) return entry < view->runs ? entry : view->runs - 1;
    uint32_t low = 0, high = view->runs - 1;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (st_posting_end(view, middle + 1) <= entry) low = middle + 1;
        else high = middle;
    }
    return low;
}

void st_posting_keys(const st_posting_view *view, uint32_t from, uint32_t to, uint64_t *out) {
    size_t count = to - from;
    uint64_t first = view->first;
    const uint8_t *p = view->keys + (size_t)from * view->key_width;
    switch (view->key_width) { /* one loop per width, so that each can be vectorised */
    case 0:
        for (size_t i = 0; i < count; i++) out[i] = first;
        break;
    case 1:
        for (size_t i = 0; i < count; i++) out[i] = first + p[i];
        break;
    case 2:
        for (size_t i = 0; i < count; i++) out[i] = first + strata_load16(p + 2 * i);
        break;
    case 4:
        for (size_t i = 0; i < count; i++) out[i] = first + strata_load32(p + 4 * i);
        break;
    default:
        for (size_t i = 0; i < count; i++) out[i] = first + strata_load64(p + 8 * i);
        break;
    }
}

size_t st_posting_value(const st_posting_view *view, uint32_t run, uint8_t *out, size_t capacity) {
    strata_bytes rest = st_posting_suffix(view, run);
    size_t shared = view->shared_size < capacity ? view->shared_size : capacity;
    if (rest.size > capacity - shared) rest.size = capacity - shared;
    if (shared != 0) memcpy(out, view->shared, shared);
    if (rest.size != 0) memcpy(out + shared, rest.data, rest.size);
    return shared + rest.size;
}

/* ---- Validation ------------------------------------------------------- */

static bool positions_valid(const st_posting_view *view) {
    uint32_t before = 0;
    for (uint32_t run = 0; run <= view->runs; run++) {
        uint32_t position = strata_load16(view->positions + 2 * (size_t)run);
        if (position < before || (run == 0 && position != 0)) return false;
        before = position;
    }
    return before == view->values_size;
}

static bool values_ascend(const st_posting_view *view) {
    if (view->positions == NULL && view->width <= 8) { /* as numbers, as in lower_run() */
        uint64_t mask = view->width == 0 ? 0 : UINT64_MAX >> (64 - 8 * view->width);
        const uint8_t *ends = view->values + view->width - 8;
        uint64_t last = st_load_big64(ends) & mask;
        bool good = true;
        for (uint32_t run = 1; run < view->runs; run++) {
            uint64_t value = st_load_big64(ends + (size_t)run * view->width) & mask;
            good &= last < value;
            last = value;
        }
        return good;
    }
    for (uint32_t run = 1; run < view->runs; run++)
        if (st_compare(st_posting_suffix(view, run - 1), st_posting_suffix(view, run)) >= 0) return false;
    return true;
}

/* The keys of a block, less the first one, while they are checked. */
typedef struct key_check {
    uint64_t least, most;
    bool ascend;
} key_check;

/* The functions here are written for one width at a time, so that the compiler makes loops for each. */
#define ONE_WIDTH static inline __attribute__((always_inline))

/* The keys of one run. If they ascend, the first is the least one, and the last the most. */
ONE_WIDTH void check_run(const st_posting_view *view, uint32_t width, uint32_t from, uint32_t to, key_check *check) {
    const uint8_t *keys = view->keys + (size_t)from * width;
    uint32_t last = to - from - 1;
    bool ascend = true;
    for (uint32_t i = 0; i < last; i++)
        ascend &= strata_load_unsigned(keys + (size_t)i * width, width) <=
                  strata_load_unsigned(keys + ((size_t)i + 1) * width, width);
    uint64_t first = strata_load_unsigned(keys, width), most = strata_load_unsigned(keys + (size_t)last * width, width);
    check->ascend &= ascend;
    check->least = check->least < first ? check->least : first;
    check->most = check->most > most ? check->most : most;
}

/* Keys that each are the only one of a run. */
ONE_WIDTH void check_single(const st_posting_view *view, uint32_t width, key_check *check) {
    uint64_t least = UINT64_MAX, most = 0;
    for (uint32_t entry = 0; entry < view->entries; entry++) {
        uint64_t key = strata_load_unsigned(view->keys + (size_t)entry * width, width);
        least = least < key ? least : key;
        most = most > key ? most : key;
    }
    check->least = least;
    check->most = most;
}

ONE_WIDTH bool keys_valid(const st_posting_view *view, uint32_t width) {
    key_check check = { .least = UINT64_MAX, .ascend = true };
    uint32_t entry = 0;
    if (view->ends == NULL) check_single(view, width, &check);
    for (uint32_t run = 0; run < view->runs && view->ends != NULL; run++) {
        uint32_t end = strata_load16(view->ends + 2 * (size_t)run);
        if (end <= entry || end > view->entries) return false;
        check_run(view, width, entry, end, &check);
        entry = end;
    }
    bool copies = view->runs == 1 && view->entries > 1 && check.most == 0; /* they have another form */
    return check.ascend && (view->ends == NULL || entry == view->entries) && check.least == 0 && !copies &&
           view->first <= ST_KEY_MAX && check.most <= ST_KEY_MAX - view->first;
}

bool st_posting_valid(strata_bytes block) {
    st_posting_view view;
    if (!st_posting_open(block, &view)) return false;
    if ((view.positions != NULL && !positions_valid(&view)) || !values_ascend(&view)) return false;
    switch (view.key_width) {
    case 0: return view.first <= ST_KEY_MAX;
    case 1: return keys_valid(&view, 1);
    case 2: return keys_valid(&view, 2);
    case 4: return keys_valid(&view, 4);
    default: return keys_valid(&view, 8);
    }
}
