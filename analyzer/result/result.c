// SPDX-License-Identifier: BSD-3-Clause
// Ownership of a result: every text and array in it is its own.
#include "analyzer/result/result.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/owned.h"

void result_named_free(struct result_named *named, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(named[i].name);
        free(named[i].value);
    }
    free(named);
}

static void named_owned(struct owned *walk, struct result *result)
{
    result->properties = OWNED_ARRAY(walk, result->properties, result->n_properties);
    for (size_t i = 0; i < result->n_properties; i++)
        OWNED_TEXTS(walk, &result->properties[i].name, &result->properties[i].value);
    result->nodes = OWNED_ARRAY(walk, result->nodes, result->n_nodes);
    for (size_t i = 0; i < result->n_nodes; i++)
        OWNED_TEXTS(walk, &result->nodes[i].name, &result->nodes[i].machine);
    result->ranks = OWNED_ARRAY(walk, result->ranks, result->n_ranks);
    for (size_t i = 0; i < result->n_ranks; i++)
        owned_text(walk, &result->ranks[i].name);
    result->warnings = OWNED_ARRAY(walk, result->warnings, result->n_warnings);
    for (size_t i = 0; i < result->n_warnings; i++)
        OWNED_TEXTS(walk, &result->warnings[i].code, &result->warnings[i].text);
    result->communicators = OWNED_ARRAY(walk, result->communicators, result->n_communicators);
    for (size_t i = 0; i < result->n_communicators; i++)
        owned_text(walk, &result->communicators[i].name);
}

static void code_owned(struct owned *walk, struct result *result)
{
    result->regions = OWNED_ARRAY(walk, result->regions, result->n_regions);
    for (size_t i = 0; i < result->n_regions; i++) {
        struct result_region *region = &result->regions[i];
        OWNED_TEXTS(walk, &region->name, &region->shown, &region->file);
    }
    result->paths = OWNED_ARRAY(walk, result->paths, result->n_paths);
    for (size_t i = 0; i < result->n_paths; i++)
        OWNED_TEXTS(walk, &result->paths[i].path, &result->paths[i].shown);
    result->path_ranks = OWNED_ARRAY(walk, result->path_ranks, result->n_path_ranks);
    result->sites = OWNED_ARRAY(walk, result->sites, result->n_sites);
    for (size_t i = 0; i < result->n_sites; i++) {
        struct result_site *site = &result->sites[i];
        OWNED_TEXTS(walk, &site->function, &site->function_shown, &site->file, &site->source);
    }
}

static void pattern_owned(struct owned *walk, struct result_pattern *pattern)
{
    struct result_origins *origins = &pattern->origins;
    OWNED_TEXTS(walk, &pattern->id, &pattern->parent, &pattern->name, &pattern->summary,
                &pattern->unit, &pattern->diagnosis);
    pattern->by_rank = OWNED_ARRAY(walk, pattern->by_rank, pattern->n_by_rank);
    pattern->by_path = OWNED_ARRAY(walk, pattern->by_path, pattern->n_by_path);
    pattern->by_site = OWNED_ARRAY(walk, pattern->by_site, pattern->n_by_site);
    pattern->by_cause = OWNED_ARRAY(walk, pattern->by_cause, pattern->n_by_cause);
    pattern->sums = OWNED_ARRAY(walk, pattern->sums, pattern->n_sums);
    origins->by_site = OWNED_ARRAY(walk, origins->by_site, origins->n_by_site);
    origins->by_region = OWNED_ARRAY(walk, origins->by_region, origins->n_by_region);
    origins->by_region_rank = OWNED_ARRAY(walk, origins->by_region_rank, origins->n_by_region_rank);
}

static void path_owned(struct owned *walk, struct result *result)
{
    result->critical_path.by_region =
        OWNED_ARRAY(walk, result->critical_path.by_region, result->critical_path.n_by_region);
    result->critical_path.by_rank =
        OWNED_ARRAY(walk, result->critical_path.by_rank, result->critical_path.n_by_rank);
    result->critical_path.by_region_rank = OWNED_ARRAY(walk, result->critical_path.by_region_rank,
                                                       result->critical_path.n_by_region_rank);
    result->critical_path.by_site =
        OWNED_ARRAY(walk, result->critical_path.by_site, result->critical_path.n_by_site);
}

void result_owned(struct owned *walk, struct result *result)
{
    OWNED_TEXTS(walk, &result->trace_path, &result->program, &result->arguments, &result->creator,
                &result->interval.what, &result->headline, &result->conclusion);
    OWNED_TEXTS(walk, &result->answer.loss, &result->answer.cause, &result->answer.change,
                &result->answer.certainty);
    named_owned(walk, result);
    code_owned(walk, result);
    result->patterns = OWNED_ARRAY(walk, result->patterns, result->n_patterns);
    for (size_t i = 0; i < result->n_patterns; i++)
        pattern_owned(walk, &result->patterns[i]);
    result->hints = OWNED_ARRAY(walk, result->hints, result->n_hints);
    for (size_t i = 0; i < result->n_hints; i++) {
        struct result_hint *hint = &result->hints[i];
        OWNED_TEXTS(walk, &hint->pattern, &hint->text, &hint->source, &hint->file);
    }
    path_owned(walk, result);
    result->traffic = OWNED_ARRAY(walk, result->traffic, result->n_traffic);
    result->tags = OWNED_ARRAY(walk, result->tags, result->n_tags);
}

void result_release(struct result *result)
{
    struct owned walk = {.purpose = OWNED_FREE};
    result_owned(&walk, result);
    owned_end(&walk);
    memset(result, 0, sizeof *result);
}
