// SPDX-License-Identifier: MIT
// The table of stages that a step runs is the one that docs/architecture.md tells.
#include "support.h"

#include "world/fluid_kind.h"
#include <string.h>

// The next row "| `name` | ..." after the table's head; false: the table ends.
static bool next_row(FILE* file, char* name, size_t size)
{
    char line[1024];
    if (!fgets(line, sizeof line, file) || strncmp(line, "| `", 3) != 0)
        return false;
    char* end = strchr(line + 3, '`');
    assert_non_null(end);
    size_t length = (size_t)(end - line) - 3;
    assert_true(length < size);
    memcpy(name, line + 3, length);
    name[length] = 0;
    return true;
}

// Tables come in the order of the kinds.
static void check_table(FILE* file, const FluidKind* kind)
{
    char line[1024], name[64];
    bool found = false;
    while (!found && fgets(line, sizeof line, file))
        found = !strncmp(line, "| stage |", 9);
    assert_true(found && fgets(line, sizeof line, file)); // and the line below it
    for (size_t k = 0; k < kind->stage_count; k++) {
        if (!next_row(file, name, sizeof name))
            fail_msg("docs/architecture.md has %zu stages of %s, the table of the step %zu", k, kind->name, kind->stage_count);
        if (strcmp(name, kind->stage[k].name) != 0)
            fail_msg("stage %zu of %s is '%s' in docs/architecture.md and '%s' in the step", k, kind->name, name,
                     kind->stage[k].name);
    }
    assert_false(next_row(file, name, sizeof name));
}

static void docs_tell_the_stages(void** state)
{
    FILE* file = fopen(MENISCUS_SOURCE_DIR "/docs/architecture.md", "r");
    assert_non_null(file);
    check_table(file, &fluid_sph);
    check_table(file, &fluid_flip);
    fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(docs_tell_the_stages)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
