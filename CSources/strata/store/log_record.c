/* SPDX-License-Identifier: MIT
 * log_record.c -- what a log has of one commit. */
#include "store/log_record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "page/page.h"
#include "page/page_delta.h"

enum { STEP = 4096 };
enum { AT_COMMIT = 8, AT_CHECKSUM = 16, AT_RUNS = 20, AT_SIZE = 24, AT_META = 32, HEAD = 192 };
enum { RUN_COUNT = 8, RUN_DELTA = 10, RUN_HOLE = 12, RUN_HOLE_END = 14, RUN = 16, BASE = 8 };

static size_t whole_steps(size_t size) { return (size + STEP - 1) / STEP * STEP; }

static bool make_room(st_log_record *record, size_t size) {
    if (size <= record->capacity) return true;
    uint8_t *bytes = realloc(record->bytes, size);
    if (bytes == NULL) return false;
    record->bytes = bytes;
    record->capacity = size;
    return true;
}

/* ---- Runs ------------------------------------------------------------- */

/* Finds the hole of the page of a tree. The page of a value says by its flags that it is none of these, and pages
 * behind its first one, which may hold anything, are of the same run. */
static void find_hole(const uint8_t *bytes, uint32_t page_size, st_log_run *run) {
    st_page page;
    if (run->count != 1 || st_page_open(bytes, run->number, page_size, &page) != NULL) return;
    run->hole = (uint16_t)(ST_PAGE_HEADER + 2 * page.nodes);
    run->hole_end = (uint16_t)page.upper;
}

/* What is behind a value is not part of it, and may be anything. */
static void set_hole(const st_page_file *file, uint32_t value_end, st_log_run *run) {
    if (value_end == 0) {
        find_hole(file->map + run->number * file->page_size, file->page_size, run);
    } else {
        run->hole = (uint16_t)value_end;
        run->hole_end = (uint16_t)file->page_size;
    }
}

static void write_run(uint8_t *at, const st_log_run *run) {
    st_store64(at, run->number);
    st_store16(at + RUN_COUNT, run->count);
    st_store16(at + RUN_DELTA, run->delta);
    st_store16(at + RUN_HOLE, run->hole);
    st_store16(at + RUN_HOLE_END, run->hole_end);
}

st_log_run st_log_record_run(const st_log_record *record, uint32_t index) {
    const uint8_t *at = record->bytes + HEAD + RUN * index;
    return (st_log_run){ strata_load64(at), strata_load16(at + RUN_COUNT), strata_load16(at + RUN_DELTA),
                         strata_load16(at + RUN_HOLE), strata_load16(at + RUN_HOLE_END) };
}

static void copy_used(uint8_t *out, const st_log_run *run, const uint8_t *pages, uint32_t page_size) {
    memcpy(out, pages, run->hole);
    memcpy(out + run->hole, pages + run->hole_end, (size_t)run->count * page_size - run->hole_end);
}

/* The same, but not copied if there is no hole, or nothing behind it. */
static const uint8_t *without_hole(uint8_t *room, const st_log_run *run, const uint8_t *page, uint32_t page_size) {
    if (run->hole == run->hole_end || run->hole_end == page_size) return page;
    copy_used(room, run, page, page_size);
    return room;
}

/* If the page has enough of its base, `run` gets a delta. `room` is for two pages. */
static void put_delta(uint8_t *at, st_log_run *run, const st_page_file *file, const st_page_run *pages, uint8_t *room) {
    const uint32_t size = file->page_size;
    const uint8_t *page = file->map + run->number * size, *other = file->map + pages->base * size;
    st_log_run base_run = { .number = pages->base, .count = 1 };
    find_hole(other, size, &base_run); /* as who reads the record does, who knows of no value */
    if (pages->base_used != 0 && base_run.hole != base_run.hole_end) return;
    set_hole(file, pages->base_used, &base_run);
    size_t used = st_log_run_used(run, size), most = used - used / 4;
    if (most <= BASE) return;
    size_t bytes = st_page_delta_make(without_hole(room, &base_run, other, size), st_log_run_used(&base_run, size),
                                      without_hole(room + size, run, page, size), used, at + BASE, most - BASE);
    if (bytes == 0) return;
    st_store64(at, pages->base);
    run->delta = (uint16_t)(BASE + bytes);
}

