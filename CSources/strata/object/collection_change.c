/* SPDX-License-Identifier: MIT
 * collection_change.c -- changing collections. */
#include <stdlib.h>

#include "base/status.h"
#include "base/utf8.h"
#include "object/collection_change.h"
#include "collection/source.h"

strata_status st_change_begin(strata_row *row, uint32_t column, strata_collection kind, st_change *out,
                              strata_error *error) {
    strata_view *view = st_row_view(row);
    strata_status status = st_writes_ready(view, error);
    if (status != STRATA_OK) return status;
    bool recent = st_is_recent(view, row, column) && view->recent->source.edit != NULL;
    out->view = view;
    out->origin = row->key;
    if (recent && (kind == STRATA_SINGLE || view->recent->source.column->collection == kind)) {
        out->column = view->recent->source.column;
        out->table = &view->catalog->tables[row->table];
        out->edit = view->recent->source.edit;
        return STRATA_OK;
    }
    status = st_collection_column(row, column, kind, &out->column, error);
    if (status != STRATA_OK) return status;
    out->table = &view->catalog->tables[row->table];
    status = st_edit_begin(row, column, &out->edit, error);
    if (status != STRATA_OK) return status;
    st_source source;
    st_source_edited(view, out->column, out->edit, &source);
    st_remember(view, row, column, &source);
    return STRATA_OK;
}

strata_status st_change_end(strata_view *view, strata_status status, strata_error *error) {
    if (status == STRATA_OK) return st_writes_trim(view, error);
    view->writes->failed = true;
    return status;
}

strata_status st_change_check(const st_change *c, const strata_value *values, uint64_t count, strata_error *error) {
    for (uint64_t i = 0; i < count; i++) {
        strata_status status = st_element_check(c->table, c->column, &values[i], error);
        if (status == STRATA_OK && values[i].type == STRATA_NESTED && c->column->collection == STRATA_SET)
            status = st_fail(error, STRATA_TYPE, 0, "%s.%s is a set and cannot hold a list or map", c->table->name,
                             c->column->name);
        if (status == STRATA_OK) status = st_link_targets_check(c->view, c->table, c->column, &values[i], error);
        if (status != STRATA_OK) return status;
    }
    return STRATA_OK;
}

/* ---- Inserting -------------------------------------------------------- */

/* The part to insert into at `position`, loaded, with room for at least one element. */
static strata_status part_for_insert(const st_change *c, uint64_t position, size_t *out, uint64_t *start,
                                     strata_error *error) {
    st_edit *edit = c->edit;
    if (edit->part_count == 0 && st_part_insert(edit, 0) == NULL) return st_no_memory(error, "changing a collection");
    *out = st_edit_locate(edit, position, start);
    if (edit->parts[*out].count >= ST_LONGEST_PART && position == edit->count) { /* what is appended fills parts */
        *out = edit->part_count;
        *start = position;
        return st_part_insert(edit, *out) == NULL ? st_no_memory(error, "changing a collection") : STRATA_OK;
    }
    strata_status status = st_part_load(c->view, c->column, edit, &edit->parts[*out], error);
    while (status == STRATA_OK && edit->parts[*out].count >= ST_LONGEST_PART) {
        if (!st_part_cut(c->view, c->column, edit, *out)) return st_no_memory(error, "changing a collection");
        *out = st_edit_locate(edit, position, start);
    }
    return status;
}

strata_status st_change_insert(const st_change *c, uint64_t position, const strata_value *const *columns,
                               uint64_t count, strata_error *error) {
    for (uint64_t done = 0; done < count;) {
        size_t at = 0;
        uint64_t start = 0;
        strata_status status = part_for_insert(c, position + done, &at, &start, error);
        if (status != STRATA_OK) return status;
        st_part *part = &c->edit->parts[at];
        size_t some = ST_LONGEST_PART - part->count, offset = (size_t)(position + done - start);
        if (some > count - done) some = (size_t)(count - done);
        if (!st_part_reserve(c->view, c->column, part, part->count + some))
            return st_no_memory(error, "changing a collection");
        for (uint32_t k = 0; k < st_element_columns(c->column); k++) {
            size_t width = st_element_width(c->column, k);
            uint8_t *to = part->loaded->values[k] + offset * width;
            memmove(to + some * width, to, (part->count - offset) * width);
            st_part_put(c->column, part, k, (uint32_t)offset, (uint32_t)some, columns[k] + done);
        }
        part->count += (uint32_t)some;
        part->loaded->changed = true;
        c->edit->count += some;
        st_part_resized(c->edit, at, (int64_t)some);
        done += some;
    }
    const strata_value *elements = columns[st_element_columns(c->column) - 1];
    for (uint64_t i = 0; st_element_links(c->column) && i < count; i++) {
        strata_status status = st_element_log(c->view, c->column, &elements[i], c->origin, true, error);
        if (status != STRATA_OK) return status;
    }
    return STRATA_OK;
}

enum { FEW = 64 };

