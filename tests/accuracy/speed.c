// SPDX-License-Identifier: BSD-3-Clause
/*
 * speed CORE...: how long each of these cores takes for a fixed piece of work, in ns, a line each.
 * On a virtual machine a core is often one of two threads of a real core; while the other one works
 * for somebody else, work that fills the arithmetic units takes up to twice as long, in phases of a
 * second, and no counter of this machine tells. The work is sixteen chains of multiplications and
 * additions.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { N_CHAINS = 16, N_STEPS = 1000000 };

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static double work(void)
{
    double chains[N_CHAINS], sum = 0;

    for (int i = 0; i < N_CHAINS; i++)
        chains[i] = i;
    for (int step = 0; step < N_STEPS; step++)
        for (int i = 0; i < N_CHAINS; i++)
            chains[i] = chains[i] * 0.999999 + 1e-3;
    for (int i = 0; i < N_CHAINS; i++)
        sum += chains[i];
    return sum;
}

int main(int argc, char **argv)
{
    volatile double result;

    for (int i = 1; i < argc; i++) {
        cpu_set_t core;
        CPU_ZERO(&core);
        CPU_SET(atoi(argv[i]), &core);
        if (sched_setaffinity(0, sizeof core, &core) != 0) {
            perror("speed: sched_setaffinity");
            return EXIT_FAILURE;
        }
        int64_t begin_ns = now_ns();
        result = work();
        printf("%" PRId64 "\n", now_ns() - begin_ns);
    }
    (void)result;
    return EXIT_SUCCESS;
}
