// SPDX-License-Identifier: BSD-3-Clause
// Runs of a task farm with other numbers of workers (farm.h).
//
// A task farm with another number of workers, or dealt otherwise: the recorded tasks are handed out
// again as a dealing says, by default in their order, each to a worker that is free. Which worker
// did a task in the recording counts for nothing, for in another run it would be another one.
//
// The master sends a task to each worker, one a gap. Then, until all answers are there: it receives
// the answer that came first (a receive where one is there, else it waits for one); if a task is
// left for who answered it works `before`, sends it, and works `after`, else it works `tail`. Where
// tasks are dealt in rounds it works `tail` after an answer, but `before` after the last one of a
// round, and then sends to each worker again, one a gap. A
// worker has a task after its flight, works, answers; the answer comes after its flight. Calls need
// cores, too: the last part of a flight, as long as a receive, the receiver's, and while an answer
// is sent the worker's. All share
// the cores as predictions do (simulation/cores/scheduler.h): the master and the workers of the run
// those of their ranks, each worker more those with the fewest processes for a core (ties: the
// first ones). Costs: farm.h, or those of the dealing.
#include "analyzer/simulation/dealt/farm.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/simulation/cores/scheduler.h"
#include "analyzer/simulation/dealt/policy.h"
#include "analyzer/simulation/prediction.h"

enum { MASTER = 0 }; // the workers are 1, 2, ...

enum master_step {
    STEP_HANDING,   // hands out the first tasks, or those of a round
    STEP_RECEIVING, // looks for an answer, or waits for one
    STEP_RECEIVED,  // has one
    STEP_SENDING,   // has done what comes before the next task
};

enum process_state {
    STATE_NEW,       // has not come to the phase
    STATE_COMING,    // has, but a worker does not wait for a task yet
    STATE_WAITING,   // of a worker: for a task
    STATE_WORKING,   // of a worker: on it
    STATE_ANSWERING, // of a worker: in the call that sends the answer
};

struct process {
    enum process_state state;
    size_t task, n_had;  // the last one that it was sent, and how many
    uint64_t arrival_ns; // when that is there, PAG_NOT_KNOWN before it is sent
};

/// An answer on its way, or there.
struct answer {
    uint64_t arrival_ns;
    uint32_t worker;
};

struct hand_out {
    const struct dealing *dealing;
    const struct farm_task **tasks; // in the order in which they are handed out
    size_t n_tasks;
    uint64_t costs_ns[N_FARM_COSTS], answering_ns;
    struct scheduler *scheduler;
    uint32_t n_workers; // that get tasks
    enum master_step step;
    bool waits;           // the master, for an answer
    uint32_t answered;    // the worker whose answer the master has
    uint32_t next_worker; // of those that the master hands tasks one after the other
    size_t n_handed, n_received, n_wanted;
    struct process *processes;
    struct answer *answers; // in the order of arrival, which is that of departure
    size_t n_answers;
    uint64_t end_ns;
};

static pag_work work(uint64_t ns)
{
    return (pag_work)ns * PAG_WORK_PER_NS;
}

static bool has_rounds(const struct hand_out *run)
{
    return run->dealing->to == DEALING_IN_ROUNDS || run->dealing->to == DEALING_TO_ALL;
}

static uint32_t weight_of(const struct dealing *dealing, uint32_t worker)
{
    return dealing->n_weights > 0 ? dealing->weights[(worker - 1) % dealing->n_weights] : 1;
}

/// The number of WORKER's turn N among the turns of all. In a cycle a worker of weight w has w
/// turns, at the levels w, w - 1, ..., 1; the levels come from the highest one on, and at each the
/// workers in their order.
static size_t turn_of(const struct hand_out *run, uint32_t worker, size_t n)
{
    size_t weight = weight_of(run->dealing, worker), level = weight - n % weight, all = 0, turn = 0;
    if (run->dealing->n_weights == 0)
        return n * run->n_workers + worker - 1;
    for (uint32_t other = 1; other <= run->n_workers; other++) {
        size_t its = weight_of(run->dealing, other);
        all += its;
        turn += its > level ? its - level : 0;
        turn += its >= level && other < worker;
    }
    return n / weight * all + turn;
}

