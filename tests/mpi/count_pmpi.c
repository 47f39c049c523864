// SPDX-License-Identifier: BSD-3-Clause
/*
 * A library to be preloaded after the tracer: counts the calls of PMPI_ functions, which in a
 * program that calls MPI_ ones are the tracer's own. Each PMPI_ name is a jump that counts, so no
 * signature matters; ENTRIES is the tracer's generated list of names (x86-64 only). When the
 * program ends, "PHASE FUNCTION COUNT" lines are appended to $COUNT_PMPI; the program tells of the
 * phases by count_pmpi_phase().
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const names[] = {
#define ENTRY(name, index) [index] = "P" #name,
#include ENTRIES
#undef ENTRY
};
enum { n_names = sizeof names / sizeof names[0], N_PHASES = 3 };

void *count_pmpi_next[n_names];
unsigned long count_pmpi_counts[N_PHASES * n_names];
unsigned long *count_pmpi_now = count_pmpi_counts;

// count_pmpi_now[index]++; goto *count_pmpi_next[index]; without touching any argument.
#define ENTRY(name, index)                                                                         \
    __asm__(".text; .globl P" #name "; .type P" #name ", @function; P" #name ": "                  \
            "movq count_pmpi_now@GOTPCREL(%rip), %r11; movq (%r11), %r11; "                        \
            "lock incq 8*" #index "(%r11); "                                                       \
            "movq count_pmpi_next@GOTPCREL(%rip), %r11; jmp *8*" #index "(%r11)");
#include ENTRIES
#undef ENTRY

void count_pmpi_phase(int phase);

void count_pmpi_phase(int phase)
{
    count_pmpi_now = &count_pmpi_counts[phase * n_names];
}

__attribute__((constructor)) static void find_next(void)
{
    for (int i = 0; i < n_names; i++)
        count_pmpi_next[i] = dlsym(RTLD_NEXT, names[i]);
}

__attribute__((destructor)) static void report(void)
{
    const char *path = getenv("COUNT_PMPI");
    FILE *file = path != NULL ? fopen(path, "a") : NULL;

    for (int i = 0; file != NULL && i < N_PHASES * n_names; i++)
        if (count_pmpi_counts[i] > 0)
            fprintf(file, "%d %s %lu\n", i / n_names, names[i % n_names], count_pmpi_counts[i]);
    if (file != NULL)
        fclose(file);
}