bool st_log_page_fill(const st_log_run *run, uint32_t page_size, const uint8_t *bytes, const uint8_t *base,
                      uint8_t *room, uint8_t *out) {
    size_t used = st_log_run_used(run, page_size);
    if (run->delta != 0) {
        st_log_run base_run = { .number = st_log_run_base(bytes), .count = 1 };
        find_hole(base, page_size, &base_run);
        base = without_hole(room, &base_run, base, page_size);
        if (!st_page_delta_apply(base, st_log_run_used(&base_run, page_size), bytes + BASE, out, used)) return false;
    } else {
        memcpy(out, bytes, used);
    }
    memmove(out + run->hole_end, out + run->hole, used - run->hole);
    memset(out + run->hole, 0, (size_t)(run->hole_end - run->hole));
    return true;
}

bool st_log_page_agrees(const st_log_run *run, uint32_t page_size, const uint8_t *bytes, const uint8_t *page,
                        uint8_t *room) {
    return st_page_delta_agrees(bytes + BASE, without_hole(room, run, page, page_size),
                                st_log_run_used(run, page_size));
}

/* ---- Records ---------------------------------------------------------- */

static void finish(st_log_record *record, const st_log_header *header, const st_page_file *file) {
    memset(record->bytes, 0, HEAD);
    st_store64(record->bytes, header->salt);
    st_store64(record->bytes + AT_COMMIT, file->txnid);
    st_store32(record->bytes + AT_RUNS, record->runs);
    st_store64(record->bytes + AT_SIZE, record->size);
    memcpy(record->bytes + AT_META, st_page_file_meta(file, file->txnid), ST_META_SIZE);
    st_store32(record->bytes + AT_CHECKSUM, st_log_checksum(record->bytes, record->size, AT_CHECKSUM));
}

bool st_log_record_make(st_log_record *record, const st_log_header *header, const st_page_file *file,
                        const st_page_runs *runs, const st_key_set *known) {
    size_t head = HEAD + RUN * runs->count, most = whole_steps(head + runs->pages * file->page_size);
    if (!make_room(record, most + 2 * (size_t)file->page_size)) return false;
    uint8_t *at = record->bytes + head, *room = record->bytes + most;
    for (size_t i = 0; i < runs->count; i++) {
        const st_page_run *pages = &runs->all[i];
        const uint8_t *first = file->map + pages->number * file->page_size;
        st_log_run run = { .number = pages->number, .count = (uint16_t)pages->count };
        set_hole(file, pages->used, &run);
        bool based = pages->base != 0 && pages->base != pages->number; /* itself: in a damaged file */
        if (based && st_key_set_has(known, pages->base)) put_delta(at, &run, file, pages, room);
        if (run.delta == 0) copy_used(at, &run, first, file->page_size);
        write_run(record->bytes + HEAD + RUN * i, &run);
        at += st_log_run_size(&run, file->page_size);
    }
    size_t used = (size_t)(at - record->bytes);
    record->size = whole_steps(used);
    memset(at, 0, record->size - used);
    record->runs = (uint32_t)runs->count;
    record->pages_at = head;
    finish(record, header, file);
    return true;
}

bool st_log_record_has_bases(const st_log_record *record, uint32_t page_size, const st_key_set *known) {
    const uint8_t *bytes = record->bytes + record->pages_at;
    for (uint32_t i = 0; i < record->runs; i++) {
        const st_log_run run = st_log_record_run(record, i);
        if (run.delta != 0 && !st_key_set_has(known, st_log_run_base(bytes))) return false;
        bytes += st_log_run_size(&run, page_size);
    }
    return true;
}

