// SPDX-License-Identifier: MIT
// The end of a crate file: words, fields, the tree of paths, and the table that finds them (usd_crate.c).
#include "io/usd_crate.h"

#include "io/usd_coding.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SECTIONS = 6, SECTION_NAME = 16 };

static void put_packed(Crate* c, const void* data, size_t bytes)
{
    uint8_t* packed = malloc(lz4_bound(bytes));
    size_t size = packed ? lz4_pack(data, bytes, packed) : 0;
    if (!packed)
        c->no_memory = true;
    crate_put_u64(c, size);
    crate_put(c, packed, size);
    free(packed);
}

static void put_tokens(Crate* c)
{
    char* const* token = c->tokens.data;
    size_t bytes = 0;
    for (size_t k = 0; k < c->tokens.count; k++)
        bytes += strlen(token[k]) + 1;
    char *all = malloc(bytes), *end = all;
    if (!all) {
        c->no_memory = true;
        return;
    }
    for (size_t k = 0; k < c->tokens.count; k++)
        end = stpcpy(end, token[k]) + 1;
    crate_put_u64(c, c->tokens.count);
    crate_put_u64(c, bytes);
    put_packed(c, all, bytes);
    free(all);
}

static void put_strings(Crate* c)
{
    crate_put_u64(c, 1);
    crate_put(c, &c->documentation, sizeof c->documentation);
}

static void put_fields(Crate* c)
{
    crate_put_u64(c, c->words.count);
    crate_put_integers(c, c->words.data, c->words.count, false);
    put_packed(c, c->reps.data, c->reps.count * sizeof(uint64_t));
}

static void put_field_sets(Crate* c)
{
    crate_put_u64(c, c->set.count);
    crate_put_integers(c, c->set.data, c->set.count, false);
}

typedef struct PathLists {
    uint32_t* path;
    int32_t *word, *jump; // word < 0: an attribute; jump: to the next at its side, 0 = it follows, -1 none, -2 nothing below either
    size_t count;
} PathLists;

static void list_paths(const Crate* c, uint32_t node, PathLists* lists)
{
    const Node* n = node_at(c, node);
    size_t here = lists->count++;
    lists->path[here] = node;
    lists->word[here] = n->type == SPEC_ATTRIBUTE ? -(int32_t)n->token : (int32_t)n->token;
    for (uint32_t k = n->first_child; k != NOBODY; k = node_at(c, k)->next)
        list_paths(c, k, lists);
    bool below = n->first_child != NOBODY, beside = n->next != NOBODY;
    lists->jump[here] = below && beside ? (int32_t)(lists->count - here) : beside ? 0 : below ? -1 : -2;
}

static void put_paths(Crate* c)
{
    size_t n = c->nodes.count;
    PathLists lists = {malloc(n * sizeof *lists.path), malloc(n * sizeof *lists.word), malloc(n * sizeof *lists.jump), 0};
    if (lists.path && lists.word && lists.jump) {
        list_paths(c, 0, &lists);
        crate_put_u64(c, n);
        crate_put_u64(c, n);
        crate_put_integers(c, lists.path, n, false);
        crate_put_integers(c, lists.word, n, false);
        crate_put_integers(c, lists.jump, n, false);
    } else {
        c->no_memory = true;
    }
    free(lists.path);
    free(lists.word);
    free(lists.jump);
}

static void put_specs(Crate* c)
{
    size_t n = c->nodes.count;
    uint32_t* list = malloc(n * sizeof *list);
    if (!list) {
        c->no_memory = true;
        return;
    }
    crate_put_u64(c, n);
    for (int column = 0; column < 3; column++) {
        for (uint32_t k = 0; k < n; k++)
            list[k] = column == 0 ? k : column == 1 ? node_at(c, k)->fields : node_at(c, k)->type;
        crate_put_integers(c, list, n, false);
    }
    free(list);
}

void crate_put_sections(Crate* c)
{
    static const struct {
        char name[SECTION_NAME];
        void (*put)(Crate*);
    } section[SECTIONS] = {{"TOKENS", put_tokens},        {"STRINGS", put_strings}, {"FIELDS", put_fields},
                           {"FIELDSETS", put_field_sets}, {"PATHS", put_paths},     {"SPECS", put_specs}};
    uint64_t start[SECTIONS + 1];
    for (int k = 0; k < SECTIONS && !c->no_memory; k++) {
        start[k] = c->place;
        section[k].put(c);
        start[k + 1] = c->place;
    }
    if (c->no_memory)
        return;
    uint64_t table = c->place;
    crate_put_u64(c, SECTIONS);
    for (int k = 0; k < SECTIONS; k++) {
        crate_put(c, section[k].name, SECTION_NAME);
        crate_put_u64(c, start[k]);
        crate_put_u64(c, start[k + 1] - start[k]);
    }
    uint8_t head[CRATE_HEAD_BYTES] = "PXR-USDC\0\10"; // then the version: 0.8.0
    memcpy(head + 16, &table, sizeof table);
    errno = 0;
    if (!c->file.error_number && fseek(c->file.stream, 0, SEEK_SET))
        c->file.error_number = errno ? errno : EIO;
    file_out_write(&c->file, head, sizeof head);
}
