// SPDX-License-Identifier: BSD-3-Clause
// Measured replays into a database that is removed after the comparison.

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/advise/advise.h"
#include "analyzer/base/cleanup.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/cmd/compared_traces.h"
#include "analyzer/replay/replay_run.h"
#include "db/database.h"
#include "db/store.h"

bool is_trace(const char *path)
{
    return text_ends_in(path, ".otf2") || path_is_folder(path);
}

int trace_store(const char *database, const char *trace, const struct catalogue *catalogue,
                const struct store_names *names, bool *is_unreadable, struct error *err)
{
    SCOPED_BY(replay_run_release) struct replay_run run;
    int status = replay_run_open(&run, trace, err);
    if (status == 0)
        status = replay_run(&run, catalogue, NULL, false, "replaying", err);
    if (status == 0) {
        findings_leave_unproven(&run.result, NULL);
        status = store_result(database, &run.result, names, err);
    }
    if (status == 0)
        *is_unreadable |= damage_warn(&run.result);
    return status;
}

/// What the trial of an interval is called; the caller frees.
static char *interval_name(const char *trace, const struct interval *interval)
{
    return memory_format("%s %s", trace, interval->what);
}

/// Where results of intervals go.
struct interval_target {
    struct compared_traces *traces;
    const char *trace;
};

static int add_interval(void *context, const struct interval *interval, struct result *result,
                        struct error *err)
{
    const struct interval_target *target = context;
    struct compared_traces *traces = target->traces;
    if (!traces->has_unreadable_records) // of one trace: said once
        traces->has_unreadable_records |= damage_warn(result);
    if (interval_check_result(interval, result, err) != 0)
        return -1;
    SCOPED char *name = interval_name(target->trace, interval);
    const struct store_names names = {.experiment = "traces", .trial = name, .origin = "interval"};
    return store_result(traces->database, result, &names, err);
}

static int make_folder(struct compared_traces *traces, struct error *err)
{
    char *folder = memory_format("%s/pagoda-diff-XXXXXX", scratch_file_folder());
    if (!mkdtemp(folder)) {
        error_set(err, "cannot make the folder %s: %s", folder, strerror(errno));
        free(folder);
        return -1;
    }
    scratch_path_begin(folder);
    traces->folder = folder;
    traces->database = memory_format("%s/runs.db", folder);
    database_scratch_begin(traces->database);
    return 0;
}

static int begin(struct compared_traces *traces, struct error *err)
{
    *traces = (struct compared_traces){0};
    traces->catalogue = catalogue_load_shipped(NULL, 0, err);
    return traces->catalogue ? make_folder(traces, err) : -1;
}

int compared_traces_replay(struct compared_traces *traces, char *const *paths, size_t n,
                           struct error *err)
{
    int status = begin(traces, err);
    for (size_t i = 0; i < n && status == 0; i++) {
        bool is_stored = HAS_TEXT(paths, i, paths[i]);
        const struct store_names names = {.experiment = "traces", .trial = paths[i]};
        if (!is_stored)
            status = trace_store(traces->database, paths[i], traces->catalogue, &names,
                                 &traces->has_unreadable_records, err);
    }
    return status;
}

void compared_traces_remove(struct compared_traces *traces)
{
    if (traces->folder) {
        database_scratch_end(traces->database);
        scratch_path_end(traces->folder);
    }
    catalogue_free(traces->catalogue);
    FREE_ALL(traces->database, traces->folder);
    *traces = (struct compared_traces){0};
}

/// Calls READ for each interval in TEXT; *N is how many words there were.
static int for_each_word(const char *text,
                         int (*read)(void *user, const char *word, struct error *), void *user,
                         size_t *n, struct error *err)
{
    char *copy = memory_copy_text(text), *rest = copy, *word;
    int status = 0;
    *n = 0;
    while (status == 0 && (word = strsep(&rest, ",")) != NULL) {
        status = read(user, word, err);
        ++*n;
    }
    free(copy);
    return status;
}

static int check_word(void *user, const char *word, struct error *err)
{
    *(bool *)user |= interval_may_be_several(word);
    return interval_check(word, err);
}

int compared_intervals_check(const char *text, struct error *err)
{
    bool has_several = false;
    size_t n;
    if (for_each_word(text, check_word, &has_several, &n, err))
        return -1;
    return n > 1 || has_several
               ? 0
               : error_set(err, "there must be two intervals at least, not only %s", text);
}

struct finding {
    struct interval_list *list;
    struct interval_replay *replay;
};

static int find_word(void *user, const char *word, struct error *err)
{
    struct finding *finding = user;
    return interval_find(finding->list, finding->replay, word, err);
}

/// Finds the intervals that TEXT means, anew, and replays each once. As interval_replay().
static int replay_text(struct interval_replay *replay, const char *text, struct interval_list *list,
                       struct error *err)
{
    const struct interval_target *target = replay->context;
    struct finding finding = {list, replay};
    size_t n, n_once = 0;
    interval_list_release(list);
    int status = for_each_word(text, find_word, &finding, &n, err);
    if (status == 0 && list->n < 2)
        status = error_set(err, "%s is one interval of %s, there must be two at least", text,
                           target->trace);
    SCOPED struct interval *once = memory_new((list->n + 1) * sizeof *once); // without repetitions
    for (size_t i = 0; i < list->n; i++)
        if (!HAS_BY(list->items, i, what, list->items[i].what))
            once[n_once++] = list->items[i];
    if (status == 0)
        status = interval_replay(replay, once, n_once, err);
    return status;
}

int compared_intervals_replay(struct compared_traces *traces, const char *trace, const char *text,
                              struct compared_intervals *intervals, struct error *err)
{
    *intervals = (struct compared_intervals){0};
    struct interval_list *list = &intervals->list;
    struct interval_target target = {traces, trace};
    int status = begin(traces, err);
    struct interval_replay replay = {.trace = status == 0 ? trace_open(trace, err) : NULL,
                                     .corrects_clocks = true,
                                     .index = &PAG_INDEX_SETTINGS_DEFAULT,
                                     .catalogue = traces->catalogue,
                                     .each = add_interval,
                                     .context = &target,
                                     .max_bytes = INTERVAL_REPLAY_BYTES};
    status = replay.trace ? 1 : -1;
    while (status == 1) // again after the clocks were corrected
        status = replay_text(&replay, text, list, err);
    trace_close(replay.trace);
    intervals->names = memory_zeroed(list->n + 1, sizeof *intervals->names);
    for (size_t i = 0; i < list->n; i++)
        intervals->names[i] = interval_name(trace, &list->items[i]);
    return status;
}

void compared_intervals_release(struct compared_intervals *intervals)
{
    memory_free_each(intervals->names, intervals->list.n);
    interval_list_release(&intervals->list);
}
