#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
exchange_graph.py all RANKS NODES: every placement of ranks on nodes that are alike, as words of --place, a line each.

exchange_graph.py GRAPH RANKS NODES SEED TRACE.txt ORDERED: a run as a text trace in which ranks compute, then
exchange messages with their neighbours in GRAPH, some steps long. Which rank stands at which place of the graph
is shuffled by SEED, unless that is 0. ORDERED gets the words of --place that put the places back in order, in
blocks, on NODES nodes: what somebody would do who knows the program.
"""
import random
import sys

BYTES = 100000
STEPS = 2


def grid(shape, wraps):
    """The neighbours of each place of a grid."""
    places = [()]
    for length in shape:
        places = [place + (i,) for place in places for i in range(length)]
    index = {place: i for i, place in enumerate(places)}
    near = [set() for _ in places]
    for place in places:
        for axis, length in enumerate(shape):
            for step in (-1, 1):
                other = list(place)
                other[axis] += step
                if wraps:
                    other[axis] %= length
                if tuple(other) in index and tuple(other) != place:
                    near[index[place]].add(index[tuple(other)])
    return near


def squarest(n, n_axes):
    """N as a product of N_AXES numbers as equal as can be, largest first."""
    if n_axes == 1:
        return (n,)
    best = None
    for last in range(1, n + 1):
        if n % last == 0:
            shape = tuple(sorted(squarest(n // last, n_axes - 1) + (last,), reverse=True))
            best = shape if best is None or max(shape) - min(shape) < max(best) - min(best) else best
    return best


def neighbours(graph, n, n_nodes):
    if graph == "ring":
        return grid((n,), True)
    if graph == "halo-2d":
        return grid(squarest(n, 2), False)
    if graph == "torus-2d":
        return grid(squarest(n, 2), True)
    if graph == "halo-3d":
        return grid(squarest(n, 3), False)
    if graph == "pairs":
        return [{i ^ 1} for i in range(n)]
    if graph == "cliques":
        size = n // n_nodes
        return [set(range(i // size * size, i // size * size + size)) - {i} for i in range(n)]
    if graph == "star":
        return [set(range(1, n))] + [{0} for _ in range(1, n)]
    if graph == "all":
        return [set(range(n)) - {i} for i in range(n)]
    if graph == "hypercube":
        return [{i ^ 1 << bit for bit in range(n.bit_length() - 1)} for i in range(n)]
    if graph == "random":
        draw, near = random.Random(f"{n}"), [set() for _ in range(n)]
        for _ in range(2 * n):
            a, b = draw.sample(range(n), 2)
            near[a].add(b)
            near[b].add(a)
        return near
    if graph == "none":
        return [set() for _ in range(n)]
    raise SystemExit(f"{graph}: no such graph")


def words(node_of_rank):
    """As --place takes it."""
    nodes = {}
    for rank, node in enumerate(node_of_rank):
        nodes.setdefault(node, []).append(str(rank))
    return " ".join(f"--place n{node}={','.join(ranks)}" for node, ranks in sorted(nodes.items()))


def placements(n, n_nodes, begun=()):
    """All ways to put N ranks on nodes that are alike."""
    if len(begun) == n:
        yield begun
        return
    for node in range(min(n_nodes, max(begun, default=-1) + 2)):
        yield from placements(n, n_nodes, begun + (node,))


def main(graph, n, n_nodes, seed, trace, ordered):
    uneven = graph.startswith("uneven-")
    near = neighbours(graph.removeprefix("uneven-"), n, n_nodes)
    draw = random.Random(f"{graph} {n} {seed}")
    rank_at = list(range(n))
    if seed:
        draw.shuffle(rank_at)
    place_of = {rank: place for place, rank in enumerate(rank_at)}
    work = [draw.randint(20, 800) * 1000 if uneven else 100000 + 7000 * (r % 5) for r in range(n)]
    with open(trace, "w", encoding="ascii") as out:
        print("nodes", *["n"] * n, file=out)
        print("cores n", n, file=out)
        for rank in range(n):
            peers = sorted(rank_at[place] for place in near[place_of[rank]])
            now, request = 0, 0
            print(f"{rank} 0 enter main", file=out)
            for step in range(STEPS):
                now += work[rank]
                requests = []
                for peer in peers:
                    request += 1
                    requests.append(request)
                    print(f"{rank} {now} enter MPI_Isend\n{rank} {now} isend world {peer} {step} {BYTES} {request}\n"
                          f"{rank} {now + 100} leave MPI_Isend", file=out)
                    now += 100
                for peer in peers:
                    print(f"{rank} {now} enter MPI_Recv", file=out)
                    now = max(now, step * 4000000 + 2000000) + 1000
                    print(f"{rank} {now} recv world {peer} {step} {BYTES}\n{rank} {now} leave MPI_Recv", file=out)
                for number in requests:
                    print(f"{rank} {now} enter MPI_Wait\n{rank} {now} isend-complete {number}\n"
                          f"{rank} {now} leave MPI_Wait", file=out)
            print(f"{rank} {now} leave main", file=out)
    with open(ordered, "w", encoding="ascii") as out:
        print(words([place_of[rank] * n_nodes // n for rank in range(n)]), file=out)


if __name__ == "__main__":
    if sys.argv[1] == "all":
        for placement in placements(int(sys.argv[2]), int(sys.argv[3])):
            print(words(placement))
        sys.exit()
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), sys.argv[5], sys.argv[6])
