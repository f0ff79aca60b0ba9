/* SPDX-License-Identifier: MIT
 * object_write.c -- writes objects that were read from records. */
#include "transfer/object_write.h"

#include <stdio.h>

#include "base/status.h"
#include "base/utf8.h"
#include "transfer/mixed_read.h"

static strata_status no_memory(strata_error *error) { return st_no_memory(error, "importing"); }

/* ---- Finding ---------------------------------------------------------- */

static const strata_value null_value = { .type = STRATA_NULL };

static bool may_lack_primary(const st_read_table *table) {
    return table->info.primary == UINT32_MAX ||
           (table->columns[table->info.primary].flags & STRATA_COLUMN_NULLABLE) != 0;
}

/* The value of the primary key of an object: null, too, if it may be. NULL if the table has none. */
static const strata_value *primary_of(const st_read_table *table, const st_object *object) {
    if (table->info.primary == UINT32_MAX) return NULL;
    const st_item *item = &object->items[table->info.primary];
    return item->kind == ST_ITEM_VALUE ? &item->value : &null_value;
}

/* An object key as text. */
static bool read_object_key(strata_bytes text, uint64_t *out) {
    const char *digits = text.data;
    *out = 0;
    for (size_t i = 0; i < text.size && text.size <= 15; i++) {
        if (digits[i] < '0' || digits[i] > '9') return false;
        *out = *out * 10 + (uint64_t)(digits[i] - '0');
    }
    return *out != 0;
}

/* The object that is called `name` in this import, or whose object key that is. Where there is a primary key, only the
 * object has a name for which that is null. */
static strata_status find_named(const st_object_writer *w, const st_read_table *table, uint32_t number,
                                strata_bytes name, uint64_t *out, strata_error *error) {
    const st_known_object *known = st_known_named(&w->known, number, name);
    strata_row row;
    if (known != NULL) return *out = known->key, STRATA_OK;
    if (table->info.primary != UINT32_MAX)
        return may_lack_primary(table) ? strata_object_find(w->reading->view, number, &null_value, out, error)
                                       : STRATA_NOT_FOUND;
    if (!w->object_keys || !read_object_key(name, out)) return STRATA_NOT_FOUND;
    return strata_row_bind(w->reading->view, number, *out, &row, error);
}

/* The object key of what a record is about. STRATA_NOT_FOUND: it is new. */
static strata_status find(st_object_writer *w, const st_read_table *table, const st_object *object, uint64_t *out,
                          strata_error *error) {
    const strata_value *primary = primary_of(table, object);
    if (primary != NULL) return strata_object_find(w->reading->view, object->table, primary, out, error);
    if (object->key.size == 0) return STRATA_NOT_FOUND;
    return find_named(w, table, object->table, object->key, out, error);
}

/* May a record say something of an object that is there? */
static bool may_update(const st_object_writer *w, uint32_t table, uint64_t key) {
    const st_known_object *known = st_known_key(&w->known, table, key);
    return w->update || (known != NULL && known->state != ST_KNOWN_DONE);
}

/* ---- Checking --------------------------------------------------------- */

/* `object` is in `record`, or is it. */
static strata_status check_object(st_object_writer *w, const st_object *record, const st_object *object,
                                  strata_error *error);

/* The object of that table that is called `name`, anywhere inside of another; NULL if there is none. */
static const st_object *find_inside(const st_object *object, uint32_t table, strata_bytes name);

static const st_object *find_in_item(const st_item *item, uint32_t table, strata_bytes name) {
    const st_object *found = item->kind == ST_ITEM_OBJECT ? find_inside(item->object, table, name) : NULL;
    for (uint32_t i = 0; item->kind == ST_ITEM_MANY && i < item->count && found == NULL; i++)
        found = find_in_item(&item->items[i], table, name);
    return found;
}

