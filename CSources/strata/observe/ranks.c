/* SPDX-License-Identifier: MIT
 * ranks.c -- object keys in an order, each found by its position and the other way round. */
#include "observe/ranks.h"

#include <stdlib.h>
#include <string.h>

enum { FILLED = ST_RANK_CHUNK * 3 / 4 /* keys of a chunk when ranks are filled */, FIRST_CHUNKS = 8 };

/* ---- Chunks ----------------------------------------------------------- */

/* Adds up the stretches anew, from that of a chunk on. */
static void add_up(st_ranks *r, size_t from) {
    for (size_t s = from / ST_RANK_STRETCH; s * ST_RANK_STRETCH < r->chunk_count; s++) {
        size_t end = (s + 1) * ST_RANK_STRETCH < r->chunk_count ? (s + 1) * ST_RANK_STRETCH : r->chunk_count;
        r->stretches[s] = 0;
        for (size_t i = s * ST_RANK_STRETCH; i < end; i++) r->stretches[s] += r->counts[i];
    }
}

/* Notes which of `chunks` each is, from `from` on. */
static void renumber(st_ranks *r, size_t from) {
    for (size_t i = from; i < r->chunk_count; i++) r->orders[r->chunks[i].chunk->number] = i;
}

static bool grow(void **items, size_t capacity, size_t size) {
    void *grown = realloc(*items, capacity * size);
    if (grown != NULL) *items = grown;
    return grown != NULL;
}

static bool reserve_chunk(st_ranks *r) {
    if (r->chunk_count == r->chunk_capacity) {
        size_t capacity = r->chunk_capacity == 0 ? FIRST_CHUNKS : 2 * r->chunk_capacity;
        size_t stretches = capacity / ST_RANK_STRETCH + 1, had = r->chunk_capacity / ST_RANK_STRETCH + 1;
        if (!grow((void **)&r->chunks, capacity, sizeof *r->chunks) ||
            !grow((void **)&r->counts, capacity, sizeof *r->counts) ||
            !grow((void **)&r->stretches, stretches, sizeof *r->stretches))
            return false;
        r->memory += (capacity - r->chunk_capacity) * (sizeof *r->chunks + sizeof *r->counts);
        r->memory += (r->chunk_capacity == 0 ? stretches : stretches - had) * sizeof *r->stretches;
        r->chunk_capacity = capacity;
    }
    if (!r->any_order || r->number_count < r->number_capacity) return true;
    uint32_t capacity = r->number_capacity == 0 ? FIRST_CHUNKS : 2 * r->number_capacity;
    if (!grow((void **)&r->orders, capacity, sizeof *r->orders)) return false;
    r->memory += (capacity - r->number_capacity) * sizeof *r->orders;
    r->number_capacity = capacity;
    return true;
}

static void free_words(st_ranks *r, st_rank_chunk *chunk) {
    if (chunk->words != NULL) r->memory -= ST_RANK_CHUNK * sizeof *chunk->words;
    free(chunk->words);
    chunk->words = NULL;
}

static void free_chunk(st_ranks *r, st_rank_chunk *chunk) {
    free_words(r, chunk);
    r->memory -= sizeof *chunk;
    free(chunk);
}

/* An empty chunk before that at `at`, with room for words if it is to have them; NULL if there is no memory. */
static st_rank_chunk *add_chunk(st_ranks *r, size_t at, bool has_words) {
    if (!reserve_chunk(r)) return NULL;
    st_rank_chunk *chunk = malloc(sizeof *chunk);
    if (chunk == NULL) return NULL;
    chunk->words = has_words ? malloc(ST_RANK_CHUNK * sizeof *chunk->words) : NULL;
    if (chunk->words == NULL && has_words) {
        free(chunk);
        return NULL;
    }
    if (has_words) r->memory += ST_RANK_CHUNK * sizeof *chunk->words;
    chunk->number = r->number_count++;
    memmove(r->chunks + at + 1, r->chunks + at, (r->chunk_count - at) * sizeof *r->chunks);
    memmove(r->counts + at + 1, r->counts + at, (r->chunk_count - at) * sizeof *r->counts);
    r->chunks[at] = (st_rank_entry){ .chunk = chunk };
    r->counts[at] = 0;
    r->chunk_count++;
    r->memory += sizeof *chunk;
    add_up(r, at);
    if (r->any_order) renumber(r, at);
    return chunk;
}

