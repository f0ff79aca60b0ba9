/* SPDX-License-Identifier: MIT
 * test_compound.c -- compound indexes: how they are declared, what they hold, and what they can be asked. */
#include <stdio.h>

#include "plan/ranges.h"
#include "posting/postings_apply.h"
#include "posting/postings_read.h"
#include "store/writer.h"
#include "support/strata_support.h"
#include "write/index.h"
#include "support/tuple_support.h"

#define INDEX(...) \
    { sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *), (const char *const[]){ __VA_ARGS__ } }

/* ---- Schema ----------------------------------------------------------- */

static strata_status try_index(fixture *f, strata_index_spec index) {
    strata_column_spec columns[] = { column("a", STRATA_INT, 0), column("b", STRATA_STRING, 0),
                                     column("m", STRATA_MIXED, 0), column("x", STRATA_DOUBLE, 0),
                                     { "l", STRATA_INT, STRATA_LIST, 0, NULL }, link_to("t", "T") };
    strata_table_spec table = { "T", 0, 6, columns, &index, 1 };
    return apply(f, 0, &table, 1);
}

void test_compound_refuses_what_breaks_a_rule(void) {
    fixture *f = fixture_open_memory();
    strata_column_spec columns[] = { column("a", STRATA_INT, 0), column("b", STRATA_STRING, 0) };
    strata_index_spec two[] = { INDEX("a", "b"), INDEX("a", "b") };
    strata_table_spec table = { "T", 0, 2, columns, two, 2 };
    REFUSED(apply(f, 0, &table, 1), STRATA_INVALID_SCHEMA, "T", "two compound indexes", "a");
    table.index_count = STRATA_MAX_INDEXES + 1;
    REFUSED(apply(f, 0, &table, 1), STRATA_INVALID_SCHEMA, "T", "65", "64");
    table.indexes = NULL;
    table.index_count = 1;
    REFUSED(apply(f, 0, &table, 1), STRATA_INVALID_SCHEMA, "T", "address");
    REFUSED(try_index(f, (strata_index_spec)INDEX("a")), STRATA_INVALID_SCHEMA, "T", "1 columns", "from 2 to 8");
    REFUSED(try_index(f, (strata_index_spec)INDEX("a", "b", "t", "a", "b", "t", "a", "b", "t")), STRATA_INVALID_SCHEMA,
            "9 columns");
    REFUSED(try_index(f, (strata_index_spec){ 2, NULL }), STRATA_INVALID_SCHEMA, "T");
    REFUSED(try_index(f, (strata_index_spec)INDEX("a", "nope")), STRATA_INVALID_SCHEMA, "T", "nope");
    REFUSED(try_index(f, (strata_index_spec)INDEX("a", NULL)), STRATA_INVALID_SCHEMA, "T", "NULL");
    REFUSED(try_index(f, (strata_index_spec)INDEX("a", "b", "a")), STRATA_INVALID_SCHEMA, "T", "a twice");
    REFUSED(try_index(f, (strata_index_spec)INDEX("m", "a")), STRATA_INVALID_SCHEMA, "T.m", "compound");
    REFUSED(try_index(f, (strata_index_spec)INDEX("a", "x")), STRATA_INVALID_SCHEMA, "T.x", "compound");
    REFUSED(try_index(f, (strata_index_spec)INDEX("l", "a")), STRATA_INVALID_SCHEMA, "T.l", "single");
    CHECK_EQ(strata_table_count(f->view), 0);
    MUST(try_index(f, (strata_index_spec)INDEX("t", "b", "a")));
    fixture_close(f);
}

static void check_index(fixture *f, uint32_t position, uint32_t count, uint32_t first, uint32_t last) {
    strata_index_info info;
    CHECK_EQ(strata_index_get(f->view, 0, position, &info), STRATA_OK);
    CHECK_EQ(info.column_count, count);
    CHECK_EQ(info.columns[0], first);
    CHECK_EQ(info.columns[count - 1], last);
}

static uint32_t index_number(fixture *f) {
    strata_table_info info;
    CHECK_EQ(strata_table_get(f->view, 0, &info), STRATA_OK);
    return info.index_count;
}

/* Entries in all indexes of the file. */
static uint64_t all_entries(fixture *f) {
    strata_verify_report report;
    MUST(strata_verify(f->view, &report, &f->error));
    return report.index_entries;
}

