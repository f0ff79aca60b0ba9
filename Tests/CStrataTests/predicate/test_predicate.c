/* SPDX-License-Identifier: MIT
 * test_predicate.c -- predicates as text: what is read, how it is printed, and what is refused. */
#include <locale.h>
#include <math.h>
#include <stdio.h>

#include "support/faults.h"
#include "support/predicate_support.h"
#include "strata_decimal.h"
#include "strata_mixed.h"

static strata_predicate *parse_with(const char *text, const strata_argument *arguments, uint32_t count) {
    strata_predicate *predicate;
    strata_error error;
    if (strata_predicate_parse(text, strlen(text), arguments, count, &predicate, &error) != STRATA_OK) {
        char line[700];
        snprintf(line, sizeof line, "%s: %s", text, error.message);
        ctest_fail(__FILE__, __LINE__, line);
    }
    return predicate;
}

/* The plainest spelling of a predicate. Lifetime: until the next call. */
static const char *printed_with(const char *text, const strata_argument *arguments, uint32_t count) {
    static char out[4000];
    strata_predicate *predicate = parse_with(text, arguments, count), *again;
    size_t length = strata_predicate_print(predicate, out, sizeof out);
    CHECK(length == strlen(out) && length < sizeof out);
    again = parse_with(out, NULL, 0);
    if (!strata_predicate_equal(predicate, again)) ctest_fail(__FILE__, __LINE__, out);
    strata_predicate_free(predicate);
    strata_predicate_free(again);
    return out;
}

static const char *printed(const char *text) { return printed_with(text, NULL, 0); }

#define PRINTS(text, expected) CHECK_TEXT(printed(text), expected)
#define PRINTS_WITH(text, expected, ...)                                              \
    CHECK_TEXT(printed_with(text, (const strata_argument[]){ __VA_ARGS__ },           \
                            sizeof((const strata_argument[]){ __VA_ARGS__ }) / sizeof(strata_argument)), expected)

static void refused_with(const char *text, size_t size, const strata_argument *arguments, uint32_t count,
                         const char *words, int line) {
    strata_predicate *predicate;
    strata_error error = { STRATA_OK, 0, "" };
    strata_status status = strata_predicate_parse(text, size, arguments, count, &predicate, &error);
    if (status == STRATA_MISUSE && predicate == NULL && strstr(error.message, words) != NULL) return;
    char report[900];
    snprintf(report, sizeof report, "%.200s: \"%s\" does not say \"%s\"", text, error.message, words);
    ctest_fail(__FILE__, line, report);
}

#define FAILS(text, words) refused_with(text, strlen(text), NULL, 0, words, __LINE__)
#define FAILS_WITH(text, words, ...)                                                                          \
    refused_with(text, strlen(text), (const strata_argument[]){ __VA_ARGS__ },                                \
                 sizeof((const strata_argument[]){ __VA_ARGS__ }) / sizeof(strata_argument), words, __LINE__)

/* ---- Grammar ---------------------------------------------------------- */

/* Q20: compound predicates and how tight they bind; keywords of either case. */
void test_predicate_compounds(void) {
    PRINTS("a = 1", "a == 1");
    PRINTS("a == 1 AND b == 2 OR c == 3 and d == 4", "(a == 1 AND b == 2) OR (c == 3 AND d == 4)");
    PRINTS("a == 1 && (b == 2 || c == 3)", "a == 1 AND (b == 2 OR c == 3)");
    PRINTS("NOT a == 1 AND b == 2", "NOT a == 1 AND b == 2");
    PRINTS("!(a == 1 AND b == 2)", "NOT (a == 1 AND b == 2)");
    PRINTS("! ! a == 1", "a == 1");
    PRINTS("not (not a == 1 or b == 2)", "NOT (NOT a == 1 OR b == 2)");
    PRINTS("TRUEPREDICATE", "TRUEPREDICATE");
    PRINTS("falsepredicate or a == 1", "FALSEPREDICATE OR a == 1");
    PRINTS("((((a == 1))))", "a == 1");
    PRINTS("((a == 1 && b == 2) && c == 3) && (d == 4 && e == 5)",
           "a == 1 AND b == 2 AND c == 3 AND d == 4 AND e == 5");
    PRINTS("a==1||b==2&&!c==3", "a == 1 OR (b == 2 AND NOT c == 3)");
}