/* There are more keys in a chunk, or less. */
static void add_count(st_ranks *r, size_t chunk, int32_t more) {
    r->counts[chunk] += (uint32_t)more;
    r->stretches[chunk / ST_RANK_STRETCH] += (uint64_t)(int64_t)more;
    r->count += (uint64_t)(int64_t)more;
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
    for (uint32_t i = 0; i < r->counts[at]; i++) set_home(r, chunk->keys[i], chunk->number + 1);
}

/* The last number becomes that of the chunk that goes, so that there are no more numbers than chunks. */
static void drop_chunk(st_ranks *r, size_t at) {
    st_rank_chunk *chunk = r->chunks[at].chunk;
    memmove(r->chunks + at, r->chunks + at + 1, (r->chunk_count - at - 1) * sizeof *r->chunks);
    memmove(r->counts + at, r->counts + at + 1, (r->chunk_count - at - 1) * sizeof *r->counts);
    r->chunk_count--;
    add_up(r, at);
    r->number_count--;
    if (r->any_order && chunk->number != r->number_count) {
        size_t place = r->orders[r->number_count], last = place > at ? place - 1 : place;
        r->chunks[last].chunk->number = chunk->number;
        take_keys(r, last);
    }
    if (r->any_order) renumber(r, 0);
    free_chunk(r, chunk);
}

/* ---- Filling ---------------------------------------------------------- */

/* Bits take less than a key each if, on average, one of 64 keys is there. A small range of keys is bits
 * in any case. */
static bool are_dense(const uint64_t *keys, size_t count) {
    enum { SMALL = 8 * ST_KEY_BITS_PAGE };
    return count == 0 || keys[count - 1] < SMALL || keys[count - 1] / 64 < count;
}

static bool fill_bits(st_ranks *r, const uint64_t *keys, size_t count) {
    r->dense = true;
    r->count = count;
    return st_key_bits_fill(&r->bits, keys, count);
}

/* Puts a key at a place of its chunk, behind which others have made room. */
static void put(st_ranks *r, size_t at, uint64_t place, uint64_t key, const uint64_t *word) {
    st_rank_entry *entry = &r->chunks[at];
    if (word == NULL) free_words(r, entry->chunk);
    if (entry->chunk->words != NULL) entry->chunk->words[place] = *word;
    if (place == 0) entry->has_word = word != NULL; /* the one before may be above that of the key */
    if (place == 0 && word != NULL) entry->word = *word;
    entry->chunk->keys[place] = key;
    add_count(r, at, 1);
    set_home(r, key, entry->chunk->number + 1);
}

static bool fill_chunks(st_ranks *r, const uint64_t *keys, const uint64_t *words, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (!r->any_order && i > 0 && keys[i] <= keys[i - 1]) return false;
        if (r->any_order && !reserve_home(r, keys[i])) return false;
        if (r->any_order && *home(r, keys[i]) != 0) return false; /* there twice */
        bool full = r->chunk_count == 0 || r->counts[r->chunk_count - 1] == FILLED;
        if (full && add_chunk(r, r->chunk_count, words != NULL) == NULL) return false;
        size_t last = r->chunk_count - 1;
        put(r, last, r->counts[last], keys[i], words == NULL ? NULL : &words[i]);
    }
    return true;
}

bool st_ranks_fill(st_ranks *r, const uint64_t *keys, const uint64_t *words, size_t count, bool any_order) {
    r->any_order = any_order;
    return !any_order && are_dense(keys, count) ? fill_bits(r, keys, count) : fill_chunks(r, keys, words, count);
}

void st_ranks_free(st_ranks *r) {
    for (size_t i = 0; i < r->chunk_count; i++) free_chunk(r, r->chunks[i].chunk);
    for (size_t i = 0; i < r->page_count; i++) free(r->pages[i]);
    st_key_bits_free(&r->bits);
    free(r->chunks);
    free(r->counts);
    free(r->stretches);
    free(r->pages);
    free(r->orders);
    *r = (st_ranks){ 0 };
}

