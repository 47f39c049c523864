// SPDX-License-Identifier: BSD-3-Clause
// See interval_replay.h. What an interval takes of memory is known after a replay only, so the
// first one serves a single interval.
#include "analyzer/replay/interval_replay.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/progress.h"
#include "analyzer/pag/pag.h"
#include "analyzer/pattern/part_matchers.h"
#include "analyzer/result/collect.h"
#include "analyzer/trace/reader.h"

/// One replay.
struct pass {
    const struct interval_replay *replay;
    struct trace *trace;
    const struct interval *intervals;
    struct part_matchers *matchers;
    struct progress progress;
    size_t bytes_each; // memory that an interval takes
    int status;        // of replay->each
    struct error *err;
};

static void on_root(void *context, const struct root *root)
{
    struct pass *pass = context;
    part_matchers_root(pass->matchers, root);
}

static void on_reached(void *context, uint64_t time_ns)
{
    struct pass *pass = context;
    progress_update(&pass->progress, time_ns);
}

static void on_part(void *context, size_t part, const struct pag_result *found)
{
    struct pass *pass = context;
    const struct interval *interval = &pass->intervals[part];
    struct result result = {0};
    if (pass->status != 0)
        return;
    collect_result(&(struct collect_input){.trace = pass->trace,
                                           .catalogue = pass->replay->catalogue,
                                           .matcher = part_matchers_at(pass->matchers, part),
                                           .replay = found,
                                           .interval = interval->what,
                                           .is_phase = interval->is_phase},
                   &result);
    pass->status = pass->replay->each(pass->replay->context, interval, &result, pass->err);
    result_release(&result);
}

/// Replays the archive once for N intervals.
static int run_pass(struct pass *pass, size_t n, struct error *err)
{
    const struct definitions *definitions = trace_definitions(pass->trace);
    const struct pag_part **parts = memory_new(n * sizeof(const struct pag_part *));
    for (size_t i = 0; i < n; i++)
        parts[i] = pass->intervals[i].parts;
    pass->matchers = part_matchers_new(pass->replay->catalogue, definitions, parts, n);
    struct pag_options options = PAG_OPTIONS_DEFAULT;
    options.explains = false;
    options.parts = parts;
    options.n_parts = n;
    const struct pag_listener listener = {
        .context = pass, .root = on_root, .reached = on_reached, .part = on_part};
    struct pag_result result;
    progress_begin(&pass->progress, "replaying", definitions->length_ns);
    int status = pag_run(pass->trace, &options, &listener, &result, err);
    progress_end(&pass->progress);
    if (status != 0)
        error_wrap(err, "cannot replay %s", trace_path(pass->trace));
    size_t bytes = part_matchers_bytes(pass->matchers) / n + pag_part_bytes(&result);
    pass->bytes_each = bytes > pass->bytes_each ? bytes : pass->bytes_each;
    pag_result_release(&result);
    part_matchers_free(pass->matchers);
    free(parts);
    return status != 0 ? status : pass->status;
}

int interval_replay(struct interval_replay *replay, const struct interval *intervals, size_t n,
                    struct error *err)
{
    struct pass pass = {.replay = replay, .intervals = intervals, .err = err};
    struct trace *first = NULL;
    int status = 0;
    for (size_t n_pass = 1; n > 0 && status == 0; n -= n_pass, pass.intervals += n_pass) {
        pass.trace = first ? trace_again(first, err) : trace_open(replay->trace, err);
        first = first ? first : pass.trace;
        if (pass.bytes_each > 0)
            n_pass = replay->max_bytes / pass.bytes_each;
        n_pass = n_pass < 1 ? 1 : n_pass > n ? n : n_pass;
        status = pass.trace ? run_pass(&pass, n_pass, err) : -1;
        replay->n_passes++;
        trace_give_back(first, pass.trace);
    }
    trace_close(first);
    return status;
}
