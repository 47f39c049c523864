// SPDX-License-Identifier: BSD-3-Clause
// The result of predictions (see whatif.h).
#include "analyzer/result/whatif.h"

#include <math.h>
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/owned.h"
#include "analyzer/base/text.h"

static const double worth_naming = 0.01; // a replay error, of the run time
static const double most_error = 0.3;    // of the run time, above which predictions say nothing

void whatif_point_owned(struct owned *walk, struct whatif_point *point)
{
    OWNED_ITEMS(walk, point->set, point->n_set, OWN(name), OWN(value));
    OWNED_ITEMS(walk, point->ranks, point->n_ranks, OWN(node));
    OWNED_ITEMS(walk, point->moves, point->n_moves, OWN(text));
    OWNED_ITEMS(walk, point->bounds, point->n_bounds, OWN(key), OWN(sentence));
    OWNED_ITEMS(walk, point->rules, point->n_rules, OWN(region));
    OWNED_ARRAY(walk, point->draws.times_ns, point->draws.n);
    OWNED_TEXTS(walk, &point->slowdown.file, &point->farm.policy, &point->farm.summary,
                &point->rebalancing.policy, &point->rebalancing.summary, &point->unused_rules);
}

uint64_t whatif_draws_below(const struct whatif_draws *draws, unsigned percent)
{
    return draws->times_ns[(draws->n * percent + 99) / 100 - 1];
}

void whatif_point_release(struct whatif_point *point)
{
    struct owned walk = {.purpose = OWNED_FREE};
    whatif_point_owned(&walk, point);
    owned_end(&walk);
}

void whatif_report_release(struct whatif_report *report)
{
    for (size_t i = 0; i < report->n_points; i++)
        whatif_point_release(&report->points[i]);
    for (size_t i = 0; i < report->n_points && report->results; i++)
        result_release(&report->results[i]);
    FREE_ALL(report->results, report->points);
    memory_free_each(report->notes, report->n_notes);
    FREE_ALL(report->change, report->tolerances, report->sharing);
    past_errors_release(&report->errors);
    result_release(&report->predicted);
    result_release(&report->unchanged);
    *report = (struct whatif_report){0};
}

void whatif_report_note(struct whatif_report *report, char *text)
{
    *ARRAY_NEXT(report->notes, report->n_notes, report->note_capacity) =
        utf8_clean(text); // it quotes what options name
    free(text);
}

bool whatif_has_large_error(const struct whatif_report *report)
{
    return fabs(whatif_change(report->baseline_ns, report->replayed_ns)) > worth_naming;
}

bool whatif_misses(uint64_t measured_ns, uint64_t replayed_ns)
{
    return fabs(whatif_change(measured_ns, replayed_ns)) > most_error;
}

const char *const whatif_reliability_names[] = {"good", "uncertain", "none"};

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/// The run predicted with nothing changed, as predictions are: with or without what recording cost.
static uint64_t unchanged_ns(const struct whatif_report *report)
{
    return report->untraced_ns > 0 ? report->untraced_ns : report->replayed_ns;
}

/// The predicted run leaves out time without a core, so it is shorter than the measured run.
static bool is_explained(const struct whatif_report *report)
{
    return !report->was_shared && report->replayed_ns < report->baseline_ns &&
           report->baseline_ns - report->replayed_ns <= report->lost_ns;
}

enum whatif_reliability whatif_reliability(const struct whatif_report *report,
                                           const struct whatif_point *point)
{
    uint64_t effect_ns = distance(point->predicted_ns, unchanged_ns(report));
    if (point->is_timeless || is_explained(report))
        return WHATIF_GOOD;
    if (whatif_misses(report->baseline_ns, report->replayed_ns))
        return WHATIF_NONE;
    return whatif_has_large_error(report) && effect_ns > 0 &&
                   effect_ns <= distance(report->replayed_ns, report->baseline_ns)
               ? WHATIF_UNCERTAIN
               : WHATIF_GOOD;
}

struct expected_time whatif_expected(const struct whatif_report *report,
                                     const struct whatif_point *point)
{
    return expected_time(&report->errors, point->predicted_ns,
                         point->window_end_ns - point->window_begin_ns,
                         whatif_change(report->baseline_ns, report->replayed_ns));
}

const char *const whatif_base_names[] = {"measured", "unchanged", "untraced"};

enum whatif_base whatif_base(const struct whatif_report *report)
{
    if (report->untraced_ns > 0)
        return WHATIF_UNTRACED;
    return report->has_predicted && whatif_has_large_error(report) && !report->points[0].is_timeless
               ? WHATIF_UNCHANGED
               : WHATIF_MEASURED;
}

const struct result *whatif_base_result(const struct whatif_report *report,
                                        const struct result *measured)
{
    return whatif_base(report) == WHATIF_MEASURED ? measured : &report->unchanged;
}

uint64_t whatif_base_ns(const struct whatif_report *report)
{
    return report->untraced_ns > 0 ? report->untraced_ns : report->baseline_ns;
}

double whatif_change(uint64_t measured_ns, uint64_t predicted_ns)
{
    if (measured_ns == 0)
        return 0;
    return ((double)predicted_ns - (double)measured_ns) / (double)measured_ns;
}

uint64_t whatif_client_server_ns(const struct whatif_report *report,
                                 const struct whatif_point *point)
{
    uint64_t ns = unchanged_ns(report) + point->client_server_ns;
    return ns > point->unchanged_ns ? ns - point->unchanged_ns : 0;
}

// --- what past errors say of a prediction; compare/past_errors.c finds them.

void past_errors_release(struct past_errors *errors)
{
    FREE_ALL(errors->kind, errors->machine);
    *errors = (struct past_errors){0};
}

static uint64_t rounded(double time_ns)
{
    static const double most_ns = 1e18; // what a huge error makes of a time
    return (uint64_t)llround(fmin(fmax(time_ns, 0), most_ns));
}

struct expected_time expected_time(const struct past_errors *errors, uint64_t predicted_ns,
                                   uint64_t judged_ns, double replay_error)
{
    double whole_ns = (double)predicted_ns, part_ns = (double)judged_ns;
    if (errors->coverage > 0)
        return (struct expected_time){rounded(whole_ns + part_ns * (errors->least - 1)),
                                      rounded(whole_ns + part_ns * (errors->most - 1)), true};
    double error_ns = whole_ns * fabs(replay_error);
    return (struct expected_time){rounded(whole_ns - error_ns), rounded(whole_ns + error_ns),
                                  false};
}
