// SPDX-License-Identifier: BSD-3-Clause
// The facts about a trace: who released a call (or a thread team), by the latest release by a
// partner while the call lasted, where the lineage goes on from the releaser; and the critical
// path.
#include "tests/reference/reference.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "tests/reference/model.h"

/// A release that a call might have waited for; `kind` breaks ties in time.
struct release {
    int kind; // 1 receive, 2 synchronous send, 3 collective, 4 lock; 0: none
    uint64_t time_ns;
    uint32_t call; // of the releaser, entered at time_ns
};

static void consider(const struct model *model, const struct model_call *call, struct release *best,
                     int kind, uint32_t by, bool must_synchronise)
{
    uint64_t time_ns = model->calls[by].enter_ns;
    if (time_ns <= call->enter_ns || (time_ns > call->leave_ns && !must_synchronise))
        return;
    bool is_better = best->kind == 0 || time_ns > best->time_ns;
    if (!is_better && time_ns == best->time_ns) {
        uint32_t rank = model->calls[by].rank, best_rank = model->calls[best->call].rank;
        is_better = kind < best->kind ||
                    (kind == best->kind && (kind == 3 ? rank <= best_rank : rank > best_rank));
    }
    if (is_better)
        *best = (struct release){.kind = kind, .time_ns = time_ns, .call = by};
}

// Of nonblocking receives only those posted with an envelope of source and tag are known, unless an
// older wildcard may take the message.
bool model_is_known(const struct model *model, const struct model_receive *receive,
                    uint64_t time_ns)
{
    if (receive->complete_call == receive->post_call)
        return true;
    bool is_contested = false;
    for (size_t r = 0; r < model->n_receives; r++) {
        const struct model_receive *rival = &model->receives[r];
        bool is_open = rival->complete_call == REFERENCE_NONE ||
                       model->calls[rival->complete_call].leave_ns > time_ns;
        is_contested = is_contested || (is_open && model_is_rival(model, rival, receive));
    }
    return receive->is_reserving && !is_contested;
}

static void consider_messages(const struct model *model, uint32_t c, struct release *best)
{
    const struct model_call *call = &model->calls[c];
    for (size_t r = 0; r < model->n_receives; r++) {
        const struct model_receive *receive = &model->receives[r];
        if (receive->complete_call == c && receive->send != REFERENCE_NONE)
            consider(model, call, best, 1, model->sends[receive->send].call, true);
    }
    uint32_t probed = model_probed_send(model, c);
    if (probed != REFERENCE_NONE)
        consider(model, call, best, 1, model->sends[probed].call, true);
    for (size_t s = 0; s < model->n_sends; s++) {
        const struct model_send *send = &model->sends[s];
        if (send->complete_call != c)
            continue;
        uint64_t since_ns;
        uint32_t awaited = model_awaited_call(model, send, call->leave_ns, &since_ns);
        if (awaited != REFERENCE_NONE && since_ns == model->calls[awaited].enter_ns)
            consider(model, call, best, 2, awaited, true);
        if (send->receive == REFERENCE_NONE ||
            (awaited == REFERENCE_NONE && !model_awaits_receiver(model, send)))
            continue;
        const struct model_receive *receive = &model->receives[send->receive];
        uint32_t post_call = receive->post_call;
        if (model->calls[post_call].enter_ns < call->leave_ns &&
            model_is_known(model, receive, call->leave_ns))
            consider(model, call, best, 2, post_call, true);
    }
}

