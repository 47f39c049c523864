// SPDX-License-Identifier: BSD-3-Clause
// What a scaling study shows, in sentences (see scaling.h).
#include "analyzer/report/scaling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/quantity.h"

const char *const scaling_factor_keys[N_FACTORS] = {
    [FACTOR_PARALLEL] = "parallel_efficiency",
    [FACTOR_LOAD_BALANCE] = "load_balance",
    [FACTOR_CPU] = "cpu_efficiency",
    [FACTOR_COMMUNICATION] = "communication_efficiency",
    [FACTOR_SERIALIZATION] = "serialization_efficiency",
    [FACTOR_TRANSFER] = "transfer_efficiency",
    [FACTOR_COMPUTATION] = "computation_scaling",
    [FACTOR_GLOBAL] = "global_efficiency",
};

const char *const scaling_factor_names[N_FACTORS] = {
    [FACTOR_PARALLEL] = "parallel efficiency",
    [FACTOR_LOAD_BALANCE] = "load balance",
    [FACTOR_CPU] = "CPU time outside MPI",
    [FACTOR_COMMUNICATION] = "communication efficiency",
    [FACTOR_SERIALIZATION] = "serialization efficiency",
    [FACTOR_TRANSFER] = "transfer efficiency",
    [FACTOR_COMPUTATION] = "computation scaling",
    [FACTOR_GLOBAL] = "global efficiency",
};

static const double little = 0.02; // of the ranks' time: not worth a sentence

const char *const scaling_kind_names[] = {
    [SCALING_STRONG] = "strong", [SCALING_WEAK] = "weak", [SCALING_SIZE] = "parameter"};

char *scaling_law(const struct growth *growth, const char *by)
{
    switch (growth->form) {
    case GROWTH_CONSTANT:
        return memory_copy_text("constant");
    case GROWTH_POWER:
        return memory_format("%s^%.2f", by, growth->b);
    case GROWTH_LOGARITHM:
        return memory_format("log2(%s)", by);
    case GROWTH_UNKNOWN:
        break;
    }
    return memory_copy_text("?");
}

static struct quantity time_of(double time_ns)
{
    return quantity_time(time_ns > 0 ? (uint64_t)llround(time_ns) : 0);
}

static const char *part_kind(const struct scaling_part *part)
{
    return *part->wait_state ? "waiting in " : "";
}

static void conclude_break(const struct scaling_page *page, const struct scaling *scaling, FILE *to)
{
    const struct scaling_point *first = &scaling->points[0];
    const struct scaling_point *at = &scaling->points[scaling->looked_at];
    if (!scaling->is_broken)
        fprintf(to, "Scaling holds over all points: the efficiency is %s at %s = %g.",
                quantity_share(at->efficiency).text, page->by, at->x);
    else if (scaling->looked_at > 1)
        fprintf(to, "Scaling breaks at %s = %g: the efficiency is %s there, and was %s at %g.",
                page->by, at->x, quantity_share(at->efficiency).text,
                quantity_share(scaling->points[scaling->looked_at - 1].efficiency).text,
                scaling->points[scaling->looked_at - 1].x);
    else
        fprintf(to, "Scaling breaks at once: the efficiency is %s at %s = %g.",
                quantity_share(at->efficiency).text, page->by, at->x);
    if (scaling->why < N_FACTORS) {
        fprintf(to, " What is lost most there is %s (%s", scaling_factor_names[scaling->why],
                quantity_share(first->factors[scaling->why]).text);
        fprintf(to, " -> %s; %s of all that is lost)",
                quantity_share(at->factors[scaling->why]).text,
                quantity_share(scaling->why_share).text);
        if (scaling->cause != SCALING_NONE)
            fprintf(to, "; of what costs more than at %g most is %s%s (%s)", first->x,
                    part_kind(&scaling->parts[scaling->cause]), scaling->parts[scaling->cause].name,
                    quantity_share(scaling->cause_share).text);
        fputc('.', to);
    }
    const struct scaling_point *fastest = &scaling->points[scaling->fastest];
    if (scaling->kind == SCALING_STRONG && scaling->fastest + 1 < scaling->n_points)
        fprintf(to, " More than %s = %g is slower: the least time, %s, is there.", page->by,
                fastest->x, time_of(fastest->time_ns).text);
}