/* ---- Finding ---------------------------------------------------------- */

static uint64_t begin_of(const st_ranks *r, size_t chunk) {
    uint64_t begin = 0;
    size_t stretch = chunk / ST_RANK_STRETCH;
    for (size_t s = 0; s < stretch; s++) begin += r->stretches[s];
    for (size_t i = stretch * ST_RANK_STRETCH; i < chunk; i++) begin += r->counts[i];
    return begin;
}

/* The chunk of a position, which becomes that in the chunk. The position behind the end is in the last chunk. */
static size_t chunk_at(const st_ranks *r, uint64_t *position) {
    size_t s = 0;
    while ((s + 1) * ST_RANK_STRETCH < r->chunk_count && *position >= r->stretches[s]) *position -= r->stretches[s++];
    size_t i = s * ST_RANK_STRETCH;
    while (i + 1 < r->chunk_count && *position >= r->counts[i]) *position -= r->counts[i++];
    return i;
}

/* The word of a chunk, which is read if it has none. */
static bool word_of(st_ranks *r, size_t chunk, const st_rank_search *search, uint64_t *out) {
    st_rank_entry *entry = &r->chunks[chunk];
    if (!entry->has_word) entry->has_word = search->word_of(search->context, entry->chunk->keys[0], &entry->word);
    *out = entry->word;
    return entry->has_word;
}

void st_ranks_read_words(st_ranks *r, const st_rank_search *search) {
    uint64_t word;
    for (size_t i = 0; i < r->chunk_count && word_of(r, i, search, &word); i++) continue;
}

/* Of the chunks from `first` on: the first one whose word is not below `word`, or with `beyond`, not up to it; their
 * count if there is none. */
static size_t first_chunk(st_ranks *r, const st_rank_search *search, size_t first, bool beyond) {
    size_t behind = r->chunk_count;
    while (first < behind) {
        size_t middle = first + (behind - first) / 2;
        uint64_t word;
        if (!word_of(r, middle, search, &word)) return r->chunk_count;
        if (word < search->word || (beyond && word == search->word)) first = middle + 1;
        else behind = middle;
    }
    return first;
}

/* Between the places `low` and `high` of some words: the first one whose word is not below another, or with `beyond`, not
 * up to it. */
static uint32_t first_place(const uint64_t *words, uint64_t word, uint32_t low, uint32_t high, bool beyond) {
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (words[middle] < word || (beyond && words[middle] == word)) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* The first place of a chunk whose key does not come before what is looked for. */
static uint32_t place_in(const st_rank_chunk *chunk, uint32_t count, const st_rank_search *search) {
    uint32_t low = 0, high = count;
    if (chunk->words != NULL) {
        low = first_place(chunk->words, search->word, low, high, false);
        high = first_place(chunk->words, search->word, low, high, true);
    }
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (search->before(search->context, chunk->keys[middle])) low = middle + 1;
        else high = middle;
    }
    return low;
}

uint64_t st_ranks_search(st_ranks *r, const st_rank_search *search) {
    if (r->count == 0) return 0;
    /* The last chunk whose first key comes before: the one before those with this word, or one of those. */
    uint64_t word;
    size_t equal = first_chunk(r, search, 0, false), behind = equal, first = equal == 0 ? 0 : equal - 1;
    if (equal < r->chunk_count && word_of(r, equal, search, &word) && word == search->word)
        behind = first_chunk(r, search, equal, true);
    while (behind - first > 1) {
        size_t middle = first + (behind - first) / 2;
        if (search->before(search->context, r->chunks[middle].chunk->keys[0])) first = middle;
        else behind = middle;
    }
    return begin_of(r, first) + place_in(r->chunks[first].chunk, r->counts[first], search);
}