/* Q21: every spelling of the operators; a constant on the left is mirrored. */
void test_predicate_comparisons(void) {
    PRINTS("a=1", "a == 1");
    PRINTS("a != 1 OR a <> 2", "a != 1 OR a != 2");
    PRINTS("a < 1 OR a <= 2 OR a =< 3", "a < 1 OR a <= 2 OR a <= 3");
    PRINTS("a > 1 OR a >= 2 OR a => 3", "a > 1 OR a >= 2 OR a >= 3");
    PRINTS("1 == a OR 1 != a", "a == 1 OR a != 1");
    PRINTS("1 < a AND 2 <= a AND 3 > a AND 4 >= a", "a > 1 AND a >= 2 AND a < 3 AND a <= 4");
    PRINTS("'x' ==[c] a", "a ==[c] 'x'");
    FAILS("'x' CONTAINS a", "at column 1: the property stands on the left of CONTAINS");
    FAILS("'x' LIKE a", "on the left of LIKE");
    FAILS("1 == 2", "at column 1: two constants");
}

/* Q22, Q23: BETWEEN and IN. */
void test_predicate_lists(void) {
    strata_value three[] = { strata_int(1), strata_int(2), strata_int(3) };
    PRINTS("a BETWEEN {1, 5}", "a BETWEEN {1, 5}");
    PRINTS("a between {-1.5,2}", "a BETWEEN {-1.5, 2}");
    PRINTS_WITH("a BETWEEN %@", "a BETWEEN {1, 2}", argument_list(three, 2));
    PRINTS("a IN {}", "a IN {}");
    PRINTS("NOT a IN {'x', nil, true}", "NOT a IN {'x', nil, true}");
    PRINTS_WITH("a IN %@", "a IN {1, 2, 3}", argument_list(three, 3));
    PRINTS_WITH("a IN {%@, %@}", "a IN {5, 'x'}", argument_of(strata_int(5)), argument_of(value_of("x")));
    PRINTS_WITH("%@ IN a.b", "5 IN a.b", argument_of(strata_int(5)));
    PRINTS("ANY a.b IN {1}", "ANY a.b IN {1}");
    PRINTS("a IN[c] {'x'}", "a IN[c] {'x'}");
    PRINTS("a IN b", "a IN b");
    FAILS("a BETWEEN {1}", "at column 11: BETWEEN takes two bounds, not 1");
    FAILS_WITH("a BETWEEN %@", "two bounds, not 3", argument_list(three, 3));
    FAILS("a BETWEEN 5", "a list of two bounds");
    FAILS("5 BETWEEN {1, 2}", "on the left of BETWEEN");
    FAILS("a IN 5", "at column 6: behind IN stands a list");
    FAILS("5 IN {5}", "at column 6: a constant is looked for IN a collection");
    FAILS("a == {5}", "at column 6: a list stands behind IN or BETWEEN");
    FAILS_WITH("a == %@", "a list or a shape is compared with IN", argument_list(three, 3));
    FAILS("a IN {b}", "only constants");
    FAILS("a IN {1 2}", "expected , or }");
    FAILS("a IN {1, }", "expected a property or a constant");
}