static const st_object *find_inside(const st_object *object, uint32_t table, strata_bytes name) {
    if (object->table == table && object->key.size == name.size && memcmp(object->key.data, name.data, name.size) == 0)
        return object;
    const st_object *found = NULL;
    for (uint32_t c = 0; c < object->column_count && found == NULL; c++)
        found = find_in_item(&object->items[c], table, name);
    return found;
}

/* A link by name to an object with a primary key. If the object is in the same record, as where objects link to each
 * other in circles, it is not known yet, and the link becomes one by the primary key. */
static strata_status check_name(st_object_writer *w, const st_object *record, const st_read_table *table,
                                st_reference *link, strata_error *error) {
    uint64_t key;
    strata_status status = find_named(w, table, link->table, link->key, &key, error);
    if (status != STRATA_NOT_FOUND) return status;
    const st_object *inside = find_inside(record, link->table, link->key);
    const strata_value *primary = inside == NULL ? &null_value : primary_of(table, inside);
    if (primary->type != STRATA_NULL) {
        link->primary = *primary;
        link->key = (strata_bytes){ NULL, 0 };
        return STRATA_OK;
    }
    int length = (int)st_utf8_fit(link->key.data, link->key.size, 60);
    return st_fail(error, STRATA_NOT_FOUND, 0,
                   "no object of %s is called \"%.*s\" so far; a link to one that is there is its primary key",
                   table->info.name, length, (const char *)link->key.data);
}

static strata_status check_item(st_object_writer *w, const st_object *record, st_item *item, strata_error *error) {
    st_read_table *table;
    strata_status status = STRATA_OK;
    if (item->kind == ST_ITEM_OBJECT) return check_object(w, record, item->object, error);
    for (uint32_t i = 0; item->kind == ST_ITEM_MANY && i < item->count && status == STRATA_OK; i++)
        status = check_item(w, record, &item->items[i], error);
    if (item->kind != ST_ITEM_LINK || item->link.key.size == 0) return status;
    status = st_read_table_of(w->reading, item->link.table, &table, error);
    return status != STRATA_OK || may_lack_primary(table) ? status : check_name(w, record, table, &item->link, error);
}

static void describe_primary(const strata_value *primary, char *out, size_t size) {
    if (primary->type == STRATA_INT) snprintf(out, size, "%lld", (long long)primary->as.integer);
    else if (primary->type == STRATA_STRING)
        snprintf(out, size, "'%.*s'", (int)st_utf8_fit(primary->as.bytes.data, primary->as.bytes.size, 60),
                 primary->as.bytes.size == 0 ? "" : (const char *)primary->as.bytes.data);
    else snprintf(out, size, "%s", primary->type == STRATA_NULL ? "null" : "that is given");
}

static strata_status check_object(st_object_writer *w, const st_object *record, const st_object *object,
                                  strata_error *error) {
    bool inner = object != record;
    st_read_table *table;
    uint64_t key;
    char text[80];
    strata_status status = st_read_table_of(w->reading, object->table, &table, error);
    for (uint32_t c = 0; c < object->column_count && status == STRATA_OK; c++)
        status = check_item(w, record, &object->items[c], error);
    bool embedded = (table->info.flags & STRATA_TABLE_EMBEDDED) != 0;
    if (status != STRATA_OK || embedded) return status;
    const strata_value *primary = primary_of(table, object);
    if (primary == &null_value && !may_lack_primary(table))
        return st_fail(error, STRATA_TYPE, 0, "%s.%s is missing, the primary key", table->info.name,
                       table->columns[table->info.primary].name);
    status = find(w, table, object, &key, error);
    if (status == STRATA_NOT_FOUND) return STRATA_OK;
    if (status != STRATA_OK || inner || may_update(w, object->table, key)) return status;
    if (primary == NULL) return st_fail(error, STRATA_DUPLICATE, 0, "two objects of %s have the same \"$key\"",
                                        table->info.name);
    describe_primary(primary, text, sizeof text);
    return st_fail(error, STRATA_DUPLICATE, 0, "an object of %s with the primary key %s is there already",
                   table->info.name, text);
}

strata_status st_object_check(st_object_writer *w, const st_object *object, strata_error *error) {
    return check_object(w, object, object, error);
}

