/* SPDX-License-Identifier: MIT
 * test_text.c -- letters without case or marks, and patterns. */
#include <stdlib.h>
#include <string.h>

#include "text/code_point.h"
#include "text/find.h"
#include "text/like.h"
#include "text/text.h"
#include "text/text_marks.h"
#include "tests.h"

static strata_bytes bytes_of(const char *text) { return (strata_bytes){ text, strlen(text) }; }

static const char *folded(const char *text, uint32_t options) {
    static char out[200];
    st_buffer buffer = { 0 };
    CHECK(st_text_fold(bytes_of(text), options, &buffer));
    CHECK(buffer.size < sizeof out && buffer.size <= strlen(text));
    if (buffer.size != 0) memcpy(out, buffer.data, buffer.size);
    out[buffer.size] = 0;
    st_buffer_free(&buffer);
    return out;
}

/* Statement 123: [c] folds ASCII and the Latin-1 letters, and no others. */
void test_text_folds_ascii_and_latin_1(void) {
    enum { C = STRATA_CASE_INSENSITIVE };
    CHECK_TEXT(folded("Hello, WORLD [\\]^ @`", C), "hello, world [\\]^ @`");
    CHECK_TEXT(folded("ÀÉÎÕÜÞ", C), "àéîõüþ");
    CHECK_TEXT(folded("×÷ß", C), "×÷ß");
    CHECK_TEXT(folded("ĀΣЖ", C), "ĀΣЖ");
    CHECK_TEXT(folded("", C), "");
    CHECK_TEXT(folded("As Is", 0), "As Is");
}

/* Statement 123: [d] removes every mark, whatever the language, precomposed or not. */
void test_text_removes_marks(void) {
    enum { D = STRATA_DIACRITIC_INSENSITIVE, CD = STRATA_CASE_INSENSITIVE | STRATA_DIACRITIC_INSENSITIVE };
    CHECK_TEXT(folded("àéîõüÀÉ", D), "aeiouAE");
    CHECK_TEXT(folded("e\xCC\x81 a\xCC\x8A\xCC\xA3", D), "e a");
    CHECK_TEXT(folded("Ǘệṩ", D), "Ues");
    CHECK_TEXT(folded("άΐЙё", D), "αιИе");
    CHECK_TEXT(folded("Øøßæ", D), "Øøßæ");
    CHECK_TEXT(folded("한국 日本", D), "한국 日本");
    CHECK_TEXT(folded("\xCC\x81", D), "");
    CHECK_TEXT(folded("\xF0\x91\x82\x9A", D), "\xF0\x91\x82\x99");
    CHECK_TEXT(folded("ÉCOLE Āb", CD), "ecole ab");
    CHECK_EQ(st_without_marks(0x1E69), 's');
    CHECK_EQ(st_without_marks(0x0301), 0);
    CHECK_EQ(st_without_marks('a'), 'a');
    CHECK_EQ(st_without_marks(0x10FFFF), 0x10FFFF);
}

/* Bytes that are not UTF-8 stay what they are. */
void test_text_folding_keeps_stray_bytes(void) {
    enum { CD = STRATA_CASE_INSENSITIVE | STRATA_DIACRITIC_INSENSITIVE };
    CHECK_TEXT(folded("a\xC3", CD), "a\xC3");
    CHECK_TEXT(folded("\x80\xFF\xCC", CD), "\x80\xFF\xCC");
    CHECK_TEXT(folded("\xE1\xBAZ", CD), "\xE1\xBAz");
    uint64_t state = ctest_seed();
    st_buffer buffer = { 0 };
    for (int round = 0; round < 20000; round++) {
        uint8_t *value = malloc(16);
        CHECK(value != NULL);
        size_t size = ctest_random(&state) % 17;
        for (size_t i = 0; i < size; i++) value[i] = (uint8_t)ctest_random(&state);
        CHECK(st_text_fold((strata_bytes){ value, size }, CD, &buffer));
        CHECK(buffer.size <= size);
        free(value);
    }
    st_buffer_free(&buffer);
}

