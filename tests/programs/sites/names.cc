// SPDX-License-Identifier: BSD-3-Clause
// Functions whose names are long, hold blanks and commas, or differ by their arguments only: rank 0
// computes in each of them while rank 1 waits. For -finstrument-functions.
#include <mpi.h>

#include <time.h>

#include <vector>

namespace solver
{

template <typename Number, int N> struct Grid {
    std::vector<Number> cells = std::vector<Number>(N);

    void relax(int n_steps, const std::vector<Number> &factors);
};

__attribute__((noinline, no_instrument_function)) double now()
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

__attribute__((noinline, no_instrument_function)) void compute(double seconds)
{
    for (double end = now() + seconds; now() < end;)
        ;
}

template <typename Number, int N>
void Grid<Number, N>::relax(int n_steps, const std::vector<Number> &factors)
{
    compute(0.02 * n_steps);
    cells[0] = factors[0];
}

void exchange(const std::vector<double> &values, int rank)
{
    compute(rank == 0 ? 0.02 * (double)values.size() : 0);
}

void exchange(const std::vector<int> &values, int rank)
{
    compute(rank == 0 ? 0.02 * (double)values.size() : 0);
}

template <typename Number, int N>
bool operator==(const Grid<Number, N> &a, const Grid<Number, N> &b)
{
    compute(0.02);
    return a.cells == b.cells;
}

template <typename Number, int N> Grid<Number, N> operator/(const Grid<Number, N> &grid, Number by)
{
    compute(0.02);
    Grid<Number, N> result = grid;
    result.cells[0] /= by;
    return result;
}

} // namespace solver

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        solver::Grid<double, 3> grid;
        grid.relax(1, std::vector<double>(1, 2.0));
        bool is_same = grid / 2.0 == grid;
        solver::exchange(std::vector<double>(1), is_same);
        solver::exchange(std::vector<int>(1), is_same);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
