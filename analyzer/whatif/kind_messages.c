// SPDX-License-Identifier: BSD-3-Clause
// Which operations there are: synchronisation and messages left out, messages joined, their waits
// put off, work moved to the ranks that messages come from. Regions and ranks are checked when the
// run is known (simulation/change/).
#include <inttypes.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/simulation/change/cut_messages.h"
#include "analyzer/simulation/change/move.h"
#include "analyzer/whatif/kinds.h"

// --- options

static int check_drop_sync(const char *text, struct error *err)
{
    return *text ? 0 : error_set(err, "--drop-sync: a region is missing");
}

static int parse_joined_size(const char *text, uint64_t *size_bytes, struct error *err)
{
    *size_bytes = UINT64_MAX;
    if (strcmp(text, "all") != 0 && option_read_size(text, size_bytes, err) != 0)
        return error_wrap(err, "it is a size or all");
    return 0;
}

const struct whatif_option whatif_options_of_messages[] = {
    {WHATIF_ROW(REPEATED, "drop-sync", "REGION"), WHATIF_TEXTS(settings, drops),
     .check = check_drop_sync,
     .help = "leave out the barriers and other pure synchronisation in a region"},
    {WHATIF_ROW(REPEATED_AXIS, "cut-messages", "CONDITION[=F]"), WHATIF_TEXTS(settings, cuts),
     .check = message_cut_check, .values = message_cut_factor,
     .help = "leave out some messages, such as size>=64KiB, or multiply their bytes by F"},
    {WHATIF_ROW(REPEATED, "move", "REGION=FROM:TO"), WHATIF_TEXTS(settings, moves),
     .check = moves_check_form,
     .help = "ranks TO do the work that ranks FROM do for them in a region, such as serve=0:1-3"},
    {WHATIF_ROW(AXIS, "move-data", "BYTES"),
     WHATIF_NUMBER(settings.move_data_bytes, option_read_size),
     .help = "with --move: bytes added to each message that takes work along", .default_text = "0",
     .needs = "move", .does = "says what the messages carry of"},
    {WHATIF_ROW(REPEATED, "overlap", "REGION"), WHATIF_TEXTS(settings, overlaps),
     .help = "wait for the messages in a region as late as possible (the gain is an upper bound)"},
    {WHATIF_ROW(REPEATED, "overlap-progress", "REGION"), WHATIF_TEXTS(settings, progresses),
     .help = "as --overlap, with messages that move meanwhile, by MPI_Test calls or asynchronous "
             "progress"},
    {WHATIF_ROW(AXIS, "aggregate", "BYTES|all"),
     WHATIF_NUMBER(settings.aggregate_bytes, parse_joined_size),
     .help = "join adjacent messages to one rank, up to this size (the gain is an upper bound)"},
    {.name = NULL},
};

// --- in a report

static void put_bound(struct whatif_point *point, const char *key, uint64_t value, char *sentence)
{
    *ARRAY_EXTEND(point->bounds, point->n_bounds) =
        (struct whatif_bound){memory_copy_text(key), value, sentence};
}

static void put_overlapped(struct whatif_point *point, const struct scenario_settings *settings,
                           const struct simulated *found)
{
    bool is_plain = settings->n_overlaps > 0;
    SCOPED char *what =
        memory_format("%s let %s complete later", is_plain ? "--overlap" : "--overlap-progress",
                      quantity_count(found->n_overlapped, "call").text);
    point->n_held = found->n_held;
    put_bound(
        point, "overlapped_calls", found->n_overlapped,
        found->n_held == 0
            ? memory_format("%s. The trace does not tell whether the data was needed earlier, "
                            "so the gain is at most this",
                            what)
            : memory_format("%s, %" PRIu64 " of them for messages that move only while their "
                            "receiver is in MPI%s. There a wait that is not as late may gain "
                            "more",
                            what, found->n_held,
                            is_plain ? " (--overlap-progress: meanwhile)" : ""));
}

void whatif_put_messages(struct whatif_point *point, const struct scenario_settings *settings,
                         const struct simulated *found)
{
    point->leaves_out = settings->n_drops + settings->n_cuts > 0;
    point->left_out = found->left_out;
    if (settings->aggregate_bytes > 0)
        put_bound(point, "aggregated_messages", found->n_aggregated,
                  memory_format("--aggregate joined %s to the one before. No message waits for a "
                                "later one, so the gain is at most this",
                                quantity_count(found->n_aggregated, "message").text));
    if (settings->n_overlaps + settings->n_progresses > 0)
        put_overlapped(point, settings, found);
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
