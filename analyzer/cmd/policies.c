// SPDX-License-Identifier: BSD-3-Clause
// `pagoda policies [POLICY]`: lists the bundled policies, or explains one, bundled or of a file.
// Also the test of a policy that somebody writes: it is read as for a prediction.
#include "analyzer/cmd/policies.h"

#include <stdlib.h>

#include "analyzer/base/exit_status.h"
#include "analyzer/base/log.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/options.h"
#include "analyzer/base/xml_folder.h"
#include "analyzer/report/json/policies.h"
#include "analyzer/report/policy_page.h"
#include "analyzer/report/text.h"

struct catalogue_of_policies {
    struct policy *items;
    size_t n;
};

/// The bundled policies, or the one called NAME if that is not NULL. 0, or -1 and ERR.
static int load(struct catalogue_of_policies *catalogue, const char *name, struct error *err)
{
    size_t n = 1;
    char **names = name ? NULL : bundled_names(&bundled_policies, &n, err);
    if (!name && !names)
        return -1;
    catalogue->items = memory_zeroed(n + 1, sizeof *catalogue->items);
    int status = 0;
    for (size_t i = 0; i < n && status == 0; i++)
        status = policy_read(&catalogue->items[catalogue->n++], name ? name : names[i], err);
    xml_folder_free(names, names ? n : 0);
    return status;
}

static int print(const struct catalogue_of_policies *catalogue, bool is_one, bool wants_json,
                 struct error *err)
{
    size_t width = text_options_for(stdout).width;
    if (wants_json)
        return json_print_policies(catalogue->items, catalogue->n, PAGODA_VERSION, stdout, err);
    if (is_one)
        policy_page_one(&catalogue->items[0], width, stdout);
    else
        policy_page_list(catalogue->items, catalogue->n, width, stdout);
    return 0;
}

int cmd_policies(int argc, char **argv)
{
    bool wants_json = false;
    const struct option_row rows[] = {
        OPTION_FLAG_ROW("json", 0, &wants_json, "print JSON (schema 1) instead of text"),
    };
    const struct option_usage usage = {
        .command = "policies",
        .operands = "[POLICY]",
        .summary = "Lists the policies by which a prediction can deal work, or explains one",
        .details = "POLICY is a name in the first column of the list, such as magda, or a file.\n",
        .rows = rows,
        .n_rows = sizeof rows / sizeof rows[0],
        .max_operands = 1,
    };
    int first_operand, status;
    if (!options_parse(&usage, argc, argv, &first_operand, &status))
        return status;
    const char *name = first_operand < argc ? argv[first_operand] : NULL;
    struct catalogue_of_policies catalogue = {0};
    struct error err = {{0}};
    status = STATUS_DONE;
    if (load(&catalogue, name, &err) != 0 || print(&catalogue, name, wants_json, &err) != 0) {
        log_error("%s", err.text);
        status = STATUS_FAILED;
    }
    for (size_t i = 0; i < catalogue.n; i++)
        policy_release(&catalogue.items[i]);
    free(catalogue.items);
    return status;
}
