// SPDX-License-Identifier: BSD-3-Clause
// See launch.h.
#include "analyzer/launch/launch.h"

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

enum { MOST_SECONDS = 5 };

struct revision {
    char commit[65];  // empty: no repository, or no git command
    char modified[4]; // "yes", "no", or empty: not known
    char branch[256]; // empty: none is checked out, or not known
    char tag[256];    // of this very commit, the nearest one if it has several; empty: none
};

/// Is FOLDER in a repository? Asking git where there is none would delay the run for nothing.
static bool has_repository(const char *folder)
{
    char path[PATH_MAX + 8];
    if (getenv("GIT_DIR"))
        return true;
    if (!realpath(folder, path))
        return false;
    for (char *end = path + strlen(path); end; end = strrchr(path, '/')) {
        strcpy(end, "/.git");
        if (access(path, F_OK) == 0)
            return true;
        *end = '\0';
    }
    return false;
}

/// Starts `git -C FOLDER ARGUMENTS`, for read_answer().
static FILE *ask_git(const char *folder, const char *arguments)
{
    char *word = shell_path(folder);
    char *command = memory_format("exec timeout -k 1 %d git --no-optional-locks -C %s %s "
                                  "</dev/null 2>/dev/null",
                                  MOST_SECONDS, word, arguments);
    FILE *answer = popen(command, "re");
    free(command);
    free(word);
    return answer;
}

/// The first line of what git prints. False: it failed, or took too long.
static bool read_answer(FILE *answer, char *line, size_t size)
{
    if (!answer || !fgets(line, (int)size, answer))
        line[0] = '\0';
    line[strcspn(line, "\n")] = '\0';
    while (answer && getc(answer) != EOF)
        continue;
    return answer && pclose(answer) == 0;
}

/// All questions at once: they would take ten milliseconds each.
static bool find_in(const char *folder, struct revision *revision)
{
    char commit[256], line[256];
    if (!has_repository(folder))
        return false;
    FILE *head = ask_git(folder, "rev-parse --verify HEAD");
    FILE *status = ask_git(folder, "status --porcelain --untracked-files=no");
    FILE *branch = ask_git(folder, "symbolic-ref --short -q HEAD");
    FILE *tag = ask_git(folder, "describe --tags --exact-match HEAD");
    bool is_known = read_answer(head, commit, sizeof commit) &&
                    strlen(commit) < sizeof revision->commit &&
                    strspn(commit, "0123456789abcdef") == strlen(commit);
    if (is_known)
        snprintf(revision->commit, sizeof revision->commit, "%.64s", commit);
    if (read_answer(status, line, sizeof line) && is_known)
        snprintf(revision->modified, sizeof revision->modified, "%s", *line ? "yes" : "no");
    if (read_answer(branch, line, sizeof line) && is_known)
        snprintf(revision->branch, sizeof revision->branch, "%s", line);
    if (read_answer(tag, line, sizeof line) && is_known)
        snprintf(revision->tag, sizeof revision->tag, "%s", line);
    return is_known;
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
