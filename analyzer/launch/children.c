// SPDX-License-Identifier: BSD-3-Clause
// Children of `pagoda trace` and their signals, see launch.h.
#include "analyzer/launch/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyzer/base/bundled.h"
#include "analyzer/base/error.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

#define FINISHER "pagoda-trace-finish"

static volatile sig_atomic_t child;
static volatile sig_atomic_t
    finisher; // the child is FINISHER, which has a process group of its own
static volatile sig_atomic_t n_asked_to_end;

static bool asks_to_end(int number)
{
    return number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT;
}

/// Signals from the terminal reach the program by themselves (same process group); those sent to
/// this process are passed on. What ended the program may come more than once and late: only the
/// second request from then on keeps the archive from being written.
static void forward(int number, siginfo_t *info, void *context)
{
    static const char notice[] = "pagoda: writing the archive; a second signal leaves the records "
                                 "for pagoda trace --finish\n";
    (void)context;
    if (!finisher) {
        if (child > 0 && info->si_code <= 0)
            kill((pid_t)child, number);
    } else if (asks_to_end(number) && n_asked_to_end++ > 0) {
        kill((pid_t)finisher, number);
    } else if (asks_to_end(number) && write(STDERR_FILENO, notice, sizeof notice - 1) < 0) {
        n_asked_to_end = 1; // none listens
    }
}

static const int forwarded[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGUSR1,
                                SIGUSR2, SIGALRM, SIGCONT, SIGTSTP, SIGWINCH};
enum { n_forwarded = sizeof forwarded / sizeof forwarded[0] };
static struct sigaction actions_before[n_forwarded];

void trace_forward_signals(void)
{
    struct sigaction action = {.sa_sigaction = forward, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigfillset(&action.sa_mask);
    for (int i = 0; i < n_forwarded; i++)
        sigaction(forwarded[i], &action, &actions_before[i]);
}

static void forward_no_signals(void)
{
    for (int i = 0; i < n_forwarded; i++)
        sigaction(forwarded[i], &actions_before[i], NULL);
}

/// The sanitizer's library refuses to start after another preloaded one; the tracer defines
/// nothing that it needs to come first for.
static void allow_address_sanitizer(void)
{
    const char *options = getenv("ASAN_OPTIONS");
    SCOPED char *with = options && *options ? memory_format("%s:verify_asan_link_order=0", options)
                                            : memory_copy_text("verify_asan_link_order=0");
    setenv("ASAN_OPTIONS", with, 1);
}

const char *const *trace_exports(const char *library)
{
    static const char *const names[] = {"LD_LIBRARY_PATH", "LD_PRELOAD", "PAGODA_SPOOL", NULL};
    return strchr(library, ' ') ? names : names + 1;
}

bool trace_can_preload(const char *library)
{
    return !strpbrk(library, strchr(library, ' ') ? ":;" : ":");
}

/// FIRST before what the variable holds, if anything.
static void prepend(const char *name, const char *first)
{
    const char *inherited = getenv(name);
    SCOPED char *both = inherited && *inherited ? memory_format("%s:%s", first, inherited) : NULL;
    setenv(name, both ? both : first, 1);
}

/// For the program. A batch job submitted with --export has SLURM_EXPORT_ENV, which then keeps
/// other variables from what srun starts.
static void set_environment(const char *library, const char *spool)
{
    const char *exported = getenv("SLURM_EXPORT_ENV");
    SCOPED char *more = exported ? launch_export_with(exported, trace_exports(library)) : NULL;
    if (strchr(library, ' ')) {
        const char *name = strrchr(library, '/') + 1;
        SCOPED char *folder = memory_format("%.*s", (int)(name - 1 - library), library);
        prepend("LD_LIBRARY_PATH", folder);
        prepend("LD_PRELOAD", name);
    } else {
        prepend("LD_PRELOAD", library);
    }
    setenv("PAGODA_SPOOL", spool, 1);
    if (more)
        setenv("SLURM_EXPORT_ENV", more, 1);
    allow_address_sanitizer();
}

int trace_run_line(char **line, const char *library, const char *spool)
{
    int report[2]; // tells of a failed exec; closed by a successful one
    int error = 0;
    int status = 0;
    if (pipe2(report, O_CLOEXEC) != 0)
        return -1;
    child = fork();
    if (child == 0) {
        forward_no_signals();
        if (library)
            set_environment(library, spool);
        execvp(line[0], line);
        error = errno;
        if (write(report[1], &error, sizeof error) != (ssize_t)sizeof error)
            _exit(126);
        _exit(127);
    }
    close(report[1]);
    if (child < 0 || read(report[0], &error, sizeof error) == (ssize_t)sizeof error)
        error = child < 0 ? errno : error;
    close(report[0]);
    while (child > 0 && waitpid((pid_t)child, &status, 0) < 0 && errno == EINTR)
        continue;
    child = 0;
    errno = error;
    return error ? -1 : status;
}

static void say_ended(const char *dir, const char *spool, int number)
{
    if (asks_to_end(number)) {
        SCOPED char *word = shell_path(dir);
        log_error("the archive was not written (interrupted): the records are kept in %s, and "
                  "pagoda trace --finish %s makes it",
                  spool, word);
    } else {
        log_error("cannot write the archive in %s (" FINISHER " ended by signal %d, which a full "
                  "disk may cause): the records are kept in %s",
                  dir, number, spool);
    }
}

struct trace_finished trace_finish(const char *dir, const char *spool, const char *wait)
{
    struct trace_finished finished = {.status = 1};
    SCOPED char *program = program_part(FINISHER);
    char line[256];
    int out[2];
    if (!program || pipe2(out, O_CLOEXEC) != 0) {
        log_error("cannot find " FINISHER ", which makes the archive: the records are kept in %s",
                  spool);
        return finished;
    }
    pid_t pid = fork();
    if (pid == 0) {
        setpgid(0, 0);
        for (int i = 0; i < n_forwarded; i++)
            signal(forwarded[i], SIG_DFL);
        dup2(out[1], STDOUT_FILENO);
        signal(SIGXFSZ, SIG_IGN); // a file too large is an error it can report
        execl(program, FINISHER, spool, dir, wait, (char *)NULL);
        _exit(1);
    }
    finisher = pid > 0 ? pid : 0;
    close(out[1]);
    FILE *answers = fdopen(out[0], "r");
    while (answers && fgets(line, sizeof line, answers)) {
        unsigned n_ranks;
        unsigned n_open;
        unsigned long long n_events, recording_ns, counted_ns;
        if (sscanf(line, "ranks %u locations %*u events %llu open %u recording %llu of %llu",
                   &n_ranks, &n_events, &n_open, &recording_ns, &counted_ns) != 5)
            continue;
        finished.n_runs_of_one += n_ranks == 1;
        if (finished.n_runs++ == 0) {
            finished.n_ranks = n_ranks;
            finished.n_events = n_events;
            finished.n_open = n_open;
            finished.recording_ns = recording_ns;
            finished.counted_ns = counted_ns;
        }
    }
    if (answers)
        fclose(answers);
    int status = 0;
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    finisher = 0;
    if (pid > 0 && WIFEXITED(status))
        finished.status = WEXITSTATUS(status);
    else if (pid > 0)
        say_ended(dir, spool, WTERMSIG(status));
    else
        log_error("cannot start " FINISHER ": the records are kept in %s", spool);
    return finished;
}
