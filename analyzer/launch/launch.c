// SPDX-License-Identifier: BSD-3-Clause
// Reading a launch line, see launch.h. The launcher's kind follows from where the command really
// lies (Debian: mpirun is a link to orterun or mpiexec.hydra); the program is the first word after
// it and its options that names an executable file and is no tool that starts another command.
#include "analyzer/launch/launch.h"

#include <elf.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

static bool is_one_of(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (!strcmp(name, *names))
            return true;
    return false;
}

/// Commands that start the command in their arguments.
static bool is_wrapper(const char *word)
{
    static const char *const names[] = {"env",        "taskset", "nice",    "ionice",  "time",
                                        "timeout",    "stdbuf",  "nohup",   "numactl", "chrt",
                                        "ip",         "unshare", "setarch", "strace",  "sudo",
                                        "hwloc-bind", NULL};
    return is_one_of(path_base_name(word), names);
}

static bool is_launcher(const char *word)
{
    static const char *const names[] = {"mpirun",          "mpiexec",        "orterun",
                                        "prterun",         "mpirun.openmpi", "mpirun.mpich",
                                        "mpiexec.openmpi", "mpiexec.mpich",  "mpiexec.hydra",
                                        "mpirun.hydra",    "srun",           NULL};
    return is_one_of(path_base_name(word), names);
}

