// SPDX-License-Identifier: BSD-3-Clause
// One run as a child process (see launch.h), with a guard in between. Both are process groups
// of their own, so that a signal from the terminal reaches the run once, through this process, and
// so that what does not end when asked can be killed together.
#include "analyzer/launch/process.h"
#include "analyzer/base/memory.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS UINT64_C(1000000000)
#define GRACE_NS  (5 * SECOND_NS) // between SIGTERM and SIGKILL

uint64_t process_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

static void redirect(const char *path, int flags, int to)
{
    int file = open(path, flags, 0666);
    if (file < 0 || dup2(file, to) < 0)
        _exit(126);
    if (file != to)
        close(file);
}

/// In the child.
static void run(const struct process_start *start, pid_t parent, const sigset_t *mask)
{
    const int writes = O_WRONLY | O_CREAT | O_APPEND;
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) // it has ended in between
        _exit(126);
    redirect("/dev/null", O_RDONLY, STDIN_FILENO);
    redirect(start->output, writes, STDOUT_FILENO);
    redirect(start->errors, writes, STDERR_FILENO);
    sigprocmask(SIG_SETMASK, mask, NULL);
    execv(start->program, start->words);
    _exit(127);
}

/// Waits for the child's end, a signal, or UNTIL_NS (0: without end). Returns the signal, SIGCHLD
/// for the child, 0 when the time is over.
static int await(const sigset_t *signals, uint64_t until_ns)
{
    for (;;) {
        uint64_t now = process_now_ns();
        uint64_t rest_ns = until_ns > now ? until_ns - now : 0;
        struct timespec rest = {(time_t)(rest_ns / SECOND_NS), (long)(rest_ns % SECOND_NS)};
        int number = until_ns ? sigtimedwait(signals, NULL, &rest) : sigwaitinfo(signals, NULL);
        if (number > 0)
            return number;
        if (errno != EINTR)
            return 0;
    }
}

/// Waits for the child PID in the limits. What waitpid() says.
static int wait_for(pid_t pid, const sigset_t *signals, const struct process_start *start,
                    struct process_end *end)
{
    uint64_t until_ns = start->limit_ns ? process_now_ns() + start->limit_ns : 0;
    bool is_asked = false;
    int status = 0;
    for (;;) {
        pid_t ended = waitpid(pid, &status, WNOHANG);
        if (ended == pid || (ended < 0 && errno != EINTR))
            return status;
        int number = await(signals, until_ns);
        if (number == SIGCHLD)
            continue;
        if (number == 0 && is_asked) {
            kill(-pid, SIGKILL);
            until_ns = 0;
            continue;
        }
        end->is_interrupted = end->is_interrupted || number != 0;
        end->is_over_limit = end->is_over_limit || number == 0;
        kill(start->hands_on ? pid : -pid, SIGTERM);
        if (!is_asked)
            until_ns = process_now_ns() + GRACE_NS;
        is_asked = true;
    }
}

/// Kills the children of this process, which are also what its descendants have left behind. How
/// many there were.
static int kill_children(void)
{
    SCOPED_FOLDER DIR *folder = opendir("/proc");
    const struct dirent *entry;
    int n = 0;
    while (folder && (entry = readdir(folder))) {
        char path[300], line[512];
        int parent = 0;
        if (!isdigit((unsigned char)entry->d_name[0]))
            continue;
        snprintf(path, sizeof path, "/proc/%s/stat", entry->d_name);
        SCOPED_FILE FILE *file = fopen(path, "re");
        char *end = file && fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
        if (!end || sscanf(end, ") %*c %d", &parent) != 1 || parent != getpid())
            continue;
        kill((pid_t)atoi(entry->d_name), SIGKILL);
        n++;
    }
    return n;
}

/// A launcher that is killed may leave its daemons, and these the ranks, waiting for each other.
static void kill_descendants(void)
{
    for (int n = kill_children(); n > 0; n = kill_children())
        for (int i = 0; i < n; i++)
            waitpid(-1, NULL, 0);
}

/// In a process between this one and the run: however this one ends, the guard still ends a run
/// that ignores SIGTERM. Launchers sometimes hang if they get it while they start.
static void guard(const struct process_start *start, pid_t parent, int report,
                  const sigset_t *signals, const sigset_t *before)
{
    struct process_end end = {0};
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(1);
    pid_t self = getpid();
    pid_t pid = fork();
    if (pid == 0)
        run(start, self, before);
    if (pid < 0)
        _exit(1);
    setpgid(pid, pid); // the child does the same: either may be first
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    int status = wait_for(pid, signals, start, &end);
    if (end.is_interrupted || end.is_over_limit)
        kill_descendants();
    end.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    _exit(write(report, &end, sizeof end) == (ssize_t)sizeof end ? 0 : 1);
}

/// Starts the guard, waits for its end and hands on signals. 0, or -1: it left no report.
static int run_guarded(const struct process_start *start, const sigset_t *signals,
                       const sigset_t *before, struct process_end *end)
{
    int report[2];
    if (pipe2(report, O_CLOEXEC) != 0)
        return -1;
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid == 0)
        guard(start, parent, report[1], signals, before);
    close(report[1]);
    while (pid > 0 && waitpid(pid, NULL, WNOHANG) == 0)
        if (await(signals, 0) != SIGCHLD)
            kill(pid, SIGTERM);
    bool is_told = pid > 0 && read(report[0], end, sizeof *end) == (ssize_t)sizeof *end;
    close(report[0]);
    return is_told ? 0 : -1;
}

int process_run(const struct process_start *start, struct process_end *end, struct error *err)
{
    static const int numbers[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP};
    sigset_t signals, before;
    signal(SIGCHLD, SIG_DFL); // ignored, the end of the child could not be learnt
    sigemptyset(&signals);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct sigaction action = {0};
        sigaction(numbers[i], NULL, &action);
        if (numbers[i] == SIGCHLD || action.sa_handler != SIG_IGN) // nohup
            sigaddset(&signals, numbers[i]);
    }
    sigprocmask(SIG_BLOCK, &signals, &before);
    *end = (struct process_end){0};
    uint64_t begin_ns = process_now_ns();
    int status = run_guarded(start, &signals, &before, end);
    if (status != 0)
        error_set(err, "cannot start a process, or it was killed");
    sigprocmask(SIG_SETMASK, &before, NULL);
    end->wall_ns = process_now_ns() - begin_ns;
    return status;
}