/// The task that WORKER gets next; SIZE_MAX: none.
static size_t next_task(const struct hand_out *run, uint32_t worker)
{
    size_t n_had = run->processes[worker].n_had, end = run->n_tasks, task = run->n_handed;
    if (run->dealing->to == DEALING_IN_TURN)
        task = turn_of(run, worker, n_had);
    else if (run->dealing->to == DEALING_IN_ROUNDS)
        task = n_had * run->n_workers + worker - 1;
    else if (run->dealing->to == DEALING_TO_ALL)
        task = n_had;
    if (run->dealing->to == DEALING_IN_BLOCKS) {
        task = run->n_tasks * (worker - 1) / run->n_workers + n_had;
        end = run->n_tasks * worker / run->n_workers;
    }
    return task < end ? task : SIZE_MAX;
}

static uint64_t work_of(const struct hand_out *run, uint32_t worker)
{
    const struct dealing *dealing = run->dealing;
    uint64_t work_ns = dealing->task_ns == PAG_NOT_KNOWN
                           ? run->tasks[run->processes[worker].task]->work_ns
                           : dealing->task_ns;
    if (dealing->to == DEALING_TO_ALL)
        work_ns = (work_ns + run->n_workers - 1) / run->n_workers;
    return dealing->launch_ns + work_ns;
}

/// The part of a flight that takes the receiver's core.
static uint64_t taking_ns(const struct hand_out *run, enum farm_cost flight)
{
    uint64_t flight_ns = run->costs_ns[flight], receive_ns = run->costs_ns[FARM_RECEIVE];
    return receive_ns < flight_ns ? receive_ns : flight_ns;
}

/// PROCESS waits for a message that comes at ARRIVAL_NS (PAG_NOT_KNOWN: not sent yet), after
/// FLIGHT.
static void await(struct hand_out *run, uint32_t process, uint64_t now_ns, uint64_t arrival_ns,
                  enum farm_cost flight)
{
    uint64_t until_ns = arrival_ns;
    if (arrival_ns != PAG_NOT_KNOWN)
        until_ns -= taking_ns(run, flight);
    until_ns = until_ns < now_ns ? now_ns : until_ns;
    uint64_t rest_ns =
        arrival_ns == PAG_NOT_KNOWN || arrival_ns < until_ns ? 0 : arrival_ns - until_ns;
    scheduler_wait(run->scheduler, process, now_ns, until_ns, work(rest_ns));
}

/// PROCESS, which waits, gets a message that comes at ARRIVAL_NS after FLIGHT.
static void wake(struct hand_out *run, uint32_t process, uint64_t arrival_ns, enum farm_cost flight)
{
    uint64_t taking = taking_ns(run, flight);
    scheduler_wake(run->scheduler, process, arrival_ns - taking, work(taking));
}

static void send_task(struct hand_out *run, uint32_t worker, uint64_t now_ns)
{
    struct process *process = &run->processes[worker];
    process->task = next_task(run, worker);
    process->n_had++;
    run->n_handed++;
    process->arrival_ns = now_ns + run->costs_ns[FARM_TASK_FLIGHT];
    if (process->state == STATE_WAITING) // else it lacks its core, to begin to wait
        wake(run, worker, process->arrival_ns, FARM_TASK_FLIGHT);
}

/// The master looks for an answer: it takes one that is there, or waits for the next one.
static void receive(struct hand_out *run, uint64_t now_ns)
{
    const uint64_t *costs_ns = run->costs_ns;
    run->step = STEP_RECEIVED;
    if (run->n_received < run->n_answers) {
        const struct answer *answer = &run->answers[run->n_received];
        if (answer->arrival_ns > now_ns)
            await(run, MASTER, now_ns, answer->arrival_ns, FARM_ANSWER_FLIGHT);
        else
            scheduler_work(run->scheduler, MASTER, now_ns, work(costs_ns[FARM_RECEIVE]),
                           TURN_LEAVE);
        return;
    }
    run->waits = true;
    scheduler_wait(run->scheduler, MASTER, now_ns, PAG_NOT_KNOWN, 0);
}

