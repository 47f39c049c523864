// SPDX-License-Identifier: BSD-3-Clause
/*
 * Multigrid, in the spirit of the NAS kernel MG: V-cycles for Poisson's equation on an n x n x n
 * periodic grid, with damped Jacobi smoothing, full weighting and trilinear interpolation (Briggs,
 * Henson, McCormick, "A Multigrid Tutorial"). The grid is cut into planes along z; a coarse plane
 * lives where the fine plane at its place lives, so that on the coarse grids ranks run out of work.
 * Neighbours exchange their outer planes (halos) by nonblocking messages.
 *
 * Check: the right-hand side is made from a known field; each cycle must halve the residual at
 * least, and the difference from the known field must be as small as the last residual promises.
 */
#include "program.h"

enum { MAX_LEVELS = 11, TAG_TO_NEXT = 1, TAG_TO_PREVIOUS = 2 };

static long size = 128, n_cycles = 8, n_sweeps = 2, seed = 1;

static const struct program_option options[] = {
    {"size", "N", &size, 4, 1024, "points in each direction, a power of two"},
    {"iterations", "N", &n_cycles, 1, 1000, "number of V-cycles"},
    {"sweeps", "N", &n_sweeps, 1, 100, "smoothing sweeps before and after the coarse grid"},
    {"seed", "N", &seed, 0, 1000000, "seed of the known field"},
    {0}};

static struct program program = {
    .name = "mg",
    .summary = "Solves Poisson's equation by multigrid cycles with halo exchanges.",
    .rank_rule = "Any number of ranks is valid; those beyond --size have no planes.",
    .min_ranks = 1,
    .options = options};

/* One grid: fields have this rank's planes lo..hi-1 and a halo plane before and after them. */
struct level {
    long n, lo, hi;
    double step; /* distance of the points */
    double *solution, *right_side, *residual;
};

static struct level levels[MAX_LEVELS];
static int n_levels;
static MPI_Request *requests;
static MPI_Status *statuses;

/* First plane of `rank` on a level: the first whose fine plane is its own. */
PROGRAM_INNER long first_plane(int level, int rank)
{
    return (program_block(size, program.n_ranks, rank) + (1L << level) - 1) >> level;
}

PROGRAM_INNER double *plane_of(const struct level *level, double *field, long z)
{
    return field + (z - level->lo + 1) * level->n * level->n;
}

static void levels_init(void)
{
    for (long n = size; n >= 2; n /= 2) {
        struct level *level = &levels[n_levels];

        *level = (struct level){.n = n,
                                .lo = first_plane(n_levels, program.rank),
                                .hi = first_plane(n_levels, program.rank + 1),
                                .step = 1 / (double)n};
        size_t n_values = (size_t)((level->hi - level->lo + 2) * n * n);
        level->solution = program_alloc(n_values, sizeof(double));
        level->right_side = program_alloc(n_values, sizeof(double));
        level->residual = program_alloc(n_values, sizeof(double));
        n_levels++;
    }
    requests = program_alloc((size_t)(2 * program.n_ranks + 2), sizeof *requests);
    statuses = program_alloc((size_t)(2 * program.n_ranks + 2), sizeof *statuses);
}

static void levels_release(void)
{
    for (int i = 0; i < n_levels; i++) {
        free(levels[i].solution);
        free(levels[i].right_side);
        free(levels[i].residual);
    }
    free(requests);
    free(statuses);
}

/* Does `rank` need halos on a level: has it planes there, or on the next finer one? */
PROGRAM_INNER bool takes_part(int level, int rank)
{
    int finer = level > 0 ? level - 1 : 0;

    return first_plane(finer, rank) < first_plane(finer, rank + 1);
}

PROGRAM_INNER int owner_of(int level, long z)
{
    int rank = 0;

    while (first_plane(level, rank + 1) <= z)
        rank++;
    return rank;
}

