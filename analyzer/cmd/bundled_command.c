// SPDX-License-Identifier: BSD-3-Clause
// Lists of bundled files (bundled_command.h).
#include "analyzer/cmd/bundled_command.h"

#include <stdbool.h>
#include <stdlib.h>

#include "analyzer/base/exit_status.h"
#include "analyzer/base/log.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/options.h"
#include "analyzer/base/xml_folder.h"
#include "analyzer/report/text.h"

struct items {
    char *first;
    size_t n;
};

/// All bundled ones, or the one called NAME if that is not NULL. 0, or -1 and ERR.
static int load(const struct bundled_command *command, struct items *items, const char *name,
                struct error *err)
{
    size_t n = 1;
    char **names = name ? NULL : bundled_names(command->catalogue, &n, err);
    if (!name && !names)
        return -1;
    items->first = memory_zeroed(n + 1, command->size_bytes);
    int status = 0;
    for (size_t i = 0; i < n && status == 0; i++)
        status = command->read(items->first + command->size_bytes * items->n++,
                               name ? name : names[i], err);
    xml_folder_free(names, names ? n : 0);
    return status;
}

static int print(const struct bundled_command *command, const struct items *items, bool is_one,
                 bool wants_json, struct error *err)
{
    size_t width = text_options_for(stdout).width;
    if (wants_json)
        return command->print_json(items->first, items->n, stdout, err);
    if (is_one)
        command->print_one(items->first, width, stdout);
    else
        command->print_list(items->first, items->n, width, stdout);
    return 0;
}

int bundled_command_run(const struct bundled_command *command, int argc, char **argv)
{
    bool wants_json = false;
    const struct option_row rows[] = {
        OPTION_FLAG_ROW("json", 0, &wants_json, "print JSON (schema 1) instead of text"),
    };
    char *operands = memory_format("[%s]", command->operand);
    const struct option_usage usage = {
        .command = command->name,
        .operands = operands,
        .summary = command->summary,
        .details = command->details,
        .rows = rows,
        .n_rows = sizeof rows / sizeof rows[0],
        .max_operands = 1,
    };
    int first_operand, status;
    struct items items = {0};
    struct error err = {{0}};
    if (options_parse(&usage, argc, argv, &first_operand, &status)) {
        const char *name = first_operand < argc ? argv[first_operand] : NULL;
        status = STATUS_DONE;
        if (load(command, &items, name, &err) != 0 ||
            print(command, &items, name, wants_json, &err) != 0) {
            log_error("%s", err.text);
            status = STATUS_FAILED;
        }
    }
    for (size_t i = 0; i < items.n; i++)
        command->release(items.first + command->size_bytes * i);
    free(items.first);
    free(operands);
    return status;
}
