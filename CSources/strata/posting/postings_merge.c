/* SPDX-License-Identifier: MIT
 * postings_merge.c -- merges a block of postings and sorted changes into a list of entries. */
#include "posting/postings_merge.h"

#include "base/bits.h"
#include "base/status.h"
#include "posting/postings_find.h"

/* st_compare(), with the first 8 bytes as a number. */
static inline int compare_values(strata_bytes a, strata_bytes b) {
    if (a.size >= 8 && b.size >= 8) {
        uint64_t x = st_load_big64(a.data), y = st_load_big64(b.data);
        if (x != y) return x < y ? -1 : 1;
        if (a.size == 8 && b.size == 8) return 0;
    }
    return st_compare(a, b);
}

/* Consumes the changes to the next changed entry. Returns by how many copies it grows. */
static int64_t consume_change(st_postings_work *a, const st_posting_change **out) {
    const st_posting_change *first = a->changes + a->next;
    strata_bytes value = st_posting_change_value(first);
    int64_t net = 0;
    do {
        net += st_posting_change_added(a->changes + a->next++) ? 1 : -1;
    } while (a->next < a->count && st_posting_change_key(a->changes + a->next) == st_posting_change_key(first) &&
             compare_values(value, st_posting_change_value(a->changes + a->next)) == 0);
    *out = first;
    return net;
}

/* Consumes the changes to the next changed entry, which the block does not have, and adds it to the list. */
static strata_status add_fresh(st_postings_work *a) {
    const st_posting_change *change;
    int64_t net = consume_change(a, &change);
    if (net < 0) {
        return st_fail(a->error, STRATA_CORRUPT, 0, "%s %u has no entry of object %llu, which is to be removed",
                       st_postings_kind(a->set), a->set.id, (unsigned long long)st_posting_change_key(change));
    }
    strata_bytes value = st_posting_change_value(change);
    for (; net > 0; net--) st_posting_list_add(&a->list, value, st_posting_change_key(change));
    return STRATA_OK;
}

/* Merges the entries [from, to) of a run and the changes before `end` that have its value. */
static strata_status merge_run(st_postings_work *a, const st_posting_view *view, strata_bytes value,
                               uint32_t from, uint32_t to, size_t end) {
    strata_status status = STRATA_OK;
    while (from < to || a->next < end) {
        const st_posting_change *change = a->next < end ? a->changes + a->next : NULL;
        if (change != NULL && compare_values(st_posting_change_value(change), value) != 0) change = NULL;
        if (from == to) {
            if (change == NULL) break;
            if ((status = add_fresh(a)) != STRATA_OK) break;
            continue;
        }
        uint64_t key = st_posting_key(view, from);
        if (change != NULL && st_posting_change_key(change) < key) {
            if ((status = add_fresh(a)) != STRATA_OK) break;
            continue;
        }
        /* Entries before the next changed one are copied. */
        uint32_t stop = to;
        if (change != NULL) {
            for (stop = from; stop < to && st_posting_key(view, stop) < st_posting_change_key(change);) stop++;
        }
        if (stop > from) {
            st_posting_list_add(&a->list, value, key);
            st_posting_keys(view, from + 1, stop, a->list.keys + a->list.key_count);
            a->list.key_count += stop - from - 1;
            a->list.runs[a->list.run_count - 1].end = a->list.key_count;
            from = stop;
            continue;
        }
        int64_t copies = consume_change(a, &change);
        for (; from < to && st_posting_key(view, from) == st_posting_change_key(change); from++) copies++;
        if (copies < 0)
            return st_postings_damaged(a->set, a->error, "an entry that is to be removed stands there less often");
        for (; copies > 0; copies--) st_posting_list_add(&a->list, value, st_posting_change_key(change));
    }
    return status;
}

/* Copies the runs [from, to) of a block to the list. */
static bool copy_runs(st_postings_work *a, const st_posting_view *view, uint32_t from, uint32_t to) {
    for (uint32_t run = from; run < to; run++) {
        size_t size = view->shared_size + st_posting_suffix(view, run).size;
        uint8_t *value = st_arena_alloc(&a->values, size);
        if (value == NULL) return false;
        st_posting_value(view, run, value, size);
        uint32_t entry = st_posting_end(view, run), end = st_posting_end(view, run + 1);
        if (run == 0) { /* the list may end with entries of the same value */
            st_posting_list_add(&a->list, (strata_bytes){ value, size }, st_posting_key(view, entry++));
        } else {
            a->list.runs[a->list.run_count++] = (st_posting_run){ value, size, 0 };
        }
        st_posting_keys(view, entry, end, a->list.keys + a->list.key_count);
        a->list.key_count += end - entry;
        a->list.runs[a->list.run_count - 1].end = a->list.key_count;
    }
    return true;
}

/* The first run from `run` on whose value is not less than that of the next change before `end`. If there are few
 * changes, a binary search finds it; if there are many, it is near. */
static uint32_t next_changed_run(const st_postings_work *a, const st_posting_view *view, uint32_t run, size_t end) {
    if (a->next == end) return view->runs;
    strata_bytes value = st_posting_change_value(a->changes + a->next);
    if ((end - a->next) * 8 < view->runs - run) {
        uint32_t entry = st_posting_lower(view, value, 0);
        return entry == view->entries ? view->runs : st_posting_run_of(view, entry);
    }
    while (run < view->runs && st_posting_compare(view, run, value) < 0) run++;
    return run;
}

strata_status st_postings_merge(st_postings_work *work, const st_posting_view *view, size_t end) {
    st_postings_work *a = work;
    strata_status status = STRATA_OK;
    size_t fresh = end - a->next;
    if (!st_posting_list_reserve(&a->list, view->runs + fresh, view->entries + fresh)) {
        return st_no_memory(a->error, "merging an index");
    }
    for (uint32_t run = 0; run < view->runs && status == STRATA_OK;) {
        uint32_t changed = next_changed_run(a, view, run, end);
        if (!copy_runs(a, view, run, changed)) return st_no_memory(a->error, "merging an index");
        run = changed;
        if (run == view->runs) break;
        size_t size = view->shared_size + st_posting_suffix(view, run).size;
        uint8_t *value = st_arena_alloc(&a->values, size);
        if (value == NULL) return st_no_memory(a->error, "merging an index");
        strata_bytes whole = { value, st_posting_value(view, run, value, size) };
        while (a->next < end && status == STRATA_OK) {
            if (compare_values(st_posting_change_value(a->changes + a->next), whole) >= 0) break;
            status = add_fresh(a);
        }
        if (status != STRATA_OK) break;
        status = merge_run(a, view, whole, st_posting_end(view, run), st_posting_end(view, run + 1), end);
        run++;
    }
    while (a->next < end && status == STRATA_OK) status = add_fresh(a);
    return status;
}
