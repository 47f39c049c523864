// SPDX-License-Identifier: BSD-3-Clause
// Constants that keep all bounds are found by shortest ways. Where there are none, how far clocks
// are ahead is estimated: halfway between the fastest messages both ways, the convex-hull method of
// A. Duda et al., "Estimating global time in distributed systems", ICDCS 1987, in pieces. At each
// knot constants are added that keep what is left of the bounds in the pieces beside it. As both
// are linear between knots, the bounds then hold everywhere. Pieces with none are halved.
#include "analyzer/rewrite/clock_fit.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/base/text.h"

/// In ns: what a fit leaves of a bound ends there if the fit diverges; many of these can be added
/// up.
#define FARTHEST 1e15

enum {
    MOST_PIECES = 128,
    MOST_SLICES = 130,
    MOST_HALVINGS = 10, // of the run
    LEAST_PIECE = 32,   // margins for rounding
    MOST_JUMPING = 8,   // ranks that are left out; and two must be left
    N_REFINEMENTS = 3,
};

struct clock_fit {
    struct clock_bounds *all;
    size_t n_ranks;
    bool *is_left_out; // ranks whose clocks jump, by rank
    size_t n_left_out;
    int64_t margin_ns;
    struct clock_ways ways;
    // How far the clocks are ahead: constants, and what is added to them at n_pieces + 1 knots.
    int64_t *ahead_ns;
    double *added_ns; // rank * (n_pieces + 1) + knot
    double *knot_ns;  // n_pieces + 1, by a clock that is not ahead
    size_t n_pieces;
    // Which bounds say anything of each part that the run is divided into, part after part.
    uint32_t *of_parts;
    size_t *first_of_part;
};

// --- constants that keep the bounds: bound->least_ns

/// How far each clock is ahead of the reference's, in the middle between the bounds; by how much
/// that may be wrong, CLOCK_UNREACHED: there are none for some rank. The mean of two solutions is
/// one; rounding down both ways of a bound keeps it.
static int64_t find_middle(const struct clock_fit *fit, int64_t *ahead_ns)
{
    int64_t *least = memory_zeroed(fit->n_ranks, sizeof *least), wrong_ns = 0;
    for (size_t i = 0; i < fit->n_ranks; i++)
        ahead_ns[i] = least[i] =
            i == fit->ways.reference || fit->is_left_out[i] ? 0 : CLOCK_UNREACHED;
    clock_ways_shorten(&fit->ways, CLOCK_CAUSE, ahead_ns);
    clock_ways_shorten(&fit->ways, CLOCK_EFFECT, least);
    for (size_t i = 0; i < fit->n_ranks && wrong_ns != CLOCK_UNREACHED; i++) {
        if (ahead_ns[i] == CLOCK_UNREACHED || least[i] == CLOCK_UNREACHED) {
            wrong_ns = CLOCK_UNREACHED;
            break;
        }
        int64_t width_ns = ahead_ns[i] + least[i], twice = ahead_ns[i] - least[i];
        wrong_ns = width_ns / 2 > wrong_ns ? width_ns / 2 : wrong_ns;
        ahead_ns[i] = twice / 2 - (twice % 2 < 0);
    }
    free(least);
    return wrong_ns;
}

/// Constants that keep the bounds. false: there are none. The least changes that do leave clocks no
/// further from the truth than they were. The middle between the bounds is taken only if it does,
/// too: if it is wrong by at most half the largest of these changes, or IS_ESTIMATED.
static bool solve_constants(const struct clock_fit *fit, bool is_estimated, int64_t *ahead_ns)
{
    memset(ahead_ns, 0, fit->n_ranks * sizeof *ahead_ns);
    if (!clock_ways_shorten(&fit->ways, CLOCK_CAUSE, ahead_ns))
        return false;
    int64_t changed_ns = 0;
    for (size_t i = 0; i < fit->n_ranks; i++)
        changed_ns = -ahead_ns[i] > changed_ns ? -ahead_ns[i] : changed_ns;
    SCOPED int64_t *middle = memory_zeroed(fit->n_ranks, sizeof *middle);
    int64_t wrong_ns = fit->n_ranks > 0 ? find_middle(fit, middle) : CLOCK_UNREACHED;
    if (wrong_ns != CLOCK_UNREACHED && (is_estimated || wrong_ns <= changed_ns / 2))
        memcpy(ahead_ns, middle, fit->n_ranks * sizeof *middle);
    return true;
}

