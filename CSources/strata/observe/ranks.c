/* SPDX-License-Identifier: MIT
 * ranks.c -- object keys in an order, each found by its position and the other way round. */
#include "observe/ranks.h"

#include <stdlib.h>
#include <string.h>

enum { FILLED = ST_RANK_CHUNK * 3 / 4 /* keys of a chunk when ranks are filled */, FIRST_CHUNKS = 8 };

/* ---- Chunks ----------------------------------------------------------- */

/* Notes which of `chunks` each is, from `from` on. */
static void renumber(st_ranks *r, size_t from) {
    for (size_t i = from; i < r->chunk_count; i++) r->orders[r->chunks[i].chunk->number] = i;
}

static bool reserve_chunk(st_ranks *r) {
    if (r->chunk_count == r->chunk_capacity) {
        size_t capacity = r->chunk_capacity == 0 ? FIRST_CHUNKS : 2 * r->chunk_capacity;
        st_rank_entry *chunks = realloc(r->chunks, capacity * sizeof *chunks);
        if (chunks == NULL) return false;
        r->memory += (capacity - r->chunk_capacity) * sizeof *chunks;
        r->chunks = chunks;
        r->chunk_capacity = capacity;
    }
    if (!r->any_order || r->number_count < r->number_capacity) return true;
    uint32_t capacity = r->number_capacity == 0 ? FIRST_CHUNKS : 2 * r->number_capacity;
    size_t *orders = realloc(r->orders, capacity * sizeof *orders);
    if (orders == NULL) return false;
    r->memory += (capacity - r->number_capacity) * sizeof *orders;
    r->orders = orders;
    r->number_capacity = capacity;
    return true;
}

/* An empty chunk before that at `at`; NULL if there is no memory. */
static st_rank_chunk *add_chunk(st_ranks *r, size_t at) {
    if (!reserve_chunk(r)) return NULL;
    st_rank_chunk *chunk = malloc(sizeof *chunk);
    if (chunk == NULL) return NULL;
    chunk->number = r->number_count++;
    memmove(r->chunks + at + 1, r->chunks + at, (r->chunk_count - at) * sizeof *r->chunks);
    r->chunks[at] = (st_rank_entry){ chunk, 0 };
    r->chunk_count++;
    r->memory += sizeof *chunk;
    if (r->any_order) renumber(r, at);
    return chunk;
}

/* ---- Which chunk a key is in ------------------------------------------ */

static uint32_t *home(const st_ranks *r, uint64_t key) {
    uint64_t page = key / ST_RANK_PAGE;
    return page < r->page_count && r->pages[page] != NULL ? &r->pages[page][key % ST_RANK_PAGE] : NULL;
}

/* Makes room for the number of the chunk of a key. */
static bool reserve_home(st_ranks *r, uint64_t key) {
    uint64_t page = key / ST_RANK_PAGE;
    if (!r->any_order) return true;
    if (page >= r->page_count) {
        size_t count = (size_t)page + 1 > 2 * r->page_count ? (size_t)page + 1 : 2 * r->page_count;
        uint32_t **pages = realloc(r->pages, count * sizeof *pages);
        if (pages == NULL) return false;
        memset(pages + r->page_count, 0, (count - r->page_count) * sizeof *pages);
        r->memory += (count - r->page_count) * sizeof *pages;
        r->pages = pages;
        r->page_count = count;
    }
    if (r->pages[page] != NULL) return true;
    r->pages[page] = calloc(ST_RANK_PAGE, sizeof **r->pages);
    if (r->pages[page] == NULL) return false;
    r->memory += ST_RANK_PAGE * sizeof **r->pages;
    return true;
}

static void set_home(st_ranks *r, uint64_t key, uint32_t number) {
    uint32_t *at = r->any_order ? home(r, key) : NULL;
    if (at != NULL) *at = number;
}

/* The chunk takes all its keys as its own. */
static void take_keys(st_ranks *r, size_t at) {
    const st_rank_chunk *chunk = r->chunks[at].chunk;
    if (!r->any_order) return;
    for (uint32_t i = 0; i < r->chunks[at].count; i++) set_home(r, chunk->keys[i], chunk->number + 1);
}

