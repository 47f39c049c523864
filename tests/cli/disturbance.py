#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
disturbance.py PAGODA MKTRACE FOLDER: random schedules of ranks on the cores of nodes, slot by slot, where
other programs take some cores for some slots. A replay may tell no more CPU time than they took from the
ranks, and all of it where each rank has a core or none ever sleeps. Less than a twentieth is not told.
"""
import json
import random
import re
import subprocess
import sys

SLOT_NS, N_SLOTS, LEAST = 1000000, 300, 10
UNITS = {"s": 1000, "ms": 1}


def schedule(dice, n_ranks, n_cores, greed, laziness):
    """CPU time and time ready without a core of each rank, and what others took from them, in slots."""
    used, waited, taken = [0] * n_ranks, [0] * n_ranks, 0
    for _ in range(N_SLOTS):
        awake = [rank for rank in range(n_ranks) if dice.random() >= laziness]
        n_left = n_cores - sum(dice.random() < greed for _ in range(n_cores))
        running = dice.sample(awake, min(len(awake), n_left))
        taken += min(len(awake), n_cores) - len(running)
        for rank in awake:
            (used if rank in running else waited)[rank] += 1
    return used, waited, taken


def trace_text(nodes):
    """The text trace of nodes with (n_cores, used, waited)."""
    lines = ["nodes " + " ".join(f"n{i}" for i, node in enumerate(nodes) for _ in node[1])]
    lines += [f"cores n{i} {node[0]}" for i, node in enumerate(nodes)]
    times = [pair for _, used, waited in nodes for pair in zip(used, waited)]
    for rank, pair in enumerate(times):
        for name, slots in zip(("OF", "USED", "WAIT"), (N_SLOTS, *pair)):
            lines.append(f"property {rank} PAGODA::CORE_{name}_NS {slots * SLOT_NS}")
    for rank in range(len(times)):
        end = 1000 + N_SLOTS * SLOT_NS
        lines += [f"{rank} 0 enter MPI_Init", f"{rank} 1000 leave MPI_Init",
                  f"{rank} {end} enter MPI_Finalize", f"{rank} {end + 1000} leave MPI_Finalize"]
    return "\n".join(lines) + "\n"


def told(pagoda, mktrace, path, text):
    """Slots that others took by the report, and from how many ranks."""
    with open(path + ".txt", "w", encoding="ascii") as file:
        file.write(text)
    subprocess.run([mktrace, path + ".txt", path], check=True)
    answer = subprocess.run([pagoda, "replay", "--json", path], check=True, capture_output=True)
    for warning in json.loads(answer.stdout)["warnings"]:
        if warning["code"] == "disturbed-recording":
            number, unit = re.search(r"at least ([0-9.]+) (m?s) of CPU", warning["text"]).groups()
            return float(number) * UNITS[unit], warning["count"]
    return 0, 0


def main():
    pagoda, mktrace, folder = sys.argv[1:]
    dice = random.Random(7)
    n_exact = n_bound = n_silent = 0
    for case in range(60):
        nodes, most, least, n_disturbed = [], 0, 0, 0
        for _ in range(dice.randint(1, 3)):
            n_ranks, n_cores = dice.randint(1, 6), dice.randint(1, 4)
            laziness = dice.choice([0, 0, 0.4])
            used, waited, taken = schedule(dice, n_ranks, n_cores, dice.choice([0, 0, 0.02, 0.2, 0.6]), laziness)
            nodes.append((n_cores, used, waited))
            if 20 * taken < sum(used) + taken or taken < LEAST:
                continue
            most += taken
            if n_ranks <= n_cores or laziness == 0:
                least += taken
                n_disturbed += n_ranks
        slots, n_told = told(pagoda, mktrace, f"{folder}/case{case}", trace_text(nodes))
        # Reports have four digits.
        assert 0.999 * least <= slots <= 1.001 * most, (case, nodes, least, slots, most)
        assert n_told >= n_disturbed, (case, n_told, n_disturbed)
        n_exact += least == most > 0
        n_bound += least < most
        n_silent += most == 0
    assert min(n_exact, n_bound, n_silent) >= 5, (n_exact, n_bound, n_silent)


main()
