// SPDX-License-Identifier: BSD-3-Clause
// A bag of tasks from a shared counter, taken in quarters, while tasks get longer with their
// number: who takes the last quarter works on when the other ranks are done. Repaired: task by
// task.
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace
{
__attribute__((no_instrument_function, noinline)) std::uint64_t work(long us, std::uint64_t x)
{
    for (long i = 0; i < us * 930; i++)
        x = x * 6364136223846793005u + 1442695040888963407u;
    return x;
}
} // namespace

class SharedCounter
{
  public:
    explicit SharedCounter(MPI_Comm communicator) : communicator(communicator)
    {
        int rank;
        MPI_Comm_rank(communicator, &rank);
        MPI_Win_allocate(rank == 0 ? sizeof *next : 0, sizeof *next, MPI_INFO_NULL, communicator,
                         &next, &window);
        MPI_Win_lock_all(0, window);
        reset();
    }
    ~SharedCounter()
    {
        MPI_Win_unlock_all(window);
        MPI_Win_free(&window);
    }
    void reset()
    {
        int rank;
        MPI_Comm_rank(communicator, &rank);
        MPI_Barrier(communicator); // cause
        if (rank == 0)
            *next = 0;
        MPI_Win_sync(window);
        MPI_Barrier(communicator);
    }
    long take(long n)
    {
        long first;
        MPI_Fetch_and_op(&n, &first, MPI_LONG, 0, 0, MPI_SUM, window); // cause
        MPI_Win_flush(0, window);                                      // cause
        return first;
    }

  private:
    MPI_Comm communicator;
    MPI_Win window;
    long *next = nullptr;
};

class Frames
{
  public:
    explicit Frames(long chunk) : chunk(chunk)
    {
    }
    void trace_ray(long ray)
    {
        sum += work(1 + ray * ray / 300, ray);
    } // cause
    void render(SharedCounter &counter)
    {
        for (long first; (first = counter.take(chunk)) < rays;)
            for (long ray = first; ray < std::min(first + chunk, rays); ray++)
                trace_ray(ray); // cause
        double shade = 1, sum_of_all;
        MPI_Allreduce(&shade, &sum_of_all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); // cause
        counter.reset();                                                            // cause
    }
    static constexpr long rays = 400;
    std::uint64_t sum = 0;

  private:
    const long chunk;
};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    {
        bool repaired = argc > 1 && std::strcmp(argv[1], "--repaired") == 0;
        Frames frames(repaired ? 1 : Frames::rays / 4);
        SharedCounter counter(MPI_COMM_WORLD);
        for (int frame = 0; frame < 10; frame++)
            frames.render(counter); // cause
        std::printf("result %016llx\n", static_cast<unsigned long long>(frames.sum));
        std::fflush(stdout);
    }
    MPI_Finalize();
}
