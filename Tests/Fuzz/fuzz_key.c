/* SPDX-License-Identifier: MIT
 * fuzz_key.c
 *
 * Promise: the order of two encoded values is the order of the values, and equal values give equal bytes, but for what is
 * marked as cut short; no encoding of a column is a prefix of another one; an encoding is never longer than it may be. */
#include "fuzz.h"

#include "base/bits.h"
#include "value/key.h"
#include "value/mixed.h"
#include "strata_decimal.h"

enum { MOST_BYTES = 100 };

/* `room` holds the bytes of a string or data. */
static strata_value take_value(fuzz_input *input, strata_type type, bool nullable, uint8_t room[MOST_BYTES]) {
    strata_value value = strata_null();
    uint8_t head = fuzz_u8(input);
    if (nullable && head % 8 == 0) return value;
    uint64_t number = fuzz_u64(input);
    switch (type) {
    case STRATA_BOOL: return strata_bool((number & 1) != 0);
    case STRATA_INT: return strata_int((int64_t)(number >> head % 64));
    case STRATA_FLOAT: {
        float single;
        memcpy(&single, &number, sizeof single);
        return strata_float(single);
    }
    case STRATA_DOUBLE:
    case STRATA_DATE:
        value.type = type;
        memcpy(&value.as.real, &number, sizeof number);
        return value;
    case STRATA_STRING:
    case STRATA_DATA:
        value.type = type;
        value.as.bytes = (strata_bytes){ room, head % MOST_BYTES };
        fuzz_bytes(input, room, value.as.bytes.size);
        /* Strings that agree in much are the interesting ones. */
        if (head % 3 == 0 && value.as.bytes.size > 2) memset(room, 'a', value.as.bytes.size - 2);
        return value;
    case STRATA_UUID:
    case STRATA_OBJECT_ID:
    case STRATA_DECIMAL:
        value.type = type;
        memcpy(value.as.fixed, &number, 8);
        fuzz_bytes(input, value.as.fixed + 8, type == STRATA_OBJECT_ID ? 4 : 8);
        return value;
    case STRATA_LINK:
        value.type = type;
        value.as.link = 1 + (number & 0xFFFFFFFF);
        return value;
    default: return value;
    }
}

static int order_of_encodings(const st_key *a, const st_key *b) {
    return st_compare((strata_bytes){ a->bytes, a->size }, (strata_bytes){ b->bytes, b->size });
}

static int sign(int order) { return order < 0 ? -1 : order > 0; }

static void check_pair(strata_type type, bool nullable, const strata_value *a, const strata_value *b) {
    st_key first, second;
    st_key_encode(&st_hash_key_of_process, type, nullable, a, &first);
    st_key_encode(&st_hash_key_of_process, type, nullable, b, &second);
    CHECK(first.size <= ST_MAX_KEY && second.size <= ST_MAX_KEY && first.size > 0);
    uint32_t width = st_key_width(type, nullable);
    CHECK(width == 0 || (first.size == width && second.size == width));
    CHECK(st_key_is_truncated(type, nullable, (strata_bytes){ first.bytes, first.size }) == first.truncated);
    int order = sign(order_of_encodings(&first, &second)), wanted = sign(strata_mixed_compare(a, b));
    if (wanted == 0 || order == 0 || !first.truncated || !second.truncated) CHECK(order == wanted);
    size_t shorter = first.size < second.size ? first.size : second.size;
    if (order != 0) CHECK(memcmp(first.bytes, second.bytes, shorter) != 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const strata_type types[] = { STRATA_BOOL, STRATA_INT, STRATA_STRING, STRATA_DATE, STRATA_UUID,
                                         STRATA_OBJECT_ID, STRATA_MIXED };
    static const strata_type any[] = { STRATA_BOOL, STRATA_INT, STRATA_FLOAT, STRATA_DOUBLE, STRATA_STRING, STRATA_DATA,
                                       STRATA_DATE, STRATA_UUID, STRATA_OBJECT_ID, STRATA_DECIMAL, STRATA_LINK };
    fuzz_input input = { data, size };
    uint8_t rooms[2][MOST_BYTES], head = fuzz_u8(&input);
    strata_type type = types[head % (sizeof types / sizeof *types)];
    bool nullable = (head & 0x80) != 0 || type == STRATA_MIXED;
    strata_value values[2];
    for (int i = 0; i < 2; i++) {
        strata_type of = type == STRATA_MIXED ? any[fuzz_u8(&input) % (sizeof any / sizeof *any)] : type;
        values[i] = take_value(&input, of, nullable, rooms[i]);
    }
    check_pair(type, nullable, &values[0], &values[1]);
    check_pair(type, nullable, &values[1], &values[0]);
    check_pair(type, nullable, &values[0], &values[0]);
    return 0;
}
