// SPDX-License-Identifier: MIT
// LZ4's block format: sequences of a token (four bits: how many bytes follow as they are, four: how many are copied beyond 4), both
// lengths going on in bytes of 255, and the distance of what is copied in two bytes. The last 5 bytes are never copied, and no copy
// starts in the last 12. A match is looked for where the same four bytes were last seen: that is LZ4's fast way.
//
// Integers: d_i = v_i - v_(i-1). The most frequent difference comes first, then two bits per number (0: that one, 1, 2, 3: one of a
// quarter, half or all of the type's bytes, in wide ones a quarter is two bytes), then those.
#include "io/usd_coding.h"

#include <stdlib.h>
#include <string.h>

enum { HASH_BITS = 14, LEAST_MATCH = 4, LAST_LITERALS = 5, LAST_MATCH = 12, FARTHEST = 65535 };

size_t lz4_bound(size_t bytes)
{
    return bytes + bytes / 255 + 17;
}

static uint32_t four_bytes(const uint8_t* p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static uint8_t* put_length(uint8_t* out, size_t rest)
{
    for (; rest >= 255; rest -= 255)
        *out++ = 255;
    *out++ = (uint8_t)rest;
    return out;
}

// One sequence; `match` is 0 in the last one.
static uint8_t* put_sequence(uint8_t* out, const uint8_t* literal, size_t literals, size_t match, size_t distance)
{
    uint8_t* token = out++;
    size_t beyond = match ? match - LEAST_MATCH : 0;
    *token = (uint8_t)((literals < 15 ? literals : 15) << 4 | (beyond < 15 ? beyond : 15));
    if (literals >= 15)
        out = put_length(out, literals - 15);
    memcpy(out, literal, literals);
    out += literals;
    if (!match)
        return out;
    *out++ = (uint8_t)(distance & 255);
    *out++ = (uint8_t)(distance >> 8);
    return beyond >= 15 ? put_length(out, beyond - 15) : out;
}

size_t lz4_pack(const void* data, size_t bytes, uint8_t* out)
{
    const uint8_t *in = data, *literal = in, *end = in + bytes;
    uint8_t* start = out;
    uint32_t seen[1 << HASH_BITS] = {0}; // place behind the last one with this hash
    *out++ = 0;                          // one block
    size_t k = 0, step = 1 << 6;
    while (bytes >= LAST_MATCH + 1 && k <= bytes - LAST_MATCH) {
        uint32_t hash = four_bytes(in + k) * 2654435761u >> (32 - HASH_BITS);
        size_t before = seen[hash];
        seen[hash] = (uint32_t)k + 1;
        if (!before || k - (before - 1) > FARTHEST || four_bytes(in + before - 1) != four_bytes(in + k)) {
            k += step++ >> 6; // faster and faster through what cannot be pressed
            continue;
        }
        const uint8_t* from = in + before - 1;
        size_t match = LEAST_MATCH;
        while (in + k + match < end - LAST_LITERALS && from[match] == in[k + match])
            match++;
        out = put_sequence(out, literal, (size_t)(in + k - literal), match, (size_t)(in + k - from));
        k += match;
        literal = in + k;
        step = 1 << 6;
    }
    out = put_sequence(out, literal, (size_t)(end - literal), 0, 0);
    return (size_t)(out - start);
}

// --- integers

typedef struct Numbers {
    const void* value;
    size_t count;
    bool wide;
} Numbers;

// Differences wrap as the reader's sums do.
static int64_t difference(const Numbers* n, size_t k)
{
    if (n->wide) {
        const uint64_t* v = n->value;
        return (int64_t)(v[k] - (k ? v[k - 1] : 0));
    }
    const uint32_t* v = n->value;
    return (int32_t)(v[k] - (k ? v[k - 1] : 0));
}

static int by_value(const void* a, const void* b)
{
    int64_t x = *(const int64_t*)a, y = *(const int64_t*)b;
    return (x > y) - (x < y);
}

// The most frequent difference. Long arrays are judged by a part of them: any choice is right, a frequent one is short.
static int64_t most_frequent(const Numbers* n)
{
    enum { LOOKED_AT = 4096 };
    int64_t some[LOOKED_AT], best = 0;
    size_t count = n->count < LOOKED_AT ? n->count : LOOKED_AT, most = 0;
    for (size_t k = 0; k < count; k++)
        some[k] = difference(n, k + (n->count - count) / 2);
    qsort(some, count, sizeof *some, by_value);
    for (size_t k = 0, run = 0; k < count; k++) {
        run = k && some[k] == some[k - 1] ? run + 1 : 1;
        if (run > most) {
            most = run;
            best = some[k];
        }
    }
    return best;
}

static size_t encode(const Numbers* n, uint8_t* out)
{
    size_t size = n->wide ? 8 : 4, codes = (n->count + 3) / 4;
    int64_t common = most_frequent(n);
    memcpy(out, &common, size); // little-endian, as all of a crate file
    uint8_t *code = out + size, *rest = code + codes;
    memset(code, 0, codes);
    for (size_t k = 0; k < n->count; k++) {
        int64_t d = difference(n, k);
        if (d == common)
            continue;
        int bits = (int)size * 2; // of the shortest kind
        unsigned kind = 1;
        while (kind < 3 && (d < -((int64_t)1 << (bits - 1)) || d >= (int64_t)1 << (bits - 1))) {
            bits *= 2;
            kind++;
        }
        code[k / 4] |= (uint8_t)(kind << 2 * (k % 4));
        memcpy(rest, &d, (size_t)bits / 8);
        rest += bits / 8;
    }
    return (size_t)(rest - out);
}

uint8_t* integers_pack(const void* values, size_t count, bool wide, size_t* bytes)
{
    const Numbers n = {values, count, wide};
    size_t most = (wide ? 8 : 4) * (count + 1) + (count + 3) / 4;
    uint8_t *plain = malloc(most), *packed = malloc(lz4_bound(most));
    if (plain && packed)
        *bytes = lz4_pack(plain, encode(&n, plain), packed);
    free(plain);
    if (!plain) {
        free(packed);
        packed = NULL;
    }
    return packed;
}
