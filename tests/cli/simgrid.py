#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the actions of `pagoda export --format ti` as SimGrid does, but without time. Stops where SimGrid would: at an
action it does not know, a receive that is too small, members of a collective operation that disagree, a deadlock.

    simgrid.py LIST           says how many actions there are
    simgrid.py LIST ARCHIVE   compares messages with the archive, read by the OTF2 library, and says how long each rank
                              computes, and of how much time outside of MPI calls"""
import collections
import re
import sys

COLLECTIVES = {"barrier": 0, "bcast": 2, "reduce": 3, "gather": 3, "scatter": 3, "allgather": 2, "alltoall": 2,
               "allreduce": 2, "scan": 2, "exscan": 2}
OWN_TAGS = 0x7fff0000  # of messages that are part of an operation


class Channel:
    """Messages with the same sender, receiver and tag: what was sent and what is posted, in order."""

    def __init__(self):
        self.sent, self.posted, self.requests = [], [], collections.deque()

    def is_matched(self, number):
        return number < min(len(self.sent), len(self.posted))


class Replay:
    def __init__(self, actions):
        self.actions = actions
        self.channels = collections.defaultdict(Channel)
        self.done, self.n_joined = collections.Counter(), collections.Counter()
        self.joined, self.computed_ns = [], collections.Counter()
        self.n_open, self.blocked = collections.Counter(), {}

    def run(self):
        while any(self.advance(rank) for rank in self.actions):
            pass
        stuck = [self.actions[rank][self.done[rank]] for rank in self.actions if self.done[rank] < len(self.actions[rank])]
        assert not stuck, "deadlock: %s" % stuck
        for channel in self.channels.values():
            assert len(channel.sent) == len(channel.posted), "a message is not received"
            assert all(sent <= posted for sent, posted in zip(channel.sent, channel.posted)), "a receive is too small"

    def advance(self, rank):
        before = self.done[rank]
        while self.done[rank] < len(self.actions[rank]) and self.step(rank, *self.actions[rank][self.done[rank]]):
            self.done[rank] += 1
        return self.done[rank] > before

    def join(self, rank, action):
        """False: others have not come yet."""
        if self.blocked.get(rank) is None:
            self.blocked[rank] = self.n_joined[rank]
            self.n_joined[rank] += 1
            if self.blocked[rank] == len(self.joined):
                self.joined.append([])
            self.joined[self.blocked[rank]].append(action)
        members = self.joined[self.blocked[rank]]
        assert set(members) == {action}, "members disagree: %s" % members
        if len(members) < len(self.actions):
            return False
        self.blocked[rank] = None
        return True

    def step(self, rank, name, *arguments):
        """False: the rank waits."""
        if name in COLLECTIVES:
            assert len(arguments) == COLLECTIVES[name]
            return self.join(rank, (name, *arguments))
        if name in ("compute", "sleep"):
            self.computed_ns[rank] += round(float(arguments[0]) * (1e9 if name == "sleep" else 1))
        elif name in ("send", "isend"):
            peer, tag, size = map(int, arguments)
            channel = self.channels[rank, peer, tag]
            channel.sent.append(size)
            if name == "isend":
                channel.requests.append((rank, None))
                self.n_open[rank] += 1
        elif name in ("recv", "irecv"):
            peer, tag, size = map(int, arguments)
            channel = self.channels[peer, rank, tag]
            if name == "recv":
                if len(channel.sent) <= len(channel.posted):
                    return False
            else:
                channel.requests.append((rank, len(channel.posted)))
                self.n_open[rank] += 1
            channel.posted.append(size)
        elif name == "wait":
            channel = self.channels[tuple(map(int, arguments))]
            assert self.n_open[rank] > 0, "a wait without a request"
            request = next(request for request in channel.requests if request[0] == rank)
            if request[1] is not None and not channel.is_matched(request[1]):
                return False
            channel.requests.remove(request)
            self.n_open[rank] -= 1
        else:
            assert name in ("init", "finalize"), name
        return True


def compare(replay, archive):
    from archive_events import equal, read
    locations, messages = read(archive)
    rank_of = lambda track: int(re.search(r" / rank (\d+)$", track).group(1))
    equal([(sender, receiver, size) for (sender, receiver, tag), channel in replay.channels.items() if tag < OWN_TAGS
           for size in channel.sent], [(rank_of(sent[0]), rank_of(sent[2]), sent[4]) for sent in messages], "messages")
    for location in locations:
        if location.track.count("/") > 1:
            continue
        outside_ns, until = location.last - min(begin for _, begin, _, _, _ in location.slices), 0
        for _, begin, _, end, name in sorted(location.slices, key=lambda piece: (piece[1], piece[2])):
            if name.startswith("MPI_") and begin >= until:
                outside_ns, until = outside_ns - (end - begin), end
        print("rank %d: %d ns of %d" % (location.rank, replay.computed_ns[location.rank], outside_ns))


def main():
    [path] = open(sys.argv[1]).read().split("\n")[:-1]
    actions = collections.defaultdict(list)
    for line in open(path):
        rank, *action = line.split()
        actions[int(rank)].append(action)
    assert all(of[0] == ["init"] and of[-1] == ["finalize"] for of in actions.values())
    replay = Replay(actions)
    replay.run()
    print("%d actions" % sum(map(len, actions.values())))
    if len(sys.argv) > 2:
        compare(replay, sys.argv[2])


main()
