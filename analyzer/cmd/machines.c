// SPDX-License-Identifier: BSD-3-Clause
// `pagoda machines [MACHINE]`: lists the bundled machines, or explains one, bundled or of a file.
#include "analyzer/cmd/machines.h"

#include "analyzer/cmd/bundled_command.h"
#include "analyzer/report/json/machines.h"
#include "analyzer/report/machine_page.h"
#include "analyzer/whatif/machine.h"

static int read_one(void *item, const char *name, struct error *err)
{
    return machine_read(item, name, err);
}

static void release_one(void *item)
{
    machine_release(item);
}

static void print_list(const void *items, size_t n, size_t width, FILE *stream)
{
    machine_page_list(items, n, width, stream);
}

static void print_one(const void *item, size_t width, FILE *stream)
{
    machine_page_one(item, width, stream);
}

static int print_json(const void *items, size_t n, FILE *stream, struct error *err)
{
    return json_print_machines(items, n, PAGODA_VERSION, stream, err);
}

int cmd_machines(int argc, char **argv)
{
    static const struct bundled_command command = {
        .name = "machines",
        .operand = "MACHINE",
        .summary = "Lists the machines that predictions can be made for, or explains one",
        .details =
            "MACHINE is a name in the first column of the list, such as quadrics, or a file.\n",
        .catalogue = &bundled_machines,
        .size_bytes = sizeof(struct machine),
        .read = read_one,
        .release = release_one,
        .print_list = print_list,
        .print_one = print_one,
        .print_json = print_json,
    };
    return bundled_command_run(&command, argc, argv);
}
