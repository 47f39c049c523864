// SPDX-License-Identifier: BSD-3-Clause
// Launch lines: where launcher and program are, and what is put in to hand variables on. Launchers
// and programs here are empty executable files, as options may well be named like commands.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/text.h"
#include "analyzer/launch/launch.h"
#include "tests/tools/lib/scratch.h"
#include "tests/unit/unit_test.h"

static char *folder;

static const char *const commands[] = {
    "srun", "mpirun.openmpi", "mpirun.mpich", "env", "time",  "taskset",
    "test", "node",           "core",         "app", "other", NULL};

static int make_commands(void **state)
{
    folder = scratch_directory();
    for (int i = 0; commands[i]; i++) {
        char path[PATH_MAX];

        snprintf(path, sizeof path, "%s/%s", folder, commands[i]);
        FILE *file = fopen(path, "w");
        if (!file)
            return 1;
        fclose(file);
        chmod(path, 0755);
    }
    return setenv("PATH", folder, 1);
}

static int remove_commands(void **state)
{
    for (int i = 0; commands[i]; i++) {
        char path[PATH_MAX];

        snprintf(path, sizeof path, "%s/%s", folder, commands[i]);
        unlink(path);
    }
    int status = rmdir(folder);
    free(folder);
    return status;
}

enum { MAX_WORDS = 32 };

/// Splits TEXT at its spaces.
static void split(char *text, char *line[MAX_WORDS])
{
    int n = 0;

    for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
        line[n++] = word;
    line[n] = NULL;
}

static void check_program(const char *text, enum launcher_kind kind, const char *program)
{
    char words[512];
    char *line[MAX_WORDS];

    snprintf(words, sizeof words, "%s", text);
    split(words, line);
    struct launch launch = launch_inspect(line);
    if (launch.program < 0)
        fail_msg("no program found in: %s", text);
    if (strcmp(line[launch.program], program) != 0)
        fail_msg("%s instead of %s in: %s", line[launch.program], program, text);
    assert_int_equal(launch.kind, kind);
}

TEST(test_program_of_srun)
{
    check_program("srun app", LAUNCHER_SRUN, "app");
    check_program("srun -n 4 app test", LAUNCHER_SRUN, "app");
    check_program("srun -p test -J node app", LAUNCHER_SRUN, "app");
    check_program("srun -ptest app", LAUNCHER_SRUN, "app");
    check_program("srun -lup test app", LAUNCHER_SRUN, "app");
    check_program("srun -l -u -K -I app test", LAUNCHER_SRUN, "app");
    check_program("srun -K0 app test", LAUNCHER_SRUN, "app");
    check_program("srun --partition test --job-name=node app", LAUNCHER_SRUN, "app");
    check_program("srun --exclusive --label --kill-on-bad-exit app", LAUNCHER_SRUN, "app");
    check_program("srun --mpi pmi2 -c 1 -- app", LAUNCHER_SRUN, "app");
    check_program("srun -n 1 app test : -n 2 other", LAUNCHER_SRUN, "app");
    check_program("srun -n 1 env A=1 taskset -c 0 app", LAUNCHER_SRUN, "app");
    check_program("time srun -p test app", LAUNCHER_SRUN, "app");
}

TEST(test_program_of_mpirun)
{
    check_program("mpirun.openmpi --map-by node --bind-to core -np 4 app", LAUNCHER_OPEN_MPI,
                  "app");
    check_program("mpirun.openmpi --mca test node -x test -H node app", LAUNCHER_OPEN_MPI, "app");
    check_program("mpirun.openmpi --oversubscribe app core", LAUNCHER_OPEN_MPI, "app");
    check_program("mpirun.mpich -bind-to core -host node app", LAUNCHER_HYDRA, "app");
    check_program("mpirun.mpich -genv test node -env core node app", LAUNCHER_HYDRA, "app");
    check_program("env A=1 mpirun.mpich -n 2 app : -n 1 other", LAUNCHER_HYDRA, "app");
    check_program("app core", LAUNCHER_NONE, "app");
}

TEST(test_without_program)
{
    static const char *const lines[] = {"srun", "srun -n", "srun -p app", "srun --multi-prog conf",
                                        "mpirun.mpich -n 4 ./nowhere"};

    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        char words[512];
        char *line[MAX_WORDS];

        snprintf(words, sizeof words, "%s", lines[i]);
        split(words, line);
        struct launch launch = launch_inspect(line);
        assert_int_equal(launch.program, -1);
        assert_string_equal(launch.path, "");
    }
}

static void check_exports(const char *text, const char *expected)
{
    static const char *const names[] = {"ONE", "TWO", NULL};
    char words[512];
    char joined[512] = "";
    char *line[MAX_WORDS];

    snprintf(words, sizeof words, "%s", text);
    split(words, line);
    struct launch launch = launch_inspect(line);
    char **full = launch_with_exports(line, &launch, names);
    for (int i = 0; full[i]; i++) {
        strcat(joined, i ? " " : "");
        strcat(joined, full[i]);
    }
    words_free(full);
    assert_string_equal(joined, expected);
}

TEST(test_exports)
{
    check_exports("mpirun.openmpi -n 2 app", "mpirun.openmpi -x ONE -x TWO -n 2 app");
    check_exports("mpirun.mpich -n 2 app", "mpirun.mpich -n 2 app");
    check_exports("srun -n 2 app", "srun -n 2 app");
    check_exports("srun --export=ALL app", "srun --export=ALL app");
    check_exports("srun --export=ALL,A=1 app", "srun --export=ALL,A=1 app");
    check_exports("srun --export=NONE app", "srun --export=ONE,TWO app");
    check_exports("srun --export NIL app", "srun --export ONE,TWO app");
    check_exports("srun --export=PATH,A=1 app", "srun --export=PATH,A=1,ONE,TWO app");
    check_exports("srun app --export=NONE", "srun app --export=NONE");
}

AROUND_ALL(make_commands, remove_commands)