/// The part whose enter lets PART go, REFERENCE_NONE when it waits for nobody or not all are there.
static uint32_t releasing_part(const struct model *model, uint32_t p)
{
    const struct model_part *part = &model->parts[p];
    const struct model_instance *instance = &model->instances[part->instance];
    uint32_t own = 0;
    while (instance->parts[own] != p)
        own++;
    switch (part->class) {
    case CLASS_ONE_TO_ALL:
        for (uint32_t m = 0; m < instance->n_members; m++) {
            uint32_t other = instance->parts[m];
            if (other != REFERENCE_NONE && other != p && model->parts[other].rank == part->root)
                return other;
        }
        return REFERENCE_NONE;
    case CLASS_SCAN:
        for (uint32_t m = 0; m < own; m++) {
            if (instance->parts[m] == REFERENCE_NONE)
                return REFERENCE_NONE;
        }
        return model_last_member(model, instance, own, REFERENCE_NONE);
    case CLASS_ALL_TO_ONE:
        if (part->rank != part->root || !instance->is_complete)
            return REFERENCE_NONE;
        return model_last_member(model, instance, REFERENCE_NONE, p);
    default:
        if (part->is_file && !(instance->is_complete && model_let_wait(model, instance)))
            return REFERENCE_NONE;
        return instance->is_complete ? model_last_member(model, instance, REFERENCE_NONE, p)
                                     : REFERENCE_NONE;
    }
}

/// Must PART have waited for all that it may need? A collective without data, or without data for
/// some, may let its members go at once.
static bool must_synchronise(const struct model_part *part)
{
    bool needs_all = part->class == CLASS_BARRIER || part->class == CLASS_ALL_TO_ALL;
    if (part->is_between_groups && needs_all)
        return false; // of the other group only
    return part->class == CLASS_BARRIER || (part->bytes > 0 && !part->is_uneven);
}

static void consider_collectives(const struct model *model, uint32_t c, struct release *best)
{
    for (uint32_t p = 0; p < model->n_parts; p++) {
        const struct model_part *part = &model->parts[p];
        if (part->complete_call != c)
            continue;
        uint32_t releaser = releasing_part(model, p);
        if (releaser == REFERENCE_NONE)
            continue;
        // An own posting that comes later than everybody else's leaves nothing to wait for.
        if (part->class != CLASS_SCAN && part->class != CLASS_ONE_TO_ALL &&
            part->class != CLASS_ALL_TO_ONE &&
            model_enter_ns(model, p) >= model_enter_ns(model, releaser))
            continue;
        consider(model, &model->calls[c], best, 3, model->parts[releaser].post_call,
                 must_synchronise(part));
    }
}

static void consider_epochs(const struct model *model, uint32_t c, struct release *best)
{
    bool is_post;
    uint32_t sync = model_awaited_sync(model, c, &is_post);
    if (sync != REFERENCE_NONE)
        consider(model, &model->calls[c], best, 1, sync, !is_post);
}

static struct model_hand_over release_of_call(const struct model *model, uint32_t c)
{
    const struct model_call *call = &model->calls[c];
    struct release best = {0};
    consider_messages(model, c, &best);
    consider_epochs(model, c, &best);
    consider_collectives(model, c, &best);
    uint32_t unlock = model_awaited_unlock(model, c);
    if (unlock != REFERENCE_NONE)
        consider(model, call, &best, 4, unlock, false);
    if (best.kind == 0)
        return (struct model_hand_over){0};
    const struct model_call *releaser = &model->calls[best.call];
    return (struct model_hand_over){.is_there = true,
                                    .location = releaser->location,
                                    .record = releaser->first,
                                    .time_ns = best.time_ns,
                                    .path = call->path,
                                    .is_violation = best.time_ns > call->leave_ns};
}

/// The newest record of KIND before TIME_NS (or at it) on the other locations of L's rank; of
/// equally late ones that of the lowest location.
static struct model_hand_over latest_on_team(const struct model *model, uint32_t l,
                                             enum record_kind kind, uint64_t time_ns)
{
    const struct reference_trace *trace = model->trace;
    struct model_hand_over latest = {0};
    for (uint32_t other = 0; other < trace->n_locations; other++) {
        const struct reference_location *location = &trace->locations[other];
        if (other == l || location->rank != trace->locations[l].rank)
            continue;
        for (size_t i = 0; i < location->n_records; i++) {
            const struct record *record = &location->records[i];
            if (record->kind == kind && record->time_ns <= time_ns &&
                (!latest.is_there || record->time_ns > latest.time_ns || latest.location == other))
                latest = (struct model_hand_over){
                    .is_there = true, .location = other, .record = i, .time_ns = record->time_ns};
        }
    }
    return latest;
}

