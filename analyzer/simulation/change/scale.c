// SPDX-License-Identifier: BSD-3-Clause
// Regions that compute faster or slower (see scale.h).
#include "analyzer/simulation/change/scale.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/simulation/change/region_pattern.h"
#include "analyzer/simulation/scenario.h"

/// A millionth of a millionth: what a factor is divided by to become its reciprocal.
#define SCALE_OF_ONE ((uint64_t)PAG_WORK_PER_NS * PAG_WORK_PER_NS)

/// One more factor for what PATTERN names; WHERE it was given.
static int add_scale(struct scenario *scenario, const char *where, const char *pattern,
                     uint64_t factor, struct error *err)
{
    size_t i = scenario->scales.n++;
    scenario->scales.factors[i] = factor;
    return region_patterns_add(scenario->regions, where, pattern, REGION_COMPUTING,
                               &scenario->scales.patterns[i], err);
}

int region_scales_init(struct scenario *scenario, struct error *err)
{
    const struct scenario_settings *settings = scenario->settings;
    const struct machine *machine = settings->machine;
    size_t n_of_machine = machine ? machine->n_regions : 0;
    if (settings->n_scales + n_of_machine > REGION_MAX_SCALES)
        return error_set(err, "--scale: more than %d of them%s", REGION_MAX_SCALES,
                         n_of_machine > 0 ? " and regions of the machine" : "");
    for (size_t i = 0; i < settings->n_scales; i++) {
        const struct region_scale *scale = &settings->scales[i];
        if (add_scale(scenario, "--scale", scale->pattern, scale->factor, err) != 0)
            return -1;
    }
    for (size_t i = 0; i < n_of_machine; i++) {
        const struct machine_region *region = &machine->regions[i];
        uint64_t factor = (SCALE_OF_ONE + region->speed / 2) / region->speed;
        char *where = memory_format("%s:%u: <region>", machine->path, region->line);
        int status = add_scale(scenario, where, region->pattern, factor, err);
        free(where);
        if (status != 0)
            return -1;
    }
    return 0;
}

uint64_t region_scales_factor(const struct scenario *scenario, uint64_t mark)
{
    const struct region_scales *scales = &scenario->scales;
    uint64_t factor = PAG_WORK_PER_NS;
    for (size_t i = 0; i < scales->n; i++)
        if (region_patterns_is_inside(scenario->regions, mark, scales->patterns[i]))
            factor = factor * scales->factors[i] / PAG_WORK_PER_NS;
    return factor;
}
