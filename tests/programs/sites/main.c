// SPDX-License-Identifier: BSD-3-Clause
// Calls MPI from many places, one function of MPI a place. tests/mpi/sites.bats compares what the
// archive says about them with the lines that carry the word "site:" here.
//
//   main PLUGIN PLUGIN    the shared libraries to be loaded, called, and unloaded again
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "sites.h"

static int n_calls;

static inline __attribute__((always_inline)) void put_into_its_caller(void)
{
    n_calls += MPI_Comm_test_inter(MPI_COMM_WORLD, &n_calls); // site: inlined
}

static __attribute__((noinline)) void called_by_main(void)
{
    int size;

    put_into_its_caller();    // site: inlined-at
    n_calls += MPI_Comm_size( // site: several-lines
        MPI_COMM_WORLD, &size);
}

static __attribute__((noinline)) int deep(int depth)
{
    double now;

    if (depth == 0) {
        now = MPI_Wtime(); // site: deepest
        return now < 0;
    }
    return deep(depth - 1) + 1; // site: deeper
}

static void *in_a_thread(void *unused)
{
    int is_main;

    n_calls += MPI_Is_thread_main(&is_main); // site: thread
    return unused;
}

static void run_plugin(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void (*run)(void) = NULL;

    if (library != NULL)
        *(void **)&run = dlsym(library, "run_plugin");
    if (run == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    run(); // site: plugin-caller
    dlclose(library);
}

int main(int argc, char **argv)
{
    pthread_t thread;
    int provided;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided); // site: init
    called_by_main();                                              // site: caller
    called_from_library();                                         // site: library-caller
    if (argc > 2) {
        run_plugin(argv[1]);
        run_plugin(argv[2]);
    }
    if (deep(20) != 20) // site: deep-caller
        return 1;
    pthread_create(&thread, NULL, in_a_thread, NULL);
    pthread_join(thread, NULL);
    MPI_Finalize(); // site: finalize
    return n_calls != 0;
}