/// The first worker from FIRST on that has a task to get is the next one; false: there is none.
static bool find_next_worker(struct hand_out *run, uint32_t first)
{
    run->next_worker = first;
    while (run->next_worker <= run->n_workers && next_task(run, run->next_worker) == SIZE_MAX)
        run->next_worker++;
    return run->next_worker <= run->n_workers;
}

/// The master has done what it did.
static void go_on(struct hand_out *run, uint64_t now_ns)
{
    const uint64_t *costs_ns = run->costs_ns;
    uint64_t next_ns = 0;
    switch (run->step) {
    case STEP_HANDING:
        send_task(run, run->next_worker, now_ns);
        if (!find_next_worker(run, run->next_worker + 1))
            run->step = STEP_RECEIVING;
        next_ns = costs_ns[FARM_GAP];
        break;
    case STEP_RECEIVING:
        receive(run, now_ns);
        return;
    case STEP_RECEIVED:
        run->answered = run->answers[run->n_received++].worker;
        run->end_ns = now_ns;
        if (run->n_received == run->n_wanted) {
            scheduler_end(run->scheduler, MASTER, now_ns);
            return;
        }
        run->step = STEP_RECEIVING;
        if (!has_rounds(run) && next_task(run, run->answered) != SIZE_MAX)
            run->step = STEP_SENDING;
        else if (has_rounds(run) && run->n_received == run->n_handed && find_next_worker(run, 1))
            run->step = STEP_HANDING;
        next_ns = costs_ns[run->step == STEP_RECEIVING ? FARM_TAIL : FARM_BEFORE];
        break;
    case STEP_SENDING:
        send_task(run, run->answered, now_ns);
        run->step = STEP_RECEIVING;
        next_ns = costs_ns[FARM_AFTER];
        break;
    }
    scheduler_work(run->scheduler, MASTER, now_ns, work(next_ns), TURN_FIRST);
}

/// A worker has a task, or has done it, or has answered.
static void work_or_answer(struct hand_out *run, uint32_t worker, uint64_t now_ns)
{
    struct process *process = &run->processes[worker];
    enum process_state state = process->state;
    if (state == STATE_WAITING) {
        process->arrival_ns = PAG_NOT_KNOWN;
        process->state = STATE_WORKING;
        scheduler_work(run->scheduler, worker, now_ns, work(work_of(run, worker)), TURN_FIRST);
        return;
    }
    if (state != STATE_WORKING) {
        process->state = STATE_WAITING;
        await(run, worker, now_ns, process->arrival_ns, FARM_TASK_FLIGHT);
        return;
    }
    process->state = STATE_ANSWERING;
    scheduler_work(run->scheduler, worker, now_ns, work(run->answering_ns), TURN_FIRST);
    uint64_t arrival_ns = now_ns + run->costs_ns[FARM_ANSWER_FLIGHT];
    run->answers[run->n_answers++] = (struct answer){arrival_ns, worker};
    if (run->waits) {
        run->waits = false;
        wake(run, MASTER, arrival_ns, FARM_ANSWER_FLIGHT);
    }
}

static void step(struct hand_out *run, uint32_t process, uint64_t now_ns)
{
    enum process_state *state = &run->processes[process].state;
    if (*state == STATE_NEW) { // the workers wait before the master hands out
        *state = STATE_COMING;
        scheduler_work(run->scheduler, process, now_ns, 0,
                       process == MASTER ? TURN_LAST : TURN_FIRST);
    } else if (process == MASTER) {
        go_on(run, now_ns);
    } else {
        work_or_answer(run, process, now_ns);
    }
}

