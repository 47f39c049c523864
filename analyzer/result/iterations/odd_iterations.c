// SPDX-License-Identifier: BSD-3-Clause
// Iterations that take longer than usual. Segments of about the same time per iteration tell usual
// from odd ones: a segment of one is a single slow iteration, one up to the end is a shift, stairs
// are a growth. Where all iterations take longer and longer, the first ones are the usual ones.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/result/cores.h"
#include "analyzer/result/parts.h"
#include "analyzer/result/sites.h"

enum { LEAST_ITEMS = 5, MAX_ODD = 32, LEAST_PERIODIC = 3, LEAST_SHIFT = 3 };
enum { N_PARTS = 8, LEAST_OF_PART = 3 }; // of a loop that grows, and their iterations
enum { MAX_SEEN = 16 };                  // call paths of odd iterations that are looked at
static const double least_noise = 0.02;  // of the time of an iteration
static const double least_factor = 1.1;  // of odd iterations
static const double least_factor_of_one = 1.25;
static const double least_growth = 1.5; // from the first part of a loop that grows to its last
static const double least_growth_of_part = 1.02; // and from each one to the next
static const double least_lost = 0.005;          // of the time of all iterations
static const double least_usual = 0.1; // of the iterations, which are the usual ones, in a row,
static const double least_scattered = 0.25;   // or wherever they are
static const double least_outstanding = 0.05; // the same where very many are odd
static const double least_explained = 0.3;    // of what an iteration takes longer: by its cause
static const double few_lose = 0.5;           // of what a trend loses: then it is none
static const double alike = 0.5;              // of what the first rank has more: so has another one

/// Of each rank that iterates its series; NULL for the others.
struct work {
    const struct call_tree *tree;
    const struct pag_series *const *by_rank;
};

// --- segments

static double noise_of(const double *values, size_t n)
{
    SCOPED double *steps = memory_new((n + 1) * sizeof *steps);
    for (size_t i = 1; i < n; i++)
        steps[i - 1] = fabs(values[i] - values[i - 1]);
    qsort(steps, n - 1, sizeof *steps, double_compare);
    double median = n > 1 ? steps[(n - 1) / 2] : 0;
    return 1.4826 * median / sqrt(2); // of a normal distribution
}

/// Cuts VALUES into segments of about the same value each; their ENDS (room for N) are indices
/// after the last value of each. Optimal partitioning by the sum of squares with a penalty for each
/// segment (Jackson et al., An Algorithm for Optimal Partitioning of Data on an Interval, 2005);
/// the noise is taken from the median of the differences of neighbours. How many.
static size_t segments_of(const double *values, size_t n, size_t *ends)
{
    double noise = noise_of(values, n);
    noise = noise > least_noise ? noise : least_noise;
    double penalty = 4 * log((double)n + 1) * noise * noise;
    SCOPED double *sums = memory_zeroed(n + 1, sizeof *sums),
                  *squares = memory_zeroed(n + 1, sizeof *squares);
    SCOPED double *best = memory_zeroed(n + 1, sizeof *best);
    size_t *from = memory_zeroed(n + 1, sizeof *from), n_segments = 0;
    for (size_t end = 1; end <= n; end++) {
        sums[end] = sums[end - 1] + values[end - 1];
        squares[end] = squares[end - 1] + values[end - 1] * values[end - 1];
        best[end] = INFINITY;
        for (size_t begin = 0; begin < end; begin++) {
            double sum = sums[end] - sums[begin];
            double cost = squares[end] - squares[begin] - sum * sum / (double)(end - begin);
            if (best[begin] + cost + penalty >= best[end])
                continue;
            best[end] = best[begin] + cost + penalty;
            from[end] = begin;
        }
    }
    for (size_t end = n; end > 0; end = from[end])
        n_segments++;
    for (size_t end = n, i = n_segments; end > 0; end = from[end])
        ends[--i] = end;
    free(from);
    return n_segments;
}

// --- odd iterations