/* Q24: options, and what has none. */
void test_predicate_string_operators(void) {
    PRINTS("a CONTAINS 'x' OR a beginswith 'x' OR a EndsWith 'x' OR a LIKE 'x*'",
           "a CONTAINS 'x' OR a BEGINSWITH 'x' OR a ENDSWITH 'x' OR a LIKE 'x*'");
    PRINTS("a CONTAINS[c] 'x' AND a ==[d] 'y' AND a !=[cd] 'z' AND a LIKE[C] 'w'",
           "a CONTAINS[c] 'x' AND a ==[d] 'y' AND a !=[cd] 'z' AND a LIKE[c] 'w'");
    PRINTS("a CONTAINS [dc] b", "a CONTAINS[cd] b");
    FAILS("a LIKE[d] 'x'", "at column 7: LIKE cannot ignore diacritics; write LIKE");
    FAILS("a LIKE[cd] 'x'", "write LIKE[c]");
    FAILS("name MATCHES 'x'", "at column 6: MATCHES and regular expressions are not supported; use LIKE");
    FAILS("a <[c] 'x'", "at column 4: < compares strings by their bytes and takes no options; leave [c] out");
    FAILS("a BETWEEN[c] {1, 2}", "BETWEEN compares");
    FAILS("a ==[x] 'x'", "at column 6: expected the options c, d or cd, found x");
    FAILS("a ==[ccc] 'x'", "expected the options");
}

/* Q25: quantifiers; statement 118: ALL is refused. */
void test_predicate_quantifiers(void) {
    PRINTS("ANY a.b == 1 OR SOME a.b == 2 OR NONE a.b == 3", "ANY a.b == 1 OR ANY a.b == 2 OR NONE a.b == 3");
    PRINTS("any a.b ==[c] 'x'", "ANY a.b ==[c] 'x'");
    FAILS("a == 1 OR ALL a.b == 2", "at column 11: ALL is not supported; write NONE");
}

/* Q26: aggregates, keys and values, what stands in brackets. */
void test_predicate_paths(void) {
    PRINTS("a.@count > 1 AND a.@min.b > 2 AND a.@max == nil", "a.@count > 1 AND a.@min.b > 2 AND a.@max == nil");
    PRINTS("a.@sum.b.c < 1 OR a.@avg >= 2.5", "a.@sum.b.c < 1 OR a.@avg >= 2.5");
    PRINTS("m.@allKeys == 'k' AND ANY m.@allValues > 5", "m.@allKeys == 'k' AND ANY m.@allValues > 5");
    PRINTS("m['k'] == 1 && m[\"it's\"].x == 2", "m['k'] == 1 AND m['it\\'s'].x == 2");
    PRINTS("x[0]['k'][#any] == 1 OR x[-1] == 2 OR x[#ANY].y == 3",
           "x[0]['k'][#any] == 1 OR x[-1] == 2 OR x[#any].y == 3");
    PRINTS_WITH("m[%@] == 1 AND x[%@][%d] == 2", "m['k'] == 1 AND x['l'][3] == 2", argument_of(value_of("k")),
                argument_of(value_of("l")), argument_of(strata_int(3)));
    PRINTS_WITH("x[%K] == %@", "x[#any] == 1", argument_of(value_of("#any")), argument_of(strata_int(1)));
    PRINTS_WITH("m[$0] == $0", "m['k'] == 'k'", argument_of(value_of("k")));
    PRINTS("SELF == a.b", "SELF == a.b");
    PRINTS("self.a == 1", "SELF.a == 1");
    FAILS("a.@size == 1",
          "at column 3: @size is none of @count, @min, @max, @sum, @avg, @allKeys and @allValues; the number of "
          "elements is @count");
    FAILS("@count == 1", "at column 1: an aggregate stands behind a collection");
    FAILS("a.@ == 1", "expected @count");
    FAILS("a[b] == 1", "at column 3: expected a string, a whole number or #any in brackets, found b");
    FAILS("a['k' == 1", "expected ], found ==");
    FAILS("a. == 1", "expected the name of a property, found ==");
    FAILS_WITH("m[%@] == 1", "in brackets stands", argument_of(strata_double(1)));
}

