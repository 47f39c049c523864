// SPDX-License-Identifier: BSD-3-Clause
/*
 * Currents along a coast: volumes and salt of water move between the cells of a grid that is sea in
 * the north and land in the south. The grid is cut into blocks of rows, and only sea is computed,
 * so that the first ranks have all the work and the last ones hardly any: where ranks share cores
 * it matters which. Each step has three phases, with an exchange of the outer rows between ranks
 * that are neighbours before each of the first and the last.
 *
 * Linear shallow water on a staggered grid with upwind transport (Arakawa, Lamb 1977), in whole
 * numbers, so that the order of adding does not matter.
 *
 * Check: whatever flows out of a cell flows into its neighbour, so volume and salt must be what
 * they were at the beginning, to the last unit, and there must be none on land.
 */
#include "program.h"

enum { TAG_NORTH = 1, TAG_SOUTH = 2, DEPTH_BITS = 30, SLANT = 30, STEPS_BETWEEN_LOOKS = 20 };

static long size = 768, n_steps = 40, coast_percent = 50, seed = 1;

static const struct program_option options[] = {
    {"size", "N", &size, 4, 4096, "rows and columns of the grid"},
    {"steps", "N", &n_steps, 1, 1000000, "time steps"},
    {"coast", "P", &coast_percent, 20, 80, "percent of the grid that is sea"},
    {"seed", "N", &seed, 0, 1000000, "seed of the water at the beginning"},
    {0}};

static struct program program = {
    .name = "coast",
    .summary = "Moves water along a coast; blocks of rows that are land have little to do.",
    .rank_rule = "Any number of ranks up to --size is valid.",
    .min_ranks = 1,
    .options = options};

/* Volume and salt of a cell; how much of both flows out through its eastern and southern face. */
struct water {
    int64_t volume, salt;
};
struct flow {
    struct water east, south;
};
enum { WATER_VALUES = 2, FLOW_VALUES = 4 };

/* A cell of sea, by places in fields, which have the neighbours' rows before and after our own. */
struct cell {
    int32_t here, east, west;
    bool is_open_east, is_open_south; /* there is sea */
};

static long first_row, n_rows;
static struct cell *cells;
static long n_cells;
static struct water *water;
static struct flow *flows;

/* The coast runs from the north-west to the south-east. */
PROGRAM_INNER bool is_sea(long row, long column)
{
    return row >= 0 && 100 * row < size * (coast_percent - SLANT / 2) + SLANT * column;
}

static void make_sea(void)
{
    size_t n_values = (size_t)((n_rows + 2) * size);

    water = program_alloc(n_values, sizeof *water);
    flows = program_alloc(n_values, sizeof *flows);
    cells = program_alloc((size_t)(n_rows * size), sizeof *cells);
    for (long row = first_row; row < first_row + n_rows; row++)
        for (long column = 0; column < size; column++) {
            long here = (row - first_row + 1) * size + column;
            long east = (column + 1) % size, west = (column + size - 1) % size;
            uint64_t index = (uint64_t)(row * size + column);

            if (!is_sea(row, column))
                continue;
            cells[n_cells++] = (struct cell){(int32_t)here, (int32_t)(here - column + east),
                                             (int32_t)(here - column + west), is_sea(row, east),
                                             row + 1 < size && is_sea(row + 1, column)};
            water[here] =
                (struct water){(INT64_C(1) << DEPTH_BITS) +
                                   (int64_t)(program_random((uint64_t)seed, 2 * index) >> 40),
                               (int64_t)(program_random((uint64_t)seed, 2 * index + 1) >> 36)};
        }
}

static void dry_up(void)
{
    free(water);
    free(flows);
    free(cells);
}

static int neighbour(int rank)
{
    return rank >= 0 && rank < program.n_ranks ? rank : MPI_PROC_NULL;
}