/* Fills the two halo planes of `field` with the planes before the first and after the last one. */
static void exchange_halos(int index, double *field)
{
    const struct level *level = &levels[index];
    int plane_values = (int)(level->n * level->n), n_requests = 0;

    if (takes_part(index, program.rank)) {
        MPI_Irecv(plane_of(level, field, level->lo - 1), plane_values, MPI_DOUBLE,
                  owner_of(index, (level->lo - 1 + level->n) % level->n), TAG_TO_NEXT,
                  MPI_COMM_WORLD, &requests[n_requests++]);
        MPI_Irecv(plane_of(level, field, level->hi), plane_values, MPI_DOUBLE,
                  owner_of(index, level->hi % level->n), TAG_TO_PREVIOUS, MPI_COMM_WORLD,
                  &requests[n_requests++]);
    }
    for (int rank = 0; rank < program.n_ranks; rank++) {
        long before = (first_plane(index, rank) - 1 + level->n) % level->n;
        long after = first_plane(index, rank + 1) % level->n;

        if (!takes_part(index, rank))
            continue;
        if (before >= level->lo && before < level->hi)
            MPI_Isend(plane_of(level, field, before), plane_values, MPI_DOUBLE, rank, TAG_TO_NEXT,
                      MPI_COMM_WORLD, &requests[n_requests++]);
        if (after >= level->lo && after < level->hi)
            MPI_Isend(plane_of(level, field, after), plane_values, MPI_DOUBLE, rank,
                      TAG_TO_PREVIOUS, MPI_COMM_WORLD, &requests[n_requests++]);
    }
    MPI_Waitall(n_requests, requests, statuses);
}

/* Six times the value at (x, y) of `plane` less the values at the six points around it. */
PROGRAM_INNER double laplacian(const double *plane, long n, long x, long y)
{
    long mask = n - 1, row = y * n;

    return 6 * plane[row + x] - plane[row + ((x - 1) & mask)] - plane[row + ((x + 1) & mask)] -
           plane[((y - 1) & mask) * n + x] - plane[((y + 1) & mask) * n + x] -
           plane[row + x - n * n] - plane[row + x + n * n];
}

/* residual = right_side - A solution, halos of the solution included. */
static void find_residual(int index)
{
    struct level *level = &levels[index];
    double scale = 1 / (level->step * level->step);

    exchange_halos(index, level->solution);
    for (long z = level->lo; z < level->hi; z++) {
        const double *plane = plane_of(level, level->solution, z);
        const double *right_side = plane_of(level, level->right_side, z);
        double *residual = plane_of(level, level->residual, z);

        for (long y = 0; y < level->n; y++)
            for (long x = 0; x < level->n; x++)
                residual[y * level->n + x] =
                    right_side[y * level->n + x] - scale * laplacian(plane, level->n, x, y);
    }
}

static void smooth(int index)
{
    struct level *level = &levels[index];
    double damping = 6.0 / 7 / 6 * level->step * level->step;
    long n_values = (level->hi - level->lo) * level->n * level->n;

    for (long sweep = 0; sweep < n_sweeps; sweep++) {
        find_residual(index);
        double *solution = plane_of(level, level->solution, level->lo);
        const double *residual = plane_of(level, level->residual, level->lo);

        for (long i = 0; i < n_values; i++)
            solution[i] += damping * residual[i];
    }
}

/* The next coarser right side: the residual around each point, weighted 1/2, 1/4, 1/4 an axis. */
static void restrict_residual(int index)
{
    struct level *fine = &levels[index], *coarse = &levels[index + 1];
    long mask = fine->n - 1;

    exchange_halos(index, fine->residual);
    for (long z = coarse->lo; z < coarse->hi; z++)
        for (long y = 0; y < coarse->n; y++)
            for (long x = 0; x < coarse->n; x++) {
                double sum = 0;

                for (int part = 0; part < 27; part++) {
                    int dx = part % 3 - 1, dy = part / 3 % 3 - 1, dz = part / 9 - 1;
                    double weight = 0.125 / (1 << (abs(dx) + abs(dy) + abs(dz)));

                    sum += weight *
                           plane_of(
                               fine, fine->residual,
                               2 * z + dz)[((2 * y + dy) & mask) * fine->n + ((2 * x + dx) & mask)];
                }
                plane_of(coarse, coarse->right_side, z)[y * coarse->n + x] = sum;
            }
}

/* Adds the coarse correction to the solution, interpolated between the points of the coarse grid.
 */
static void add_correction(int index)
{
    struct level *fine = &levels[index], *coarse = &levels[index + 1];
    long mask = coarse->n - 1, n = coarse->n;

    exchange_halos(index + 1, coarse->solution);
    for (long z = fine->lo; z < fine->hi; z++) {
        const double *below = plane_of(coarse, coarse->solution, z >> 1);
        const double *above = plane_of(coarse, coarse->solution, (z + 1) >> 1);
        double *solution = plane_of(fine, fine->solution, z);

        for (long y = 0; y < fine->n; y++) {
            long y0 = (y >> 1) * n, y1 = (((y + 1) >> 1) & mask) * n;
            for (long x = 0; x < fine->n; x++) {
                long x0 = x >> 1, x1 = ((x + 1) >> 1) & mask;

                solution[y * fine->n + x] +=
                    0.125 * (below[y0 + x0] + below[y0 + x1] + below[y1 + x0] + below[y1 + x1] +
                             above[y0 + x0] + above[y0 + x1] + above[y1 + x0] + above[y1 + x1]);
            }
        }
    }
}

