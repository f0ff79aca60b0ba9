/* SPDX-License-Identifier: MIT
 * families.c -- which observers a change set may concern. */
#include "observe/families.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/status.h"

/* ---- Tables  */

static size_t place_of(uint32_t table) { return table == ST_NONE ? 0 : (size_t)table + 1; }

static bool reserve_place(st_families *d, size_t place) {
    if (place < d->table_count) return true;
    st_families_of_table *tables = realloc(d->tables, (place + 1) * sizeof *tables);
    if (tables == NULL) return false;
    memset(tables + d->table_count, 0, (place + 1 - d->table_count) * sizeof *tables);
    d->tables = tables;
    d->table_count = place + 1;
    return true;
}

static void remove_from_table(st_families_of_table *of, const st_family *family) {
    for (size_t i = of->count; i-- > 0;) {
        if (of->items[i] != family) continue;
        of->items[i] = of->items[--of->count];
        return;
    }
}

static void remove_from_tables(st_families *d, const st_family *family) {
    for (size_t i = 0; i < family->concerns.count; i++) {
        size_t place = place_of(family->concerns.items[i].table);
        if (place < d->table_count) remove_from_table(&d->tables[place], family);
    }
}

static bool add_to_tables(st_families *d, st_family *family) {
    for (size_t i = 0; i < family->concerns.count; i++) {
        size_t place = place_of(family->concerns.items[i].table);
        if (!reserve_place(d, place)) return false;
        st_families_of_table *of = &d->tables[place];
        if (!st_array_grow((void **)&of->items, &of->capacity, of->count, sizeof(st_family *))) return false;
        of->items[of->count++] = family;
    }
    return true;
}

/* ---- Families --------------------------------------------------------- */

static bool add(st_buffer *b, const void *bytes, size_t size) { return size == 0 || st_buffer_append(b, bytes, size); }

static bool add_number(st_buffer *b, uint32_t number) { return add(b, &number, sizeof number); }

static bool add_concerns(st_buffer *b, const st_concerns *c) {
    return add_number(b, (uint32_t)c->count) && add(b, c->items, c->count * sizeof *c->items);
}

static bool add_watch(st_buffer *b, const st_watch *watch) {
    return watch == NULL ? add_number(b, ST_NONE) : st_watch_name(watch, b);
}

/* What an observer has in common with others of its family, as bytes. */
static bool name_family(const strata_observer *o, st_buffer *b) {
    st_concerns concerns = { 0 }, beyond = { 0 };
    bool done = o->kind->concerns(o, &concerns, &beyond) && add_number(b, o->by) && add_concerns(b, &concerns);
    if (done && o->by != ST_BY_CLASS)
        done = add(b, &o->kind, sizeof o->kind) && add_concerns(b, &beyond) && add_number(b, o->table) &&
               add_number(b, o->by == ST_BY_VALUE ? o->constant.column : o->column) && add_watch(b, o->decides) &&
               st_watch_name(o->counts, b);
    st_concerns_free(&concerns);
    st_concerns_free(&beyond);
    return done;
}

static void drop_family(st_families *d, st_family *family) {
    remove_from_tables(d, family);
    st_names_remove(&d->families, &family->named);
    st_family_free(family);
}

static st_family *make_family(st_families *d, const strata_observer *o, const st_buffer *name) {
    st_family *family = st_family_make(o, name);
    if (family == NULL) return NULL;
    if (!st_names_add(&d->families, &family->named)) {
        st_family_free(family);
        return NULL;
    }
    if (add_to_tables(d, family)) return family;
    drop_family(d, family);
    return NULL;
}

bool st_families_add(st_families *d, strata_observer *o) {
    st_buffer name = { NULL, 0, 0 };
    st_family *family = NULL;
    if (name_family(o, &name)) {
        family = (st_family *)st_names_find(&d->families, name.data, name.size); /* `named` is its first field */
        if (family == NULL) family = make_family(d, o, &name);
    }
    st_buffer_free(&name);
    if (family == NULL) return false;
    if (st_family_add(family, o)) return true;
    if (st_family_is_empty(family)) drop_family(d, family);
    return false;
}

void st_families_remove(st_families *d, strata_observer *o) {
    if (o->bucket == NULL) return;
    st_family *family = o->bucket->family;
    st_family_remove(o);
    if (st_family_is_empty(family)) drop_family(d, family);
}

void st_families_free(st_families *d) {
    for (size_t i = 0; i < d->table_count; i++) free(d->tables[i].items);
    free(d->tables);
    st_names_free(&d->families);
    *d = (st_families){ 0 };
}

/* Calls `visit` with each family; stops when it returns false. */
static bool each_family(const st_families *d, bool (*visit)(void *context, st_family *family), void *context) {
    for (size_t i = 0; i < d->families.slot_count; i++)
        for (st_named *named = d->families.slots[i]; named != NULL; named = named->next)
            if (!visit(context, (st_family *)named)) return false;
    return true;
}

static bool add_memory(void *context, st_family *family) {
    *(size_t *)context += st_family_memory(family);
    return true;
}

size_t st_families_memory(const st_families *d) {
    size_t memory = d->families.slot_count * sizeof *d->families.slots + d->table_count * sizeof *d->tables;
    for (size_t i = 0; i < d->table_count; i++) memory += d->tables[i].capacity * sizeof *d->tables[i].items;
    (void)each_family(d, add_memory, &memory);
    return memory;
}

/* ---- Finding ---------------------------------------------------------- */

static bool refresh_family(void *context, st_family *family) {
    return st_family_refresh(family) && add_to_tables(context, family);
}

/* The schema may be another one, which leads to other objects. */
static bool refresh(st_families *d) {
    for (size_t i = 0; i < d->table_count; i++) d->tables[i].count = 0;
    d->stale = !each_family(d, refresh_family, d);
    return !d->stale;
}

/* A look through the families. */
typedef struct look {
    st_families *families;
    st_walker *walker;
    const st_change_set *changes;
    st_concerns changed;
    st_due *due;
    uint64_t seen;
    strata_status status;
} look;

static bool look_at(void *context, st_family *family) {
    look *l = context;
    if (family->looked == l->families->looks) return true;
    family->looked = l->families->looks;
    l->status = st_family_find(family, l->walker, l->changes, &l->changed, l->due, l->seen);
    return l->status == STRATA_OK;
}

static void look_at_table(look *l, size_t number) {
    if (number >= l->families->table_count) return;
    const st_families_of_table *of = &l->families->tables[number];
    for (size_t i = 0; i < of->count && l->status == STRATA_OK; i++) (void)look_at(l, of->items[i]);
}

strata_status st_families_find(st_families *d, st_walker *walker, const st_change_set *changes, st_due *due,
                                uint64_t seen) {
    look l = { .families = d, .walker = walker, .changes = changes, .due = due, .seen = seen };
    if (changes->whole) d->stale = true;
    bool done = (!d->stale || refresh(d)) && (changes->whole || st_concerns_add_changes(&l.changed, changes));
    if (!done) {
        st_concerns_free(&l.changed);
        return st_no_memory(walker->error, "looking for observers");
    }
    d->looks++;
    if (changes->whole) (void)each_family(d, look_at, &l);
    else if (l.changed.count != 0) look_at_table(&l, 0);
    for (size_t i = 0; i < l.changed.count; i++) look_at_table(&l, place_of(l.changed.items[i].table));
    st_concerns_free(&l.changed);
    return l.status;
}
