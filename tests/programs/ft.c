// SPDX-License-Identifier: BSD-3-Clause
/*
 * Fourier transform, in the spirit of the NAS kernel FT: a field on an n x n x n periodic grid
 * diffuses, by multiplying its 3-D Fourier transform with a decay for each wave number. The grid is
 * cut into planes; transforms along x and y are local, the one along z follows a transpose by
 * Alltoall. Transforms are radix 2 (Cooley and Tukey), decimation in time.
 *
 * Check: some Fourier coefficients are compared with their defining sums, each inverse transform
 * must keep the field's mean, and the last one the energy of its spectrum (Parseval).
 */
#include <complex.h>

#include "program.h"

enum { N_PROBES = 4, N_SAMPLES = 1024, SUM_BITS = 40 };

static long size = 128, n_iterations = 4, seed = 1;

static const struct program_option options[] = {
    {"size", "N", &size, 2, 1024, "points in each direction, a power of two"},
    {"iterations", "N", &n_iterations, 1, 1000000, "time steps, each with an inverse transform"},
    {"seed", "N", &seed, 0, 1000000, "seed of the first field"},
    {0}};

static struct program program = {
    .name = "ft",
    .summary = "Solves a diffusion equation by 3-D Fourier transforms spread over the ranks.",
    .rank_rule = "Any number of ranks is valid; those beyond --size have no planes.",
    .min_ranks = 1,
    .options = options};

/* Rank r has planes r * depth to (r + 1) * depth - 1 of n, as far as there are so many. */
struct field {
    long n, depth, first, n_planes;
    double complex *roots;  /* exp(-2 pi i k / n), k < n */
    double complex *planes; /* [z - first][y][x], or of a spectrum [x - first][y][z] */
    double complex *line, *blocks, *received; /* room for a transform and for the transpose */
};

/* C11's CMPLX, which clang does not have with the C library of GNU. */
PROGRAM_INNER double complex complex_of(double re, double im)
{
    double parts[2] = {re, im};
    double complex value;

    memcpy(&value, parts, sizeof value);
    return value;
}

static void field_init(struct field *field)
{
    long n = size, depth = (n + program.n_ranks - 1) / program.n_ranks;
    size_t block_total = (size_t)(depth * depth * n * program.n_ranks);

    *field = (struct field){.n = n, .depth = depth, .first = program.rank * depth};
    field->n_planes = field->first >= n ? 0 : depth;
    if (field->n_planes > 0 && field->first + depth > n)
        field->n_planes = n - field->first;
    field->roots = program_alloc((size_t)n, sizeof *field->roots);
    for (long k = 0; k < n; k++)
        field->roots[k] = cexp(-2 * acos(-1) * I * (double)k / (double)n);
    field->planes = program_alloc((size_t)(field->n_planes * n * n), sizeof *field->planes);
    field->line = program_alloc((size_t)n, sizeof *field->line);
    field->blocks = program_alloc(block_total, sizeof *field->blocks);
    field->received = program_alloc(block_total, sizeof *field->received);
}

static void field_release(struct field *field)
{
    free(field->roots);
    free(field->planes);
    free(field->line);
    free(field->blocks);
    free(field->received);
}

/* Transforms the n values `stride` apart at `values`; an inverse one does not divide by n. */
PROGRAM_INNER void transform_line(const struct field *field, double complex *values, long stride,
                                  bool inverse)
{
    long n = field->n;
    double complex *line = field->line;

    for (long i = 0, reversed = 0; i < n; i++) {
        line[reversed] = values[i * stride];
        long bit = n >> 1;
        for (; bit > 0 && (reversed & bit) != 0; bit >>= 1)
            reversed ^= bit;
        reversed |= bit;
    }
    for (long half = 1; half < n; half *= 2) {
        long step = n / (2 * half);
        for (long k = 0; k < half; k++) {
            double root_re = creal(field->roots[k * step]);
            double root_im =
                inverse ? -cimag(field->roots[k * step]) : cimag(field->roots[k * step]);
            for (long i = k; i < n; i += 2 * half) {
                double re = creal(line[i + half]), im = cimag(line[i + half]);
                double complex odd =
                    complex_of(re * root_re - im * root_im, re * root_im + im * root_re);

                line[i + half] = line[i] - odd;
                line[i] += odd;
            }
        }
    }
    for (long i = 0; i < n; i++)
        values[i * stride] = line[i];
}