static void v_cycle(int index)
{
    smooth(index);
    if (index + 1 < n_levels) {
        struct level *coarse = &levels[index + 1];

        find_residual(index);
        restrict_residual(index);
        memset(coarse->solution, 0,
               (size_t)((coarse->hi - coarse->lo + 2) * coarse->n * coarse->n) * sizeof(double));
        v_cycle(index + 1);
        add_correction(index);
    }
    smooth(index);
}

/*
 * Mean over the finest grid of (value - shift)^power, power 1 or 2. Each plane is summed by its
 * owner and the planes in their order, so that the result is the same on any number of ranks.
 */
static double mean_power(double *field, double shift, int power)
{
    const struct level *level = &levels[0];
    double *sums = program_alloc((size_t)level->n, sizeof *sums), sum = 0;

    for (long z = level->lo; z < level->hi; z++)
        for (long i = 0; i < level->n * level->n; i++) {
            double value = plane_of(level, field, z)[i] - shift;

            sums[z] += power == 2 ? value * value : value;
        }
    MPI_Allreduce(MPI_IN_PLACE, sums, (int)level->n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (long z = 0; z < level->n; z++)
        sum += sums[z];
    free(sums);
    return sum / pow((double)level->n, 3);
}

/* The known field goes to the solution, A times it to the right side; then the solution is 0. */
static void make_problem(double *known)
{
    struct level *level = &levels[0];
    long n_values = (level->hi - level->lo) * level->n * level->n;
    double *solution = plane_of(level, level->solution, level->lo);
    double *right_side = plane_of(level, level->right_side, level->lo);

    for (long i = 0; i < n_values; i++)
        solution[i] =
            program_uniform((uint64_t)seed, (uint64_t)(level->lo * level->n * level->n + i));
    memcpy(plane_of(level, known, level->lo), solution, (size_t)n_values * sizeof *known);
    find_residual(0);
    for (long i = 0; i < n_values; i++) {
        right_side[i] = -plane_of(level, level->residual, level->lo)[i];
        solution[i] = 0;
    }
}

/*
 * Is the solution as near to the known field, but for a constant, as a residual of that size
 * allows? A's smallest eigenvalue other than 0 belongs to one wave along one axis.
 */
static bool solution_is_near(double *known, double residual)
{
    struct level *level = &levels[0];
    long n_values = (level->hi - level->lo + 2) * level->n * level->n;
    double n = (double)level->n, smallest = (2 - 2 * cos(2 * acos(-1) / n)) * n * n;
    double known_norm = sqrt(mean_power(known, 0, 2));

    for (long i = 0; i < n_values; i++)
        known[i] -= level->solution[i];
    double error = sqrt(mean_power(known, mean_power(known, 0, 1), 2));
    return error <= 1.001 * residual / smallest + 1e-13 * known_norm;
}

/* Solves the problem; NULL, or what is wrong. */
static const char *solve(void)
{
    struct level *level = &levels[0];
    double *known =
        program_alloc((size_t)((level->hi - level->lo + 2) * level->n * level->n), sizeof *known);
    const char *wrong = NULL;

    make_problem(known);
    double before = sqrt(mean_power(level->right_side, 0, 2)), floor = 1e-13 * before, residual = 0;
    double begin_s = MPI_Wtime();
    for (long cycle = 1; cycle <= n_cycles; cycle++) {
        v_cycle(0);
        find_residual(0);
        residual = sqrt(mean_power(level->residual, 0, 2));
        if (residual > before / 2 && residual > floor)
            wrong = "a cycle did not halve the residual";
        if (program.rank == 0)
            printf("cycle %ld: residual %.6e\n", cycle, residual);
        before = residual;
    }
    program_time(&program, "cycles", begin_s);
    if (program.spoiled && level->hi > level->lo)
        *plane_of(level, level->solution, level->lo) += 1e6;
    if (!solution_is_near(known, residual))
        wrong = "the solution is not near the known field";
    free(known);
    return wrong;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int status = program_begin(&program, argc, argv);
    if (status < 0 && (size & (size - 1)) != 0) {
        if (program.rank == 0)
            fprintf(stderr, "mg: --size takes a power of two, not %ld\n", size);
        status = 2;
    }
    if (status < 0) {
        levels_init();
        const char *wrong = solve();
        levels_release();
        status = program_end(&program, wrong);
    }
    MPI_Finalize();
    return status;
}
