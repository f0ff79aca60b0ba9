/* SPDX-License-Identifier: MIT */
/* mutex_order.c -- tells the thread sanitizer what Swift's Mutex orders.
 *
 * Where nobody waits, locking is compiled into the program, and the sanitizer sees it. Where somebody waits, the kernel
 * hands the lock over, inside of a library that the sanitizer does not look into. These stand before the functions of that
 * library, and only add the order that they make. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

void __tsan_acquire(void *address);
void __tsan_release(void *address);

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

typedef SWIFT void lock_function(uint32_t thread, SELF void *mutex);
typedef SWIFT void unlock_function(SELF void *mutex);

lock_function lock_slowly __asm__(LOCK);
unlock_function unlock_slowly __asm__(UNLOCK);

static void *find_once(void **found, const char *name) {
    void *function = __atomic_load_n(found, __ATOMIC_RELAXED);
    if (function == NULL) {
        function = dlsym(RTLD_NEXT, name);
        __atomic_store_n(found, function, __ATOMIC_RELAXED);
    }
    return function;
}

SWIFT void lock_slowly(uint32_t thread, SELF void *mutex) {
    static void *found;
    ((lock_function *)find_once(&found, LOCK))(thread, mutex);
    __tsan_acquire(mutex);
}

SWIFT void unlock_slowly(SELF void *mutex) {
    static void *found;
    unlock_function *unlock = (unlock_function *)find_once(&found, UNLOCK);
    __tsan_release(mutex);
    unlock(mutex);
}