struct segment {
    size_t begin, end; // items
    uint64_t n;        // iterations
    double each_ns;    // time of one, mean over the ranks
    bool is_usual;
};

struct segments {
    struct segment *items;
    size_t n;
    double usual_ns;
};

static double time_of(const struct result *result, size_t begin, size_t end, uint64_t *n)
{
    double sum_ns = 0;
    *n = result->iterations.items[end - 1].last - result->iterations.items[begin].first + 1;
    for (size_t i = begin; i < end; i++)
        sum_ns += (double)result->iterations.items[i].time_ns;
    return sum_ns / (double)result->iterations.n_ranks / (double)*n;
}

/// Marks the segments with the usual time: the shortest one that a quarter of the iterations have,
/// or a tenth of them one after the other.
static void find_usual(struct segments *segments, uint64_t n)
{
    for (size_t i = 0; i < segments->n; i++) {
        double own_ns = segments->items[i].each_ns;
        uint64_t n_alike = 0, n_longest = 0;
        for (size_t k = 0; k < segments->n; k++) {
            double ratio = segments->items[k].each_ns / own_ns;
            if (ratio >= least_factor || ratio <= 1 / least_factor)
                continue;
            n_alike += segments->items[k].n;
            if (segments->items[k].n > n_longest)
                n_longest = segments->items[k].n;
        }
        bool are_many = (double)n_alike >= least_scattered * (double)n ||
                        (double)n_longest >= least_usual * (double)n;
        if (n_alike >= 2 && are_many && (segments->usual_ns == 0 || own_ns < segments->usual_ns))
            segments->usual_ns = own_ns;
    }
    double sum_ns = 0;
    uint64_t n_usual = 0;
    for (size_t i = 0; i < segments->n; i++) {
        struct segment *segment = &segments->items[i];
        segment->is_usual = segment->each_ns < least_factor * segments->usual_ns;
        sum_ns += segment->is_usual ? segment->each_ns * (double)segment->n : 0;
        n_usual += segment->is_usual ? segment->n : 0;
    }
    segments->usual_ns = n_usual > 0 ? sum_ns / (double)n_usual : 0;
}

static double median_of(const double *values, size_t n)
{
    SCOPED double *sorted = memory_new(n * sizeof *sorted);
    memcpy(sorted, values, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, double_compare);
    return sorted[n / 2];
}

/// Whether the logarithms VALUES grow from each part of the loop to the next; then ENDS are those
/// of the first part and of all.
static bool is_growing(const double *values, size_t n, size_t *ends)
{
    double medians[N_PARTS];
    if (n < (size_t)N_PARTS * LEAST_OF_PART)
        return false;
    for (size_t i = 0; i < N_PARTS; i++) {
        size_t begin = i * n / N_PARTS, end = (i + 1) * n / N_PARTS;
        medians[i] = median_of(values + begin, end - begin);
        if (i > 0 && medians[i] - medians[i - 1] < log(least_growth_of_part))
            return false;
    }
    ends[0] = (n + N_PARTS - 1) / N_PARTS;
    ends[1] = n;
    return medians[N_PARTS - 1] - medians[0] >= log(least_growth);
}

/// All but the first item, which may hold what was before the loop.
static struct segments cut_segments(const struct result *result)
{
    size_t n = result->iterations.n_items - 1;
    SCOPED double *values = memory_new(n * sizeof *values);
    SCOPED size_t *ends = memory_new(n * sizeof *ends);
    uint64_t n_each, n_all = 0;
    for (size_t i = 0; i < n; i++)
        values[i] = log(time_of(result, i + 1, i + 2, &n_each) + 1);
    struct segments segments = {.n =
                                    is_growing(values, n, ends) ? 2 : segments_of(values, n, ends)};
    segments.items = memory_zeroed(segments.n, sizeof *segments.items);
    for (size_t i = 0; i < segments.n; i++) {
        struct segment *segment = &segments.items[i];
        segment->begin = i == 0 ? 1 : ends[i - 1] + 1;
        segment->end = ends[i] + 1;
        segment->each_ns = time_of(result, segment->begin, segment->end, &segment->n);
        n_all += segment->n;
    }
    find_usual(&segments, n_all);
    return segments;
}

