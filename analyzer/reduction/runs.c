// SPDX-License-Identifier: BSD-3-Clause
// Runs of a program (see reduction.h). A traced one is a `pagoda trace` of its own; how long its
// launch line took is a property of its archive, so that the making of the archive does not count.
#include "analyzer/reduction/reduction.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyzer/base/cleanup.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/launch/process.h"

int reduce_runs_begin(struct reduce_runs *runs, const char *dir, struct error *err)
{
    char *own = dir ? NULL : memory_copy_text("pagoda-reduce-XXXXXX");
    if (dir ? mkdir(dir, 0777) != 0 : !mkdtemp(own)) {
        error_set(err, "cannot make the folder %s: %s", dir ? dir : own, strerror(errno));
        free(own);
        return -1;
    }
    runs->dir = dir ? memory_copy_text(dir) : own;
    runs->is_own_dir = !dir;
    return 0;
}

void reduce_runs_end(struct reduce_runs *runs, bool keeps)
{
    if (runs->dir && runs->is_own_dir && !keeps)
        scratch_folder_remove(runs->dir, NULL);
    free(runs->dir);
    runs->dir = NULL;
}

/// Runs PROGRAM with WORDS once; its output goes to files of that NAME.
static int run_once(const struct reduce_runs *runs, const char *name, const char *program,
                    char **words, uint64_t *wall_ns, struct error *err)
{
    struct process_end end;
    SCOPED char *output = memory_format("%s/%s.stdout", runs->dir, name);
    SCOPED char *errors = memory_format("%s/%s.stderr", runs->dir, name);
    const struct process_start start = {
        .program = program, .words = words, .output = output, .errors = errors, .hands_on = true};
    int status = process_run(&start, &end, err);
    if (status == 0 && end.is_interrupted)
        status = error_set(err, "interrupted");
    else if (status == 0 && end.status != 0)
        status = error_set(err, "the %s run failed with exit status %d: see %s", name, end.status,
                           errors);
    *wall_ns = end.wall_ns;
    return status;
}

static void add_all(char ***words, char *const *more)
{
    for (size_t i = 0; more[i]; i++)
        words_add(words, more[i]);
}

int reduce_runs_untraced(const struct reduce_runs *runs, uint64_t *wall_ns, struct error *err)
{
    SCOPED_BY(words_leave) char **words = NULL;
    words_add(&words, "env"); // finds the launcher
    add_all(&words, runs->line);
    int status = 0;
    *wall_ns = UINT64_MAX;
    for (uint64_t i = 0; status == 0 && i < runs->n_repetitions; i++) {
        uint64_t once_ns;
        status = run_once(runs, "untraced", "/usr/bin/env", words, &once_ns, err);
        *wall_ns = once_ns < *wall_ns ? once_ns : *wall_ns;
    }
    return status;
}

/// One traced run, and its profile.
static int trace_once(const struct reduce_runs *runs, const char *name, const char *dir,
                      const char *filter, struct reduce_profile *profile, struct error *err)
{
    uint64_t wall_ns;
    const char *const begin[] = {"pagoda", "trace", "-o", dir, filter ? "--filter" : NULL,
                                 filter,   NULL};
    SCOPED_BY(words_leave) char **words = NULL;
    for (size_t i = 0; begin[i]; i++)
        words_add(&words, begin[i]);
    words_add(&words, "--");
    add_all(&words, runs->line);
    int status = run_once(runs, name, PROCESS_PAGODA, words, &wall_ns, err);
    if (status == 0)
        status = reduce_profile_of_trace(profile, dir, err);
    return status;
}

int reduce_runs_traced(const struct reduce_runs *runs, const char *name, const char *filter,
                       struct reduce_profile *profile, uint64_t *wall_ns, struct error *err)
{
    int status = 0;
    *wall_ns = UINT64_MAX;
    *profile = (struct reduce_profile){0};
    for (uint64_t i = 0; status == 0 && i < runs->n_repetitions; i++) {
        SCOPED_BY(reduce_profile_release) struct reduce_profile other = {0};
        SCOPED char *dir = i == 0 ? memory_format("%s/%s", runs->dir, name)
                                  : memory_format("%s/%s-again", runs->dir, name);
        status = trace_once(runs, name, dir, filter, i == 0 ? profile : &other, err);
        uint64_t once_ns = i == 0 ? profile->launch_ns : other.launch_ns;
        *wall_ns = once_ns < *wall_ns ? once_ns : *wall_ns;
        if (i > 0 && status == 0)
            status = scratch_folder_remove(dir, err);
    }
    return status;
}
