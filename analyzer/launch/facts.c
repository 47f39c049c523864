// SPDX-License-Identifier: BSD-3-Clause
// See facts.h.
#include "analyzer/launch/facts.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_SECONDS = 5 };

struct revision {
    char commit[65];  // empty: no repository, or no git command
    char modified[4]; // "yes", "no", or empty: not known
    char branch[256]; // empty: none is checked out, or not known
    char tag[256];    // of this very commit, the nearest one if it has several; empty: none
};

/// First line of what `git -C FOLDER ARGUMENTS` prints. False: it failed, or took too long.
static bool ask_git(const char *folder, const char *const *arguments, char *line, size_t size)
{
    const char *command[12] = {"git", "--no-optional-locks", "-C", folder};
    int out[2];
    int n = 4;
    int status = -1;
    size_t length = 0;
    ssize_t got;
    char rest[4096];
    while (*arguments && n < 11)
        command[n++] = *arguments++;
    if (pipe2(out, O_CLOEXEC) != 0)
        return false;
    pid_t pid = fork();
    if (pid == 0) {
        int nowhere = open("/dev/null", O_RDWR);
        dup2(nowhere, STDIN_FILENO);
        dup2(out[1], STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
        alarm(MOST_SECONDS);
        execvp("git", (char *const *)command);
        _exit(127);
    }
    close(out[1]);
    while (pid > 0 && (got = read(out[0], rest, sizeof rest)) != 0) {
        if (got < 0 && errno != EINTR)
            break;
        for (ssize_t i = 0; i < got; i++)
            if (length + 1 < size)
                line[length++] = rest[i];
    }
    close(out[0]);
    line[length] = '\0';
    line[strcspn(line, "\n")] = '\0';
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool find_in(const char *folder, struct revision *revision)
{
    static const char *const head[] = {"rev-parse", "--verify", "HEAD", NULL};
    static const char *const changes[] = {"status", "--porcelain", "--untracked-files=no", NULL};
    static const char *const branch[] = {"symbolic-ref", "--short", "-q", "HEAD", NULL};
    static const char *const tag[] = {"describe", "--tags", "--exact-match", "HEAD", NULL};
    char line[256];
    if (!ask_git(folder, head, line, sizeof line) || strlen(line) >= sizeof revision->commit ||
        strspn(line, "0123456789abcdef") != strlen(line))
        return false;
    snprintf(revision->commit, sizeof revision->commit, "%.64s", line);
    if (ask_git(folder, changes, line, sizeof line))
        snprintf(revision->modified, sizeof revision->modified, "%s", *line ? "yes" : "no");
    if (ask_git(folder, branch, line, sizeof line))
        snprintf(revision->branch, sizeof revision->branch, "%s", line);
    if (ask_git(folder, tag, line, sizeof line))
        snprintf(revision->tag, sizeof revision->tag, "%s", line);
    return true;
}

static struct revision find_revision(const char *program)
{
    struct revision revision = {"", "", "", ""};
    char folder[PATH_MAX];
    if (*program && realpath(program, folder) && strrchr(folder, '/') != folder) {
        *strrchr(folder, '/') = '\0';
        if (find_in(folder, &revision))
            return revision;
    }
    find_in(".", &revision);
    return revision;
}

/// A zero byte ends each fact: paths and arguments may hold any other.
static void write_fact(FILE *file, const char *name, const char *value)
{
    fprintf(file, "PAGODA::%s=%s%c", name, value, 0);
}

void launch_facts_write(char **line, const char *program, FILE *file)
{
    char date[64] = "";
    char folder[PATH_MAX] = "";
    time_t now = time(NULL);
    struct tm parts;
    struct revision revision = find_revision(program);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S%z", localtime_r(&now, &parts));
    write_fact(file, "VERSION", PAGODA_VERSION);
    write_fact(file, "DATE", date);
    fputs("PAGODA::COMMAND=", file);
    for (int i = 0; line[i]; i++)
        fprintf(file, "%s%s", i ? " " : "", line[i]);
    fputc(0, file);
    write_fact(file, "DIRECTORY", getcwd(folder, sizeof folder - 1) ? folder : "");
    write_fact(file, "REVISION", revision.commit);
    write_fact(file, "REVISION_MODIFIED", revision.modified);
    write_fact(file, "BRANCH", revision.branch);
    write_fact(file, "TAG", revision.tag);
}

void launch_facts_add_time(uint64_t time_ns, FILE *file)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, time_ns);
    write_fact(file, "LAUNCH_NS", text);
}