struct pag_mark iterations_used(const struct pag_series *series, size_t first, size_t end)
{
    const struct pag_mark *from = first == 0 ? &series->begin : &series->marks[first - 1];
    const struct pag_mark *to = &series->marks[end - 1];
    struct pag_mark used = {
        .time_ns = to->time_ns - from->time_ns,
        .no_cpu_ns = to->no_cpu_ns - from->no_cpu_ns,
        .mpi_ns = to->mpi_ns - from->mpi_ns,
        .wait_ns = to->wait_ns - from->wait_ns,
    };
    uint64_t outside_ns = to->useful_ns - from->useful_ns;
    used.no_cpu_ns = used.no_cpu_ns < outside_ns ? used.no_cpu_ns : outside_ns;
    used.useful_ns = outside_ns - used.no_cpu_ns;
    return used;
}

/// How much longer RANK takes for an iteration from BEGIN up to END than for a usual one.
struct growth {
    double useful_ns, no_cpu_ns, mpi_ns;
};

static struct growth growth_of(const struct pag_series *series, const struct segments *segments,
                               size_t begin, size_t end, double n)
{
    struct pag_mark odd = iterations_used(series, begin, end);
    double useful_ns = 0, no_cpu_ns = 0, mpi_ns = 0, n_usual = 0;
    for (size_t i = 0; i < segments->n; i++) {
        const struct segment *segment = &segments->items[i];
        if (!segment->is_usual)
            continue;
        struct pag_mark usual = iterations_used(series, segment->begin, segment->end);
        useful_ns += (double)usual.useful_ns;
        no_cpu_ns += (double)usual.no_cpu_ns;
        mpi_ns += (double)(usual.mpi_ns - usual.wait_ns);
        n_usual += (double)segment->n;
    }
    return (struct growth){
        .useful_ns = (double)odd.useful_ns / n - useful_ns / n_usual,
        .no_cpu_ns = (double)odd.no_cpu_ns / n - no_cpu_ns / n_usual,
        .mpi_ns = (double)(odd.mpi_ns - odd.wait_ns) / n - mpi_ns / n_usual,
    };
}

/// What RANK computed longest in ITEM at PATH, as far as that is kept.
static double longest_at(const struct pag_series *series, size_t item, uint32_t path)
{
    for (size_t i = 0; i < PAG_LONGEST; i++)
        if (series->marks[item].longest[i].ns > 0 &&
            series->marks[item].longest[i].call_path == path)
            return (double)series->marks[item].longest[i].ns;
    return 0;
}

static bool is_among(const uint32_t *paths, size_t n, uint32_t path)
{
    for (size_t i = 0; i < n; i++)
        if (paths[i] == path)
            return true;
    return false;
}

/// The call path at which the computing of SERIES' rank grew most; NONE.
static uint32_t place_of_growth(const struct pag_series *series, const struct segments *segments,
                                size_t begin, size_t end, double n)
{
    uint32_t found = EVENT_NO_INDEX, seen[MAX_SEEN];
    size_t n_seen = 0;
    double most_ns = 0;
    for (size_t item = begin; item < end; item++) {
        for (size_t i = 0; i < PAG_LONGEST && series->marks[item].longest[i].ns > 0; i++) {
            uint32_t path = series->marks[item].longest[i].call_path;
            double odd_ns = 0, usual_ns = 0, n_usual = 0;
            if (n_seen == MAX_SEEN || is_among(seen, n_seen, path))
                continue;
            seen[n_seen++] = path;
            for (size_t k = begin; k < end; k++)
                odd_ns += longest_at(series, k, path);
            for (size_t k = 0; k < segments->n; k++) {
                const struct segment *segment = &segments->items[k];
                for (size_t at = segment->begin; segment->is_usual && at < segment->end; at++)
                    usual_ns += longest_at(series, at, path);
                n_usual += segment->is_usual ? (double)segment->n : 0;
            }
            double grown_ns = odd_ns / n - usual_ns / n_usual;
            if (grown_ns <= most_ns)
                continue;
            most_ns = grown_ns;
            found = path;
        }
    }
    return found;
}