/* Q27, statement 135: subqueries, also inside of each other. */
void test_predicate_subqueries(void) {
    PRINTS("SUBQUERY(a.b, $x, $x.c == 1 AND $x.d > 2).@count > 0",
           "SUBQUERY(a.b, $x, $x.c == 1 AND $x.d > 2).@count > 0");
    PRINTS("0 < subquery(a, $col1, ($col1 == $col1.b)).@count", "SUBQUERY(a, $col1, $col1 == $col1.b).@count > 0");
    PRINTS("SUBQUERY(a, $x, SUBQUERY($x.b, $y, $y.c == 1).@count == 2).@count != 3",
           "SUBQUERY(a, $x, SUBQUERY($x.b, $y, $y.c == 1).@count == 2).@count != 3");
    FAILS("SUBQUERY(a, $x, $y.b == 1).@count == 0", "at column 17: no SUBQUERY around this has the variable $y");
    FAILS("$x.a == 1", "at column 1: no SUBQUERY around this has the variable $x");
    FAILS("SUBQUERY(a, $x, $x.b == 1) == 0", "at column 28: expected .@count behind SUBQUERY(...), found ==");
    FAILS("SUBQUERY(a, $x, $x.b == 1).@max == 0", "expected .@count");
    FAILS("SUBQUERY(a, x, x.b == 1).@count == 0", "at column 13: expected a variable, such as $x, found x");
    FAILS("SUBQUERY(a, $x, SUBQUERY($x.b, $x, $x.c == 1).@count == 2).@count != 3", "at column 32: $x is the variable");
    FAILS("SUBQUERY(a, $x, $x.b == 1 == 0", "expected ), found ==");
    FAILS("SUBQUERY(a, $x, $x.b == 1).@count CONTAINS 1", "compared with ==");
}

/* Q28: arguments of every kind. */
void test_predicate_arguments(void) {
    PRINTS_WITH("%K == %@ AND %K > %d", "a.b == 'x' AND c.@count > 5", argument_of(value_of("a.b")),
                argument_of(value_of("x")), argument_of(value_of("c.@count")), argument_of(strata_int(5)));
    PRINTS_WITH("a == $1 AND b == $0 AND c == $1", "a == 2 AND b == 1 AND c == 2", argument_of(strata_int(1)),
                argument_of(strata_int(2)));
    PRINTS_WITH("a == %i OR a == %u OR a == %ld OR a == %lld OR a == %lu OR a == %llu OR a == %zd",
                "a == 1 OR a == 2 OR a == 3 OR a == 4 OR a == 5 OR a == 6 OR a == 7", argument_of(strata_int(1)),
                argument_of(strata_int(2)), argument_of(strata_int(3)), argument_of(strata_int(4)),
                argument_of(strata_int(5)), argument_of(strata_int(6)), argument_of(strata_double(7)));
    PRINTS_WITH("a == %f OR a == %lf OR a == %g OR a == %d", "a == 1.5 OR a == 2.0 OR a == 0.5 OR a == 1",
                argument_of(strata_double(1.5)), argument_of(strata_int(2)), argument_of(strata_float(0.5f)),
                argument_of(strata_bool(true)));
    PRINTS_WITH("a == %@", "a == nil", argument_of(strata_null()));
    PRINTS_WITH("a == %@", "a == nothing()", argument_nothing());
    PRINTS_WITH("%K == 1", "#any.SELF['k'][0][#any] == 1", argument_of(value_of("any.SELF['k'][0][#any]")));
    PRINTS_WITH("ANY %K.c == 1", "ANY a.b.c == 1", argument_of(value_of("a.b")));
    PRINTS_WITH("%K == 1", "#'two words'.b == 1", argument_of(value_of("two words.b")));
    FAILS("a == %@", "at column 6: no argument for %@; 0 were given");
    FAILS_WITH("a == %@ OR b == %@", "at column 17: no argument for %@; 1 was given", argument_of(strata_int(1)));
    FAILS_WITH("a == $1", "at column 6: no argument for $1; 1 was given", argument_of(strata_int(1)));
    FAILS_WITH("a == %d", "the argument for %d is a number", argument_of(value_of("5")));
    FAILS_WITH("a == %d", "is a whole number", argument_of(strata_double(1.5)));
    FAILS_WITH("%K == 1", "the argument for %K is a string", argument_of(strata_int(1)));
    FAILS_WITH("%K == 1", "empty name", argument_of(value_of("a..b")));
    FAILS_WITH("%K == 1", "no string, whole number or #any", argument_of(value_of("a[b]")));
    FAILS_WITH("%K == 1", "goes on behind a ]", argument_of(value_of("a['b']c")));
    FAILS_WITH("a == %@", "not UTF-8", argument_of(strata_string("\xFF", 1)));
    FAILS_WITH("a == %@", "a list or map", argument_of((strata_value){ .type = STRATA_NESTED }));
    FAILS_WITH("a == %@", "object key 0", argument_of((strata_value){ .type = STRATA_LINK }));
    FAILS_WITH("a == %@", "no known kind", (strata_argument){ .kind = (strata_argument_kind)9 });
    FAILS("a == %x%", "at column 6: no argument for %x");
    FAILS("a == %", "expected %@ for a value");
    FAILS("a == %q", "expected %@ for a value");
}

