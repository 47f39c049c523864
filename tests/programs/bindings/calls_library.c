// SPDX-License-Identifier: BSD-3-Clause
// A program that is not linked with MPI: it calls run_calls() of libcalls.so, calls.c as a shared
// library, with which it is linked, or which it opens itself (CALLS_DLOPEN) from its own folder.
#include <dlfcn.h>
#include <libgen.h>
#include <stdio.h>

int run_calls(int argc, char **argv);

#ifdef CALLS_DLOPEN
int run_calls(int argc, char **argv)
{
    char path[4096];
    void *library;
    int (*run)(int argc, char **argv);

    snprintf(path, sizeof path, "%s/libcalls.so", dirname(argv[0]));
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    *(void **)&run = dlsym(library, "run_calls");
    return run(argc, argv);
}
#endif

int main(int argc, char **argv)
{
    return run_calls(argc, argv);
}