strata_status strata_list_insert(strata_row *row, uint32_t column, uint64_t position, const strata_value *values,
                                 uint64_t count, strata_error *error) {
    st_change c;
    strata_value few[FEW], *elements = few;
    strata_status status = st_change_begin(row, column, STRATA_LIST, &c, error);
    if (status == STRATA_OK) status = st_collection_in_range(row, c.column, position, 0, c.edit->count, error);
    if (status == STRATA_OK) status = st_change_check(&c, values, count, error);
    if (status != STRATA_OK || count == 0) return status;
    if (count > FEW) elements = count > SIZE_MAX / sizeof *elements ? NULL : malloc((size_t)count * sizeof *elements);
    if (elements == NULL) return st_no_memory(error, "changing a list");
    const strata_value *columns[1] = { elements };
    status = st_elements_keep(c.view, c.column, values, (size_t)count, elements, error);
    if (status == STRATA_OK) status = st_change_insert(&c, position, columns, count, error);
    if (elements != few) free(elements);
    return st_change_end(c.view, status, error);
}

/* ---- Replacing -------------------------------------------------------- */

strata_status st_change_replace(const st_change *c, uint64_t position, const strata_value *element,
                                strata_error *error) {
    uint64_t start;
    size_t at = st_edit_locate(c->edit, position, &start);
    st_part *part = &c->edit->parts[at];
    strata_status status = st_part_load(c->view, c->column, c->edit, part, error);
    if (status != STRATA_OK) return status;
    strata_value old;
    uint32_t last = st_element_columns(c->column) - 1, slot = (uint32_t)(position - start);
    st_part_get(c->column, part, last, slot, 1, &old);
    if (element->type == STRATA_LINK && old.type == STRATA_LINK && element->as.link == old.as.link) return STRATA_OK;
    status = st_element_log(c->view, c->column, element, c->origin, true, error);
    if (status == STRATA_OK) status = st_element_drop(c->view, c->column, &old, c->origin, error);
    st_part_put(c->column, part, last, slot, 1, element);
    part->loaded->changed = true;
    return status;
}

static strata_status replace_element(const st_change *c, uint64_t position, const strata_value *value,
                                     strata_error *error) {
    strata_value element;
    strata_status status = st_elements_keep(c->view, c->column, value, 1, &element, error);
    return status == STRATA_OK ? st_change_replace(c, position, &element, error) : status;
}

strata_status strata_list_set(strata_row *row, uint32_t column, uint64_t position, const strata_value *value,
                              strata_error *error) {
    st_change c;
    strata_status status = st_change_begin(row, column, STRATA_LIST, &c, error);
    if (status == STRATA_OK) status = st_collection_in_range(row, c.column, position, 1, c.edit->count, error);
    if (status == STRATA_OK) status = st_change_check(&c, value, 1, error);
    if (status != STRATA_OK) return status;
    return st_change_end(c.view, replace_element(&c, position, value, error), error);
}

/* ---- Removing --------------------------------------------------------- */

static strata_status drop_elements(const st_change *c, st_part *part, uint32_t offset, uint32_t count,
                                   strata_error *error) {
    strata_status status = STRATA_OK;
    uint32_t last = st_element_columns(c->column) - 1;
    if (!st_element_has_bytes(c->column) && !st_element_links(c->column)) return STRATA_OK;
    for (uint32_t i = 0; i < count && status == STRATA_OK; i++) {
        strata_value element;
        status = st_part_values(c->view, c->column, c->edit, part, last, offset + i, 1, &element, error);
        if (status == STRATA_OK) status = st_element_drop(c->view, c->column, &element, c->origin, error);
    }
    return status;
}

/* Removes up to `count` elements at `position` that lie in one part; `*out` is how many they were. */
static strata_status remove_some(const st_change *c, uint64_t position, uint64_t count, uint64_t *out,
                                 strata_error *error) {
    uint64_t start;
    size_t at = st_edit_locate(c->edit, position, &start);
    st_part *part = &c->edit->parts[at];
    uint32_t offset = (uint32_t)(position - start), some = part->count - offset;
    if (some > count) some = (uint32_t)count;
    *out = some;
    strata_status status = drop_elements(c, part, offset, some, error);
    if (status != STRATA_OK) return status;
    c->edit->count -= some;
    if (some == part->count) /* goes as it is, loaded or not */
        return st_part_remove(c->edit, at) ? STRATA_OK : st_no_memory(error, "changing a collection");
    status = st_part_load(c->view, c->column, c->edit, part, error);
    if (status != STRATA_OK) return status;
    for (uint32_t k = 0; k < st_element_columns(c->column); k++) {
        size_t width = st_element_width(c->column, k);
        uint8_t *to = part->loaded->values[k] + offset * width;
        memmove(to, to + some * width, (part->count - offset - some) * width);
    }
    part->count -= some;
    part->loaded->changed = true;
    st_part_resized(c->edit, at, -(int64_t)some);
    return STRATA_OK;
}

