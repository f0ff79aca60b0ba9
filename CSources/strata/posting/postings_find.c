/* SPDX-License-Identifier: MIT
 * postings_find.c -- finds blocks of a set, and the part of them that is in a range. */
#include "posting/postings_find.h"

#include "base/status.h"
#include "store/tree.h"

strata_status st_postings_damaged(st_posting_set set, strata_error *error, const char *what) {
    return st_fail(error, STRATA_CORRUPT, 0, "%s %u: %s", st_postings_kind(set), set.id, what);
}

/* The last value of a block is also in its name, which is in the cache after the block was found. */
static const uint8_t *last_in_name(const st_posting_view *view, strata_bytes name) {
    size_t size = view->shared_size + (size_t)view->width, end = ST_POSTINGS_ID + size;
    bool fits = view->width != ST_POSTING_MIXED_WIDTH && end >= 8 && name.size == (end + ST_KEY_SIZE + 1) / 2 * 2;
    return fits ? (const uint8_t *)name.data + ST_POSTINGS_ID + view->shared_size : NULL;
}

strata_status st_postings_open_block(st_posting_set set, strata_bytes name, strata_bytes block, st_posting_view *out,
                                     strata_error *error) {
    if (!st_posting_open(block, out)) return st_postings_damaged(set, error, "a block is damaged");
    out->last = last_in_name(out, name);
    return STRATA_OK;
}

strata_status st_postings_skip_total(st_txn *txn, st_posting_set set, strata_bytes *name, strata_bytes *block,
                                     st_found_total *out, strata_error *error) {
    enum { MOST_PASSED = 1 << 16 };
    strata_status status = STRATA_OK;
    out->entries = out->passed = 0;
    while (status == STRATA_OK && st_postings_is_total(*block)) {
        if (out->passed == MOST_PASSED) return st_postings_damaged(set, error, "totals without blocks");
        *out = (st_found_total){ *name, st_postings_total(*block), out->passed + 1 };
        status = st_tree_next(txn, set.tree, name, block, error);
    }
    return status;
}

strata_status st_postings_seek(st_txn *txn, st_posting_set set, const st_postings_name *from, strata_bytes *name,
                               strata_bytes *block, strata_error *error) {
    st_found_total total;
    strata_status status = st_tree_seek(txn, set.tree, st_postings_name_bytes(from), name, block, error);
    return status == STRATA_OK ? st_postings_skip_total(txn, set, name, block, &total, error) : status;
}

bool st_posting_range_is_empty(const st_posting_range *range) {
    if (range->low.data == NULL || range->high.data == NULL) return false;
    int order = st_posting_range_is_of_one(range) ? 0 : st_compare(range->low, range->high);
    return order > 0 || (order == 0 && range->low_key >= range->high_key);
}

void st_posting_range_part(const st_posting_view *view, const st_posting_range *range, uint32_t *out_from,
                           uint32_t *out_to) {
    if (st_posting_range_is_of_one(range)) {
        st_posting_find(view, range->low, range->low_key, range->high_key, out_from, out_to);
        return;
    }
    *out_from = range->low.data == NULL ? 0 : st_posting_lower(view, range->low, range->low_key);
    *out_to = range->high.data == NULL ? view->entries : st_posting_lower(view, range->high, range->high_key);
    if (*out_to < *out_from) *out_to = *out_from;
}
