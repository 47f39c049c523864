// SPDX-License-Identifier: BSD-3-Clause
/*
 * Pipelined wavefront, as in particle transport on a regular mesh (Koch, Baker, Alcouffe's
 * algorithm of Sweep3D): ranks form a 2-D grid of columns; a sweep starts in one corner for each of
 * the eight octants of directions and moves through the columns in blocks of planes. A rank waits
 * for the inflow from its two upstream neighbours, computes a block, and sends the outflow on; the
 * block size trades filling the pipeline against the number of messages.
 *
 * Check: in each iteration what leaks out of the mesh and what is absorbed must be what the source
 * emits, a property of the upwind step scheme used here.
 */
#include "program.h"
#include "tracer/pagoda.h"

enum { N_ANGLES = 6, N_OCTANTS = 8, TAG_X = 1, TAG_Y = 2, FLUX_BITS = 20 };

static long size = 64, n_iterations = 5, block_planes = 16, seed = 1;

static const struct program_option options[] = {
    {"size", "N", &size, 1, 2000, "cells in each direction"},
    {"iterations", "N", &n_iterations, 1, 1000000, "source iterations, each with eight sweeps"},
    {"block", "PLANES", &block_planes, 1, 2000, "planes of cells computed between messages"},
    {"seed", "N", &seed, 0, 1000000, "seed of the source"},
    {0}};

static struct program program = {
    .name = "sweep",
    .summary = "Sweeps a transport problem through a 2-D grid of ranks, block by block.",
    .rank_rule = "Any number of ranks is valid whose grid has at most --size rows and columns.",
    .min_ranks = 1,
    .options = options};

/* This rank's columns of cells and what flows through their faces. */
struct mesh {
    MPI_Comm grid;
    int rank_after_x, rank_before_x, rank_after_y, rank_before_y;
    long x0, nx, y0, ny, n;
    double *source, *flux, *old_flux; /* [z][y][x] */
    double *x_face;                   /* [z in block][y][angle] */
    double *y_face;                   /* [z in block][x][angle] */
    double *z_face;                   /* [y][x][angle] */
    double leakage;
};

/* One octant: directions of the sweep, and who is up- and downstream there. */
struct octant {
    bool x_falls, y_falls, z_falls;
    int x_upstream, x_downstream, y_upstream, y_downstream;
};

/* Direction cosines and weight of an angle; the weights of all octants add up to 1. */
struct angle {
    double x, y, z, weight;
};

static const double total_cross_section = 1.0, scattering_ratio = 0.5, cell_width = 0.25;

static void make_angles(struct angle angles[N_ANGLES])
{
    for (int m = 0; m < N_ANGLES; m++) {
        double z = (m + 0.5) / N_ANGLES, turn = acos(-1) / 2 * (m * 5 % N_ANGLES + 0.5) / N_ANGLES;

        angles[m] = (struct angle){sqrt(1 - z * z) * cos(turn), sqrt(1 - z * z) * sin(turn), z,
                                   1.0 / (N_ANGLES * N_OCTANTS)};
    }
}

/* Arranges the ranks in a grid and gives each its columns; false when there are too many ranks. */
static bool mesh_init(struct mesh *mesh)
{
    int n_rows[2] = {0}, periods[2] = {0}, place[2];

    MPI_Dims_create(program.n_ranks, 2, n_rows);
    if (n_rows[0] > size || n_rows[1] > size)
        return false;
    *mesh = (struct mesh){.n = size};
    MPI_Cart_create(MPI_COMM_WORLD, 2, n_rows, periods, 0, &mesh->grid);
    MPI_Cart_coords(mesh->grid, program.rank, 2, place);
    MPI_Cart_shift(mesh->grid, 0, 1, &mesh->rank_before_x, &mesh->rank_after_x);
    MPI_Cart_shift(mesh->grid, 1, 1, &mesh->rank_before_y, &mesh->rank_after_y);
    mesh->x0 = program_block(size, n_rows[0], place[0]);
    mesh->nx = program_block(size, n_rows[0], place[0] + 1) - mesh->x0;
    mesh->y0 = program_block(size, n_rows[1], place[1]);
    mesh->ny = program_block(size, n_rows[1], place[1] + 1) - mesh->y0;

    size_t n_cells = (size_t)(mesh->nx * mesh->ny * mesh->n);
    mesh->source = program_alloc(n_cells, sizeof(double));
    mesh->flux = program_alloc(n_cells, sizeof(double));
    mesh->old_flux = program_alloc(n_cells, sizeof(double));
    mesh->x_face = program_alloc((size_t)(block_planes * mesh->ny * N_ANGLES), sizeof(double));
    mesh->y_face = program_alloc((size_t)(block_planes * mesh->nx * N_ANGLES), sizeof(double));
    mesh->z_face = program_alloc((size_t)(mesh->ny * mesh->nx * N_ANGLES), sizeof(double));
    return true;
}

