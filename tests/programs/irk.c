// SPDX-License-Identifier: BSD-3-Clause
/*
 * Iterated Runge-Kutta method: in each time step the stage vectors of an implicit method (Radau
 * IIA, any number of stages) are found by a fixed number of fixed-point iterations, whose function
 * evaluations are independent of each other. Consecutive version: all ranks compute one stage after
 * the other, each rank its components. Group version (--groups): the ranks are split into a group
 * for each stage; a group computes its stage and exchanges the result with the ranks that have the
 * same components in the other groups. After Kuehnemann, Rauber, Ruenger, "Performance Modelling
 * for Task-Parallel Programs" (2002).
 *
 * Check: the equation's exact solution is known, a sum of waves on a ring; the difference must be
 * within the error bound of the method's order.
 */
#include "program.h"

enum { MAX_STAGES = 6, N_WAVES = 4, ENERGY_BITS = 30 };

static long size = 20000, n_steps = 5, n_stages = 4, n_iterations = 6, reach = 100, with_groups;
static long skew, seed = 1;

static const struct program_option options[] = {
    {"size", "N", &size, 64, 10000000, "components of the system"},
    {"steps", "N", &n_steps, 1, 1000000, "time steps"},
    {"stages", "S", &n_stages, 1, MAX_STAGES, "stages of the method"},
    {"iterations", "M", &n_iterations, 1, 20, "fixed-point iterations in each step"},
    {"reach", "D", &reach, 1, 10000, "components to either side a derivative depends on"},
    {"groups", NULL, &with_groups, 0, 1, "compute the stages by groups of ranks at the same time"},
    {"skew", "P", &skew, 0, 10000,
     "percent by which the last rank has more components than the first; not with --groups"},
    {"seed", "N", &seed, 0, 1000000, "seed of the waves"},
    {0}};

static struct program program = {
    .name = "irk",
    .summary = "Solves a system of differential equations by an iterated Runge-Kutta method.",
    .rank_rule = "Any number of ranks is valid; with --groups it must be a multiple of --stages.",
    .min_ranks = 1,
    .options = options};

/* A distributed vector: who has which components. */
struct parts {
    MPI_Comm comm;
    int *counts, *offsets;
    long begin, end; /* this rank's */
};

/* Stage i needs a[i][j] of the j-th derivative; the last row gives the new value as well. */
struct method {
    double a[MAX_STAGES][MAX_STAGES];
};

struct solver {
    struct method method;
    struct parts all, group, across; /* group and across only with --groups */
    int own_stage;
    double *value, *argument;
    double *derivatives[MAX_STAGES], *new_derivatives[MAX_STAGES];
};

/* cos(angle * i + frequency * time + phase) is a solution. */
struct wave {
    double angle, frequency, phase;
};

static const double time_step = 0.02;

/* Difference of the Legendre polynomials of degree n and n - 1 on [0, 1]. */
PROGRAM_INNER double radau_polynomial(long n, double x)
{
    double before = 1, last = 2 * x - 1;

    for (long k = 1; k < n; k++) {
        double next =
            ((double)(2 * k + 1) * (2 * x - 1) * last - (double)k * before) / (double)(k + 1);
        before = last;
        last = next;
    }
    return last - before;
}

/* The nodes are the polynomial's zeros, the last one is 1; found by bisection. */
static void find_nodes(double nodes[MAX_STAGES])
{
    long n_found = 0, n_cells = 1000;

    for (long cell = 0; cell < n_cells && n_found < n_stages - 1; cell++) {
        double low = (double)cell / (double)n_cells, high = (double)(cell + 1) / (double)n_cells;
        double at_low = radau_polynomial(n_stages, low);

        if (at_low * radau_polynomial(n_stages, high) > 0)
            continue;
        for (int i = 0; i < 60; i++) {
            double middle = (low + high) / 2;
            if (at_low * radau_polynomial(n_stages, middle) > 0)
                low = middle;
            else
                high = middle;
        }
        nodes[n_found++] = (low + high) / 2;
    }
    nodes[n_stages - 1] = 1;
}

/* Collocation: a[i][j] is the integral from 0 to node i of the j-th Lagrange polynomial. */
static struct method make_method(void)
{
    struct method method = {0};
    double nodes[MAX_STAGES] = {0};

    find_nodes(nodes);
    for (long j = 0; j < n_stages; j++) {
        double powers[MAX_STAGES + 1] = {1}; /* of the Lagrange polynomial, by degree */
        long degree = 0;

        for (long k = 0; k < n_stages; k++) {
            if (k == j)
                continue;
            for (long power = ++degree; power >= 0; power--)
                powers[power] = ((power > 0 ? powers[power - 1] : 0) - nodes[k] * powers[power]) /
                                (nodes[j] - nodes[k]);
        }
        for (long i = 0; i < n_stages; i++)
            for (long power = degree; power >= 0; power--)
                method.a[i][j] +=
                    powers[power] * pow(nodes[i], (double)(power + 1)) / (double)(power + 1);
    }
    return method;
}

