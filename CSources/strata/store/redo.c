/* SPDX-License-Identifier: MIT
 * redo.c -- the changes of trees that a write transaction made, so that they can be made again. */
#include "store/redo.h"

#include <string.h>

/* Bytes of a log. Small writes that share a transaction take some hundred bytes to some ten thousand each; after one
 * that takes more, the flush that they share is no longer what costs most. */
enum { LARGEST_LOG = 16 * 1024 * 1024 };

typedef struct record {
    uint32_t value_size;
    uint16_t key_size;
    uint8_t tree;
    uint8_t deletes;
} record;

void st_redo_add(st_redo *redo, const st_redo_change *change) {
    record head = { (uint32_t)change->value.size, (uint16_t)change->key.size, (uint8_t)change->tree, change->deletes };
    size_t size = sizeof head + change->key.size + change->value.size;
    bool fits = !redo->full && change->value.size <= LARGEST_LOG && size <= LARGEST_LOG - redo->log.size &&
                st_buffer_reserve(&redo->log, size);
    if (fits)
        fits = st_buffer_append(&redo->log, &head, sizeof head) &&
               st_buffer_append(&redo->log, change->key.data, change->key.size) &&
               st_buffer_append(&redo->log, change->value.data, change->value.size);
    redo->full = !fits;
}

void st_redo_cut(st_redo *redo, size_t size) {
    redo->log.size = size;
    redo->full = false;
}

bool st_redo_next(const st_redo *redo, size_t *at, st_redo_change *out) {
    record head;
    if (*at >= redo->log.size) return false;
    const uint8_t *from = redo->log.data + *at;
    memcpy(&head, from, sizeof head);
    from += sizeof head;
    *out = (st_redo_change){ (st_tree)head.tree, head.deletes != 0, { from, head.key_size },
                             { from + head.key_size, head.value_size } };
    *at += sizeof head + head.key_size + head.value_size;
    return true;
}

void st_redo_free(st_redo *redo) { st_buffer_free(&redo->log); }
