// SPDX-License-Identifier: BSD-3-Clause
// pagoda-calibrate: what a launcher starts; becomes the measuring program of the MPI whose launcher
// it was (pagoda-calibrate-openmpi, pagoda-calibrate-mpich), which is in the same folder.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

static bool has_variable(const char *beginning)
{
    for (char **variable = environ; *variable; variable++)
        if (strncmp(*variable, beginning, strlen(beginning)) == 0)
            return true;
    return false;
}

/// The MPI whose launcher started us; NULL when no launcher known did.
static const char *launching_mpi(void)
{
    const char *chosen = getenv("PAGODA_CALIBRATE_MPI");
    if (chosen)
        return chosen;
    if (has_variable("OMPI_COMM_WORLD_") || has_variable("PMIX_RANK="))
        return "openmpi";
    if (has_variable("PMI_RANK=") || has_variable("PMI_FD=") || has_variable("MPIR_CVAR_"))
        return "mpich";
    return NULL;
}

/// Runs the measuring program of MPI from this program's folder; returns where that cannot be.
static void become(const char *mpi, char **argv)
{
    char path[4096 + 64], self[4096];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(self, '/');
    snprintf(path, sizeof path, "%.*s/pagoda-calibrate-%s", slash ? (int)(slash - self) : 0, self,
             mpi);
    execv(path, argv);
}

int main(int argc, char **argv)
{
    const char *mpi = launching_mpi();
    (void)argc;
    if (!mpi) {
        fprintf(stderr, "pagoda: no launcher of Open MPI or MPICH started this: give mpirun or "
                        "srun, or say which one it is with --implementation\n");
        return 1;
    }
    become(mpi, argv);
    become("mpi_abi", argv);
    fprintf(stderr,
            "pagoda: cannot run pagoda-calibrate-%s: it was not built, because there was no "
            "compiler of this MPI\n",
            mpi);
    return 1;
}
