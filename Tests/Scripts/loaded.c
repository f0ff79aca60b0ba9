/* SPDX-License-Identifier: MIT
 *
 * loaded.c -- a program that loads the shared library by itself, and unloads it while a thread that wrote still runs.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "strata.h"

static void *library;
static pthread_barrier_t written, unloaded;

/* ISO C converts no pointer to a function, so the address is copied. */
static void find(void *out, const char *name) {
    void *found = dlsym(library, name);
    if (found == NULL) abort();
    memcpy(out, &found, sizeof found);
}

static void *write_once(void *unused) {
    strata_status (*open)(uint32_t, uint32_t, const strata_config *, strata_store **, strata_error *);
    strata_status (*view_open)(strata_store *, strata_view **, strata_error *);
    strata_status (*begin)(strata_view *, strata_error *), (*commit)(strata_view *, strata_error *);
    void (*view_close)(strata_view *), (*close)(strata_store *);
    strata_config config = strata_config_blank();
    strata_store *store;
    strata_view *view;
    (void)unused;
    find(&open, "strata_store_open_as");
    find(&view_open, "strata_view_open");
    find(&begin, "strata_view_begin");
    find(&commit, "strata_view_commit");
    find(&view_close, "strata_view_close");
    find(&close, "strata_store_close");
    config.memory_name = "loaded";
    if (open(STRATA_ABI, STRATA_BLOCK_FORMAT, &config, &store, NULL) != STRATA_OK) abort();
    if (view_open(store, &view, NULL) != STRATA_OK) abort();
    if (begin(view, NULL) != STRATA_OK || commit(view, NULL) != STRATA_OK) abort();
    view_close(view);
    close(store);
    pthread_barrier_wait(&written);
    pthread_barrier_wait(&unloaded);
    return NULL;
}

int main(int count, char **arguments) {
    pthread_t thread;
    if (count != 2 || (library = dlopen(arguments[1], RTLD_NOW)) == NULL) return 1;
    pthread_barrier_init(&written, NULL, 2);
    pthread_barrier_init(&unloaded, NULL, 2);
    if (pthread_create(&thread, NULL, write_once, NULL) != 0) return 1;
    pthread_barrier_wait(&written);
    if (dlclose(library) != 0) return 1;
    pthread_barrier_wait(&unloaded);
    return pthread_join(thread, NULL) != 0;
}