bool st_log_record_add_pages(const st_log_record *record, st_key_set *known) {
    bool all = true;
    for (uint32_t i = 0; i < record->runs && all; i++) {
        const st_log_run run = st_log_record_run(record, i);
        for (uint32_t n = 0; n < run.count && all; n++) all = st_key_set_add(known, run.number + n, NULL);
    }
    if (!all) st_key_set_clear(known);
    return all;
}

int st_log_record_write(int file, const st_log_record *record, uint64_t at) {
    return st_write_at(file, record->bytes, record->size, at);
}

/* Is that the base and the delta of a page? */
static bool delta_fits(const st_log_run *run, uint32_t page_size, const uint8_t *bytes) {
    uint64_t base = st_log_run_base(bytes);
    return base >= 2 && base < UINT64_C(1) << 47 && base != run->number &&
           st_page_delta_fits(bytes + BASE, run->delta - BASE, st_log_run_used(run, page_size));
}

/* Can there be such a run in a commit whose last page is `last`? */
static bool run_fits(const st_log_run *run, uint32_t page_size, uint64_t last) {
    bool has_hole = run->hole != run->hole_end;
    return run->number >= 2 && run->number <= last && run->count > 0 && run->count <= ST_LOG_MOST_PAGES &&
           run->count <= last - run->number + 1 && run->hole <= run->hole_end && run->hole_end <= page_size &&
           (!has_hole || (run->count == 1 && run->hole >= ST_PAGE_HEADER)) &&
           (run->delta == 0 || (run->count == 1 && run->delta > BASE && run->delta <= page_size));
}

/* Are there the bytes of all runs and no more, all of them pages of the commit, whose meta page it is? */
static bool fits(const st_log_record *record, uint32_t page_size, uint64_t commit) {
    const uint8_t *meta = st_log_record_meta(record);
    uint64_t last = st_meta_last(meta), size = record->pages_at, pages = 0;
    if (!st_meta_fits(meta, page_size, commit & 1) || st_meta_txnid(meta) != commit || last >= UINT64_C(1) << 47)
        return false;
    for (uint32_t i = 0; i < record->runs; i++) {
        const st_log_run run = st_log_record_run(record, i);
        const uint8_t *bytes = record->bytes + size;
        if (!run_fits(&run, page_size, last)) return false;
        size += st_log_run_size(&run, page_size);
        pages += run.count;
        if (size > record->size || pages > ST_LOG_MOST_PAGES) return false;
        if (run.delta != 0 && !delta_fits(&run, page_size, bytes)) return false;
    }
    return whole_steps(size) == record->size;
}

int st_log_record_read(int file, uint64_t at, const st_log_header *header, uint64_t commit, st_log_record *out) {
    const uint64_t most_runs = ST_LOG_MOST_PAGES; /* each has a page at least */
    uint8_t head[HEAD];
    int code = st_read_at(file, head, sizeof head, at);
    if (code != 0) return code;
    if (strata_load64(head) != header->salt || strata_load64(head + AT_COMMIT) != commit) return ENODATA;
    uint64_t size = strata_load64(head + AT_SIZE), runs = strata_load32(head + AT_RUNS);
    if (runs > most_runs || size < HEAD + RUN * runs || size % STEP != 0 ||
        size > whole_steps(HEAD + RUN * runs + most_runs * header->page_size))
        return ENODATA;
    if (!make_room(out, size)) return ENOMEM;
    out->size = size;
    code = st_read_at(file, out->bytes, size, at);
    if (code != 0) return code;
    out->runs = (uint32_t)runs;
    out->pages_at = HEAD + RUN * runs;
    bool intact = strata_load32(out->bytes + AT_CHECKSUM) == st_log_checksum(out->bytes, size, AT_CHECKSUM);
    return intact && fits(out, header->page_size, commit) ? 0 : ENODATA;
}