/* ---- Creating --------------------------------------------------------- */

/* What a column of a new object holds if nothing is said of it. */
static strata_value blank(const strata_column_info *column) {
    strata_value value = strata_null();
    bool null = column->name[0] == 0 || column->collection != STRATA_SINGLE || column->type == STRATA_LINK ||
                column->type == STRATA_MIXED || (column->flags & STRATA_COLUMN_NULLABLE) != 0;
    if (!null) value.type = column->type;
    if (value.type == STRATA_DECIMAL) value.as.fixed[15] = 0x30, value.as.fixed[14] = 0x40; /* 0 with exponent 0 */
    return value;
}

static strata_status create(st_object_writer *w, const st_read_table *table, uint32_t number,
                            const strata_value *values, uint64_t *out, strata_error *error) {
    return strata_object_create(w->reading->view, number, values, table->info.column_count, out, error);
}

static strata_status blank_values(st_object_writer *w, const st_read_table *table, strata_value **out,
                                  strata_error *error) {
    *out = st_arena_alloc(w->reading->memory, table->info.column_count * sizeof **out + 1);
    if (*out == NULL) return no_memory(error);
    for (uint32_t c = 0; c < table->info.column_count; c++) (*out)[c] = blank(&table->columns[c]);
    return STRATA_OK;
}

/* The object that a link leads to. Returns STRATA_OK or STRATA_NOT_FOUND. */
static strata_status find_target(st_object_writer *w, const st_reference *link, uint64_t *out, strata_error *error) {
    st_read_table *table;
    if (link->key.size == 0) return strata_object_find(w->reading->view, link->table, &link->primary, out, error);
    strata_status status = st_read_table_of(w->reading, link->table, &table, error);
    return status == STRATA_OK ? find_named(w, table, link->table, link->key, out, error) : status;
}

/* The same; if it is not there, one is created that waits for its record. */
static strata_status resolve(void *context, const st_reference *link, uint64_t *out, strata_error *error) {
    st_object_writer *w = context;
    st_read_table *table;
    strata_value *values;
    strata_status status = find_target(w, link, out, error);
    if (status != STRATA_NOT_FOUND) return status;
    status = st_read_table_of(w->reading, link->table, &table, error);
    if (status == STRATA_OK) status = blank_values(w, table, &values, error);
    if (status == STRATA_OK && link->key.size == 0) values[table->info.primary] = link->primary;
    if (status == STRATA_OK) status = create(w, table, link->table, values, out, error);
    return status == STRATA_OK ? st_known_add(&w->known, link->table, *out, link->key, ST_KNOWN_MISSING, error)
                               : status;
}

/* ---- Values ----------------------------------------------------------- */

static strata_status write_object(st_object_writer *w, const st_object *object, bool inner, uint64_t *out,
                                  strata_error *error);

/* An item as a value, which may be lent by the builder of mixed values. */
static strata_status item_value(st_object_writer *w, const st_item *item, strata_value *out, strata_error *error) {
    uint64_t key = 0;
    strata_status status = STRATA_OK;
    switch (item->kind) {
    case ST_ITEM_LINK: status = resolve(w, &item->link, &key, error); break;
    case ST_ITEM_OBJECT: status = write_object(w, item->object, true, &key, error); break;
    case ST_ITEM_MIXED: return st_mixed_build(w->reading, item->json, resolve, w, out, error);
    default: *out = item->value; return STRATA_OK;
    }
    *out = strata_link(key);
    return status;
}

static strata_status bind(st_object_writer *w, uint32_t table, uint64_t key, strata_row *out, strata_error *error) {
    strata_status status = strata_row_bind(w->reading->view, table, key, out, error);
    if (status != STRATA_NOT_FOUND) return status;
    return st_fail(error, STRATA_MISUSE, 0, "an object was deleted while it was imported");
}

/* ---- Collections ------------------------------------------------------ */