/* Part i of the vector goes to rank i of comm; a part is `width` of n_blocks blocks. */
static void parts_init(struct parts *parts, MPI_Comm comm, int n_blocks, int width)
{
    int rank, n_ranks;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &n_ranks);
    parts->comm = comm;
    parts->counts = program_alloc((size_t)n_ranks, sizeof *parts->counts);
    parts->offsets = program_alloc((size_t)n_ranks, sizeof *parts->offsets);
    for (int i = 0; i < n_ranks; i++) {
        long begin = program_skewed_block(size, n_blocks, i * width, with_groups ? 0 : skew);
        long end = program_skewed_block(size, n_blocks, (i + 1) * width, with_groups ? 0 : skew);

        parts->offsets[i] = (int)begin;
        parts->counts[i] = (int)(end - begin);
    }
    parts->begin = parts->offsets[rank];
    parts->end = parts->begin + parts->counts[rank];
}

static void parts_release(struct parts *parts)
{
    if (parts->comm != MPI_COMM_NULL)
        MPI_Comm_free(&parts->comm);
    free(parts->counts);
    free(parts->offsets);
}

/*
 * Rank r computes stage r / g with g ranks a stage. The ranks of one place in their groups have
 * neighbouring blocks in the final combination, so that these are parts of what they all know.
 */
static void split_ranks(struct solver *solver)
{
    int group_size = with_groups ? program.n_ranks / (int)n_stages : program.n_ranks;
    int stage = program.rank / group_size, place = program.rank % group_size;
    MPI_Comm comm;

    solver->all.comm = solver->group.comm = solver->across.comm = MPI_COMM_NULL;
    solver->own_stage = stage;
    MPI_Comm_split(MPI_COMM_WORLD, 0, with_groups ? place * (int)n_stages + stage : place, &comm);
    parts_init(&solver->all, comm, program.n_ranks, 1);
    if (!with_groups)
        return;
    MPI_Comm_split(MPI_COMM_WORLD, stage, place, &comm);
    parts_init(&solver->group, comm, program.n_ranks, (int)n_stages);
    MPI_Comm_split(MPI_COMM_WORLD, place, stage, &solver->across.comm);
}

static void solver_init(struct solver *solver)
{
    *solver = (struct solver){.method = make_method()};
    split_ranks(solver);
    solver->value = program_alloc((size_t)size, sizeof(double));
    solver->argument = program_alloc((size_t)size, sizeof(double));
    for (long i = 0; i < n_stages; i++) {
        solver->derivatives[i] = program_alloc((size_t)size, sizeof(double));
        solver->new_derivatives[i] = program_alloc((size_t)size, sizeof(double));
    }
}

static void solver_release(struct solver *solver)
{
    parts_release(&solver->all);
    parts_release(&solver->group);
    parts_release(&solver->across);
    free(solver->value);
    free(solver->argument);
    for (long i = 0; i < n_stages; i++) {
        free(solver->derivatives[i]);
        free(solver->new_derivatives[i]);
    }
}

/* dy[i]/dt is the sum over d <= reach of (y[i + d] - y[i - d]) / d^2, indices on a ring. */
static void evaluate(const double *y, double *derivative, long begin, long end)
{
    for (long i = begin; i < end; i++) {
        double sum = 0;

        for (long d = 1; d <= reach; d++) {
            long after = i + d < size ? i + d : i + d - size,
                 before = i - d >= 0 ? i - d : i - d + size;
            sum += (y[after] - y[before]) / (double)(d * d);
        }
        derivative[i] = sum;
    }
}

/* argument = value + step * (row `stage` of the method) * derivatives, in begin..end-1. */
static void combine(const struct solver *solver, double *argument, long stage, long begin, long end)
{
    for (long i = begin; i < end; i++) {
        double sum = 0;

        for (long j = 0; j < n_stages; j++)
            sum += solver->method.a[stage][j] * solver->derivatives[j][i];
        argument[i] = solver->value[i] + time_step * sum;
    }
}

/* Every rank of the parts gets the whole vector. */
static void gather_parts(const struct parts *parts, double *vector)
{
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, vector, parts->counts, parts->offsets,
                   MPI_DOUBLE, parts->comm);
}

static void swap_derivatives(struct solver *solver)
{
    for (long i = 0; i < n_stages; i++) {
        double *old = solver->derivatives[i];

        solver->derivatives[i] = solver->new_derivatives[i];
        solver->new_derivatives[i] = old;
    }
}

/* One iteration by all ranks, stage after stage. */
static void iterate_consecutive(struct solver *solver)
{
    const struct parts *all = &solver->all;

    for (long stage = 0; stage < n_stages; stage++) {
        combine(solver, solver->argument, stage, all->begin, all->end);
        gather_parts(all, solver->argument);
        evaluate(solver->argument, solver->new_derivatives[stage], all->begin, all->end);
    }
    swap_derivatives(solver);
}