/* The first row of the rank in the south becomes the one after our own. */
static void exchange_water(void)
{
    MPI_Sendrecv(water + size, (int)size * WATER_VALUES, MPI_INT64_T, neighbour(program.rank - 1),
                 TAG_NORTH, water + (n_rows + 1) * size, (int)size * WATER_VALUES, MPI_INT64_T,
                 neighbour(program.rank + 1), TAG_NORTH, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* The last row of the rank in the north becomes the one before our own. */
static void exchange_flows(void)
{
    MPI_Sendrecv(flows + n_rows * size, (int)size * FLOW_VALUES, MPI_INT64_T,
                 neighbour(program.rank + 1), TAG_SOUTH, flows, (int)size * FLOW_VALUES,
                 MPI_INT64_T, neighbour(program.rank - 1), TAG_SOUTH, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

/* The slope of the surface makes water flow; drag grows with the square of its speed. */
PROGRAM_INNER int64_t accelerated(int64_t flow, const struct water *from, const struct water *to)
{
    int64_t drag = (flow >> 4) * (llabs(flow) >> 4) / ((from->volume + to->volume) >> 8);

    return flow + (from->volume - to->volume) / 8 - flow / 256 - drag / 16;
}

static void accelerate(void)
{
    for (long i = 0; i < n_cells; i++) {
        const struct cell *cell = &cells[i];
        const struct water *here = &water[cell->here];
        struct flow *flow = &flows[cell->here];

        if (cell->is_open_east)
            flow->east.volume = accelerated(flow->east.volume, here, &water[cell->east]);
        if (cell->is_open_south)
            flow->south.volume = accelerated(flow->south.volume, here, here + size);
    }
}

/* What flows out of a cell is as salty as the cell. */
PROGRAM_INNER int64_t carried(int64_t volume, const struct water *from, const struct water *to)
{
    const struct water *source = volume > 0 ? from : to;

    return volume == 0 ? 0 : volume * (source->salt >> 4) / (source->volume >> 4);
}

static void carry_salt(void)
{
    for (long i = 0; i < n_cells; i++) {
        const struct water *here = &water[cells[i].here];
        struct flow *flow = &flows[cells[i].here];

        flow->east.salt = carried(flow->east.volume, here, &water[cells[i].east]);
        flow->south.salt = carried(flow->south.volume, here, here + size);
    }
}

static void settle(void)
{
    for (long i = 0; i < n_cells; i++) {
        const struct cell *cell = &cells[i];
        const struct flow *out = &flows[cell->here];
        const struct water *west = &flows[cell->west].east, *north = &(out - size)->south;

        water[cell->here].volume +=
            west->volume - out->east.volume + north->volume - out->south.volume;
        water[cell->here].salt += west->salt - out->east.salt + north->salt - out->south.salt;
    }
}

/* Sums over all of the grid, land included. */
static void find_sums(int64_t sums[2])
{
    int64_t own[2] = {0};

    for (long i = size; i < (n_rows + 1) * size; i++) {
        own[0] += water[i].volume;
        own[1] += water[i].salt;
    }
    MPI_Allreduce(own, sums, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
}

/* The strongest current of all. */
static int64_t find_strongest(void)
{
    int64_t own = 0, strongest;

    for (long i = 0; i < n_cells; i++) {
        const struct flow *flow = &flows[cells[i].here];
        int64_t both = llabs(flow->east.volume) + llabs(flow->south.volume);

        own = both > own ? both : own;
    }
    MPI_Allreduce(&own, &strongest, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    return strongest;
}

PROGRAM_INNER void step(void)
{
    exchange_water();
    accelerate();
    carry_salt();
    exchange_flows();
    settle();
}

/* Lets the water flow; NULL, or what is wrong. */
PROGRAM_INNER const char *let_flow(void)
{
    int64_t before[2], after[2];
    double begin_s = MPI_Wtime();

    find_sums(before);
    for (long i = 1; i <= n_steps; i++) {
        step();
        if (i % STEPS_BETWEEN_LOOKS != 0 && i < n_steps)
            continue;
        int64_t strongest = find_strongest();
        if (program.rank == 0)
            printf("step %ld: strongest current %" PRId64 "\n", i, strongest);
    }
    program_time(&program, "steps", begin_s);
    if (program.spoiled)
        water[size].volume++;
    find_sums(after);
    for (long i = 0; i < n_rows * size; i++)
        if (water[size + i].volume != 0 && !is_sea(first_row + i / size, i % size))
            return "there is water on land";
    return after[0] == before[0] && after[1] == before[1] ? NULL : "water or salt was lost or made";
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int status = program_begin(&program, argc, argv);
    if (status < 0 && program.n_ranks > size) {
        if (program.rank == 0)
            fprintf(stderr, "coast: %d ranks are too many for --size %ld\n", program.n_ranks, size);
        status = 2;
    }
    if (status < 0) {
        first_row = program_block(size, program.n_ranks, program.rank);
        n_rows = program_block(size, program.n_ranks, program.rank + 1) - first_row;
        make_sea();
        const char *wrong = let_flow();
        dry_up();
        status = program_end(&program, wrong);
    }
    MPI_Finalize();
    return status;
}
