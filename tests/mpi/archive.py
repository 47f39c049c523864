#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prints the events of an archive in a form tests can compare, after checking what every archive
of our tracer must fulfil.

    archive.py check DIR    - check only
    archive.py events DIR   - check, then print RANK EVENT DETAILS lines, without times
    archive.py exact DIR    - check, and that each metric has the time of its event
    archive.py sites DIR    - check, then print RANK CALL: FUNCTION FILE:LINE, CALLER FILE:LINE, ...

Checked: enters and leaves are balanced, times do not step back, the number of events is the one in
the definitions, a metric stands before the enter, the leave or the program's begin that it belongs
to, tags are MPI's, every send has its receive (same communicator, source, tag, in order, same size),
requests are completed, cancelled or freed once, members of a communicator or window agree on its
collectives in number, order and operation.
"""
import collections
import os
import sys

import otf2
from otf2 import events as e


# OTF2 3.0's InterComm inherits the fields of Comm and reads its own wrongly: set them right.
_fields = {field.name: field for field in otf2.definitions.InterComm._fields}
otf2.definitions.InterComm._fields = tuple(
    _fields[name] for name in ("name", "groupA", "groupB", "parent", "flags"))


def fail(text):
    sys.exit(f"archive.py: {text}")


def comm_members(comm):
    if isinstance(comm, otf2.definitions.InterComm):
        return None
    return list(comm.group.members)


class Checker:
    def __init__(self):
        self.stack = collections.defaultdict(list)
        self.time = {}
        self.count = collections.Counter()
        self.sends = collections.defaultdict(list)
        self.receives = collections.defaultdict(list)
        self.requests = set()
        self.collectives = collections.defaultdict(list)
        self.metric = {}
        self.n_metrics = 0
        self.is_exact = False

    def rank_in(self, comm, location):
        members = comm_members(comm)
        if members is None:
            return None
        rank = location.group._ref
        for position, member in enumerate(members):
            if member._ref % 2**32 == rank:
                return position
        return None

    def event(self, location, event):
        self.count[location] += 1
        if event.time < self.time.get(location, 0):
            fail(f"time steps back on {location}")
        self.time[location] = event.time
        self.pair(location, event)
        tag = getattr(event, "msg_tag", 0)
        if tag > 2**31 - 1:
            fail(f"tag {tag} on {location}")
        if isinstance(event, e.Enter):
            self.stack[location].append(event.region)
        elif isinstance(event, e.Leave):
            if not self.stack[location] or self.stack[location].pop() != event.region:
                fail(f"unbalanced leave of {event.region.name} on {location}")
        elif isinstance(event, (e.MpiSend, e.MpiIsend)):
            key = (event.communicator, self.rank_in(event.communicator, location), event.receiver)
            self.sends[key].append((event.msg_tag, event.msg_length))
            if isinstance(event, e.MpiIsend):
                self.request(location, event.request_id)
        elif isinstance(event, (e.MpiRecv, e.MpiIrecv)):
            key = (event.communicator, event.sender, self.rank_in(event.communicator, location))
            self.receives[key].append((event.msg_tag, event.msg_length))
            if isinstance(event, e.MpiIrecv):
                self.done(location, event.request_id)
        elif isinstance(event, e.MpiIrecvRequest):
            self.request(location, event.request_id)
        elif isinstance(event, e.NonBlockingCollectiveRequest):
            self.request(location, event.request_id)
        elif isinstance(event, (e.MpiIsendComplete, e.MpiRequestCancelled,
                                e.NonBlockingCollectiveComplete)):
            self.done(location, event.request_id)
        elif isinstance(event, e.MpiCollectiveEnd):
            self.collectives[event.communicator, location.group].append(event.collective_op)
        elif isinstance(event, e.RmaCollectiveEnd):
            self.collectives[event.win, location.group].append(event.collective_op)

    # As a reader does that takes a metric for a part of the next event.
    def pair(self, location, event):
        metric = self.metric.pop(location, None)
        if isinstance(event, e.Metric):
            self.metric[location] = event
            self.n_metrics += 1
        if metric is None:
            return
        if not isinstance(event, (e.Enter, e.Leave, e.ProgramBegin, e.MeasurementOnOff)):
            fail(f"a metric before {type(event).__name__} on {location}")
        if self.is_exact and metric.time != event.time:
            fail(f"a metric {event.time - metric.time} ticks before its event on {location}")

    # A request belongs to the process: another thread may complete it.
    def request(self, location, request):
        if (location.group, request) in self.requests:
            fail(f"request {request} of {location} started twice")
        self.requests.add((location.group, request))

    def done(self, location, request):
        if (location.group, request) not in self.requests:
            fail(f"request {request} of {location} ended without a start")
        self.requests.remove((location.group, request))

    def finish(self, trace, allow):
        for location in trace.definitions.locations:
            if location.number_of_events != self.count[location]:
                fail(f"{location} has {self.count[location]} events, "
                     f"defined are {location.number_of_events}")
            if self.stack[location]:
                fail(f"{self.stack[location][-1].name} is never left on {location}")
            if location in self.metric:
                fail(f"a metric without an event at the end of {location}")
        if self.is_exact and self.n_metrics == 0:
            fail("no metrics")
        if "open-requests" not in allow and self.requests:
            fail(f"requests without an end: {list(self.requests)[:3]}")
        if "messages" not in allow:
            for key in set(self.sends) | set(self.receives):
                if key[1] is None or key[2] is None:
                    continue
                if sorted(self.sends[key]) != sorted(self.receives[key]):
                    fail(f"messages {key[1]} -> {key[2]} in {key[0].name}: sent "
                         f"{sorted(self.sends[key])[:5]}, received {sorted(self.receives[key])[:5]}")
        if "collectives" not in allow:
            self.check_collectives()

    def check_collectives(self):
        by_comm = collections.defaultdict(dict)
        for (comm, rank), operations in self.collectives.items():
            by_comm[comm][rank] = operations
        for comm, lists in by_comm.items():
            is_window = isinstance(comm, otf2.definitions.RmaWin)
            members = comm_members(comm.comm if is_window else comm)
            if not members:
                continue
            if len(lists) != len(members):
                fail(f"{len(lists)} of {len(members)} members called collectives of {comm}")
            if len({tuple(operations) for operations in lists.values()}) != 1:
                fail(f"members disagree on the collectives of {comm}: {lists}")


def name_of(comm):
    if isinstance(comm, otf2.definitions.InterComm):
        return "inter"
    ranks = ",".join(str(m._ref % 2**32) for m in comm.group.members)
    return comm.name or f"comm({ranks})"


def attributes_of(event):
    values = event.attributes or {}
    parts = []
    for attribute, value in sorted(values.items(), key=lambda item: item[0].name):
        if attribute.name == "pagoda::call_site":
            continue
        shown = name_of(value) if hasattr(value, "group") else value
        parts.append(f"{attribute.name}={shown}")
    return (" " + " ".join(parts)) if parts else ""


def describe(event):
    kind = type(event).__name__
    if isinstance(event, (e.Enter, e.Leave)):
        return f"{kind} {event.region.name}{attributes_of(event)}"
    if isinstance(event, (e.MpiSend, e.MpiIsend)):
        return f"{kind} {name_of(event.communicator)} to {event.receiver} tag {event.msg_tag} bytes {event.msg_length}"
    if isinstance(event, (e.MpiRecv, e.MpiIrecv)):
        return f"{kind} {name_of(event.communicator)} from {event.sender} tag {event.msg_tag} bytes {event.msg_length}"
    if isinstance(event, (e.MpiCollectiveEnd, e.NonBlockingCollectiveComplete)):
        root = "" if event.root in (None, 2**32 - 1) else f" root {event.root}"
        op = str(event.collective_op).rsplit(".", 1)[-1]
        return f"{kind} {op} {name_of(event.communicator)}{root} sent {event.size_sent} received {event.size_received}{attributes_of(event)}"
    if isinstance(event, e.RmaCollectiveEnd):
        op = str(event.collective_op).rsplit(".", 1)[-1]
        return f"{kind} {op} {event.win.name or 'unnamed'} of {name_of(event.win.comm)}"
    if isinstance(event, e.RmaRequestLock):
        lock = str(event.lock_type).rsplit(".", 1)[-1]
        return f"{kind} {event.win.name or 'unnamed'} of {event.remote} {lock}"
    if isinstance(event, e.RmaReleaseLock):
        return f"{kind} {event.win.name or 'unnamed'} of {event.remote}"
    if isinstance(event, e.RmaGroupSync):
        bits = int(getattr(event.sync_level, "value", event.sync_level))
        level = ("NONE", "PROCESS", "MEMORY", "PROCESS|MEMORY")[bits]
        ranks = ",".join(str(m._ref % 2**32) for m in event.group.members)
        return f"{kind} {level} {event.win.name or 'unnamed'} with {ranks}"
    if isinstance(event, (e.RmaWinCreate, e.RmaWinDestroy)):
        return f"{kind} {event.win.name or 'unnamed'}"
    if isinstance(event, (e.CommCreate, e.CommDestroy)):
        return f"{kind} {name_of(event.communicator)}"
    return f"{kind}{attributes_of(event)}"


def place(context):
    line = context.source_code_location
    where = "?" if line is None else f"{os.path.basename(line.file)}:{line.line_number}"
    return f"{context.region.name} {where}"


def call_site(event):
    contexts = []
    for attribute, value in (event.attributes or {}).items():
        context = value if attribute.name == "pagoda::call_site" else None
        while context is not None:
            contexts.append(place(context))
            context = context.parent
    return f"{event.region.name}: {', '.join(contexts) or 'unknown'}"


def is_mpi_call(event):
    return isinstance(event, e.Enter) and event.region.paradigm == otf2.Paradigm.MPI


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in ("check", "exact", "events", "sites"):
        sys.exit(__doc__)
    allow = sys.argv[3:]
    checker = Checker()
    checker.is_exact = sys.argv[1] == "exact"
    lines = []
    with otf2.reader.open(f"{sys.argv[2]}/traces.otf2") as trace:
        for location, event in trace.events:
            checker.event(location, event)
            if sys.argv[1] == "events":
                lines.append(f"{location.group._ref} {describe(event)}")
            if sys.argv[1] == "sites" and is_mpi_call(event):
                lines.append(f"{location.group._ref} {call_site(event)}")
        checker.finish(trace, allow)
    for line in sorted(lines, key=lambda line: int(line.split()[0])):
        print(line)


main()