void test_compound_comes_and_goes(void) {
    enum { ROWS = 700, A, B, C };
    fixture *f = fixture_open("compound");
    strata_column_spec columns[] = { column("a", STRATA_INT, 0),
                                     column("b", STRATA_STRING, STRATA_COLUMN_NULLABLE | STRATA_COLUMN_INDEXED),
                                     column("c", STRATA_DATE, 0), column("d", STRATA_INT, 0) };
    strata_index_spec indexes[] = { INDEX("a", "b"), INDEX("b", "c", "a"), INDEX("a", "c"), INDEX("d", "b") };
    strata_table_spec table = { "Item", 0, 3, columns, indexes, 1 };
    MUST(apply(f, 0, &table, 1));
    CHECK_EQ(index_number(f), 1);
    check_index(f, 0, 2, 0, 1);
    uint8_t *text = pattern(3000, 9);
    MUST(strata_view_begin(f->view, &f->error));
    for (int i = 0; i < ROWS; i++) {
        strata_value string = strata_string((char *)text, i % 50 == 0 ? 3000 : (size_t)i % 90);
        ADD(0, strata_int(i % 20), i % 9 == 0 ? strata_null() : string, strata_date(i % 7));
    }
    MUST(strata_view_commit(f->view, &f->error));
    CHECK_EQ(all_entries(f), 2 * ROWS);

    /* Neither the version nor the order in which they are declared matters. */
    table.index_count = 3;
    MUST(apply(f, 0, &table, 1));
    CHECK_EQ(index_number(f), 3);
    check_index(f, 1, 3, 1, 0);
    CHECK_EQ(all_entries(f), 4 * ROWS);
    uint64_t version = strata_view_version(f->view);
    strata_index_spec swap = indexes[0];
    indexes[0] = indexes[2];
    indexes[2] = swap;
    MUST(apply(f, 0, &table, 1));
    CHECK_EQ(strata_view_version(f->view), version);
    fixture_close(f);

    f = fixture_open("compound"); /* read back from the file */
    CHECK_EQ(index_number(f), 3);
    check_index(f, 2, 2, 0, 2);
    table.index_count = 2;
    MUST(apply(f, 0, &table, 1));
    CHECK_EQ(index_number(f), 2);
    check_index(f, 0, 3, 1, 0);
    check_index(f, 1, 2, 0, 2);
    strata_index_info none;
    CHECK_EQ(strata_index_get(f->view, 0, 2, &none), STRATA_NOT_FOUND);
    CHECK_EQ(strata_index_get(f->view, 1, 0, &none), STRATA_NOT_FOUND);
    CHECK_EQ(all_entries(f), 3 * ROWS);

    /* A column goes, and with it what is indexed by it; one that is added may be indexed at once. */
    strata_column_spec other[] = { columns[0], columns[3], columns[1] };
    strata_table_spec changed = { "Item", 0, 3, other, &indexes[3], 1 };
    REFUSED(apply(f, 0, &changed, 1), STRATA_SCHEMA_MISMATCH, "Item.c was removed", "Item.d was added");
    CHECK_EQ(index_number(f), 2);
    changed.indexes = indexes;
    changed.index_count = 2;
    REFUSED(apply(f, 1, &changed, 1), STRATA_INVALID_SCHEMA, "Item", "c");
    changed.indexes = &indexes[3];
    changed.index_count = 1;
    MUST(apply(f, 1, &changed, 1));
    CHECK_EQ(index_number(f), 1);
    check_index(f, 0, 2, 3, 1);
    CHECK_EQ(all_entries(f), 2 * ROWS);
    verify(f);
    MUST(strata_view_begin(f->view, &f->error));
    for (uint64_t key = 1; key <= ROWS; key += 3) set(f, 0, key, 3, strata_int((int64_t)key));
    MUST(strata_object_delete(f->view, 0, 5, &f->error));
    MUST(strata_view_commit(f->view, &f->error));
    CHECK_EQ(all_entries(f), 2 * (ROWS - 1));

    changed.index_count = 0;
    other[2].flags = STRATA_COLUMN_NULLABLE;
    MUST(apply(f, 1, &changed, 1));
    CHECK_EQ(tree_entries(f, ST_INDEX), 0);
    verify(f);
    free(text);
    fixture_close(f);
}