static strata_status insert(strata_row *row, uint32_t column, const strata_column_info *info, const st_item *item,
                            uint32_t from, uint32_t count, const strata_value *values, strata_error *error) {
    uint64_t inserted, end;
    if (info->collection == STRATA_SET) return strata_set_insert_all(row, column, values, count, &inserted, error);
    if (info->collection == STRATA_MAP)
        return strata_map_set_all(row, column, item->names + from, values, count, error);
    strata_status status = strata_collection_size(row, column, &end, error);
    return status == STRATA_OK ? strata_list_insert(row, column, end, values, count, error) : status;
}

/* Mixed values are inserted one by one, since each is lent until the next is built. */
static strata_status fill(st_object_writer *w, strata_row *row, uint32_t column, const strata_column_info *info,
                          const st_item *item, strata_error *error) {
    uint32_t step = info->type == STRATA_MIXED ? 1 : item->count;
    strata_value *values = st_arena_alloc(w->reading->memory, step * sizeof *values + 1);
    strata_status status = values == NULL ? no_memory(error) : STRATA_OK;
    for (uint32_t from = 0; from < item->count && status == STRATA_OK; from += step) {
        for (uint32_t i = 0; i < step && status == STRATA_OK; i++)
            status = item_value(w, &item->items[from + i], &values[i], error);
        if (status == STRATA_OK) status = insert(row, column, info, item, from, step, values, error);
    }
    return status;
}

/* ---- Changing --------------------------------------------------------- */

static bool embeds(st_object_writer *w, const strata_column_info *info) {
    strata_table_info target;
    return info->type == STRATA_LINK && strata_table_get(w->reading->view, info->target, &target) == STRATA_OK &&
           (target.flags & STRATA_TABLE_EMBEDDED) != 0;
}

/* The embedded objects of a column are deleted, which takes them out of it. */
static strata_status remove_embedded(st_object_writer *w, strata_row *row, uint32_t column,
                                     const strata_column_info *info, strata_error *error) {
    strata_value value;
    uint64_t count = 1;
    strata_status status = STRATA_OK;
    while (status == STRATA_OK && count > 0) {
        if (info->collection == STRATA_SINGLE) {
            status = strata_row_ready(row);
            if (status == STRATA_OK) status = strata_row_get(row, column, &value, error);
        } else {
            status = strata_collection_size(row, column, &count, error);
            if (status != STRATA_OK || count == 0) return status;
            status = strata_collection_get(row, column, count - 1, 1, &value, error);
        }
        if (status != STRATA_OK) return status;
        if (value.type == STRATA_LINK)
            status = strata_object_remove(w->reading->view, info->target, value.as.link, error);
        else if (info->collection == STRATA_SINGLE) return STRATA_OK;
        if (status == STRATA_OK && info->collection == STRATA_MAP)
            status = strata_collection_remove(row, column, count - 1, 1, error);
        if (info->collection == STRATA_SINGLE) count = 0;
    }
    return status;
}

static strata_status empty(st_object_writer *w, strata_row *row, uint32_t column, const strata_column_info *info,
                           strata_error *error) {
    uint64_t count = 0;
    if (embeds(w, info)) {
        strata_status status = remove_embedded(w, row, column, info, error);
        if (status != STRATA_OK || info->collection == STRATA_SINGLE) return status;
    }
    if (info->collection == STRATA_SINGLE) return STRATA_OK;
    strata_status status = strata_collection_size(row, column, &count, error);
    return status == STRATA_OK && count > 0 ? strata_collection_remove(row, column, 0, count, error) : status;
}

/* Writes what is said of a column of an object that is there. `fresh`: nothing is in the column. */
static strata_status write_item(st_object_writer *w, strata_row *row, uint32_t column, const strata_column_info *info,
                                const st_item *item, bool fresh, strata_error *error) {
    strata_value value;
    strata_status status = fresh ? STRATA_OK : empty(w, row, column, info, error);
    if (status != STRATA_OK) return status;
    if (item->kind == ST_ITEM_MANY) return item->count == 0 ? STRATA_OK : fill(w, row, column, info, item, error);
    status = item_value(w, item, &value, error);
    return status == STRATA_OK ? strata_row_set(row, column, &value, error) : status;
}

