# SPDX-License-Identifier: BSD-3-Clause
# Checks what every archive of our tracer must fulfil, from what `otf2-print --show-all` prints, and prints
# what tests compare:
#
#     awk -v what=WHAT -v allowed='WORD...' -f archive.awk PRINTED
#
#     check   nothing
#     exact   nothing; each metric has the time of its event
#     events  lines RANK EVENT DETAILS, without times
#     sites   lines RANK CALL: FUNCTION FILE:LINE, CALLER FILE:LINE, ...
#     counters  lines REGION, COUNTER, what it grew by there in all locations, with tabs between
#
# Checked: enters and leaves are balanced, times do not step back, the number of events is the one in
# the definitions, a metric stands before the enter, the leave, or the begin or end of a program or thread
# that it belongs to, tags are MPI's, every send has its receive (same communicator, source, tag, size), requests are
# completed, cancelled or freed once, members of a communicator or window agree on its collectives in
# number, order and operation. ALLOWED: open-requests, messages and collectives may be wrong.

function fail(text)
{
    if (!has_failed)
        print "archive.awk: " text >"/dev/stderr"
    has_failed = 1
    exit 1
}

# The values of a metric: what they grew by belongs to the region that is open.
function count(text,    counter, value)
{
    while (match(text, /\("[^"]*" <[0-9]+>; UINT64; [0-9]+/)) {
        counter = value = substr(text, RSTART + 2, RLENGTH - 2)
        sub(/".*/, "", counter)
        sub(/.* /, "", value)
        if ((location, counter) in value_before && depth[location] > 0 && counter !~ /^(process|thread)_/)
            grown[region[stack[location, depth[location]]] "\t" counter] += value - value_before[location, counter]
        value_before[location, counter] = value
        text = substr(text, RSTART + RLENGTH)
    }
}

# The number of the last definition in a text: "NAME" <NUMBER>.
function reference(text)
{
    sub(/>[^>]*$/, "", text)
    sub(/.*</, "", text)
    return text
}

# What comes after BEFORE in the line, without the field after it, which begins with BEHIND.
function between(before, behind,    text, at)
{
    text = substr($0, index($0, before) + length(before))
    at = behind == "" ? 0 : index(text, behind)
    return at ? substr(text, 1, at - 1) : text
}

# ---- definitions

function defined_name(    text)
{
    text = substr($0, index($0, "\"") + 1)
    return substr(text, 1, match(text, /" <[0-9]+>/) - 1)
}

/^=== Events ==/ { is_events = 1 }

!is_events && $1 == "REGION" {
    region[$2] = defined_name()
    is_mpi[$2] = / Paradigm: "MPI"/
}
!is_events && $1 == "GROUP" {
    n_members[$2] = / Type: COMM_(GROUP|LOCATIONS), Paradigm: "MPI"/ ? gsub(/>/, ">") - 2 : 0
    members[$2] = ""
    n = split(between(/ Members: / ? " Members: " : " Member: "), parts, ">")
    for (i = 1; i <= n_members[$2]; i++) {
        sub(/.*</, "", parts[i])
        parts[i] %= 4294967296 # of the process: its first location
        members[$2] = members[$2] (i > 1 ? "," : "") parts[i]
        place_in[$2, parts[i]] = i - 1
    }
}
!is_events && $1 == "COMM" {
    group[$2] = reference(between(", Group: ", ", Parent: "))
    comm[$2] = defined_name()
    if (comm[$2] == "")
        comm[$2] = "comm(" members[group[$2]] ")"
}
!is_events && $1 == "INTER_COMM" {
    comm[$2] = "inter"
    group[$2] = "none"
}
!is_events && $1 == "RMA_WIN" {
    window[$2] = defined_name()
    if (window[$2] == "")
        window[$2] = "unnamed"
    comm_of[$2] = reference(between(", Communicator: ", ", Flags: "))
}
!is_events && $1 == "SOURCE_CODE_LOCATION" {
    place[$2] = defined_name() ":" between(", Line Number: ")
    sub(/.*\//, "", place[$2])
}
!is_events && $1 == "CALLING_CONTEXT" {
    at = between(", Source code location: ", ", Parent: ")
    context[$2] = region[reference(between("Region: ", ", Source code location: "))] " " \
        (at == "UNDEFINED" ? "?" : place[reference(at)])
    caller[$2] = / Parent: UNDEFINED$/ ? "" : reference($0)
}
!is_events && $1 == "LOCATION" {
    n_locations++
    n_defined[$2] = between(", # Events: ", ",") + 0
    rank_of[$2] = reference($0)
    if (rank_of[$2] + 0 > last_rank)
        last_rank = rank_of[$2] + 0
}

# ---- events. A record's attributes stand on the line after it: only then its own line is printed.

function print_record(    rank)
{
    rank = rank_of[location]
    if (what == "events" && details != "")
        lines[rank, ++n_lines[rank]] = rank " " details attributes
    if (what == "sites" && call != "")
        lines[rank, ++n_lines[rank]] = rank " " call ": " (site == "" ? "unknown" : site)
    details = attributes = call = site = ""
}

# Of the record before, sorted by name: " NAME=VALUE" of each but the place of the call, which is in `site`.
function read_attributes(    text, parts, n, i, k, type, value, names)
{
    text = between("ADDITIONAL ATTRIBUTES: (")
    n = split(substr(text, 1, length(text) - 1), parts, /\), \(/)
    for (i = 1; i <= n; i++) {
        match(parts[i], /" <[0-9]+>; [A-Z0-9_]+; /)
        type = substr(parts[i], RSTART, RLENGTH)
        value = substr(parts[i], RSTART + RLENGTH)
        if (type ~ /; CALLING_CONTEXT; /) {
            for (k = reference(value); k != ""; k = caller[k])
                site = site (site == "" ? "" : ", ") context[k]
            parts[i] = ""
            continue
        }
        if (type ~ /; COMM; /)
            value = comm[reference(value)]
        parts[i] = " " substr(parts[i], 2, RSTART - 2) "=" value
        for (k = i; k > 1 && parts[k] < parts[k - 1]; k--) {
            text = parts[k]
            parts[k] = parts[k - 1]
            parts[k - 1] = text
        }
    }
    for (i = 1; i <= n && details !~ /^Mpi(Send|Isend|Recv|Irecv) |^Rma/; i++)
        attributes = attributes parts[i]
}

# MPI_ISEND_COMPLETE is MpiIsendComplete.
function camel(kind,    n, i, parts)
{
    if (!(kind in camel_of)) {
        n = split(kind, parts, "_")
        for (i = 1; i <= n; i++)
            camel_of[kind] = camel_of[kind] substr(parts[i], 1, 1) tolower(substr(parts[i], 2))
    }
    return camel_of[kind]
}

function begin_request(    request)
{
    request = rank_of[location] SUBSEP (between("Request: ") + 0)
    if (request in requests)
        fail("request " between("Request: ") " of location " location " started twice")
    requests[request] = 1
}

function end_request(    request)
{
    request = rank_of[location] SUBSEP (between("Request: ") + 0)
    if (!(request in requests))
        fail("request " between("Request: ") " of location " location " ended without a start")
    delete requests[request]
}

# Messages that were sent and not received, less the other way round.
function message(to_or_from, sign,    other, on, tag, size, self)
{
    other = between(to_or_from == "to" ? "Receiver: " : "Sender: ") + 0
    on = reference(between(", Communicator: ", ", Tag: "))
    tag = between(", Tag: ") + 0
    size = between(", Length: ") + 0
    if (tag > 2147483647)
        fail("tag " tag " on location " location)
    details = camel($1) " " comm[on] " " to_or_from " " other " tag " tag " bytes " size
    if ((group[on] SUBSEP rank_of[location]) in place_in) {
        self = place_in[group[on], rank_of[location]]
        messages[comm[on] " <" on ">: " (sign > 0 ? self " -> " other : other " -> " self) ", tag " tag ", " \
            size " bytes"] += sign
    }
}

# OF: a communicator, or a window with a "w" before it.
function collective(of, on, operation)
{
    members_on[of] = on
    if (!((of, rank_of[location]) in operations))
        n_callers[of]++
    operations[of, rank_of[location]] = operations[of, rank_of[location]] " " operation
}

function remote(    text)
{
    text = between(", Remote: ", ", ")
    return text == "UNDEFINED" ? "4294967295" : text + 0
}

!is_events || !/^[A-Z]|ADDITIONAL ATTRIBUTES/ || $3 !~ /^[0-9]+$/ && $1 != "ADDITIONAL" { next }
$1 == "ADDITIONAL" {
    if (what == "events" || what == "sites")
        read_attributes()
    next
}

{
    print_record()
    location = $2
    n_events[location]++
    if ($3 + 0 < time[location] + 0)
        fail("time steps back on location " location)
    time[location] = $3
    if (location in metric_time) { # as a reader does that takes a metric for a part of the next event
        if ($1 !~ /^(METRIC|ENTER|LEAVE|PROGRAM_BEGIN|THREAD_BEGIN|THREAD_END|THREAD_FORK|MEASUREMENT_ON_OFF)$/)
            fail("a metric before " $1 " on location " location)
        if (what == "exact" && (metric_time[location] "") != ($3 ""))
            fail("a metric before the time of its event on location " location)
        delete metric_time[location]
    }
    details = camel($1)
}
$1 == "METRIC" {
    metric_time[location] = $3
    n_metrics++
    if (what == "counters")
        count($0)
}
$1 == "ENTER" {
    entered = reference($0)
    stack[location, ++depth[location]] = entered
    details = details " " region[entered]
    if (is_mpi[entered])
        call = region[entered]
}
$1 == "LEAVE" {
    entered = reference($0)
    if (depth[location] < 1 || stack[location, depth[location]--] != entered)
        fail("unbalanced leave of " region[entered] " on location " location)
    details = details " " region[entered]
}
$1 == "MPI_SEND" || $1 == "MPI_ISEND" { message("to", 1) }
$1 == "MPI_RECV" || $1 == "MPI_IRECV" { message("from", -1) }
$1 ~ /^(MPI_ISEND|MPI_IRECV_REQUEST|NON_BLOCKING_COLLECTIVE_REQUEST)$/ { begin_request() }
$1 ~ /^(MPI_ISEND_COMPLETE|MPI_IRECV|MPI_REQUEST_CANCELLED|NON_BLOCKING_COLLECTIVE_COMPLETE)$/ { end_request() }
$1 == "MPI_COLLECTIVE_END" || $1 == "NON_BLOCKING_COLLECTIVE_COMPLETE" {
    operation = between("Operation: ", ", ")
    on = reference(between(", Communicator: ", ", Root: "))
    root = between(", Root: ", ", ")
    details = details " " operation " " comm[on] (root == "NONE" ? "" : " root " (root ~ /^[0-9]/ ? root + 0 : root)) \
        " sent " (between(", Sent: ") + 0) " received " (between(", Received: ") + 0)
    if ($1 == "MPI_COLLECTIVE_END")
        collective(on, on, operation)
}
$1 == "RMA_COLLECTIVE_END" {
    operation = between("Operation: ", ", ")
    on = reference(between(", Window: ", ", Level "))
    details = details " " operation " " window[on] " of " comm[comm_of[on]]
    collective("w" on, comm_of[on], operation)
}
$1 == "RMA_REQUEST_LOCK" || $1 == "RMA_RELEASE_LOCK" {
    details = details " " window[reference(between("Window: ", ", Remote: "))] " of " remote()
    if ($1 == "RMA_REQUEST_LOCK")
        details = details " " between(", Type: ")
}
$1 == "RMA_GROUP_SYNC" {
    level = between("{", "}")
    gsub(/, /, "|", level)
    details = details " " level " " window[reference(between(", Window: ", ", Group: "))] " with " \
        members[reference($0)]
}
$1 == "RMA_WIN_CREATE" || $1 == "RMA_WIN_DESTROY" { details = details " " window[reference($0)] }
$1 == "COMM_CREATE" || $1 == "COMM_DESTROY" { details = details " " comm[reference($0)] }

# ---- what holds for the whole

function check_collectives(    of_rank, key, of)
{
    for (of_rank in operations) {
        split(of_rank, key, SUBSEP)
        of = key[1]
        if (n_members[group[members_on[of]]] + 0 == 0)
            continue
        if (n_callers[of] != n_members[group[members_on[of]]])
            fail(n_callers[of] " of " n_members[group[members_on[of]]] " members called collectives of " \
                comm[members_on[of]])
        if (!(of in first))
            first[of] = operations[of_rank]
        if (operations[of_rank] != first[of])
            fail("members disagree on the collectives of " comm[members_on[of]] ":" operations[of_rank] \
                " and" first[of])
    }
}

END {
    if (has_failed)
        exit 1
    print_record()
    if (n_locations == 0)
        fail("no locations")
    for (location in n_defined) {
        if (n_defined[location] != n_events[location] + 0)
            fail("location " location " has " n_events[location] " events, defined are " n_defined[location])
        if (depth[location] > 0)
            fail(region[stack[location, depth[location]]] " is never left on location " location)
        if (location in metric_time)
            fail("a metric without an event at the end of location " location)
    }
    if (what == "exact" && n_metrics == 0)
        fail("no metrics")
    if (allowed !~ /open-requests/)
        for (request in requests) {
            sub(SUBSEP, ": ", request)
            fail("a request without an end of rank " request)
        }
    if (allowed !~ /messages/)
        for (which in messages)
            if (messages[which] != 0)
                fail(messages[which] " more messages sent than received in " which)
    if (allowed !~ /collectives/)
        check_collectives()
    for (where in grown)
        if (grown[where] > 0)
            printf "%s\t%.0f\n", where, grown[where]
    for (rank = 0; rank <= last_rank; rank++)
        for (i = 1; i <= n_lines[rank]; i++)
            print lines[rank, i]
}
