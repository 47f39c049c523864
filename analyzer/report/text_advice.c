// SPDX-License-Identifier: BSD-3-Clause
// Advice for the terminal.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/report/advice.h"
#include "analyzer/report/quantity.h"

/// Of the target's run time, with its sign.
static struct quantity share_of(const struct advice *advice, int64_t gain_ns)
{
    struct quantity q;
    double share = advice->target_ns ? (double)gain_ns / (double)advice->target_ns : 0;
    snprintf(q.text, sizeof q.text, "%.1f %%", 100 * share);
    return q;
}

static struct quantity signed_time(int64_t ns)
{
    struct quantity q;
    snprintf(q.text, sizeof q.text, "%s%s", ns < 0 ? "-" : "",
             quantity_time((uint64_t)(ns < 0 ? -ns : ns)).text);
    return q;
}

static void print_head(const struct advice *advice, FILE *stream)
{
    fprintf(stream, "Measured run time     %s\n", quantity_time(advice->measured_ns).text);
    if (*advice->target)
        fprintf(stream, "On the target         %s  (%s)\n", quantity_time(advice->target_ns).text,
                advice->target);
    fprintf(stream,
            "Replay error          %s: with nothing changed %s are predicted; gains below\n"
            "                      that mean nothing\n",
            quantity_share((double)advice_error_ns(advice) / (double)advice->measured_ns).text,
            quantity_time(advice->replayed_ns).text);
    if (advice->target_ns > advice->ideal_ns)
        fprintf(stream,
                "To be gained at most  %s, were all computing spread equally and MPI free\n",
                quantity_time(advice->target_ns - advice->ideal_ns).text);
    fputc('\n', stream);
}

static void print_candidate(const struct advice *advice, size_t index, FILE *stream)
{
    const struct advice_candidate *candidate = &advice->candidates[index];
    char *options = advice_options(candidate);
    fprintf(stream, "%3zu. %10s  %7s  %s%s\n", index + 1, signed_time(candidate->gain_ns).text,
            share_of(advice, candidate->gain_ns).text, candidate->sentence,
            candidate->is_upper_bound ? " (an upper bound)" : "");
    fprintf(stream, "%26s%s %s%s%s\n", "pagoda replay ", advice->trace, options,
            *advice->target ? " " : "", advice->target);
    free(options);
}

static void print_pairs(const struct advice *advice, FILE *stream)
{
    static const char *const words[] = {"they add up", "they overlap",
                                        "the lesser one adds nothing"};
    if (advice->n_pairs > 0)
        fprintf(stream, "\nTogether\n");
    for (size_t i = 0; i < advice->n_pairs; i++) {
        const struct advice_pair *pair = &advice->pairs[i];
        fprintf(stream, "%zu and %zu: %s, %s; %s\n", pair->first + 1, pair->second + 1,
                signed_time(pair->gain_ns).text, share_of(advice, pair->gain_ns).text,
                words[advice_together(advice, pair)]);
    }
}

/// Candidates that were replayed and are worth a line: those with a gain beyond the error.
static size_t count_worth(const struct advice *advice, size_t limit)
{
    size_t n = 0;
    int64_t error_ns = (int64_t)advice_error_ns(advice);
    while (n < advice->n_candidates && n < limit && advice->candidates[n].is_replayed &&
           advice->candidates[n].gain_ns > error_ns)
        n++;
    return n;
}

void text_print_advice(const struct advice *advice, size_t limit, FILE *stream)
{
    print_head(advice, stream);
    size_t n = count_worth(advice, limit);
    if (n == 0)
        fprintf(stream, "None of the changes that were replayed shortens the run by more than the "
                        "replay error.\n");
    else
        fprintf(stream, "%15s  %7s  Change, and the command that predicts it\n", "gain", "of run");
    for (size_t i = 0; i < n; i++)
        print_candidate(advice, i, stream);
    print_pairs(advice, stream);
    uint64_t left_ns = advice_unexplained_ns(advice);
    if (left_ns > 0)
        fprintf(stream, "\nNo change above explains %s of what could be gained.\n",
                quantity_time(left_ns).text);
    fprintf(stream, "\n%s", quantity_count(advice->n_replays, "prediction").text);
    if (advice->n_pruned > 0)
        fprintf(stream, "; %s left out that cannot gain more (--all replays them)",
                quantity_count(advice->n_pruned, "change").text);
    fputc('\n', stream);
}