void test_compound_read_only(void) {
    fixture *f = fixture_open("compound");
    strata_column_spec columns[] = { column("a", STRATA_INT, 0), column("b", STRATA_INT, 0) };
    strata_index_spec index = INDEX("b", "a");
    strata_table_spec table = { "T", 0, 2, columns, &index, 1 };
    MUST(apply(f, 0, &table, 1));
    fixture_close(f);
    f = calloc(1, sizeof *f);
    CHECK(f != NULL);
    strata_config config = { .size = sizeof config, .path = ctest_path("compound"), .flags = STRATA_OPEN_READ_ONLY };
    MUST(strata_store_open(&config, &f->store, &f->error));
    MUST(strata_view_open(f->store, &f->view, &f->error));
    table.index_count = 0;
    MUST(apply(f, 0, &table, 1)); /* of no matter to readers */
    CHECK_EQ(index_number(f), 1);
    fixture_close(f);
}

/* ---- Ranges ----------------------------------------------------------- */

enum { ROWS = 400, COLUMNS = 7, INDEXES = 5 };

typedef struct data {
    fixture *f;
    const st_table *table;
    strata_value rows[ROWS][COLUMNS]; /* of the object with the key that is one more */
    uint64_t random;
    st_arena memory;
} data;

static uint64_t below(data *d, uint64_t limit) { return ctest_random(&d->random) % limit; }

static void open_data(data *d) {
    static const strata_column_spec columns[COLUMNS] = {
        { "s", STRATA_STRING, STRATA_SINGLE, STRATA_COLUMN_NULLABLE, NULL }, { "i", STRATA_INT },
        { "t", STRATA_STRING }, { "d", STRATA_DATE, STRATA_SINGLE, STRATA_COLUMN_NULLABLE, NULL },
        { "l", STRATA_LINK, STRATA_SINGLE, 0, "T" }, { "b", STRATA_BOOL }, { "u", STRATA_UUID },
    };
    const strata_index_spec indexes[INDEXES] = { INDEX("s", "i", "t"), INDEX("i", "s"), INDEX("l", "d", "b"),
                                                 INDEX("u", "l", "t", "s"), INDEX("t", "s", "d", "i", "u", "b") };
    const strata_table_spec table = { "T", 0, COLUMNS, columns, indexes, INDEXES };
    fixture *f = d->f = fixture_open_memory();
    MUST(apply(f, 0, &table, 1));
    MUST(strata_view_begin(f->view, &f->error));
    for (int i = 0; i < ROWS; i++) {
        for (int c = 0; c < COLUMNS; c++) {
            bool nullable = (columns[c].flags & STRATA_COLUMN_NULLABLE) != 0;
            d->rows[i][c] = tuple_random_value(&d->random, columns[c].type, nullable);
        }
        if (i < 5) d->rows[i][4] = strata_null();
        add(f, 0, COLUMNS, d->rows[i]);
    }
    MUST(strata_view_commit(f->view, &f->error));
    verify(f);
    d->table = &f->view->catalog->tables[0];
}

/* A value of the column, most often one that some object has. */
static strata_value random_operand(data *d, uint32_t column, bool nullable) {
    strata_value value = d->rows[below(d, ROWS)][column];
    if (below(d, 4) == 0 || (!nullable && value.type == STRATA_NULL))
        value = tuple_random_value(&d->random, d->table->columns[column].type, false);
    return value.type == STRATA_NULL && !nullable ? strata_link(1) : value;
}

typedef struct question {
    const st_index *index;
    st_compound_probe demand;
    strata_value equal[STRATA_MAX_INDEX_COLUMNS], low, high;
    strata_bytes prefix;
} question;