/// The group with the fewest processes for a core, once one more has come.
static uint32_t least_loaded(const struct core_group *groups, const uint32_t *n_processes,
                             size_t n_groups)
{
    uint32_t least = 0;
    for (uint32_t i = 1; i < n_groups; i++)
        if ((uint64_t)(n_processes[i] + 1) * groups[least].n_cores <
            (uint64_t)(n_processes[least] + 1) * groups[i].n_cores)
            least = i;
    return least;
}

/// Which of N_GROUPS the N processes belong to, the master first.
static void find_groups(uint32_t *group_of, uint32_t n, const struct farm *farm,
                        const struct scenario *scenario, const struct core_group *groups,
                        size_t n_groups)
{
    SCOPED uint32_t *n_processes = memory_zeroed(n_groups, sizeof *n_processes);
    for (uint32_t i = 0; i < n; i++) {
        bool is_known = i <= farm->n_worker_ranks;
        uint32_t rank = i == MASTER ? farm->master : is_known ? farm->worker_ranks[i - 1] : 0;
        group_of[i] =
            is_known ? scenario->group_of_rank[rank] : least_loaded(groups, n_processes, n_groups);
        n_processes[group_of[i]]++;
    }
}

/// The cores that the ranks of SCENARIO may use together: those of their nodes; where ranks are
/// bound, and some share their cores, those they are bound to. 0: not known.
static uint32_t count_cores(const struct scenario *scenario, const struct definitions *definitions)
{
    if (!scenario->knows_cores && !scenario->is_shared)
        return 0;
    uint32_t n_bound = 0, n_of_nodes = scenario->least_cores * scenario->placement.n_nodes;
    for (size_t i = 0; i < definitions->n_core_sets; i++)
        if (definitions->core_sets[i].n_ranks > 0)
            n_bound += definitions->core_sets[i].n_cores;
    bool is_less = scenario->is_bound && scenario->is_shared && n_bound > 0 && n_bound < n_of_nodes;
    return is_less ? n_bound : n_of_nodes;
}

/// Of N processes on N_CORES (0: one for each). Cores that no rank has now are used, too: of a node
/// where all ranks share all of them in its group, else each in one by itself.
static struct scheduler *new_scheduler(uint32_t n, const struct farm *farm,
                                       const struct scenario *scenario, uint32_t n_cores)
{
    bool is_alone = n_cores == 0, is_sticky = scenario->settings->is_sticky;
    bool is_fluid = !is_sticky && !scenario->is_bound && scenario->knows_cores;
    size_t n_groups = is_alone ? n : scenario->n_groups;
    SCOPED struct core_group *groups = memory_zeroed(n_groups + n_cores, sizeof *groups);
    uint32_t *group_of = memory_zeroed(n, sizeof *group_of), n_used = 0;
    for (uint32_t i = 0; i < n_groups; i++) {
        if (is_alone) {
            groups[i] = (struct core_group){.n_cores = 1};
            group_of[i] = i;
        } else {
            groups[i] = scenario->groups[i];
            if (is_fluid && groups[i].n_cores < scenario->least_cores)
                groups[i].n_cores = scenario->least_cores;
        }
        n_used += groups[i].n_cores;
    }
    for (; is_sticky && n_used < n_cores; n_used++)
        groups[n_groups++] = groups[0];
    // The works are of the run, in which the speeds of its nodes count already.
    for (size_t i = 0; i < n_groups; i++) {
        groups[i].speed = SCHEDULER_FULL_SPEED;
        groups[i].n_processes = 0; // none of the model moves
    }
    if (!is_alone)
        find_groups(group_of, n, farm, scenario, groups, n_groups);
    struct scheduler *scheduler =
        scheduler_new(groups, n_groups, group_of, n, scenario->settings->spins);
    free(group_of);
    return scheduler;
}