/// The record of KIND on the thread that RECORD, of location L, names, on L's rank.
static struct model_hand_over on_thread(const struct model *model, uint32_t l,
                                        const struct record *record, enum record_kind kind)
{
    const struct reference_trace *trace = model->trace;
    for (uint32_t other = 0; other < trace->n_locations; other++) {
        const struct reference_location *location = &trace->locations[other];
        for (size_t i = 0; i < location->n_records && location->rank == trace->locations[l].rank;
             i++)
            if (location->records[i].kind == kind &&
                location->records[i].request == record->request)
                return (struct model_hand_over){.is_there = true,
                                                .location = other,
                                                .record = i,
                                                .time_ns = location->records[i].time_ns};
    }
    return (struct model_hand_over){0};
}

/// When the innermost region that is open before record I was entered.
static uint64_t entered_ns(const struct reference_location *location, size_t i)
{
    for (size_t depth = 0; i-- > 0;) {
        depth += location->records[i].kind == RECORD_LEAVE;
        if (location->records[i].kind == RECORD_ENTER && depth-- == 0)
            return location->records[i].time_ns;
    }
    return 0;
}

/// Where the lineage of location L at its record I (that record included) comes from.
static struct model_hand_over hand_over_at(const struct model *model, uint32_t l, size_t i)
{
    const struct reference_location *location = &model->trace->locations[l];
    const struct record *record = &location->records[i];
    struct model_hand_over hand_over = {0};
    if (record->kind == RECORD_TEAM_BEGIN) {
        hand_over = latest_on_team(model, l, RECORD_FORK, record->time_ns);
        bool is_own_fork = false; // the thread that forked goes on by itself
        for (size_t p = 0; p < i; p++)
            is_own_fork = is_own_fork || (location->records[p].kind == RECORD_FORK &&
                                          location->records[p].time_ns >= hand_over.time_ns);
        hand_over.is_there = hand_over.is_there && !is_own_fork;
    } else if (record->kind == RECORD_JOIN) {
        hand_over = latest_on_team(model, l, RECORD_TEAM_END, record->time_ns);
        for (size_t p = 0; p < i; p++) {
            if (location->records[p].kind == RECORD_TEAM_END &&
                location->records[p].time_ns >= hand_over.time_ns)
                hand_over.is_there = false;
        }
    } else if (record->kind == RECORD_THREAD_BEGIN) {
        hand_over = on_thread(model, l, record, RECORD_THREAD_CREATE);
    } else if (record->kind == RECORD_THREAD_WAIT) {
        hand_over = on_thread(model, l, record, RECORD_THREAD_END);
        hand_over.is_there = hand_over.is_there && hand_over.time_ns >= entered_ns(location, i);
    } else {
        uint32_t call = model->call_of[l][i];
        if (call != REFERENCE_NONE && model->calls[call].last == i && !model->calls[call].is_test)
            return release_of_call(model, call);
    }
    if (hand_over.is_there)
        hand_over.path = i > 0 ? model->path_after[l][i - 1] : 0;
    return hand_over;
}

/// Messages received before they were sent, and parts in collectives (that had data to wait for)
/// left before those they needed had come.
static int64_t count_violations(const struct model *model)
{
    int64_t n_violations = 0;
    for (size_t r = 0; r < model->n_receives; r++) {
        const struct model_receive *receive = &model->receives[r];
        if (receive->complete_call != REFERENCE_NONE && receive->send != REFERENCE_NONE)
            n_violations += model->calls[model->sends[receive->send].call].enter_ns >
                            model->calls[receive->complete_call].leave_ns;
    }
    n_violations += model_count_late_syncs(model);
    for (uint32_t p = 0; p < model->n_parts; p++) {
        const struct model_part *part = &model->parts[p];
        uint32_t releaser = releasing_part(model, p);
        if (releaser != REFERENCE_NONE && must_synchronise(part) &&
            !model->calls[part->complete_call].is_test)
            n_violations +=
                model_enter_ns(model, releaser) > model->calls[part->complete_call].leave_ns;
    }
    return n_violations;
}

