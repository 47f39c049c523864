// SPDX-License-Identifier: BSD-3-Clause
/*
 * Master and workers: rank 0 hands out tasks of very different length, one at a time, to whoever
 * returns a result first (wildcard receives), and merges the results.
 *
 * Check: each task is n steps of a linear congruential generator, whose n-th value the master
 * computes directly; the merged results must be these, each once.
 */
#include "program.h"

enum { TAG_TASK = 1, TAG_RESULT = 2, TAG_STOP = 3 };

/* What travels: the task's number, its length in units of work, its start value or result. */
struct task {
    uint64_t number, n_units, value;
};
enum { TASK_WORDS = sizeof(struct task) / sizeof(uint64_t) };

static long n_tasks = 300, mean_units = 2000, merge_units = 20, evenness, seed = 1;

static const struct program_option options[] = {
    {"tasks", "N", &n_tasks, 1, 100000000, "number of tasks"},
    {"work", "UNITS", &mean_units, 0, 100000000, "mean length of a task; a unit is about 1 us"},
    {"merge-work", "UNITS", &merge_units, 0, 100000000, "master's work for each result"},
    {"even", NULL, &evenness, 0, 1, "make all tasks equally long"},
    {"seed", "N", &seed, 0, 1000000, "seed of the tasks' lengths and start values"},
    {0}};

static struct program program = {
    .name = "masterworker",
    .summary = "Hands out uneven tasks to workers as they become free and checks the results.",
    .rank_rule = "Any number of ranks is valid; rank 0 is the master and works itself when alone.",
    .min_ranks = 1,
    .options = options};

/* Task lengths are distributed exponentially: many short ones, some several times the mean. */
static struct task make_task(uint64_t number)
{
    double share = evenness ? 1.0 : -log(1.0 - program_uniform((uint64_t)seed, 2 * number));

    return (struct task){number, (uint64_t)llround((double)mean_units * share),
                         program_random((uint64_t)seed, 2 * number + 1)};
}

static void solve_task(struct task *task)
{
    task->value = program_work(task->n_units, task->value);
}

/* Keeps the result of a task; an own share of work stands for what merging would cost. */
static void merge_result(uint64_t *results, const struct task *task)
{
    static uint64_t state;

    state = program_work((uint64_t)merge_units, state);
    results[task->number] += task->value;
}

static void send_task(uint64_t number, int worker)
{
    struct task task = make_task(number);

    MPI_Send(&task, TASK_WORDS, MPI_UINT64_T, worker, TAG_TASK, MPI_COMM_WORLD);
}

static void master(uint64_t *results)
{
    uint64_t next = 0;
    int n_busy = 0;

    for (int worker = 1; worker < program.n_ranks; worker++) {
        if (next == (uint64_t)n_tasks)
            break;
        send_task(next++, worker);
        n_busy++;
    }
    while (n_busy > 0) {
        struct task task;
        MPI_Status status;

        MPI_Recv(&task, TASK_WORDS, MPI_UINT64_T, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                 &status);
        if (next < (uint64_t)n_tasks)
            send_task(next++, status.MPI_SOURCE);
        else
            n_busy--;
        merge_result(results, &task);
    }
    for (int worker = 1; worker < program.n_ranks; worker++)
        MPI_Send(NULL, 0, MPI_UINT64_T, worker, TAG_STOP, MPI_COMM_WORLD);
}

static void worker(void)
{
    for (;;) {
        struct task task;
        MPI_Status status;

        MPI_Recv(&task, TASK_WORDS, MPI_UINT64_T, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == TAG_STOP)
            return;
        solve_task(&task);
        MPI_Send(&task, TASK_WORDS, MPI_UINT64_T, 0, TAG_RESULT, MPI_COMM_WORLD);
    }
}

static void work_alone(uint64_t *results)
{
    for (uint64_t number = 0; number < (uint64_t)n_tasks; number++) {
        struct task task = make_task(number);

        solve_task(&task);
        merge_result(results, &task);
    }
}

/* NULL, or what is wrong with the results. */
static const char *check_results(const uint64_t *results)
{
    uint64_t n_units = 0, digest = 0;
    const char *wrong = NULL;

    for (uint64_t number = 0; number < (uint64_t)n_tasks; number++) {
        struct task task = make_task(number);

        if (results[number] != program_work_result(task.n_units, task.value))
            wrong = "a task's result is missing, doubled or not what its formula gives";
        n_units += task.n_units;
        digest = program_mix(digest ^ results[number]);
    }
    printf("%ld tasks, %" PRIu64 " units of work, digest %016" PRIx64 "\n", n_tasks, n_units,
           digest);
    return wrong;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int status = program_begin(&program, argc, argv);
    if (status < 0) {
        uint64_t *results = program_alloc((size_t)n_tasks, sizeof *results);
        double begin_s = MPI_Wtime();

        if (program.rank > 0)
            worker();
        else if (program.n_ranks > 1)
            master(results);
        else
            work_alone(results);
        program_time(&program, "farm", begin_s);
        if (program.spoiled)
            results[n_tasks / 2] ^= 1;
        status = program_end(&program, program.rank == 0 ? check_results(results) : NULL);
        free(results);
    }
    MPI_Finalize();
    return status;
}
