// SPDX-License-Identifier: BSD-3-Clause
// What a series shows, in sentences: where scaling breaks, what is lost there, and a forecast.
#include "analyzer/compare/scaling.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

static const double little = 0.02; // of the ranks' time: not worth a sentence

static struct quantity time_of(double time_ns)
{
    return quantity_time(time_ns > 0 ? (uint64_t)llround(time_ns) : 0);
}

/// "solve", "late-sender waits".
static void put_part(const struct scaling *scaling, size_t part, FILE *to)
{
    fprintf(to, "%s%s", scaling->parts[part].name,
            *scaling->parts[part].wait_state ? " waits" : "");
}

/// The point with most time without CPU time, if that is worth a sentence, else SCALING_NONE.
static size_t worst_for_cores(const struct scaling *scaling)
{
    size_t worst = SCALING_NONE;
    for (size_t i = 0; i < scaling->n_points; i++)
        if (scaling->points[i].no_cpu_share >= little &&
            (worst == SCALING_NONE ||
             scaling->points[i].no_cpu_share > scaling->points[worst].no_cpu_share))
            worst = i;
    return worst;
}

/// Ranks without cores come before all causes and forecasts: those are about them, too.
static void conclude_cores(const struct scaling *scaling, const char *by, FILE *to)
{
    size_t worst = worst_for_cores(scaling);
    if (worst == SCALING_NONE)
        return;
    const struct scaling_point *point = &scaling->points[worst];
    struct quantity share = quantity_share(point->no_cpu_share);
    if (point->has_few_cores)
        fprintf(
            to,
            "At %s = %g ranks had no CPU time for %s of their time: the nodes were oversubscribed. "
            "All numbers here include that time, so they do not hold for a machine with a core "
            "for each rank. ",
            by, point->x, share.text);
    else
        fprintf(to,
                "At %s = %g ranks had no CPU time for %s of their time: other programs used their "
                "cores, or the ranks slept or waited for files. All numbers here include that "
                "time, so they do not hold for a quiet machine. ",
                by, point->x, share.text);
}

static void conclude_break(const struct scaling *scaling, const char *by, FILE *to)
{
    const struct scaling_point *first = &scaling->points[0];
    const struct scaling_point *at = &scaling->points[scaling->looked_at];
    const struct scaling_point *fastest = &scaling->points[scaling->fastest];
    if (!scaling->is_broken)
        fprintf(to, "Scaling holds up to %s = %g: the efficiency is %s.", by, at->x,
                quantity_share(at->efficiency).text);
    else if (scaling->looked_at > 1)
        fprintf(to, "Scaling breaks at %s = %g: the efficiency is %s, after %s at %g.", by, at->x,
                quantity_share(at->efficiency).text, quantity_share(at[-1].efficiency).text,
                at[-1].x);
    else
        fprintf(to, "Scaling breaks at the first step: the efficiency is %s at %s = %g.",
                quantity_share(at->efficiency).text, by, at->x);
    if (scaling->why < N_FACTORS) {
        fprintf(to, " The main loss is in %s: %s -> %s, %s of all losses.",
                scaling_factor_names[scaling->why],
                quantity_share(first->factors[scaling->why]).text,
                quantity_share(at->factors[scaling->why]).text,
                quantity_share(scaling->why_share).text);
        if (scaling->cause != SCALING_NONE) {
            fprintf(to, " The cost of ");
            put_part(scaling, scaling->cause, to);
            fprintf(to, " grew most since %s = %g: %s of all growth.", by, first->x,
                    quantity_share(scaling->cause_share).text);
        }
    }
    if (scaling->kind == SCALING_STRONG && scaling->fastest + 1 < scaling->n_points)
        fprintf(to, " The run is fastest at %s = %g, with %s; beyond that it gets slower.", by,
                fastest->x, time_of(fastest->time_ns).text);
}

static void conclude_size(const struct scaling *scaling, const char *by, FILE *to)
{
    const struct scaling_point *first = &scaling->points[0];
    const struct scaling_point *last = &scaling->points[scaling->n_points - 1];
    char *law = growth_law(&scaling->time_growth, by);
    fprintf(to, "The time goes from %s at %s = %g to %s at %g", time_of(first->time_ns).text, by,
            first->x, time_of(last->time_ns).text, last->x);
    if (scaling->time_growth.form == GROWTH_CONSTANT)
        fprintf(to, ", which is constant within 2 %%");
    else if (growth_is_good(&scaling->time_growth))
        fprintf(to, ", as %s", law);
    fputc('.', to);
    if (scaling->cause != SCALING_NONE) {
        fprintf(to, " The time of ");
        put_part(scaling, scaling->cause, to);
        fprintf(to, " grew most: %s of all growth.", quantity_share(scaling->cause_share).text);
    }
    free(law);
}

static void conclude_riser(const struct scaling *scaling, const char *by, FILE *to)
{
    const struct scaling_part *riser = &scaling->parts[scaling->riser];
    char *law = growth_law(&riser->growth, by);
    fprintf(to, " The share of ");
    put_part(scaling, scaling->riser, to);
    fprintf(to, " rises most, to %s (%s)", quantity_share(riser->next_ns / scaling->next_ns).text,
            law);
    if (scaling->riser == scaling->leader) {
        fprintf(to, "; it is the largest already");
    } else {
        bool overtakes = isfinite(scaling->riser_overtakes_x);
        fprintf(to, overtakes ? "; it exceeds that of " : "; it stays below that of ");
        put_part(scaling, scaling->leader, to);
        if (overtakes)
            fprintf(to, " from about %s = %.3g on", by, scaling->riser_overtakes_x);
    }
    fputc('.', to);
    free(law);
}

static void conclude_next(const struct scaling *scaling, const char *by, FILE *to)
{
    if (!scaling->has_next && scaling->n_points >= GROWTH_LEAST_POINTS) {
        fprintf(to, " There is no forecast: no law fits the growth of parts with %s of the time.",
                quantity_share(scaling->next_unfitted_share).text);
        return;
    }
    if (!scaling->has_next) {
        fprintf(to, " There is no forecast: it needs %d points, and there %s %zu.",
                GROWTH_LEAST_POINTS, scaling->n_points == 1 ? "is" : "are", scaling->n_points);
        return;
    }
    fprintf(to, " The forecast from these %zu points for %s = %g is %s", scaling->n_points, by,
            scaling->next_x, time_of(scaling->next_ns).text);
    if (!isnan(scaling->next_efficiency))
        fprintf(to, ", an efficiency of %s", quantity_share(scaling->next_efficiency).text);
    fputc('.', to);
    if (scaling->riser != SCALING_NONE)
        conclude_riser(scaling, by, to);
    if (scaling->next_unfitted_share > 0.1)
        fprintf(to, " Parts with %s of that time fit no law; they are taken not to grow.",
                quantity_share(scaling->next_unfitted_share).text);
}

char *scaling_conclusion(const struct scaling *scaling, const char *by)
{
    char *text = NULL;
    size_t size;
    FILE *to = memory_stream(&text, &size);
    conclude_cores(scaling, by, to);
    if (scaling->kind == SCALING_SIZE)
        conclude_size(scaling, by, to);
    else
        conclude_break(scaling, by, to);
    conclude_next(scaling, by, to);
    fclose(to);
    return text;
}