static void mesh_release(struct mesh *mesh)
{
    MPI_Comm_free(&mesh->grid);
    free(mesh->source);
    free(mesh->flux);
    free(mesh->old_flux);
    free(mesh->x_face);
    free(mesh->y_face);
    free(mesh->z_face);
}

static struct octant make_octant(const struct mesh *mesh, int number)
{
    struct octant o = {.x_falls = number & 1, .y_falls = number & 2, .z_falls = number & 4};

    o.x_upstream = o.x_falls ? mesh->rank_after_x : mesh->rank_before_x;
    o.x_downstream = o.x_falls ? mesh->rank_before_x : mesh->rank_after_x;
    o.y_upstream = o.y_falls ? mesh->rank_after_y : mesh->rank_before_y;
    o.y_downstream = o.y_falls ? mesh->rank_before_y : mesh->rank_after_y;
    return o;
}

/* The inflow from upstream; nothing flows in from outside the mesh. */
static void receive_inflow(struct mesh *mesh, const struct octant *octant, long n_planes)
{
    int n_x = (int)(n_planes * mesh->ny * N_ANGLES), n_y = (int)(n_planes * mesh->nx * N_ANGLES);

    memset(mesh->x_face, 0, (size_t)n_x * sizeof(double));
    memset(mesh->y_face, 0, (size_t)n_y * sizeof(double));
    MPI_Recv(mesh->x_face, n_x, MPI_DOUBLE, octant->x_upstream, TAG_X, mesh->grid,
             MPI_STATUS_IGNORE);
    MPI_Recv(mesh->y_face, n_y, MPI_DOUBLE, octant->y_upstream, TAG_Y, mesh->grid,
             MPI_STATUS_IGNORE);
}

/* Sum over a face of the flow through it, weighted by angle. */
PROGRAM_INNER double face_flow(const double *face, long n_cells, const double weights[N_ANGLES])
{
    double sum = 0;

    for (long i = 0; i < n_cells; i++)
        for (int m = 0; m < N_ANGLES; m++)
            sum += weights[m] * face[i * N_ANGLES + m];
    return sum;
}

/* Sends the outflow on; what leaves at the edge of the mesh is counted as leakage. */
static void send_outflow(struct mesh *mesh, const struct octant *octant,
                         const struct angle angles[N_ANGLES], long n_planes)
{
    long n_x = n_planes * mesh->ny, n_y = n_planes * mesh->nx;
    double weights[N_ANGLES];

    MPI_Send(mesh->x_face, (int)n_x * N_ANGLES, MPI_DOUBLE, octant->x_downstream, TAG_X,
             mesh->grid);
    MPI_Send(mesh->y_face, (int)n_y * N_ANGLES, MPI_DOUBLE, octant->y_downstream, TAG_Y,
             mesh->grid);
    for (int m = 0; m < N_ANGLES; m++)
        weights[m] = angles[m].weight * angles[m].x / cell_width;
    if (octant->x_downstream == MPI_PROC_NULL)
        mesh->leakage += face_flow(mesh->x_face, n_x, weights);
    for (int m = 0; m < N_ANGLES; m++)
        weights[m] = angles[m].weight * angles[m].y / cell_width;
    if (octant->y_downstream == MPI_PROC_NULL)
        mesh->leakage += face_flow(mesh->y_face, n_y, weights);
}

/* One cell: the balance of in- and outflow gives its density, which is what flows out. */
PROGRAM_INNER double sweep_cell(const struct angle angles[N_ANGLES], double source, double *x_face,
                                double *y_face, double *z_face)
{
    double flux = 0;

    for (int m = 0; m < N_ANGLES; m++) {
        double x = angles[m].x / cell_width, y = angles[m].y / cell_width;
        double z = angles[m].z / cell_width;
        double density = (source + x * x_face[m] + y * y_face[m] + z * z_face[m]) /
                         (total_cross_section + x + y + z);

        x_face[m] = y_face[m] = z_face[m] = density;
        flux += angles[m].weight * density;
    }
    return flux;
}

/* The cells of n_planes planes, from plane `first` of the sweep on. */
static void sweep_block(struct mesh *mesh, const struct octant *octant,
                        const struct angle angles[N_ANGLES], long first, long n_planes)
{
    for (long k = 0; k < n_planes; k++) {
        long z = octant->z_falls ? mesh->n - 1 - first - k : first + k;
        for (long j = 0; j < mesh->ny; j++) {
            long y = octant->y_falls ? mesh->ny - 1 - j : j;
            for (long i = 0; i < mesh->nx; i++) {
                long x = octant->x_falls ? mesh->nx - 1 - i : i;
                long cell = (z * mesh->ny + y) * mesh->nx + x;

                mesh->flux[cell] += sweep_cell(angles, mesh->source[cell],
                                               mesh->x_face + (k * mesh->ny + y) * N_ANGLES,
                                               mesh->y_face + (k * mesh->nx + x) * N_ANGLES,
                                               mesh->z_face + (y * mesh->nx + x) * N_ANGLES);
            }
        }
    }
}