static void conclude_size(const struct scaling_page *page, const struct scaling *scaling, FILE *to)
{
    const struct scaling_point *first = &scaling->points[0];
    const struct scaling_point *last = &scaling->points[scaling->n_points - 1];
    char *law = scaling_law(&scaling->time_growth, page->by);
    fprintf(to, "From %s = %g to %g the time goes from %s", page->by, first->x, last->x,
            time_of(first->time_ns).text);
    fprintf(to, " to %s", time_of(last->time_ns).text);
    if (scaling->time_growth.form == GROWTH_CONSTANT)
        fprintf(to, ": it stays the same");
    else if (growth_is_good(&scaling->time_growth))
        fprintf(to, ", as %s", law);
    fputc('.', to);
    if (scaling->cause != SCALING_NONE)
        fprintf(to, " Of what takes longer most is %s%s (%s).",
                part_kind(&scaling->parts[scaling->cause]), scaling->parts[scaling->cause].name,
                quantity_share(scaling->cause_share).text);
    free(law);
}

static void conclude_riser(const struct scaling_page *page, const struct scaling *scaling, FILE *to)
{
    const struct scaling_part *riser = &scaling->parts[scaling->riser];
    const struct scaling_part *leader = &scaling->parts[scaling->leader];
    char *law = scaling_law(&riser->growth, page->by);
    fprintf(to, " Next to dominate is %s%s (%s): %s of the time there", part_kind(riser),
            riser->name, law, quantity_share(riser->next_ns / scaling->next_ns).text);
    if (scaling->riser == scaling->leader)
        fprintf(to, ", more of it than ever");
    else if (isfinite(scaling->riser_overtakes_x))
        fprintf(to, ", more than %s%s from about %s = %.3g on", part_kind(leader), leader->name,
                page->by, scaling->riser_overtakes_x);
    else
        fprintf(to, ", but less than %s%s as far as can be foreseen", part_kind(leader),
                leader->name);
    fputc('.', to);
    free(law);
}

static void conclude_next(const struct scaling_page *page, const struct scaling *scaling, FILE *to)
{
    if (!scaling->has_next && scaling->n_points >= GROWTH_LEAST_POINTS) {
        fprintf(
            to,
            " What comes next cannot be told: no law of growth fits the points of parts with %s "
            "of the time.",
            quantity_share(scaling->next_unfitted_share).text);
        return;
    }
    if (!scaling->has_next) {
        fprintf(to, " What comes next cannot be told: %s %s, %d are needed for a fit.",
                quantity_count(scaling->n_points, "point").text,
                scaling->n_points == 1 ? "is there" : "are there", GROWTH_LEAST_POINTS);
        return;
    }
    fprintf(to, " At %s = %g, if all goes on as in these %s, it takes %s", page->by,
            scaling->next_x, quantity_count(scaling->n_points, "point").text,
            time_of(scaling->next_ns).text);
    if (!isnan(scaling->next_efficiency))
        fprintf(to, " (efficiency %s)", quantity_share(scaling->next_efficiency).text);
    fputc('.', to);
    if (scaling->riser != SCALING_NONE)
        conclude_riser(page, scaling, to);
    if (scaling->next_unfitted_share > 0.1)
        fprintf(to, " Of that time %s is in parts without a good fit, taken as they are now.",
                quantity_share(scaling->next_unfitted_share).text);
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
static void conclude_cores(const struct scaling_page *page, const struct scaling *scaling, FILE *to)
{
    size_t worst = worst_for_cores(scaling);
    if (worst == SCALING_NONE)
        return;
    const struct scaling_point *point = &scaling->points[worst];
    fprintf(to,
            "At %s = %g ranks had no %s for %s of their time: %s. All that follows is about "
            "that, too, and no forecast for %s. ",
            page->by, point->x, point->has_few_cores ? "core" : "CPU time",
            quantity_share(point->no_cpu_share).text,
            point->has_few_cores
                ? "there were more ranks than cores"
                : "other programs had their cores, or they slept or waited for files",
            point->has_few_cores ? "a machine with a core for each rank" : "a quiet machine");
}

char *scaling_conclusion(const struct scaling_page *page, const struct scaling_series *series)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    conclude_cores(page, series->scaling, to);
    if (series->scaling->kind == SCALING_SIZE)
        conclude_size(page, series->scaling, to);
    else
        conclude_break(page, series->scaling, to);
    conclude_next(page, series->scaling, to);
    fclose(to);
    return text;
}
