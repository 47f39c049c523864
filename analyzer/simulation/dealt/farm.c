// SPDX-License-Identifier: BSD-3-Clause
// From the messages of a master to tasks, phases and costs (farm.h).
#include "analyzer/simulation/dealt/farm.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/simulation/cost/cost_model.h"

// --- gathering

uint32_t farm_find_master(const struct pag_result *run)
{
    uint64_t *n_messages = memory_zeroed(run->n_ranks, sizeof *n_messages), n_all = 0;
    uint32_t master = 0;
    for (size_t i = 0; i < run->n_traffic; i++) {
        const struct pag_traffic *traffic = &run->traffic[i];
        if (traffic->sender == traffic->receiver)
            continue;
        n_messages[traffic->sender] += traffic->n_messages;
        n_messages[traffic->receiver] += traffic->n_messages;
        n_all += traffic->n_messages;
    }
    for (uint32_t rank = 1; rank < run->n_ranks; rank++)
        if (n_messages[rank] > n_messages[master])
            master = rank;
    bool is_star = n_all > 0 && n_messages[master] >= n_all - n_all / 50;
    free(n_messages);
    return is_star ? master : UINT32_MAX;
}

/// The newest of the messages is an answer of WORKER, which has not left the call that sent it.
static void note_open(struct farm_messages *messages, uint32_t worker)
{
    size_t n = messages->n_open;
    if (worker >= n) {
        messages->open =
            array_reserve(messages->open, &messages->n_open, worker + 1, sizeof *messages->open);
        memset(messages->open + n, 0, (messages->n_open - n) * sizeof *messages->open);
    }
    messages->open[worker] = messages->n;
}

// --- probes

/// The last probe of RANK.
static struct farm_probe *probe_of(struct farm_messages *messages, uint32_t rank)
{
    size_t n = messages->n_probes;
    if (rank >= n) {
        messages->probes = array_reserve(messages->probes, &messages->n_probes, rank + 1,
                                         sizeof *messages->probes);
        memset(messages->probes + n, 0, (messages->n_probes - n) * sizeof *messages->probes);
    }
    return &messages->probes[rank];
}

static void note_probe(struct farm_messages *messages, const struct pag_called *call)
{
    if (call->region == EVENT_NO_INDEX)
        return;
    const struct region *region = &messages->definitions->regions[call->region];
    struct farm_probe *probe = probe_of(messages, call->rank);
    if (region->mpi == MPI_FUNCTION_PROBE)
        *probe = (struct farm_probe){true, call->enter_ns, call->leave_ns, PAG_NOT_KNOWN};
    else if (region->mpi_class != MPI_CLASS_MANAGEMENT && probe->next_ns == PAG_NOT_KNOWN)
        probe->next_ns = call->enter_ns;
}

/// When RECEIVER began to wait for a message that the call entered at ENTER_NS received.
static uint64_t awaited_since(struct farm_messages *messages, uint32_t receiver, uint64_t enter_ns)
{
    const struct farm_probe *probe = probe_of(messages, receiver);
    bool is_next = probe->next_ns == PAG_NOT_KNOWN || probe->next_ns == enter_ns;
    return probe->is_open && is_next && probe->leave_ns <= enter_ns ? probe->enter_ns : enter_ns;
}

// --- messages

static void on_message(void *context, const struct pag_message *message)
{
    struct farm_messages *messages = context;
    bool is_task = message->sender == messages->master;
    if ((!is_task && message->receiver != messages->master) || message->sender == message->receiver)
        return;
    if (messages->n == FARM_MAX_KEPT) {
        messages->n_not_kept++;
        return;
    }
    *ARRAY_NEXT(messages->items, messages->n, messages->capacity) =
        (struct farm_message){message->send_enter_ns,
                              message->send_leave_ns,
                              awaited_since(messages, message->receiver, message->enter_ns),
                              message->leave_ns,
                              is_task ? message->receiver : message->sender,
                              is_task,
                              0};
    if (!is_task && message->send_leave_ns == PAG_NOT_KNOWN)
        note_open(messages, message->sender);
}

