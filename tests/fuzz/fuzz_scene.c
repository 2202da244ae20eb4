// SPDX-License-Identifier: MIT
// libFuzzer target: any bytes are a scene or a refusal, and what is accepted survives its own resolved form.
// The first line may hold an override: "#set path=value".
#include <meniscus/scene.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void fail(const char* what, const mn_Error* error)
{
    char text[1024];
    fprintf(stderr, "%s: %s\n", what, mn_error_text(error, text, sizeof text));
    abort();
}

static void check_resolved(const mn_Scene* scene)
{
    mn_Error error = {0};
    char* first = mn_scene_to_json(scene);
    mn_Scene* again = mn_scene_parse(first, strlen(first), "resolved", NULL, NULL, 0, &error);
    if (!again)
        fail("a resolved scene was refused", &error);
    char* second = mn_scene_to_json(again);
    if (strcmp(first, second)) {
        fprintf(stderr, "%s\n%s", first, second);
        fail("a resolved scene changed", &error);
    }
    mn_scene_free(again);
    free(first);
    free(second);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    const char* text = (const char*)data;
    char* set = NULL;
    const char* line_end = memchr(text, '\n', size);
    if (size > 5 && !memcmp(text, "#set ", 5) && line_end) {
        set = strndup(text + 5, (size_t)(line_end - text) - 5);
        size -= (size_t)(line_end + 1 - text);
        text = line_end + 1;
    }
    mn_Error error = {0};
    const char* sets[] = {set};
    mn_Scene* scene = mn_scene_parse(text, size, "fuzz.json", NULL, sets, set ? 1 : 0, &error);
    if (scene)
        check_resolved(scene);
    else if (error.result == MN_OK || !error.message[0])
        fail("refused without a reason", &error);
    mn_scene_free(scene);
    free(set);
    return 0;
}
