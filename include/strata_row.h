/* SPDX-License-Identifier: MIT
 *
 * strata_row.h -- the packed form of rows, and readers that are compiled into the caller.
 *
 * Neighbouring objects of a table share a block: one value of the store, made to fill one page. Inside it
 * the values of one column lie side by side, so that a scan touches nothing but its column.
 *
 * Block, format 2. Numbers are little-endian; nothing needs to be aligned.
 *
 *   offset  size        field
 *   0       1           format, always 2
 *   1       1           flags: bit 0 = pending (in memory only, never stored)
 *   2       2           rows: number of rows, at least 1
 *   4       2           columns: number of column entries; columns are only ever appended to a table, so
 *                       this number identifies the layout of the block
 *   6       1           key width: 0 = object keys are first, first + 1, ...; otherwise 1, 2, 4 or 8
 *   7       1           always 0
 *   8       8           first: object key of row 0
 *   16      4           size of the block in bytes; of a pending block 2^32 - 1
 *   20      4*columns   column entries, one word each: bits 0..15 offset of the vector, 16..23 width,
 *                       24..31 flags (bit 0 nulls, bit 1 large; in pending blocks only: bits 2 to 5, which tell what
 *                       may be stored in place)
 *   ...     width*rows  key deltas to `first`, ascending, when key width is not 0
 *   ...                 the vectors
 *
 * A vector holds one column of all rows, at its entry's offset:
 *
 *   numbers, links      `rows` numbers of `width` bytes (1, 2, 4, 8); integers are sign-extended, links are
 *                       unsigned object keys with 0 for "no link"; floats have width 4, doubles and dates 8
 *   uuid, decimal       `rows` times 16 bytes;  object id: 12
 *   string, data, mixed `rows + 1` positions of `width` bytes (2 or 4); the bytes of row i are those from
 *                       position i to position i + 1, counted from the start of the block
 *
 * Behind every vector whose width is below 8 the block goes on for at least 8 - width bytes, so that a number can be
 * loaded as a whole word and cut to its width.
 *
 * If flag "nulls" is set, a bitmap of (rows + 7) / 8 bytes ends where the vector begins; a set bit is a null.
 * If flag "large" is set, another such bitmap stands before that; a set bit says that the bytes of the row
 * are a reference to a value stored outside of the row (20 bytes: u64 size or count, u64 identity, u32 check).
 * An entry of 0 stands for a column of nulls if the column is nullable, and of zeros or empty values if not:
 * that is also how a block reads that was written before the column was added.
 *
 * ON-DISK: never renumber, reorder or resize; add format 3 instead.
 */
#ifndef STRATA_ROW_H
#define STRATA_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "strata_status.h"

#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ || !defined(__LP64__)
#error "strata.h is for gcc and clang on little-endian processors of 64 bits"
#endif
#if defined(__has_builtin)
#if __has_builtin(__builtin_thread_pointer)
#define STRATA_HAS_THREAD_POINTER 1
#endif
#endif
#ifndef STRATA_HAS_THREAD_POINTER
#define STRATA_HAS_THREAD_POINTER 0
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum {
    STRATA_BLOCK_FORMAT = 2,
    STRATA_BLOCK_HEADER = 20,
    STRATA_BLOCK_REFERENCE = 20, /**< bytes of a reference to a value stored outside of its row */
    STRATA_BLOCK_PENDING = 1, /**< header flag: a row being changed, in memory */
    STRATA_ENTRY_NULLS = 1,   /**< entry flag: the vector has a null bitmap */
    STRATA_ENTRY_LARGE = 2,   /**< entry flag: some values are stored outside of their rows */
    /** Entry flags of pending blocks: values of that kind may be stored in place. A column has one of them at most;
     * primary keys, links, bytes and collections have none, nor has what nobody would know to be assigned. */
    STRATA_ENTRY_INT = 4,
    STRATA_ENTRY_DOUBLE = 8,  /**< doubles and dates */
    STRATA_ENTRY_FLOAT = 16,
    STRATA_ENTRY_BOOL = 32
};

enum { STRATA_MAX_VALUE = 16 * 1024 * 1024 /**< bytes of a string or data value */ };

/** Bytes that belong to somebody else. `data` may be NULL when `size` is 0. */
typedef struct strata_bytes {
    const void *data;
    size_t size;
} strata_bytes;

enum { STRATA_EVERY_THREAD = 0 /**< the owner of rows that all threads may read at once */ };

/** A view of a store; see strata_view.h. */
typedef struct strata_view strata_view;

