// SPDX-License-Identifier: MIT
#include "scene/document.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

static bool was_set(const Document* document, const char* path)
{
    for (size_t k = 0; k < document->set_count; k++) {
        const char* equals = strchr(document->sets[k], '=');
        size_t length = equals ? (size_t)(equals - document->sets[k]) : 0;
        if (length && !strncmp(path, document->sets[k], length) && (path[length] == 0 || path[length] == '.'))
            return true;
    }
    return false;
}

void document_place(const Document* document, const Path* path, bool at_key, mn_Error* error)
{
    char text[sizeof error->key];
    if (was_set(document, path_text(path, text, sizeof text))) {
        error_at(error, "--set", 0, 0);
    } else {
        Place place = place_of(document->text, document->size, path, at_key);
        error_at(error, document->name, place.line, place.column);
    }
}

void document_place_key(const Document* document, mn_Error* error)
{
    if (!error || !error->key[0] || error->file[0])
        return;
    char words[sizeof error->key];
    memcpy(words, error->key, sizeof words);
    Path path = {.depth = 0};
    char* rest = words;
    for (char* word = strtok_r(words, ".", &rest); word; word = strtok_r(NULL, ".", &rest)) {
        bool is_index = strspn(word, "0123456789") == strlen(word);
        if (!(is_index ? path_push_index(&path, strtoul(word, NULL, 10)) : path_push_key(&path, word)))
            break;
    }
    document_place(document, &path, false, error);
}

static char* put(char** at, const char* bytes, size_t size)
{
    char* start = *at;
    memcpy(start, bytes, size);
    *at += size;
    return start;
}

Document* document_copy(const Document* document)
{
    size_t bytes = sizeof(Document) + document->set_count * sizeof(char*) + document->size + strlen(document->name) + 1;
    for (size_t k = 0; k < document->set_count; k++)
        bytes += strlen(document->sets[k]) + 1;
    Document* copy = malloc(bytes);
    if (!copy)
        return NULL;
    const char** sets = (const char**)(copy + 1);
    char* at = (char*)(sets + document->set_count);
    for (size_t k = 0; k < document->set_count; k++)
        sets[k] = put(&at, document->sets[k], strlen(document->sets[k]) + 1);
    *copy = (Document){.size = document->size, .sets = sets, .set_count = document->set_count};
    copy->name = put(&at, document->name, strlen(document->name) + 1);
    copy->text = put(&at, document->text, document->size);
    return copy;
}
