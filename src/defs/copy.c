// SPDX-License-Identifier: MIT
#include "defs/copy.h"

#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

static bool is_string(const Key* key)
{
    return key->type == KEY_STRING || key->type == KEY_NAME || key->type == KEY_FILE || key->type == KEY_IMAGE ||
           key->type == KEY_MATERIAL;
}

static const char** string_at(const Key* key, void* object)
{
    return key->type == KEY_SHAPE ? &((mn_Shape*)key_at(key, object))->file : key_at(key, object);
}

static size_t* count_at(const Key* key, void* object)
{
    return (size_t*)((char*)object + key->count_offset);
}

// --- freeing

static void free_list(const Key* key, void* object)
{
    char* items;
    memcpy(&items, key_at(key, object), sizeof items);
    for (size_t k = 0; k < *count_at(key, object); k++)
        def_free(key->section, items + k * key->section->size);
    free(items);
}

void def_free(const Section* section, void* object)
{
    for (size_t k = 0; k < section->key_count; k++) {
        const Key* key = &section->keys[k];
        if (is_string(key) || key->type == KEY_SHAPE)
            memory_free_string(*string_at(key, object));
        else if (key->type == KEY_LIST)
            free_list(key, object);
        else if (key->type == KEY_OBJECT)
            def_free(key->section, key_at(key, object));
    }
}

// --- copying: first everything that is owned is cut off, so that what was copied so far can be freed when memory ends

static void cut_off(const Section* section, void* object)
{
    static char* const nothing = NULL;
    for (size_t k = 0; k < section->key_count; k++) {
        const Key* key = &section->keys[k];
        if (is_string(key) || key->type == KEY_SHAPE) {
            *string_at(key, object) = NULL;
        } else if (key->type == KEY_LIST) {
            memcpy(key_at(key, object), &nothing, sizeof nothing);
            *count_at(key, object) = 0;
        } else if (key->type == KEY_OBJECT) {
            cut_off(key->section, key_at(key, object));
        }
    }
}

static bool copy_owned(const Section* section, void* to, const void* from);

static bool copy_list(const Key* key, void* to, const void* from)
{
    const char* items;
    memcpy(&items, key_at_const(key, from), sizeof items);
    size_t count = *(const size_t*)((const char*)from + key->count_offset), size = key->section->size;
    char* copies = count ? malloc(count * size) : NULL;
    if (count && !copies)
        return false;
    memcpy(key_at(key, to), &copies, sizeof copies);
    for (size_t k = 0; k < count; k++) {
        memcpy(copies + k * size, items + k * size, size);
        cut_off(key->section, copies + k * size);
        *count_at(key, to) = k + 1;
        if (!copy_owned(key->section, copies + k * size, items + k * size))
            return false;
    }
    return true;
}

static bool copy_owned(const Section* section, void* to, const void* from)
{
    for (size_t k = 0; k < section->key_count; k++) {
        const Key* key = &section->keys[k];
        bool ok = true;
        if (is_string(key) || key->type == KEY_SHAPE) {
            const char* string = key->type == KEY_SHAPE ? ((const mn_Shape*)key_at_const(key, from))->file
                                                        : *(const char* const*)key_at_const(key, from);
            *string_at(key, to) = string ? strdup(string) : NULL;
            ok = !string || *string_at(key, to);
        } else if (key->type == KEY_LIST) {
            ok = copy_list(key, to, from);
        } else if (key->type == KEY_OBJECT) {
            ok = copy_owned(key->section, key_at(key, to), key_at_const(key, from));
        }
        if (!ok)
            return false;
    }
    return true;
}

bool def_copy(const Section* section, void* to, const void* from)
{
    memcpy(to, from, section->size);
    cut_off(section, to);
    if (copy_owned(section, to, from))
        return true;
    def_free(section, to);
    cut_off(section, to);
    return false;
}

bool def_append(const Section* section, void* list, size_t* count, const void* item)
{
    char* items;
    memcpy(&items, list, sizeof items);
    char* larger = realloc(items, (*count + 1) * section->size);
    if (!larger)
        return false;
    memcpy(list, &larger, sizeof larger);
    if (!def_copy(section, larger + *count * section->size, item))
        return false;
    ++*count;
    return true;
}