/**
 * The first bytes of every view, read inline by each access to a live row.
 *
 * `epoch`, never 0, changes whenever a row of the view may have moved. `owner` is the thread the view belongs to,
 * as strata_thread() names it; STRATA_EVERY_THREAD for a view of strata_view_freeze().
 */
typedef struct strata_view_head {
    uint64_t epoch;
    uintptr_t owner;
} strata_view_head;

/**
 * A live row: where an object's values are, and how to notice that they moved.
 *
 * Filled by strata_row_bind(), cursors and the like; the caller may copy it freely.
 * Lifetime: until its view is closed. Thread: the thread of its view; every one if the view is frozen.
 */
typedef struct strata_row {
    const uint8_t *block;         /**< the block that holds the row; NULL if the object is gone */
    const strata_view_head *head; /**< its view */
    uint64_t epoch;               /**< `head->epoch` when `block` and `slot` were found; 0 if they were not */
    uint64_t key;                 /**< object key */
    uint32_t table;               /**< table number */
    uint32_t slot;                /**< row within the block */
} strata_row;

/* ---- Loads ------------------------------------------------------------ */

static inline uint16_t strata_load16(const uint8_t *p) { uint16_t v; memcpy(&v, p, 2); return v; }
static inline uint32_t strata_load32(const uint8_t *p) { uint32_t v; memcpy(&v, p, 4); return v; }
static inline uint64_t strata_load64(const uint8_t *p) { uint64_t v; memcpy(&v, p, 8); return v; }

/** An unsigned number of `width` bytes; a width of 0 reads as 0. */
static inline uint64_t strata_load_unsigned(const uint8_t *p, uint32_t width) {
    switch (width) {
    case 8: return strata_load64(p);
    case 4: return strata_load32(p);
    case 2: return strata_load16(p);
    case 1: return *p;
    default: return 0;
    }
}

/** A signed number of `width` bytes; a width of 0 reads as 0. */
static inline int64_t strata_load_signed(const uint8_t *p, uint32_t width) {
    switch (width) {
    case 8: return (int64_t)strata_load64(p);
    case 4: return (int32_t)strata_load32(p);
    case 2: return (int16_t)strata_load16(p);
    case 1: return (int8_t)*p;
    default: return 0;
    }
}

/** The calling thread, as views remember it. */
static inline uintptr_t strata_thread(void) {
#if STRATA_HAS_THREAD_POINTER
    return (uintptr_t)__builtin_thread_pointer();
#elif defined(__x86_64__)
    uintptr_t thread;
    __asm__("mov %%fs:0, %0" : "=r"(thread));
    return thread;
#elif defined(__aarch64__)
    uintptr_t thread;
    __asm__("mrs %0, tpidr_el0" : "=r"(thread));
    return thread;
#else
#error "strata.h needs a compiler with __builtin_thread_pointer() for this processor: gcc 11 or clang 15"
#endif
}

/* ---- Blocks ----------------------------------------------------------- *
 * The engine has checked the head of a block before it hands out a row of it: the entries, their widths and flags, and
 * that the vectors lie in the block. `slot` is below its row count. What a position says is checked when it is read.
 */

static inline uint32_t strata_block_rows(const uint8_t *block) { return strata_load16(block + 2); }
static inline uint32_t strata_block_columns(const uint8_t *block) { return strata_load16(block + 4); }
static inline uint64_t strata_block_first(const uint8_t *block) { return strata_load64(block + 8); }
static inline uint32_t strata_block_size(const uint8_t *block) { return strata_load32(block + 16); }

/** The entry of a column; 0 if the block has none. */
static inline uint32_t strata_block_entry(const uint8_t *block, uint32_t column) {
    if (column >= strata_block_columns(block)) return 0;
    return strata_load32(block + STRATA_BLOCK_HEADER + 4 * (size_t)column);
}
static inline uint32_t strata_entry_offset(uint32_t entry) { return entry & 0xffff; }
static inline uint32_t strata_entry_width(uint32_t entry) { return entry >> 16 & 0xff; }
static inline uint32_t strata_entry_flags(uint32_t entry) { return entry >> 24; }

/** The object key of a row. */
static inline uint64_t strata_block_key(const uint8_t *block, uint32_t slot) {
    uint32_t width = block[6];
    uint64_t first = strata_block_first(block);
    if (width == 0) return first + slot;
    return first + strata_load_unsigned(
        block + STRATA_BLOCK_HEADER + 4 * (size_t)strata_block_columns(block) + (size_t)slot * width, width);
}

