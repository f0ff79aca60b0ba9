/* SPDX-License-Identifier: MIT
 * block_pending.c -- rows that a write transaction is changing. */
#include "block/block_pending.h"

/* The bytes of bitmaps before a pending cell: one for references to values outside of the row, one for nulls. */
static uint32_t pending_bitmaps(st_field field) {
    return (field.packing == ST_PACK_BYTES) + (uint32_t)field.nullable;
}

size_t st_pending_size(const st_layout *layout, size_t bytes) {
    size_t total = STRATA_BLOCK_HEADER + 4 * (size_t)layout->count;
    for (uint32_t c = 0; c < layout->count; c++) {
        st_field field = layout->fields[c];
        if (field.packing != ST_PACK_NONE) total += pending_bitmaps(field) + st_packing_size((st_packing)field.packing);
    }
    return total + bytes;
}

void st_pending_clear(const st_layout *layout, uint64_t key, uint8_t *block) {
    size_t total = st_pending_size(layout, 0);
    memset(block, 0, total);
    block[0] = STRATA_BLOCK_FORMAT;
    block[1] = STRATA_BLOCK_PENDING;
    st_store16(block + 2, 1);
    st_store16(block + 4, (uint16_t)layout->count);
    st_store64(block + 8, key);
    st_store32(block + 16, UINT32_MAX);
    size_t at = STRATA_BLOCK_HEADER + 4 * (size_t)layout->count;
    for (uint32_t c = 0; c < layout->count; c++) {
        st_field field = layout->fields[c];
        if (field.packing == ST_PACK_NONE) continue;
        at += pending_bitmaps(field);
        bool bytes = field.packing == ST_PACK_BYTES;
        uint32_t width = bytes ? 4 : st_packing_size((st_packing)field.packing);
        uint32_t flags = (field.nullable ? STRATA_ENTRY_NULLS : 0u) | (bytes ? STRATA_ENTRY_LARGE : 0u) |
                         field.stored_as;
        if (field.nullable) block[at - 1] = 1;
        if (bytes) {
            st_store32(block + at, (uint32_t)total);
            st_store32(block + at + 4, (uint32_t)total);
        }
        st_store32(block + STRATA_BLOCK_HEADER + 4 * (size_t)c, (uint32_t)at | width << 16 | flags << 24);
        at += st_packing_size((st_packing)field.packing);
    }
}

size_t st_pending_bytes(const st_layout *layout, const st_row_ref *row) {
    size_t bytes = 0;
    for (uint32_t c = 0; c < layout->count; c++) {
        if (layout->fields[c].packing == ST_PACK_BYTES)
            bytes += st_block_bytes(row->block, strata_block_entry(row->block, c), row->slot).size;
    }
    return bytes;
}

static uint64_t load_number(st_packing packing, const uint8_t *block, uint32_t entry, uint32_t slot) {
    return packing == ST_PACK_SIGNED ? (uint64_t)strata_block_int(block, entry, slot)
                                     : strata_block_link(block, entry, slot);
}

size_t st_pending_copy(const st_layout *layout, const st_row_ref *row, uint8_t *block) {
    size_t end = st_pending_size(layout, 0);
    for (uint32_t c = 0; c < layout->count; c++) {
        st_field field = layout->fields[c];
        st_packing packing = (st_packing)field.packing;
        uint32_t from = strata_block_entry(row->block, c);
        if (packing == ST_PACK_NONE || from == 0) continue;
        if (field.nullable && strata_block_null(row->block, from, row->slot)) continue;
        uint8_t *to = block + strata_entry_offset(strata_block_entry(block, c));
        if (field.nullable) to[-1] = 0;
        if (packing == ST_PACK_BYTES) {
            strata_bytes bytes = st_block_bytes(row->block, from, row->slot);
            if (strata_block_large(row->block, from, row->slot)) to[-1 - (int)field.nullable] = 1;
            memcpy(block + end, bytes.data, bytes.size);
            st_store32(to, (uint32_t)end);
            end += bytes.size;
            st_store32(to + 4, (uint32_t)end);
        } else if (packing == ST_PACK_SIGNED || packing == ST_PACK_UNSIGNED) {
            st_store64(to, load_number(packing, row->block, from, row->slot));
        } else {
            size_t size = st_packing_size(packing);
            memcpy(to, row->block + strata_entry_offset(from) + size * row->slot, size);
        }
    }
    return end;
}

/* Sets what may be stored in place in a column. */
static void set_stored_as(uint8_t *block, uint32_t column, uint32_t stored_as) {
    enum { KINDS = STRATA_ENTRY_INT | STRATA_ENTRY_BOOL | STRATA_ENTRY_DOUBLE | STRATA_ENTRY_FLOAT };
    uint32_t entry = strata_block_entry(block, column) & ~((uint32_t)KINDS << 24);
    st_store32(block + STRATA_BLOCK_HEADER + 4 * (size_t)column, entry | stored_as << 24);
}

void st_pending_close(const st_layout *layout, uint8_t *block) {
    for (uint32_t c = 0; c < layout->count; c++) set_stored_as(block, c, 0);
}

void st_pending_open(const st_layout *layout, uint32_t column, uint8_t *block) {
    set_stored_as(block, column, layout->fields[column].stored_as);
}

/* ---- Back into the block ---------------------------------------------- */