strata_status strata_collection_remove(strata_row *row, uint32_t column, uint64_t position, uint64_t count,
                                       strata_error *error) {
    st_change c;
    strata_status status = st_change_begin(row, column, STRATA_SINGLE, &c, error);
    if (status == STRATA_OK) status = st_collection_in_range(row, c.column, position, count, c.edit->count, error);
    if (status != STRATA_OK) return status;
    while (count > 0 && status == STRATA_OK) {
        uint64_t removed;
        status = remove_some(&c, position, count, &removed, error);
        count -= removed;
    }
    return st_change_end(c.view, status, error);
}

/* ---- Sets and maps ---------------------------------------------------- */

strata_status strata_set_insert(strata_row *row, uint32_t column, const strata_value *value, bool *out_inserted,
                                uint64_t *out_position, strata_error *error) {
    st_change c;
    st_source source;
    strata_value element;
    const strata_value *columns[1] = { &element };
    bool inserted;
    uint64_t position;
    if (out_inserted == NULL) out_inserted = &inserted;
    if (out_position == NULL) out_position = &position;
    *out_inserted = false;
    *out_position = 0;
    strata_status status = st_change_begin(row, column, STRATA_SET, &c, error);
    if (status == STRATA_OK) status = st_change_check(&c, value, 1, error);
    if (status != STRATA_OK) return status;
    st_source_edited(c.view, c.column, c.edit, &source);
    status = st_source_search(&source, value, out_position, error);
    if (status != STRATA_NOT_FOUND) return status;
    status = st_elements_keep(c.view, c.column, value, 1, &element, error);
    if (status == STRATA_OK) status = st_change_insert(&c, *out_position, columns, 1, error);
    status = st_change_end(c.view, status, error);
    *out_inserted = status == STRATA_OK;
    return status;
}

strata_status st_change_check_key(const st_change *c, strata_bytes key, strata_error *error) {
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

strata_status st_change_keep_key(const st_change *c, strata_bytes key, strata_value *out, strata_error *error) {
    uint8_t *bytes = st_arena_alloc(&c->view->writes->memory, key.size + 1);
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
    strata_status status = st_change_keep_key(c, key, &entry[0], error);
    if (status == STRATA_OK) status = st_elements_keep(c->view, c->column, value, 1, &entry[1], error);
    return status == STRATA_OK ? st_change_insert(c, position, columns, 1, error) : status;
}

strata_status strata_map_set(strata_row *row, uint32_t column, strata_bytes key, const strata_value *value,
                             strata_error *error) {
    st_change c;
    st_source source;
    uint64_t position;
    strata_value wanted = strata_string(key.data, key.size);
    strata_status status = st_change_begin(row, column, STRATA_MAP, &c, error);
    if (status == STRATA_OK) status = st_change_check_key(&c, key, error);
    if (status == STRATA_OK) status = st_change_check(&c, value, 1, error);
    if (status != STRATA_OK) return status;
    st_source_edited(c.view, c.column, c.edit, &source);
    status = st_source_search(&source, &wanted, &position, error);
    if (status < 0) return status;
    if (status == STRATA_OK) status = replace_element(&c, position, value, error);
    else status = insert_entry(&c, position, key, value, error);
    return st_change_end(c.view, status, error);
}

/* ---- Unlinking -------------------------------------------------------- */

/* Takes the links to an object out of the element at a position that has some. */
static strata_status clear_element(const st_change *c, uint64_t position, const strata_value *value, uint32_t target,
                                   uint64_t key, strata_error *error) {
    uint64_t removed;
    if (value->type == STRATA_LINK && c->column->collection != STRATA_MAP)
        return remove_some(c, position, 1, &removed, error);
    strata_value without = strata_null();
    strata_nested *builder = strata_nested_make();
    if (builder == NULL) return st_no_memory(error, "unlinking an object");
    strata_status status = STRATA_OK;
    if (value->type != STRATA_LINK) status = st_mixed_unlink(value, target, key, builder, &without, error);
    if (status == STRATA_OK) status = replace_element(c, position, &without, error);
    strata_nested_free(builder);
    return status;
}

strata_status st_collection_unlink(strata_row *row, uint32_t column, uint32_t target, uint64_t key,
                                   strata_error *error) {
    st_buffer scratch = { 0 };
    strata_value value;
    strata_status status;
    for (uint64_t position = 0;;) {
        st_change c;
        st_source source;
        status = st_change_begin(row, column, STRATA_SINGLE, &c, error);
        if (status != STRATA_OK) break;
        st_source_edited(c.view, c.column, c.edit, &source);
        status = st_source_find_link(&source, target, key, position, &scratch, &position, &value, error);
        if (status != STRATA_OK) break;
        status = st_change_end(c.view, clear_element(&c, position, &value, target, key, error), error);
        if (status != STRATA_OK) break;
    }
    st_buffer_free(&scratch);
    return status == STRATA_NOT_FOUND ? STRATA_OK : status;
}
