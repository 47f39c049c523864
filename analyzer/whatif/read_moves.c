// SPDX-License-Identifier: BSD-3-Clause
// Readers of the options that move work to other ranks, and change when messages are sent and
// waited for. Regions and ranks are checked when the run is known (simulation/change/moves.c).
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/options.h"
#include "analyzer/simulation/change/moves.h"
#include "analyzer/whatif/readers.h"

/// Appends TEXT to a list of texts.
static const char *const *add(struct whatif_set *set, const char *const *texts, size_t *n_texts,
                              const char *text)
{
    const char **all = whatif_set_grow(set, texts, *n_texts, sizeof *all);
    all[(*n_texts)++] = whatif_set_keep(set, memory_copy_text(text));
    return all;
}

WHATIF_READER(move)
{
    if (moves_check_form(text, err) != 0)
        return -1;
    struct scenario_settings *settings = &set->settings;
    settings->moves = add(set, settings->moves, &settings->n_moves, text);
    return 0;
}

WHATIF_READER(overlap)
{
    (void)err;
    struct scenario_settings *settings = &set->settings;
    settings->overlaps = add(set, settings->overlaps, &settings->n_overlaps, text);
    return 0;
}

WHATIF_READER(move_data)
{
    if (option_read_size(text, &set->settings.move_data_bytes, err) != 0)
        return error_wrap(err, "--move-data %s", text);
    return 0;
}

WHATIF_READER(aggregate)
{
    uint64_t size_bytes = 0;
    if (strcmp(text, "all") == 0)
        size_bytes = UINT64_MAX;
    else if (option_read_size(text, &size_bytes, err) != 0)
        return error_wrap(err, "--aggregate %s: it is a size or all", text);
    set->settings.aggregate_bytes = size_bytes;
    return 0;
}