bool st_cells_equal(st_field field, uint32_t column, const st_row_ref *a, const st_row_ref *b) {
    st_packing packing = (st_packing)field.packing;
    uint32_t left = strata_block_entry(a->block, column), right = strata_block_entry(b->block, column);
    if (field.nullable) {
        bool null = strata_block_null(a->block, left, a->slot);
        if (null != strata_block_null(b->block, right, b->slot)) return false;
        if (null) return true;
    }
    if (packing == ST_PACK_SIGNED || packing == ST_PACK_UNSIGNED)
        return load_number(packing, a->block, left, a->slot) == load_number(packing, b->block, right, b->slot);
    if (packing == ST_PACK_BYTES)
        return strata_block_large(a->block, left, a->slot) == strata_block_large(b->block, right, b->slot) &&
               st_compare(st_block_bytes(a->block, left, a->slot),
                          st_block_bytes(b->block, right, b->slot)) == 0;
    size_t size = st_packing_size(packing);
    return left != 0 && right != 0 && memcmp(a->block + strata_entry_offset(left) + size * a->slot,
                                             b->block + strata_entry_offset(right) + size * b->slot, size) == 0;
}

/* A cell of fixed size in a block, and its new value. */
typedef struct patch {
    uint8_t *block;
    uint32_t entry, slot;
    const uint8_t *cell;
    bool null;
} patch;

/* Stores whether the cell is null. False if it is and the column has no bitmap. */
static bool patch_null(const patch *p) {
    if ((strata_entry_flags(p->entry) & STRATA_ENTRY_NULLS) == 0) return !p->null;
    size_t bitmap = (strata_block_rows(p->block) + 7) / 8;
    uint8_t *byte = p->block + strata_entry_offset(p->entry) - bitmap + p->slot / 8;
    uint8_t bit = (uint8_t)(1u << p->slot % 8);
    *byte = (uint8_t)(p->null ? *byte | bit : *byte & ~bit);
    return true;
}

static bool number_fits(uint64_t number, bool is_signed, uint32_t width) {
    return (is_signed ? st_width_signed((int64_t)number) : st_width_unsigned(number)) <= width;
}

static bool patch_number(const patch *p, bool is_signed) {
    uint64_t number = p->null ? 0 : strata_load64(p->cell);
    uint32_t width = strata_entry_width(p->entry);
    if (!number_fits(number, is_signed, width)) return false;
    st_store_width(p->block + strata_entry_offset(p->entry) + (size_t)p->slot * width, width, number);
    return true;
}

static bool patch_fixed(const patch *p) {
    static const uint8_t zeros[16];
    size_t size = strata_entry_width(p->entry);
    memcpy(p->block + strata_entry_offset(p->entry) + p->slot * size, p->null ? zeros : p->cell, size);
    return true;
}

/* Does the new value equal what a cell of an absent column reads as? */
static bool is_absent(const patch *p, st_field field) {
    uint8_t any = 0;
    if (field.nullable) return p->null;
    for (uint32_t i = 0; i < st_packing_size((st_packing)field.packing); i++) any |= p->cell[i];
    return any == 0;
}

static bool patch_cell(uint8_t *block, st_field field, uint32_t column, const st_row_ref *before,
                       const st_row_ref *after) {
    uint32_t entry = strata_block_entry(after->block, column);
    patch p = { block, strata_block_entry(before->block, column), before->slot,
                after->block + strata_entry_offset(entry), false };
    p.null = field.nullable && p.cell[-1] != 0;
    if (p.entry == 0) return is_absent(&p, field);
    if (!patch_null(&p)) return false;
    if (field.packing == ST_PACK_SIGNED || field.packing == ST_PACK_UNSIGNED)
        return patch_number(&p, field.packing == ST_PACK_SIGNED);
    return patch_fixed(&p);
}

bool st_block_patch(uint8_t *block, const st_layout *layout, const st_row_ref *before, const st_row_ref *after) {
    /* A block that is written gets the newest layout, so one of an older layout cannot be patched. */
    if (strata_block_columns(block) != layout->count) return false;
    for (uint32_t c = 0; c < layout->count; c++) {
        st_field field = layout->fields[c];
        bool fits;
        if (field.packing == ST_PACK_NONE) fits = strata_block_entry(before->block, c) == 0; /* a dropped column */
        else if (field.packing == ST_PACK_BYTES) fits = st_cells_equal(field, c, before, after);
        else fits = patch_cell(block, field, c, before, after);
        if (!fits) return false;
    }
    return true;
}

/* ---- A single number -------------------------------------------------- */

bool st_block_can_store(const uint8_t *block, const st_layout *layout, uint32_t column, uint64_t number) {
    st_packing packing = (st_packing)layout->fields[column].packing;
    uint32_t entry = strata_block_entry(block, column), width = strata_entry_width(entry);
    if (strata_block_columns(block) != layout->count || entry == 0) return false;
    if (packing == ST_PACK_FLOAT || packing == ST_PACK_DOUBLE) return width == st_packing_size(packing);
    return packing == ST_PACK_SIGNED && (width == 1 || width == 2 || width == 4 || width == 8) &&
           number_fits(number, true, width);
}

void st_block_store(uint8_t *block, const st_layout *layout, uint32_t column, uint32_t slot, uint64_t number) {
    uint8_t cell[8];
    st_store64(cell, number);
    patch p = { block, strata_block_entry(block, column), slot, cell, false };
    (void)patch_null(&p);
    if (layout->fields[column].packing == ST_PACK_SIGNED) (void)patch_number(&p, true);
    else (void)patch_fixed(&p);
}
