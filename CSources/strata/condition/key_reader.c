/* SPDX-License-Identifier: MIT
 * key_reader.c -- reads what rows are sorted, grouped and told apart by. */
#include "condition/key_reader.h"

#include "base/status.h"
#include "condition/value.h"
#include "value/decimal.h"
#include "value/decimal_order.h"
#include "value/mixed.h"
#include "value/mixed_order.h"

/* ---- Paths ------------------------------------------------------------ */

static strata_status refuse(st_query *query, const char *what, const st_table *table, const st_column *column,
                            bool last) {
    const char *many = column->collection == STRATA_SINGLE ? NULL : st_collection_name(column->collection);
    if (many != NULL) {
        return st_fail(query->error, STRATA_TYPE, 0, "%s of %s is a %s; a %s has one value for each object",
                       column->name, table->name, many, what);
    }
    if (!last) {
        return st_fail(query->error, STRATA_TYPE, 0, "%s of %s holds %s values; a path goes on only through links",
                       column->name, table->name, st_type_name(column->type));
    }
    return st_fail(query->error, STRATA_TYPE, 0,
                   "%s of %s is a link, which is nothing for a %s; use a property of what it links to", column->name,
                   table->name, what);
}

strata_status st_key_reader_make(st_query *query, const char *what, const strata_step *path, uint32_t length,
                                 uint32_t options, st_key_reader *out) {
    uint32_t at = query->spec->table;
    *out = (st_key_reader){ .path = path, .path_length = length };
    if (length == 0) {
        return st_fail(query->error, STRATA_MISUSE, 0, "a %s on %s names no column", what, query->table->name);
    }
    if (path == NULL) {
        return st_fail(query->error, STRATA_MISUSE, 0, "the path of a %s on %s has %u steps without an address", what,
                       query->table->name, length);
    }
    if (length > STRATA_MAX_STEPS) {
        return st_fail(query->error, STRATA_MISUSE, 0, "the path of a %s on %s has %u steps; there may be %d", what,
                       query->table->name, length, STRATA_MAX_STEPS);
    }
    for (uint32_t i = 0; i < length; i++) {
        const st_table *table = &query->view->catalog->tables[at];
        bool last = i + 1 == length;
        if (path[i].kind != STRATA_STEP_COLUMN) {
            return st_fail(query->error, STRATA_TYPE, 0, "the path of a %s on %s goes through more than to-one links",
                           what, query->table->name);
        }
        const st_column *column = st_view_column(query->view, at, path[i].column, query->error);
        if (column == NULL) return STRATA_MISUSE;
        bool link = column->type == STRATA_LINK;
        if (column->collection != STRATA_SINGLE || (last ? link && (options & ST_KEY_READER_LINKS) == 0 : !link)) {
            return refuse(query, what, table, column, last);
        }
        out->column = column;
        out->field = table->fields[path[i].column];
        at = column->target;
    }
    strata_type type = out->column->type;
    out->kind = type == STRATA_BOOL || type == STRATA_INT || type == STRATA_LINK ? ST_KIND_INT
                : type == STRATA_FLOAT || type == STRATA_DOUBLE || type == STRATA_DATE ? ST_KIND_REAL : ST_KIND_BYTES;
    out->may_be_null = out->field.nullable || length > 1 || type == STRATA_LINK;
    return STRATA_OK;
}

/* ---- Cells ------------------------------------------------------------ */

bool st_key_reader_open(st_query *query, st_key_reader *reader, const uint8_t *block, size_t size) {
    if (block == reader->block) return true;
    reader->block = NULL;
    if (!st_query_vector(query, block, size, reader->column, &reader->vector)) return false;
    reader->block = block;
    return true;
}

/* Follows the links of the path. False if one of them is null, or after a failure. */
static bool follow(st_query *query, const st_key_reader *reader, st_stored_row *row) {
    uint32_t table = query->spec->table;
    for (uint32_t i = 0; i + 1 < reader->path_length; i++) {
        const st_table *owner = &query->view->catalog->tables[table];
        uint32_t number = reader->path[i].column;
        st_vector v;
        if (!st_query_vector(query, row->block, row->size, &owner->columns[number], &v)) return false;
        uint64_t key = (uint64_t)st_vector_int(&v, row->slot);
        table = owner->columns[number].target;
        if (key == 0) return false;
        strata_status status = st_query_find(query, table, key, row);
        if (!st_query_note(query, status) || !st_query_step(query, 1)) return false;
        query->stats.rows_visited++;
    }
    return true;
}

