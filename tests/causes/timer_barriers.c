// SPDX-License-Identifier: BSD-3-Clause
/*
 * Timers with barriers: each phase is measured from one barrier to the next, so that the ranks wait
 * for the slowest one in each phase, although in each step they have the same to do. Repaired:
 * timers without barriers.
 */
#include "cause.h"

enum { STEPS = 60, PHASES = 4 };

static double began, times[PHASES];

static void timer_start(void)
{
    if (!repaired)
        MPI_Barrier(MPI_COMM_WORLD); // cause
    began = MPI_Wtime();
}

static void timer_stop(int phase)
{
    if (!repaired)
        MPI_Barrier(MPI_COMM_WORLD); // cause
    times[phase] += MPI_Wtime() - began;
}

/* One rank has a long phase when the other has a short one; which one, changes. */
static uint64_t phase_work(int step, int phase, uint64_t x)
{
    int turn = (int)(program_random(3, (uint64_t)(step * PHASES + phase) / 2) & 1);

    return compute((phase + turn + rank) % 2 == 0 ? 3000 : 700, x);
}

static uint64_t assemble(int step, uint64_t x)
{
    return phase_work(step, 0, x);
}

static uint64_t factorise(int step, uint64_t x)
{
    return phase_work(step, 1, x);
}

static uint64_t substitute(int step, uint64_t x)
{
    return phase_work(step, 2, x);
}

static uint64_t correct(int step, uint64_t x)
{
    return phase_work(step, 3, x);
}

int main(int argc, char **argv)
{
    static uint64_t (*const phases[PHASES])(int, uint64_t) = {assemble, factorise, substitute,
                                                              correct};

    begin(argc, argv);
    uint64_t x = (uint64_t)rank, all;

    for (int step = 0; step < STEPS; step++) {
        for (int phase = 0; phase < PHASES; phase++) {
            timer_start(); // cause
            x = phases[phase](step, x);
            timer_stop(phase); // cause
        }
        MPI_Allreduce(&x, &all, 1, MPI_UINT64_T, MPI_BXOR, MPI_COMM_WORLD);
    }
    for (int phase = 0; phase < PHASES && rank == 0; phase++)
        fprintf(stderr, "phase %d: %.3f s\n", phase, times[phase]);
    return end(x);
}