static bool is_executable(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

/// Where the shell would find the command. False: nowhere.
static bool find_command(const char *word, char path[4096])
{
    const char *search = getenv("PATH");
    if (strchr(word, '/')) {
        snprintf(path, 4096, "%s", word);
        return is_executable(path);
    }
    while (search && *search) {
        size_t length = strcspn(search, ":");
        snprintf(path, 4096, "%.*s/%s", (int)length, length ? search : ".", word);
        if (is_executable(path))
            return true;
        search += length;
        search += *search == ':';
    }
    return false;
}

static bool is_open_mpi(const char *word)
{
    static const char *const open_mpi[] = {"orterun", "prterun", "mpirun.openmpi",
                                           "mpiexec.openmpi", NULL};
    char path[4096];
    char real[PATH_MAX];
    char command[PATH_MAX + 32];
    char line[256];
    bool found = false;
    if (!find_command(word, path) || !realpath(path, real))
        return false;
    if (is_one_of(path_base_name(real), open_mpi))
        return true;
    if (strstr(path_base_name(real), "hydra") || strchr(real, '\''))
        return false;
    // A script or a program of another name: ask it.
    snprintf(command, sizeof command, "'%s' --version 2>/dev/null", real);
    FILE *answer = popen(command, "re");
    while (answer && fgets(line, sizeof line, answer))
        found =
            found || strstr(line, "Open MPI") || strstr(line, "OpenRTE") || strstr(line, "PRRTE");
    if (answer)
        pclose(answer);
    return found;
}

static enum launcher_kind kind_of(const char *word)
{
    if (!strcmp(path_base_name(word), "srun"))
        return LAUNCHER_SRUN;
    return is_open_mpi(word) ? LAUNCHER_OPEN_MPI : LAUNCHER_HYDRA;
}

// Without their dashes, each between spaces.
static const char open_mpi_one_value[] =
    " n np c H N x host hostfile machinefile default-hostfile rankfile rf map-by rank-by bind-to "
    "npernode npersocket ppr cpu-set cpu-list cpus-per-proc cpus-per-rank wd wdir path prefix am "
    "tune app timeout stdin xterm preload-files output-filename report-uri report-pid ompi-server "
    "max-restarts ";
static const char open_mpi_two_values[] = " mca gmca ";

static const char hydra_one_value[] =
    " n np f ppn host hosts hostname localhost machinefile configfile wdir path envlist genvlist "
    "launcher launcher-exec bootstrap rmk topolib bind-to map-by membind demux iface nameserver "
    "prepend-pattern outfile-pattern errfile-pattern order-nodes usize gpus-per-proc ";
static const char hydra_two_values[] = " env genv ";

// The other way round: options of srun that have no value, or only one in the same word.
static const char srun_flags[] =
    " compress contiguous debugger-test disable-status exact exclusive help hold immediate "
    "kill-on-bad-exit label multi-prog nice no-allocate no-kill overcommit overlap oversubscribe "
    "preserve-env propagate pty quiet quit-on-interrupt reboot resv-ports send-libs share "
    "spread-job test-only unbuffered usage use-min-nodes verbose version whole x11 ";
static const char srun_short_flags[] = "EHIKklOQsuvVXZh";

static bool is_listed(const char *list, const char *name)
{
    SCOPED char *word = memory_format(" %s ", name);
    return strstr(list, word) != NULL;
}

static int n_values(const char *one_value, const char *two_values, const char *name)
{
    return is_listed(one_value, name) ? 1 : is_listed(two_values, name) ? 2 : 0;
}

static int srun_values(const char *word)
{
    if (word[1] != '-') {
        // Flags may stand together; the rest of the word after an option with a value is that.
        const char *letter = word + 1;
        while (*letter && strchr("EHklOQsuvVXZh", *letter))
            letter++;
        return *letter && !strchr(srun_short_flags, *letter) && !letter[1];
    }
    if (!word[2] || strchr(word, '='))
        return 0;
    return !is_listed(srun_flags, word + 2);
}

/// How many words the option WORD takes: itself and the values that follow it as words of their
/// own (`-n 4` is 2, `-n4` and `--ntasks=4` are 1). WORD begins with '-'. What is unknown has no
/// value with mpirun, and one with srun if it is a long option without '='.
static int option_words(enum launcher_kind kind, const char *word)
{
    const char *name = word + strspn(word, "-");
    if (kind == LAUNCHER_SRUN)
        return 1 + srun_values(word);
    if (kind == LAUNCHER_OPEN_MPI)
        return 1 + n_values(open_mpi_one_value, open_mpi_two_values, name);
    if (kind == LAUNCHER_HYDRA)
        return 1 + n_values(hydra_one_value, hydra_two_values, name);
    return 1;
}

struct launch launch_inspect(char **line)
{
    struct launch launch = {.launcher = -1, .program = -1};
    bool in_options;
    int i = 0;
    // The launcher is the first word, or follows tools that start it.
    for (int k = 0; line[k] && launch.launcher < 0 && (k == 0 || is_wrapper(line[0])); k++)
        if (is_launcher(line[k]))
            launch.launcher = k;
    in_options = launch.launcher >= 0;
    if (in_options) {
        launch.kind = kind_of(line[launch.launcher]);
        i = launch.launcher + 1;
    }
    while (line[i]) {
        int n_words = 1;
        if (line[i][0] != '-')
            in_options = false;
        else if (in_options)
            n_words = option_words(launch.kind, line[i]);
        if (line[i][0] != '-' && !is_wrapper(line[i]) && find_command(line[i], launch.path)) {
            launch.program = i;
            return launch;
        }
        while (line[i] && n_words-- > 0)
            i++;
    }
    launch.path[0] = '\0';
    return launch;
}

/// Without --export, srun exports everything, or what SLURM_EXPORT_ENV says.
static void add_srun_word(char ***result, char *const *word, bool is_option,
                          const char *const *names)
{
    static const char export[] = "--export=";
    size_t n_before = strncmp(*word, export, strlen(export)) == 0 ? strlen(export) : 0;
    SCOPED char *list = is_option && (n_before > 0 || strcmp(word[-1], "--export") == 0)
                            ? launch_export_with(*word + n_before, names)
                            : NULL;
    SCOPED char *whole = list ? memory_format("%.*s%s", (int)n_before, *word, list) : NULL;
    words_add(result, whole ? whole : *word);
}

char **launch_with_exports(char **line, const struct launch *launch, const char *const *names)
{
    char **result = NULL;
    bool is_srun = launch->kind == LAUNCHER_SRUN, is_open_mpi = launch->kind == LAUNCHER_OPEN_MPI;
    for (int i = 0; line[i]; i++) {
        bool is_option = i > launch->launcher && (launch->program < 0 || i < launch->program);
        if (is_srun)
            add_srun_word(&result, &line[i], is_option, names);
        else
            words_add(&result, line[i]);
        for (int k = 0; is_open_mpi && i == launch->launcher && names[k]; k++) {
            words_add(&result, "-x");
            words_add(&result, names[k]);
        }
    }
    return result;
}

bool launch_is_static(const char *path)
{
    FILE *file = fopen(path, "re");
    Elf64_Ehdr header;
    bool is_elf = false;
    bool has_interpreter = false;
    if (!file)
        return false;
    if (fread(&header, sizeof header, 1, file) == 1 && !memcmp(header.e_ident, ELFMAG, SELFMAG) &&
        header.e_ident[EI_CLASS] == ELFCLASS64 &&
        fseek(file, (long)header.e_phoff, SEEK_SET) == 0) {
        Elf64_Phdr segment;
        is_elf = true;
        for (int i = 0; i < header.e_phnum && fread(&segment, sizeof segment, 1, file) == 1; i++)
            has_interpreter = has_interpreter || segment.p_type == PT_INTERP;
    }
    fclose(file);
    return is_elf && !has_interpreter;
}

char *launch_export_with(const char *value, const char *const *names)
{
    char *list = memory_format(",%s,", value);
    bool has_all = strstr(list, ",ALL,") != NULL;
    bool has_none = !strcmp(value, "NONE") || !strcmp(value, "NIL") || !*value;
    free(list);
    if (has_all)
        return NULL;
    list = memory_copy_text(has_none ? "" : value);
    for (; *names; names++)
        text_append(&list, "%s%s", *list ? "," : "", *names);
    return list;
}

// --- facts

enum { MOST_SECONDS = 5 };

struct revision {
    char commit[65];  // empty: no repository, or no git command
    char modified[4]; // "yes", "no", or empty: not known
    char branch[256]; // empty: none is checked out, or not known
    char tag[256];    // of this very commit, the nearest one if it has several; empty: none
};

/// Does git, coming from below, look for no repository in FOLDER?
static bool is_ceiling(const char *folder)
{
    const char *ceilings = getenv("GIT_CEILING_DIRECTORIES");
    SCOPED char *list = memory_format(":%s:", ceilings ? ceilings : ""),
                *item = memory_format(":%s:", folder);
    return strstr(list, item) != NULL;
}

/// Is FOLDER in a repository? Asking git where there is none would delay the run for nothing.
static bool has_repository(const char *folder)
{
    char path[PATH_MAX + 8];
    if (getenv("GIT_DIR"))
        return true;
    if (!realpath(folder, path))
        return false;
    size_t length = strlen(path);
    for (char *end = path + length; end; end = strrchr(path, '/')) {
        *end = '\0';
        if (end < path + length && is_ceiling(path))
            return false;
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
    SCOPED char *word = shell_path(folder);
    SCOPED char *command = memory_format("exec timeout -k 1 %d git --no-optional-locks -C %s %s "
                                         "</dev/null 2>/dev/null",
                                         MOST_SECONDS, word, arguments);
    return popen(command, "re");
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
