// SPDX-License-Identifier: BSD-3-Clause
// Readers of the options that change the work of regions.
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/cmd/whatif_readers.h"

WHATIF_READER(scale)
{
    const char *equals = strrchr(text, '=');
    if (!equals || equals == text)
        return error_set(err, "--scale %s: not of the form REGION=FACTOR", text);
    struct scenario_settings *settings = &set->settings;
    struct region_scale *scales =
        whatif_set_grow(set, settings->scales, settings->n_scales, sizeof *scales);
    struct region_scale *scale = &scales[settings->n_scales++];
    settings->scales = scales;
    scale->pattern = whatif_set_keep(set, memory_format("%.*s", (int)(equals - text), text));
    if (whatif_read_factor("scale", equals + 1, 0, &scale->factor, err) != 0)
        return error_wrap(err, "%s", text);
    return 0;
}
