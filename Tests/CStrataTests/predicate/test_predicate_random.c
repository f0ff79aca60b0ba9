/* SPDX-License-Identifier: MIT
 *
 * test_predicate_random.c -- what is printed reads back as the same predicate.
 *
 * Random text is put together from the pieces of the grammar. What parses is printed, and that has to parse without
 * arguments to an equal predicate with the same text. Most of it parses; what does not has to fail with a place.
 */
#include <math.h>
#include <stdio.h>

#include "support/predicate_support.h"
#include "strata_decimal.h"
#include "strata_mixed.h"

typedef struct author {
    uint64_t state;
    size_t length;
    char text[8000];
    uint32_t next_argument;
    strata_argument arguments[400];
    strata_value values[400];
    uint32_t subqueries;
} author;

static uint64_t below(author *a, uint64_t count) { return ctest_random(&a->state) % count; }

static void say(author *a, const char *words) {
    size_t size = strlen(words);
    if (a->length + size + 1 > sizeof a->text) return;
    memcpy(a->text + a->length, words, size + 1);
    a->length += size;
}

#define PICK(a, ...) \
    ((const char *const[]){ __VA_ARGS__ })[below(a, sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))]

static strata_value random_value(author *a) {
    strata_value value = strata_null();
    const char *text = PICK(a, "", "x", "it's", "a\\b", "äöü", "\n\t", "%@", "{1}");
    double real = (double)below(a, 1000) / 8;
    if (below(a, 2) == 0) real = ldexp((double)below(a, 1u << 30), (int)below(a, 400) - 200);
    switch (below(a, 12)) {
    case 0: return value;
    case 1: return strata_bool(below(a, 2) == 1);
    case 2: return strata_int((int64_t)ctest_random(&a->state) >> below(a, 64));
    case 3: return strata_float((float)real);
    case 4: return strata_double(below(a, 10) == 0 ? (double)NAN : below(a, 10) == 0 ? -(double)INFINITY : -real);
    case 5: return strata_date(real);
    case 6: return strata_data(text, strlen(text));
    case 7: return strata_mixed_link((uint32_t)below(a, 3), 1 + below(a, 1000));
    case 8: return strata_decimal_value(strata_decimal_from_double(real));
    case 9:
        value.type = STRATA_UUID;
        memcpy(value.as.fixed, (uint64_t[]){ ctest_random(&a->state), ctest_random(&a->state) }, 16);
        return value;
    case 10:
        value.type = STRATA_OBJECT_ID;
        memcpy(value.as.fixed, (uint64_t[]){ ctest_random(&a->state), ctest_random(&a->state) }, 12);
        return value;
    default: return value_of(text);
    }
}

/* An argument, said as %@. */
static void say_argument(author *a, strata_argument argument) {
    if (a->next_argument == 400) return;
    a->arguments[a->next_argument++] = argument;
    say(a, "%@");
}

static void say_constant(author *a) {
    if (below(a, 3) == 0) {
        say_argument(a, argument_of(random_value(a)));
    } else {
        say(a, PICK(a, "1", "-5", "2.5", "'x'", "\"it's\"", "nil", "TRUE", "no", "0x1F", "1e10", "'\\u00e9'",
                    "float(1.5)", "date(3)", "decimal('1.0')", "nested('1d02000000010000001205')"));
    }
}

static void say_path(author *a, bool inside) {
    char variable[24];
    snprintf(variable, sizeof variable, "$v%u", a->subqueries);
    if (inside) say(a, variable);
    if (inside && below(a, 4) == 0) return;
    if (inside) say(a, ".");
    say(a, PICK(a, "a", "dogs", "#in", "Äpfel", "SELF", "#'two words'", "list"));
    while (below(a, 3) == 0) {
        say(a, PICK(a, ".b", ".in", "['k']", "[0]", "[-3]", "[#any]", ".@allKeys", ".@allValues", ".@max", ".@count"));
    }
}

static void say_condition(author *a, uint32_t depth, bool inside);

static void say_subquery(author *a, uint32_t depth, bool inside) {
    char variable[24];
    say(a, "SUBQUERY(");
    say_path(a, inside);
    uint32_t outer = a->subqueries++;
    snprintf(variable, sizeof variable, ", $v%u, ", a->subqueries);
    say(a, variable);
    say_condition(a, depth + 1, true);
    a->subqueries = outer;
    say(a, ").@count");
    say(a, PICK(a, " == 1", " > 0", "<= 5"));
}

static void say_list(author *a) {
    if (below(a, 3) == 0) {
        uint32_t count = (uint32_t)below(a, 4), first = a->next_argument;
        for (uint32_t i = 0; i < count && first + i < 400; i++) a->values[first + i] = random_value(a);
        say_argument(a, argument_list(a->values + first, first + count <= 400 ? count : 0));
        a->next_argument += count;
        if (a->next_argument > 400) a->next_argument = 400;
        return;
    }
    say(a, "{");
    for (uint64_t i = below(a, 4); i-- > 0;) {
        say_constant(a);
        if (i != 0) say(a, ", ");
    }
    say(a, "}");
}