static bool has_region(const struct result *result, uint32_t path, const char *name)
{
    return strcmp(result->regions[result->paths[path].region].name, name) == 0;
}

static double outside(const struct growth *growth)
{
    return growth->useful_ns + growth->no_cpu_ns;
}

/// Sets cause, rank and place of ODD, whose items are those from BEGIN up to END.
static void explain(const struct work *work, const struct result *result,
                    const struct segments *segments, size_t begin, size_t end,
                    struct result_odd *odd)
{
    uint64_t n;
    double more_ns = time_of(result, begin, end, &n) - segments->usual_ns;
    struct growth most_outside = {0}, most_mpi = {0};
    uint32_t by_outside = RESULT_NONE, by_mpi = RESULT_NONE, n_alike = 0;
    SCOPED struct growth *growths = memory_zeroed(result->n_ranks + 1, sizeof *growths);
    for (uint32_t rank = 0; rank < result->n_ranks; rank++) {
        if (!work->by_rank[rank])
            continue;
        growths[rank] = growth_of(work->by_rank[rank], segments, begin, end, (double)n);
        if (outside(&growths[rank]) > outside(&most_outside)) {
            most_outside = growths[rank];
            by_outside = rank;
        }
        if (growths[rank].mpi_ns > most_mpi.mpi_ns) {
            most_mpi = growths[rank];
            by_mpi = rank;
        }
    }
    bool is_outside = outside(&most_outside) >= least_explained * more_ns &&
                      outside(&most_outside) >= most_mpi.mpi_ns;
    bool is_mpi = !is_outside && most_mpi.mpi_ns >= least_explained * more_ns;
    for (uint32_t rank = 0; rank < result->n_ranks; rank++)
        n_alike += work->by_rank[rank] &&
                   (is_outside ? outside(&growths[rank]) >= alike * outside(&most_outside)
                               : growths[rank].mpi_ns >= alike * most_mpi.mpi_ns);
    odd->rank = is_outside ? by_outside : is_mpi ? by_mpi : RESULT_NONE;
    odd->path = odd->site = RESULT_NONE;
    if (is_outside)
        odd->cause = most_outside.no_cpu_ns > most_outside.useful_ns ? RESULT_ODD_NO_CPU
                                                                     : RESULT_ODD_COMPUTING;
    else if (is_mpi)
        odd->cause = RESULT_ODD_MPI;
    if (is_outside) {
        const struct pag_series *series = work->by_rank[by_outside];
        uint32_t path = place_of_growth(series, segments, begin, end, (double)n);
        struct call_place place = call_tree_place(work->tree, series->location, path);
        odd->path = place.path;
        odd->site = place.site;
        if (odd->path != RESULT_NONE && has_region(result, odd->path, RESULT_REGION_NO_CPU))
            odd->path = result->paths[odd->path].parent;
        if (odd->path != RESULT_NONE && has_region(result, odd->path, RESULT_REGION_PROGRAM))
            odd->path = RESULT_NONE;
    }
    if (odd->rank != RESULT_NONE && result->iterations.n_ranks > 1 &&
        n_alike * 4 >= result->iterations.n_ranks * 3)
        odd->rank = RESULT_NONE;
}

static void add_odd(const struct work *work, struct result *result, const struct segments *segments,
                    size_t first, size_t last, size_t *capacity)
{
    size_t begin = segments->items[first].begin, end = segments->items[last].end;
    uint64_t n, ignored;
    double each_ns = time_of(result, begin, end, &n);
    if (n == 1 && each_ns < least_factor_of_one * segments->usual_ns)
        return;
    struct result_odd odd = {
        .first = result->iterations.items[begin].first,
        .last = result->iterations.items[end - 1].last,
        .every = 1,
        .is_trend = end == result->iterations.n_items && end - begin >= LEAST_SHIFT,
        .factor = each_ns / segments->usual_ns,
        .last_factor = last > first ? time_of(result, end - (end - begin + 3) / 4, end, &ignored) /
                                          segments->usual_ns
                                    : each_ns / segments->usual_ns,
        .lost_ns = (uint64_t)((each_ns - segments->usual_ns) * (double)n),
    };
    explain(work, result, segments, begin, end, &odd);
    *ARRAY_NEXT(result->iterations.odd, result->iterations.n_odd, *capacity) = odd;
}