/// Tasks lie in one array, so that of two with the same work the first one is before the other.
static int by_work(const void *left, const void *right, void *order)
{
    const struct farm_task *a = *(const struct farm_task *const *)left;
    const struct farm_task *b = *(const struct farm_task *const *)right;
    bool is_longest_first = *(const enum dealing_order *)order == DEALING_LONGEST_FIRST;
    int less = LESS_FIRST(a->work_ns, b->work_ns);
    return ORDER_BY(is_longest_first ? -less : less, LESS_FIRST(a, b));
}

/// The tasks of PHASE in the order in which they are handed out; the caller frees.
static const struct farm_task **order_tasks(const struct farm_phase *phase,
                                            enum dealing_order order)
{
    const struct farm_task **tasks = memory_zeroed(phase->n_tasks, sizeof *tasks);
    for (size_t i = 0; i < phase->n_tasks; i++)
        tasks[i] = &phase->tasks[i];
    if (order != DEALING_RECORDED)
        qsort_r(tasks, phase->n_tasks, sizeof *tasks, by_work, &order);
    return tasks;
}

static uint64_t phase_length(const struct farm_run *of, const struct farm_phase *phase,
                             uint32_t n_workers, const struct dealing *dealing)
{
    bool is_to_all = dealing->to == DEALING_TO_ALL;
    uint32_t n = n_workers + 1, process;
    uint64_t now_ns;
    struct hand_out run = {
        .dealing = dealing,
        .tasks = order_tasks(phase, dealing->order),
        .n_tasks = phase->n_tasks,
        .answering_ns = phase->answering_ns,
        .scheduler = new_scheduler(n, &of->farm, of->scenario, of->n_cores),
        .n_workers = n_workers < phase->n_tasks || is_to_all ? n_workers : (uint32_t)phase->n_tasks,
        .n_wanted = phase->n_tasks * (is_to_all ? n_workers : 1),
        .processes = memory_new(n * sizeof *run.processes),
    };
    run.answers = memory_zeroed(run.n_wanted, sizeof *run.answers);
    for (int i = 0; i < N_FARM_COSTS; i++)
        run.costs_ns[i] =
            dealing->costs_ns[i] == PAG_NOT_KNOWN ? phase->costs_ns[i] : dealing->costs_ns[i];
    for (process = 0; process < n; process++) {
        run.processes[process] = (struct process){STATE_NEW, 0, 0, PAG_NOT_KNOWN};
        scheduler_wait(run.scheduler, process, 0, 0, 0);
    }
    (void)find_next_worker(&run, 1);
    while (run.n_received < run.n_wanted && scheduler_next(run.scheduler, &process, &now_ns))
        if (!scheduler_works_on(run.scheduler, process, now_ns))
            step(&run, process, now_ns);
    scheduler_free(run.scheduler);
    FREE_ALL(run.tasks, run.processes, run.answers);
    return run.end_ns;
}

// --- the farm of a run

enum { MOST_TASKS = 2000000, MOST_TRIED = 32, LEAST_TRIED = 4, NEAR_PER_CENT = 2 };

/// Watches the run under SCENARIO; 0, or -1 and ERR.
static int observe(struct farm_run *run, struct trace *trace, const struct scenario *scenario,
                   const struct recorded *recorded, uint64_t *time_ns, struct error *err)
{
    farm_messages_release(&run->messages);
    farm_release(&run->farm);
    run->messages.master = run->master;
    run->messages.definitions = trace_definitions(trace);
    const struct pag_listener listener = farm_listener(&run->messages);
    run->n_passes++;
    if (observe_run(trace, scenario, recorded, &listener, time_ns, err) != 0)
        return -1;
    if (farm_analyse(&run->farm, &run->messages, err) != 0)
        return error_wrap(err, "the run has no task farm");
    return 0;
}

/// The same with a core for each rank.
static int observe_alone(struct farm_run *run, struct trace *trace, const struct scenario *shared,
                         const struct recorded *recorded, struct error *err)
{
    struct scenario_settings settings = *shared->settings;
    SCOPED_BY(scenario_release) struct scenario alone = {0};
    uint64_t ignored_ns;
    settings.n_cores = shared->placement.n_ranks;
    settings.is_sticky = false;
    int status = scenario_init(&alone, trace_definitions(trace), &settings, err);
    alone.visits = shared->visits;
    if (status == 0)
        status = observe(run, trace, &alone, recorded, &ignored_ns, err);
    return status;
}