/* One iteration with each group at its stage; then the ranks of one place exchange the results. */
static void iterate_groups(struct solver *solver, double *exchanged)
{
    const struct parts *group = &solver->group;
    long n = group->end - group->begin;

    combine(solver, solver->argument, solver->own_stage, group->begin, group->end);
    gather_parts(group, solver->argument);
    evaluate(solver->argument, solver->new_derivatives[solver->own_stage], group->begin,
             group->end);
    MPI_Allgather(solver->new_derivatives[solver->own_stage] + group->begin, (int)n, MPI_DOUBLE,
                  exchanged, (int)n, MPI_DOUBLE, solver->across.comm);
    for (long i = 0; i < n_stages; i++)
        memcpy(solver->new_derivatives[i] + group->begin, exchanged + i * n,
               (size_t)n * sizeof(double));
    swap_derivatives(solver);
}

static void time_steps(struct solver *solver)
{
    const struct parts *known = with_groups ? &solver->group : &solver->all;
    double *exchanged =
        program_alloc((size_t)(n_stages * (known->end - known->begin)), sizeof(double));

    for (long step = 0; step < n_steps; step++) {
        evaluate(solver->value, solver->derivatives[0], known->begin, known->end);
        for (long i = 1; i < n_stages; i++)
            memcpy(solver->derivatives[i] + known->begin, solver->derivatives[0] + known->begin,
                   (size_t)(known->end - known->begin) * sizeof(double));
        for (long i = 0; i < n_iterations; i++) {
            if (with_groups)
                iterate_groups(solver, exchanged);
            else
                iterate_consecutive(solver);
        }
        combine(solver, solver->argument, n_stages - 1, solver->all.begin, solver->all.end);
        memcpy(solver->value + solver->all.begin, solver->argument + solver->all.begin,
               (size_t)(solver->all.end - solver->all.begin) * sizeof(double));
        gather_parts(&solver->all, solver->value);
    }
    free(exchanged);
}

/* The waves of the exact solution: lengths and phases are random, frequencies follow. */
static void make_waves(struct wave waves[N_WAVES])
{
    double turn = 2 * acos(-1);

    for (uint64_t i = 0; i < N_WAVES; i++) {
        uint64_t number = 1 + program_random((uint64_t)seed, i) % (uint64_t)(size / 4);

        waves[i] = (struct wave){.angle = turn * (double)number / (double)size,
                                 .phase = turn * program_uniform((uint64_t)seed, N_WAVES + i)};
        for (long d = 1; d <= reach; d++)
            waves[i].frequency += 2 * sin(waves[i].angle * (double)d) / (double)(d * d);
    }
}

PROGRAM_INNER double exact_value(const struct wave waves[N_WAVES], long i, double time)
{
    double value = 0;

    for (int wave = 0; wave < N_WAVES; wave++)
        value +=
            cos(waves[wave].angle * (double)i + waves[wave].frequency * time + waves[wave].phase) /
            N_WAVES;
    return value;
}

/* Prints the energy; NULL, or what is wrong. Every rank looks at its part. */
static const char *check_value(const struct solver *solver, const struct wave waves[N_WAVES])
{
    double error = 0, fastest = 0;
    long order = 2 * n_stages - 1 < n_iterations + 1 ? 2 * n_stages - 1 : n_iterations + 1;
    int64_t own_energy = 0, energy;

    for (long i = solver->all.begin; i < solver->all.end; i++) {
        double exact = exact_value(waves, i, time_step * (double)n_steps);

        error = fmax(error, fabs(solver->value[i] - exact));
        own_energy += program_fixed(solver->value[i] * solver->value[i], ENERGY_BITS);
    }
    MPI_Reduce(&own_energy, &energy, 1, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (program.rank == 0)
        printf("after %ld steps: energy %.9f\n", n_steps, ldexp((double)energy, -ENERGY_BITS));
    for (int wave = 0; wave < N_WAVES; wave++)
        fastest = fmax(fastest, fabs(waves[wave].frequency));
    if (!(error <= (double)n_steps * pow(time_step * fastest, (double)(order + 1)) + 1e-12))
        return "the solution is farther from the exact one than the method's order allows";
    return NULL;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int status = program_begin(&program, argc, argv);
    if (status < 0 && ((with_groups && program.n_ranks % n_stages != 0) || 2 * reach >= size)) {
        if (program.rank == 0)
            fprintf(stderr, "irk: %s\n",
                    2 * reach >= size ? "--reach must be less than half of --size"
                                      : program.rank_rule);
        status = 2;
    }
    if (status < 0) {
        struct solver solver;
        struct wave waves[N_WAVES];

        make_waves(waves);
        solver_init(&solver);
        for (long i = 0; i < size; i++)
            solver.value[i] = exact_value(waves, i, 0);
        double begin_s = MPI_Wtime();
        time_steps(&solver);
        program_time(&program, with_groups ? "group steps" : "consecutive steps", begin_s);
        if (program.spoiled)
            solver.value[solver.all.begin] += 1e-3;
        const char *wrong = check_value(&solver, waves);
        solver_release(&solver);
        status = program_end(&program, wrong);
    }
    MPI_Finalize();
    return status;
}
