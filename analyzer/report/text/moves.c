// SPDX-License-Identifier: BSD-3-Clause
// The report on moves of work: how much of each, and two answers to compare.
#include "analyzer/report/text/moves.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"

static void print_text(const struct page *page, const char *label, char *text)
{
    page_labelled(page, label, text);
    free(text);
}

static void print_move(const struct page *page, const char *label, const struct whatif_move *move)
{
    char *stayed = move->stayed_ns == 0
                       ? memory_copy_text("")
                       : memory_format("; %s of FROM in the region is not done for TO and stays",
                                       quantity_time(move->stayed_ns).text);
    print_text(page, label,
               memory_format("%s: %s of process time, with %s%s", move->text,
                             quantity_time(move->moved_ns).text,
                             quantity_count(move->n_messages, "message").text, stayed));
    free(stayed);
}

/// "-1.2 s"
static char *difference(int64_t ns)
{
    return memory_format("%s%s", ns < 0 ? "-" : "", quantity_time((uint64_t)llabs(ns)).text);
}

/// What the algorithms differ by: EARLY_NS for one reason, REST_NS for all others.
static void print_difference(const struct page *page, int64_t early_ns, int64_t rest_ns)
{
    char *early = difference(early_ns), *rest = difference(rest_ns);
    if (early_ns != 0)
        print_text(page, "",
                   memory_format("the prediction differs by %s as it does moved work after its "
                                 "message has come, not while its rank waits for it",
                                 early));
    if (rest_ns != 0)
        print_text(page, "",
                   memory_format("it differs by %s as it knows the time of messages, collectives, "
                                 "cores, and work across several messages",
                                 rest));
    free(early);
    free(rest);
}

void text_print_moves(const struct page *page, const struct whatif_report *report,
                      const struct whatif_point *point)
{
    const char *label = "Upper bound", *of_first = report->is_list ? " (in the first one)" : "";
    if (point->aggregates) {
        print_text(
            page, label,
            memory_format("--aggregate: %s went with the one before%s; no message is held back for "
                          "a later one, so at most this is gained",
                          quantity_count(point->n_aggregated, "message").text, of_first));
        label = "";
    }
    if (point->overlaps)
        print_text(
            page, label,
            memory_format("--overlap: %s waited for later%s; whether data was needed earlier is "
                          "not in the trace, so at most this is gained",
                          quantity_count(point->n_overlapped, "call").text, of_first));
    for (size_t i = 0; i < point->n_moves; i++)
        print_move(page, i == 0 ? "Moved" : "", &point->moves[i]);
    if (point->n_moves == 0)
        return;
    if (report->is_list) {
        page_labelled(page, "Client/server",
                      "what the published algorithm for client/server programs says; what is "
                      "predicted is by the general algorithm");
        return;
    }
    uint64_t other_ns = whatif_client_server_ns(report, point);
    print_text(page, "Client/server",
               memory_format("%s by the published algorithm for client/server programs: its path "
                             "of process time is %s with the move, %s without; what is predicted "
                             "here is by the general algorithm",
                             quantity_time(other_ns).text,
                             quantity_time(point->client_server_ns).text,
                             quantity_time(point->unchanged_ns).text));
    int64_t early_ns = (int64_t)point->in_turn_ns - (int64_t)point->client_server_ns;
    print_difference(page, early_ns, (int64_t)point->predicted_ns - (int64_t)other_ns - early_ns);
}
