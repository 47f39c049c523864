// SPDX-License-Identifier: BSD-3-Clause
// See plot.h. A view is known by what its values are of: enum plot_of.
#include "analyzer/result/views/plot.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/base/text.h"
#include "analyzer/result/result.h"
#include "analyzer/result/views/timeline.h"
#include "analyzer/trace/definitions.h"

enum { MAX_MOMENTS = 400, MOST_PATHS = 40 };
#define LEAST_BAR 0.001 // of the longest one

const struct plot_view plot_views[PLOT_OFS] = {
    [PLOT_OF_RANK] = {"ranks",
                      "ranks",
                      "by rank",
                      "useful_ns,wait_ns,other_mpi_ns,no_cpu_ns",
                      PLOT_BARS,
                      true,
                      {"ranks", NULL}},
    [PLOT_OF_ITERATION] = {"iterations",
                           "iterations",
                           "by iteration",
                           "useful_ns,wait_ns,other_mpi_ns,no_cpu_ns",
                           PLOT_BARS,
                           true,
                           {"iterations", NULL}},
    [PLOT_OF_CALL_PATH] = {"call-paths",
                           "call paths",
                           "by call path",
                           "exclusive_ns",
                           PLOT_BARS,
                           false,
                           {"call_path", NULL}},
    [PLOT_OF_SIZE] = {"sizes",
                      "sizes of messages",
                      "by size of message",
                      "messages",
                      PLOT_BARS,
                      false,
                      {"size_bytes", NULL}},
    [PLOT_OF_MOMENT] = {"time",
                        "moments",
                        "over time",
                        "useful_ns,wait_ns,other_mpi_ns",
                        PLOT_CURVES,
                        true,
                        {"begin_ns", NULL}},
    [PLOT_OF_RANK_MOMENT] = {"map",
                             "ranks at moments",
                             "by rank, over time",
                             "wait_ns",
                             PLOT_CELLS,
                             false,
                             {"begin_ns", "ranks"}},
    [PLOT_OF_PAIR] = {"matrix",
                      "pairs of ranks",
                      "from rank to rank",
                      "message_bytes",
                      PLOT_CELLS,
                      false,
                      {"sender", "receiver"}},
};

// --- metrics

enum {
    USEFUL = 1,
    WAIT = 2,
    MESSAGES = 4,
    COLLECTIVE = 8,
    OTHER = 16,
    NO_CPU = 32,
    MPI_REST = MESSAGES | COLLECTIVE | OTHER,
};
#define RANK        (1u << PLOT_OF_RANK)
#define ITERATION   (1u << PLOT_OF_ITERATION)
#define CALL_PATH   (1u << PLOT_OF_CALL_PATH)
#define SIZE        (1u << PLOT_OF_SIZE)
#define MOMENT      (1u << PLOT_OF_MOMENT)
#define RANK_MOMENT (1u << PLOT_OF_RANK_MOMENT)
#define PAIR        (1u << PLOT_OF_PAIR)
#define WAIT_SUFFIX ".wait_ns" // after the id of a wait state

struct metric {
    const char *name, *title, *unit;
    unsigned ofs;   // what it has values of
    unsigned parts; // of a rank's time: two that share one overlap
};

static const struct metric metrics[] = {
    {"useful_ns", "computing", "ns", RANK | ITERATION | MOMENT | RANK_MOMENT, USEFUL},
    {"no_cpu_ns", "without CPU time", "ns", RANK | ITERATION, NO_CPU},
    {"mpi_ns", "in MPI", "ns", RANK | ITERATION | MOMENT | RANK_MOMENT, WAIT | MPI_REST},
    {"wait_ns", "waiting for other ranks", "ns", RANK | ITERATION | MOMENT | RANK_MOMENT, WAIT},
    {"other_mpi_ns", "in MPI, not waiting", "ns", RANK | ITERATION | MOMENT | RANK_MOMENT,
     MPI_REST},
    {"point_to_point_ns", "in calls for messages, not waiting", "ns", MOMENT | RANK_MOMENT,
     MESSAGES},
    {"collective_ns", "in collective operations, not waiting", "ns", MOMENT | RANK_MOMENT,
     COLLECTIVE},
    {"cpu_ns", "cores in use", "ns", MOMENT, 0},
    {"phases_ns", "phases", "ns", MOMENT, 0},
    {"messages", "messages", "#", RANK | PAIR | SIZE, 0},
    {"message_bytes", "bytes of messages", "bytes", RANK | PAIR | SIZE, 0},
    {"exclusive_ns", "exclusive time", "ns", CALL_PATH, 0},
    {"inclusive_ns", "inclusive time", "ns", CALL_PATH, 0},
    {"visits", "visits", "#", CALL_PATH, 0},
};
enum { N_METRICS = sizeof metrics / sizeof metrics[0] };
static const struct metric waits_of_state = {WAIT_SUFFIX, NULL, "ns", RANK | CALL_PATH, WAIT};
static const struct metric counted = {NULL, NULL, NULL, MOMENT, 0};