static strata_status write_items(st_object_writer *w, const st_read_table *table, const st_object *object,
                                 uint64_t key, const strata_value *values, strata_error *error) {
    strata_row row;
    bool bound = false;
    strata_status status = STRATA_OK;
    for (uint32_t c = 0; c < object->column_count && status == STRATA_OK; c++) {
        const st_item *item = &object->items[c];
        bool has_value = values != NULL && (item->kind == ST_ITEM_VALUE || values[c].type == STRATA_LINK);
        if (item->kind == ST_ITEM_NONE || c == table->info.primary || has_value) continue;
        if (!bound) status = bind(w, object->table, key, &row, error);
        bound = true;
        if (status == STRATA_OK)
            status = write_item(w, &row, c, &table->columns[c], item, values != NULL, error);
    }
    return status;
}

/* The values with which an object is created: those of its record, and the links to what is there. What else it links
 * to is created after it, so that objects come in the order of their records as far as that can be. */
static strata_status new_values(st_object_writer *w, const st_read_table *table, const st_object *object,
                                strata_value **out, strata_error *error) {
    strata_status status = blank_values(w, table, out, error);
    for (uint32_t c = 0; c < object->column_count && status == STRATA_OK; c++) {
        const st_item *item = &object->items[c];
        uint64_t key = 0;
        if (item->kind == ST_ITEM_VALUE) (*out)[c] = item->value;
        if (item->kind != ST_ITEM_LINK) continue;
        status = find_target(w, &item->link, &key, error);
        if (status == STRATA_OK) (*out)[c] = strata_link(key);
        else if (status == STRATA_NOT_FOUND) status = STRATA_OK;
    }
    return status;
}

static void count(st_object_writer *w, const st_read_table *table, uint64_t *what) {
    (*what)++;
    w->keyless += table->info.primary == UINT32_MAX;
}

static strata_status write_new(st_object_writer *w, const st_read_table *table, const st_object *object, bool inner,
                               uint64_t *out, strata_error *error) {
    strata_value *values;
    bool embedded = (table->info.flags & STRATA_TABLE_EMBEDDED) != 0;
    strata_status status = new_values(w, table, object, &values, error);
    if (status == STRATA_OK) status = create(w, table, object->table, values, out, error);
    if (status == STRATA_OK && !embedded && (inner || object->key.size > 0))
        status = st_known_add(&w->known, object->table, *out, object->key, inner ? ST_KNOWN_INNER : ST_KNOWN_DONE,
                              error);
    if (!embedded) count(w, table, &w->created);
    return status == STRATA_OK ? write_items(w, table, object, *out, values, error) : status;
}

static strata_status write_object(st_object_writer *w, const st_object *object, bool inner, uint64_t *out,
                                  strata_error *error) {
    st_read_table *table;
    strata_status status = st_read_table_of(w->reading, object->table, &table, error);
    if (status == STRATA_OK && (table->info.flags & STRATA_TABLE_EMBEDDED) != 0)
        return write_new(w, table, object, true, out, error);
    if (status == STRATA_OK) status = find(w, table, object, out, error);
    if (status == STRATA_NOT_FOUND) return write_new(w, table, object, inner, out, error);
    if (status != STRATA_OK) return status;
    const st_known_object *known = st_known_key(&w->known, object->table, *out);
    bool missing = known != NULL && known->state == ST_KNOWN_MISSING;
    bool was_inner = known != NULL && known->state == ST_KNOWN_INNER;
    if (inner && !may_update(w, object->table, *out)) return STRATA_OK;
    if (missing) count(w, table, &w->created);
    else if (!was_inner) count(w, table, &w->updated);
    if (known != NULL || object->key.size > 0) {
        st_known_state state = inner && (missing || was_inner) ? ST_KNOWN_INNER : ST_KNOWN_DONE;
        status = st_known_add(&w->known, object->table, *out, object->key, state, error);
        if (status != STRATA_OK) return status;
    }
    return write_items(w, table, object, *out, NULL, error);
}

