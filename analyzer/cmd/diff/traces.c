// SPDX-License-Identifier: BSD-3-Clause
// Measured replays into a database that is removed after the comparison (see traces.h).
#include "analyzer/cmd/diff/traces.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/scratch_file.h"
#include "analyzer/cmd/damage.h"
#include "analyzer/replay/interval.h"
#include "analyzer/replay/replay_run.h"
#include "db/store.h"

bool diff_is_trace(const char *path)
{
    struct stat status;
    size_t length = strlen(path);
    return (length > 5 && !strcmp(path + length - 5, ".otf2")) ||
           (stat(path, &status) == 0 && S_ISDIR(status.st_mode));
}

/// Replays TRACE and stores the result as the trial NAME.
static int add(struct diff_traces *traces, const char *trace, const char *name, struct error *err)
{
    struct replay_run run;
    const struct store_names names = {.experiment = "traces", .trial = name, .origin = "measured"};
    int status = replay_run_open(&run, trace, err);
    if (status == 0)
        status = replay_run(&run, traces->catalogue, NULL, false, "replaying", err);
    if (status == 0)
        traces->has_unreadable_records |= damage_warn(&run.result);
    if (status == 0)
        status = store_result(traces->database, &run.result, &names, err);
    replay_run_release(&run);
    return status;
}

char *diff_traces_name(const char *trace, const struct interval *interval)
{
    return memory_format("%s %s", trace, interval->what);
}

/// Where results of intervals go.
struct interval_target {
    struct diff_traces *traces;
    const char *trace;
};

static int add_interval(void *context, const struct interval *interval, const struct result *result,
                        struct error *err)
{
    const struct interval_target *target = context;
    struct diff_traces *traces = target->traces;
    if (!traces->has_unreadable_records) // of one trace: said once
        traces->has_unreadable_records |= damage_warn(result);
    if (interval_check_result(interval, result, err) != 0)
        return -1;
    char *name = diff_traces_name(target->trace, interval);
    const struct store_names names = {.experiment = "traces", .trial = name, .origin = "interval"};
    int status = store_result(traces->database, result, &names, err);
    free(name);
    return status;
}

int diff_traces_add(struct diff_traces *traces, const char *trace, const struct interval *intervals,
                    size_t n, struct error *err)
{
    struct interval_target target = {traces, trace};
    struct interval_replay replay = {.trace = trace,
                                     .catalogue = traces->catalogue,
                                     .each = add_interval,
                                     .context = &target,
                                     .max_bytes = INTERVAL_REPLAY_BYTES};
    return interval_replay(&replay, intervals, n, err);
}

static int make_folder(struct diff_traces *traces, struct error *err)
{
    char *folder = memory_format("%s/pagoda-diff-XXXXXX", scratch_file_folder());
    if (!mkdtemp(folder)) {
        error_set(err, "cannot make the folder %s: %s", folder, strerror(errno));
        free(folder);
        return -1;
    }
    traces->folder = folder;
    traces->database = memory_format("%s/runs.db", folder);
    return 0;
}

int diff_traces_begin(struct diff_traces *traces, struct error *err)
{
    *traces = (struct diff_traces){0};
    traces->catalogue = catalogue_load_shipped(NULL, 0, err);
    return traces->catalogue ? make_folder(traces, err) : -1;
}

int diff_traces_replay(struct diff_traces *traces, char *const *paths, size_t n, struct error *err)
{
    int status = diff_traces_begin(traces, err);
    for (size_t i = 0; i < n && status == 0; i++) {
        bool is_stored = false;
        for (size_t j = 0; j < i; j++)
            is_stored |= !strcmp(paths[i], paths[j]);
        if (!is_stored)
            status = add(traces, paths[i], paths[i], err);
    }
    return status;
}

void diff_traces_remove(struct diff_traces *traces)
{
    static const char *const endings[] = {"", "-wal", "-shm", "-journal"};
    for (size_t i = 0; traces->database && i < sizeof endings / sizeof endings[0]; i++) {
        char *file = memory_format("%s%s", traces->database, endings[i]);
        unlink(file);
        free(file);
    }
    if (traces->folder)
        rmdir(traces->folder);
    catalogue_free(traces->catalogue);
    free(traces->database);
    free(traces->folder);
    *traces = (struct diff_traces){0};
}