// --- pieces of constant drift

static double *knots_of(const struct clock_fit *fit, size_t rank)
{
    return &fit->added_ns[rank * (fit->n_pieces + 1)];
}

static double added_at(const struct clock_fit *fit, size_t rank, double time_ns)
{
    size_t first = 0, end = fit->n_pieces;
    while (end - first > 1) {
        size_t middle = first + (end - first) / 2;
        *(time_ns < fit->knot_ns[middle] ? &end : &first) = middle;
    }
    const double *added = &knots_of(fit, rank)[first], *knot = &fit->knot_ns[first];
    return added[0] + (added[1] - added[0]) * (time_ns - knot[0]) / (knot[1] - knot[0]);
}

/// A time of a clock that is not ahead, by the clock of a rank, and back.
static double own_time(const struct clock_fit *fit, size_t rank, double time_ns)
{
    return time_ns + (double)fit->ahead_ns[rank] + added_at(fit, rank, time_ns);
}

static double true_time(const struct clock_fit *fit, size_t rank, double own_ns)
{
    double first_ns = own_ns - (double)fit->ahead_ns[rank];
    double time_ns = first_ns;
    for (int i = 0; i < 3; i++) // each brings it as much nearer as the drift is small
        time_ns = first_ns - added_at(fit, rank, time_ns);
    return time_ns;
}

/// What is left of a bound at a time of a clock that is not ahead.
static double rest_at(const struct clock_fit *fit, const struct clock_bound *bound, double time_ns,
                      double took_ns)
{
    return took_ns - (double)(fit->ahead_ns[bound->effect] - fit->ahead_ns[bound->cause]) -
           added_at(fit, bound->effect, time_ns) + added_at(fit, bound->cause, time_ns);
}

/// What is left of the bound where the edge of a window's hull that ends at point I passes TIME_NS.
static double rest_on_edge(const struct clock_fit *fit, const struct clock_bound *bound, size_t i,
                           double time_ns)
{
    if (!clock_bound_has_edge(fit->all, bound, i))
        return INFINITY;
    double sent_ns = own_time(fit, bound->cause, time_ns);
    double took_ns = clock_bound_took(bound->points[i - 1], bound->points[i], sent_ns);
    return rest_at(fit, bound, time_ns, took_ns);
}

/// The least that is left of a bound between two times; CLOCK_UNREACHED: no message. The outermost
/// times are infinite, for pieces of the correction go on beyond their ends.
static int64_t least_between(const struct clock_fit *fit, const struct clock_bound *bound,
                             double from_ns, double to_ns)
{
    size_t n = bound->n_points;
    size_t i = isinf(from_ns) ? 0 : clock_bound_find(bound, own_time(fit, bound->cause, from_ns));
    size_t end = isinf(to_ns) ? n : clock_bound_find(bound, own_time(fit, bound->cause, to_ns));
    double least = fmin(rest_on_edge(fit, bound, i, from_ns), rest_on_edge(fit, bound, end, to_ns));
    for (; i < end; i++) {
        const struct clock_point *point = &bound->points[i];
        double time_ns = true_time(fit, bound->cause, (double)point->sent_ns);
        least = fmin(least, rest_at(fit, bound, time_ns, (double)point->took_ns));
    }
    return isinf(least) ? CLOCK_UNREACHED : (int64_t)floor(fmax(fmin(least, FARTHEST), -FARTHEST));
}

/// Makes what is left of the bounds between two times, which are of PART, what is at hand.
static void find_least(struct clock_fit *fit, size_t part, double from_ns, double to_ns)
{
    struct clock_ways *ways = &fit->ways;
    for (size_t i = 0; i < ways->n; i++)
        fit->all->bounds[ways->at_hand[i]].least_ns = CLOCK_UNREACHED;
    ways->n = 0;
    for (size_t i = fit->first_of_part[part]; i < fit->first_of_part[part + 1]; i++) {
        struct clock_bound *bound = &fit->all->bounds[fit->of_parts[i]];
        bound->least_ns = least_between(fit, bound, from_ns, to_ns);
        if (bound->least_ns != CLOCK_UNREACHED)
            ways->at_hand[ways->n++] = fit->of_parts[i];
    }
    clock_ways_sort(ways);
}

struct part_bounds {
    struct part_bound {
        uint32_t part, bound;
    } * items;
    size_t n, capacity;
};

