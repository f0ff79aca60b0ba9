/* SPDX-License-Identifier: MIT
 * test_predicate_resolve.c -- names become columns: what predicates mean, and which of them mean nothing. */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "support/faults.h"
#include "support/predicate_support.h"
#include "strata_mixed.h"

static fixture *zoo(void) {
    fixture *f = fixture_open_memory();
    MUST(apply(f, 1, zoo_tables, ZOO_TABLES));
    return f;
}

static strata_status resolve(fixture *f, uint32_t table, const char *text, const strata_argument *arguments,
                             uint32_t count, strata_condition **out) {
    strata_predicate *predicate;
    MUST(strata_predicate_parse(text, strlen(text), arguments, count, &predicate, &f->error));
    strata_status status = strata_predicate_resolve(predicate, f->view, table, zoo_aliases, zoo_alias_count, out,
                                                    &f->error);
    strata_predicate_free(predicate);
    return status;
}

static void means(fixture *f, uint32_t table, const char *text, const strata_argument *arguments, uint32_t count,
                  const char *expected, int line) {
    strata_condition *condition;
    char report[1200];
    if (resolve(f, table, text, arguments, count, &condition) != STRATA_OK) {
        snprintf(report, sizeof report, "%.300s: %s", text, f->error.message);
        ctest_fail(__FILE__, line, report);
    }
    const char *found = condition_text(f->view, table, condition);
    if (strcmp(found, expected) != 0) {
        snprintf(report, sizeof report, "%.300s: \"%.400s\", not \"%.400s\"", text, found, expected);
        ctest_fail(__FILE__, line, report);
    }
    strata_query query = { .size = sizeof query, .table = table, .nodes = condition->nodes,
                           .node_count = condition->node_count };
    uint64_t found_rows;
    if (strata_query_check(f->view, &query, &f->error) != STRATA_OK ||
        strata_query_count(f->view, &query, &found_rows, NULL, &f->error) != STRATA_OK) {
        snprintf(report, sizeof report, "%.300s: %s", text, f->error.message);
        ctest_fail(__FILE__, line, report);
    }
    strata_condition_free(condition);
}

#define MEANS(text, expected) means(f, PERSON, text, NULL, 0, expected, __LINE__)
#define MEANS_WITH(text, expected, ...)                                    \
    means(f, PERSON, text, (const strata_argument[]){ __VA_ARGS__ },       \
          sizeof((const strata_argument[]){ __VA_ARGS__ }) / sizeof(strata_argument), expected, __LINE__)

static void fails(fixture *f, uint32_t table, const char *text, const strata_argument *arguments, uint32_t count,
                  const char *words, int line) {
    strata_condition *condition;
    char report[1200];
    strata_status status = resolve(f, table, text, arguments, count, &condition);
    bool good = (status == STRATA_MISUSE || status == STRATA_TYPE) && condition == NULL;
    if (good && strstr(f->error.message, words) != NULL) return;
    snprintf(report, sizeof report, "%.300s: %s \"%.400s\" does not say \"%.400s\"", text, strata_status_name(status),
             f->error.message, words);
    ctest_fail(__FILE__, line, report);
}

#define FAILS(text, words) fails(f, PERSON, text, NULL, 0, words, __LINE__)
#define FAILS_WITH(text, words, ...)                                       \
    fails(f, PERSON, text, (const strata_argument[]){ __VA_ARGS__ },       \
          sizeof((const strata_argument[]){ __VA_ARGS__ }) / sizeof(strata_argument), words, __LINE__)

/* ---- Names ------------------------------------------------------------ */