static bool is_of_wait_state(const char *name)
{
    return text_ends_in(name, WAIT_SUFFIX);
}

/// A name that is no other metric's may be a counter's.
static const struct metric *metric_of(const char *name)
{
    const struct metric *metric = ITEM_BY(metrics, N_METRICS, name, name);
    return metric ? metric : is_of_wait_state(name) ? &waits_of_state : &counted;
}

/// The names of views that show values of OFS, "ranks or map". The caller frees.
static char *views_of(unsigned ofs)
{
    char *text = NULL;
    unsigned left = ofs;
    for (int of = 0; of < PLOT_OFS; of++) {
        if (!(ofs & 1u << of))
            continue;
        left &= ~(1u << of);
        text_append(&text, "%s%s", !text ? "" : left ? ", " : " or ", plot_views[of].name);
    }
    return text;
}

/// The metrics that VIEW shows. The caller frees.
static char *metrics_of(enum plot_of of)
{
    const char *names[N_METRICS + 2];
    size_t n = 0;
    for (size_t i = 0; i < N_METRICS; i++)
        if (metrics[i].ofs & 1u << of)
            names[n++] = metrics[i].name;
    if (waits_of_state.ofs & 1u << of)
        names[n++] = "late-sender" WAIT_SUFFIX;
    if (counted.ofs & 1u << of)
        names[n++] = "a counter of the trace";
    return spelling_list(names, n);
}

static int check_metric(enum plot_of of, const char *name, struct error *err)
{
    const struct metric *metric = metric_of(name);
    const struct plot_view *view = &plot_views[of];
    if (metric->ofs & 1u << of)
        return 0;
    if (metric == &counted) {
        SCOPED char *shown = metrics_of(of);
        return error_set(err, "--view %s shows %s; `%s` is none of them", view->name, shown, name);
    }
    SCOPED char *others = views_of(metric->ofs);
    return error_set(err, "--view %s shows values of %s, and %s has none of these: use --view %s",
                     view->name, view->of, name, others);
}

/// Whether A and B can stand in one picture.
static int check_pair(const struct plot_view *view, const char *a, const char *b, struct error *err)
{
    const struct metric *x = metric_of(a), *y = metric_of(b);
    if (!view->takes_several)
        return error_set(err, "--view %s shows one metric, not %s and %s", view->name, a, b);
    if (strcmp(a, b) == 0)
        return error_set(err, "--metric has %s twice", a);
    if (x->unit && y->unit && strcmp(x->unit, y->unit) != 0)
        return error_set(err, "a picture has one unit: %s is in %s, %s in %s", a,
                         strcmp(x->unit, "#") == 0 ? "numbers" : x->unit, b,
                         strcmp(y->unit, "#") == 0 ? "numbers" : y->unit);
    if (view->form == PLOT_BARS && (x->parts & y->parts))
        return error_set(err, "%s and %s overlap, so they are not parts of one bar", a, b);
    return 0;
}

int plot_choose(struct plot_choice *choice, const char *view, const char *wanted, struct error *err)
{
    int of = (int)FIND_BY(plot_views, PLOT_OFS, name, view);
    if (of == PLOT_OFS) {
        SCOPED const char **names = NAMED_NAMES(plot_views, PLOT_OFS);
        SCOPED char *all = spelling_list(names, PLOT_OFS);
        return error_set(err, "--view is one of %s, not %s", all, view);
    }
    choice->of = of;
    SCOPED char *text = memory_copy_text(wanted ? wanted : plot_views[of].metrics);
    char *rest = NULL;
    for (char *name = strtok_r(text, ",", &rest); name; name = strtok_r(NULL, ",", &rest))
        words_add(&choice->metrics, name);
    size_t n = words_count(choice->metrics);
    if (n == 0 || n > PLOT_MAX_METRICS)
        return error_set(err, "--metric wants one name to %d, separated by commas",
                         PLOT_MAX_METRICS);
    for (size_t i = 0; i < n; i++) {
        if (check_metric(of, choice->metrics[i], err) != 0)
            return -1;
        for (size_t j = 0; j < i; j++)
            if (check_pair(&plot_views[of], choice->metrics[j], choice->metrics[i], err) != 0)
                return -1;
    }
    return 0;
}

