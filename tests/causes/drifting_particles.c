// SPDX-License-Identifier: BSD-3-Clause
/*
 * Particles that drift to the right: the domain is divided at fixed places, and the last rank has
 * more of the particles in each step. Repaired: each rank keeps its particles,
 * wherever they are.
 */
#include "cause.h"

enum { STEPS = 60, N = 800, TAG_COUNT, TAG_PARTICLES };

struct particle {
    double x; /* 0..n_ranks */
    uint64_t state;
};

static struct particle *particles;
static int n_particles;

static void push_particles(void)
{
    for (int i = 0; i < n_particles; i++) {
        particles[i].state = compute(12, particles[i].state); // cause
        particles[i].x += (double)(particles[i].state >> 40) * 0x1p-24 * 0.05;
    }
}

/* Sends the `n` last particles to the right, and takes what comes from the left. */
static void pass_right(int n)
{
    int right = rank + 1 < n_ranks ? rank + 1 : MPI_PROC_NULL;
    int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, n_new = 0;

    n_particles -= right == MPI_PROC_NULL ? 0 : n;
    struct particle *gone = program_alloc((size_t)n + 1, sizeof *gone);
    memcpy(gone, &particles[n_particles], (size_t)n * sizeof *gone);
    MPI_Sendrecv(&n, 1, MPI_INT, right, TAG_COUNT, &n_new, 1, MPI_INT, left, // cause
                 TAG_COUNT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);              // cause
    MPI_Sendrecv(gone, n * (int)sizeof *gone, MPI_BYTE, right, TAG_PARTICLES,
                 &particles[n_particles], n_new * (int)sizeof *gone, MPI_BYTE, left, TAG_PARTICLES,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    n_particles += n_new;
    free(gone);
}

static void migrate(void)
{
    int n_left = 0;

    if (repaired)
        return;
    for (int i = 0; i < n_particles - n_left;) {
        struct particle here = particles[i];

        if (here.x < rank + 1 || rank == n_ranks - 1) {
            i++;
            continue;
        }
        n_left++;
        particles[i] = particles[n_particles - n_left];
        particles[n_particles - n_left] = here;
    }
    pass_right(n_left);
}

static double total_energy(void)
{
    double mine = 0, all;

    for (int i = 0; i < n_particles; i++)
        mine += particles[i].x;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); // cause
    return all;
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    uint64_t sum = 0;

    particles = program_alloc((size_t)N * (size_t)n_ranks, sizeof *particles);
    for (n_particles = 0; n_particles < N / n_ranks; n_particles++) {
        int number = rank * (N / n_ranks) + n_particles;

        particles[n_particles] = (struct particle){rank + program_uniform(1, (uint64_t)number),
                                                   program_random(2, (uint64_t)number)};
    }
    for (int step = 0; step < STEPS; step++) {
        push_particles(); // cause
        migrate();        // cause
        total_energy();   // cause
    }
    for (int i = 0; i < n_particles; i++)
        sum += particles[i].state;
    free(particles);
    return end(sum);
}
