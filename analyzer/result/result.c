// SPDX-License-Identifier: BSD-3-Clause
// Ownership of a result: every text and array in it is its own.
#include "analyzer/result/result.h"

#include <stdlib.h>
#include <string.h>

void result_named_free(struct result_named *named, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(named[i].name);
        free(named[i].value);
    }
    free(named);
}

static void pattern_release(struct result_pattern *pattern)
{
    free(pattern->id);
    free(pattern->parent);
    free(pattern->name);
    free(pattern->summary);
    free(pattern->unit);
    free(pattern->diagnosis);
    free(pattern->by_rank);
    free(pattern->by_path);
    free(pattern->by_site);
    free(pattern->by_cause);
    free(pattern->origins.by_site);
    free(pattern->origins.by_region);
    free(pattern->origins.by_region_rank);
    free(pattern->sums);
}

static void code_release(struct result *result)
{
    for (size_t i = 0; i < result->n_regions; i++) {
        free(result->regions[i].name);
        free(result->regions[i].shown);
        free(result->regions[i].file);
    }
    free(result->regions);
    for (size_t i = 0; i < result->n_paths; i++) {
        free(result->paths[i].path);
        free(result->paths[i].shown);
    }
    free(result->paths);
    free(result->path_ranks);
    for (size_t i = 0; i < result->n_sites; i++) {
        free(result->sites[i].function);
        free(result->sites[i].function_shown);
        free(result->sites[i].file);
        free(result->sites[i].source);
    }
    free(result->sites);
}

void result_release(struct result *result)
{
    free(result->trace_path);
    free(result->program);
    free(result->arguments);
    free(result->creator);
    result_named_free(result->properties, result->n_properties);
    for (size_t i = 0; i < result->n_nodes; i++) {
        free(result->nodes[i].name);
        free(result->nodes[i].machine);
    }
    free(result->nodes);
    for (size_t i = 0; i < result->n_ranks; i++)
        free(result->ranks[i].name);
    free(result->ranks);
    for (size_t i = 0; i < result->n_warnings; i++) {
        free(result->warnings[i].code);
        free(result->warnings[i].text);
    }
    free(result->warnings);
    code_release(result);
    for (size_t i = 0; i < result->n_patterns; i++)
        pattern_release(&result->patterns[i]);
    free(result->patterns);
    for (size_t i = 0; i < result->n_hints; i++) {
        free(result->hints[i].pattern);
        free(result->hints[i].text);
        free(result->hints[i].source);
        free(result->hints[i].file);
    }
    free(result->hints);
    free(result->critical_path.by_region);
    free(result->critical_path.by_rank);
    free(result->critical_path.by_region_rank);
    free(result->critical_path.by_site);
    free(result->traffic);
    for (size_t i = 0; i < result->n_communicators; i++)
        free(result->communicators[i].name);
    free(result->communicators);
    free(result->tags);
    free(result->interval.what);
    free(result->headline);
    free(result->conclusion);
    free(result->answer.loss);
    free(result->answer.cause);
    free(result->answer.change);
    free(result->answer.certainty);
    memset(result, 0, sizeof *result);
}