void plot_choice_release(struct plot_choice *choice)
{
    words_free(choice->metrics);
}

// --- values

struct source {
    const struct result *result;
    const struct timeline *timeline;
};

static double *value(const struct plot *plot, size_t row, size_t column)
{
    return &plot->values[row * plot->n_columns + column];
}

/// Room for N rows, whose names follow, and COLUMNS.
static void make_room(struct plot *plot, size_t n_rows)
{
    plot->n_rows = plot->n_drawn = n_rows;
    plot->values = memory_zeroed(n_rows * plot->n_columns + 1, sizeof *plot->values);
}

static const struct result_pattern *pattern_of(const struct result *result, const char *name)
{
    SCOPED char *id = memory_copy_text(name);
    id[strlen(name) - strlen(WAIT_SUFFIX)] = '\0';
    uint32_t i = result_find_pattern(result, id);
    return i == RESULT_NONE ? NULL : &result->patterns[i];
}

/// Times as groups and iterations have them.
static double part_ns(const char *metric, uint64_t useful_ns, uint64_t no_cpu_ns, uint64_t wait_ns,
                      uint64_t other_mpi_ns)
{
    unsigned parts = metric_of(metric)->parts;
    return (parts & USEFUL ? (double)useful_ns : 0) + (parts & NO_CPU ? (double)no_cpu_ns : 0) +
           (parts & WAIT ? (double)wait_ns : 0) +
           ((parts & MPI_REST) == MPI_REST ? (double)other_mpi_ns : 0);
}

static void put_rank_metric(struct plot *plot, const struct result *result, size_t column,
                            const char *metric)
{
    const struct result_pattern *pattern =
        is_of_wait_state(metric) ? pattern_of(result, metric) : NULL;
    bool is_bytes = strcmp(metric, "message_bytes") == 0,
         is_sent = strncmp(metric, "message", 7) == 0;
    for (size_t i = 0; i < plot->n_rows && !pattern; i++) {
        const struct result_group *group = &result->groups.items[i];
        *value(plot, i, column) = part_ns(metric, group->useful_ns, group->no_cpu_ns,
                                          group->wait_ns, group->other_mpi_ns);
    }
    for (size_t i = 0; pattern && i < pattern->n_by_rank; i++)
        *value(plot, result->groups.of_rank[pattern->by_rank[i].key], column) +=
            (double)pattern->by_rank[i].ns;
    for (size_t i = 0; is_sent && i < result->groups.n_traffic; i++) {
        const struct result_traffic *traffic = &result->groups.traffic[i];
        *value(plot, traffic->sender, column) +=
            (double)(is_bytes ? traffic->size_bytes : traffic->n_messages);
    }
}

static void put_ranks(struct plot *plot, const struct plot_choice *choice,
                      const struct result *result)
{
    make_room(plot, result->groups.n);
    for (size_t i = 0; i < plot->n_rows; i++)
        words_add(&plot->rows, result->groups.items[i].name);
    for (size_t i = 0; i < plot->n_columns; i++)
        put_rank_metric(plot, result, i, choice->metrics[i]);
}

static void put_iterations(struct plot *plot, const struct plot_choice *choice,
                           const struct result *result)
{
    make_room(plot, result->iterations.n_items);
    for (size_t i = 0; i < plot->n_rows; i++) {
        const struct result_iteration *item = &result->iterations.items[i];
        SCOPED char *name = item->first == item->last
                                ? memory_format("%" PRIu64, item->first)
                                : memory_format("%" PRIu64 "-%" PRIu64, item->first, item->last);
        words_add(&plot->rows, name);
        for (size_t j = 0; j < plot->n_columns; j++)
            *value(plot, i, j) = part_ns(choice->metrics[j], item->useful_ns, item->no_cpu_ns,
                                         item->wait_ns, item->other_mpi_ns);
    }
}

