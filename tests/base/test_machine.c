// SPDX-License-Identifier: MIT
// Memory that the machine can give, read from made-up copies of the kernel's files.
#include "base/machine.h"
#include "support.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[] = "/tmp/meniscus_machine_XXXXXX";

static void put(const char* name, const char* text)
{
    char path[512];
    snprintf(path, sizeof path, "%s%s", root, name);
    for (char* slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        assert_true(mkdir(path, 0755) == 0 || errno == EEXIST);
        *slash = '/';
    }
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int set_up(void** state)
{
    strcpy(root + strlen(root) - 6, "XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int tear_down(void** state)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    return system(command);
}

static void nothing_known(void** state)
{
    assert_true(isinf(machine_memory(root)));
}

static void free_memory(void** state)
{
    put("/proc/meminfo", "MemTotal:  16000000 kB\nMemFree:  10 kB\nMemAvailable:   8000000 kB\n");
    assert_near(machine_memory(root), 8000000 * 1024.0, 0);
    put("/proc/self/cgroup", "0::/\n");
    assert_near(machine_memory(root), 8000000 * 1024.0, 0);
}

// The tightest of a group and those around it counts, less what they use, plus cache that nobody needs.
static void groups_of_version_2(void** state)
{
    put("/proc/meminfo", "MemAvailable:   8000000 kB\n");
    put("/proc/self/cgroup", "0::/batch/job\n");
    put("/sys/fs/cgroup/batch/job/memory.max", "max\n");
    put("/sys/fs/cgroup/batch/job/memory.current", "1000\n");
    assert_near(machine_memory(root), 8000000 * 1024.0, 0);
    put("/sys/fs/cgroup/batch/memory.max", "1000000\n");
    put("/sys/fs/cgroup/batch/memory.current", "400000\n");
    assert_near(machine_memory(root), 600000, 0);
    put("/sys/fs/cgroup/batch/memory.stat", "anon 5\ninactive_file 100000\n");
    assert_near(machine_memory(root), 700000, 0);
    put("/sys/fs/cgroup/batch/memory.current", "4000000\n");
    assert_near(machine_memory(root), 0, 0);
}

// In a container the group's path is that of the host, and the limit is at the root.
static void container(void** state)
{
    put("/proc/meminfo", "MemAvailable:   8000000 kB\n");
    put("/proc/self/cgroup", "0::/docker/abc\n");
    put("/sys/fs/cgroup/memory.max", "3000000\n");
    put("/sys/fs/cgroup/memory.current", "1000000\n");
    assert_near(machine_memory(root), 2000000, 0);
}

static void groups_of_version_1(void** state)
{
    put("/proc/meminfo", "MemAvailable:   8000000 kB\n");
    put("/proc/self/cgroup", "5:cpu,cpuacct:/x\n4:memory:/job\n");
    put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    put("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "5000000\n");
    put("/sys/fs/cgroup/memory/job/memory.usage_in_bytes", "1500000\n");
    assert_near(machine_memory(root), 3500000, 0);
}

// Without the file system of Linux nothing is known about devices; with it there is a GPU where one of its files is.
static void gpu(void** state)
{
    assert_true(machine_has_gpu(root));
    put("/proc/meminfo", "MemAvailable:   8000000 kB\n");
    put("/dev/null", "");
    assert_false(machine_has_gpu(root));
    put("/dev/dri/renderD128", "");
    assert_true(machine_has_gpu(root));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nothing_known, set_up, tear_down),
        cmocka_unit_test_setup_teardown(free_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(groups_of_version_2, set_up, tear_down),
        cmocka_unit_test_setup_teardown(container, set_up, tear_down),
        cmocka_unit_test_setup_teardown(groups_of_version_1, set_up, tear_down),
        cmocka_unit_test_setup_teardown(gpu, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
