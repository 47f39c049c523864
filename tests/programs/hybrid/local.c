// SPDX-License-Identifier: BSD-3-Clause
// Runs hybrid.c from a library that no other one can see: local [MODE].
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    char path[4096];
    snprintf(path, sizeof path - 16, "%s", argv[0]);
    strcpy(strrchr(path, '/') + 1, "libhybrid.so");
    void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    int (*hybrid)(int, char **) = NULL;
    void *symbol = library ? dlsym(library, "hybrid_main") : NULL;
    if (!symbol) {
        fputs(dlerror(), stderr);
        return 1;
    }
    memcpy(&hybrid, &symbol, sizeof hybrid);
    return hybrid(argc, argv);
}