/* Q28: literals. */
void test_predicate_literals(void) {
    PRINTS("a == \"it's\" OR a == 'a \"b\"'", "a == 'it\\'s' OR a == 'a \"b\"'");
    PRINTS("a == '\\n\\t\\r\\\\\\'\\\"\\/'", "a == '\\u000A\\u0009\\u000D\\\\\\'\"/'");
    PRINTS("a == '\\u00e9\\U0001F600\\u0000'", "a == 'é😀\\u0000'");
    PRINTS("a == 5 OR a == -5 OR a == +5 OR a == 0x1f OR a == -0X10",
           "a == 5 OR a == -5 OR a == 5 OR a == 31 OR a == -16");
    PRINTS("a == 1.5 OR a == .5 OR a == -.5 OR a == 1e3 OR a == 1.5E-3",
           "a == 1.5 OR a == 0.5 OR a == -0.5 OR a == 1000.0 OR a == 0.0015");
    PRINTS("a == 9223372036854775807 OR a == -9223372036854775808",
           "a == 9223372036854775807 OR a == -9223372036854775808");
    PRINTS("a == 9223372036854775808", "a == 9.223372036854776e+18");
    PRINTS("a == true OR a == YES OR a == False OR a == no", "a == true OR a == true OR a == false OR a == false");
    PRINTS("a == nil OR a == NULL OR null == a", "a == nil OR a == nil OR a == nil");
    FAILS("a == '\\uD800'", "no such escape");
    FAILS("a == '\\u12'", "no such escape");
    FAILS("a == 0x1ffffffffffffffff", "does not fit 64 bits");
}

/* Constants that only arguments can give print as something that reads back. */
void test_predicate_typed_constants(void) {
    strata_value uuid = { .type = STRATA_UUID }, oid = { .type = STRATA_OBJECT_ID };
    strata_value link = strata_mixed_link(3, 17);
    strata_decimal number;
    for (uint8_t i = 0; i < 16; i++) uuid.as.fixed[i] = (uint8_t)(i * 17);
    for (uint8_t i = 0; i < 12; i++) oid.as.fixed[i] = i;
    CHECK(strata_decimal_parse("1.50", 4, &number, NULL) == STRATA_OK);
    PRINTS_WITH("a == %@", "a == float(0.1)", argument_of(strata_float(0.1f)));
    PRINTS_WITH("a == %@", "a == 0.1", argument_of(strata_double(0.1)));
    PRINTS_WITH("a == %@", "a == 1e+300", argument_of(strata_double(1e300)));
    PRINTS_WITH("a == %@", "a == -0.0", argument_of(strata_double(-0.0)));
    PRINTS_WITH("a == %@", "a == double('-inf')", argument_of(strata_double(-(double)INFINITY)));
    PRINTS_WITH("a == %@", "a == double('nan')", argument_of(strata_double((double)NAN)));
    PRINTS_WITH("a == %@", "a == float('nan')", argument_of(strata_float(NAN)));
    PRINTS_WITH("a == %@", "a == date(1.5)", argument_of(strata_date(1.5)));
    PRINTS_WITH("a == %@", "a == data('00ff10')", argument_of(strata_data("\x00\xFF\x10", 3)));
    PRINTS_WITH("a == %@", "a == uuid('00112233-4455-6677-8899-aabbccddeeff')", argument_of(uuid));
    PRINTS_WITH("a == %@", "a == objectId('000102030405060708090a0b')", argument_of(oid));
    PRINTS_WITH("a == %@", "a == decimal('1.50')", argument_of(strata_decimal_value(number)));
    PRINTS_WITH("a == %@", "a == object(3, 17)", argument_of(link));
    strata_value five = { .type = STRATA_NESTED };
    five.as.bytes = (strata_bytes){ "\x1D\2\0\0\0\1\0\0\0\x12\5", 11 };
    PRINTS_WITH("a == %@", "a == nested('1d02000000010000001205')", argument_of(five));
    PRINTS("a IN {nested('3d0000000000000000'), 1}", "a IN {nested('3d0000000000000000'), 1}");
    PRINTS("a IN {date(0), float(1)}", "a IN {date(0.0), float(1.0)}");
    FAILS("a == uuid('00')", "at column 11: these are not 32 hex digits");
    FAILS("a == data('0x')", "pairs of hex digits");
    FAILS("a == data('abc')", "pairs of hex digits");
    FAILS("a == decimal('x')", "at column 14: ");
    FAILS("a == nested('1d')", "at column 13: the argument is a list or map that is not well formed");
    FAILS("a == nested('')", "not well formed");
    FAILS("a == color(1)", "at column 6: there is no function color");
    FAILS("a == date('tomorrow')", "expected a date such as");
    FAILS("a == object(1, 0)", "object key other than 0");
}