/* The name that was probably meant. */
void test_predicate_resolve_names(void) {
    fixture *f = zoo();
    MEANS("name == 'x'", "name == 'x'");
    MEANS("dog.owner.dog.name == 'x'", "dog.owner.dog.name == 'x'");
    FAILS("age > 5 AND nmae == 'x'", "at column 13: no property 'nmae' in Person; did you mean 'name'?");
    FAILS("dog.Age > 5", "at column 5: no property 'Age' in Dog; did you mean 'age'?");
    FAILS("dog.onwer == nil", "at column 5: no property 'onwer' in Dog; did you mean 'owner'?");
    FAILS("ANY pupies.name == 'x'", "at column 5: no property 'pupies' in Person; did you mean 'puppies'?");
    FAILS("xyzzy == 1", "at column 1: no property 'xyzzy' in Person");
    FAILS("name.age == 1", "at column 6: 'name' of Person is a value (string); a path goes on only through links");
    FAILS("any.age == 1", "in brackets stands what to look at");
    CHECK(strstr(f->error.message, "did you mean") == NULL);
    REFUSED(resolve(f, 99, "a == 1", NULL, 0, &(strata_condition *){ NULL }), STRATA_MISUSE, "no table 99");
    fixture_close(f);
}

/* Other names, and links seen from their other end. */
void test_predicate_resolve_aliases(void) {
    fixture *f = zoo();
    MEANS("ANY puppies.name == 'x'", "dogs.name == 'x'");
    MEANS("puppies.@count > 1", "dogs.@count > 1");
    MEANS("ANY dog.owners.age > 5", "dog.<-0:12.age > 5");
    means(f, DOG, "owners.@count == 2", NULL, 0, "<-0:12.@count == 2", __LINE__);
    means(f, DOG, "SUBQUERY(owners, $o, $o.age > 5).@count > 0", NULL, 0, "<-0:12.@count(age > 5) > 0", __LINE__);
    means(f, DOG, "owners.@avg.age > 5", NULL, 0, "<-0:12.@avg.age > 5d", __LINE__);
    fails(f, DOG, "owners[0].age == 2", NULL, 0, "brackets", __LINE__);
    const strata_alias bad[] = { { PERSON, "bad", { .kind = STRATA_STEP_BACKLINKS, .table = DOG, .column = 0 } },
                                 { PERSON, "worse", { .kind = STRATA_STEP_COLUMN, .column = 99 } } };
    const char *const texts[] = { "bad.@count == 1", "worse == 1" };
    for (size_t i = 0; i < 2; i++) {
        strata_predicate *predicate;
        strata_condition *condition;
        MUST(strata_predicate_parse(texts[i], strlen(texts[i]), NULL, 0, &predicate, &f->error));
        REFUSED(strata_predicate_resolve(predicate, f->view, PERSON, bad, 2, &condition, &f->error), STRATA_MISUSE,
                "the alias of this name");
        strata_predicate_free(predicate);
    }
    fixture_close(f);
}

/* ---- Constants -------------------------------------------------------- */

/* Statement 117: a constant fits its property; numbers become what the column stores. */
void test_predicate_resolve_numbers(void) {
    fixture *f = zoo();
    MEANS("age == 5 AND age == 5.0", "AND(age == 5, age == 5)");
    MEANS("height > 5 AND weight < 2 AND balance >= 3", "AND(height > 5d, weight < 2f, balance >= 3m)");
    MEANS("height > 5.5 AND weight < 2.5 AND balance >= 1.1", "AND(height > 5.5d, weight < 2.5f, balance >= 1.1m)");
    MEANS("weight == 1.1", "weight == 1.1f");
    MEANS("height == float(0.5) AND age == float(2) AND age == decimal('2.0')",
          "AND(height == 0.5d, age == 2, age == 2)");
    MEANS("any == 5 AND any == 5.5 AND any == true", "AND(any == 5, any == 5.5d, any == true)");
    MEANS("flag == true AND flag == 0 AND flag == YES", "AND(flag == true, flag == false, flag == true)");
    MEANS("age BETWEEN {1, 2} AND age IN {1, 2.0, nil}", "AND(age between 1 2, age in 1 2 null)");
    FAILS("age == '5'",
          "at column 8: 'age' of Person is an int; it cannot be compared with a string; numbers are written without "
          "quotes");
    FAILS("age > 2.5", "it is compared with whole numbers of 64 bits, not with 2.5");
    FAILS("age == 1e30", "whole numbers");
    FAILS("age == 9223372036854775808", "whole numbers of 64 bits, not with 9.223372036854776E+18");
    FAILS("age == -9223372036854775809", "whole numbers of 64 bits, not with -9223372036854775809");
    FAILS("age IN {1, -9223372036854775809}", "whole numbers of 64 bits");
    MEANS("age == -9223372036854775808", "age == -9223372036854775808");
    MEANS("balance == 0.1234567890123456789 AND balance == 12345678901234567890123",
          "AND(balance == 0.1234567890123456789m, balance == 12345678901234567890123m)");
    MEANS("height == 0.1234567890123456789 AND weight == 0.1000000000000000055511",
          "AND(height == 0.123457d, weight == 0.1f)");
    MEANS("any == 0.12345678901234567 AND any == 0.12345678901234568",
          "AND(any == 0.12345678901234567m, any == 0.123457d)");
    FAILS("age == true", "it cannot be compared with a bool");
    FAILS("flag == 2", "it is true or false");
    FAILS("name == 5",
          "'name' of Person is a string; it cannot be compared with an int; strings are written in quotes");
    FAILS("age IN {1, 'x'}", "at column 8: ");
    fixture_close(f);
}