/* In the order of keys. */
static uint64_t bound_among_chunks(const st_ranks *r, uint64_t key) {
    size_t first = 0, behind = r->chunk_count;
    if (r->count == 0) return 0;
    while (behind - first > 1) {
        size_t middle = first + (behind - first) / 2;
        if (r->chunks[middle].chunk->keys[0] < key) first = middle;
        else behind = middle;
    }
    const uint64_t *keys = r->chunks[first].chunk->keys;
    uint32_t low = 0, high = r->counts[first];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (keys[middle] < key) low = middle + 1;
        else high = middle;
    }
    return begin_of(r, first) + low;
}

uint64_t st_ranks_bound(const st_ranks *r, uint64_t key) {
    return r->dense ? st_key_bits_rank(&r->bits, key) : bound_among_chunks(r, key);
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

void st_ranks_copy(const st_ranks *r, uint64_t position, uint64_t count, uint64_t *out) {
    if (r->dense) {
        st_key_bits_copy(&r->bits, position, count, out);
        return;
    }
    for (size_t i = count == 0 ? 0 : chunk_at(r, &position); count > 0; i++) {
        uint64_t there = r->counts[i] - position, some = there < count ? there : count;
        memcpy(out, r->chunks[i].chunk->keys + position, some * sizeof *out);
        out += some;
        count -= some;
        position = 0;
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
    st_rank_chunk *chunk = r->chunks[at].chunk;
    size_t behind = (r->counts[at] - position - 1) * sizeof(uint64_t);
    set_home(r, chunk->keys[position], 0);
    memmove(chunk->keys + position, chunk->keys + position + 1, behind);
    if (chunk->words != NULL) memmove(chunk->words + position, chunk->words + position + 1, behind);
    add_count(r, at, -1);
    if (r->counts[at] == 0) drop_chunk(r, at);
}

/* Divides a full chunk, so that each half has room. */
static bool divide(st_ranks *r, size_t at) {
    const st_rank_chunk *from = r->chunks[at].chunk;
    st_rank_chunk *to = add_chunk(r, at + 1, from->words != NULL);
    if (to == NULL) return false;
    uint32_t second = r->counts[at] / 2, first = r->counts[at] - second;
    memcpy(to->keys, from->keys + first, second * sizeof *to->keys);
    if (to->words != NULL) {
        memcpy(to->words, from->words + first, second * sizeof *to->words);
        r->chunks[at + 1].word = to->words[0];
        r->chunks[at + 1].has_word = true;
    }
    r->counts[at] = first;
    r->counts[at + 1] = second;
    add_up(r, at);
    take_keys(r, at + 1);
    return true;
}

/* Puts the keys into chunks. */
static bool leave_bits(st_ranks *r) {
    uint64_t *keys = malloc((size_t)(r->count + 1) * sizeof *keys);
    st_ranks chunks = { .count = 0 };
    if (keys == NULL) return false;
    st_key_bits_copy(&r->bits, 0, r->count, keys);
    bool done = fill_chunks(&chunks, keys, NULL, (size_t)r->count);
    free(keys);
    st_ranks_free(done ? r : &chunks);
    if (done) *r = chunks;
    return done;
}

/* A key that lies far beyond the others would need pages that nothing else uses. */
static bool is_near(const st_ranks *r, uint64_t key) { return key / ST_KEY_BITS_PAGE < 64 + 4 * r->count; }

bool st_ranks_insert(st_ranks *r, uint64_t position, uint64_t key, const uint64_t *word) {
    if (r->dense && is_near(r, key)) {
        bool done = st_key_bits_add(&r->bits, key);
        if (done) r->count++;
        return done;
    }
    if (r->dense && !leave_bits(r)) return false;
    if (!reserve_home(r, key)) return false;
    if (r->chunk_count == 0 && add_chunk(r, 0, word != NULL) == NULL) return false;
    size_t at = chunk_at(r, &position);
    if (r->counts[at] == ST_RANK_CHUNK) {
        if (!divide(r, at)) return false;
        if (position > r->counts[at]) position -= r->counts[at++];
    }
    st_rank_chunk *chunk = r->chunks[at].chunk;
    size_t behind = (r->counts[at] - position) * sizeof(uint64_t);
    memmove(chunk->keys + position + 1, chunk->keys + position, behind);
    if (chunk->words != NULL) memmove(chunk->words + position + 1, chunk->words + position, behind);
    put(r, at, position, key, word);
    return true;
}