static void on_called(void *context, const struct pag_called *call)
{
    struct farm_messages *messages = context;
    note_probe(messages, call);
    if (call->rank >= messages->n_open || messages->open[call->rank] == 0)
        return;
    struct farm_message *answer = &messages->items[messages->open[call->rank] - 1];
    if (answer->send_enter_ns == call->enter_ns)
        answer->send_leave_ns = call->leave_ns;
    messages->open[call->rank] = 0;
}

static void on_trigger(void *context, const struct trigger *trigger)
{
    struct farm_messages *messages = context;
    if (trigger->kind != TRIGGER_COLLECTIVE || trigger->rank != messages->master ||
        trigger->value[TRIGGER_COLLECTIVE_N_MEMBERS] < 2)
        return;
    if (messages->n_cuts == FARM_MAX_KEPT) {
        messages->n_not_kept++;
        return;
    }
    *ARRAY_NEXT(messages->cuts, messages->n_cuts, messages->cuts_capacity) =
        (uint64_t)trigger->value[TRIGGER_COLLECTIVE_ENTER];
}

struct pag_listener farm_listener(struct farm_messages *messages)
{
    return (struct pag_listener){.trigger = {on_trigger, messages},
                                 .message = {on_message, messages},
                                 .called = {on_called, messages}};
}

void farm_messages_release(struct farm_messages *messages)
{
    FREE_ALL(messages->items, messages->cuts, messages->open, messages->probes);
    *messages = (struct farm_messages){0};
}

// --- orders

static uint64_t master_ns(const struct farm_message *message)
{
    return message->is_task ? message->send_enter_ns : message->leave_ns;
}

static uint64_t worker_ns(const struct farm_message *message)
{
    return message->is_task ? message->leave_ns : message->send_enter_ns;
}

static int by_worker(const void *left, const void *right)
{
    const struct farm_message *a = left, *b = right;
    return ORDER_BY(LESS_FIRST(a->phase, b->phase), LESS_FIRST(a->worker, b->worker),
                    LESS_FIRST(worker_ns(a), worker_ns(b)), b->is_task - a->is_task,
                    LESS_FIRST(a->send_enter_ns, b->send_enter_ns));
}

static int by_master(const void *left, const void *right)
{
    const struct farm_message *a = left, *b = right;
    return ORDER_BY(LESS_FIRST(a->phase, b->phase), LESS_FIRST(master_ns(a), master_ns(b)),
                    a->is_task - b->is_task, LESS_FIRST(a->worker, b->worker));
}

/// Finds the phases that the messages are in.
static void find_phases(struct farm_messages *messages)
{
    if (messages->n_cuts > 0)
        qsort(messages->cuts, messages->n_cuts, sizeof *messages->cuts, uint64_compare);
    for (size_t m = 0; m < messages->n; m++) {
        uint64_t time_ns = master_ns(&messages->items[m]);
        SEARCH(messages->items[m].phase, 0, messages->n_cuts, i, messages->cuts[i] <= time_ns);
    }
}

// --- a phase

struct mean {
    uint64_t sum, n;
};

static void add(struct mean *mean, uint64_t value)
{
    mean->sum += value;
    mean->n++;
}

static uint64_t mean_of(const struct mean *mean, uint64_t without)
{
    return mean->n > 0 ? mean->sum / mean->n : without;
}

/// What is known of a phase while its messages are gone through.
struct survey {
    struct farm *farm;
    struct farm_phase *phase;
    uint64_t begin_ns, end_ns; // first task handed out, last answer
    uint64_t n_ahead;          // tasks handed out before the worker's last answer was received
    uint32_t n_workers;
    size_t least, most; // tasks of a worker
    struct mean task_flight, answer_flight, answering;
};

/// The flights of the last message of a group, where its receiver waited when it was sent.
static void add_flight(struct survey *survey, const struct farm_message *last)
{
    if (last->enter_ns <= last->send_enter_ns)
        add(last->is_task ? &survey->task_flight : &survey->answer_flight,
            less(last->leave_ns, last->send_enter_ns));
}