/* The last number becomes that of the chunk that goes, so that there are no more numbers than chunks. */
static void drop_chunk(st_ranks *r, size_t at) {
    st_rank_chunk *chunk = r->chunks[at].chunk;
    memmove(r->chunks + at, r->chunks + at + 1, (r->chunk_count - at - 1) * sizeof *r->chunks);
    r->chunk_count--;
    r->number_count--;
    if (r->any_order && chunk->number != r->number_count) {
        size_t place = r->orders[r->number_count], last = place > at ? place - 1 : place;
        r->chunks[last].chunk->number = chunk->number;
        take_keys(r, last);
    }
    if (r->any_order) renumber(r, 0);
    r->memory -= sizeof *chunk;
    free(chunk);
}

/* ---- Filling ---------------------------------------------------------- */

/* Bits take less than a key each if, on average, one of 64 keys is there. A chunk takes as much as eight pages. */
static bool are_dense(const uint64_t *keys, size_t count) {
    enum { SMALL = 8 * ST_KEY_BITS_PAGE };
    return count == 0 || keys[count - 1] < SMALL || keys[count - 1] / 64 < count;
}

static bool fill_bits(st_ranks *r, const uint64_t *keys, size_t count) {
    r->dense = true;
    r->count = count;
    return st_key_bits_fill(&r->bits, keys, count);
}

static bool fill_chunks(st_ranks *r, const uint64_t *keys, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (!r->any_order && i > 0 && keys[i] <= keys[i - 1]) return false;
        if (r->any_order && !reserve_home(r, keys[i])) return false;
        if (r->any_order && *home(r, keys[i]) != 0) return false; /* there twice */
        bool full = r->chunk_count == 0 || r->chunks[r->chunk_count - 1].count == FILLED;
        if (full && add_chunk(r, r->chunk_count) == NULL) return false;
        st_rank_entry *last = &r->chunks[r->chunk_count - 1];
        last->chunk->keys[last->count++] = keys[i];
        set_home(r, keys[i], last->chunk->number + 1);
        r->count++;
    }
    return true;
}

bool st_ranks_fill(st_ranks *r, const uint64_t *keys, size_t count, bool any_order) {
    r->any_order = any_order;
    return !any_order && are_dense(keys, count) ? fill_bits(r, keys, count) : fill_chunks(r, keys, count);
}

void st_ranks_free(st_ranks *r) {
    for (size_t i = 0; i < r->chunk_count; i++) free(r->chunks[i].chunk);
    for (size_t i = 0; i < r->page_count; i++) free(r->pages[i]);
    st_key_bits_free(&r->bits);
    free(r->chunks);
    free(r->pages);
    free(r->orders);
    *r = (st_ranks){ 0 };
}

/* ---- Finding ---------------------------------------------------------- */

static uint64_t begin_of(const st_ranks *r, size_t chunk) {
    uint64_t begin = 0;
    for (size_t i = 0; i < chunk; i++) begin += r->chunks[i].count;
    return begin;
}

/* The chunk of a position, which becomes that in the chunk. The position behind the end is in the last chunk. */
static size_t chunk_at(const st_ranks *r, uint64_t *position) {
    size_t i = 0;
    while (i + 1 < r->chunk_count && *position >= r->chunks[i].count) *position -= r->chunks[i++].count;
    return i;
}

uint64_t st_ranks_search(const st_ranks *r, st_rank_before *before, void *context) {
    size_t first = 0, behind = r->chunk_count; /* the last chunk whose first key comes before */
    if (r->count == 0 || !before(context, r->chunks[0].chunk->keys[0])) return 0;
    while (behind - first > 1) {
        size_t middle = first + (behind - first) / 2;
        if (before(context, r->chunks[middle].chunk->keys[0])) first = middle;
        else behind = middle;
    }
    uint32_t low = 1, high = r->chunks[first].count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (before(context, r->chunks[first].chunk->keys[middle])) low = middle + 1;
        else high = middle;
    }
    return begin_of(r, first) + low;
}

static bool is_less(void *context, uint64_t key) { return key < *(const uint64_t *)context; }

uint64_t st_ranks_bound(const st_ranks *r, uint64_t key) {
    return r->dense ? st_key_bits_rank(&r->bits, key) : st_ranks_search(r, is_less, &key);
}

