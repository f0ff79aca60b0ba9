/* SPDX-License-Identifier: MIT
 * resolver.c -- the state of a resolver: failures and copies. */
#include "predicate/resolver.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/status.h"

bool st_resolver_fail(st_resolver *resolver, strata_status status, uint32_t column, const char *format, ...) {
    char what[440];
    va_list arguments;
    if (resolver->status != STRATA_OK) return false;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    resolver->status = st_fail(resolver->error, status, 0, "at column %u: %s", column, what);
    return false;
}

bool st_resolver_no_memory(st_resolver *resolver) {
    if (resolver->status == STRATA_OK) resolver->status = st_no_memory(resolver->error, "resolving a predicate");
    return false;
}

bool st_resolver_copy_bytes(st_resolver *resolver, strata_bytes *bytes) {
    bytes->data = st_copy(resolver->memory, bytes->data, bytes->size);
    return bytes->data != NULL || st_resolver_no_memory(resolver);
}
