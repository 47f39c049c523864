// SPDX-License-Identifier: BSD-3-Clause
// Every wait state, straight from its definition (Scalasca's pattern catalogue, where it has one).
// E, L: enter and leave of the call the wait is in.
#include <string.h>

#include "analyzer/base/memory.h"
#include "tests/reference/model.h"

/// As many waits in calls of their own, and none as large buffered, make a wait certain.
enum { N_WAITING_SENDS = 10 };
/// As long a wait for a receiver outside MPI, or longer, is no chance.
enum { LEAST_PROOF_NS = 10000 };

static int64_t lower(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t higher(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void add_wait(const struct model *model, struct findings *findings, const char *pattern,
                     uint32_t call, int64_t begin_ns, int64_t end_ns)
{
    if (end_ns <= begin_ns)
        return;
    const struct model_call *place = &model->calls[call];
    findings_add(findings, pattern, place->rank, 0, model->paths[place->path].name, 1,
                 end_ns - begin_ns);
    if (place->enter_ns >= model->window_begin_ns && place->enter_ns < model->window_end_ns) {
        SCOPED char *fact = memory_format("%s/window", pattern);
        int64_t inside_ns = lower(end_ns, (int64_t)model->window_end_ns) - begin_ns;
        if (inside_ns > 0)
            findings_add(findings, fact, FINDING_NO_RANK, 0, "", 0, inside_ns);
    }
}

/// Call C waited from the enter of call FROM (REFERENCE_NONE: not known whose) to that of TO.
/// Returns who it waited for at the end: TO, FROM when there was no wait, REFERENCE_NONE when TO
/// was entered after C was left.
static uint32_t add_origin(struct model *model, const char *pattern, uint32_t c, uint32_t from,
                           uint32_t to)
{
    uint64_t to_ns = model->calls[to].enter_ns;
    if (from == REFERENCE_NONE || to_ns <= model->calls[from].enter_ns)
        return from;
    if (to_ns > model->calls[c].leave_ns)
        return REFERENCE_NONE;
    *ARRAY_NEXT(model->origins, model->n_origins, model->origin_capacity) =
        (struct model_origin){pattern, c, from, to};
    return to;
}

/// The deciding message of a call's receives: latest enter of the sending call, ties to the highest
/// sender. A receive, REFERENCE_NONE when the call completed none that is matched.
static uint32_t model_deciding_receive(const struct model *model, uint32_t call)
{
    uint32_t best = REFERENCE_NONE;
    uint64_t best_ns = 0;
    for (uint32_t r = 0; r < model->n_receives; r++) {
        const struct model_receive *receive = &model->receives[r];
        if (receive->complete_call != call || receive->send == REFERENCE_NONE)
            continue;
        const struct model_send *send = &model->sends[receive->send];
        uint64_t send_ns = model->calls[send->call].enter_ns;
        if (best == REFERENCE_NONE || send_ns > best_ns ||
            (send_ns == best_ns && send->sender > model->receives[best].sender)) {
            best = r;
            best_ns = send_ns;
        }
    }
    return best;
}

/// The blocking receive that call C, a probe, looks ahead to; REFERENCE_NONE: what follows is none.
static uint32_t receive_after(const struct model *model, uint32_t c)
{
    const struct model_call *call = &model->calls[c];
    const struct reference_location *location = &model->trace->locations[call->location];
    size_t i = call->last + 1;
    while (i < location->n_records &&
           (location->records[i].kind <= RECORD_LEAVE || location->records[i].kind == RECORD_CPU))
        i++;
    if (i == location->n_records || location->records[i].kind != RECORD_RECV)
        return REFERENCE_NONE;
    for (uint32_t r = 0; r < model->n_receives; r++)
        if (model->receives[r].location == call->location &&
            model->receives[r].post_call == model->call_of[call->location][i] &&
            model->receives[r].complete_call == model->receives[r].post_call)
            return r;
    return REFERENCE_NONE;
}

uint32_t model_probed_send(const struct model *model, uint32_t c)
{
    const struct model_call *call = &model->calls[c];
    uint32_t after = call->is_probe && call->is_left ? receive_after(model, c) : REFERENCE_NONE;
    if (after == REFERENCE_NONE || model->receives[after].send == REFERENCE_NONE)
        return REFERENCE_NONE;
    const struct model_receive *receive = &model->receives[after];
    for (uint32_t r = 0; r < model->n_receives; r++) {
        const struct model_receive *other = &model->receives[r];
        bool is_open = other->receiver == receive->receiver && other->post_call < c &&
                       !other->is_cancelled &&
                       (other->complete_call == REFERENCE_NONE || other->complete_call > c);
        bool is_same = other->comm == receive->comm && other->sender == receive->sender &&
                       other->tag == receive->tag;
        bool has_come =
            other->send != REFERENCE_NONE && model->sends[other->send].time_ns < call->enter_ns;
        if (is_open && (!other->is_reserving || (is_same && !has_come)))
            return REFERENCE_NONE;
    }
    return model->calls[model->sends[receive->send].call].enter_ns <= call->leave_ns
               ? receive->send
               : REFERENCE_NONE;
}

/// Is SEND still queued at the receiver when CALL is over?
static bool is_queued(const struct model *model, const struct model_send *send, uint32_t call)
{
    if (send->receive == REFERENCE_NONE)
        return true;
    uint32_t complete = model->receives[send->receive].complete_call;
    return complete == REFERENCE_NONE ||
           (complete != call && model->calls[complete].leave_ns >= model->calls[call].leave_ns &&
            complete > call);
}

/// The part of a Late Sender wait ending at END_NS in which another message lay ready.
static void find_wrong_order(const struct model *model, struct findings *findings, uint32_t call,
                             const struct model_send *deciding, int64_t end_ns)
{
    const struct model_send *queued = NULL;
    for (size_t s = 0; s < model->n_sends; s++) {
        const struct model_send *send = &model->sends[s];
        if (send->receiver != deciding->receiver || send->comm != deciding->comm ||
            (int64_t)send->time_ns >= end_ns || !is_queued(model, send, call))
            continue;
        bool is_same = send->sender == deciding->sender;
        bool is_earlier = !queued || send->time_ns < queued->time_ns;
        bool is_tied = queued && send->time_ns == queued->time_ns;
        if (is_earlier || (is_tied && queued->sender != deciding->sender &&
                           (is_same || send->sender < queued->sender)))
            queued = send;
    }
    if (!queued)
        return;
    int64_t begin_ns = higher((int64_t)model->calls[call].enter_ns, (int64_t)queued->time_ns);
    add_wait(model, findings, "late-sender-wrong-order", call, begin_ns, end_ns);
    add_wait(model, findings,
             queued->sender == deciding->sender ? "late-sender-wrong-order-same-source"
                                                : "late-sender-wrong-order-different-source",
             call, begin_ns, end_ns);
}

/// Late Sender; returns when the wait ends, or the call's enter when there is none. *ORIGIN: the
/// call that ended it, C when there is none.
static int64_t find_late_sender(struct model *model, struct findings *findings, uint32_t c,
                                uint32_t *origin)
{
    const struct model_call *call = &model->calls[c];
    int64_t enter_ns = (int64_t)call->enter_ns;
    uint32_t receive = model_deciding_receive(model, c);
    uint32_t s =
        receive == REFERENCE_NONE ? model_probed_send(model, c) : model->receives[receive].send;
    if (s == REFERENCE_NONE)
        return enter_ns;
    const struct model_send *send = &model->sends[s];
    int64_t end_ns = lower((int64_t)model->calls[send->call].enter_ns, (int64_t)call->leave_ns);
    if (end_ns <= enter_ns)
        return enter_ns;
    add_wait(model, findings, "late-sender", c, enter_ns, end_ns);
    *origin = add_origin(model, "late-sender", c, *origin, send->call);
    find_wrong_order(model, findings, c, send, end_ns);
    return end_ns;
}

/// A standard send to another rank whose end and whose receive the trace has. All ranks are on one
/// node here.
static bool is_telling(const struct model *model, const struct model_send *send)
{
    return model->calls[send->call].is_standard_send && send->sender != send->receiver &&
           send->receive != REFERENCE_NONE && send->complete_call != REFERENCE_NONE &&
           model->calls[send->complete_call].is_left;
}

static uint64_t post_ns(const struct model *model, const struct model_send *send)
{
    return model->calls[model->receives[send->receive].post_call].enter_ns;
}

static bool was_buffered(const struct model *model, const struct model_send *send)
{
    return model->calls[send->complete_call].leave_ns < post_ns(model, send);
}

static bool has_waited(const struct model *model, const struct model_send *send)
{
    return model_waits_alone(model, send, post_ns(model, send));
}

/// When SEND is over, its receive posted, and known to be that of this message.
static uint64_t known_ns(const struct model *model, const struct model_send *send)
{
    const struct model_receive *receive = &model->receives[send->receive];
    uint64_t over_ns = model->calls[send->complete_call].leave_ns;
    bool is_named = receive->is_reserving || receive->complete_call == receive->post_call;
    uint64_t match_ns =
        is_named ? post_ns(model, send) : model->calls[receive->complete_call].leave_ns;
    return over_ns > match_ns ? over_ns : match_ns;
}

/// The largest message known to be buffered before TIME_NS, and 1; since *SINCE_NS.
static uint64_t buffered_limit(const struct model *model, uint64_t time_ns, uint64_t *since_ns)
{
    uint64_t limit = 0;
    *since_ns = 0;
    for (size_t s = 0; s < model->n_sends; s++) {
        const struct model_send *send = &model->sends[s];
        if (!is_telling(model, send) || !was_buffered(model, send))
            continue;
        uint64_t sent_ns = known_ns(model, send);
        bool is_larger = send->size_bytes + 1 > limit;
        if (sent_ns >= time_ns ||
            !(is_larger || (send->size_bytes + 1 == limit && sent_ns < *since_ns)))
            continue;
        limit = send->size_bytes + 1;
        *since_ns = sent_ns;
    }
    return limit;
}

bool model_awaits_receiver(const struct model *model, const struct model_send *send)
{
    uint64_t since_ns, limit = buffered_limit(model, send->time_ns, &since_ns);
    uint32_t n_waiting = 0;
    if (send->is_synchronous)
        return true;
    if (!model->calls[send->call].is_standard_send || send->sender == send->receiver)
        return false;
    for (size_t s = 0; s < model->n_sends; s++) {
        const struct model_send *other = &model->sends[s];
        bool is_witness = is_telling(model, other) && has_waited(model, other);
        n_waiting += is_witness && other->size_bytes >= limit &&
                     other->size_bytes <= send->size_bytes && known_ns(model, other) > since_ns &&
                     known_ns(model, other) < send->time_ns;
    }
    return n_waiting >= N_WAITING_SENDS;
}

/// Was a message of SIZE_BYTES or more, by a standard send to another rank, over before its receive
/// was posted? Then it was buffered, and so are smaller ones.
static bool is_buffered(const struct model *model, uint64_t size_bytes)
{
    for (size_t s = 0; s < model->n_sends; s++) {
        const struct model_send *send = &model->sends[s];
        if (send->size_bytes >= size_bytes && is_telling(model, send) && was_buffered(model, send))
            return true;
    }
    return false;
}

bool model_attends(const struct model *model, uint32_t c)
{
    const struct model_call *call = &model->calls[c];
    bool does = call->is_test || call->is_probe || call->is_init || call->is_finalize;
    for (size_t s = 0; s < model->n_sends; s++)
        does = does || model->sends[s].complete_call == c;
    for (size_t r = 0; r < model->n_receives; r++)
        does = does || model->receives[r].complete_call == c;
    for (size_t p = 0; p < model->n_parts; p++)
        does = does || model->parts[p].complete_call == c;
    return does;
}

/// The first call in which the receiver of SEND attends from FROM_NS on, *SINCE_NS; REFERENCE_NONE.
static uint32_t attending_call(const struct model *model, const struct model_send *send,
                               uint64_t from_ns, uint64_t *since_ns)
{
    uint32_t found = REFERENCE_NONE;
    *since_ns = UINT64_MAX;
    for (uint32_t c = 0; c < model->n_calls; c++) {
        const struct model_call *call = &model->calls[c];
        uint64_t ns = call->enter_ns > from_ns ? call->enter_ns : from_ns;
        if (call->rank != send->receiver || call->leave_ns <= from_ns || ns >= *since_ns ||
            !model_attends(model, c))
            continue;
        *since_ns = ns;
        found = c;
    }
    return found;
}

/// The same from the time on at which its receive is posted too, if that is before LEAVE_NS.
static uint32_t taking_call(const struct model *model, const struct model_send *send,
                            uint64_t leave_ns, uint64_t *since_ns)
{
    uint64_t from_ns = model->calls[send->call].enter_ns;
    if (send->receive != REFERENCE_NONE && post_ns(model, send) < leave_ns &&
        post_ns(model, send) > from_ns)
        from_ns = post_ns(model, send);
    return attending_call(model, send, from_ns, since_ns);
}

/// What SEND, over before TIME_NS, tells of its size: 1, its sender waited until its receiver was
/// in MPI; -1, that it need not; 0, nothing.
static int witness(const struct model *model, const struct model_send *send, uint64_t time_ns)
{
    const struct model_call *call = &model->calls[send->call];
    uint64_t first_ns, since_ns;
    if (send->complete_call != send->call || !call->is_standard_send || !call->is_left ||
        send->sender == send->receiver || call->leave_ns >= time_ns ||
        !model_is_sole_send(model, send))
        return 0;
    attending_call(model, send, call->enter_ns, &first_ns);
    taking_call(model, send, call->leave_ns, &since_ns);
    if (first_ns > call->leave_ns)
        return -1;
    return since_ns <= call->leave_ns && since_ns - call->enter_ns >= LEAST_PROOF_NS &&
           call->leave_ns - since_ns <= since_ns - call->enter_ns;
}

uint32_t model_awaited_call(const struct model *model, const struct model_send *send,
                            uint64_t leave_ns, uint64_t *since_ns)
{
    uint64_t time_ns = model->calls[send->call].enter_ns, limit_ns = 0, limit = 0;
    uint32_t n_waiting = 0, n_long = 0;
    *since_ns = 0;
    if (!model->calls[send->call].is_standard_send || send->sender == send->receiver)
        return REFERENCE_NONE;
    for (size_t s = 0; s < model->n_sends; s++) {
        const struct model_call *call = &model->calls[model->sends[s].call];
        n_long += call->leave_ns - call->enter_ns >= LEAST_PROOF_NS;
    }
    if (n_long < N_WAITING_SENDS) // shorter ones cannot have waited so long: spares much searching
        return REFERENCE_NONE;
    for (size_t s = 0; s < model->n_sends; s++) {
        const struct model_send *other = &model->sends[s];
        if (witness(model, other, time_ns) < 0 && other->size_bytes >= limit) {
            limit = other->size_bytes + 1;
            limit_ns = model->calls[other->call].leave_ns;
        }
    }
    for (size_t s = 0; s < model->n_sends; s++) {
        const struct model_send *other = &model->sends[s];
        n_waiting += witness(model, other, time_ns) > 0 && other->size_bytes >= limit &&
                     other->size_bytes <= send->size_bytes &&
                     model->calls[other->call].leave_ns > limit_ns;
    }
    if (n_waiting < N_WAITING_SENDS)
        return REFERENCE_NONE;
    uint32_t c = taking_call(model, send, leave_ns, since_ns);
    return *since_ns < leave_ns ? c : REFERENCE_NONE;
}

/// Did call C wait from BEGIN_NS on for a receiver to be in MPI?
static bool find_outside(struct model *model, struct findings *findings, uint32_t c,
                         int64_t begin_ns, uint32_t origin)
{
    const struct model_send *latest = NULL;
    uint32_t latest_call = REFERENCE_NONE;
    uint64_t latest_ns = (uint64_t)begin_ns, since_ns;
    for (size_t s = 0; s < model->n_sends; s++) {
        const struct model_send *send = &model->sends[s];
        if (send->complete_call != c)
            continue;
        uint32_t call = model_awaited_call(model, send, model->calls[c].leave_ns, &since_ns);
        if (call == REFERENCE_NONE || since_ns <= latest_ns)
            continue;
        latest = send;
        latest_call = call;
        latest_ns = since_ns;
    }
    if (!latest)
        return false;
    int64_t posted_ns = begin_ns;
    if (latest->receive != REFERENCE_NONE && post_ns(model, latest) <= latest_ns &&
        (int64_t)post_ns(model, latest) > begin_ns) {
        posted_ns = (int64_t)post_ns(model, latest);
        add_wait(model, findings, "late-receiver", c, begin_ns, posted_ns);
        origin = add_origin(model, "late-receiver", c, origin,
                            model->receives[latest->receive].post_call);
    }
    add_wait(model, findings, "receiver-outside-mpi", c, posted_ns, (int64_t)latest_ns);
    add_origin(model, "receiver-outside-mpi", c, origin, latest_call);
    return true;
}

/// BEGIN_NS: when the call began to wait for receivers, at the enter of call ORIGIN.
static void find_late_receiver(struct model *model, struct findings *findings, uint32_t c,
                               int64_t begin_ns, uint32_t origin)
{
    int64_t latest_ns = begin_ns;
    uint64_t largest_bytes = 0;
    bool has_certain = false;
    const struct model_send *latest = NULL;
    if (find_outside(model, findings, c, begin_ns, origin))
        return;
    for (size_t s = 0; s < model->n_sends; s++) {
        const struct model_send *send = &model->sends[s];
        if (send->complete_call != c || send->receive == REFERENCE_NONE)
            continue;
        uint32_t post_call = model->receives[send->receive].post_call;
        int64_t post_ns = (int64_t)model->calls[post_call].enter_ns;
        bool is_tied = latest && post_ns == latest_ns;
        if (post_ns > begin_ns && post_ns < (int64_t)model->calls[c].leave_ns) {
            has_certain |= model_awaits_receiver(model, send);
            if (send->size_bytes > largest_bytes)
                largest_bytes = send->size_bytes;
        }
        if (post_ns >= (int64_t)model->calls[c].leave_ns ||
            !(is_tied ? send->receiver >= latest->receiver : post_ns > latest_ns))
            continue;
        latest_ns = post_ns;
        latest = send;
    }
    if (latest && !has_certain && is_buffered(model, largest_bytes))
        return; // what held it up was something else
    add_wait(model, findings, "late-receiver", c, begin_ns, latest_ns);
    // Of other sends it is not certain that they wait for their receiver.
    if (latest && model_awaits_receiver(model, latest) &&
        model_is_known(model, &model->receives[latest->receive], model->calls[c].leave_ns))
        add_origin(model, "late-receiver", c, origin, model->receives[latest->receive].post_call);
}

static void find_lock_contention(struct model *model, struct findings *findings, uint32_t c)
{
    uint32_t unlock = model_awaited_unlock(model, c);
    if (unlock == REFERENCE_NONE)
        return;
    add_wait(model, findings, "lock-contention", c, (int64_t)model->calls[c].enter_ns,
             (int64_t)model->calls[unlock].enter_ns);
    add_origin(model, "lock-contention", c, c, unlock);
}

static void find_epoch_wait(struct model *model, struct findings *findings, uint32_t c)
{
    bool is_post;
    uint32_t sync = model_awaited_sync(model, c, &is_post);
    if (sync == REFERENCE_NONE)
        return;
    const char *pattern = is_post ? "late-post" : "early-wait";
    add_wait(model, findings, pattern, c, (int64_t)model->calls[c].enter_ns,
             lower((int64_t)model->calls[sync].enter_ns, (int64_t)model->calls[c].leave_ns));
    add_origin(model, pattern, c, c, sync);
    int64_t access_ns = is_post ? -1 : model_last_access_ns(model, c, sync);
    if (access_ns >= 0)
        add_wait(model, findings, "late-complete", c,
                 higher((int64_t)model->calls[c].enter_ns, access_ns),
                 lower((int64_t)model->calls[sync].enter_ns, (int64_t)model->calls[c].leave_ns));
}

/// Waits of the root of an operation to one: for the first sender, then for the last member.
static void find_root_waits(struct model *model, struct findings *findings,
                            const struct model_part *part, uint32_t first_sender, uint32_t last)
{
    uint32_t c = part->complete_call;
    int64_t enter_ns = (int64_t)model->calls[c].enter_ns;
    int64_t leave_ns = (int64_t)model->calls[c].leave_ns;
    int64_t first_ns = (int64_t)model_enter_ns(model, first_sender);
    int64_t last_ns = (int64_t)model_enter_ns(model, last);
    add_wait(model, findings, "early-reduce", c, enter_ns, lower(first_ns, leave_ns));
    uint32_t origin = add_origin(model, "early-reduce", c, c, model->parts[first_sender].post_call);
    if (part->bytes == 0)
        return;
    add_wait(model, findings, "wait-at-nx1", c, higher(enter_ns, first_ns),
             lower(last_ns, leave_ns));
    add_origin(model, "wait-at-nx1", c, origin, model->parts[last].post_call);
}

/// Waits of one member: `until` its wait ends when the latest it depends on enters.
static void find_collective_wait(struct model *model, struct findings *findings,
                                 const struct model_part *part, uint32_t position,
                                 const struct model_instance *instance)
{
    const struct model_call *call = &model->calls[part->complete_call];
    int64_t enter_ns = (int64_t)call->enter_ns, leave_ns = (int64_t)call->leave_ns;
    uint32_t last_part = model_last_member(model, instance, REFERENCE_NONE, REFERENCE_NONE);
    int64_t last_ns = (int64_t)model_enter_ns(model, last_part);
    int64_t first_end_ns = INT64_MAX, first_sender_ns = INT64_MAX;
    uint32_t first_sender = REFERENCE_NONE;
    for (uint32_t m = 0; m < instance->n_members; m++) {
        const struct model_part *other = &model->parts[instance->parts[m]];
        first_end_ns = lower(first_end_ns, (int64_t)other->end_ns);
        int64_t other_ns = (int64_t)model_enter_ns(model, instance->parts[m]);
        if (other->rank != part->root &&
            (other_ns < first_sender_ns ||
             (other_ns == first_sender_ns && other->rank < model->parts[first_sender].rank))) {
            first_sender_ns = other_ns;
            first_sender = instance->parts[m];
        }
    }
    int64_t until_ns = lower(last_ns, leave_ns);
    int64_t end_ns = (int64_t)part->end_ns;
    int64_t completed_ns = higher(enter_ns, higher(first_end_ns, last_ns));
    uint32_t lower_part = model_last_member(model, instance, position + 1, REFERENCE_NONE);
    uint32_t c = part->complete_call, last = model->parts[last_part].post_call;
    if (part->is_finalize) {
        add_wait(model, findings, "wait-at-finalize", c, enter_ns, until_ns);
        add_origin(model, "wait-at-finalize", c, c, last);
        return;
    }
    switch (part->class) {
    case CLASS_BARRIER:
        add_wait(model, findings, "wait-at-barrier", c, enter_ns, until_ns);
        add_origin(model, "wait-at-barrier", c, c, last);
        add_wait(model, findings, "barrier-completion", c, completed_ns, end_ns);
        break;
    case CLASS_ALL_TO_ALL:
        if (part->bytes) {
            add_wait(model, findings, "wait-at-nxn", c, enter_ns, until_ns);
            add_origin(model, "wait-at-nxn", c, c, last);
            add_wait(model, findings, "nxn-completion", c, completed_ns, end_ns);
        }
        break;
    case CLASS_ONE_TO_ALL:
        for (uint32_t m = 0; m < instance->n_members && part->rank != part->root; m++) {
            const struct model_part *root = &model->parts[instance->parts[m]];
            if (root->rank != part->root)
                continue;
            add_wait(model, findings, "late-broadcast", c, enter_ns,
                     lower((int64_t)model_enter_ns(model, instance->parts[m]), leave_ns));
            add_origin(model, "late-broadcast", c, c, root->post_call);
        }
        break;
    case CLASS_ALL_TO_ONE:
        if (part->rank == part->root && first_sender != REFERENCE_NONE)
            find_root_waits(model, findings, part, first_sender, last_part);
        break;
    case CLASS_SCAN:
        add_wait(model, findings, "early-scan", c, enter_ns,
                 lower((int64_t)model_enter_ns(model, lower_part), leave_ns));
        add_origin(model, "early-scan", c, c, model->parts[lower_part].post_call);
        break;
    case CLASS_HANDLE:
        if (part->is_file) {
            if (!model_let_wait(model, instance))
                break;
            add_wait(model, findings, "wait-at-collective-io", c, enter_ns, last_ns);
            add_origin(model, "wait-at-collective-io", c, c, last);
            break;
        }
        if (!part->is_window && strcmp(part->operation, "create_handle") == 0) {
            add_wait(model, findings, "wait-at-communicator", c, enter_ns, until_ns);
            add_origin(model, "wait-at-communicator", c, c, last);
        }
        if (part->is_window) {
            bool is_fence = strcmp(part->operation, "barrier") == 0;
            const char *pattern = is_fence ? "wait-at-fence" : "wait-at-window";
            add_wait(model, findings, pattern, c, enter_ns, until_ns);
            add_origin(model, pattern, c, c, last);
        }
        break;
    }
}

/// The largest wait of each pattern; FINDINGS are single instances yet.
static void find_worst(struct findings *findings)
{
    enum { MAX_PATTERNS = 32 };
    const char *patterns[MAX_PATTERNS];
    int64_t worst_ns[MAX_PATTERNS];
    size_t n_patterns = 0;
    for (size_t i = 0; i < findings->n_items; i++) {
        const struct finding *item = &findings->items[i];
        size_t p = 0;
        while (p < n_patterns && strcmp(patterns[p], item->fact) != 0)
            p++;
        if (item->count == 0 || p == MAX_PATTERNS)
            continue;
        worst_ns[p] = p < n_patterns ? higher(worst_ns[p], item->ns) : item->ns;
        patterns[p] = item->fact;
        n_patterns += p == n_patterns;
    }
    for (size_t p = 0; p < n_patterns; p++) {
        SCOPED char *fact = memory_format("%s/worst", patterns[p]);
        findings_add(findings, fact, FINDING_NO_RANK, 0, "", 0, worst_ns[p]);
    }
}

void model_find_waits(struct model *model, struct findings *findings)
{
    struct findings waits = {0};
    for (uint32_t c = 0; c < model->n_calls; c++) {
        if (model->calls[c].is_test)
            continue;
        uint32_t origin = c;
        int64_t end_ns = find_late_sender(model, &waits, c, &origin);
        find_late_receiver(model, &waits, c, end_ns, origin);
        find_lock_contention(model, &waits, c);
        find_epoch_wait(model, &waits, c);
    }
    for (size_t i = 0; i < model->n_instances; i++) {
        const struct model_instance *instance = &model->instances[i];
        for (uint32_t m = 0; instance->is_complete && m < instance->n_members; m++) {
            const struct model_part *part = &model->parts[instance->parts[m]];
            if (instance->n_members > 1 && !model->calls[part->complete_call].is_test)
                find_collective_wait(model, &waits, part, m, instance);
        }
    }
    find_worst(&waits);
    findings_take(findings, &waits);
}