bool st_ranks_find(const st_ranks *r, uint64_t key, uint64_t *out) {
    if (r->count == 0) return false;
    if (r->dense) {
        bool there = st_key_bits_has(&r->bits, key);
        if (there) *out = st_key_bits_rank(&r->bits, key);
        return there;
    }
    if (!r->any_order) {
        uint64_t bound = st_ranks_bound(r, key);
        if (bound == r->count || st_ranks_key(r, bound) != key) return false;
        *out = bound;
        return true;
    }
    const uint32_t *number = home(r, key);
    if (number == NULL || *number == 0) return false;
    size_t place = r->orders[*number - 1];
    const st_rank_chunk *chunk = r->chunks[place].chunk;
    uint32_t at = 0;
    while (chunk->keys[at] != key) at++;
    *out = begin_of(r, place) + at;
    return true;
}

void st_ranks_copy(const st_ranks *r, uint64_t *out) {
    if (r->dense) st_key_bits_copy(&r->bits, out);
    for (size_t i = 0; i < r->chunk_count; i++) {
        memcpy(out, r->chunks[i].chunk->keys, r->chunks[i].count * sizeof *out);
        out += r->chunks[i].count;
    }
}

size_t st_ranks_memory(const st_ranks *r) { return r->memory + r->bits.memory; }

uint64_t st_ranks_key(const st_ranks *r, uint64_t position) {
    if (r->dense) return st_key_bits_key(&r->bits, position);
    size_t chunk = chunk_at(r, &position);
    return r->chunks[chunk].chunk->keys[position];
}

/* ---- Changing --------------------------------------------------------- */

void st_ranks_remove(st_ranks *r, uint64_t position) {
    if (r->dense) {
        st_key_bits_remove(&r->bits, st_key_bits_key(&r->bits, position));
        r->count--;
        return;
    }
    size_t at = chunk_at(r, &position);
    st_rank_entry *entry = &r->chunks[at];
    uint64_t *from = entry->chunk->keys + position;
    set_home(r, *from, 0);
    memmove(from, from + 1, (entry->count - position - 1) * sizeof *from);
    entry->count--;
    r->count--;
    if (entry->count == 0) drop_chunk(r, at);
}

/* Divides a full chunk, so that each half has room. */
static bool divide(st_ranks *r, size_t at) {
    if (add_chunk(r, at + 1) == NULL) return false;
    st_rank_entry *first = &r->chunks[at], *second = first + 1;
    second->count = first->count / 2;
    first->count -= second->count;
    memcpy(second->chunk->keys, first->chunk->keys + first->count, second->count * sizeof *first->chunk->keys);
    take_keys(r, at + 1);
    return true;
}

/* Puts the keys into chunks. */
static bool leave_bits(st_ranks *r) {
    uint64_t *keys = malloc((size_t)(r->count + 1) * sizeof *keys);
    st_ranks chunks = { .count = 0 };
    if (keys == NULL) return false;
    st_key_bits_copy(&r->bits, keys);
    bool done = fill_chunks(&chunks, keys, (size_t)r->count);
    free(keys);
    st_ranks_free(done ? r : &chunks);
    if (done) *r = chunks;
    return done;
}

/* A key that lies far beyond the others would need pages that nothing else uses. */
static bool is_near(const st_ranks *r, uint64_t key) { return key / ST_KEY_BITS_PAGE < 64 + 4 * r->count; }

bool st_ranks_insert(st_ranks *r, uint64_t position, uint64_t key) {
    if (r->dense && is_near(r, key)) {
        bool done = st_key_bits_add(&r->bits, key);
        if (done) r->count++;
        return done;
    }
    if (r->dense && !leave_bits(r)) return false;
    if (!reserve_home(r, key)) return false;
    if (r->chunk_count == 0 && add_chunk(r, 0) == NULL) return false;
    size_t at = chunk_at(r, &position);
    if (r->chunks[at].count == ST_RANK_CHUNK) {
        if (!divide(r, at)) return false;
        if (position > r->chunks[at].count) position -= r->chunks[at++].count;
    }
    st_rank_entry *entry = &r->chunks[at];
    uint64_t *to = entry->chunk->keys + position;
    memmove(to + 1, to, (entry->count - position) * sizeof *to);
    *to = key;
    entry->count++;
    r->count++;
    set_home(r, key, entry->chunk->number + 1);
    return true;
}
