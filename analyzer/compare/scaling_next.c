// SPDX-License-Identifier: BSD-3-Clause
// What becomes of the run time when the parameter doubles: each part grows as it did, their sum is
// the time. Parts whose growth is not known well enough stay as they are.
#include <math.h>
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/compare/scaling_input.h"

static const double horizon = 1048576;   // times the last x: what is beyond it is not foreseeable
static const double most_unfitted = 0.5; // of the time: with more a forecast would be a guess

/// Sum of the parts per rank: at point AT, or predicted when AT is SCALING_NONE.
static double sum_of(const struct scaling *scaling, size_t at)
{
    double sum = 0;
    for (size_t i = 0; i < scaling->n_parts; i++) {
        const struct scaling_part *part = &scaling->parts[i];
        if (!part->is_start_or_end)
            sum += at == SCALING_NONE ? part->next_ns : part->ns[at];
    }
    return sum;
}

static void fit_all(struct scaling *scaling, const double *x)
{
    double *times_ns = memory_new(scaling->n_points * sizeof *times_ns);
    for (size_t i = 0; i < scaling->n_points; i++)
        times_ns[i] = scaling->points[i].time_ns;
    scaling->time_growth = growth_fit(x, times_ns, scaling->n_points);
    free(times_ns);
    for (size_t i = 0; i < scaling->n_parts; i++) {
        struct scaling_part *part = &scaling->parts[i];
        part->growth = growth_fit(x, part->ns, scaling->n_points);
        part->next_ns = growth_is_good(&part->growth) ? growth_at(&part->growth, scaling->next_x)
                                                      : part->ns[scaling->n_points - 1];
    }
}

static void find_leaders(struct scaling *scaling)
{
    size_t last = scaling->n_points - 1;
    for (size_t i = 0; i < scaling->n_parts; i++) {
        const struct scaling_part *part = &scaling->parts[i];
        if (part->is_start_or_end)
            continue;
        if (!growth_is_good(&part->growth))
            scaling->next_unfitted_share += part->next_ns / scaling->next_ns;
        if (scaling->leader == SCALING_NONE ||
            part->ns[last] > scaling->parts[scaling->leader].ns[last])
            scaling->leader = i;
        if (scaling->next_leader == SCALING_NONE ||
            part->next_ns > scaling->parts[scaling->next_leader].next_ns)
            scaling->next_leader = i;
    }
}

/// The part whose share of the time rises most, and where it comes to be above the present leader.
static void find_riser(struct scaling *scaling, double now_ns)
{
    size_t last = scaling->n_points - 1;
    double most = 0.001; // a tenth of a percent is none
    for (size_t i = 0; i < scaling->n_parts; i++) {
        const struct scaling_part *part = &scaling->parts[i];
        double rise = part->next_ns / scaling->next_ns - part->ns[last] / now_ns;
        if (part->is_start_or_end || !growth_is_good(&part->growth) || rise <= most)
            continue;
        most = rise;
        scaling->riser = i;
    }
    if (scaling->riser == SCALING_NONE || scaling->riser == scaling->leader)
        return;
    const struct growth *leader = &scaling->parts[scaling->leader].growth;
    if (growth_is_good(leader))
        scaling->riser_overtakes_x =
            growth_overtakes(&scaling->parts[scaling->riser].growth, leader,
                             scaling->points[last].x, scaling->points[last].x * horizon);
}

void scaling_look_ahead(struct scaling *scaling, const double *x)
{
    const struct scaling_point *first = &scaling->points[0];
    size_t last = scaling->n_points - 1;
    scaling->leader = scaling->next_leader = scaling->riser = SCALING_NONE;
    scaling->riser_overtakes_x = INFINITY;
    scaling->next_efficiency = NAN;
    scaling->next_x = 2 * x[last];
    fit_all(scaling, x);
    scaling->next_ns = sum_of(scaling, SCALING_NONE);
    double now_ns = sum_of(scaling, last), first_ns = sum_of(scaling, 0);
    scaling->has_next =
        scaling->n_points >= GROWTH_LEAST_POINTS && x[0] > 0 && scaling->next_ns > 0 && now_ns > 0;
    if (!scaling->has_next)
        return;
    find_leaders(scaling);
    scaling->has_next = scaling->next_unfitted_share <= most_unfitted;
    if (!scaling->has_next)
        return;
    find_riser(scaling, now_ns);
    if (scaling->kind == SCALING_STRONG)
        scaling->next_efficiency = first_ns * first->machine_size /
                                   (scaling->next_ns * 2 * scaling->points[last].machine_size);
    else if (scaling->kind == SCALING_WEAK)
        scaling->next_efficiency = first_ns / scaling->next_ns;
}