/// Whether a single slow iteration, or two, lose most of what the segments from FIRST on do.
static bool is_of_few(const struct segments *segments, size_t first)
{
    double all_ns = 0, most_ns = 0;
    for (size_t i = first; i < segments->n; i++) {
        const struct segment *segment = &segments->items[i];
        double lost_ns = (segment->each_ns - segments->usual_ns) * (double)segment->n;
        all_ns += lost_ns > 0 ? lost_ns : 0;
        if (segment->end - segment->begin < LEAST_SHIFT && lost_ns > most_ns)
            most_ns = lost_ns;
    }
    return most_ns > few_lose * all_ns;
}

/// Where the run of odd segments from FIRST on reaches the end, with hardly a usual iteration
/// between them: the last segment; else FIRST.
static size_t end_of_trend(const struct segments *segments, size_t first)
{
    const struct segment *last = &segments->items[segments->n - 1];
    uint64_t n = 0, n_usual = 0;
    for (size_t i = first; i < segments->n; i++) {
        n += segments->items[i].n;
        n_usual += segments->items[i].is_usual ? segments->items[i].n : 0;
    }
    bool is_trend = !last->is_usual && last->end - segments->items[first].begin >= LEAST_SHIFT &&
                    (double)n_usual < least_usual * (double)n;
    return is_trend && !is_of_few(segments, first) ? segments->n - 1 : first;
}

/// Neighbours of one cause become one.
static void join_neighbours(struct result *result)
{
    struct result_odd *odd = result->iterations.odd;
    size_t n = 0;
    for (size_t i = 0; i < result->iterations.n_odd; i++) {
        struct result_odd *before = n > 0 ? &odd[n - 1] : NULL;
        if (!before || before->last + 1 != odd[i].first || before->cause != odd[i].cause ||
            before->is_trend != odd[i].is_trend || before->rank != odd[i].rank ||
            before->path != odd[i].path || before->site != odd[i].site) {
            odd[n++] = odd[i];
            continue;
        }
        double n_before = (double)(before->last - before->first + 1);
        double n_own = (double)(odd[i].last - odd[i].first + 1);
        before->factor = (before->factor * n_before + odd[i].factor * n_own) / (n_before + n_own);
        before->last_factor = before->factor;
        before->lost_ns += odd[i].lost_ns;
        before->last = odd[i].last;
    }
    result->iterations.n_odd = n;
}

/// Single odd iterations at equal distances, of one cause, become one.
static void join_periodic(struct result *result)
{
    struct result_odd *odd = result->iterations.odd;
    size_t n = result->iterations.n_odd;
    if (n < LEAST_PERIODIC)
        return;
    for (size_t i = 0; i < n; i++)
        if (odd[i].first != odd[i].last || odd[i].rank != odd[0].rank ||
            odd[i].path != odd[0].path ||
            (i > 0 && odd[i].first - odd[i - 1].first != odd[1].first - odd[0].first))
            return;
    odd[0].every = odd[1].first - odd[0].first;
    odd[0].last = odd[n - 1].last;
    for (size_t i = 1; i < n; i++) {
        odd[0].factor += odd[i].factor;
        odd[0].lost_ns += odd[i].lost_ns;
    }
    odd[0].factor /= (double)n;
    odd[0].last_factor = odd[0].factor;
    result->iterations.n_odd = 1;
}

