// SPDX-License-Identifier: BSD-3-Clause
// Reading a launch line, see launch.h. The launcher's kind is told by where the command really
// lies (Debian: mpirun is a link to orterun or mpiexec.hydra); the program is the first word after
// it and its options that names an executable file and is no tool that starts another command.
#include "analyzer/cmd/launch.h"

#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/memory.h"
#include "analyzer/cmd/launch_options.h"

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

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

    return is_one_of(base_name(word), names);
}

static bool is_launcher(const char *word)
{
    static const char *const names[] = {"mpirun",          "mpiexec",        "orterun",
                                        "prterun",         "mpirun.openmpi", "mpirun.mpich",
                                        "mpiexec.openmpi", "mpiexec.mpich",  "mpiexec.hydra",
                                        "mpirun.hydra",    "srun",           NULL};

    return is_one_of(base_name(word), names);
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
    if (is_one_of(base_name(real), open_mpi))
        return true;
    if (strstr(base_name(real), "hydra") || strchr(real, '\''))
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
    if (!strcmp(base_name(word), "srun"))
        return LAUNCHER_SRUN;
    return is_open_mpi(word) ? LAUNCHER_OPEN_MPI : LAUNCHER_HYDRA;
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
            n_words = launch_option_words(launch.kind, line[i]);
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

static char **with_open_mpi_exports(char **line, const struct launch *launch,
                                    const char *const *names, int n)
{
    int n_names = 0;
    int to = 0;

    while (names[n_names])
        n_names++;
    char **result = memory_zeroed((size_t)(n + 2 * n_names + 1), sizeof *result);
    for (int i = 0; i < n; i++) {
        result[to++] = memory_copy_text(line[i]);
        for (int k = 0; i == launch->launcher && k < n_names; k++) {
            result[to++] = memory_copy_text("-x");
            result[to++] = memory_copy_text(names[k]);
        }
    }
    return result;
}

/// Without --export, srun exports everything, or what SLURM_EXPORT_ENV says.
static char **with_srun_exports(char **line, const struct launch *launch, const char *const *names,
                                int n)
{
    char **result = memory_zeroed((size_t)n + 1, sizeof *result);
    int last = launch->program < 0 ? n : launch->program;

    for (int i = 0; i < n; i++) {
        bool is_option = i > launch->launcher && i < last;
        int n_before = 0; // characters before the value
        char *list = NULL;

        if (is_option && !strncmp(line[i], "--export=", strlen("--export=")))
            n_before = (int)strlen("--export=");
        if (is_option && (n_before > 0 || !strcmp(line[i - 1], "--export")))
            list = launch_export_with(line[i] + n_before, names);
        result[i] =
            list ? memory_format("%.*s%s", n_before, line[i], list) : memory_copy_text(line[i]);
        free(list);
    }
    return result;
}

char **launch_with_exports(char **line, const struct launch *launch, const char *const *names)
{
    static const char *const no_names[] = {NULL};
    int n = 0;

    while (line[n])
        n++;
    if (launch->kind == LAUNCHER_SRUN)
        return with_srun_exports(line, launch, names, n);
    return with_open_mpi_exports(line, launch, launch->kind == LAUNCHER_OPEN_MPI ? names : no_names,
                                 n);
}

void launch_line_free(char **line)
{
    for (int i = 0; line && line[i]; i++)
        free(line[i]);
    free(line);
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