/* Statement 117: everything else has exactly the type of its column. */
void test_predicate_resolve_types(void) {
    fixture *f = zoo();
    strata_value uuid = { .type = STRATA_UUID }, oid = { .type = STRATA_OBJECT_ID };
    MEANS_WITH("born > %@ AND id == %@ AND oid == %@ AND photo == %@",
               "AND(born > date 5, id == a value of type 8, oid == a value of type 9, photo == 2 bytes)",
               argument_of(strata_date(5)), argument_of(uuid), argument_of(oid), argument_of(strata_data("xy", 2)));
    FAILS("born > 5",
          "at column 8: 'born' of Person is a date; it cannot be compared with an int; a date is "
          "date('2000-01-31T12:00:00Z'), or an argument for %@");
    FAILS("oid == '000102030405060708090a0b'", "an ObjectId is objectId('...')");
    FAILS("id == 'x'", "a UUID is uuid('...')");
    FAILS("photo == 'x'", "it cannot be compared with a string");
    FAILS("dog == 'x'", "'dog' of Person is an object; it cannot be compared with a string");
    FAILS("flag < true", "'flag' of Person is a bool; it cannot be compared with <");
    FAILS("dog > nil", "it cannot be compared with >");
    FAILS("photo < nil", "it cannot be compared with <");
    FAILS("name BETWEEN {'a', 'b'}", "at column 6: 'name' of Person is a string; it cannot be compared with BETWEEN");
    FAILS("age CONTAINS '5'", "it cannot be compared with CONTAINS");
    FAILS("ANY scores CONTAINS 5", "found with IN");
    FAILS("age ==[c] 5", "at column 5: 'age' of Person is an int; the options [c] and [d] are for strings");
    FAILS("any CONTAINS 5", "CONTAINS looks in 'any' for a string or data, not for int");
    fixture_close(f);
}

/* Statements 120-122, 124: what can never hold. */
void test_predicate_resolve_nulls(void) {
    fixture *f = zoo();
    MEANS("name == nil AND age != nil", "AND(name == null, age != null)");
    MEANS("name < nil OR age >= nil", "OR(FALSE, FALSE)");
    MEANS("age BETWEEN {nil, 5}", "FALSE");
    MEANS("age IN {} OR NOT name IN {}", "OR(FALSE, NOT(FALSE))");
    MEANS("name CONTAINS '' OR name BEGINSWITH nil OR name ENDSWITH[c] ''", "OR(FALSE, FALSE, FALSE)");
    MEANS("name LIKE nil OR name LIKE ''", "OR(name == null, name like '')");
    MEANS("dog == nil AND dog.age == nil", "AND(dog == null, dog.age == null)");
    FAILS("age CONTAINS nil", "it cannot be compared with CONTAINS");
    fixture_close(f);
}