void test_predicate_shapes(void) {
    strata_geo_point points[] = { { 0, 0 }, { 10, 0 }, { 10, 10 }, { 0, 10 }, { 0, 0 },
                              { 1, 1 }, { 2, 1 }, { 2, 2 }, { 1, 1 } };
    uint32_t rings[] = { 5, 4 };
    strata_shape box = { .kind = STRATA_BOX, .points = points + 1, .point_count = 2 };
    strata_shape circle = { .kind = STRATA_CIRCLE, .points = points + 1, .point_count = 1, .radius = 0.25 };
    strata_shape polygon = { STRATA_POLYGON, points, 9, rings, 2, 0 };
    PRINTS_WITH("a IN %@", "a IN geoBox([10.0, 0.0], [10.0, 10.0])", argument_shape(&box));
    PRINTS_WITH("a IN %@", "a IN geoCircle([10.0, 0.0], 0.25)", argument_shape(&circle));
    PRINTS_WITH("a IN %@", "a IN geoPolygon({[0.0, 0.0], [10.0, 0.0], [10.0, 10.0], [0.0, 10.0], [0.0, 0.0]}, "
                "{[1.0, 1.0], [2.0, 1.0], [2.0, 2.0], [1.0, 1.0]})", argument_shape(&polygon));
    rings[0] = 4;
    FAILS_WITH("a IN %@", "at column 6: the rings of a polygon", argument_shape(&polygon));
    FAILS_WITH("a == %@", "compared with IN", argument_shape(&box));
    FAILS("a IN geoBox([0, 1], [2, 0])", "north of the other");
    FAILS("a IN geoBox([0, 1])", "expected ,");
}

/* Q31: names that are keywords. */
void test_predicate_names(void) {
    PRINTS("#in == 1 AND #'NOT' == 2", "#in == 1 AND #NOT == 2");
    PRINTS("a.in == 1 AND a.like.none == 2", "a.in == 1 AND a.like.none == 2");
    PRINTS("a.#self == 1", "a.#self == 1");
    PRINTS("Äpfel == 1 AND _x9 == 2", "Äpfel == 1 AND _x9 == 2");
    PRINTS("#'a.b' == 1 OR #\"it's\" == 2", "#'a.b' == 1 OR #'it\\'s' == 2");
    PRINTS("any CONTAINS 'x' AND in IN {1}", "#any CONTAINS 'x' AND #in IN {1}");
    PRINTS("any == 1 AND like == 2 AND any[0] == 3 AND all.x == 4",
           "#any == 1 AND #like == 2 AND #any[0] == 3 AND #all.x == 4");
    PRINTS("a == like AND 5 IN any OR (b == all)", "(a == #like AND 5 IN #any) OR b == #all");
    FAILS("a == AND b == 2", "at column 6: expected a property or a constant, found the keyword AND");
    FAILS("a == 1 AND OR b == 2",
          "at column 12: expected a property or a constant, found the keyword OR; a property of that name is written "
          "#OR");
    FAILS("# == 1", "expected the name of a property behind #");
}