strata_status st_object_write(st_object_writer *w, const st_object *object, strata_error *error) {
    return write_object(w, object, false, &w->last, error);
}

/* ---- Records that only refer ------------------------------------------ */

typedef struct expected { uint32_t table, size; } expected; /* the name follows */

strata_status st_object_expect(st_object_writer *w, uint32_t table, strata_bytes name, strata_error *error) {
    expected head = { table, (uint32_t)name.size };
    if (st_known_named(&w->known, table, name) != NULL) return STRATA_OK;
    return st_buffer_append(&w->elsewhere, &head, sizeof head) && st_buffer_append(&w->elsewhere, name.data, name.size)
               ? STRATA_OK : no_memory(error);
}

/* Counts the expected objects that have not come. */
static strata_status count_expected(st_object_writer *w, uint64_t *out_missing, char *out_first, size_t size,
                                    strata_error *error) {
    strata_status status = STRATA_OK;
    expected head;
    for (size_t at = 0; at < w->elsewhere.size && status == STRATA_OK; at += sizeof head + head.size) {
        const char *record = (const char *)w->elsewhere.data + at, *name = record + sizeof head;
        memcpy(&head, record, sizeof head);
        st_read_table *table;
        if (st_known_named(&w->known, head.table, (strata_bytes){ name, head.size }) != NULL) continue;
        if ((*out_missing)++ > 0) continue;
        status = st_read_table_of(w->reading, head.table, &table, error);
        if (status == STRATA_OK)
            snprintf(out_first, size, "%s \"%.*s\"", table->info.name, (int)st_utf8_fit(name, head.size, 60), name);
    }
    return status;
}

/* ---- The end ---------------------------------------------------------- */

static strata_status name_missing(st_object_writer *w, const st_known_object *known, char *out, size_t size,
                                  strata_error *error) {
    st_read_table *table;
    strata_row row;
    strata_value primary;
    char text[80] = "";
    strata_status status = st_read_table_of(w->reading, known->table, &table, error);
    if (status != STRATA_OK) return status;
    if (known->name_size > 0) {
        const char *name = (const char *)w->known.names.data + known->name;
        snprintf(text, sizeof text, "\"%.*s\"", (int)st_utf8_fit(name, known->name_size, 60), name);
    } else if (strata_row_bind(w->reading->view, known->table, known->key, &row, error) == STRATA_OK &&
               strata_row_get(&row, table->info.primary, &primary, error) == STRATA_OK &&
               !strata_value_is_outside(&primary)) {
        describe_primary(&primary, text, sizeof text);
    }
    snprintf(out, size, "%s %s", table->info.name, text);
    return STRATA_OK;
}

strata_status st_object_writer_finish(st_object_writer *w, bool committed, uint64_t *out_missing, char *out_first,
                                      size_t size, strata_error *error) {
    const st_known_object *objects = (const st_known_object *)(void *)w->known.objects.data;
    size_t count = w->known.objects.size / sizeof *objects;
    strata_status status = STRATA_OK;
    *out_missing = 0;
    for (size_t i = 0; i < count && status == STRATA_OK; i++) {
        bool missing = committed ? st_known_was_missing(&w->known, &objects[i])
                                 : objects[i].state == ST_KNOWN_MISSING;
        if (!missing) continue;
        if ((*out_missing)++ == 0) status = name_missing(w, &objects[i], out_first, size, error);
        if (status == STRATA_OK)
            status = strata_object_remove(w->reading->view, objects[i].table, objects[i].key, error);
        if (status == STRATA_NOT_FOUND) status = STRATA_OK;
    }
    return status == STRATA_OK && !committed ? count_expected(w, out_missing, out_first, size, error) : status;
}

void st_object_writer_free(st_object_writer *w) {
    st_known_free(&w->known);
    st_buffer_free(&w->elsewhere);
}