/* Statements 123-126: string operators and their options. */
void test_predicate_resolve_strings(void) {
    fixture *f = zoo();
    MEANS("name BEGINSWITH[c] 'x' AND name ENDSWITH[d] 'y' AND name CONTAINS[cd] 'z'",
          "AND(name begins[c] 'x', name ends[d] 'y', name contains[cd] 'z')");
    MEANS("name LIKE[c] '*x?' AND name ==[c] 'a' AND name !=[d] 'b'",
          "AND(name like[c] '*x?', name ==[c] 'a', name !=[d] 'b')");
    MEANS("name < 'x' AND name >= 'y'", "AND(name < 'x', name >= 'y')");
    MEANS("name IN[c] {'x', 'y'}", "name in[c] 'x' 'y'");
    MEANS_WITH("photo CONTAINS %@ AND any BEGINSWITH %@ AND photo LIKE %@",
               "AND(photo contains 1 bytes, any begins 1 bytes, photo like 1 bytes)", argument_of(strata_data("x", 1)),
               argument_of(strata_data("y", 1)), argument_of(strata_data("z", 1)));
    MEANS("any CONTAINS[c] 'x'", "any contains[c] 'x'");
    fixture_close(f);
}

/* ---- Objects ---------------------------------------------------------- */

/* Statement 129. */
void test_predicate_resolve_links(void) {
    fixture *f = zoo();
    strata_value rex = strata_mixed_link(DOG, 7), ann = strata_mixed_link(PERSON, 3), both[] = { rex, strata_null() };
    MEANS_WITH("dog == %@ AND dog != %@", "AND(dog == #7, dog != #7)", argument_of(rex), argument_of(rex));
    MEANS_WITH("dog IN %@", "dog in #7 null", argument_list(both, 2));
    MEANS_WITH("%@ IN dogs AND %@ IN friends", "AND(dogs == #7, friends == #3)", argument_of(rex), argument_of(ann));
    MEANS_WITH("ANY dogs == %@ OR NONE dogs == %@", "OR(dogs == #7, NOT(dogs == #7))", argument_of(rex),
               argument_of(rex));
    MEANS_WITH("any == %@", "any == 1:#7", argument_of(rex));
    MEANS_WITH("SELF == %@ AND SELF IN %@", "AND(self == #3, self in #3)", argument_of(ann), argument_list(&ann, 1));
    MEANS("SELF.age == 5", "age == 5");
    MEANS("dog.owner == SELF", "dog.owner == self");
    MEANS_WITH("dog == %@ OR dog != %@ OR any == %@ OR dog IN %@ OR %@ IN dogs",
               "OR(dog == #281474976710655, dog != #281474976710655, any == 65000:#1, FALSE, "
               "dogs == #281474976710655)",
               argument_nothing(), argument_nothing(), argument_nothing(), argument_nothing(), argument_nothing());
    FAILS_WITH("dog == %@", "at column 8: 'dog' of Person is an object; it is an object of Dog, not of Person",
               argument_of(ann));
    FAILS_WITH("SELF == %@", "it is an object of Person, not of Dog", argument_of(rex));
    FAILS_WITH("dog == %@", "no object 1 in table 99", argument_of(strata_mixed_link(99, 1)));
    FAILS_WITH("age == %@", "'age' of Person is compared by == with an object that is in no store", argument_nothing());
    FAILS("dog.SELF == nil", "SELF stands at the beginning");
    fixture_close(f);
}

/* ---- Collections ------------------------------------------------------ */

/* Statements 118, 119. */
void test_predicate_resolve_quantifiers(void) {
    fixture *f = zoo();
    MEANS("ANY dogs.name == 'x' AND SOME dogs.toys.weight > 1", "AND(dogs.name == 'x', dogs.toys.weight > 1d)");
    MEANS("NONE dogs.name BEGINSWITH 'x'", "NOT(dogs.name begins 'x')");
    MEANS("ANY scores == 5 AND ANY tags IN {'x'} AND ANY scores BETWEEN {1, 2}",
          "AND(scores == 5, tags in 'x', scores between 1 2)");
    MEANS("5 IN scores AND NOT 'x' IN tags AND 'y' IN dogs.name AND NONE 5 IN scores",
          "AND(scores == 5, NOT(tags == 'x'), dogs.name == 'y', NOT(scores == 5))");
    MEANS("age IN scores", "scores == age");
    MEANS("ANY pets.name == 'x' AND 'x' IN[c] tags", "AND(pets.name == 'x', tags ==[c] 'x')");
    FAILS("dogs.name == 'x'",
          "at column 6: the path to 'name' of Dog leads to any number of values; write ANY or NONE in front of it, "
          "or an aggregate such as @count");
    FAILS("scores == 5", "leads to any number of values");
    FAILS("ANY name == 'x'", "at column 5: ANY and NONE need a collection in the path to 'name' of Person");
    FAILS("ANY dog.name == 'x'", "need a collection");
    FAILS("ANY dogs.@count == 5", "need a collection");
    FAILS("5 IN age", "'age' of Person is no collection");
    FAILS("5 IN scores.@min", "'scores' of Person is no collection");
    FAILS("5 IN dogs.@max.age", "'age' of Dog is no collection");
    FAILS("5 IN dogs.@count", "'dogs' of Person is no collection");
    FAILS("5 IN anys.@min", "'anys' of Person is no collection");
    FAILS("scores IN scores", "only one can be looked for");
    fixture_close(f);
}