/// All hand-overs. Returns the number of clock violations.
static int64_t model_find_releases(struct model *model)
{
    const struct reference_trace *trace = model->trace;
    model->hand_overs = memory_zeroed(trace->n_locations, sizeof *model->hand_overs);
    for (uint32_t l = 0; l < trace->n_locations; l++) {
        size_t n_records = trace->locations[l].n_records;
        model->hand_overs[l] = memory_zeroed(n_records + 1, sizeof *model->hand_overs[l]);
        for (size_t i = 0; i < n_records; i++)
            model->hand_overs[l][i] = hand_over_at(model, l, i);
    }
    return count_violations(model);
}

// --- The lineage of a location by walking backward: within the location from record to record, and
// --- where a call (or a thread team) was released by somebody else, over to the releaser at that
// --- moment. Independent of the engine's forward lineage tree. The critical path is the lineage of
// the
// --- location that ends last; what caused a wait is the lineage of the rank waited for, less that
// of
// --- the waiter.

/// A lineage (or a sum of several, with signs): time by location and call path.
struct lineage {
    int64_t **ns;          // by location and path
    int64_t *before_start; // by location
    int64_t *repair;       // by location
};

static struct lineage lineage_new(const struct model *model)
{
    size_t n = model->trace->n_locations;
    struct lineage lineage = {.ns = memory_zeroed(n, sizeof *lineage.ns),
                              .before_start = memory_zeroed(n, sizeof *lineage.before_start),
                              .repair = memory_zeroed(n, sizeof *lineage.repair)};
    for (size_t l = 0; l < n; l++)
        lineage.ns[l] = memory_zeroed(model->n_paths, sizeof *lineage.ns[l]);
    return lineage;
}

static void lineage_free(const struct model *model, struct lineage *lineage)
{
    memory_free_each(lineage->ns, model->trace->n_locations);
    FREE_ALL(lineage->before_start, lineage->repair);
}

/// Adds SIGN times the lineage of location L just before its record I (the records up to I - 1
/// happened).
static void walk_back(const struct model *model, uint32_t l, size_t i, int64_t sign,
                      struct lineage *sum)
{
    const struct reference_trace *trace = model->trace;
    if (i < trace->locations[l].n_records && i > 0) {
        const struct record *records = trace->locations[l].records;
        sum->ns[l][model->path_after[l][i - 1]] +=
            sign * (int64_t)(records[i].time_ns - records[i - 1].time_ns);
    }
    while (i > 0) {
        const struct record *records = trace->locations[l].records;
        const struct model_hand_over *hand_over = &model->hand_overs[l][i - 1];
        if (hand_over->is_there) {
            int64_t rest_ns = (int64_t)records[i - 1].time_ns - (int64_t)hand_over->time_ns;
            if (hand_over->is_violation)
                sum->repair[l] += sign * rest_ns;
            else
                sum->ns[l][hand_over->path] += sign * rest_ns;
            l = hand_over->location;
            i = hand_over->record;
        } else {
            i--;
        }
        records = trace->locations[l].records;
        if (i > 0)
            sum->ns[l][model->path_after[l][i - 1]] +=
                sign * (int64_t)(records[i].time_ns - records[i - 1].time_ns);
    }
    sum->before_start[l] += sign * (int64_t)trace->locations[l].records[0].time_ns;
}

/// Adds what is in LINEAGE as findings of FACT.
static void report(const struct model *model, const struct lineage *lineage, const char *fact,
                   struct findings *findings)
{
    for (size_t l = 0; l < model->trace->n_locations; l++) {
        const struct reference_location *location = &model->trace->locations[l];
        for (size_t p = 0; p < model->n_paths; p++) {
            if (lineage->ns[l][p])
                findings_add(findings, fact, location->rank, location->thread, model->paths[p].name,
                             0, lineage->ns[l][p]);
        }
        findings_add(findings, fact, location->rank, location->thread, "before-start", 0,
                     lineage->before_start[l]);
        findings_add(findings, fact, location->rank, location->thread, "clock-repair", 0,
                     lineage->repair[l]);
    }
}