/** True if the row is null in a nullable column whose entry is `entry`. */
static inline bool strata_block_null(const uint8_t *block, uint32_t entry, uint32_t slot) {
    if (entry == 0) return true;
    if ((strata_entry_flags(entry) & STRATA_ENTRY_NULLS) == 0) return false;
    size_t bitmap = (strata_block_rows(block) + 7) / 8;
    return block[strata_entry_offset(entry) - bitmap + slot / 8] >> slot % 8 & 1;
}

/** True if the value is stored outside of the row and its bytes are a reference. */
static inline bool strata_block_large(const uint8_t *block, uint32_t entry, uint32_t slot) {
    uint32_t flags = strata_entry_flags(entry);
    if ((flags & STRATA_ENTRY_LARGE) == 0) return false;
    size_t bitmap = (strata_block_rows(block) + 7) / 8;
    size_t before = (flags & STRATA_ENTRY_NULLS) != 0 ? 2 * bitmap : bitmap;
    return block[strata_entry_offset(entry) - before + slot / 8] >> slot % 8 & 1;
}

static inline int64_t strata_block_int(const uint8_t *block, uint32_t entry, uint32_t slot) {
    uint32_t width = strata_entry_width(entry);
    if (width == 0) return 0;
    uint64_t word = strata_load64(block + strata_entry_offset(entry) + (size_t)slot * width);
    return (int64_t)(word << (0 - 8 * width) % 64) >> (0 - 8 * width) % 64;
}
static inline uint64_t strata_block_link(const uint8_t *block, uint32_t entry, uint32_t slot) {
    uint32_t width = strata_entry_width(entry);
    if (width == 0) return 0;
    uint64_t word = strata_load64(block + strata_entry_offset(entry) + (size_t)slot * width);
    return word << (0 - 8 * width) % 64 >> (0 - 8 * width) % 64;
}
static inline float strata_block_float(const uint8_t *block, uint32_t entry, uint32_t slot) {
    float v = 0;
    if (entry != 0) memcpy(&v, block + strata_entry_offset(entry) + 4 * (size_t)slot, 4);
    return v;
}
static inline double strata_block_double(const uint8_t *block, uint32_t entry, uint32_t slot) {
    double v = 0;
    if (entry != 0) memcpy(&v, block + strata_entry_offset(entry) + 8 * (size_t)slot, 8);
    return v;
}

/** The bytes of a string, data or list cell; for a large one, the bytes of its reference. None if `entry` is 0, when the
 * cell is empty. Returns false, with no bytes, if the cell is damaged: it would leave the block. */
static inline bool strata_block_bytes(const uint8_t *block, uint32_t entry, uint32_t slot, strata_bytes *out) {
    out->data = NULL;
    out->size = 0;
    if (entry == 0) return true;
    uint32_t width = strata_entry_width(entry);
    const uint8_t *positions = block + strata_entry_offset(entry) + (size_t)slot * width;
    uint64_t from = strata_load_unsigned(positions, width);
    uint64_t to = strata_load_unsigned(positions + width, width);
    if (from > to || to > strata_block_size(block)) return false;
    out->data = block + from;
    out->size = (size_t)(to - from);
    return true;
}

/* ---- Live rows -------------------------------------------------------- */

/**
 * Looks the row up again after its view moved on. The slow path of strata_row_ready().
 *
 * Returns: STRATA_OK if the row can be read, STRATA_NOT_FOUND if the object is gone.
 * Fails:   STRATA_WRONG_THREAD, STRATA_AFTER_FORK, STRATA_CLOSED.
 */
strata_status strata_row_reload(strata_row *row);

/** True if the row is where it was and the caller is on the thread of its view, or the view is frozen. */
static inline bool strata_row_current(const strata_row *row) {
    /* Expected, so that a read of a live row pays nothing for frozen ones. */
    if (__builtin_expect(row->epoch != row->head->epoch, 0)) return false;
    uintptr_t owner = row->head->owner;
    if (__builtin_expect(owner == strata_thread(), 1)) return true;
    return owner == STRATA_EVERY_THREAD;
}

/** Makes the row readable; returns STRATA_OK, or what strata_row_reload() returns. */
static inline strata_status strata_row_ready(strata_row *row) {
    return strata_row_current(row) ? STRATA_OK : strata_row_reload(row);
}

/* The readers below need a row that strata_row_ready() has just accepted, and a column of that type. */