/* Statements 130-133. */
void test_predicate_resolve_aggregates(void) {
    fixture *f = zoo();
    MEANS("dogs.@count > 1 AND scores.@count == 2.0 AND prices.@count == age",
          "AND(dogs.@count > 1, scores.@count == 2, prices.@count == age)");
    MEANS("dogs.@max.age > 1 AND dogs.@min.owner.height < 2 AND scores.@max == nil",
          "AND(dogs.@max.age > 1, dogs.@min.owner.height < 2d, scores.@max == null)");
    MEANS("scores.@sum == 5 AND scores.@avg > 1 AND prices.@sum < 2 AND anys.@avg == 1.5",
          "AND(scores.@sum == 5, scores.@avg > 1d, prices.@sum < 2d, anys.@avg == 1.5m)");
    MEANS("prices.@allValues.@max > 1 AND prices.@allKeys.@count == 1", "AND(prices.@max > 1d, prices.@count == 1)");
    MEANS("age == scores.@max AND dogs.@avg.age >= height", "AND(age == scores.@max, dogs.@avg.age >= height)");
    MEANS("scores.@max BETWEEN {1, 5} AND scores.@min IN {1, nil}",
          "AND(scores.@max between 1 5, scores.@min in 1 null)");
    MEANS("dogs.@count == height AND weight > prices.@count AND scores.@count != balance",
          "AND(dogs.@count == height, weight > prices.@count, scores.@count != balance)");
    FAILS("scores.@count == name", "they are of the types int and string");
    FAILS("scores.@max == height", "they are of the types int and double");
    FAILS("scores.@count == scores.@max", "two aggregates cannot be compared");
    FAILS("dogs.@count == nil", "at column 16: @count of 'dogs' of Person is an int; it is never null");
    FAILS("scores.@sum == nil", "it is never null");
    FAILS("dogs.@max > 5", "@max of objects needs one of their properties behind it, such as dogs.@max.age");
    FAILS("dogs.@max.name > 5", "'name' of Dog has string values, which have no @max");
    FAILS("tags.@sum > 5", "which have no @sum");
    FAILS("dogs.age.@max > 5", "at column 10: @max stands behind the collection: list.@max.age");
    FAILS("dogs.@max.toys.weight > 5", "behind @max no collection can follow; use SUBQUERY");
    FAILS("dogs.@max.toys > 5", "no collection can follow");
    FAILS("dogs.toys.@count > 5", "@count of collections in a collection; use SUBQUERY");
    FAILS("dogs.@max.@min > 5", "a path has only one aggregate");
    FAILS("dogs.@count.age > 5", "nothing can follow @count");
    FAILS("age.@max > 5", "only a collection has aggregates");
    FAILS("dogs.@count > 'x'", "it cannot be compared with a string");
    FAILS("dogs.@count > 1.5", "whole numbers of 64 bits, not with 1.5");
    FAILS("dogs.@sum.owner.born > 1", "which have no @sum");
    fixture_close(f);
}

