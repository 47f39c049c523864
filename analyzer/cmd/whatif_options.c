// SPDX-License-Identifier: BSD-3-Clause
// What-if options: texts to numbers, lists of values to one scenario for each combination.
#include "analyzer/cmd/whatif_options.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/spelling.h"

enum { MAX_POINTS = 1000, MAX_CORES = 65536, MAX_NODES = 1 << 20 };
static const double max_factor = 1000;

bool whatif_is_wanted(const struct whatif_options *options)
{
    return options->places.count > 0 || options->nodes || options->map || options->cores ||
           options->sharing || options->wait || options->speed || options->machine ||
           options->latency || options->bandwidth || options->eager || options->hand_over ||
           options->scales.count > 0;
}

void whatif_options_release(struct whatif_options *options)
{
    options_list_release(&options->places);
    options_list_release(&options->scales);
}

// --- one value

/// 1 when TEXT is SECOND, 0 when it is FIRST or NULL, -1 and ERR otherwise.
static int choose(const char *option, const char *text, const char *first, const char *second,
                  struct error *err)
{
    const char *const names[] = {first, second};
    if (!text || strcmp(text, first) == 0)
        return 0;
    if (strcmp(text, second) == 0)
        return 1;
    const char *nearest = spelling_nearest(text, names, 2);
    return error_set(err, "--%s %s: it is %s or %s%s%s%s", option, text, first, second,
                     nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
}

static int read_number_of(const char *option, const char *text, uint32_t most, uint32_t *number,
                          struct error *err)
{
    uint64_t count;
    if (option_read_count(text, &count, err) != 0)
        return error_wrap(err, "--%s %s", option, text);
    if (count == 0 || count > most)
        return error_set(err, "--%s %s: from 1 to %u", option, text, most);
    *number = (uint32_t)count;
    return 0;
}

/// A factor in millionths, at least LEAST of them.
static int read_factor(const char *option, const char *text, uint64_t least, uint64_t *millionths,
                       struct error *err)
{
    double number;
    if (option_read_number(text, &number, err) != 0)
        return error_wrap(err, "--%s %s", option, text);
    double scaled = round(number * PAG_WORK_PER_NS);
    if (scaled < (double)least || number > max_factor)
        return error_set(err, "--%s %s: from %g to %g", option, text,
                         (double)least / PAG_WORK_PER_NS, max_factor);
    *millionths = (uint64_t)scaled;
    return 0;
}

static int read_cores(const char *text, struct whatif_set *set, struct error *err)
{
    return read_number_of("cores", text, MAX_CORES, &set->settings.n_cores, err);
}

static int read_nodes(const char *text, struct whatif_set *set, struct error *err)
{
    return read_number_of("nodes", text, MAX_NODES, &set->settings.n_nodes, err);
}

static int read_speed(const char *text, struct whatif_set *set, struct error *err)
{
    return read_factor("cpu-speed", text, 1000, &set->settings.speed, err);
}

static int read_hand_over(const char *text, struct whatif_set *set, struct error *err)
{
    if (option_read_duration(text, &set->settings.hand_over_ns, err) != 0)
        return error_wrap(err, "--hand-over %s", text);
    return 0;
}

static int read_latency(const char *text, struct whatif_set *set, struct error *err)
{
    if (option_read_duration(text, &set->latency_ns, err) != 0)
        return error_wrap(err, "--latency %s", text);
    return 0;
}

static int read_bandwidth(const char *text, struct whatif_set *set, struct error *err)
{
    if (option_read_size(text, &set->bandwidth, err) != 0)
        return error_wrap(err, "--bandwidth %s", text);
    if (set->bandwidth == 0)
        return error_set(err, "--bandwidth %s: more than 0 bytes a second", text);
    return 0;
}

static int read_eager(const char *text, struct whatif_set *set, struct error *err)
{
    if (option_read_size(text, &set->eager_bytes, err) != 0)
        return error_wrap(err, "--eager %s", text);
    return 0;
}

// --- lists of values

/// An option that takes a list.
struct axis {
    const char *name, *text; // text NULL: not given
    int (*read)(const char *text, struct whatif_set *set, struct error *err);
};

static size_t count_values(const char *text)
{
    size_t n = 1;
    for (const char *at = text; at && *at; at++)
        n += *at == ',';
    return n;
}

/// Value INDEX of a list; the caller frees.
static char *value_at(const char *text, size_t index)
{
    for (; index > 0; index--)
        text = strchr(text, ',') + 1;
    return memory_format("%.*s", (int)strcspn(text, ","), text);
}

static int fill_set(struct whatif_set *set, const struct axis *axes, size_t n_axes, size_t index,
                    struct error *err)
{
    size_t divisor = 1;
    for (size_t i = n_axes; i-- > 0;) {
        if (!axes[i].text)
            continue;
        size_t n_values = count_values(axes[i].text);
        char *value = value_at(axes[i].text, index / divisor % n_values);
        divisor *= n_values;
        int status = axes[i].read(value, set, err);
        if (n_values > 1 && status == 0) {
            set->names[set->n_values] = memory_copy_text(axes[i].name);
            set->values[set->n_values++] = memory_copy_text(value);
        }
        free(value);
        if (status != 0)
            return -1;
    }
    return 0;
}

static int read_axes(struct whatif_plan *plan, const struct whatif_options *options,
                     const struct scenario_settings *common, struct error *err)
{
    const struct axis axes[] = {
        {"nodes", options->nodes, read_nodes},
        {"cores", options->cores, read_cores},
        {"hand-over", options->hand_over, read_hand_over},
        {"cpu-speed", options->speed, read_speed},
        {"latency", options->latency, read_latency},
        {"bandwidth", options->bandwidth, read_bandwidth},
        {"eager", options->eager, read_eager},
    };
    static_assert(sizeof axes / sizeof axes[0] == WHATIF_AXES, "an axis each");
    const size_t n_axes = sizeof axes / sizeof axes[0];
    size_t n = 1;
    for (size_t i = 0; i < n_axes && n <= MAX_POINTS; i++)
        n *= axes[i].text ? count_values(axes[i].text) : 1;
    if (n > MAX_POINTS)
        return error_set(err, "more than %d combinations of values", MAX_POINTS);
    plan->sets = memory_zeroed(n, sizeof *plan->sets);
    plan->n_sets = n;
    plan->is_list = n > 1;
    for (size_t i = 0; i < n; i++) {
        plan->sets[i] = (struct whatif_set){
            .settings = *common, .latency_ns = PAG_NOT_KNOWN, .eager_bytes = PAG_NOT_KNOWN};
        if (fill_set(&plan->sets[i], axes, n_axes, i, err) != 0)
            return -1;
    }
    return 0;
}

// --- the plan

static int read_scales(struct whatif_plan *plan, const struct option_list *scales,
                       struct error *err)
{
    plan->scales = memory_zeroed(scales->count, sizeof *plan->scales);
    plan->patterns = memory_zeroed(scales->count, sizeof *plan->patterns);
    for (size_t i = 0; i < scales->count; i++) {
        const char *text = scales->values[i], *equals = strrchr(text, '=');
        if (!equals || equals == text)
            return error_set(err, "--scale %s: not of the form REGION=FACTOR", text);
        plan->patterns[plan->n_scales] = memory_format("%.*s", (int)(equals - text), text);
        plan->scales[plan->n_scales].pattern = plan->patterns[plan->n_scales];
        plan->n_scales++;
        if (read_factor("scale", equals + 1, 0, &plan->scales[i].factor, err) != 0)
            return error_wrap(err, "%s", text);
    }
    return 0;
}

static void add_words(FILE *out, const char *option, const char *value)
{
    if (value)
        fprintf(out, "%s--%s %s", ftell(out) > 0 ? " " : "", option, value);
}

static void put_words(struct whatif_plan *plan, const struct whatif_options *options)
{
    size_t size;
    FILE *out = open_memstream(&plan->change, &size);
    for (size_t i = 0; i < options->places.count; i++)
        add_words(out, "place", options->places.values[i]);
    add_words(out, "nodes", options->nodes);
    add_words(out, "map", options->map);
    add_words(out, "cores", options->cores);
    add_words(out, "sharing", options->sharing);
    add_words(out, "wait", options->wait);
    add_words(out, "hand-over", options->hand_over);
    add_words(out, "cpu-speed", options->speed);
    add_words(out, "machine", options->machine);
    add_words(out, "latency", options->latency);
    add_words(out, "bandwidth", options->bandwidth);
    add_words(out, "eager", options->eager);
    for (size_t i = 0; i < options->scales.count; i++)
        add_words(out, "scale", options->scales.values[i]);
    fclose(out);
}

int whatif_plan_read(struct whatif_plan *plan, const struct whatif_options *options,
                     struct error *err)
{
    *plan = (struct whatif_plan){0};
    int is_cyclic = choose("map", options->map, "block", "cyclic", err);
    int is_sticky =
        is_cyclic < 0 ? -1 : choose("sharing", options->sharing, "fluid", "sticky", err);
    int spins = is_sticky < 0 ? -1 : choose("wait", options->wait, "block", "spin", err);
    if (spins < 0)
        return -1;
    if (options->places.count > 0 && options->nodes)
        return error_set(err, "--place and --nodes both say where ranks run: give one of them");
    if (options->map && !options->nodes)
        return error_set(err, "--map says how ranks are dealt to --nodes, which is missing");
    if (!options->machine && (options->latency || options->bandwidth || options->eager))
        return error_set(err, "--latency, --bandwidth and --eager change the network of --machine, "
                              "which is missing");
    plan->machine = options->machine;
    if (read_scales(plan, &options->scales, err) != 0)
        return -1;
    const struct scenario_settings common = {
        .places = options->places.values,
        .n_places = options->places.count,
        .is_cyclic = is_cyclic == 1,
        .is_sticky = is_sticky == 1,
        .spins = spins == 1,
        .hand_over_ns = PAG_NOT_KNOWN,
        .scales = plan->scales,
        .n_scales = plan->n_scales,
    };
    put_words(plan, options);
    return read_axes(plan, options, &common, err);
}

void whatif_plan_release(struct whatif_plan *plan)
{
    for (size_t i = 0; i < plan->n_sets; i++) {
        for (size_t v = 0; v < plan->sets[i].n_values; v++) {
            free(plan->sets[i].names[v]);
            free(plan->sets[i].values[v]);
        }
    }
    for (size_t i = 0; i < plan->n_scales; i++)
        free(plan->patterns[i]);
    free(plan->sets);
    free(plan->scales);
    free(plan->patterns);
    free(plan->change);
    *plan = (struct whatif_plan){0};
}
