// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/machine_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/base/memory.h"
#include "tests/tools/lib/scratch.h"

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
