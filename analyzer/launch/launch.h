// SPDX-License-Identifier: BSD-3-Clause
// What a launch line consists of: wrappers, MPI launcher, program.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum launcher_kind { LAUNCHER_NONE, LAUNCHER_OPEN_MPI, LAUNCHER_HYDRA, LAUNCHER_SRUN };

struct launch {
    int launcher;            // index of mpirun, srun or their like, -1: none seen (a script)
    enum launcher_kind kind; // of the launcher
    int program;             // index of the program, -1: not recognised
    char path[4096];         // of the program's file, empty: not recognised
};

/// Looks at a launch line that ends in NULL. What it finds is a guess: scripts hide what they
/// start, so nothing that decides about tracing rests on it.
struct launch launch_inspect(char **line);

/// A NULL-terminated copy of LINE in which an option makes the launcher hand on the variables NAMES
/// (NULL-terminated) where it would not: `-x NAME` for Open MPI's, a longer `--export=` where srun
/// has one. The caller frees with words_free().
char **launch_with_exports(char **line, const struct launch *launch, const char *const *names);

/// True if the file is an ELF program that no library can be preloaded into.
bool launch_is_static(const char *path);

/// What srun's --export or the variable SLURM_EXPORT_ENV must be instead of VALUE so that the
/// variables NAMES (NULL-terminated) are exported, too. NULL: VALUE exports everything anyway. The
/// caller frees.
char *launch_export_with(const char *value, const char *const *names);

// --- children.c
// The processes that `pagoda trace` starts: the launch line, and the writer of the archive.

/// Exit statuses of pagoda-trace-finish.
enum { FINISHER_NO_RECORDS = 4, FINISHER_REFUSED = 5, FINISHER_ALIVE = 6 };

/// Variables that the processes traced by LIBRARY need, up to NULL.
const char *const *trace_exports(const char *library);

/// LD_PRELOAD cannot hold a path with a blank or a colon. With a blank the library is found through
/// LD_LIBRARY_PATH, which does not split there. False: neither can hold this path.
bool trace_can_preload(const char *library);

/// What pagoda-trace-finish said of the first run.
struct trace_finished {
    int status;
    unsigned n_ranks;
    unsigned long long n_events;
    unsigned n_runs;
    unsigned n_runs_of_one; // rank
    unsigned n_open;        // ranks that ended without MPI_Finalize
    unsigned long long recording_ns,
        counted_ns; // what recording took, of how much of a rank's time
};

/// From now on signals go to the launch line, and end this process only with it.
void trace_forward_signals(void);

/// Runs LINE with LIBRARY preloaded (NULL: untraced) and waits for its end. Returns what
/// waitpid() says, or -1 with errno: not started.
int trace_run_line(char **line, const char *library, const char *spool);

/// Makes the archive in DIR from the records in SPOOL; processes that still record are waited for
/// up to WAIT seconds. Failures are reported on stderr.
struct trace_finished trace_finish(const char *dir, const char *spool, const char *wait);

// --- facts
// What the archive of a traced run says about its launch: command, folder, date, and the version of
// the sources as far as git knows it.

/// Writes the facts of the launch line LINE (up to NULL) in the form pagoda-trace-finish reads.
/// The version is that of the repository that holds the file PROGRAM (empty: not known), else of
/// the one that holds the working folder. Asks the git command and waits some seconds for it at
/// most; without git there is no version, which is not an error.
void launch_facts_write(char **line, const char *program, FILE *file);

/// Writes how long the launch line took.
void launch_facts_add_time(uint64_t time_ns, FILE *file);