static void transform_xy(struct field *field, bool inverse)
{
    long n = field->n;

    for (long plane = 0; plane < field->n_planes; plane++) {
        double complex *values = field->planes + plane * n * n;
        for (long y = 0; y < n; y++)
            transform_line(field, values + y * n, 1, inverse);
        for (long x = 0; x < n; x++)
            transform_line(field, values + x, n, inverse);
    }
}

static void transform_z(struct field *field, bool inverse)
{
    long n = field->n;

    for (long line = 0; line < field->n_planes * n; line++)
        transform_line(field, field->planes + line * n, 1, inverse);
}

/*
 * Exchanges the first and the last index of [plane][y][i]: what was cut along i's partner is now
 * cut along i. All blocks have the same size, that of full ranks.
 */
static void transpose(struct field *field)
{
    long n = field->n, depth = field->depth, block = depth * n * depth;

    for (long plane = 0; plane < field->n_planes; plane++)
        for (long y = 0; y < n; y++)
            for (long i = 0; i < n; i++)
                field->blocks[i / depth * block + (plane * n + y) * depth + i % depth] =
                    field->planes[(plane * n + y) * n + i];
    MPI_Alltoall(field->blocks, (int)(2 * block), MPI_DOUBLE, field->received, (int)(2 * block),
                 MPI_DOUBLE, MPI_COMM_WORLD);
    for (long i = 0; i < n; i++)
        for (long y = 0; y < n; y++)
            for (long plane = 0; plane < field->n_planes; plane++)
                field->planes[(plane * n + y) * n + i] =
                    field->received[i / depth * block + (i % depth * n + y) * depth + plane];
}

static void forward_transform(struct field *field)
{
    transform_xy(field, false);
    transpose(field);
    transform_z(field, false);
}

static void inverse_transform(struct field *field)
{
    double scale = 1 / (double)(field->n * field->n * field->n);

    transform_z(field, true);
    transpose(field);
    transform_xy(field, true);
    for (long i = 0; i < field->n_planes * field->n * field->n; i++)
        field->planes[i] *= scale;
}

PROGRAM_INNER double complex first_value(long n, long x, long y, long z)
{
    uint64_t index = (uint64_t)((z * n + y) * n + x);

    return complex_of(program_uniform((uint64_t)seed, 2 * index),
                      program_uniform((uint64_t)seed, 2 * index + 1));
}

static void make_field(struct field *field)
{
    long n = field->n;

    for (long plane = 0; plane < field->n_planes; plane++)
        for (long y = 0; y < n; y++)
            for (long x = 0; x < n; x++)
                field->planes[(plane * n + y) * n + x] = first_value(n, x, y, field->first + plane);
}

/* Lets each wave decay for one time step; `spectrum` is laid out [x][y][z]. */
static void evolve(const struct field *field, double complex *spectrum)
{
    long n = field->n;
    double rate = -4e-6 * acos(-1) * acos(-1);

    for (long plane = 0; plane < field->n_planes; plane++)
        for (long y = 0; y < n; y++)
            for (long z = 0; z < n; z++) {
                long x = field->first + plane;
                double kx = (double)(x < n / 2 ? x : x - n), ky = (double)(y < n / 2 ? y : y - n);
                double kz = (double)(z < n / 2 ? z : z - n);

                spectrum[(plane * n + y) * n + z] *= exp(rate * (kx * kx + ky * ky + kz * kz));
            }
}

/* Wave number `probe` to look at, the first being the mean. */
static void probe_wave(int probe, long wave[3])
{
    for (int axis = 0; axis < 3; axis++)
        wave[axis] = probe == 0
                         ? 0
                         : (long)(program_random((uint64_t)seed + 1, (uint64_t)(3 * probe + axis)) %
                                  (uint64_t)size);
}

/* The defining sum of the probed coefficients, from the field before the transform. */
static void sum_probes(const struct field *field, double complex sums[N_PROBES])
{
    long n = field->n;

    for (int probe = 0; probe < N_PROBES; probe++) {
        long wave[3];

        probe_wave(probe, wave);
        sums[probe] = 0;
        for (long plane = 0; plane < field->n_planes; plane++)
            for (long y = 0; y < n; y++)
                for (long x = 0; x < n; x++)
                    sums[probe] +=
                        field->planes[(plane * n + y) * n + x] *
                        field
                            ->roots[(wave[0] * x + wave[1] * y + wave[2] * (field->first + plane)) %
                                    n];
    }
}

