/* SPDX-License-Identifier: MIT
 *
 * workload.h -- the objects that every peer stores, and the random choices that the workloads make.
 *
 * N persons with a to-one link each to one of N / 10 dogs. Everything follows from the index of an object and a stream
 * of random numbers, so there is nothing to load, and answers can be computed again from plain arrays: see model.h.
 */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
    BENCH_OPERATIONS = 1000000, /**< random operations of one round, at most; otherwise N */
    BENCH_QUERIES = 2000,       /**< that count by an index */
    BENCH_RANGE_QUERIES = 200,  /**< the same for a range of values */
    BENCH_READS = 20000000,     /**< of one property of live objects */
    BENCH_LIVE = 1000,          /**< of those objects */
    BENCH_COMMITS = 100,        /**< durable ones, of one round */
    BENCH_WRITERS = 64,         /**< that commit at the same time */
    BENCH_LOGGED = 2000,        /**< those of logs: so many that they are written back to the file meanwhile */
    BENCH_FIRST = 100,          /**< objects, where not all are sorted */
    BENCH_AGE = 42,
    BENCH_AGE_FROM = 20,        /**< the range of ages: 20 to 29 */
    BENCH_AGE_TO = 30,
    BENCH_BATCH = 100,          /**< reads of one read transaction beside a writer */
    BENCH_TURNS = 200,          /**< such transactions of one round, each behind a commit */
    BENCH_INSERTS = 10000,      /**< into a list, of one transaction */
    BENCH_NAME_SIZE = 14,
    BENCH_EMAIL_SIZE = 24
};

#define BENCH_SCORE 0.5 /**< scans look for greater ones */
#define BENCH_PART "99" /**< scans look for names that contain it */

/** Streams of random numbers. Those below 10 make the objects, the others choose among them. */
typedef enum bench_stream {
    STREAM_ID = 0,
    STREAM_CREATED = 1,
    STREAM_SCORE = 2,
    STREAM_AGE = 3,
    STREAM_DOG = 4,
    STREAM_EMAIL = 5,
    STREAM_LOOKUP = 10,
    STREAM_KNOWN = 11,     /**< objects whose strings are read */
    STREAM_CHANGED = 12,   /**< objects that get a new score */
    STREAM_NEW_SCORE = 13,
    STREAM_AGED = 14,      /**< objects that get a new age */
    STREAM_NEW_AGE = 15,
    STREAM_SHUFFLE = 16,   /**< objects that are deleted */
    STREAM_ELEMENT = 17,   /**< elements of the list of numbers */
    STREAM_POSITION = 18,  /**< positions in it */
    STREAM_TARGET = 19,    /**< dogs whose backlinks are counted */
    STREAM_EMAILED = 20,   /**< persons whose emails are read */
    STREAM_LIVE = 21       /**< live objects of which a property is read */
} bench_stream;

/** Number `index` of a stream: the finalizer of splitmix64 over a counter. */
static inline uint64_t bench_random(bench_stream stream, uint64_t index) {
    uint64_t z = (index + ((uint64_t)stream << 40) + 1) * 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}
/** The same as a number from 0 up to, but not including, 1. */
static inline double bench_random_unit(bench_stream stream, uint64_t index) {
    return (double)(bench_random(stream, index) >> 11) * 0x1p-53;
}

typedef struct bench_person {
    int64_t id;        /**< primary key: unique, in no order */
    int64_t age;       /**< 0 to 99, indexed */
    int64_t created;
    double score;      /**< 0 to 1, not indexed */
    uint64_t dog;      /**< the index of a dog */
    bool has_email;    /**< every second person; the others have none */
    char name[16];     /**< "Person 0000123", zero-terminated */
    char email[28];    /**< "user00000123@example.com", zero-terminated */
} bench_person;

typedef struct bench_dog {
    int64_t id;        /**< primary key: the index + 1 */
    uint32_t name_size;
    char name[16];     /**< "Dog 123" */
} bench_dog;

