// SPDX-License-Identifier: BSD-3-Clause
// What a series shows, in sentences: where scaling breaks, what is lost there, and a forecast.
#include "analyzer/compare/scaling.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
    fprintf(to, "%s%s", scaling->parts[part].shown,
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
static void conclude_cores(const struct scaling *scaling, FILE *to)
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
            scaling->by, point->x, share.text);
    else
        fprintf(to,
                "At %s = %g ranks had no CPU time for %s of their time: other programs used their "
                "cores, or the ranks slept or waited for files. All numbers here include that "
                "time, so they do not hold for a quiet machine. ",
                scaling->by, point->x, share.text);
}

static void conclude_break(const struct scaling *scaling, FILE *to)
{
    const struct scaling_point *first = &scaling->points[0];
    const struct scaling_point *at = &scaling->points[scaling->looked_at];
    const struct scaling_point *fastest = &scaling->points[scaling->fastest];
    if (!scaling->is_broken)
        fprintf(to, "Scaling holds up to %s = %g: the efficiency is %s.", scaling->by, at->x,
                quantity_share(at->efficiency).text);
    else if (scaling->looked_at > 1)
        fprintf(to, "Scaling breaks at %s = %g: the efficiency is %s, after %s at %g.", scaling->by,
                at->x, quantity_share(at->efficiency).text, quantity_share(at[-1].efficiency).text,
                at[-1].x);
    else
        fprintf(to, "Scaling breaks at the first step: the efficiency is %s at %s = %g.",
                quantity_share(at->efficiency).text, scaling->by, at->x);
    if (scaling->why < N_FACTORS) {
        fprintf(to, " The main loss is in %s: %s -> %s, %s of all losses.",
                scaling_factor_names[scaling->why],
                quantity_share(first->factors[scaling->why]).text,
                quantity_share(at->factors[scaling->why]).text,
                quantity_share(scaling->why_share).text);
        if (scaling->cause != SCALING_NONE) {
            fputs(scaling->kind == SCALING_WEAK ? " On each rank, the time of "
                                                : " Summed over the ranks, the time of ",
                  to);
            put_part(scaling, scaling->cause, to);
            fprintf(to, " grew most since %s = %g: %s of all growth.", scaling->by, first->x,
                    quantity_share(scaling->cause_share).text);
        }
    }
    if (scaling->kind == SCALING_STRONG && scaling->fastest + 1 < scaling->n_points)
        fprintf(to, " The run is fastest at %s = %g, with %s; beyond that it gets slower.",
                scaling->by, fastest->x, time_of(fastest->time_ns).text);
}

/// A formula that fits the run time, in seconds.
static void put_time_formula(const struct scaling *scaling, FILE *to)
{
    const struct model *model = &scaling->models.series[0].model;
    SCOPED char *growth =
        model_growth_text(&model->formula, (const char *const *)scaling->models.parameters, 1,
                          &scaling->points[0].x, &scaling->points[scaling->n_points - 1].x);
    if (strcmp(growth, "constant") == 0)
        fprintf(to, ", which is constant within %s", quantity_share(model->worst).text);
    else
        fprintf(to, ", as %s", growth);
}

static void conclude_size(const struct scaling *scaling, FILE *to)
{
    const struct scaling_point *first = &scaling->points[0];
    const struct scaling_point *last = &scaling->points[scaling->n_points - 1];
    fprintf(to, "The time goes from %s at %s = %g to %s at %g", time_of(first->time_ns).text,
            scaling->by, first->x, time_of(last->time_ns).text, last->x);
    if (scaling->has_next)
        put_time_formula(scaling, to);
    fputc('.', to);
    if (scaling->cause != SCALING_NONE) {
        fprintf(to, " The time of ");
        put_part(scaling, scaling->cause, to);
        fprintf(to, " grew most: %s of all growth.", quantity_share(scaling->cause_share).text);
    }
}

static void conclude_riser(const struct scaling *scaling, FILE *to)
{
    const struct scaling_part *riser = &scaling->parts[scaling->riser];
    SCOPED char *growth = scaling_growth(scaling, scaling_model(scaling, riser));
    fprintf(to, " The share of ");
    put_part(scaling, scaling->riser, to);
    fprintf(to, " rises most, to %s (%s)",
            quantity_share(riser->next_ns / scaling->next_parts_ns).text, growth);
    if (scaling->riser == scaling->leader) {
        fprintf(to, "; it is the largest already");
    } else {
        bool overtakes = isfinite(scaling->riser_overtakes_x);
        fprintf(to, overtakes ? "; it exceeds that of " : "; it stays below that of ");
        put_part(scaling, scaling->leader, to);
        if (overtakes)
            fprintf(to, " from about %s = %.3g on", scaling->by, scaling->riser_overtakes_x);
    }
    fputc('.', to);
}

static void conclude_next(const struct scaling *scaling, FILE *to)
{
    if (!scaling->has_next) {
        const char *reason = scaling->models.series[0].reason;
        fprintf(to, " There is no forecast: %s.", reason ? reason : "no formula fits the time");
        return;
    }
    size_t n_used = scaling->models.series[0].model.n_points; // less one that does not fit
    fprintf(to, " The forecast from %s%zu points for %s = %g is %s (95 %%: %s to %s)",
            n_used < scaling->n_points ? "" : "these ", n_used, scaling->by, scaling->next_x,
            time_of(scaling->next_ns).text, time_of(scaling->next_low_ns).text,
            time_of(scaling->next_high_ns).text);
    if (!isnan(scaling->next_efficiency))
        fprintf(to, ", an efficiency of %s", quantity_share(scaling->next_efficiency).text);
    fputc('.', to);
    if (scaling->riser != SCALING_NONE)
        conclude_riser(scaling, to);
    if (scaling->next_unfitted_share > 0.1)
        fprintf(to, " No formula fits parts with %s of the time there; they are taken not to grow.",
                quantity_share(scaling->next_unfitted_share).text);
}

char *scaling_conclusion(const struct scaling *scaling)
{
    char *text = NULL;
    size_t size;
    FILE *to = memory_stream(&text, &size);
    conclude_cores(scaling, to);
    if (scaling->kind == SCALING_SIZE)
        conclude_size(scaling, to);
    else
        conclude_break(scaling, to);
    conclude_next(scaling, to);
    fclose(to);
    return text;
}
