// SPDX-License-Identifier: BSD-3-Clause
// Regions whose work is set (see region_work.h).
#include "analyzer/simulation/change/region_work.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/simulation/cores/rank_list.h"

static int read_ranks(struct region_works_item *item, const struct region_work *setting,
                      const struct definitions *definitions, struct error *err)
{
    uint32_t n_ranks = (uint32_t)definitions->n_ranks;
    bool *is_listed = memory_zeroed(n_ranks, sizeof *is_listed);
    int status = 0;
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        is_listed[rank] = !setting->ranks;
    if (setting->ranks &&
        rank_list_read(setting->ranks, strlen(setting->ranks), n_ranks, is_listed, err) != 0)
        status = error_wrap(err, "--balance %s=%s", setting->pattern, setting->ranks);
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        item->takes_part[definitions->ranks[rank].master] = is_listed[rank];
    free(is_listed);
    return status;
}

int region_works_init(struct region_works *works, const struct region_work *settings, size_t n,
                      const struct definitions *definitions, struct region_patterns *patterns,
                      struct error *err)
{
    *works = (struct region_works){.items = memory_zeroed(n, sizeof *works->items)};
    for (size_t i = 0; i < n; i++) {
        struct region_works_item *item = &works->items[works->n++];
        *item = (struct region_works_item){
            .is_balanced = settings[i].is_balanced,
            .duration_ns = settings[i].duration_ns,
            .takes_part = memory_zeroed(definitions->n_locations, sizeof(bool)),
        };
        const char *option = item->is_balanced ? "--balance" : "--duration";
        if (region_patterns_add(patterns, option, settings[i].pattern, REGION_COMPUTING,
                                &item->pattern, err) != 0 ||
            read_ranks(item, &settings[i], definitions, err) != 0)
            return -1;
    }
    return 0;
}

void region_works_release(struct region_works *works)
{
    for (size_t i = 0; i < works->n; i++)
        free(works->items[i].takes_part);
    free(works->items);
    *works = (struct region_works){0};
}

int32_t region_works_kind(const struct region_works *works, const struct region_patterns *patterns,
                          uint32_t location, uint64_t mark)
{
    for (size_t i = 0; i < works->n; i++)
        if (works->items[i].takes_part[location] &&
            region_patterns_is_inside(patterns, mark, works->items[i].pattern))
            return (int32_t)i + 1;
    return 0;
}

int region_works_check(const struct region_works *works, const struct region_patterns *patterns,
                       struct error *err)
{
    for (size_t i = 0; i < works->n; i++)
        for (size_t j = i + 1; j < works->n; j++) {
            uint32_t a = works->items[i].pattern, b = works->items[j].pattern;
            if (region_patterns_overlap(patterns, a, b))
                return error_set(err,
                                 "%s and %s are inside one another: the work of only one of "
                                 "them can be set",
                                 region_patterns_text(patterns, a),
                                 region_patterns_text(patterns, b));
        }
    return 0;
}
