// SPDX-License-Identifier: BSD-3-Clause
// From archives to samples of their regions: each is replayed as measured, then once more as a
// prediction with nothing changed, which says what CPU time each call path has, exactly as the
// predictions do that use what is learned.
#include "analyzer/cmd/calibrate/learn_slowdown.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

#include "analyzer/base/error.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/compare/slowdown_fit.h"
#include "analyzer/pag/pag.h"
#include "analyzer/replay/replay_run.h"
#include "analyzer/report/report.h"
#include "analyzer/simulation/change/slowdown.h"
#include "analyzer/simulation/change/work_samples.h"
#include "analyzer/simulation/prediction.h"
#include "analyzer/trace/definitions.h"

/// What is known of all recordings so far.
struct learning {
    struct slowdown_fit fit;
    size_t n_ranks;
    char *program;
    bool is_of_speeds;
};

// --- ranks per core

/// How many ranks of TRACE share each core. 0, or -1 and ERR: that is not known, or not the same
/// for all.
static int find_ranks_per_core(const struct definitions *definitions, const char *trace,
                               double *ranks_per_core, struct error *err)
{
    uint64_t least = UINT64_MAX, most = 0;
    for (size_t i = 0; i < definitions->n_ranks; i++) {
        const struct core_set *set = &definitions->core_sets[definitions->ranks[i].core_set];
        if (set->n_cores == 0)
            return error_set(err, "%s: the trace does not record cores", trace);
        uint64_t here = slowdown_ranks_per_core(set->n_ranks, set->n_cores);
        least = here < least ? here : least;
        most = here > most ? here : most;
    }
    if (least < most)
        return error_set(err,
                         "%s: some cores have %g ranks and others %g: record runs with the same "
                         "number on all cores",
                         trace, (double)least / PAG_WORK_PER_NS, (double)most / PAG_WORK_PER_NS);
    *ranks_per_core = (double)least / PAG_WORK_PER_NS;
    return definitions->n_ranks > 0 ? 0 : error_set(err, "%s: it has no ranks", trace);
}

// --- regions

/// What regions are called.
struct names {
    const struct definitions *definitions;
    char **shown;
};

enum { MOST_NAMES = 31 }; // of a path in a file

/// "/main/solve", the path of node INDEX of PATHS; NULL: it is too deep, or not one that options
/// can name. The caller frees.
static char *node_text(const struct names *names, const struct call_path *paths, uint32_t index)
{
    char *text = memory_copy_text("");
    uint32_t n = 0, at = index;
    for (; at != 0; at = paths[at].parent, n++) {
        if (n == MOST_NAMES || paths[at].region >= names->definitions->gap_region) {
            free(text);
            return NULL;
        }
        char *longer = memory_format("/%s%s", names->shown[paths[at].region], text);
        free(text);
        text = longer;
    }
    return text;
}

/// REGION, as options name it, for the computing at path INDEX of LOCATION; NULL: there is none.
static char *region_text(const struct names *names, const struct pag_location *location,
                         uint32_t index)
{
    const struct call_path *paths = location->paths;
    uint32_t node = paths[index].is_stretch ? index - 1 : index;
    if (node == 0)
        return NULL; // before the program's first region, after its last one
    SCOPED char *path = node_text(names, paths, node);
    if (!path || !paths[index].is_stretch)
        return path ? memory_copy_text(path) : NULL;
    uint32_t context = paths[node].context;
    const struct calling_context *place =
        context == EVENT_NO_INDEX ? NULL : &names->definitions->contexts[context];
    if (!place || place->line == 0)
        return memory_format("before %s", path);
    return memory_format("before %s at %s:%" PRIu32, path, path_base_name(place->file),
                         place->line);
}

static void add_series(struct slowdown_sample *sample, const struct work_series *series)
{
    if (sample->n_visits == 0 || series->n < sample->n_least)
        sample->n_least = series->n;
    sample->n_visits += series->n;
    for (size_t i = 0; i < WORK_BINS; i++)
        sample->ns += series->ns[i];
    work_series_group(series, sample->groups, SLOWDOWN_GROUPS);
}

