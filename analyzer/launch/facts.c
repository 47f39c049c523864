// SPDX-License-Identifier: BSD-3-Clause
// See facts.h.
#include "analyzer/launch/facts.h"

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

/// First line of what `git -C FOLDER ARGUMENTS` prints. False: it failed, or took too long.
static bool ask_git(const char *folder, const char *arguments, char *line, size_t size)
{
    char *word = shell_path(folder);
    char *command = memory_format("exec timeout -k 1 %d git --no-optional-locks -C %s %s "
                                  "</dev/null 2>/dev/null",
                                  MOST_SECONDS, word, arguments);
    FILE *answer = popen(command, "re");
    if (!answer || !fgets(line, (int)size, answer))
        line[0] = '\0';
    line[strcspn(line, "\n")] = '\0';
    while (answer && getc(answer) != EOF)
        continue;
    free(command);
    free(word);
    return answer && pclose(answer) == 0;
}

static bool find_in(const char *folder, struct revision *revision)
{
    char line[256];
    if (!ask_git(folder, "rev-parse --verify HEAD", line, sizeof line) ||
        strlen(line) >= sizeof revision->commit || strspn(line, "0123456789abcdef") != strlen(line))
        return false;
    snprintf(revision->commit, sizeof revision->commit, "%.64s", line);
    if (ask_git(folder, "status --porcelain --untracked-files=no", line, sizeof line))
        snprintf(revision->modified, sizeof revision->modified, "%s", *line ? "yes" : "no");
    if (ask_git(folder, "symbolic-ref --short -q HEAD", line, sizeof line))
        snprintf(revision->branch, sizeof revision->branch, "%s", line);
    if (ask_git(folder, "describe --tags --exact-match HEAD", line, sizeof line))
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