/// RANK is one of the workers.
static void note_worker(struct farm *farm, uint32_t rank)
{
    size_t place = farm->n_worker_ranks;
    while (place > 0 && farm->worker_ranks[place - 1] > rank)
        place--;
    if (place > 0 && farm->worker_ranks[place - 1] == rank)
        return;
    farm->worker_ranks = array_reserve(farm->worker_ranks, &farm->ranks_capacity,
                                       farm->n_worker_ranks + 1, sizeof *farm->worker_ranks);
    for (size_t i = farm->n_worker_ranks++; i > place; i--)
        farm->worker_ranks[i] = farm->worker_ranks[i - 1];
    farm->worker_ranks[place] = rank;
}

/// The messages of one worker, in its order: groups from the master, and of answers, in turn.
static void count_worker(struct survey *survey, const struct farm_message *messages, size_t n)
{
    struct farm *farm = survey->farm;
    size_t n_tasks = 0;
    uint64_t answered_ns = 0;
    for (size_t i = 0; i < n;) {
        size_t first = i;
        while (i < n && messages[i].is_task)
            i++;
        size_t answer = i;
        while (i < n && !messages[i].is_task)
            i++;
        if (answer == first || answer == i)
            continue; // a request before the first task, or a word that there are no more
        const struct farm_message *task = &messages[first];
        const struct farm_message *last = &messages[answer - 1];
        survey->n_ahead += n_tasks > 0 && task->send_enter_ns < answered_ns;
        answered_ns = messages[i - 1].leave_ns;
        farm->tasks[farm->n_tasks++] = (struct farm_task){
            task->send_enter_ns, less(messages[answer].send_enter_ns, last->leave_ns)};
        add_flight(survey, last);
        add_flight(survey, &messages[i - 1]);
        if (messages[i - 1].send_leave_ns != PAG_NOT_KNOWN)
            add(&survey->answering,
                less(messages[i - 1].send_leave_ns, messages[i - 1].send_enter_ns));
        if (survey->phase->n_tasks + n_tasks == 0 || task->send_enter_ns < survey->begin_ns)
            survey->begin_ns = task->send_enter_ns;
        if (answered_ns > survey->end_ns)
            survey->end_ns = answered_ns;
        n_tasks++;
    }
    if (n_tasks == 0)
        return;
    note_worker(farm, messages[0].worker);
    farm->is_pushed = farm->is_pushed && messages[0].is_task;
    survey->phase->n_tasks += n_tasks;
    survey->least = survey->n_workers == 0 || n_tasks < survey->least ? n_tasks : survey->least;
    survey->most = n_tasks > survey->most ? n_tasks : survey->most;
    survey->n_workers++;
}

/// The master's own time, from its messages in its order.
static void count_master(struct survey *survey, const struct farm_message *messages, size_t n)
{
    struct mean before = {0}, after = {0}, tail = {0}, gap = {0}, receive = {0};
    uint64_t flight_ns = mean_of(&survey->answer_flight, 0);
    uint64_t left_ns = 0, sent_ns = 0; // of the last answer; first task since, while has_sent
    bool has_answer = false, has_sent = false;
    for (size_t i = 0; i < n; i++) {
        const struct farm_message *message = &messages[i];
        if (master_ns(message) < survey->begin_ns || master_ns(message) > survey->end_ns)
            continue;
        if (message->is_task) {
            if (!has_answer && has_sent)
                add(&gap, message->send_enter_ns - sent_ns);
            if (!has_answer || !has_sent)
                sent_ns = message->send_enter_ns;
            has_sent = true;
            continue;
        }
        if (message->enter_ns > message->send_enter_ns &&
            message->enter_ns >= message->send_enter_ns + flight_ns)
            add(&receive, less(message->leave_ns, message->enter_ns));
        if (has_answer && has_sent) {
            add(&before, less(sent_ns, left_ns));
            add(&after, less(message->enter_ns, sent_ns));
        } else if (has_answer) {
            add(&tail, less(message->enter_ns, left_ns));
        }
        has_answer = true;
        left_ns = message->leave_ns;
        has_sent = false;
    }
    uint64_t *costs_ns = survey->phase->costs_ns;
    costs_ns[FARM_BEFORE] = mean_of(&before, 0);
    costs_ns[FARM_AFTER] = mean_of(&after, 0);
    costs_ns[FARM_TAIL] = mean_of(&tail, costs_ns[FARM_BEFORE] + costs_ns[FARM_AFTER]);
    costs_ns[FARM_GAP] = mean_of(&gap, costs_ns[FARM_BEFORE] + costs_ns[FARM_AFTER]);
    costs_ns[FARM_TASK_FLIGHT] = mean_of(&survey->task_flight, 0);
    costs_ns[FARM_RECEIVE] = mean_of(&receive, 0);
    costs_ns[FARM_ANSWER_FLIGHT] = mean_of(&survey->answer_flight, costs_ns[FARM_RECEIVE]);
}