static void say_comparison(author *a, uint32_t depth, bool inside) {
    if (depth < 4 && below(a, 12) == 0) {
        say_subquery(a, depth, inside);
        return;
    }
    if (below(a, 5) == 0) say(a, PICK(a, "ANY ", "some ", "NONE "));
    bool mirrored = below(a, 6) == 0;
    if (mirrored) say_constant(a);
    else say_path(a, inside);
    if (!mirrored && below(a, 5) == 0) {
        say(a, PICK(a, " IN ", " in[c] "));
        say_list(a);
        return;
    }
    say(a, PICK(a, " == ", "=", " != ", "<>", "<", " <= ", "=<", ">", ">=", "=>", " ==[c] ", "!=[cd] ", " == "));
    if (mirrored || below(a, 4) == 0) say_path(a, inside);
    else say_constant(a);
}

static void say_condition(author *a, uint32_t depth, bool inside) {
    uint64_t kind = depth > 5 ? 0 : below(a, 8);
    if (kind < 3) {
        say_comparison(a, depth, inside);
    } else if (kind == 3) {
        say(a, PICK(a, "NOT ", "!", "! not "));
        say_condition(a, depth + 1, inside);
    } else if (kind == 4) {
        say(a, PICK(a, "TRUEPREDICATE", "falsepredicate"));
    } else {
        say(a, "(");
        for (uint64_t i = 1 + below(a, 4); i-- > 0;) {
            say_condition(a, depth + 1, inside);
            if (i != 0) say(a, PICK(a, " AND ", " && ", " or ", " || "));
        }
        say(a, ")");
    }
}

/* Text with a few bytes of it changed. */
static void spoil(author *a) {
    static const char bytes[] = " ()[]{}.,'\"%@$#abc019-=<>!&|\\\xC3";
    for (uint64_t i = below(a, 3); i-- > 0 && a->length != 0;) {
        a->text[below(a, a->length)] = bytes[below(a, sizeof bytes - 1)];
    }
}

static bool check_round_trip(author *a) {
    static char first[60000], second[60000];
    strata_predicate *predicate, *again;
    strata_error error;
    if (strata_predicate_parse(a->text, a->length, a->arguments, a->next_argument, &predicate, &error) != STRATA_OK) {
        CHECK(predicate == NULL && strncmp(error.message, "at column ", 10) == 0);
        return false;
    }
    size_t size = strata_predicate_print(predicate, first, sizeof first);
    CHECK(size < sizeof first);
    if (strata_predicate_parse(first, size, NULL, 0, &again, &error) != STRATA_OK) {
        fprintf(stderr, "%s\n", first);
        ctest_fail(__FILE__, __LINE__, error.message);
    }
    strata_predicate_print(again, second, sizeof second);
    if (!strata_predicate_equal(predicate, again)) fprintf(stderr, "%s\n%s\n", first, second);
    CHECK(strata_predicate_equal(predicate, again));
    CHECK_TEXT(second, first);
    strata_predicate_free(predicate);
    strata_predicate_free(again);
    return true;
}

void test_predicate_random_round_trips(void) {
    author *a = calloc(1, sizeof *a);
    CHECK(a != NULL);
    a->state = ctest_seed();
    int parsed = 0;
    enum { ROUNDS = 3000 };
    for (int round = 0; round < ROUNDS; round++) {
        a->length = a->next_argument = a->subqueries = 0;
        say_condition(a, 0, false);
        if (round % 4 == 3) spoil(a);
        parsed += check_round_trip(a);
    }
    CHECK(parsed > ROUNDS / 3);
    free(a);
}

/* Resolving the same text never does harm: it works, or says where it does not. */
void test_predicate_random_resolves(void) {
    fixture *f = fixture_open_memory();
    MUST(apply(f, 1, zoo_tables, ZOO_TABLES));
    author *a = calloc(1, sizeof *a);
    CHECK(a != NULL);
    a->state = ctest_seed();
    for (int round = 0; round < 3000; round++) {
        strata_predicate *predicate;
        strata_condition *condition;
        a->length = a->next_argument = a->subqueries = 0;
        say_condition(a, 3, false);
        strata_status status = strata_predicate_parse(a->text, a->length, a->arguments, a->next_argument, &predicate,
                                                      &f->error);
        if (status != STRATA_OK) continue;
        status = strata_predicate_resolve(predicate, f->view, PERSON, zoo_aliases, zoo_alias_count, &condition,
                                          &f->error);
        CHECK((status == STRATA_OK) == (condition != NULL));
        CHECK(status == STRATA_OK || status == STRATA_MISUSE || status == STRATA_TYPE);
        if (status == STRATA_OK) CHECK(strlen(condition_text(f->view, PERSON, condition)) > 0);
        else CHECK(strncmp(f->error.message, "at column ", 10) == 0);
        strata_condition_free(condition);
        strata_predicate_free(predicate);
    }
    free(a);
    fixture_close(f);
}
