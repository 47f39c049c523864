// SPDX-License-Identifier: BSD-3-Clause
// Options of launchers, from mpirun(1) of Open MPI 4.1, mpiexec -help of MPICH 4.0 (Hydra) and
// srun(1) of Slurm 22.05.
#include "analyzer/cmd/launch_options.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"

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
    char *word = memory_format(" %s ", name);
    bool found = strstr(list, word) != NULL;

    free(word);
    return found;
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

int launch_option_words(enum launcher_kind kind, const char *word)
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

char *launch_export_with(const char *value, const char *const *names)
{
    char *list = memory_format(",%s,", value);
    bool has_all = strstr(list, ",ALL,") != NULL;
    bool has_none = !strcmp(value, "NONE") || !strcmp(value, "NIL") || !*value;

    free(list);
    if (has_all)
        return NULL;
    list = memory_copy_text(has_none ? "" : value);
    for (; *names; names++) {
        char *longer = memory_format("%s%s%s", list, *list ? "," : "", *names);

        free(list);
        list = longer;
    }
    return list;
}