/* Statement 134, and Q12: keys, values, and what is inside of a mixed value. */
void test_predicate_resolve_brackets(void) {
    fixture *f = zoo();
    MEANS("prices['k'] == 1 AND pets['k'].name == 'x' AND pets['k'] == nil",
          "AND(prices.['k'] == 1d, pets.['k'].name == 'x', pets.['k'] == null)");
    MEANS("ANY prices.@allKeys BEGINSWITH 'k' AND ANY prices.@allValues > 1 AND 'k' IN prices.@allKeys",
          "AND(prices.keys begins 'k', prices > 1d, prices.keys == 'k')");
    MEANS("ANY pets.@allValues.name == 'x'", "pets.name == 'x'");
    MEANS("prices.@allKeys == 'k' AND prices.@allValues > 1 AND NONE prices.@allKeys LIKE 'k*' AND scores[#any] == 2",
          "AND(prices.keys == 'k', prices > 1d, NOT(prices.keys like 'k*'), scores == 2)");
    MEANS("5 IN any AND 'x' IN any['k'] AND age IN scores", "AND(any.each == 5, any.['k'].each == 'x', scores == age)");
    MEANS("scores[0] == 1 AND dogs[-1].name == 'x' AND ANY scores[#any] == 2",
          "AND(scores.[0] == 1, dogs.[-1].name == 'x', scores == 2)");
    MEANS("any[0]['k'] == 1 AND any[#any] == 2 AND ANY any['k'][#any] > 3 AND 5 IN any[#any]",
          "AND(any.[0].['k'] == 1, any.each == 2, any.['k'].each > 3, any.each == 5)");
    MEANS("anys[0]['k'] == 1 AND ANY anys == 2", "AND(anys.[0].['k'] == 1, anys == 2)");
    MEANS("ANY anys[#any][0] == 1 AND ANY anys[#any]['k'][#any] == 2",
          "AND(anys.elements.[0] == 1, anys.elements.['k'].each == 2)");
    MEANS("ANY anys[#any] == 3 AND ANY anys[#any][#any] == 4", "AND(anys.elements == 3, anys.elements.each == 4)");
    MEANS("NONE any[#any] == 2 AND ANY any == 2", "AND(NOT(any.each == 2), any == 2)");
    FAILS("scores['k'] == 1", "in brackets stands a position");
    FAILS("prices[0] == 1", "in brackets stands one of its keys");
    FAILS("tags[0] == 'x'", "only maps, lists and values of any type");
    FAILS("name['k'] == 1", "only maps, lists and values of any type");
    FAILS("dogs.@allKeys == 'x'", "only a map has keys and values");
    FAILS("anys.@max['k'] == 1", "nothing in brackets can follow");
    FAILS("dogs[#any].@max.age == 1", "@max stands behind the collection: leave [#any] out, as in dogs.@max");
    FAILS("prices.@allKeys[0] == 'k'", "'prices' of Person is a collection (the keys of a map)");
    FAILS("prices.@allValues['k'] == 1", "'prices' of Person is a value (double); only maps, lists and values of any");
    FAILS("ANY anys[#any]['k'].@max == 1", "stands behind the collection: list.@max.anys");
    fixture_close(f);
}