static int compare_values(const void *a, const void *b, void *values)
{
    const double *of = values;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return ORDER_BY(MORE_FIRST(of[x], of[y]), LESS_FIRST(x, y));
}

/// Those with most of it.
static void put_call_paths(struct plot *plot, const char *metric, const struct result *result)
{
    size_t n = result->n_paths, n_shown = 0;
    SCOPED double *values = memory_zeroed(n + 1, sizeof *values);
    SCOPED uint32_t *order = memory_new((n + 1) * sizeof *order);
    const struct result_pattern *pattern =
        is_of_wait_state(metric) ? pattern_of(result, metric) : NULL;
    for (uint32_t i = 0; i < n; i++) {
        const struct result_path *path = &result->paths[i];
        order[i] = i;
        if (!pattern)
            values[i] = (double)(strcmp(metric, "visits") == 0         ? path->visits
                                 : strcmp(metric, "inclusive_ns") == 0 ? path->inclusive_ns
                                                                       : path->exclusive_ns);
    }
    for (size_t i = 0; pattern && i < pattern->n_by_path; i++)
        values[pattern->by_path[i].key] = (double)pattern->by_path[i].ns;
    qsort_r(order, n, sizeof *order, compare_values, values);
    while (n_shown < n && values[order[n_shown]] > 0)
        n_shown++;
    make_room(plot, n_shown);
    while (plot->n_drawn > MOST_PATHS ||
           (plot->n_drawn > 1 && values[order[plot->n_drawn - 1]] < LEAST_BAR * values[order[0]]))
        plot->n_drawn--;
    for (size_t i = 0; i < n_shown; i++) {
        words_add(&plot->rows, result->paths[order[i]].shown);
        *value(plot, i, 0) = values[order[i]];
    }
}

static void put_sizes(struct plot *plot, const char *metric, const struct result *result)
{
    bool is_bytes = strcmp(metric, "message_bytes") == 0;
    size_t n = 0;
    make_room(plot, RESULT_SIZE_CLASSES);
    for (size_t i = 0; i < RESULT_SIZE_CLASSES; i++) {
        const struct result_size_class *sizes = &result->message_sizes[i];
        uint64_t least = i == 0 ? 0 : (uint64_t)1 << (i - 1);
        if (sizes->n_messages == 0)
            continue;
        SCOPED char *name = i < 2 ? memory_format("%" PRIu64, least)
                                  : memory_format("%" PRIu64 "-%" PRIu64, least, 2 * least - 1);
        words_add(&plot->rows, name);
        *value(plot, n++, 0) = (double)(is_bytes ? sizes->size_bytes : sizes->n_messages);
    }
    plot->n_rows = plot->n_drawn = n;
}

static void put_pairs(struct plot *plot, const char *metric, const struct result *result)
{
    bool is_bytes = strcmp(metric, "message_bytes") == 0;
    plot->n_columns = result->groups.n;
    make_room(plot, result->groups.n);
    for (size_t i = 0; i < plot->n_rows; i++) {
        words_add(&plot->rows, result->groups.items[i].name);
        words_add(&plot->columns, result->groups.items[i].name);
    }
    for (size_t i = 0; i < result->groups.n_traffic; i++) {
        const struct result_traffic *traffic = &result->groups.traffic[i];
        *value(plot, traffic->sender, traffic->receiver) =
            (double)(is_bytes ? traffic->size_bytes : traffic->n_messages);
    }
}

// --- values of moments

/// The time of kinds of a timeline that METRIC is of, of a cell's SHARES.
static double kinds_share(const char *metric, const double *shares)
{
    static const unsigned kinds[TIMELINE_KINDS] = {USEFUL,     WAIT,  MESSAGES,
                                                   COLLECTIVE, OTHER, USEFUL};
    unsigned parts = metric_of(metric)->parts;
    double sum = 0;
    for (int kind = 0; kind < TIMELINE_KINDS; kind++)
        if (parts & kinds[kind])
            sum += shares[kind];
    return sum;
}

static void put_kinds(struct plot *plot, const struct timeline *timeline, const char *metric,
                      size_t column, size_t first, size_t last)
{
    SCOPED double *shares = memory_new(plot->n_rows * TIMELINE_KINDS * sizeof *shares);
    timeline_cells(timeline, first, last, (uint64_t)plot->begin_ns,
                   (uint64_t)(plot->begin_ns + plot->row_ns * (double)plot->n_rows), plot->n_rows,
                   shares);
    for (size_t i = 0; i < plot->n_rows; i++)
        *value(plot, i, column) += kinds_share(metric, shares + i * TIMELINE_KINDS) * plot->row_ns *
                                   (double)(last - first);
}

