#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""tests/programs/spa on an ideal machine: a core for every rank, messages of 2 us, work as given.

ideal_spa.py [SERVICE...]: the services named (servBusy1, servBusy2) are run by the clients, after the
server's answer has come. The text trace goes to stdout, the run time in ns to stderr.
"""
import heapq
import sys

REQUESTS, THINK, DISPATCH, FLIGHT = 100, 100_000, 360_000, 2_000
SERVICE = {1: ("servBusy1", 530_000), 2: ("servBusy2", 730_000), 3: ("servBusy2", 730_000)}
SERVER = 0


def main():
    at_client = set(sys.argv[1:])
    lines = []
    now = {rank: 0 for rank in range(4)}
    left = {client: REQUESTS for client in SERVICE}
    arriving = []  # (time, client), served in this order

    def event(rank, text):
        lines.append((now[rank], rank, text))

    def work(rank, region, length):
        event(rank, f"enter {region}")
        now[rank] += length
        event(rank, f"leave {region}")

    def send(rank, peer, tag):
        for text in ("enter MPI_Send", f"send world {peer} {tag} 8", "leave MPI_Send"):
            event(rank, text)

    def receive(rank, peer, tag, time):
        event(rank, "enter MPI_Recv")
        now[rank] = max(now[rank], time)
        event(rank, f"recv world {peer} {tag} 8")
        event(rank, "leave MPI_Recv")

    def ask(client):
        work(client, "clientThink", THINK)
        send(client, SERVER, 1)
        heapq.heappush(arriving, (now[client] + FLIGHT, client))

    for rank in now:
        event(rank, "enter main")
    for client in SERVICE:
        ask(client)
    while arriving:
        time, client = heapq.heappop(arriving)
        region, length = SERVICE[client]
        receive(SERVER, client, 1, time)
        work(SERVER, "servDispatch", DISPATCH)
        if region not in at_client:
            work(SERVER, region, length)
        send(SERVER, client, 2)
        receive(client, SERVER, 2, now[SERVER] + FLIGHT)
        if region in at_client:
            work(client, region, length)
        left[client] -= 1
        if left[client] > 0:
            ask(client)
    for rank in now:
        event(rank, "leave main")
    print("nodes a b c d")
    for rank in now:
        for time, owner, text in lines:
            if owner == rank:
                print(rank, time, text)
    print(max(now.values()), file=sys.stderr)


main()
