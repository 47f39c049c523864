// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/machine_text.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "tests/tools/lib/scratch.h"
#include "tests/unit/unit_test.h"

struct machine machine_of_text(const char *text)
{
    char *directory = scratch_directory(), *path = memory_format("%s/machine.xml", directory);
    struct machine machine;
    struct error err = {{0}};
    scratch_write(path, text, strlen(text));
    if (machine_read(&machine, path, &err) != 0)
        fail_msg("%s", err.text);
    scratch_remove(directory);
    free(path);
    return machine;
}

bool predict_on(const char *text, const char *machine_text, struct predicted_times *times,
                FILE *stream)
{
    struct machine machine = machine_of_text(machine_text);
    struct scenario_settings settings = SCENARIO_UNCHANGED;
    struct error err = {{0}};
    settings.machine = &machine;
    *times = (struct predicted_times){0};
    int status = predicted_times(text, &settings, 1, times, &err);
    if (status != 0)
        fprintf(stream, "%s\n", err.text);
    machine_release(&machine);
    return status == 0;
}
