#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Python: rank 0 makes the batches of all ranks and scatters them, in each step of a training. Repaired: each rank
makes its own."""
import sys
from array import array

from mpi4py import MPI

STEPS, N = 40, 20000


def make_batch(step, rank):
    state, batch = step * 1000 + rank, []
    for _ in range(N):
        state = (state * 1103515245 + 12345) % 2147483648
        batch.append(state / 2147483648)
    return batch


def gradient(batch, weight):
    total = 0.0
    for x in batch:
        total += (weight * x - 0.5) * x
        total -= 0.001 * weight * x
    return total / len(batch)


def main():
    world = MPI.COMM_WORLD
    rank, n_ranks = world.Get_rank(), world.Get_size()
    repaired = "--repaired" in sys.argv
    weight, mine, total = 1.0, array("d", [0]), array("d", [0])
    for step in range(STEPS):
        if repaired:
            batch = make_batch(step, rank)
        else:
            batches = [make_batch(step, other) for other in range(n_ranks)] if rank == 0 else None  # cause
            batch = world.scatter(batches, root=0)  # cause
        mine[0] = gradient(batch, weight)
        world.Allreduce(mine, total)  # cause
        weight -= 0.01 * total[0] / n_ranks
    print(f"result {int(weight * 1e9):016x}\n", end="", flush=True)


main()
