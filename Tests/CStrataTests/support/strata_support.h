/* SPDX-License-Identifier: MIT
 * strata_support.h -- short words for tests of schemas, objects, lists and views. */
#ifndef STRATA_SUPPORT_H
#define STRATA_SUPPORT_H

#include <stdlib.h>
#include <string.h>

#include "store/trees.h"
#include "strata_query.h"
#include "tests.h"

/** A store and a view of it. In the tests it is called `f`. */
typedef struct fixture {
    strata_store *store;
    strata_view *view;
    strata_error error;
} fixture;

/** Opens a file of that name in the directory of the test, or a store in memory. */
fixture *fixture_open(const char *file);
fixture *fixture_open_memory(void);
void fixture_close(fixture *f);
/** Makes an interrupt for the view. */
strata_interrupt *fixture_interrupt(fixture *f);
/** Closes the fixture, and then frees its interrupt. */
void fixture_close_with(fixture *f, strata_interrupt *interrupt);

/** Fails the test with the message of the error unless the call succeeds. */
#define MUST(call) must(f, (call), __FILE__, __LINE__, #call)
void must(fixture *f, strata_status status, const char *file, int line, const char *call);

/** Fails the test unless the call fails that way, with a message that contains these words. */
#define REFUSED(call, expected, ...) \
    refused(f, (call), expected, (const char *const[]){ __VA_ARGS__, NULL }, __FILE__, __LINE__)
void refused(fixture *f, strata_status status, strata_status expected, const char *const *words, const char *file,
             int line);

strata_status apply(fixture *f, uint64_t version, const strata_table_spec *tables, uint32_t count);
strata_column_spec column(const char *name, strata_type type, uint32_t flags);
strata_column_spec link_to(const char *name, const char *target);
strata_column_spec list_of(const char *name, const char *target);

/** An object with these values, for the first columns. Its key. */
uint64_t add(fixture *f, uint32_t table, uint32_t count, const strata_value *values);
#define ADD(table, ...) \
    add(f, table, sizeof((strata_value[]){ __VA_ARGS__ }) / sizeof(strata_value), (strata_value[]){ __VA_ARGS__ })
strata_row row_of(fixture *f, uint32_t table, uint64_t key);
void set(fixture *f, uint32_t table, uint64_t key, uint32_t column, strata_value value);
strata_value value_of(const char *text);
uint64_t table_size(fixture *f, uint32_t table);
uint64_t backlinks(fixture *f, uint32_t table, uint64_t key, uint32_t origin_table, uint32_t origin_column);
/** How many objects an index has in a range of one value; NULL: in all. */
uint64_t index_count(fixture *f, uint32_t table, uint32_t column, const strata_value *value);

/** strata_list_insert(), strata_list_set() and strata_collection_get() of object keys. */
strata_status insert_keys(strata_row *row, uint32_t column, uint64_t position, const uint64_t *keys, uint64_t count,
                          strata_error *error);
strata_status set_key(strata_row *row, uint32_t column, uint64_t position, uint64_t key, strata_error *error);
strata_status find_key(strata_row *row, uint32_t column, uint64_t key, uint64_t from, uint64_t *out, strata_error *error);
strata_status get_keys(strata_row *row, uint32_t column, uint64_t position, uint64_t count, uint64_t *out,
                       strata_error *error);

/** The text of a string or data cell is this, or it is null. */
void check_text(fixture *f, uint32_t table, uint64_t key, uint32_t column, const char *expected);
/** Entries of a tree in the newest commit. */
uint64_t tree_entries(fixture *f, st_tree tree);
/** Everything agrees, in a fresh view too. */
void verify(fixture *f);

/** Damages the record of a key of 8 bytes in the main tree, in a way that `random` chooses, and makes all views load the
 * catalog anew. */
void damage_record(fixture *f, const char key[8], uint64_t *random);

/** Bytes of a pattern that a seed names. Freed by the caller. */
uint8_t *pattern(size_t size, uint64_t seed);

/** The values of one column. Lifetime: for good; of the columns below 40. */
strata_operand path_of(uint32_t column);

#endif
