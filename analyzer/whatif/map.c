// SPDX-License-Identifier: BSD-3-Clause
// Placements instead of --map auto (map.h).
#include "analyzer/whatif/map.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/advise/placement.h"
#include "analyzer/base/memory.h"

enum { MAX_REPLAYS = 200 };

static struct whatif_given *given_of(struct whatif_options *options, const char *name)
{
    size_t i = 0;
    while (strcmp(whatif_table[i].name, name) != 0)
        i++;
    return &options->given[i];
}

/// All options given but --nodes and --map as words, which the caller frees; their texts are
/// OPTIONS'.
static struct advice_word *other_words(const struct whatif_options *options, size_t *n)
{
    struct advice_word *words = NULL;
    size_t capacity = 0;
    *n = 0;
    for (size_t i = 0; i < n_whatif_table; i++) {
        const struct whatif_given *given = &options->given[i];
        const char *name = whatif_table[i].name;
        size_t n_texts = given->texts.count + (given->text || given->is_set);
        if (strcmp(name, "nodes") == 0 || strcmp(name, "map") == 0)
            continue;
        words = array_reserve(words, &capacity, *n + n_texts, sizeof *words);
        for (size_t t = 0; t < given->texts.count; t++)
            words[(*n)++] = (struct advice_word){(char *)name, (char *)given->texts.values[t]};
        if (given->text || given->is_set)
            words[(*n)++] = (struct advice_word){(char *)name, (char *)given->text};
    }
    return words;
}

int whatif_map_auto(struct whatif_options *options, const char *trace,
                    const struct replay_run *measured, char ***texts, size_t *n, struct error *err)
{
    struct whatif_given *map = given_of(options, "map"), *nodes = given_of(options, "nodes");
    struct whatif_plan plan;
    if (!map->text || !strstr(map->text, "auto"))
        return 0;
    int status = whatif_plan_read(&plan, options, err);
    uint32_t n_nodes = status == 0 ? plan.sets[0].settings.n_nodes : 0;
    whatif_plan_release(&plan);
    if (status != 0)
        return -1;
    size_t n_words, n_replays = 0;
    struct advice_word *words = other_words(options, &n_words);
    const struct advise_setting setting = {
        .trace = trace, .measured = measured, .words = words, .n_words = n_words};
    const struct advise_places places = {.n = n_nodes};
    struct advise_mapping best =
        advise_search_placement(&setting, &measured->result, &places, MAX_REPLAYS, &n_replays);
    *texts = advise_mapping_words(&best, (uint32_t)measured->result.n_ranks, &places, n);
    map->text = nodes->text = NULL;
    for (size_t i = 0; i < *n; i++)
        whatif_options_give(options, "place", (*texts)[i]);
    free(best.node_of_rank);
    free(words);
    return 0;
}