/// The parts that a bound says anything of: those with a point, or an edge of a hull over them.
/// BORDERS_NS are those of the cause's clock; each part reaches over OVERLAP borders more.
static void add_parts(const struct clock_fit *fit, uint32_t index, const double *borders_ns,
                      size_t n_borders, size_t overlap, struct part_bounds *all)
{
    const struct clock_bound *bound = &fit->all->bounds[index];
    size_t next = 0; // the first part that it is not in
    for (size_t i = 0; i < bound->n_points; i++) {
        size_t first = 0, end = n_borders; // how many borders are before the point
        while (first < end) {
            size_t middle = first + (end - first) / 2;
            if (borders_ns[middle] <= (double)bound->points[i].sent_ns)
                first = middle + 1;
            else
                end = middle;
        }
        if (next < first && !clock_bound_has_edge(fit->all, bound, i))
            next = first;
        for (; next <= first + overlap; next++)
            *ARRAY_NEXT(all->items, all->n, all->capacity) =
                (struct part_bound){(uint32_t)next, index};
    }
}

/// Divides the run at BORDERS_NS, for find_least(). With OVERLAP 1 part k has what is between the
/// borders before and after border k - 1 instead.
static void divide(struct clock_fit *fit, const double *borders_ns, size_t n_borders,
                   size_t overlap)
{
    size_t n_parts = n_borders + 1 + overlap;
    struct part_bounds all = {0};
    SCOPED double *own_ns = memory_new((fit->n_ranks * n_borders + 1) * sizeof *own_ns);
    for (size_t i = 0; i < fit->n_ranks * n_borders; i++)
        own_ns[i] = own_time(fit, i / n_borders, borders_ns[i % n_borders]);
    for (size_t i = 0; i < fit->all->n; i++)
        add_parts(fit, (uint32_t)i, &own_ns[fit->all->bounds[i].cause * n_borders], n_borders,
                  overlap, &all);
    size_t *first = memory_zeroed(n_parts + 1, sizeof *first);
    uint32_t *bounds = memory_new((all.n + 1) * sizeof *bounds);
    for (size_t i = 0; i < all.n; i++)
        first[all.items[i].part]++;
    for (size_t part = 0; part < n_parts; part++)
        first[part + 1] += first[part];
    for (size_t i = all.n; i-- > 0;)
        bounds[--first[all.items[i].part]] = all.items[i].bound;
    FREE_ALL(fit->of_parts, fit->first_of_part);
    fit->of_parts = bounds;
    fit->first_of_part = first;
    free(all.items);
}

static double begin_of(const struct clock_fit *fit, size_t piece)
{
    return piece == 0 ? -INFINITY : fit->knot_ns[piece];
}

static double end_of(const struct clock_fit *fit, size_t piece)
{
    return piece + 1 == fit->n_pieces ? INFINITY : fit->knot_ns[piece + 1];
}

/// One piece, over the times that the bounds reach; the first estimate is constants.
static void begin_pieces(struct clock_fit *fit)
{
    SCOPED struct clock_way *ways = memory_zeroed(fit->n_ranks, sizeof *ways);
    clock_ways_estimate(&fit->ways, ways);
    for (size_t i = 0; i < fit->n_ranks; i++)
        fit->ahead_ns[i] = llround(ways[i].ahead_ns);
    fit->n_pieces = 1;
    fit->added_ns = memory_zeroed(2 * fit->n_ranks, sizeof *fit->added_ns);
    fit->knot_ns = memory_zeroed(2, sizeof *fit->knot_ns);
    double begin_ns = INFINITY, end_ns = -INFINITY;
    for (size_t i = 0; i < fit->all->n; i++) {
        const struct clock_bound *bound = &fit->all->bounds[i];
        int64_t ahead_ns = fit->ahead_ns[bound->cause];
        begin_ns = fmin(begin_ns, (double)(bound->points[0].sent_ns - ahead_ns));
        end_ns = fmax(end_ns, (double)(bound->points[bound->n_points - 1].sent_ns - ahead_ns));
    }
    fit->knot_ns[0] = begin_ns;
    fit->knot_ns[1] = fmax(end_ns, begin_ns + 1);
}

