// SPDX-License-Identifier: BSD-3-Clause
// `pagoda policies [POLICY]`: lists the bundled policies, or explains one, bundled or of a file.
#include "analyzer/cmd/policies.h"

#include "analyzer/cmd/bundled_command.h"
#include "analyzer/report/json/policies.h"
#include "analyzer/report/policy_page.h"
#include "analyzer/whatif/dynamic/policy.h"

static int read_one(void *item, const char *name, struct error *err)
{
    return policy_read(item, name, err);
}

static void release_one(void *item)
{
    policy_release(item);
}

static void print_list(const void *items, size_t n, size_t width, FILE *stream)
{
    policy_page_list(items, n, width, stream);
}

static void print_one(const void *item, size_t width, FILE *stream)
{
    policy_page_one(item, width, stream);
}

static int print_json(const void *items, size_t n, FILE *stream, struct error *err)
{
    return json_print_policies(items, n, PAGODA_VERSION, stream, err);
}

int cmd_policies(int argc, char **argv)
{
    static const struct bundled_command command = {
        .name = "policies",
        .operand = "POLICY",
        .summary = "Lists the policies by which a prediction can deal work, or explains one",
        .details = "POLICY is a name in the first column of the list, such as magda, or a file.\n",
        .catalogue = &bundled_policies,
        .size_bytes = sizeof(struct policy),
        .read = read_one,
        .release = release_one,
        .print_list = print_list,
        .print_one = print_one,
        .print_json = print_json,
    };
    return bundled_command_run(&command, argc, argv);
}