/* ---- Patterns --------------------------------------------------------- */

static bool like(const char *value, const char *pattern) { return st_like(bytes_of(pattern), bytes_of(value), true); }

/* Statement 124. */
void test_text_like(void) {
    CHECK(like("", ""));
    CHECK(like("", "*"));
    CHECK(!like("", "?"));
    CHECK(!like("a", ""));
    CHECK(like("abc", "abc"));
    CHECK(like("abc", "a*"));
    CHECK(like("abc", "*c"));
    CHECK(like("abc", "*b*"));
    CHECK(like("abc", "?b?"));
    CHECK(!like("abc", "ab"));
    CHECK(!like("abc", "bc"));
    CHECK(!like("abc", "????"));
    CHECK(like("abc", "***"));
    CHECK(like("abcabd", "*ab?"));
    CHECK(!like("abcabd", "*abc"));
    CHECK(like("a*c", "a*c"));
    CHECK(!like("ab", "a\\*"));
    CHECK(like("a\\b", "a\\*"));
    CHECK(!like("Abc", "abc"));
}

/* Statement 124: ? is one code point; statement 126: of data it is one byte. */
void test_text_like_counts_code_points(void) {
    CHECK(like("é", "?"));
    CHECK(like("日本", "??"));
    CHECK(!like("日本", "?"));
    CHECK(like("a😀b", "a?b"));
    CHECK(like("a😀b", "*?b"));
    CHECK(like("e\xCC\x81", "??"));
    CHECK(!st_like(bytes_of("?"), bytes_of("é"), false));
    CHECK(st_like(bytes_of("??"), bytes_of("é"), false));
    CHECK(like("\xFF\xFE", "??"));
}

/* No pattern makes it try more than pattern times value places. */
void test_text_like_does_not_explode(void) {
    enum { SIZE = 2000 };
    char *value = malloc(SIZE), *pattern = malloc(SIZE);
    CHECK(value != NULL && pattern != NULL);
    memset(value, 'a', SIZE);
    for (size_t i = 0; i < SIZE; i++) pattern[i] = i % 2 == 0 ? '*' : 'a';
    pattern[SIZE - 1] = 'b';
    CHECK(!st_like((strata_bytes){ pattern, SIZE }, (strata_bytes){ value, SIZE }, true));
    pattern[SIZE - 1] = 'a';
    CHECK(st_like((strata_bytes){ pattern, SIZE }, (strata_bytes){ value, SIZE }, true));
    free(value);
    free(pattern);
}

/* The plainest way to say it, which is slow. */
static bool slow_like(const char *pattern, const char *value) {
    if (*pattern == 0) return *value == 0;
    if (*pattern == '*') return slow_like(pattern + 1, value) || (*value != 0 && slow_like(pattern, value + 1));
    return *value != 0 && (*pattern == '?' || *pattern == *value) && slow_like(pattern + 1, value + 1);
}

void test_text_like_against_a_slow_one(void) {
    uint64_t state = ctest_seed();
    for (int round = 0; round < 50000; round++) {
        char pattern[9] = { 0 }, value[11] = { 0 };
        size_t pattern_size = ctest_random(&state) % 9, value_size = ctest_random(&state) % 11;
        for (size_t i = 0; i < pattern_size; i++) pattern[i] = "**?aab"[ctest_random(&state) % 6];
        for (size_t i = 0; i < value_size; i++) value[i] = "aab"[ctest_random(&state) % 3];
        CHECK(like(value, pattern) == slow_like(pattern, value));
    }
}

/* ---- Texts that make no headway --------------------------------------- */

/* Text of a few letters that repeats what it had `period` bytes before, but now and then. */
static void fill_periodic(uint8_t *text, size_t size, size_t period, unsigned letters, uint64_t *state) {
    for (size_t i = 0; i < size; i++) {
        bool again = i >= period && ctest_random(state) % 200 != 0;
        text[i] = again ? text[i - period] : (uint8_t)('a' + ctest_random(state) % letters);
    }
}