static void add_samples(struct learning *learning, size_t recording,
                        const struct definitions *definitions, const struct work_samples *samples,
                        const struct pag_result *replay)
{
    const struct names names = {definitions, region_names_shown(definitions)};
    for (size_t l = 0; l < samples->n_locations; l++) {
        for (uint32_t i = 0; i < samples->locations[l].n; i++) {
            SCOPED char *name = region_text(&names, &replay->locations[l], i);
            if (name && samples->locations[l].series[i].n > 0)
                add_series(&slowdown_fit_region(&learning->fit, name)->samples[recording],
                           &samples->locations[l].series[i]);
        }
    }
    memory_free_each(names.shown, definitions->n_regions);
}

// --- recordings

static int add_replayed(struct learning *learning, size_t index, struct replay_run *run,
                        struct error *err)
{
    struct slowdown_recording *recording = &learning->fit.recordings[index];
    const struct definitions *definitions = trace_definitions(run->trace);
    SCOPED_BY(work_samples_release) struct work_samples samples = {0};
    SCOPED_BY(pag_result_release) struct pag_result replay = {0};
    if (work_samples_gather(run->trace, run->recorded, &samples, &replay, err) != 0)
        return -1;
    if (recording->ranks_per_core > 1 && !samples.has_cpu_times)
        return error_set(err,
                         "%s: it has no CPU times (metric process_cpu_time), and without them "
                         "computing on shared cores cannot be told from waiting for them",
                         recording->path);
    add_samples(learning, index, definitions, &samples, &replay);
    return 0;
}

static int add_recording(struct learning *learning, size_t index, struct error *err)
{
    struct slowdown_recording *recording = &learning->fit.recordings[index];
    SCOPED_BY(replay_run_release) struct replay_run run = {0};
    if (replay_run_open(&run, recording->path, err) != 0)
        return -1;
    const struct definitions *definitions = trace_definitions(run.trace);
    if (learning->is_of_speeds)
        recording->ranks_per_core = (double)index;
    else if (find_ranks_per_core(definitions, recording->path, &recording->ranks_per_core, err) !=
             0)
        return -1;
    if (index > 0 && definitions->n_ranks != learning->n_ranks)
        return error_set(err,
                         "%s has %zu ranks and %s %zu: a program divides its work otherwise "
                         "among other numbers of ranks",
                         learning->fit.recordings[0].path, learning->n_ranks, recording->path,
                         definitions->n_ranks);
    learning->n_ranks = definitions->n_ranks;
    const char *executable = definitions_property(definitions, "PAGODA::EXECUTABLE");
    if (!learning->program)
        learning->program = utf8_clean(path_base_name(executable ? executable : ""));
    if (replay_run(&run, NULL, NULL, true, "replaying", err) != 0)
        return -1;
    return add_replayed(learning, index, &run, err);
}

/// 0, or -1 and ERR: PATH must not be written.
static int check_output(const char *path, bool overwrites, struct error *err)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && !overwrites
               ? error_set(err, "%s exists: choose another name with -o, or --force", path)
               : 0;
}

int learn_slowdown(char *const *traces, size_t n, bool of_speeds, const char *output,
                   bool overwrites, bool wants_json)
{
    const char *path = output ? output : of_speeds ? "speeds.xml" : "slowdown.xml";
    struct error err = {{0}};
    struct learning learning = {
        .is_of_speeds = of_speeds,
        .fit = {.recordings = memory_zeroed(n, sizeof *learning.fit.recordings),
                .n_recordings = n}};
    for (size_t i = 0; i < n; i++)
        learning.fit.recordings[i].path = traces[i];
    int status = check_output(path, overwrites, &err);
    for (size_t i = 0; i < n && status == 0; i++)
        status = add_recording(&learning, i, &err);
    if (status == 0)
        status = (of_speeds ? speed_fit : slowdown_fit)(&learning.fit, &err);
    if (status == 0)
        status = (of_speeds ? speed_fit_write : slowdown_fit_write)(&learning.fit, learning.program,
                                                                    path, &err);
    if (status == 0)
        (wants_json  ? json_print_slowdown
         : of_speeds ? text_print_speeds
                     : text_print_slowdown)(&learning.fit, path, stdout);
    slowdown_fit_release(&learning.fit);
    free(learning.program);
    return log_outcome(status, false, &err);
}