/// COLUMNS of the timeline, in the moments of PLOT, times FACTOR. The last one ends with the run.
static void put_columns(struct plot *plot, const struct timeline *timeline, const double *columns,
                        size_t column, double factor)
{
    double width_ns = (double)timeline->column_ns, run_ns = (double)timeline->end_ns;
    for (size_t i = 0; i < timeline->n_columns && (double)i * width_ns < run_ns; i++) {
        double begin = ((double)i * width_ns - plot->begin_ns) / plot->row_ns;
        double end = (fmin((double)(i + 1) * width_ns, run_ns) - plot->begin_ns) / plot->row_ns;
        double width = end - begin, last = fmin(end, (double)plot->n_rows);
        for (size_t row = (size_t)fmax(begin, 0); columns[i] > 0 && (double)row < last; row++) {
            double from = fmax(begin, (double)row), to = fmin(last, (double)(row + 1));
            *value(plot, row, column) += factor * columns[i] * (to - from) / width;
        }
    }
}

static const struct counter *counter_of(const struct timeline *timeline, const char *name,
                                        size_t *index)
{
    const struct definitions *definitions = timeline->definitions;
    *index = FIND_BY(definitions->counters, definitions->n_counters, name, name);
    return *index < definitions->n_counters ? &definitions->counters[*index] : NULL;
}

/// The number of columns that METRIC has.
static size_t n_columns_of(const char *metric, const struct timeline *timeline)
{
    return strcmp(metric, "phases_ns") == 0 ? timeline->n_phases : 1;
}

static void put_moment_metric(struct plot *plot, const struct source *source, size_t column,
                              const char *metric)
{
    const struct timeline *timeline = source->timeline;
    size_t counter;
    if (strcmp(metric, "cpu_ns") == 0)
        put_columns(plot, timeline, timeline->cpu_s, column, 1e9);
    else if (strcmp(metric, "phases_ns") == 0)
        for (size_t i = 0; i < timeline->n_phases; i++)
            put_columns(plot, timeline, timeline->phase_ns + i * timeline->n_columns, column + i,
                        1);
    else if (metric_of(metric) != &counted)
        put_kinds(plot, timeline, metric, column, 0, plot->n_ranks);
    else if (counter_of(timeline, metric, &counter))
        put_columns(plot, timeline, timeline->counted + counter * timeline->n_columns, column, 1);
}

static void put_moments(struct plot *plot, const struct plot_choice *choice,
                        const struct source *source)
{
    size_t column = 0;
    make_room(plot, MAX_MOMENTS);
    for (size_t i = 0; choice->metrics[i]; i++) {
        put_moment_metric(plot, source, column, choice->metrics[i]);
        column += n_columns_of(choice->metrics[i], source->timeline);
    }
}

static void put_map(struct plot *plot, const char *metric, const struct source *source)
{
    const struct result *result = source->result;
    plot->n_columns = result->groups.n;
    plot->ranks_of = memory_zeroed(plot->n_columns + 1, sizeof *plot->ranks_of);
    make_room(plot, MAX_MOMENTS);
    for (size_t i = 0; i < plot->n_columns; i++) {
        words_add(&plot->columns, result->groups.items[i].name);
        plot->ranks_of[i] = result->groups.items[i].n_ranks;
    }
    for (size_t rank = 0; rank < result->n_ranks; rank++)
        put_kinds(plot, source->timeline, metric, result->groups.of_rank[rank], rank, rank + 1);
}

// --- all of it

static bool has_cpu_time(const struct timeline *timeline)
{
    for (size_t i = 0; timeline->cpu_s && i < timeline->n_columns; i++)
        if (timeline->cpu_s[i] > 0)
            return true;
    return false;
}