/// Watches the run under SCENARIO for its length and that of its phases, and for its farm with a
/// core for each rank.
static int watch(struct farm_run *run, struct trace *trace, const struct scenario *scenario,
                 const struct recorded *recorded, struct error *err)
{
    run->scenario = scenario;
    run->n_cores = count_cores(scenario, trace_definitions(trace));
    if (observe(run, trace, scenario, recorded, &run->time_ns, err) != 0)
        return -1;
    run->phases_ns = run->farm.length_ns;
    return scenario->is_shared ? observe_alone(run, trace, scenario, recorded, err) : 0;
}

/// How long the phases take with N_WORKERS.
static uint64_t model(const struct farm_run *run, uint32_t n_workers, const struct dealing *dealing)
{
    uint64_t length_ns = 0;
    for (size_t i = 0; i < run->farm.n_phases; i++)
        length_ns += phase_length(run, &run->farm.phases[i], n_workers, dealing);
    return length_ns;
}

int farm_run_find(struct farm_run *run, struct trace *trace, const struct scenario *scenario,
                  const struct recorded *recorded, const struct pag_result *measured,
                  struct error *err)
{
    *run = (struct farm_run){.master = farm_find_master(measured)};
    if (run->master == UINT32_MAX)
        return error_set(err, "the run has no task farm: no rank sends or receives nearly all "
                              "messages");
    struct scenario_settings settings = SCENARIO_UNCHANGED;
    settings.spins = scenario->settings->spins;
    settings.slice_ns = scenario->slice_ns;
    SCOPED_BY(scenario_release) struct scenario unchanged = {0};
    int status = scenario_init(&unchanged, trace_definitions(trace), &settings, err);
    if (status == 0)
        status = watch(run, trace, &unchanged, recorded, err);
    if (status == 0) {
        run->recorded_ns = run->phases_ns;
        run->modelled_ns = model(run, run->farm.n_workers, &dealing_recorded);
    }
    return status == 0 ? watch(run, trace, scenario, recorded, err) : status;
}

void farm_run_release(struct farm_run *run)
{
    farm_messages_release(&run->messages);
    farm_release(&run->farm);
    *run = (struct farm_run){0};
}

uint64_t farm_run_phases_ns(const struct farm_run *run, uint32_t n_workers,
                            const struct dealing *dealing)
{
    __extension__ typedef unsigned __int128 wide;
    if (run->modelled_ns == 0)
        return run->phases_ns;
    return (uint64_t)((wide)run->recorded_ns * model(run, n_workers, dealing) / run->modelled_ns);
}

uint32_t farm_run_best(const struct farm_run *run)
{
    uint32_t n_most = 2 * run->farm.n_workers + 2, tried[MOST_TRIED], n_tried = 0;
    uint64_t lengths[MOST_TRIED], shortest_ns = UINT64_MAX;
    size_t n = MOST_TASKS / run->farm.n_tasks;
    n = n > MOST_TRIED ? MOST_TRIED : n < LEAST_TRIED ? LEAST_TRIED : n;
    n = n < n_most ? n : n_most;
    for (size_t i = 1; i <= n; i++) {
        uint32_t n_workers = (uint32_t)((uint64_t)n_most * i / n);
        tried[n_tried] = n_workers;
        lengths[n_tried] = model(run, n_workers, &dealing_recorded);
        if (lengths[n_tried] < shortest_ns)
            shortest_ns = lengths[n_tried];
        n_tried++;
    }
    for (uint32_t i = 0; i < n_tried; i++)
        if (lengths[i] - shortest_ns <= shortest_ns / 100 * NEAR_PER_CENT)
            return tried[i];
    return run->farm.n_workers;
}
