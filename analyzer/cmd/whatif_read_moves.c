// SPDX-License-Identifier: BSD-3-Clause
// Readers of the options that move work to other ranks, and change when messages are sent and
// waited for. Regions and ranks are checked when the run is known (whatif/moves.c).
#include "analyzer/base/memory.h"
#include "analyzer/base/options.h"
#include "analyzer/cmd/whatif_readers.h"

WHATIF_READER(move)
{
    (void)err;
    struct scenario_settings *settings = &set->settings;
    const char **moves = whatif_set_grow(set, settings->moves, settings->n_moves, sizeof *moves);
    moves[settings->n_moves++] = whatif_set_keep(set, memory_copy_text(text));
    settings->moves = moves;
    return 0;
}

WHATIF_READER(move_data)
{
    if (option_read_size(text, &set->settings.move_data_bytes, err) != 0)
        return error_wrap(err, "--move-data %s", text);
    return 0;
}