/* Statement 135. */
void test_predicate_resolve_subqueries(void) {
    fixture *f = zoo();
    MEANS("SUBQUERY(dogs, $d, $d.age > 5 AND $d.name == 'x').@count > 1",
          "dogs.@count(AND(age > 5, name == 'x')) > 1");
    MEANS("SUBQUERY(dogs, $d, $d.owner.age == 5 OR $d.toys.@count == 1).@count == 0.0 AND age == 1",
          "AND(dogs.@count(OR(owner.age == 5, toys.@count == 1)) == 0, age == 1)");
    MEANS("SUBQUERY(dogs, $d, SUBQUERY($d.toys, $t, $t.weight > 1).@count > 2 AND $d.age == 1).@count != 3",
          "dogs.@count(AND(toys.@count(weight > 1d) > 2, age == 1)) != 3");
    MEANS_WITH("SUBQUERY(pets, $d, $d == %@ OR NONE $d.toys.name == 'x').@count == 1",
               "pets.@count(OR(self == #7, NOT(toys.name == 'x'))) == 1", argument_of(strata_mixed_link(DOG, 7)));
    MEANS("NOT SUBQUERY(friends, $p, TRUEPREDICATE).@count == 1", "NOT(friends.@count(TRUE) == 1)");
    MEANS("SUBQUERY(dog.toys, $t, $t.weight == nil).@count == 1", "dog.toys.@count(weight == null) == 1");
    FAILS("SUBQUERY(dogs, $d, age > 5).@count > 1", "at column 20: inside of this SUBQUERY every path begins with its "
                                                    "variable $d");
    FAILS("SUBQUERY(dogs, $d, SUBQUERY($d.toys, $t, $d.age > 1).@count > 2).@count == 1", "its variable $t");
    FAILS("SUBQUERY(dog, $d, $d.age > 5).@count > 1", "at column 10: 'dog' of Person is no collection of objects");
    FAILS("SUBQUERY(scores, $s, $s == 5).@count > 1", "no collection of objects");
    FAILS("SUBQUERY(dogs.toys, $t, $t.weight == 1).@count == 1", "SUBQUERY looks through one collection");
    FAILS("SUBQUERY(dogs, $d, $d.age > 5).@count > age",
          "at column 41: the count of a SUBQUERY is compared with a constant");
    FAILS("age > SUBQUERY(dogs, $d, $d.age > 5).@count", "is compared with a constant");
    FAILS("SUBQUERY(dogs, $d, $d.age > 5).@count > 'x'", "it cannot be compared with a string");
    FAILS("SUBQUERY(dogs, $d, $d.age > 5).@count == nil", "it is never null");
    FAILS("ANY SUBQUERY(dogs, $d, $d.age > 5).@count == 1", "leave ANY and NONE out");
    FAILS("SUBQUERY(dogs, $d, $d.agee > 5).@count == 1", "did you mean 'age'?");
    fixture_close(f);
}

/* ---- Two properties --------------------------------------------------- */

/* Statement 130. */
void test_predicate_resolve_columns(void) {
    fixture *f = zoo();
    MEANS("age == dog.age AND name != dog.name AND dog == dog.owner.dog",
          "AND(age == dog.age, name != dog.name, dog == dog.owner.dog)");
    MEANS("name CONTAINS[c] dog.name AND name < dog.name", "AND(name contains[c] dog.name, name < dog.name)");
    MEANS("ANY dogs.age > age", "dogs.age > age");
    FAILS("age == height",
          "at column 5: 'age' of Person and 'height' of Person cannot be compared: they are of the types int and "
          "double");
    FAILS("weight < height", "float and double");
    FAILS("dog == home", "Dog and Place");
    FAILS("age == any", "int and mixed");
    FAILS("any < nested('1d0000000000000000')", "which have no order in conditions; use == or !=");
    FAILS("any BETWEEN {1, nested('1d0000000000000000')}", "which have no order in conditions");
    FAILS("age == nested('1d0000000000000000')",
          "'age' of Person is an int; it cannot be compared with a list or map of values");
    FAILS("flag > flag", "it cannot be compared with >");
    fixture_close(f);
}

/* ---- Places ----------------------------------------------------------- */

/* Statement 141. */
void test_predicate_resolve_places(void) {
    fixture *f = zoo();
    strata_geo_point points[] = { { 0, 0 }, { 1, 1 } };
    strata_shape box = { .kind = STRATA_BOX, .points = points, .point_count = 2 };
    MEANS_WITH("home IN %@ AND ANY places IN %@ AND dog.owner.home IN %@",
               "AND(home within shape 0, places within shape 0, dog.owner.home within shape 0)", argument_shape(&box),
               argument_shape(&box), argument_shape(&box));
    MEANS("NOT home IN geoCircle([1, 2], 0.5)", "NOT(home within shape 1)");
    FAILS_WITH("dog IN %@", "at column 1: Dog is no embedded class", argument_shape(&box));
    FAILS_WITH("name IN %@", "only links to embedded objects", argument_shape(&box));
    FAILS_WITH("places IN %@", "any number of values", argument_shape(&box));
    FAILS_WITH("home IN[c] %@", "options", argument_shape(&box));
    fixture_close(f);
}

