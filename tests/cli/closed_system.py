# SPDX-License-Identifier: BSD-3-Clause
"""closed_system.py CLIENTS REQUESTS: a trace of clients that think and a server, rank 0, that serves them one after
the other, both for exponential times, of 12 us and 4 us in the mean. Without REQUESTS: what the server's figures
should be by mean value analysis (Reiser and Lavenberg, 1980): time from request to request, response time, share in
which it is busy, and how many clients keep it busy."""
import heapq
import random
import sys

THINK, SERVICE = 12000, 4000


def trace(clients, requests):
    rng = random.Random(7)
    print(f'0-{clients} 0 enter main')
    queue = [(1 + int(rng.expovariate(1 / THINK)), client) for client in range(1, clients + 1)]
    heapq.heapify(queue)
    free = end = 0
    for _ in range(requests):
        sent, client = heapq.heappop(queue)
        got = max(free, sent) + 1
        end = got + int(rng.expovariate(1 / SERVICE))
        print(f'{client} {sent}-{sent + 1} MPI_Send ; {sent} send world 0 1 8')
        print(f'0 {free}-{got} MPI_Recv ; {got} recv world {client} 1 8')
        print(f'0 {end}-{end + 1} MPI_Send ; {end} send world {client} 2 8')
        print(f'{client} {sent + 1}-{end + 2} MPI_Recv ; {end + 2} recv world 0 2 8')
        free = end + 1
        heapq.heappush(queue, (end + 2 + int(rng.expovariate(1 / THINK)), client))
    print(f'0-{clients} {end + 9} leave main')


def mean_values(clients):
    length = response = throughput = 0
    for n in range(1, clients + 1):
        response = SERVICE * (1 + length)
        throughput = n / (response + THINK)
        length = throughput * response
    print(1 / throughput, response, throughput * SERVICE, 1 + THINK / SERVICE)


if len(sys.argv) > 2:
    trace(int(sys.argv[1]), int(sys.argv[2]))
else:
    mean_values(int(sys.argv[1]))