static inline uint64_t bench_dogs(uint64_t n) { return n / 10; }
/** How many objects a round changes or deletes. */
static inline uint64_t bench_changes(uint64_t n) { return n / 10; }
/** How many random reads a round makes. */
static inline uint64_t bench_operations(uint64_t n) { return n < BENCH_OPERATIONS ? n : BENCH_OPERATIONS; }

/** What a database may cache in memory of its own, in KiB: 64 MiB, and as much more for each further million. */
static inline int64_t bench_cache(uint64_t n) { return 65536 * (int64_t)((n + 999999) / 1000000); }

static inline void bench_digits(char *to, uint32_t width, uint64_t number) {
    while (width-- > 0) {
        to[width] = (char)('0' + number % 10);
        number /= 10;
    }
}

static inline int64_t bench_person_id(uint64_t index) { return (int64_t)(bench_random(STREAM_ID, index) >> 1); }
static inline bool bench_has_email(uint64_t index) { return (bench_random(STREAM_EMAIL, index) & 1) != 0; }

static inline bench_person bench_make_person(uint64_t n, uint64_t index) {
    bench_person person;
    person.id = bench_person_id(index);
    person.age = (int64_t)(bench_random(STREAM_AGE, index) % 100);
    person.created = 1600000000000 + (int64_t)(index * 1000 + bench_random(STREAM_CREATED, index) % 1000);
    person.score = bench_random_unit(STREAM_SCORE, index);
    person.dog = bench_random(STREAM_DOG, index) % bench_dogs(n);
    person.has_email = bench_has_email(index);
    memcpy(person.name, "Person 0000000", BENCH_NAME_SIZE + 1);
    bench_digits(person.name + 7, 7, index);
    memcpy(person.email, "user00000000@example.com", BENCH_EMAIL_SIZE + 1);
    bench_digits(person.email + 4, 8, index);
    return person;
}

static inline uint32_t bench_dog_name_size(uint64_t index) {
    uint32_t size = 5;
    for (; index >= 10; index /= 10) size++;
    return size;
}
static inline bench_dog bench_make_dog(uint64_t index) {
    bench_dog dog;
    memset(&dog, 0, sizeof dog);
    dog.id = (int64_t)index + 1;
    dog.name_size = bench_dog_name_size(index);
    memcpy(dog.name, "Dog ", 4);
    bench_digits(dog.name + 4, dog.name_size - 4, index);
    return dog;
}

/** The person whose name is looked for. */
static inline uint64_t bench_wanted(uint64_t n) { return n / 2 + n / 4; }

/* The choices of operation `j`: an index of a person, and what it gets. */
static inline uint64_t bench_choose(bench_stream stream, uint64_t n, uint64_t j) { return bench_random(stream, j) % n; }
/** An index of a person whose score is found at first. */
static inline uint64_t bench_choose_hit(uint64_t n, uint64_t j) {
    uint64_t index = bench_choose(STREAM_CHANGED, n, j);
    for (uint64_t k = 1; bench_random_unit(STREAM_SCORE, index) <= BENCH_SCORE; k++)
        index = bench_choose(STREAM_CHANGED, n, j + k * BENCH_OPERATIONS);
    return index;
}
static inline double bench_new_score(uint64_t j) { return bench_random_unit(STREAM_NEW_SCORE, j); }
static inline int64_t bench_new_age(uint64_t j) { return (int64_t)(bench_random(STREAM_NEW_AGE, j) % 100); }

/* Elements of the list: small enough for their sums to be exact in a double. */
static inline int64_t bench_element(uint64_t j) { return (int64_t)(bench_random(STREAM_ELEMENT, j) >> 33); }

/** Reads a text to its last byte: the sum of its bytes. */
static inline uint64_t bench_text(const void *text, uint64_t size) {
    const unsigned char *bytes = (const unsigned char *)text;
    uint64_t sum = 0;
    for (uint64_t i = 0; i < size; i++) sum += bytes[i];
    return sum;
}

/** Keeps the compiler from taking what it has read for what it will read: reads in a loop stay reads. */
static inline void bench_barrier(void) { __asm__ volatile("" ::: "memory"); }

#endif