static uint32_t last_location(const struct reference_trace *trace)
{
    uint32_t last = REFERENCE_NONE;
    uint64_t last_ns = 0;
    for (uint32_t l = 0; l < trace->n_locations; l++) {
        const struct reference_location *location = &trace->locations[l];
        if (location->n_records == 0)
            continue;
        uint64_t end_ns = location->records[location->n_records - 1].time_ns;
        if (last == REFERENCE_NONE || end_ns > last_ns) {
            last = l;
            last_ns = end_ns;
        }
    }
    return last;
}

static void find_critical_path(const struct model *model, struct findings *findings)
{
    uint32_t l = last_location(model->trace);
    if (l == REFERENCE_NONE)
        return;
    struct lineage lineage = lineage_new(model);
    walk_back(model, l, model->trace->locations[l].n_records, 1, &lineage);
    report(model, &lineage, "critical-path", findings);
    int64_t repair_ns = 0;
    for (size_t other = 0; other < model->trace->n_locations; other++)
        repair_ns += lineage.repair[other];
    findings_add(findings, "clock-repair", FINDING_NO_RANK, 0, "", 0, repair_ns);
    lineage_free(model, &lineage);
}

/// Since when the lineage of location L just before its record I is of its own rank alone.
static uint64_t own_since_ns(const struct model *model, uint32_t l, size_t i)
{
    while (i > 0) {
        const struct model_hand_over *hand_over = &model->hand_overs[l][i - 1];
        if (!hand_over->is_there) {
            i--;
            continue;
        }
        const struct reference_location *locations = model->trace->locations;
        if (locations[hand_over->location].rank != locations[l].rank)
            return hand_over->time_ns;
        l = hand_over->location;
        i = hand_over->record;
    }
    return 0;
}

static bool is_in_window(const struct model *model, const struct model_origin *origin)
{
    return model->calls[origin->call].enter_ns >= model->window_begin_ns &&
           model->calls[origin->to].enter_ns <= model->window_end_ns;
}

/// What made the others late in the waits of PATTERN within the window, or in the others, less what
/// the waiters did meanwhile; and how much of it they did since they had waited themselves.
static void explain(const struct model *model, const char *pattern, bool in_window,
                    struct findings *findings)
{
    struct lineage sum = lineage_new(model);
    int64_t explained_ns = 0, direct_ns = 0;
    for (size_t o = 0; o < model->n_origins; o++) {
        const struct model_origin *origin = &model->origins[o];
        if (strcmp(origin->pattern, pattern) != 0 || is_in_window(model, origin) != in_window)
            continue;
        const struct model_call *from = &model->calls[origin->from],
                                *to = &model->calls[origin->to];
        walk_back(model, to->location, to->first, 1, &sum);
        walk_back(model, from->location, from->first, -1, &sum);
        explained_ns += (int64_t)to->enter_ns - (int64_t)from->enter_ns;
        uint64_t begin_ns = own_since_ns(model, to->location, to->first);
        if (begin_ns < from->enter_ns)
            begin_ns = from->enter_ns;
        direct_ns += begin_ns < to->enter_ns ? (int64_t)(to->enter_ns - begin_ns) : 0;
    }
    const char *where = in_window ? "" : "outside/";
    char *fact = memory_format("%scause/%s", where, pattern);
    report(model, &sum, fact, findings);
    free(fact);
    fact = memory_format("%sexplained/%s", where, pattern);
    findings_add(findings, fact, FINDING_NO_RANK, 0, "", 0, explained_ns);
    free(fact);
    fact = memory_format("%sdirect/%s", where, pattern);
    findings_add(findings, fact, FINDING_NO_RANK, 0, "", 0, direct_ns);
    free(fact);
    lineage_free(model, &sum);
}

/// The critical path, and the causes of waits by their kind.
static void model_find_lineages(const struct model *model, struct findings *findings)
{
    static const char *const patterns[] = {
        "late-sender",          "late-receiver",    "receiver-outside-mpi", "wait-at-barrier",
        "wait-at-nxn",          "late-broadcast",   "early-reduce",         "wait-at-nx1",
        "early-scan",           "wait-at-finalize", "wait-at-fence",        "wait-at-window",
        "lock-contention",      "late-post",        "early-wait",           "wait-at-communicator",
        "wait-at-collective-io"};
    find_critical_path(model, findings);
    for (size_t p = 0; p < sizeof patterns / sizeof patterns[0]; p++) {
        explain(model, patterns[p], true, findings);
        explain(model, patterns[p], false, findings);
    }
}