/* Compares the probed coefficients with their sums, of which each rank has a part. */
static bool probes_agree(const struct field *field, const double complex sums[N_PROBES])
{
    double complex differences[N_PROBES], all[N_PROBES];
    double allowed = 1e-13 * pow((double)field->n, 3);
    bool agree = true;

    for (int probe = 0; probe < N_PROBES; probe++) {
        long wave[3];

        probe_wave(probe, wave);
        differences[probe] = -sums[probe];
        if (wave[0] >= field->first && wave[0] < field->first + field->n_planes)
            differences[probe] +=
                field->planes[((wave[0] - field->first) * field->n + wave[1]) * field->n + wave[2]];
    }
    MPI_Allreduce(differences, all, 2 * N_PROBES, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int probe = 0; probe < N_PROBES; probe++)
        agree = agree && cabs(all[probe]) <= allowed;
    return agree;
}

/* Sum and sum of squares of n_values on all ranks. */
static void moments(const double complex *values, long n_values, double complex *sum,
                    double *squares)
{
    double own[3] = {0}, all[3];

    for (long i = 0; i < n_values; i++) {
        own[0] += creal(values[i]);
        own[1] += cimag(values[i]);
        own[2] += creal(values[i]) * creal(values[i]) + cimag(values[i]) * cimag(values[i]);
    }
    MPI_Allreduce(own, all, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    *sum = complex_of(all[0], all[1]);
    *squares = all[2];
}

/* Prints the sum over some points of the grid, added as whole numbers: in whatever order. */
static void print_samples(const struct field *field, long iteration)
{
    int64_t own[2] = {0}, all[2];
    long n = field->n;

    for (long sample = 1; sample <= N_SAMPLES; sample++) {
        long x = sample % n, y = 3 * sample % n, plane = 5 * sample % n - field->first;

        if (plane < 0 || plane >= field->n_planes)
            continue;
        own[0] += program_fixed(creal(field->planes[(plane * n + y) * n + x]), SUM_BITS);
        own[1] += program_fixed(cimag(field->planes[(plane * n + y) * n + x]), SUM_BITS);
    }
    MPI_Reduce(own, all, 2, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (program.rank == 0)
        printf("step %ld: sum of samples %.9f %.9f\n", iteration, ldexp((double)all[0], -SUM_BITS),
               ldexp((double)all[1], -SUM_BITS));
}

/* All time steps; NULL, or what is wrong. */
static const char *diffuse(struct field *field)
{
    long n_values = field->n_planes * field->n * field->n;
    double n_points = pow((double)field->n, 3), squares, spectrum_squares;
    double complex *spectrum = program_alloc((size_t)n_values, sizeof *spectrum);
    double complex first_sum, sum, probe_sums[N_PROBES];
    const char *wrong = NULL;

    make_field(field);
    moments(field->planes, n_values, &first_sum, &squares);
    sum_probes(field, probe_sums);
    double begin_s = MPI_Wtime();
    forward_transform(field);
    if (!probes_agree(field, probe_sums))
        wrong = "a Fourier coefficient differs from its defining sum";
    memcpy(spectrum, field->planes, (size_t)n_values * sizeof *spectrum);
    for (long iteration = 1; iteration <= n_iterations; iteration++) {
        evolve(field, spectrum);
        memcpy(field->planes, spectrum, (size_t)n_values * sizeof *spectrum);
        inverse_transform(field);
        if (program.spoiled && iteration == n_iterations && n_values > 0)
            field->planes[0] += 1;
        moments(field->planes, n_values, &sum, &squares);
        if (cabs(sum - first_sum) > 1e-12 * n_points)
            wrong = "the mean of the field has changed";
        print_samples(field, iteration);
    }
    program_time(&program, "steps", begin_s);
    moments(spectrum, n_values, &sum, &spectrum_squares);
    if (fabs(spectrum_squares / n_points - squares) > 1e-12 * squares)
        wrong = "field and spectrum differ in energy";
    free(spectrum);
    return wrong;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int status = program_begin(&program, argc, argv);
    if (status < 0 && (size & (size - 1)) != 0) {
        if (program.rank == 0)
            fprintf(stderr, "ft: --size takes a power of two, not %ld\n", size);
        status = 2;
    }
    if (status < 0) {
        struct field field;

        field_init(&field);
        const char *wrong = diffuse(&field);
        field_release(&field);
        status = program_end(&program, wrong);
    }
    MPI_Finalize();
    return status;
}