/// What METRIC is called in pictures, and its unit. -1, and ERR: the run does not have it.
static int find_metric(const struct source *source, const char *name, const char **title,
                       const char **unit, struct error *err)
{
    const struct metric *metric = metric_of(name);
    size_t index;
    *title = metric->title;
    *unit = metric->unit;
    if (metric == &waits_of_state) {
        const struct result_pattern *pattern = pattern_of(source->result, name);
        if (!pattern)
            return error_set(err, "there is no wait state %.*s",
                             (int)(strlen(name) - strlen(WAIT_SUFFIX)), name);
        *title = pattern->name;
    } else if (metric == &counted) {
        const struct counter *counter = counter_of(source->timeline, name, &index);
        if (!counter) {
            SCOPED char *shown = metrics_of(PLOT_OF_MOMENT);
            return error_set(err, "the trace has no counter `%s`; --view time shows %s", name,
                             shown);
        }
        *title = counter->name;
        *unit = counter->unit[0] ? counter->unit : "#";
    }
    if (strcmp(name, "cpu_ns") == 0 && !has_cpu_time(source->timeline))
        return error_set(err, "the trace has no CPU samples, so cpu_ns is not known");
    if (strcmp(name, "phases_ns") == 0 && source->timeline->n_phases == 0)
        return error_set(err, "no phases are known, for which functions must be recorded");
    return 0;
}

static void add_column(struct plot *plot, const char *name, const char *title)
{
    words_add(&plot->columns, name);
    words_add(&plot->legend, title);
    plot->n_columns++;
}

/// Columns of metrics, the title, and the one unit of all.
static int name_columns(struct plot *plot, const struct plot_choice *choice,
                        const struct source *source, struct error *err)
{
    for (size_t i = 0; choice->metrics[i]; i++) {
        const char *title, *unit;
        if (find_metric(source, choice->metrics[i], &title, &unit, err) != 0)
            return -1;
        if (i == 0)
            plot->unit = memory_copy_text(unit);
        else if (strcmp(plot->unit, unit) != 0)
            return error_set(err, "a picture has one unit: %s is in %s, %s in %s",
                             choice->metrics[0], plot->unit, choice->metrics[i], unit);
        text_append(&plot->title, "%s%s", i == 0 ? "" : "; ", title);
        if (plot->view->form == PLOT_CELLS)
            plot->metric = memory_copy_text(choice->metrics[i]);
        else if (strcmp(choice->metrics[i], "phases_ns") != 0)
            add_column(plot, choice->metrics[i], title);
        else
            for (size_t j = 0; j < source->timeline->n_phases; j++)
                add_column(plot, source->result->regions[source->timeline->phases[j]].shown,
                           source->result->regions[source->timeline->phases[j]].shown);
    }
    text_append(&plot->title, ", %s", plot->view->by);
    return 0;
}

int plot_make(struct plot *plot, const struct plot_choice *choice, const struct result *result,
              const struct timeline *timeline, uint64_t begin_ns, uint64_t end_ns,
              struct error *err)
{
    const struct source source = {result, timeline};
    *plot = (struct plot){.view = &plot_views[choice->of],
                          .n_ranks = (uint32_t)result->n_ranks,
                          .begin_ns = (double)begin_ns,
                          .row_ns = (double)(end_ns - begin_ns) / MAX_MOMENTS};
    if (name_columns(plot, choice, &source, err) != 0)
        return -1;
    bool has_moments = choice->of == PLOT_OF_MOMENT || choice->of == PLOT_OF_RANK_MOMENT;
    if (has_moments && begin_ns >= end_ns)
        return error_set(err, "the run has no time to show");
    if (choice->of == PLOT_OF_RANK)
        put_ranks(plot, choice, result);
    else if (choice->of == PLOT_OF_ITERATION)
        put_iterations(plot, choice, result);
    else if (choice->of == PLOT_OF_CALL_PATH)
        put_call_paths(plot, choice->metrics[0], result);
    else if (choice->of == PLOT_OF_SIZE)
        put_sizes(plot, choice->metrics[0], result);
    else if (choice->of == PLOT_OF_MOMENT)
        put_moments(plot, choice, &source);
    else if (choice->of == PLOT_OF_RANK_MOMENT)
        put_map(plot, choice->metrics[0], &source);
    else
        put_pairs(plot, choice->metrics[0], result);
    return plot->n_rows > 0 ? 0 : error_set(err, "the run has no %s to show", plot->view->of);
}

void plot_release(struct plot *plot)
{
    words_free(plot->rows);
    words_free(plot->columns);
    words_free(plot->legend);
    FREE_ALL(plot->title, plot->metric, plot->unit, plot->values, plot->ranks_of);
}
