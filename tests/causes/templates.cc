// SPDX-License-Identifier: BSD-3-Clause
/*
 * C++ with long names: rank 1 searches its sparse matrix for the diagonal in each step, and rank 0
 * waits for its part of the vector. Repaired: the diagonal is kept.
 */
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <mpi.h>
#include <string>
#include <utility>
#include <vector>

namespace linear_algebra::iterative_solvers
{

using Index = std::pair<int, int>;

template <typename Number, template <typename...> class Storage> class SparseMatrix
{
  public:
    explicit SparseMatrix(int n) : n(n)
    {
        for (int row = 0; row < n; row++)
            for (int column = row; column < row + 5; column++)
                entries[Index(row, column % n)] = Number(row == column ? 4 : 1);
    }
    std::vector<Number> diagonal(int n_times) const
    {
        std::vector<Number> result(n);
        for (int i = 0; i < n_times; i++)
            for (const auto &[index, value] : entries)
                if (index.first == index.second)
                    result[index.first] = value; // cause
        return result;
    }
    std::vector<Number> multiply(const std::vector<Number> &x) const
    {
        std::vector<Number> y(n);
        for (const auto &[index, value] : entries)
            y[index.first] += value * x[index.second];
        return y;
    }
    const int n;

  private:
    Storage<Index, Number> entries;
};

template <typename Matrix, typename Vector> class JacobiPreconditionedRichardsonIteration
{
  public:
    JacobiPreconditionedRichardsonIteration(const Matrix &matrix, int rank, bool repaired)
        : matrix(matrix), rank(rank), repaired(repaired)
    {
    }
    void step(Vector &x, int iteration)
    {
        Vector residual = matrix.multiply(x);
        if (rank == 1 && (!repaired || iteration == 0))
            kept = matrix.diagonal(15); // cause
        if (rank != 1)
            kept.assign(x.size(), 4);
        for (size_t i = 0; i < x.size(); i++)
            x[i] -= (residual[i] - 1) / (2 * kept[i]);
        exchange(x);
    }

  private:
    void exchange(Vector &x)
    {
        int count = int(x.size()) / 2, mine = rank * count, other = (1 - rank) * count;
        MPI_Sendrecv(&x[mine], count, MPI_DOUBLE, 1 - rank, 0, // cause
                     &x[other], count, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE); // cause
    }
    const Matrix &matrix;
    Vector kept;
    const int rank;
    const bool repaired;
};

} // namespace linear_algebra::iterative_solvers

int main(int argc, char **argv)
{
    using namespace linear_algebra::iterative_solvers;
    using Matrix = SparseMatrix<double, std::map>;
    using Vector = std::vector<double>;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    {
        Matrix matrix(10000);
        Vector x(10000);
        JacobiPreconditionedRichardsonIteration<Matrix, Vector> solver(
            matrix, rank, argc > 1 && std::strcmp(argv[1], "--repaired") == 0);

        for (int i = 0; i < 60; i++)
            solver.step(x, i);
        int64_t result = int64_t(x[0] * 1e6);
        std::printf("result %016llx\n", (unsigned long long)result);
        std::fflush(stdout);
    }
    MPI_Finalize();
}