/// Estimates of the halves of all pieces; a rank that a half says nothing of is as far ahead as in
/// the half before, or after. Element half * n_ranks + rank.
static void estimate_halves(struct clock_fit *fit, struct clock_way *halves)
{
    size_t n_halves = 2 * fit->n_pieces, n_ranks = fit->n_ranks;
    SCOPED double *borders_ns = memory_new((n_halves + 1) * sizeof *borders_ns);
    borders_ns[0] = -INFINITY;
    for (size_t i = 1; i < n_halves; i++)
        borders_ns[i] =
            i % 2 ? (fit->knot_ns[i / 2] + fit->knot_ns[i / 2 + 1]) / 2 : fit->knot_ns[i / 2];
    borders_ns[n_halves] = INFINITY;
    divide(fit, borders_ns + 1, n_halves - 1, 0);
    for (size_t i = 0; i < n_halves; i++) {
        find_least(fit, i, borders_ns[i], borders_ns[i + 1]);
        clock_ways_estimate(&fit->ways, &halves[i * n_ranks]);
    }
    for (size_t i = n_ranks; i < n_halves * n_ranks; i++)
        if (isinf(halves[i].round_trip_ns))
            halves[i] = halves[i - n_ranks];
    for (size_t i = (n_halves - 1) * n_ranks; i-- > 0;)
        if (isinf(halves[i].round_trip_ns))
            halves[i] = halves[i + n_ranks];
}

/// What the estimates of the halves say of the knots, added to them: each is right in the middle of
/// its half, and what lies between two, or outside all, is on the line through two.
static void add_estimates(struct clock_fit *fit, const struct clock_way *halves)
{
    size_t n_ranks = fit->n_ranks, last = fit->n_pieces;
    const double *knot = fit->knot_ns;
    for (size_t rank = 0; rank < n_ranks; rank++) {
        const struct clock_way *half = &halves[rank];
        double *added = knots_of(fit, rank);
        for (size_t k = 1; k < last; k++) {
            double before = half[(2 * k - 1) * n_ranks].ahead_ns;
            double share = (knot[k] - knot[k - 1]) / (knot[k + 1] - knot[k - 1]);
            added[k] += before + (half[2 * k * n_ranks].ahead_ns - before) * share;
        }
        const struct clock_way *end = &half[(2 * last - 1) * n_ranks];
        added[0] += 1.5 * half[0].ahead_ns - 0.5 * half[n_ranks].ahead_ns;
        added[last] += 1.5 * end->ahead_ns - 0.5 * (end - n_ranks)->ahead_ns;
    }
}

/// Finds constants for each knot that keep the bounds in the pieces beside it, with the margin, and
/// adds them if there are some for all knots. What has none IS_LOST, an element a piece. Whether
/// there are for all.
static bool keep_bounds(struct clock_fit *fit, bool *is_lost)
{
    size_t n_pieces = fit->n_pieces, n_ranks = fit->n_ranks;
    SCOPED int64_t *ahead_ns = memory_zeroed((n_pieces + 1) * n_ranks, sizeof *ahead_ns);
    bool is_kept = true;
    divide(fit, fit->knot_ns + 1, n_pieces - 1, 1);
    for (size_t k = 0; k <= n_pieces; k++) {
        size_t before = k > 0 ? k - 1 : 0, after = k < n_pieces ? k : k - 1;
        find_least(fit, k, begin_of(fit, before), end_of(fit, after));
        for (size_t i = 0; i < fit->ways.n; i++)
            fit->all->bounds[fit->ways.at_hand[i]].least_ns -= fit->margin_ns;
        if (solve_constants(fit, true, &ahead_ns[k * n_ranks]))
            continue;
        is_lost[before] = is_lost[after] = true;
        is_kept = false;
    }
    for (size_t i = 0; i < (n_pieces + 1) * n_ranks && is_kept; i++)
        knots_of(fit, i % n_ranks)[i / n_ranks] += (double)ahead_ns[i];
    return is_kept;
}