// --- Runs the parts of the reference one after the other.

void model_release(struct model *model)
{
    FREE_MEMBERS(model->paths, model->n_paths, name);
    for (size_t l = 0; l < model->trace->n_locations; l++) {
        FREE_ALL(model->path_after[l], model->call_of[l]);
        if (model->hand_overs)
            free(model->hand_overs[l]);
    }
    FREE_MEMBERS(model->instances, model->n_instances, parts);
    FREE_ALL(model->paths, model->path_after, model->call_of, model->hand_overs, model->origins,
             model->calls, model->sends, model->receives, model->parts, model->locks, model->syncs,
             model->instances);
}

/// Operations on files may be recorded on some of their ranks only.
static bool is_on_file(const struct model *model, const struct model_instance *instance)
{
    for (uint32_t m = 0; m < instance->n_members; m++)
        if (instance->parts[m] != REFERENCE_NONE)
            return model->parts[instance->parts[m]].is_file;
    return false;
}

static void count(const struct model *model, struct findings *findings)
{
    int64_t n_messages = 0, n_unmatched_sends = 0, n_unmatched_receives = 0;
    for (size_t s = 0; s < model->n_sends; s++) {
        n_messages++;
        n_unmatched_sends += model->sends[s].receive == REFERENCE_NONE;
    }
    for (size_t r = 0; r < model->n_receives; r++)
        n_unmatched_receives += model->receives[r].send == REFERENCE_NONE &&
                                model->receives[r].complete_call != REFERENCE_NONE;
    // The simulator gives messages sizes that tell them apart.
    int64_t n_wrong = 0;
    for (size_t s = 0; s < model->n_sends; s++) {
        const struct model_send *send = &model->sends[s];
        if (send->receive != REFERENCE_NONE &&
            model->receives[send->receive].complete_call != REFERENCE_NONE)
            n_wrong += send->size_bytes != model->receives[send->receive].size_bytes;
    }
    findings_add(findings, "size-mismatches", FINDING_NO_RANK, 0, "", n_wrong, 0);
    int64_t n_incomplete = 0;
    for (size_t i = 0; i < model->n_instances; i++)
        n_incomplete += !model->instances[i].is_complete && !model->instances[i].is_finalize &&
                        !is_on_file(model, &model->instances[i]);
    findings_add(findings, "messages", FINDING_NO_RANK, 0, "", n_messages, 0);
    findings_add(findings, "unmatched-sends", FINDING_NO_RANK, 0, "", n_unmatched_sends, 0);
    findings_add(findings, "unmatched-receives", FINDING_NO_RANK, 0, "", n_unmatched_receives, 0);
    findings_add(findings, "ambiguous-receives", FINDING_NO_RANK, 0, "",
                 (int64_t)model->n_ambiguous, 0);
    findings_add(findings, "incomplete-collectives", FINDING_NO_RANK, 0, "", n_incomplete, 0);
}

void model_build(struct model *model, const struct reference_trace *trace,
                 struct findings *findings)
{
    *model = (struct model){.trace = trace};
    model_find_calls(model, findings);
    model_match_messages(model);
    model_match_collectives(model);
    model_find_locks(model);
    model_find_epochs(model);
}

/// Adds all facts about TRACE (findings.h) to FINDINGS and sorts them.
static void reference_analyse(const struct reference_trace *trace, struct findings *findings)
{
    struct model model;
    model_build(&model, trace, findings);
    model_find_waits(&model, findings);
    int64_t n_violations = model_find_releases(&model);
    findings_add(findings, "clock-violations", FINDING_NO_RANK, 0, "", n_violations, 0);
    model_find_lineages(&model, findings);
    count(&model, findings);
    findings_sort(findings);
    model_release(&model);
}

void reference_analyse_text(const char *text, struct findings *findings)
{
    struct reference_trace trace;
    reference_trace_parse(&trace, text);
    reference_analyse(&trace, findings);
    reference_trace_release(&trace);
}