static const uint8_t *slow_find(const uint8_t *hay, size_t size, strata_bytes needle) {
    for (size_t at = 0; at + needle.size <= size; at++) {
        if (memcmp(hay + at, needle.data, needle.size) == 0) return hay + at;
    }
    return NULL;
}

void test_text_finds_bytes_in_texts_that_repeat(void) {
    enum { ROUNDS = 4000, HAY = 4000 };
    static uint8_t hay[HAY], needle[HAY];
    uint64_t state = ctest_seed();
    unsigned found = 0;
    for (int round = 0; round < ROUNDS; round++) {
        size_t size = ctest_random(&state) % HAY, period = 1 + ctest_random(&state) % 40;
        size_t wanted = 1 + ctest_random(&state) % (round % 2 == 0 ? 60 : 800);
        unsigned letters = 1 + (unsigned)(ctest_random(&state) % 3);
        fill_periodic(hay, size, period, letters, &state);
        fill_periodic(needle, wanted, period, letters, &state);
        if (wanted < size && round % 3 == 0) memcpy(needle, hay + ctest_random(&state) % (size - wanted), wanted);
        if (round % 5 == 0) needle[ctest_random(&state) % wanted] = 'z';
        strata_bytes bytes = { needle, wanted };
        const uint8_t *expected = slow_find(hay, size, bytes);
        CHECK(st_find_bytes(hay, size, bytes) == expected);
        found += expected != NULL;
    }
    CHECK(found > ROUNDS / 10 && found < ROUNDS - ROUNDS / 10);
}

/* Every beginning of the needle is found at every position. A product of the sizes would take until tomorrow. */
void test_text_finds_bytes_in_long_texts(void) {
    enum { SIZE = 1 << 22 };
    uint8_t *hay = malloc(SIZE), *needle = malloc(SIZE / 2);
    CHECK(hay != NULL && needle != NULL);
    memset(hay, 'a', SIZE);
    memset(needle, 'a', SIZE / 2);
    needle[SIZE / 4] = 'b';
    CHECK(st_find_bytes(hay, SIZE, (strata_bytes){ needle, SIZE / 2 }) == NULL);
    hay[SIZE / 2] = 'b';
    CHECK(st_find_bytes(hay, SIZE, (strata_bytes){ needle, SIZE / 2 }) == hay + SIZE / 4);
    CHECK(st_find_bytes(hay, SIZE / 2, (strata_bytes){ needle, SIZE / 2 }) == NULL);
    free(hay);
    free(needle);
}

/* One position after the other, as long as it may take. */
static bool patient_like(strata_bytes pattern, strata_bytes value, bool code_points) {
    const uint8_t *p = pattern.data, *v = value.data;
    size_t at = 0, in = 0, star = SIZE_MAX, resume = 0;
    while (in < value.size) {
        if (at < pattern.size && p[at] == '*') {
            star = ++at;
            resume = in;
        } else if (at < pattern.size && p[at] == '?') {
            in += code_points ? st_code_size(v + in, value.size - in) : 1;
            at++;
        } else if (at < pattern.size && p[at] == v[in]) {
            in++;
            at++;
        } else if (star != SIZE_MAX) {
            at = star;
            resume += code_points ? st_code_size(v + resume, value.size - resume) : 1;
            in = resume;
        } else {
            return false;
        }
    }
    while (at < pattern.size && p[at] == '*') at++;
    return at == pattern.size;
}