/// One phase, of the N MESSAGES, which are sorted by worker; they are sorted anew.
static void survey_phase(struct survey *survey, struct farm_message *messages, size_t n)
{
    struct farm *farm = survey->farm;
    size_t first_task = farm->n_tasks;
    for (size_t begin = 0, end; begin < n; begin = end) {
        for (end = begin; end < n && messages[end].worker == messages[begin].worker;)
            end++;
        count_worker(survey, messages + begin, end - begin);
    }
    if (survey->phase->n_tasks == 0)
        return;
    SORT_BY(farm->tasks + first_task, farm->n_tasks - first_task, LEAST(handed_ns), LEAST(work_ns));
    qsort(messages, n, sizeof *messages, by_master);
    count_master(survey, messages, n);
    survey->phase->tasks = farm->tasks + first_task;
    survey->phase->answering_ns = mean_of(&survey->answering, 0);
    survey->phase->length_ns = survey->end_ns - survey->begin_ns;
    farm->length_ns += survey->phase->length_ns;
    farm->n_phases++;
    if (survey->n_workers > farm->n_workers)
        farm->n_workers = survey->n_workers;
    farm->is_dynamic = farm->is_dynamic || survey->least != survey->most;
}

int farm_analyse(struct farm *farm, struct farm_messages *messages, struct error *err)
{
    *farm = (struct farm){.master = messages->master, .is_pushed = true};
    if (messages->n_not_kept > 0)
        return error_set(
            err,
            "its master has more than %d messages or collective operations, too many to be kept",
            FARM_MAX_KEPT);
    struct farm_message *items = messages->items;
    find_phases(messages);
    if (messages->n > 0)
        qsort(items, messages->n, sizeof *items, by_worker);
    farm->tasks = memory_zeroed(messages->n, sizeof *farm->tasks);
    farm->phases = memory_zeroed(messages->n_cuts + 1, sizeof *farm->phases);
    uint64_t n_ahead = 0;
    for (size_t begin = 0, end; begin < messages->n; begin = end) {
        for (end = begin; end < messages->n && items[end].phase == items[begin].phase;)
            end++;
        struct survey survey = {.farm = farm, .phase = &farm->phases[farm->n_phases]};
        survey_phase(&survey, items + begin, end - begin);
        n_ahead += survey.n_ahead;
    }
    if (farm->n_tasks == 0)
        return error_set(err, "no rank answers what rank %u sends it", messages->master);
    if (n_ahead > farm->n_tasks / 10)
        return error_set(err,
                         "rank %u hands out tasks before the last ones are answered, which the "
                         "model of a task farm does not have",
                         messages->master);
    return 0;
}

void farm_release(struct farm *farm)
{
    FREE_ALL(farm->tasks, farm->phases, farm->worker_ranks);
    *farm = (struct farm){0};
}

uint32_t farm_kept_workers(const struct pag_result *measured, uint32_t *master)
{
    uint64_t least = UINT64_MAX, most = 0; // messages from the master to a rank
    uint32_t n = 0;
    *master = farm_find_master(measured);
    for (size_t i = 0; i < measured->n_traffic; i++) {
        const struct pag_traffic *traffic = &measured->traffic[i];
        if (traffic->sender != *master || traffic->receiver == *master || traffic->n_messages == 0)
            continue;
        least = traffic->n_messages < least ? traffic->n_messages : least;
        most = traffic->n_messages > most ? traffic->n_messages : most;
        n++;
    }
    return n < 2 || least == most ? 0 : n; // equal shares are dealt in a fixed order
}
