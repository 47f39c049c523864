// SPDX-License-Identifier: BSD-3-Clause
// A barrier between two phases that need nothing of each other: rank 0 has more to do in the first, rank
// 1 in the second, in sum they have the same. Repaired: no barrier between the phases.
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

namespace
{
int rank;
bool repaired;

__attribute__((no_instrument_function, noinline)) std::uint64_t work(long us, std::uint64_t x)
{
    for (long i = 0; i < us * 930; i++)
        x = x * 6364136223846793005u + 1442695040888963407u;
    return x;
}
} // namespace

class Phases
{
  public:
    void trace_rays() { state = work(rank == 0 ? 6000 : 1500, state); }    // cause
    void scatter_light() { state = work(rank == 1 ? 6000 : 1500, state); } // cause
    void synchronise()
    {
        if (!repaired)
            MPI_Barrier(MPI_COMM_WORLD); // cause
    }
    std::uint64_t state = 7;
};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    repaired = argc > 1 && std::strcmp(argv[1], "--repaired") == 0;
    Phases phases;
    std::uint64_t all = 0;
    for (int step = 0; step < 50; step++) {
        phases.trace_rays();
        phases.synchronise(); // cause
        phases.scatter_light();
        MPI_Allreduce(&phases.state, &all, 1, MPI_UINT64_T, MPI_BXOR, MPI_COMM_WORLD); // cause
    }
    std::printf("result %016llx\n", static_cast<unsigned long long>(phases.state));
    MPI_Finalize();
}
