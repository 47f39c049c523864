// SPDX-License-Identifier: BSD-3-Clause
// Names of nodes in a machine file (machine.h).
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/simulation/cost/machine.h"

/// A name or glob somewhere in the file.
struct mention {
    const char *name;
    uint32_t line;
};

const struct machine_node *machine_node(const struct machine *machine, const char *name)
{
    for (size_t i = 0; i < machine->n_nodes; i++)
        if (fnmatch(machine->nodes[i].name, name, 0) == 0)
            return &machine->nodes[i];
    return NULL;
}

bool machine_group_has(const struct machine_group *group, const char *node)
{
    for (size_t i = 0; i < group->n_nodes; i++)
        if (fnmatch(group->nodes[i], node, 0) == 0)
            return true;
    return false;
}

static bool is_group(const struct machine *machine, const char *name)
{
    for (size_t i = 0; i < machine->n_groups; i++)
        if (strcmp(machine->groups[i].name, name) == 0)
            return true;
    return false;
}

/// All mentions of nodes; the caller frees.
static struct mention *find_mentions(const struct machine *machine, size_t *n)
{
    struct mention *mentions = NULL;
    size_t capacity = 0;
    *n = 0;
    for (size_t i = 0; i < machine->n_nodes; i++) {
        mentions = array_reserve(mentions, &capacity, *n + 1, sizeof *mentions);
        mentions[(*n)++] = (struct mention){machine->nodes[i].name, machine->nodes[i].line};
    }
    for (size_t i = 0; i < machine->n_groups; i++) {
        const struct machine_group *group = &machine->groups[i];
        mentions = array_reserve(mentions, &capacity, *n + group->n_nodes, sizeof *mentions);
        for (size_t k = 0; k < group->n_nodes; k++)
            mentions[(*n)++] = (struct mention){group->nodes[k], group->line};
    }
    for (size_t i = 0; i < machine->n_custom_scopes; i++) {
        const struct machine_custom_scope *scope = &machine->custom_scopes[i];
        mentions = array_reserve(mentions, &capacity, *n + scope->n_groups, sizeof *mentions);
        for (size_t k = 0; k < scope->n_groups; k++)
            if (!is_group(machine, scope->groups[k]))
                mentions[(*n)++] = (struct mention){scope->groups[k], scope->line};
    }
    return mentions;
}

/// Host17 and host18 are two hosts, not one and a slip.
static bool differ_in_digits_only(const char *name, const char *other)
{
    static const char digits[] = "0123456789";
    for (;;) {
        name += strspn(name, digits);
        other += strspn(other, digits);
        if (*name != *other)
            return false;
        if (!*name)
            return true;
        name++;
        other++;
    }
}

/// The node of NAMES that MENTION without ranks is a slip for: near, and not mentioned itself.
static const char *meant_by(const struct mention *mention, const struct mention *mentions,
                            size_t n_mentions, const char *const *names, size_t n_names)
{
    const char **candidates = memory_zeroed(n_names, sizeof *candidates);
    size_t n = 0;
    for (size_t i = 0; i < n_names; i++) {
        bool is_candidate = !differ_in_digits_only(mention->name, names[i]);
        for (size_t k = 0; k < n_mentions && is_candidate; k++)
            is_candidate = fnmatch(mentions[k].name, names[i], 0) != 0;
        if (is_candidate)
            candidates[n++] = names[i];
    }
    const char *nearest = spelling_nearest(mention->name, candidates, n);
    free(candidates);
    return nearest;
}

static bool has_ranks(const struct mention *mention, const char *const *names, size_t n_names)
{
    for (size_t i = 0; i < n_names; i++)
        if (fnmatch(mention->name, names[i], 0) == 0)
            return true;
    return false;
}

int machine_check_nodes(const struct machine *machine, const char *const *names, size_t n_names,
                        struct error *err)
{
    size_t n, n_with_ranks = 0;
    int status = 0;
    struct mention *mentions = find_mentions(machine, &n);
    for (size_t i = 0; i < n && status == 0; i++) {
        if (has_ranks(&mentions[i], names, n_names)) {
            n_with_ranks++;
            continue;
        }
        const char *nearest = meant_by(&mentions[i], mentions, n, names, n_names);
        if (nearest)
            status = error_set(err, "%s:%u: no rank runs on a node %s; is it %s?", machine->path,
                               mentions[i].line, mentions[i].name, nearest);
    }
    if (status == 0 && n > 0 && n_with_ranks == 0 && n_names > 0)
        status = error_set(err,
                           "%s:%u: no rank runs on a node %s, or on any other of this file; "
                           "they run on %s%s",
                           machine->path, mentions[0].line, mentions[0].name, names[0],
                           n_names > 1 ? " and others" : "");
    free(mentions);
    return status;
}