/* ---- Positions -------------------------------------------------------- */

/* Columns count characters, not bytes. */
void test_predicate_positions(void) {
    FAILS("name == 'äöü' % 5", "at column 15: ");
    FAILS("日本 == 1 x", "at column 9: expected AND, OR or the end of the predicate, found x");
    FAILS("", "at column 1: expected a property or a constant, found the end");
    FAILS("a", "at column 2: expected an operator, such as == true, found the end");
    FAILS("(a) AND b == 1", "at column 3: expected an operator, such as == true, found )");
    FAILS("a AND b == 1", "at column 3: expected an operator, such as == true, found AND");
    FAILS("name BEGINWITH 'x'", "at column 6: expected an operator, found BEGINWITH; did you mean BEGINSWITH?");
    FAILS("name contain 'x'", "at column 6: expected an operator, found contain; did you mean CONTAINS?");
    FAILS("a == ", "at column 6: expected");
    FAILS("(a == 1", "at column 8: expected AND, OR or ), found the end");
    FAILS("a == 1)", "at column 7: expected AND, OR or the end of the predicate, found )");
    FAILS("a == 'x", "at column 6: the string that begins here does not end");
    FAILS("a == 'x\\'", "at column 6: the string that begins here does not end");
    FAILS("a == 'ä\\q'", "at column 8: no such escape");
    FAILS("a & b", "at column 3: a single &");
    FAILS("a | b", "at column 3: a single |");
    FAILS("a ~ b", "at column 3: the character ~");
    FAILS("a == 1\x01", "at column 7: the byte 0x01");
    FAILS("a == \xC3\xA4\xFF", "at column 7: the text is not UTF-8");
    FAILS("a == 1x", "at column 6: this is no number");
    FAILS("a == 0x", "hexadecimal");
    FAILS("a == 1e999", "too large");
    FAILS("a b", "at column 3: expected an operator, such as ==, found b");
    FAILS("a == 'this string is longer than what is shown of it' 'this string is longer than what is shown of it'",
          "found 'this string is longer than what is show...");
    refused_with("a == 1\0", 7, NULL, 0, "at column 7: the byte 0x00", __LINE__);
    refused_with(NULL, 3, NULL, 0, "without an address", __LINE__);
}

/* ---- Bounds ----------------------------------------------------------- */

static char *repeat(const char *first, const char *middle, const char *last, size_t count, const char *center) {
    size_t size = count * (strlen(first) + strlen(middle) + strlen(last)) + strlen(center) + 1;
    char *out = malloc(size), *at = out;
    CHECK(out != NULL);
    for (size_t i = 0; i < count; i++) at += sprintf(at, "%s", first);
    at += sprintf(at, "%s", center);
    for (size_t i = 0; i < count; i++) at += sprintf(at, "%s%s", middle, last);
    return out;
}

/* Parentheses may be as deep as there is text; conditions may not. */
void test_predicate_depth_is_bounded(void) {
    char *text = repeat("(", " AND b == 2", ")", 20000, "a == 1");
    strata_predicate *predicate = parse_with(text, NULL, 0);
    strata_predicate_free(predicate);
    free(text);
    text = repeat("(NOT ", "", ")", 20001, "a == 1");
    predicate = parse_with(text, NULL, 0);
    CHECK_EQ(strata_predicate_print(predicate, NULL, 0), strlen("NOT a == 1"));
    strata_predicate_free(predicate);
    free(text);
    text = repeat("(c == 3 OR (d == 4 AND ", "", "))", 90, "a == 1");
    predicate = parse_with(text, NULL, 0);
    strata_predicate_free(predicate);
    free(text);
    text = repeat("(c == 3 OR (d == 4 AND ", "", "))", 5000, "a == 1");
    FAILS(text, "conditions are nested more than 190 deep");
    free(text);
    text = repeat("(", "", "", 100000, "");
    FAILS(text, "at column 100001: expected a property or a constant, found the end");
    free(text);
    text = repeat("SUBQUERY(a, $x, ", "", "", 3000, "");
    FAILS(text, "$x is the variable");
    free(text);
    text = repeat("a.", "", "", 101, "a == 1");
    FAILS(text, "a path has at most 100 parts");
    free(text);
}