/// Leaves the heaviest ones. Where very many are odd, that is how the loop is, unless one stands
/// out.
static void drop_minor(struct result *result)
{
    struct result_odd *odd = result->iterations.odd;
    size_t n_odd = result->iterations.n_odd, n = 0;
    uint64_t n_all;
    double all_ns = time_of(result, 0, result->iterations.n_items, &n_all);
    bool is_irregular = n_odd > MAX_ODD / 2 && n_odd > result->iterations.n_items / MAX_ODD;
    double least_ns = (is_irregular ? least_outstanding : least_lost) * all_ns * (double)n_all;
    SORT_BY(odd, n_odd, MOST(lost_ns), LEAST(first));
    for (size_t i = 0; i < n_odd && n < MAX_ODD; i++)
        if ((double)odd[i].lost_ns >= least_ns && odd[i].factor >= least_factor)
            odd[n++] = odd[i];
    result->iterations.n_odd = n;
}

void odd_iterations_collect(const struct call_tree *tree, const struct pag_series *const *by_rank,
                            struct result *result)
{
    const struct work work = {tree, by_rank};
    uint64_t n;
    result->iterations.usual_ns = (uint64_t)time_of(result, 0, result->iterations.n_items, &n);
    if (result->iterations.n_items < LEAST_ITEMS)
        return;
    struct segments segments = cut_segments(result);
    size_t capacity = 0;
    for (size_t i = 0; i < segments.n && segments.usual_ns > 0; i++) {
        if (segments.items[i].is_usual)
            continue;
        size_t last = end_of_trend(&segments, i);
        add_odd(&work, result, &segments, i, last, &capacity);
        i = last;
    }
    result->iterations.usual_ns = (uint64_t)segments.usual_ns;
    join_neighbours(result);
    join_periodic(result);
    drop_minor(result);
    free(segments.items);
}
// --- in words

/// The region that ODD is about, RESULT_NONE if there is none.
static uint32_t region_of(const struct result *result, const struct result_odd *odd)
{
    uint32_t path = odd->path;
    // Said by the verb.
    if (path != RESULT_NONE && lost_is_region(&result->regions[result->paths[path].region]))
        path = result->paths[path].parent;
    return path == RESULT_NONE ? RESULT_NONE : result->paths[path].region;
}

static char *place_text(const struct result *result, const struct result_odd *odd)
{
    uint32_t region = region_of(result, odd);
    SCOPED char *calls = odd->site == RESULT_NONE ? NULL : site_text(result, odd->site, region);
    return memory_format("%s%s%s%s", region == RESULT_NONE ? "" : " in ",
                         region == RESULT_NONE ? "" : result->regions[region].shown,
                         calls ? " before " : "", calls ? calls : "");
}

/// Whether the first thread of a rank did nothing there but wait for its other threads.
static bool waits_for_threads(const struct result *result, const struct result_odd *odd)
{
    uint32_t region = region_of(result, odd);
    return odd->cause == RESULT_ODD_COMPUTING && region != RESULT_NONE &&
           construct_is_barrier((enum construct)result->regions[region].construct);
}

char *iterations_why(const struct result *result, const struct result_odd *odd)
{
    enum { AT_BARRIER = RESULT_ODD_MPI + 1 };
    static const char *const what[][2] = {
        [RESULT_ODD_UNKNOWN] = {"", "no rank computes longer or spends longer in MPI"},
        [RESULT_ODD_COMPUTING] = {"computes longer", "all ranks compute longer"},
        [RESULT_ODD_NO_CPU] = {"is longer without CPU time",
                               "all ranks are longer without CPU time"},
        [RESULT_ODD_MPI] = {"spends longer in MPI calls, not counting waits",
                            "all ranks spend longer in MPI calls, not counting waits"},
        [AT_BARRIER] = {"waits longer for its other threads",
                        "all ranks wait longer for their other threads"},
    };
    const char *const *words = what[waits_for_threads(result, odd) ? AT_BARRIER : (int)odd->cause];
    SCOPED char *place = place_text(result, odd);
    return odd->rank == RESULT_NONE ? memory_format("%s%s", words[1], place)
                                    : memory_format("rank %u %s%s", odd->rank, words[0], place);
}
