// SPDX-License-Identifier: BSD-3-Clause
// What tells the tracer what to record: the environment of `pagoda trace`, and the lines that the
// recorder is left (tracer/record/settings.c). Of a valid environment the recorder gets valid
// settings, whatever stands in it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/memory.h"
#include "analyzer/launch/settings.h"
#include "tests/fuzz/fuzz.h"
#include "tests/tools/lib/scratch.h"
#include "tracer/record/region.h"
#include "tracer/record/settings.h"

/// As a process has them that begins.
static void forget_settings(void)
{
    static struct settings defaults;
    if (defaults.buffer_bytes == 0)
        defaults = settings;
    FREE_MEMBERS(settings.rules, settings.n_rules, pattern);
    free(settings.rules);
    for (size_t i = 0; i < settings.n_counters; i++)
        free(settings.counters[i]);
    FREE_ALL(settings.start_at, settings.stop_at);
    settings = defaults;
}

/// Reads FOLDER/settings and asks what it says. 0 when the recorder can work with that.
static int record_by(const char *folder)
{
    static const char *const names[] = {"open", "fwrite"};
    bool is_excluded[2] = {false};
    forget_settings();
    settings_read(folder);
    filter_init();
    filter_name("solve");
    filter_name("_ZN2ns5solveEi");
    filter_names(names, 2, is_excluded);
    filter_excludes_mpi("MPI_Send");
    settings_keep_variable("OMP_NUM_THREADS");
    return settings.buffer_bytes < 65536 || settings.buffer_bytes % 65536 != 0 ||
           settings.n_windows > SETTINGS_WINDOWS || settings.n_counters > SETTINGS_COUNTERS;
}

void fuzz_settings_write(const char *path)
{
    static const char text[] =
        "call_stack=3\nmin_duration=5000\nmax_bytes=1000000\nbuffer_bytes=131072\nfiles=mpi\n"
        "counter=cycles\ncounter=a::b\nstart_at=begin\nstop_at=end\nwindow=5-10\nwindow=20-"
        "18446744073709551615\nenv=OMP_*\n"
        "exclude_region=ns::*\ninclude_region=solve\nexclude_mangled=_Z*\nexclude_file=*.h\n"
        "exclude_function=MPI_T_*\n";
    SCOPED char *file = memory_format("%s/" SETTINGS_FILE, path);
    mkdir(path, 0777);
    scratch_write(file, text, sizeof text - 1);
}

int fuzz_settings(const char *path, char *text, struct error *err)
{
    return record_by(path);
}

/// What a valid environment says, as the recorder has it.
static bool is_valid(void)
{
    for (size_t i = 0; i < settings.n_windows; i++)
        if (settings.windows[i].from_ns >= settings.windows[i].to_ns ||
            (i > 0 && settings.windows[i].from_ns <= settings.windows[i - 1].to_ns))
            return false;
    return settings.call_stack <= 64 &&
           (settings.max_bytes == 0 || settings.max_bytes >= settings.buffer_bytes) &&
           !(settings.n_windows > 0 && (settings.start_at || settings.stop_at));
}

/// Hands what ENVIRON says over to the recorder, which reads it in the new folder FOLDER.
static int hand_over(const char *folder, struct error *err)
{
    struct trace_settings chosen;
    trace_settings_init(&chosen);
    int result = trace_settings_resolve(&chosen, err);
    if (result == 0) {
        SCOPED char *path = memory_format("%s/" SETTINGS_FILE, folder), *shown = NULL;
        size_t size_bytes;
        mkdir(folder, 0777);
        FILE *file = fopen(path, "w"), *stream = open_memstream(&shown, &size_bytes);
        trace_settings_write(&chosen, file);
        fclose(file);
        trace_settings_print(&chosen, stream);
        fclose(stream);
        result = record_by(folder) != 0 || !is_valid();
        scratch_remove(memory_copy_text(folder));
    }
    trace_settings_release(&chosen);
    return result;
}

int fuzz_environment(const char *path, char *text, struct error *err)
{
    enum { MOST_VARIABLES = 64 };
    char *variables[MOST_VARIABLES + 1] = {NULL}, **kept = environ;
    size_t n = 0;
    for (char *line; n < MOST_VARIABLES && (line = strsep(&text, "\n"));)
        if (*line != '\0') // getenv() reads two bytes of each
            variables[n++] = line;
    SCOPED char *folder = memory_format("%s.spool", path);
    environ = variables;
    int result = hand_over(folder, err);
    environ = kept;
    return result;
}