/// Halves the pieces that are lost, with what is estimated of them. Whether there is any that may
/// be.
static bool halve(struct clock_fit *fit, const bool *is_lost)
{
    size_t n = 0, n_ranks = fit->n_ranks, n_most = 2 * fit->n_pieces + 1;
    double run_ns = fit->knot_ns[fit->n_pieces] - fit->knot_ns[0];
    double least_ns = fmax(run_ns / (1 << MOST_HALVINGS), LEAST_PIECE * (double)fit->margin_ns);
    double *knot_ns = memory_zeroed(n_most, sizeof *knot_ns);
    for (size_t k = 0; k <= fit->n_pieces; k++) {
        const double *knot = &fit->knot_ns[k];
        knot_ns[n++] = knot[0];
        if (k < fit->n_pieces && is_lost[k] && knot[1] - knot[0] > least_ns)
            knot_ns[n++] = (knot[0] + knot[1]) / 2;
    }
    bool is_any = n > fit->n_pieces + 1 && n <= MOST_PIECES + 1;
    if (!is_any) {
        free(knot_ns);
        return false;
    }
    double *added_ns = memory_zeroed(n * n_ranks, sizeof *added_ns);
    for (size_t i = 0; i < n * n_ranks; i++)
        added_ns[i] = added_at(fit, i / n, knot_ns[i % n]);
    FREE_ALL(fit->added_ns, fit->knot_ns);
    fit->added_ns = added_ns;
    fit->knot_ns = knot_ns;
    fit->n_pieces = n - 1;
    return true;
}

/// Whether no clock runs faster or slower than another one by more than a tenth: it jumps.
static bool runs_evenly(const struct clock_fit *fit)
{
    for (size_t rank = 0; rank < fit->n_ranks; rank++)
        for (size_t k = 0; k < fit->n_pieces; k++)
            if (!(fabs(knots_of(fit, rank)[k + 1] - knots_of(fit, rank)[k]) <=
                  (fit->knot_ns[k + 1] - fit->knot_ns[k]) / 10)) // nor what is no number
                return false;
    return true;
}

static bool fit_pieces(struct clock_fit *fit)
{
    bool goes_on = true, is_kept = false;
    for (begin_pieces(fit); goes_on && !is_kept;) {
        SCOPED struct clock_way *halves =
            memory_zeroed(2 * fit->n_pieces * fit->n_ranks, sizeof *halves);
        for (int i = 0; i < N_REFINEMENTS; i++) {
            estimate_halves(fit, halves);
            add_estimates(fit, halves);
        }
        SCOPED bool *is_lost = memory_zeroed(fit->n_pieces, sizeof *is_lost);
        is_kept = keep_bounds(fit, is_lost);
        goes_on = is_kept || halve(fit, is_lost);
    }
    return is_kept && runs_evenly(fit);
}

// --- where a clock jumps

struct jump {
    uint32_t rank;
    double ahead_ns; // by how much more after it, than the clocks of most ranks
    double from_ns, to_ns;
    double wrong_ns;    // by which the amount may be wrong
    int64_t *before_ns; // how far ahead each clock is before it
};

/// How far ahead the clocks are in each slice of the run; slice * n_ranks + rank. A rank that a
/// slice says nothing of is as far ahead as before.
static struct clock_way *estimate_slices(struct clock_fit *fit, size_t n_slices, double slice_ns)
{
    size_t n_ranks = fit->n_ranks;
    struct clock_way *ways = memory_zeroed(n_slices * n_ranks, sizeof *ways);
    double borders_ns[MOST_SLICES + 1];
    for (size_t i = 0; i <= n_slices; i++)
        borders_ns[i] = fit->knot_ns[0] + (double)i * slice_ns;
    divide(fit, borders_ns + 1, n_slices - 1, 0);
    for (size_t i = 0; i < n_slices; i++) {
        find_least(fit, i, i == 0 ? -INFINITY : borders_ns[i],
                   i + 1 == n_slices ? INFINITY : borders_ns[i + 1]);
        clock_ways_estimate(&fit->ways, &ways[i * n_ranks]);
        for (size_t k = i * n_ranks; k < (i + 1) * n_ranks && i > 0; k++)
            if (isinf(ways[k].round_trip_ns))
                ways[k] = ways[k - n_ranks];
    }
    return ways;
}

/// By how much the clock of RANK is further ahead in the slices after SLICE than in those before
/// it, on average over up to an eighth of the run each.
static double ahead_around(const struct clock_fit *fit, const struct clock_way *ways,
                           size_t n_slices, size_t slice, size_t rank)
{
    size_t n_most = n_slices / 8 + 1, n_after = n_slices - 1 - slice;
    size_t n_before = slice < n_most ? slice : n_most;
    n_after = n_after < n_most ? n_after : n_most;
    double before_ns = 0, after_ns = 0;
    for (size_t i = 1; i <= n_before; i++)
        before_ns += ways[(slice - i) * fit->n_ranks + rank].ahead_ns;
    for (size_t i = 1; i <= n_after; i++)
        after_ns += ways[(slice + i) * fit->n_ranks + rank].ahead_ns;
    return after_ns / (double)n_after - before_ns / (double)n_before;
}

