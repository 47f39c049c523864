# SPDX-License-Identifier: BSD-3-Clause
# The list of MPI functions with how each is recorded:
#
#   grep -o '^WRAP([A-Za-z_]*)' tracer/wrap_*.c | awk -f functions.awk MPI.rules... -
#
# MPI.rules are lines "NAME<tab>RULE" of generate.awk, for each MPI. How a hook of functions.list
# (and a file of hand-written wrappers) is put in words stands here; one without words is an error.

BEGIN {
    FS = "\t"
    words["p2p_send"] = "send"
    words["p2p_recv"] = "receive"
    words["p2p_sendrecv"] = "send, receive"
    words["p2p_irecv"] = "receive"
    words["p2p_isendrecv"] = "send, receive"
    words["p2p_parts"] = "message in parts"
    words["request_parts_ready"] = "parts of a message, which the last one sends"
    words["request_start"] = "start of persistent requests"
    words["request_cancelling"] = "cancellation, with the request's completion"
    words["message_probed"] = "matched probe"
    words["message_received"] = "matched receive"
    words["message_posted"] = "matched receive"
    words["poll_missed"] = "polling"
    words["one_ended"] = words["all_ended"] = words["any_ended"] = words["some_ended"] = \
        words["request_freed"] = "requests: completion, polling"
    words["coll_called"] = "collective"
    words["neighbor_called"] = "neighbourhood collective, as messages"
    words["comm_created"] = "new communicator"
    words["comm_created_by_members"] = "new communicator, of its members"
    words["comm_dup_started"] = "new communicator"
    words["comm_connected"] = "new communicator, with its port"
    words["comm_joined"] = "new communicator, of two processes"
    words["comm_named"] = "name of a communicator"
    words["comm_freed"] = "end of a communicator or window"
    words["window_created"] = "new window"
    words["window_named"] = "name of a window"
    words["window_fenced"] = "fence"
    words["epoch_begun"] = "begin of an epoch of a window"
    words["epoch_ended"] = "end of an epoch of a window"
    words["window_accessed"] = "access to a window"
    words["window_flushed"] = "completion of accesses to a window"
    words["window_locked"] = "lock of a window"
    words["window_unlocked"] = "unlock of a window"
    words["file_opened"] = "opened file"
    words["file_closed"] = "closed file"
    words["file_done"] = words["file_started"] = "file operation"
    words["file_split_begun"] = "begin of a file operation"
    words["file_split_ended"] = "end of a file operation"
    words["file_changed"] = "collective change of an open file"
    words["wrap_env.c"] = "start or end of MPI"
}

FILENAME ~ /rules$/ {
    if (FNR == 1) {
        mpi = FILENAME
        sub(/\/rules$/, "", mpi)
        sub(/.*\//, "", mpi)
        mpis[++n_mpis] = mpi
    }
    if (!($1 in rule))
        names[++n] = $1
    rule[$1] = $2
    has[$1, mpi] = 1
    next
}

{
    split($0, part, /[:()]/)
    sub(/.*\//, "", part[1])
    hand[part[3]] = part[1]
}

function in_words(key, name)
{
    if (!(key in words)) {
        print "functions.awk: no words for " key " (" name ")" >"/dev/stderr"
        failed = 1
    }
    return words[key]
}

function recorded_as(name,    text, hook, how)
{
    if (name in hand)
        return in_words(hand[name], name)
    text = rule[name]
    sub(/^.*=> */, "", text)
    sub(/^(for|if) \([^)]*\) */, "", text)
    if (text == "")
        return "enter, leave"
    hook = text
    sub(/\(.*/, "", hook)
    how = text ~ /STARTED\(/ ? "nonblocking " : text ~ /PERSISTENT\(/ ? "persistent " : ""
    how = how in_words(hook, name)
    if (match(text, /COLL_[A-Z_]+/))
        how = how " " tolower(substr(text, RSTART + 5, RLENGTH - 5))
    return how
}

function sort_names(    i, j, key)
{
    for (i = 2; i <= n; i++) {
        key = names[i]
        for (j = i - 1; j > 0 && names[j] > key; j--)
            names[j + 1] = names[j]
        names[j + 1] = key
    }
}

END {
    sort_names()
    printf "%-36s", "function"
    for (m = 1; m <= n_mpis; m++)
        printf " %-8s", mpis[m]
    print " recorded as"
    for (i = 1; i <= n; i++) {
        printf "%-36s", names[i]
        for (m = 1; m <= n_mpis; m++) {
            printf " %-8s", (names[i], mpis[m]) in has ? "yes" : "-"
            n_of[m] += (names[i], mpis[m]) in has
        }
        how = recorded_as(names[i])
        n_plain += how == "enter, leave"
        print " " how
    }
    printf "\n%d functions: %d with more than enter and leave", n, n - n_plain
    for (m = 1; m <= n_mpis; m++)
        printf "; %d in %s", n_of[m], mpis[m]
    print ""
    exit failed
}
