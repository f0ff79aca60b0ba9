/* SPDX-License-Identifier: MIT
 *
 * executor.h -- what the concurrency library of Swift exports, and has no Swift declaration for. */
#ifndef CCONCURRENCY_EXECUTOR_H
#define CCONCURRENCY_EXECUTOR_H

#include <stdbool.h>
#include <stdint.h>

/**
 * Is the caller running on an executor? `identity` and `implementation` are the two words of an
 * `UnownedSerialExecutor`.
 * Without flags the answer is no where a check inside of Swift would stop the program. Source: the function's
 * declaration in swift/Runtime/Concurrency.h of the Swift runtime; two words and an integer are passed alike in the
 * calling conventions of Swift and of C.
 */
static inline bool strata_executor_is_current(const void *identity, const void *implementation) {
    extern bool strata_swift_task_is_current_executor(const void *, const void *, uint64_t)
        __asm__("swift_task_isCurrentExecutorWithFlags");
    return strata_swift_task_is_current_executor(identity, implementation, 0);
}

#endif