/// The largest jump of a clock, by the constants that the fit began with. In the slice of a jump
/// the fastest messages to and fro are of different sides of it, so what lies around it is
/// compared.
static struct jump find_jump(struct clock_fit *fit, int64_t *before_ns)
{
    size_t n_ranks = fit->n_ranks, slice = 1;
    struct jump jump = {.ahead_ns = 0, .before_ns = before_ns};
    SCOPED double *ahead_ns = memory_zeroed(2 * n_ranks + 1, sizeof *ahead_ns);
    double *sorted_ns = ahead_ns + n_ranks;
    fit->knot_ns[1] = fit->knot_ns[fit->n_pieces];
    fit->n_pieces = 1;
    memset(fit->added_ns, 0, 2 * n_ranks * sizeof *fit->added_ns);
    double run_ns = fit->knot_ns[1] - fit->knot_ns[0];
    size_t n_slices = (size_t)(run_ns / (double)fit->all->window_ns) + 3;
    n_slices = n_slices < MOST_SLICES ? n_slices : MOST_SLICES;
    double slice_ns = run_ns / (double)n_slices;
    SCOPED struct clock_way *ways = estimate_slices(fit, n_slices, slice_ns);
    for (size_t i = 1; i + 1 < n_slices; i++) {
        for (size_t rank = 0; rank < n_ranks; rank++)
            sorted_ns[rank] = ahead_ns[rank] = ahead_around(fit, ways, n_slices, i, rank);
        qsort(sorted_ns, n_ranks, sizeof *sorted_ns, double_compare);
        double usual_ns = n_ranks > 2 ? sorted_ns[n_ranks / 2] : 0;
        for (size_t rank = 0; rank < n_ranks; rank++) {
            double by_ns = ahead_ns[rank] - usual_ns;
            double from_ns = fit->knot_ns[0] + (double)i * slice_ns;
            double wrong_ns = ways[(i - 1) * n_ranks + rank].round_trip_ns +
                              ways[(i + 1) * n_ranks + rank].round_trip_ns;
            if (!(fabs(by_ns) > fabs(jump.ahead_ns)))
                continue;
            slice = i;
            jump = (struct jump){(uint32_t)rank,     by_ns,    from_ns,
                                 from_ns + slice_ns, wrong_ns, before_ns};
        }
    }
    for (size_t rank = 0; rank < n_ranks; rank++)
        before_ns[rank] =
            fit->ahead_ns[rank] + llround(ways[(slice - 1) * n_ranks + rank].ahead_ns);
    return jump;
}

/// What is said of a jump: "by about 40.00 ms back, between 4.400 s and 4.500 s of the run".
static struct error jump_text(const struct jump *jump)
{
    struct error text;
    error_set(&text, "by about %s %s, between %s and %s of the run",
              quantity_time((uint64_t)fabs(jump->ahead_ns)).text,
              jump->ahead_ns > 0 ? "ahead" : "back",
              quantity_time((uint64_t)fmax(jump->from_ns, 0)).text,
              quantity_time((uint64_t)fmax(jump->to_ns, 0)).text);
    return text;
}

static int refuse(const struct jump *jump, struct error *err)
{
    struct error text = jump_text(jump);
    if (!(fabs(jump->ahead_ns) > jump->wrong_ns)) // nor if it is not known
        return error_set(err, "the clocks of the ranks jump, so they cannot be corrected");
    return error_set(err,
                     "the clocks of the ranks jump, so they cannot be corrected: that of rank "
                     "%" PRIu32 " %s",
                     jump->rank, text.text);
}

/// Whether the other clocks may be corrected without the one that jumps: of two it is not known
/// which it is.
static bool may_leave_out(const struct clock_fit *fit, const struct jump *jump)
{
    return fabs(jump->ahead_ns) > jump->wrong_ns && !fit->is_left_out[jump->rank] &&
           fit->n_left_out < MOST_JUMPING && fit->n_ranks >= fit->n_left_out + 3;
}