/* A pattern of long segments, most of which are near the beginning of what repeats. */
static size_t fill_pattern(char *out, uint64_t *state) {
    static const char *const letters[] = { "a", "a", "a", "a", "a", "\xC3\xA9", "\xF0\x9F\x98\x80", "b" };
    size_t size = 0, segments = 1 + ctest_random(state) % 3;
    for (size_t i = 0; i < segments; i++) {
        size_t length = ctest_random(state) % 150;
        bool marks = ctest_random(state) % 2 == 0;
        if (i != 0 || ctest_random(state) % 4 != 0) out[size++] = '*';
        for (size_t k = 0; k < length; k++) {
            const char *letter = letters[ctest_random(state) % 40 == 0 ? ctest_random(state) % 8 : 0];
            if (marks && ctest_random(state) % 10 == 0) letter = "?";
            memcpy(out + size, letter, strlen(letter));
            size += strlen(letter);
        }
    }
    if (ctest_random(state) % 3 == 0) out[size++] = '*';
    return size;
}

void test_text_like_in_texts_that_repeat(void) {
    enum { ROUNDS = 3000 };
    static char value[8000], pattern[2000];
    uint64_t state = ctest_seed();
    unsigned met = 0;
    for (int round = 0; round < ROUNDS; round++) {
        size_t size = 0, length = ctest_random(&state) % 1500;
        for (size_t i = 0; i < length; i++) {
            bool odd = ctest_random(&state) % 300 == 0;
            const char *letter = !odd ? "a" : i % 3 == 0 ? "b" : i % 3 == 1 ? "\xC3\xA9" : "\xF0\x9F\x98\x80";
            memcpy(value + size, letter, strlen(letter));
            size += strlen(letter);
        }
        strata_bytes text = { value, size }, wanted = { pattern, fill_pattern(pattern, &state) };
        for (int code_points = 0; code_points < 2; code_points++) {
            bool expected = patient_like(wanted, text, code_points == 1);
            CHECK(st_like(wanted, text, code_points == 1) == expected);
            met += expected;
        }
    }
    CHECK(met > ROUNDS / 10);
}

void test_text_like_in_long_texts(void) {
    enum { SIZE = 1 << 21 };
    char *value = malloc(SIZE), *pattern = malloc(SIZE);
    CHECK(value != NULL && pattern != NULL);
    memset(value, 'a', SIZE);
    memset(pattern, 'a', SIZE);
    pattern[0] = pattern[SIZE / 4] = '*';
    pattern[SIZE / 4 - 1] = 'b';
    CHECK(!st_like((strata_bytes){ pattern, SIZE / 2 }, (strata_bytes){ value, SIZE }, true));
    pattern[SIZE / 4 - 1] = 'a';
    CHECK(st_like((strata_bytes){ pattern, SIZE / 2 }, (strata_bytes){ value, SIZE }, true));
    for (size_t i = 1; i < STRATA_MAX_SEGMENT; i += 2) pattern[i] = '?';
    pattern[STRATA_MAX_SEGMENT] = 'b';
    pattern[STRATA_MAX_SEGMENT + 1] = '*';
    strata_bytes marks = { pattern, STRATA_MAX_SEGMENT + 2 };
    CHECK(st_like_fits(marks) && !st_like(marks, (strata_bytes){ value, SIZE }, true));
    value[SIZE - 5] = 'b';
    CHECK(st_like(marks, (strata_bytes){ value, SIZE }, true));
    free(value);
    free(pattern);
}

void test_text_like_has_limits(void) {
    static char pattern[3 * STRATA_MAX_SEGMENT];
    memset(pattern, 'a', sizeof pattern);
    CHECK(st_like_fits((strata_bytes){ pattern, sizeof pattern }));
    pattern[0] = '?';
    CHECK(!st_like_fits((strata_bytes){ pattern, sizeof pattern }));
    pattern[STRATA_MAX_SEGMENT] = '*';
    CHECK(st_like_fits((strata_bytes){ pattern, sizeof pattern }));
    pattern[sizeof pattern - 1] = '?';
    CHECK(!st_like_fits((strata_bytes){ pattern, sizeof pattern }));
    CHECK(st_like_fits((strata_bytes){ "", 0 }) && st_like_fits((strata_bytes){ "**", 2 }));
}