/* A hundred clauses take a handful of blocks of memory. */
void test_predicate_memory(void) {
    char text[4000] = "a == 'x'", *at = text + strlen(text);
    for (int i = 1; i < 100; i++) at += sprintf(at, " AND a%d.b BEGINSWITH[c] '%d'", i, i);
    long before = fault_blocks();
    strata_predicate *predicate = parse_with(text, NULL, 0);
    if (fault_allocations_work()) CHECK(fault_blocks() - before <= 12);
    strata_predicate_free(predicate);
    if (fault_allocations_work()) CHECK_EQ(fault_blocks(), before);
}

/* ---- Printing --------------------------------------------------------- */

void test_predicate_print_cuts(void) {
    strata_predicate *predicate = parse_with("name == 'x' AND age > 5", NULL, 0);
    char buffer[16];
    memset(buffer, '#', sizeof buffer);
    CHECK_EQ(strata_predicate_print(predicate, NULL, 0), 23);
    CHECK_EQ(strata_predicate_print(predicate, buffer, 8), 23);
    CHECK_TEXT(buffer, "name ==");
    CHECK(buffer[8] == '#');
    strata_predicate_free(predicate);
    strata_predicate_free(NULL);
}

/* Numbers are read and printed with points in every locale. */
void test_predicate_ignores_the_locale(void) {
    const char *const names[] = { "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "da_DK.UTF-8" };
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !found; i++) found = setlocale(LC_ALL, names[i]) != NULL;
    PRINTS("a == 1.5 OR a == .25 OR a == 1e3", "a == 1.5 OR a == 0.25 OR a == 1000.0");
    setlocale(LC_ALL, "C");
    if (!found) ctest_skip("no locale with a comma is installed");
}

static bool equal(const char *a, const char *b) {
    strata_predicate *first = parse_with(a, NULL, 0), *second = parse_with(b, NULL, 0);
    bool same = strata_predicate_equal(first, second);
    CHECK(same == strata_predicate_equal(second, first));
    CHECK(strata_predicate_equal(first, first));
    strata_predicate_free(first);
    strata_predicate_free(second);
    return same;
}

/* Q29: equality is that of the form. */
void test_predicate_equality(void) {
    CHECK(equal("a == 1 AND b == 2", "((a = 1) && (2 == b))"));
    CHECK(equal("a == 1.0", "a == 1e0"));
    CHECK(equal("SOME a.b == 'x'", "any a.b == \"x\""));
    CHECK(equal("a == decimal('1.0')", "a == decimal('1.00')"));
    CHECK(!equal("a == 1 AND b == 2", "b == 2 AND a == 1"));
    CHECK(!equal("a == 1", "a == 1.0"));
    CHECK(!equal("a == 1", "NOT a == 1"));
    CHECK(!equal("a == 'x'", "a ==[c] 'x'"));
    CHECK(!equal("ANY a.b == 1", "NONE a.b == 1"));
    CHECK(!equal("a.@min.b == 1", "a.@max.b == 1"));
    CHECK(!equal("a[0] == 1", "a[1] == 1"));
    CHECK(!equal("a IN {1, 2}", "a IN {1}"));
    CHECK(!equal("a == nil", "a == nothing()"));
    CHECK(!equal("SUBQUERY(a, $x, $x.b == 1).@count == 0", "SUBQUERY(a, $x, $x.b == 2).@count == 0"));
}
