// SPDX-License-Identifier: BSD-3-Clause
// Which operations there are: synchronisation and messages left out, messages joined, their waits
// put off, work moved to the ranks that messages come from. Regions and ranks are checked when the
// run is known (simulation/change/).
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/quantity.h"
#include "analyzer/simulation/change/cut_messages.h"
#include "analyzer/simulation/change/move.h"
#include "analyzer/whatif/kinds.h"

// --- options

static int read_drop_sync(const char *text, struct whatif_case *asked, struct error *err)
{
    struct scenario_settings *settings = &asked->settings;
    if (*text == '\0')
        return error_set(err, "--drop-sync: a region is missing");
    whatif_case_append(asked, &settings->drops, &settings->n_drops, text);
    return 0;
}

static int read_cut_messages(const char *text, struct whatif_case *asked, struct error *err)
{
    if (message_cut_check(text, err) != 0)
        return -1;
    struct scenario_settings *settings = &asked->settings;
    whatif_case_append(asked, &settings->cuts, &settings->n_cuts, text);
    return 0;
}

static int read_move(const char *text, struct whatif_case *asked, struct error *err)
{
    if (moves_check_form(text, err) != 0)
        return -1;
    struct scenario_settings *settings = &asked->settings;
    whatif_case_append(asked, &settings->moves, &settings->n_moves, text);
    return 0;
}

static int read_overlap(const char *text, struct whatif_case *asked, struct error *err)
{
    (void)err;
    struct scenario_settings *settings = &asked->settings;
    whatif_case_append(asked, &settings->overlaps, &settings->n_overlaps, text);
    return 0;
}

static int read_move_data(const char *text, struct whatif_case *asked, struct error *err)
{
    if (option_read_size(text, &asked->settings.move_data_bytes, err) != 0)
        return error_wrap(err, "--move-data %s", text);
    return 0;
}

static int read_aggregate(const char *text, struct whatif_case *asked, struct error *err)
{
    uint64_t size_bytes = 0;
    if (strcmp(text, "all") == 0)
        size_bytes = UINT64_MAX;
    else if (option_read_size(text, &size_bytes, err) != 0)
        return error_wrap(err, "--aggregate %s: it is a size or all", text);
    asked->settings.aggregate_bytes = size_bytes;
    return 0;
}

static const struct whatif_option rows[] = {
    {.name = "drop-sync",
     .kind = WHATIF_REPEATED,
     .argument = "REGION",
     .read = read_drop_sync,
     .help = "leave out the barriers and other pure synchronisation in a region"},
    {.name = "cut-messages",
     .kind = WHATIF_REPEATED_AXIS,
     .argument = "CONDITION[=F]",
     .read = read_cut_messages,
     .values = message_cut_factor,
     .help = "leave out some messages, such as size>=64KiB, or multiply their bytes by F"},
    {.name = "move",
     .kind = WHATIF_REPEATED,
     .argument = "REGION=FROM:TO",
     .read = read_move,
     .help = "ranks TO do the work that ranks FROM do for them in a region, such as serve=0:1-3"},
    {.name = "move-data",
     .kind = WHATIF_AXIS,
     .argument = "BYTES",
     .read = read_move_data,
     .help = "with --move: bytes added to each message that takes work along",
     .default_text = "0",
     .needs = "move",
     .does = "says what the messages carry of"},
    {.name = "overlap",
     .kind = WHATIF_REPEATED,
     .argument = "REGION",
     .read = read_overlap,
     .help = "wait for the messages in a region as late as possible (the gain is an upper bound)"},
    {.name = "aggregate",
     .kind = WHATIF_AXIS,
     .argument = "BYTES|all",
     .read = read_aggregate,
     .help = "join adjacent messages to one rank, up to this size (the gain is an upper bound)"},
};
const struct whatif_kind whatif_kind_messages = {rows, sizeof rows / sizeof rows[0]};

// --- in a report

static void put_bound(struct whatif_point *point, const char *key, uint64_t value, char *sentence)
{
    point->bounds = memory_resize(point->bounds, point->n_bounds + 1, sizeof *point->bounds);
    point->bounds[point->n_bounds++] = (struct whatif_bound){key, value, sentence};
}

void whatif_put_messages(struct whatif_point *point, const struct scenario_settings *settings,
                         const struct simulated *found)
{
    point->leaves_out = settings->n_drops + settings->n_cuts > 0;
    point->n_left_out_messages = found->n_left_out_messages;
    point->n_resized_messages = found->n_resized_messages;
    point->n_left_out_collectives = found->n_left_out_collectives;
    point->n_partly_left_out = found->n_partly_left_out;
    if (settings->aggregate_bytes > 0)
        put_bound(point, "aggregated_messages", found->n_aggregated,
                  memory_format("--aggregate joined %s to the one before. No message waits for a "
                                "later one, so the gain is at most this",
                                quantity_count(found->n_aggregated, "message").text));
    if (settings->n_overlaps > 0)
        put_bound(point, "overlapped_calls", found->n_overlapped,
                  memory_format("--overlap let %s complete later. The trace does not tell whether "
                                "the data was needed earlier, so the gain is at most this",
                                quantity_count(found->n_overlapped, "call").text));
    if (settings->n_moves == 0)
        return;
    point->n_moves = settings->n_moves;
    point->moves = memory_zeroed(point->n_moves, sizeof *point->moves);
    for (size_t i = 0; i < point->n_moves; i++)
        point->moves[i] = (struct whatif_move){
            .text = memory_copy_text(settings->moves[i]),
            .moved_ns = found->moves[i].moved_ns,
            .stayed_ns = found->moves[i].stayed_ns,
            .n_messages = found->moves[i].n_messages,
        };
    point->client_server_ns = found->client_server_ns;
    point->in_turn_ns = found->in_turn_ns;
    point->unchanged_ns = found->unchanged_ns;
}
