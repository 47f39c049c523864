// SPDX-License-Identifier: BSD-3-Clause
// One traced run as a child process (see sweep_launch.h). The child is a process group of its own,
// so that a signal from the terminal reaches it once, through this process, and so that what does
// not end when asked can be killed together.
#include "analyzer/cmd/sweep_launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/base/memory.h"

static const uint64_t second_ns = 1000000000;
static const uint64_t grace_ns = 10 * second_ns; // between SIGTERM and SIGKILL

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * second_ns + (uint64_t)now.tv_nsec;
}

static void redirect(const char *dir, const char *name, int to)
{
    char *path = memory_format("%s/%s", dir, name);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file < 0 || dup2(file, to) < 0)
        _exit(126);
    if (file != to)
        close(file);
    free(path);
}

/// In the child.
static void run(char **line, const char *dir, pid_t parent, const sigset_t *mask)
{
    size_t n = 0;
    while (line[n])
        n++;
    char *trace = memory_format("%s/trace", dir);
    const char *head[] = {"pagoda", "trace", "-o", trace, "--"};
    const size_t n_head = sizeof head / sizeof head[0];
    const char **words = memory_zeroed(n_head + n + 1, sizeof *words);
    memcpy(words, head, sizeof head);
    memcpy(words + n_head, line, n * sizeof *words);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) // it has ended in between
        _exit(126);
    int input = open("/dev/null", O_RDONLY);
    if (input < 0 || dup2(input, STDIN_FILENO) < 0)
        _exit(126);
    if (input != STDIN_FILENO)
        close(input);
    redirect(dir, "stdout", STDOUT_FILENO);
    redirect(dir, "stderr", STDERR_FILENO);
    sigprocmask(SIG_SETMASK, mask, NULL);
    execv("/proc/self/exe", (char **)words);
    _exit(127);
}

/// Waits for the child's end, a signal, or UNTIL_NS (0: without end). Returns the signal, SIGCHLD
/// for the child, 0 when the time is over.
static int await(const sigset_t *signals, uint64_t until_ns)
{
    for (;;) {
        uint64_t now = now_ns();
        uint64_t rest_ns = until_ns > now ? until_ns - now : 0;
        struct timespec rest = {(time_t)(rest_ns / second_ns), (long)(rest_ns % second_ns)};
        int signal = until_ns ? sigtimedwait(signals, NULL, &rest) : sigwaitinfo(signals, NULL);
        if (signal > 0)
            return signal;
        if (errno != EINTR)
            return 0;
    }
}

/// Waits for the child PID in the limits. What waitpid() says.
static int wait_for(pid_t pid, const sigset_t *signals, uint64_t limit_ns, struct sweep_end *end)
{
    uint64_t until_ns = limit_ns ? now_ns() + limit_ns : 0;
    bool is_asked = false;
    int status = 0;
    for (;;) {
        pid_t ended = waitpid(pid, &status, WNOHANG);
        if (ended == pid || (ended < 0 && errno != EINTR))
            return status;
        int signal = await(signals, until_ns);
        if (signal == SIGCHLD)
            continue;
        if (signal == 0 && is_asked) {
            kill(-pid, SIGKILL);
            until_ns = 0;
            continue;
        }
        end->is_interrupted = end->is_interrupted || signal != 0;
        end->is_over_limit = end->is_over_limit || signal == 0;
        kill(pid, SIGTERM); // pagoda trace hands it on
        if (!is_asked)
            until_ns = now_ns() + grace_ns;
        is_asked = true;
    }
}

int sweep_launch(char **line, const char *dir, uint64_t limit_ns, struct sweep_end *end,
                 struct error *err)
{
    static const int numbers[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP};
    sigset_t signals, before;
    sigemptyset(&signals);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct sigaction action;
        sigaction(numbers[i], NULL, &action);
        if (numbers[i] == SIGCHLD || action.sa_handler != SIG_IGN) // nohup
            sigaddset(&signals, numbers[i]);
    }
    sigprocmask(SIG_BLOCK, &signals, &before);
    *end = (struct sweep_end){0};
    uint64_t begin_ns = now_ns();
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid == 0)
        run(line, dir, parent, &before);
    int status = 0;
    if (pid > 0)
        status = wait_for(pid, &signals, limit_ns, end);
    else
        error_set(err, "cannot start a process: %s", strerror(errno));
    sigprocmask(SIG_SETMASK, &before, NULL);
    end->wall_ns = now_ns() - begin_ns;
    end->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return pid > 0 ? 0 : -1;
}
