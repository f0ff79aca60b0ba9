/* SPDX-License-Identifier: MIT
 * test_text.c -- letters without case or marks, and patterns. */
#include <stdlib.h>
#include <string.h>

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