/* Tells the tracer the next block's cell-angles and the rank's cells, for replays without times. */
static void mark_work(const struct mesh *mesh, long n_planes)
{
    const char *const names[] = {"work", "elements"};
    const double values[] = {(double)(n_planes * mesh->ny * mesh->nx * N_ANGLES),
                             (double)(mesh->n * mesh->ny * mesh->nx)};

    pagoda_marker("cell_angles", 2, names, values);
}

static void sweep_octant(struct mesh *mesh, const struct angle angles[N_ANGLES], int number)
{
    struct octant octant = make_octant(mesh, number);
    double weights[N_ANGLES];

    memset(mesh->z_face, 0, (size_t)(mesh->ny * mesh->nx * N_ANGLES) * sizeof(double));
    for (long first = 0; first < mesh->n; first += block_planes) {
        long n_planes = mesh->n - first < block_planes ? mesh->n - first : block_planes;

        receive_inflow(mesh, &octant, n_planes);
        mark_work(mesh, n_planes);
        sweep_block(mesh, &octant, angles, first, n_planes);
        send_outflow(mesh, &octant, angles, n_planes);
    }
    for (int m = 0; m < N_ANGLES; m++)
        weights[m] = angles[m].weight * angles[m].z / cell_width;
    mesh->leakage += face_flow(mesh->z_face, mesh->ny * mesh->nx, weights);
}

/* Each cell emits its own random source and what is scattered there. */
static void make_source(struct mesh *mesh)
{
    for (long z = 0; z < mesh->n; z++)
        for (long y = 0; y < mesh->ny; y++)
            for (long x = 0; x < mesh->nx; x++) {
                long cell = (z * mesh->ny + y) * mesh->nx + x;
                uint64_t index = (uint64_t)((z * size + mesh->y0 + y) * size + mesh->x0 + x);

                mesh->source[cell] = program_uniform((uint64_t)seed, index) +
                                     scattering_ratio * total_cross_section * mesh->old_flux[cell];
            }
}

/* Prints the iteration's flux; NULL, or what is wrong with the balance. */
static const char *check_balance(const struct mesh *mesh, long iteration)
{
    double own[3] = {mesh->leakage}, all[3];
    int64_t own_flux = 0, all_flux;

    for (long cell = 0; cell < mesh->nx * mesh->ny * mesh->n; cell++) {
        own[1] += total_cross_section * mesh->flux[cell];
        own[2] += mesh->source[cell];
        own_flux += program_fixed(mesh->flux[cell], FLUX_BITS);
    }
    MPI_Allreduce(own, all, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce(&own_flux, &all_flux, 1, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (program.rank == 0)
        printf("iteration %ld: flux %.6f\n", iteration, ldexp((double)all_flux, -FLUX_BITS));
    if (fabs(all[0] + all[1] - all[2]) > 1e-11 * all[2])
        return "leakage and absorption are not what the source emits";
    return NULL;
}

static const char *iterate(struct mesh *mesh)
{
    size_t n_bytes = (size_t)(mesh->nx * mesh->ny * mesh->n) * sizeof(double);
    struct angle angles[N_ANGLES];
    const char *wrong = NULL;

    make_angles(angles);
    double begin_s = MPI_Wtime();
    for (long iteration = 1; iteration <= n_iterations; iteration++) {
        make_source(mesh);
        memset(mesh->flux, 0, n_bytes);
        mesh->leakage = 0;
        for (int number = 0; number < N_OCTANTS; number++)
            sweep_octant(mesh, angles, number);
        if (program.spoiled && iteration == n_iterations)
            mesh->flux[0] += 1;
        const char *result = check_balance(mesh, iteration);
        if (result != NULL)
            wrong = result;
        memcpy(mesh->old_flux, mesh->flux, n_bytes);
    }
    program_time(&program, "sweeps", begin_s);
    return wrong;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int status = program_begin(&program, argc, argv);
    struct mesh mesh;

    if (status < 0 && !mesh_init(&mesh)) {
        if (program.rank == 0)
            fprintf(stderr, "sweep: %d ranks are too many for --size %ld\n", program.n_ranks, size);
        status = 2;
    }
    if (status < 0) {
        const char *wrong = iterate(&mesh);
        mesh_release(&mesh);
        status = program_end(&program, wrong);
    }
    MPI_Finalize();
    return status;
}
