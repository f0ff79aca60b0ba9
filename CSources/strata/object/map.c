/* SPDX-License-Identifier: MIT
 * map.c -- maps: finding keys, and changing entries. */
#include "object/map.h"

#include "base/status.h"
#include "base/utf8.h"
#include "collection/source_search.h"
#include "object/collection.h"
#include "write/collection_open.h"
#include "write/element_write.h"
#include "write/value_check.h"
#include "write/write_set.h"

/* ---- Reading ---------------------------------------------------------- */

strata_status strata_map_find(strata_row *row, uint32_t column, strata_bytes key, uint64_t *out_position,
                              strata_error *error) {
    st_source s;
    strata_value wanted = strata_string(key.data, key.size);
    *out_position = 0;
    strata_status status = st_source_open_kind(row, column, STRATA_MAP, &s, error);
    if (status == STRATA_OK && key.size != 0 && key.data == NULL)
        status = st_no_address(&s.view->catalog->tables[row->table], s.column, "a key", error);
    return status == STRATA_OK ? st_source_search(&s, &wanted, out_position, error) : status;
}

strata_status strata_map_keys(strata_row *row, uint32_t column, uint64_t position, uint64_t count, strata_bytes *out,
                              strata_error *error) {
    st_source s;
    strata_value batch[ST_SOURCE_BATCH];
    strata_status status = st_source_open_kind(row, column, STRATA_MAP, &s, error);
    if (status == STRATA_OK) status = st_collection_in_range(row, s.column, position, count, s.count, error);
    for (uint64_t done = 0; done < count && status == STRATA_OK; done += ST_SOURCE_BATCH) {
        uint64_t some = count - done < ST_SOURCE_BATCH ? count - done : ST_SOURCE_BATCH;
        status = st_source_values(&s, 0, position + done, some, batch, error);
        for (uint64_t i = 0; i < some && status == STRATA_OK; i++) out[done + i] = batch[i].as.bytes;
    }
    return status;
}

/* ---- Changing --------------------------------------------------------- */

strata_status st_map_check_key(const st_change *c, strata_bytes key, strata_error *error) {
    if (key.size > STRATA_MAX_MAP_KEY)
        return st_fail(error, STRATA_TOO_LARGE, 0, "a key of %zu bytes for the map %s.%s; the limit is %d bytes",
                       key.size, c->table->name, c->column->name, STRATA_MAX_MAP_KEY);
    if (key.size != 0 && key.data == NULL)
        return st_fail(error, STRATA_MISUSE, 0, "a key without an address for the map %s.%s", c->table->name,
                       c->column->name);
    if (st_utf8_valid(key.data, key.size)) return STRATA_OK;
    return st_fail(error, STRATA_TYPE, 0, "a key for the map %s.%s is not valid UTF-8", c->table->name,
                   c->column->name);
}

strata_status st_map_copy_key(const st_change *c, strata_bytes key, strata_value *out, strata_error *error) {
    uint8_t *bytes = st_arena_alloc(&c->view->writes->memory.arena, key.size + 1);
    if (bytes == NULL) return st_no_memory(error, "changing a map");
    if (key.size != 0) memcpy(bytes, key.data, key.size);
    *out = strata_string((const char *)bytes, key.size);
    return STRATA_OK;
}

/* Puts a new entry into a map. */
static strata_status insert_entry(const st_change *c, uint64_t position, strata_bytes key, const strata_value *value,
                                  strata_error *error) {
    strata_value entry[2];
    const strata_value *columns[2] = { &entry[0], &entry[1] };
    strata_status status = st_map_copy_key(c, key, &entry[0], error);
    if (status == STRATA_OK) status = st_elements_copy(c->view, c->column, c->origin, value, 1, &entry[1], error);
    return status == STRATA_OK ? st_change_insert(c, position, columns, 1, error) : status;
}

strata_status strata_map_set(strata_row *row, uint32_t column, strata_bytes key, const strata_value *value,
                             strata_error *error) {
    st_change c;
    st_source source;
    uint64_t position;
    strata_value wanted = strata_string(key.data, key.size);
    strata_status status = st_change_begin(row, column, STRATA_MAP, &c, error);
    if (status == STRATA_OK) status = st_map_check_key(&c, key, error);
    if (status == STRATA_OK) status = st_change_check(&c, value, 1, error);
    if (status != STRATA_OK) return status;
    st_source_edited(c.view, c.column, c.origin, c.edit, &source);
    status = st_source_search(&source, &wanted, &position, error);
    if (status < 0) return status;
    if (status == STRATA_OK) status = st_change_set(&c, position, value, error);
    else status = insert_entry(&c, position, key, value, error);
    return st_change_end(c.view, status, error);
}