void test_predicate_resolve_places_need_their_columns(void) {
    fixture *f = fixture_open_memory();
    strata_column_spec spot[] = { column("type", STRATA_STRING, 0) }, owner[] = { link_to("spot", "Spot") };
    strata_table_spec tables[] = {
        { .name = "Owner", .column_count = 1, .columns = owner },
        { .name = "Spot", .flags = STRATA_TABLE_EMBEDDED, .column_count = 1, .columns = spot },
    };
    strata_condition *condition;
    MUST(apply(f, 1, tables, 2));
    REFUSED(resolve(f, 0, "spot IN geoCircle([1, 2], 0.5)", NULL, 0, &condition), STRATA_TYPE,
            "Spot needs a property 'type', a string, and 'coordinates', a list of doubles");
    fixture_close(f);
}

/* ---- Lifetime --------------------------------------------------------- */

/* A condition outlives its predicate, its arguments and the view. */
void test_predicate_condition_stands_alone(void) {
    fixture *f = zoo();
    char text[] = "name == %@ AND prices['key'] > 1 AND home IN %@", word[] = "a word";
    strata_geo_point points[] = { { 0, 0 }, { 1, 1 } };
    strata_shape box = { .kind = STRATA_BOX, .points = points, .point_count = 2 };
    strata_argument arguments[] = { argument_of(strata_string(word, strlen(word))), argument_shape(&box) };
    strata_condition *condition;
    strata_predicate *predicate;
    MUST(strata_predicate_parse(text, strlen(text), arguments, 2, &predicate, &f->error));
    memset(text, '?', sizeof text - 1);
    memset(word, '?', sizeof word - 1);
    memset(points, 0, sizeof points);
    memset(arguments, 0, sizeof arguments);
    MUST(strata_predicate_resolve(predicate, f->view, PERSON, NULL, 0, &condition, &f->error));
    strata_predicate_free(predicate);
    CHECK_TEXT(condition_text(f->view, PERSON, condition),
               "AND(name == 'a word', prices.['key'] > 1d, home within shape 0)");
    CHECK(condition->nodes[3].shape->points[1].latitude >= 1);
    strata_condition_free(condition);
    strata_condition_free(NULL);
    fixture_close(f);
}

/* ---- Memory ----------------------------------------------------------- */

/* Parses and resolves with allocation `n` failing. False if there were fewer than `n`. */
static bool run_short_of_memory(fixture *f, unsigned n) {
    static const char text[] = "SUBQUERY(dogs, $d, $d.age > 5 AND $d.name == 'it\\'s').@count > 1 OR (age IN %@ AND "
                               "home IN geoPolygon({[0, 0], [9, 0], [9, 9], [0, 0]}) AND "
                               "(prices[%@] > 1 OR name IN {'x'}))";
    static strata_value many[600];
    strata_argument arguments[] = { argument_list(many, 600), argument_of(value_of("key")) };
    strata_predicate *predicate;
    strata_condition *condition = NULL;
    for (size_t i = 0; i < 600; i++) many[i] = strata_int((int64_t)i);
    long before = fault_blocks();
    fault_set(FAULT_ALLOCATION, n, 1, ENOMEM);
    strata_status status = strata_predicate_parse(text, strlen(text), arguments, 2, &predicate, &f->error);
    CHECK((status == STRATA_OK) == (predicate != NULL));
    if (status == STRATA_OK) {
        status = strata_predicate_resolve(predicate, f->view, PERSON, NULL, 0, &condition, &f->error);
        CHECK((status == STRATA_OK) == (condition != NULL));
    }
    bool met = fault_clear();
    CHECK_EQ(status, met ? STRATA_NO_MEMORY : STRATA_OK);
    strata_condition_free(condition);
    strata_predicate_free(predicate);
    CHECK_EQ(fault_blocks(), before);
    return met;
}

void test_predicate_memory_runs_out_at_every_allocation(void) {
    if (!fault_allocations_work()) ctest_skip("the allocator belongs to a sanitizer, or to the program");
    fixture *f = zoo();
    unsigned n = 1;
    while (run_short_of_memory(f, n)) n++;
    CHECK(n > 10);
    fixture_close(f);
}
