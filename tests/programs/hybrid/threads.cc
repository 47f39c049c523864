// SPDX-License-Identifier: BSD-3-Clause
/*
 * C++'s threads, for the tests of the tracer: on each rank four threads add to a sum under one
 * lock, and sleep while they have it; then they take numbers from a queue. Prints "sum" and what it
 * is.
 */
#include <mpi.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <thread>
#include <vector>

namespace
{

constexpr int n_threads = 4, n_steps = 10;

std::mutex lock;
std::shared_mutex table;
std::condition_variable changed;
std::deque<int> queue;
int sum;
std::atomic<int> n_begun;

/* Destroyed when its thread ends. */
struct Counted {
    ~Counted()
    {
        const std::lock_guard<std::mutex> guard(lock);
        sum += 1000;
    }
    int value = 0;
};
thread_local Counted counted;

void add(int number)
{
    const std::lock_guard<std::mutex> guard(lock); /* held by each for a millisecond */
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    sum += number;
}

void take_numbers(int number)
{
    counted.value = number;
    for (n_begun++; n_begun < n_threads;) // all at the same time, however late each begins
        std::this_thread::sleep_for(std::chrono::microseconds(100));
    for (int step = 0; step < n_steps; step++)
        add(number);
    try {
        const std::shared_lock<std::shared_mutex> guard(table);
        throw std::runtime_error("unwound");
    } catch (const std::runtime_error &) {
    }
    std::unique_lock<std::mutex> guard(lock);
    changed.wait(guard, [] { return !queue.empty(); });
    sum += queue.front();
    queue.pop_front();
}

} // namespace

int main(int argc, char **argv)
{
    int rank = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::vector<std::thread> threads;
    for (int i = 0; i < n_threads; i++)
        threads.emplace_back(take_numbers, i);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    for (int i = 0; i < n_threads; i++) {
        const std::lock_guard<std::mutex> guard(lock);
        queue.push_back(100);
        changed.notify_one();
    }
    for (std::thread &thread : threads)
        thread.join();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        std::printf("sum %d\n", sum);
    MPI_Finalize();
    return 0;
}
