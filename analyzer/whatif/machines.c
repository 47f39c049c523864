// SPDX-License-Identifier: BSD-3-Clause
// A few files at most, looked for one after the other.
#include "analyzer/whatif/machines.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"

struct file {
    char *name;
    struct machine *machine; // stays where it is
};

struct whatif_machines {
    struct file *files;
    size_t n_files, capacity;
};

struct whatif_machines *whatif_machines_new(void)
{
    return memory_zeroed(1, sizeof(struct whatif_machines));
}

void whatif_machines_free(struct whatif_machines *machines)
{
    if (!machines)
        return;
    for (size_t i = 0; i < machines->n_files; i++) {
        machine_release(machines->files[i].machine);
        free(machines->files[i].machine);
        free(machines->files[i].name);
    }
    free(machines->files);
    free(machines);
}

const struct machine *whatif_machines_get(struct whatif_machines *machines, const char *name,
                                          struct error *err)
{
    for (size_t i = 0; i < machines->n_files; i++)
        if (strcmp(machines->files[i].name, name) == 0)
            return machines->files[i].machine;
    struct machine *machine = memory_zeroed(1, sizeof *machine);
    if (machine_read(machine, name, err) != 0) {
        machine_release(machine);
        free(machine);
        return NULL;
    }
    machines->files = array_reserve(machines->files, &machines->capacity, machines->n_files + 1,
                                    sizeof *machines->files);
    machines->files[machines->n_files++] =
        (struct file){.name = memory_copy_text(name), .machine = machine};
    return machine;
}