/// Goes on without the bounds of the clock that jumps, which stays as far ahead as it is before.
static void leave_out(struct clock_fit *fit, const struct jump *jump, int64_t *left_ahead_ns)
{
    struct clock_bounds *all = fit->all;
    fit->is_left_out[jump->rank] = true;
    fit->n_left_out++;
    clock_bounds_drop(all, jump->rank);
    for (size_t i = 0; i < all->n; i++) {
        all->bounds[i].least_ns = CLOCK_UNREACHED;
        for (size_t k = 0; k < all->bounds[i].n_points; k++)
            if (all->bounds[i].points[k].took_ns < all->bounds[i].least_ns)
                all->bounds[i].least_ns = all->bounds[i].points[k].took_ns;
    }
    uint32_t reference = 0;
    while (fit->is_left_out[reference]) // fewer than all are
        reference++;
    left_ahead_ns[jump->rank] = jump->before_ns[jump->rank] - jump->before_ns[reference];
    clock_ways_release(&fit->ways);
    clock_ways_init(&fit->ways, all);
    fit->ways.reference = reference;
    memset(fit->ahead_ns, 0, fit->n_ranks * sizeof *fit->ahead_ns);
    FREE_ALL(fit->added_ns, fit->knot_ns);
    fit->added_ns = fit->knot_ns = NULL;
    fit->n_pieces = 0;
}

// --- the result

static void find_correction(const struct clock_fit *fit, struct clock_correction *correction)
{
    size_t n_knots = fit->n_pieces > 0 ? fit->n_pieces + 1 : 1, n = fit->n_ranks * n_knots;
    clock_correction_release(correction);
    *correction = clock_correction_new(fit->n_ranks, n_knots);
    int64_t most_ns = INT64_MIN;
    for (size_t i = 0; i < n; i++) {
        int64_t ahead_ns = fit->ahead_ns[i / n_knots];
        if (fit->n_pieces > 0) {
            ahead_ns += llround(fit->added_ns[i]);
            correction->at_ns[i] = llround(fit->knot_ns[i % n_knots]) + ahead_ns;
        }
        correction->later_ns[i] = -ahead_ns;
        most_ns = ahead_ns > most_ns ? ahead_ns : most_ns;
    }
    for (size_t i = 0; i < n; i++)
        correction->later_ns[i] += most_ns;
}

/// Solves for the ranks whose clocks do not jump; the others' LEFT_AHEAD_NS, and JUMPING says
/// which.
static int solve(struct clock_fit *fit, int64_t *left_ahead_ns, struct error *jumping,
                 struct error *err)
{
    SCOPED int64_t *before_ns = memory_zeroed(fit->n_ranks, sizeof *before_ns);
    while (!solve_constants(fit, false, fit->ahead_ns) && !fit_pieces(fit)) {
        struct jump jump = find_jump(fit, before_ns);
        if (!may_leave_out(fit, &jump))
            return refuse(&jump, err);
        struct error text = jump_text(&jump), earlier = *jumping;
        error_set(jumping, "%s%sthe clock of rank %" PRIu32 " jumps %s", earlier.text,
                  earlier.text[0] ? "; " : "", jump.rank, text.text);
        leave_out(fit, &jump, left_ahead_ns);
    }
    return 0;
}

int clock_fit(struct clock_bounds *bounds, uint64_t resolution_ns,
              struct clock_correction *correction, struct error *jumping, struct error *err)
{
    // Knots and what lies between them are rounded to ticks, on either side of a message.
    struct clock_fit fit = {.all = bounds,
                            .n_ranks = bounds->n_ranks,
                            .is_left_out = memory_zeroed(bounds->n_ranks + 1, sizeof(bool)),
                            .margin_ns = (int64_t)(3 * resolution_ns) + 1,
                            .ahead_ns = memory_zeroed(bounds->n_ranks, sizeof *fit.ahead_ns)};
    SCOPED int64_t *left_ahead_ns = memory_zeroed(bounds->n_ranks, sizeof *left_ahead_ns);
    clock_ways_init(&fit.ways, bounds);
    int status = solve(&fit, left_ahead_ns, jumping, err);
    for (size_t i = 0; i < fit.n_ranks && status == 0; i++)
        if (fit.is_left_out[i])
            fit.ahead_ns[i] = left_ahead_ns[i];
    if (status == 0)
        find_correction(&fit, correction);
    else
        *jumping = (struct error){0};
    clock_ways_release(&fit.ways);
    FREE_ALL(fit.of_parts, fit.first_of_part, fit.ahead_ns, fit.added_ns, fit.knot_ns,
             fit.is_left_out);
    return status;
}
