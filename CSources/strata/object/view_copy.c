/* SPDX-License-Identifier: MIT
 * view_copy.c -- a new file with what a view shows. */
#include "strata_copy.h"

#include "store/tree_copy.h"
#include "table/blob.h"
#include "write/flush.h"
#include "write/write_set.h"

/* The write keeps its spare pieces, to write over them; no object of the copy would have them. */
static bool is_spare(const void *spares, st_tree tree, strata_bytes key) {
    uint64_t identity;
    uint32_t piece;
    return tree == ST_BLOBS && st_blob_piece(key, &identity, &piece) && st_blob_spares_has(spares, identity, piece);
}

static strata_status copy_write(strata_view *view, const char *path, strata_error *error) {
    if (view->writes->failed) return st_writes_failure(view->writes, error);
    strata_status status = st_writes_flush(view, error);
    const st_left_out spares = { is_spare, &view->writes->identities.blobs };
    return status == STRATA_OK ? st_tree_copy(view->txn, &spares, path, error) : status;
}

strata_status strata_view_copy(strata_view *view, const char *path, strata_error *error) {
    strata_status status = st_view_readable(view, error);
    if (status != STRATA_OK) return status;
    return view->writes != NULL ? copy_write(view, path, error) : st_tree_copy(view->txn, NULL, path, error);
}