st_key_read st_key_reader_find(st_query *query, st_key_reader *reader, const st_stored_row *row, uint32_t *slot) {
    st_stored_row last = *row;
    if (reader->path_length > 1 && !follow(query, reader, &last)) return ST_READ_NOTHING;
    if (!st_key_reader_open(query, reader, last.block, last.size)) return ST_READ_NOTHING;
    *slot = last.slot;
    if (st_vector_null(&reader->vector, last.slot)) return ST_READ_NULL;
    if (reader->column->type == STRATA_LINK && st_vector_int(&reader->vector, last.slot) == 0) return ST_READ_NULL;
    return ST_READ_VALUE;
}

/* ---- Values ----------------------------------------------------------- */

bool st_key_reader_value(st_query *query, const st_key_reader *reader, uint32_t slot, strata_value *out) {
    const st_vector *v = &reader->vector;
    strata_type type = reader->column->type;
    if (type == STRATA_MIXED) return st_query_mixed(query, v, slot, out);
    *out = strata_null();
    out->type = type;
    switch (type) {
    case STRATA_BOOL: out->as.boolean = st_vector_int(v, slot) != 0; break;
    case STRATA_INT: out->as.integer = st_vector_int(v, slot); break;
    case STRATA_LINK: out->as.link = (uint64_t)st_vector_int(v, slot); break;
    case STRATA_FLOAT: out->as.single = (float)st_vector_real(v, slot); break;
    case STRATA_DOUBLE:
    case STRATA_DATE: out->as.real = st_vector_real(v, slot); break;
    case STRATA_UUID:
    case STRATA_OBJECT_ID:
    case STRATA_DECIMAL: {
        strata_bytes bytes;
        if (!st_query_bytes(query, v, slot, &bytes)) return false;
        memcpy(out->as.fixed, bytes.data, bytes.size < sizeof out->as.fixed ? bytes.size : sizeof out->as.fixed);
        break;
    }
    default: return st_query_bytes(query, v, slot, &out->as.bytes);
    }
    return true;
}

uint64_t st_key_reader_number_of(const strata_value *value) {
    switch (value->type) {
    case STRATA_BOOL: return (value->as.boolean ? 1u : 0u) ^ UINT64_C(1) << 63;
    case STRATA_FLOAT: return st_key_order_real((double)value->as.single);
    case STRATA_DOUBLE:
    case STRATA_DATE: return st_key_order_real(value->as.real);
    case STRATA_LINK: return value->as.link ^ UINT64_C(1) << 63;
    default: return (uint64_t)value->as.integer ^ UINT64_C(1) << 63;
    }
}

/* ---- Bytes ------------------------------------------------------------ */

/* Copies bytes to the buffer of the query. */
static bool to_buffer(st_query *query, const void *bytes, size_t size, strata_bytes *out) {
    query->folded.size = 0;
    if (!st_buffer_append(&query->folded, bytes, size)) {
        return st_query_no_memory(query, "ordering a result");
    }
    *out = (strata_bytes){ query->folded.data, query->folded.size };
    return true;
}

bool st_key_reader_bytes_of(st_query *query, const strata_value *value, bool mixed, strata_bytes *out) {
    if (mixed) {
        query->folded.size = 0;
        if (!st_mixed_order(value, &query->folded)) {
            return st_query_no_memory(query, "ordering a result");
        }
        *out = (strata_bytes){ query->folded.data, query->folded.size };
        return true;
    }
    if (value->type == STRATA_DECIMAL) {
        uint8_t key[ST_DECIMAL_KEY];
        st_decimal_key_encode(strata_decimal_load(value->as.fixed), key);
        return to_buffer(query, key, sizeof key, out);
    }
    if (value->type == STRATA_UUID) return to_buffer(query, value->as.fixed, 16, out);
    if (value->type == STRATA_OBJECT_ID) return to_buffer(query, value->as.fixed, 12, out);
    *out = value->as.bytes;
    return true;
}

bool st_key_reader_bytes(st_query *query, const st_key_reader *reader, uint32_t slot, strata_bytes *out,
                         bool *lasting) {
    const st_vector *v = &reader->vector;
    strata_type type = reader->column->type;
    *lasting = false;
    *out = (strata_bytes){ NULL, 0 };
    if (type == STRATA_MIXED || type == STRATA_DECIMAL) {
        strata_value value;
        return st_key_reader_value(query, reader, slot, &value) &&
               st_key_reader_bytes_of(query, &value, type == STRATA_MIXED, out);
    }
    *lasting = v->large == NULL || !st_bit(v->large, slot);
    return st_query_bytes(query, v, slot, out);
}