/** Whether the cell of a nullable column is null. Of another column this says nothing: it may be true for a zero. */
static inline bool strata_row_null(const strata_row *row, uint32_t column) {
    return strata_block_null(row->block, strata_block_entry(row->block, column), row->slot);
}
static inline int64_t strata_row_int(const strata_row *row, uint32_t column) {
    return strata_block_int(row->block, strata_block_entry(row->block, column), row->slot);
}
static inline bool strata_row_bool(const strata_row *row, uint32_t column) {
    return strata_row_int(row, column) != 0;
}
static inline float strata_row_float(const strata_row *row, uint32_t column) {
    return strata_block_float(row->block, strata_block_entry(row->block, column), row->slot);
}
static inline double strata_row_double(const strata_row *row, uint32_t column) {
    return strata_block_double(row->block, strata_block_entry(row->block, column), row->slot);
}
/** The object key a to-one link points to; 0 for none. */
static inline uint64_t strata_row_link(const strata_row *row, uint32_t column) {
    return strata_block_link(row->block, strata_block_entry(row->block, column), row->slot);
}
/** The 16 bytes of a UUID or the 12 of an object id. */
static inline void strata_row_fixed(const strata_row *row, uint32_t column, void *out, size_t size) {
    uint32_t entry = strata_block_entry(row->block, column);
    if (entry == 0) memset(out, 0, size);
    else memcpy(out, row->block + strata_entry_offset(entry) + size * (size_t)row->slot, size);
}

/**
 * The bytes of a string or data cell.
 *
 * Returns:  true with `*out` set to the bytes; false if the value is stored outside of the row, when `out->size` is
 *           its size and strata_row_read() copies it; false with a size of 0 if the cell is damaged, when
 *           strata_row_read() fails.
 * Lifetime: until the epoch of the view changes.
 */
static inline bool strata_row_bytes(const strata_row *row, uint32_t column, strata_bytes *out) {
    uint32_t entry = strata_block_entry(row->block, column);
    bool sound = strata_block_bytes(row->block, entry, row->slot, out);
    if (entry == 0 || (sound && !strata_block_large(row->block, entry, row->slot))) return true;
    uint64_t size = out->size == STRATA_BLOCK_REFERENCE ? strata_load64((const uint8_t *)out->data) : 0;
    out->size = size <= STRATA_MAX_VALUE ? (size_t)size : 0;
    out->data = NULL;
    return false;
}

/* ---- Stores ----------------------------------------------------------- *
 * A row that was already changed in this write transaction is changed further in place; where somebody is told of the
 * commit, only a column that strata_row_set() has changed before. These return false if that cannot be done;
 * strata_row_set() then does it, or says why the column cannot have the value. A store never fails halfway.
 */

/** Where the pending value of `column` may be written to; NULL if not in place, or if the column does not hold values
 * of `kind`, a flag STRATA_ENTRY_... Clears its null bit. */
static inline uint8_t *strata_row_in_place(const strata_row *row, uint32_t column, uint32_t kind) {
    if (!strata_row_current(row) || (row->block[1] & STRATA_BLOCK_PENDING) == 0) return NULL;
    uint32_t entry = strata_block_entry(row->block, column);
    uint32_t flags = strata_entry_flags(entry);
    if ((flags & kind) == 0) return NULL;
    uint8_t *value = (uint8_t *)(uintptr_t)row->block + strata_entry_offset(entry);
    if ((flags & STRATA_ENTRY_NULLS) != 0) value[-1] = 0; /* one row: one byte of bitmap */
    return value;
}
static inline bool strata_row_store_int(const strata_row *row, uint32_t column, int64_t v) {
    uint8_t *value = strata_row_in_place(row, column, STRATA_ENTRY_INT);
    if (value == NULL) return false;
    memcpy(value, &v, 8);
    return true;
}
static inline bool strata_row_store_bool(const strata_row *row, uint32_t column, bool v) {
    uint8_t *value = strata_row_in_place(row, column, STRATA_ENTRY_BOOL);
    int64_t number = v;
    if (value == NULL) return false;
    memcpy(value, &number, 8);
    return true;
}
/** Of a double or date. */
static inline bool strata_row_store_double(const strata_row *row, uint32_t column, double v) {
    uint8_t *value = strata_row_in_place(row, column, STRATA_ENTRY_DOUBLE);
    if (value == NULL) return false;
    memcpy(value, &v, 8);
    return true;
}
static inline bool strata_row_store_float(const strata_row *row, uint32_t column, float v) {
    uint8_t *value = strata_row_in_place(row, column, STRATA_ENTRY_FLOAT);
    if (value == NULL) return false;
    memcpy(value, &v, 4);
    return true;
}

#ifdef __cplusplus
}
#endif
#endif
