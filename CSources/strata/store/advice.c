/* SPDX-License-Identifier: MIT
 * advice.c -- what the system is told of the map. */
#define _GNU_SOURCE 1
#include "store/advice.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* One of so many pages is read at random before the system reads ahead. Measured on a disk that reads 1 GB/s in order
 * and a page at random in 130 microseconds: there half as many would take as long as reading everything. */
enum { PAGES_PER_READING = 64, LEAST = 8 };

/* A touch brings so many bytes around it, if the system has them in memory: at least, and for all we know at most. */
static const uint64_t least_around = 64 * 1024, most_around = 2 * 1024 * 1024;
/* The bound may be exceeded by one of so many parts, so that it is not looked at every page when little is left. */
enum { PARTS = 16 };

/* Only speed and the size of the process depend on it. */
static void advise(const strata_store *store, int advice) {
    (void)madvise((void *)(uintptr_t)store->map, store->map_size, advice);
}

/* ---- How much is in memory -------------------------------------------- */

/* The bytes of files that are mapped into the memory of the process. False if the system does not tell. */
static bool read_resident(uint64_t *out) {
    char text[200];
    uint64_t pages;
    int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    ssize_t size = read(file, text, sizeof text - 1);
    (void)close(file);
    if (size <= 0) return false;
    text[size] = 0;
    /* Pages of the process, those of them in memory, those of them that belong to files. */
    if (sscanf(text, "%*u %*u %" SCNu64, &pages) != 1) return false;
    *out = pages * (uint64_t)sysconf(_SC_PAGESIZE);
    return true;
}

static uint64_t count_faults(void) {
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_minflt + (uint64_t)usage.ru_majflt : 0;
}

/* How much a touch brings depends on the system, and on how the file came into its memory. */
static void learn_around(strata_store *store, uint64_t now, uint64_t faults) {
    if (now > store->advice.seen && faults > store->advice.faults) {
        uint64_t around = (now - store->advice.seen) / (faults - store->advice.faults);
        if (around > most_around) around = most_around;
        if (around < least_around) around = least_around;
        if (around > store->advice.around) store->advice.around = around;
    }
    store->advice.seen = now;
    store->advice.faults = faults;
}

/* It is looked again when the pages that are read until then may have brought so many bytes. */
static void look_after(strata_store *store, uint64_t size) {
    uint64_t least = store->advice.bound / PARTS;
    uint64_t around = store->advice.around != 0 ? store->advice.around : most_around;
    int64_t pages = (int64_t)((size > least ? size : least) / around);
    atomic_store_explicit(&store->advice.pages, pages, memory_order_relaxed);
}

/* From here on everything that comes counts. */
static void begin_anew(strata_store *store) {
    store->advice.base = 0;
    (void)read_resident(&store->advice.base);
    store->advice.seen = store->advice.base;
    store->advice.faults = count_faults();
    look_after(store, store->advice.bound);
}

/* Without an answer of the system the worst is taken for true. */
static void look(strata_store *store) {
    uint64_t bound = store->advice.bound, now = 0;
    bool known = read_resident(&now);
    if (known) learn_around(store, now, count_faults());
    if (now < store->advice.base) store->advice.base = now;
    if (known && now - store->advice.base < bound) {
        look_after(store, bound - (now - store->advice.base));
    } else {
        advise(store, MADV_DONTNEED);
        begin_anew(store);
    }
}

/* ---- Counting --------------------------------------------------------- */

void st_advice_begin(strata_store *store, uint64_t pages) {
    int64_t patience = (int64_t)(pages / PAGES_PER_READING);
    if (store->memory_name != NULL) return;
    if (patience >= LEAST) { /* a small file is read in a few readings anyway */
        advise(store, MADV_RANDOM);
        atomic_store_explicit(&store->advice.patience, patience, memory_order_relaxed);
    }
    if (store->advice.bound != 0) {
        advise(store, MADV_NOHUGEPAGE); /* a touch would bring megabytes */
        begin_anew(store);
    }
    atomic_store_explicit(&store->advice.counts, patience >= LEAST || store->advice.bound != 0, memory_order_relaxed);
}

/* Perhaps on several threads at once, which does no harm. */
static void spend(strata_store *store, int64_t left) {
    atomic_store_explicit(&store->advice.patience, left, memory_order_relaxed);
    if (left > 0) return;
    advise(store, MADV_NORMAL);
    if (store->advice.bound == 0) atomic_store_explicit(&store->advice.counts, false, memory_order_relaxed);
}

void st_advice_count(strata_store *store, int64_t readings, int64_t pages) {
    int64_t left = atomic_load_explicit(&store->advice.patience, memory_order_relaxed);
    if (left > 0 && readings > 0) spend(store, left - readings);
    if (store->advice.bound == 0) return;
    if (atomic_fetch_sub_explicit(&store->advice.pages, pages, memory_order_relaxed) > pages) return;
    /* Whoever reads meanwhile waits: what it brings would not count. */
    pthread_mutex_lock(&store->advice.lock);
    if (atomic_load_explicit(&store->advice.pages, memory_order_relaxed) <= 0) look(store);
    pthread_mutex_unlock(&store->advice.lock);
}