static void ask(data *d, question *q) {
    *q = (question){ .index = &d->table->indexes[below(d, INDEXES)] };
    uint32_t equal = (uint32_t)below(d, q->index->column_count + 1);
    const strata_value *model = d->rows[below(d, ROWS)]; /* often all values are those of one object */
    for (uint32_t i = 0; i < equal; i++)
        q->equal[i] = below(d, 8) == 0 ? random_operand(d, q->index->columns[i], true) : model[q->index->columns[i]];
    q->demand = (st_compound_probe){ .equal = q->equal, .equal_count = equal, .not_null = below(d, 4) == 0 };
    if (equal == q->index->column_count) return;
    uint32_t next = q->index->columns[equal];
    if (d->table->columns[next].type == STRATA_STRING && below(d, 3) == 0) {
        q->prefix = random_operand(d, next, false).as.bytes;
        q->prefix.size = (size_t)below(d, q->prefix.size + 1);
        q->demand.prefix = &q->prefix;
        return;
    }
    q->low = random_operand(d, next, false);
    q->high = random_operand(d, next, false);
    if (below(d, 2) == 0) q->demand.low = &q->low;
    if (below(d, 2) == 0) q->demand.high = &q->high;
    q->demand.low_open = below(d, 2) == 0;
    q->demand.high_open = below(d, 2) == 0;
}

/* Does the value of the column behind the equal ones meet the demand? */
static bool next_holds(const question *q, const strata_value *value) {
    const st_compound_probe *demand = &q->demand;
    if (demand->prefix != NULL)
        return value->type != STRATA_NULL && value->as.bytes.size >= q->prefix.size &&
               memcmp(value->as.bytes.data, q->prefix.data, q->prefix.size) == 0;
    bool nulls = demand->low == NULL && demand->high == NULL && !demand->not_null;
    if (value->type == STRATA_NULL) return nulls;
    if (demand->low != NULL && tuple_value_order(value, demand->low) < demand->low_open) return false;
    return demand->high == NULL || tuple_value_order(value, demand->high) <= -(int)demand->high_open;
}

/* Those positions of the index, as bits, whose demand the row does not meet. */
static uint32_t unmet(const question *q, const strata_value *row) {
    uint32_t bits = 0, equal = q->demand.equal_count;
    for (uint32_t i = 0; i < equal; i++)
        bits |= (uint32_t)(tuple_value_order(&row[q->index->columns[i]], &q->equal[i]) != 0) << i;
    if (equal < q->index->column_count)
        bits |= (uint32_t)!next_holds(q, &row[q->index->columns[equal]]) << equal;
    return bits;
}

/* Is any string of the demand too long for its part of the smallest key? */
static bool has_long_string(const question *q) {
    enum { SHORT = 6 };
    for (uint32_t i = 0; i < q->demand.equal_count; i++)
        if (q->equal[i].type == STRATA_STRING && q->equal[i].as.bytes.size > SHORT) return true;
    if (q->demand.prefix != NULL && q->prefix.size > SHORT) return true;
    return (q->demand.low != NULL && q->low.type == STRATA_STRING && q->low.as.bytes.size > SHORT) ||
           (q->demand.high != NULL && q->high.type == STRATA_STRING && q->high.as.bytes.size > SHORT);
}

/* Entries come in the order of the columns behind the equal ones and of keys, unless strings were cut. */
static void check_order(data *d, const question *q, strata_bytes entry, uint64_t key, const st_key *last,
                        uint64_t last_key, bool inexact) {
    const strata_value *row = d->rows[key - 1], *before = d->rows[last_key - 1];
    for (uint32_t i = 0; i < q->index->column_count; i++) {
        bool cut = false, last_cut = false;
        size_t size = st_index_entry_size(d->table, q->index, i + 1, entry, &cut);
        size_t last_size =
            st_index_entry_size(d->table, q->index, i + 1, (strata_bytes){ last->bytes, last->size }, &last_cut);
        CHECK(size != 0 && last_size != 0);
        bool same = size == last_size && memcmp(entry.data, last->bytes, size) == 0;
        int order = tuple_value_order(&before[q->index->columns[i]], &row[q->index->columns[i]]);
        CHECK_EQ(same, order == 0);
        if (i < q->demand.equal_count && !inexact) CHECK(same);
        if (same) continue;
        if (!cut || !last_cut) CHECK(order < 0);
        return;
    }
    CHECK(last_key < key);
}

static uint64_t answer(data *d, const question *q) {
    fixture *f = d->f;
    st_posting_range range;
    st_posting_cursor *cursor;
    uint32_t inexact;
    bool found[ROWS] = { false };
    st_key last = { 0 };
    uint64_t key, last_key = 0, count = 0, counted;
    strata_bytes entry;
    st_arena_reset(&d->memory);
    CHECK(st_index_range(&d->memory, &f->view->hash_key, d->table, q->index, &q->demand, &range, &inexact));
    if (!has_long_string(q)) CHECK_EQ(inexact, 0);
    MUST(st_posting_cursor_open(f->view->txn, st_index_set(q->index), &range, false, &cursor, &f->error));
    strata_status status;
    while ((status = st_posting_cursor_next(cursor, &key, &entry, &f->error)) == STRATA_OK) {
        CHECK(key >= 1 && key <= ROWS && !found[key - 1]);
        found[key - 1] = true;
        CHECK_EQ(unmet(q, d->rows[key - 1]) & ~inexact, 0);
        if (last_key != 0) check_order(d, q, entry, key, &last, last_key, inexact != 0);
        memcpy(last.bytes, entry.data, entry.size);
        last.size = (uint16_t)entry.size;
        last_key = key;
        count++;
    }
    CHECK_EQ(status, STRATA_END);
    st_posting_cursor_close(cursor);
    for (int i = 0; i < ROWS; i++)
        if (unmet(q, d->rows[i]) == 0) CHECK(found[i]);
    MUST(st_postings_count(f->view->txn, st_index_set(q->index), &range, &counted, &f->error));
    CHECK_EQ(counted, count);
    return count;
}

void test_compound_ranges(void) {
    static data d;
    uint64_t some = 0, none = 0;
    d = (data){ .random = ctest_seed() };
    open_data(&d);
    for (int i = 0; i < 12000; i++) {
        question q;
        ask(&d, &q);
        uint64_t count = answer(&d, &q);
        some += count != 0;
        none += count == 0;
    }
    CHECK(some > 1000 && none > 1000);
    st_arena_free(&d.memory);
    fixture_close(d.f);
}

/* ---- Damage ----------------------------------------------------------- */

/* Takes an entry out of an index, puts one in, or both. */
static void change_entries(fixture *f, const st_index *index, const st_key *removed, uint64_t key, const st_key *added,
                           uint64_t other) {
    st_posting_batch batch = { 0 };
    st_txn *txn;
    if (removed != NULL)
        CHECK(st_posting_batch_add(&batch, (strata_bytes){ removed->bytes, removed->size }, key, false));
    if (added != NULL) CHECK(st_posting_batch_add(&batch, (strata_bytes){ added->bytes, added->size }, other, true));
    MUST(st_writer_begin(f->store, &txn, &f->error));
    MUST(st_postings_apply(txn, st_index_set(index), &batch, &f->error));
    MUST(st_writer_commit(txn, &f->error));
    st_posting_batch_free(&batch);
    MUST(strata_view_refresh(f->view, NULL, &f->error));
}

void test_compound_verify_finds_damage(void) {
    strata_column_spec columns[] = { column("a", STRATA_INT, STRATA_COLUMN_INDEXED), column("b", STRATA_STRING, 0) };
    strata_index_spec spec = INDEX("b", "a");
    strata_table_spec table = { "T", 0, 2, columns, &spec, 1 };
    for (int kind = 0; kind < 4; kind++) {
        fixture *f = fixture_open_memory();
        MUST(apply(f, 0, &table, 1));
        MUST(strata_view_begin(f->view, &f->error));
        for (int i = 0; i < 9; i++) ADD(0, strata_int(i), value_of(i % 2 == 0 ? "even" : "odd"));
        MUST(strata_view_commit(f->view, &f->error));
        verify(f);
        const st_table *found = &f->view->catalog->tables[0];
        st_tuple tuple = st_index_tuple(&f->view->hash_key, found, &found->indexes[0]);
        strata_value values[] = { value_of("even"), strata_int(4) }, wrong = strata_int(5);
        st_key right, other;
        st_tuple_begin(&right);
        CHECK(!st_tuple_add(&tuple, 0, &values[0], &right));
        other = right;
        CHECK(!st_tuple_add(&tuple, 1, &values[1], &right));
        CHECK(!st_tuple_add(&tuple, 1, &wrong, &other));
        static const char *const words[] = { "object 5 of T", "the index of T on b, a", "object 5 of T",
                                             "the index of T on b, a" };
        change_entries(f, &found->indexes[0], kind % 2 == 0 ? &right : NULL, 5,
                       kind == 0 ? NULL : kind == 3 ? &right : &other, kind == 3 ? 77 : 5);
        REFUSED(strata_verify(f->view, NULL, &f->error), STRATA_CORRUPT, words[kind]);
        fixture_close(f);
    }
}
