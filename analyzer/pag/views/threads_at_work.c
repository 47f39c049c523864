// SPDX-License-Identifier: BSD-3-Clause
// See threads_at_work.h. Of each process the time is kept by the number of its threads at work.
#include "analyzer/pag/views/threads_at_work.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"

enum { RARE = 20 }; // one part in so many

struct worker {
    uint32_t n_begun;    // parts of teams, and lives, that it is in
    bool is_provisional; // it lives since its first event, which may be the begin of its first part
    bool is_at_work;
    uint64_t constructs; // a bit for each that it is in, the innermost lowest: whether it waits
};

struct process {
    uint32_t n_at_work;
    uint64_t since_ns;
    uint64_t *ns; // by number at work
    size_t n, capacity;
};

struct threads_at_work {
    struct worker *workers;    // by location
    struct process *processes; // by rank
    size_t n_processes;
};

struct threads_at_work *threads_at_work_new(const struct engine *engine)
{
    struct threads_at_work *self = memory_zeroed(1, sizeof *self);
    self->workers = memory_zeroed(engine->n_locations, sizeof *self->workers);
    self->processes = memory_zeroed(engine->n_ranks, sizeof *self->processes);
    self->n_processes = engine->n_ranks;
    return self;
}

void threads_at_work_free(struct threads_at_work *self)
{
    if (!self)
        return;
    FREE_MEMBERS(self->processes, self->n_processes, ns);
    FREE_ALL(self->processes, self->workers, self);
}

/// LOCATION works, or not, from TIME_NS on.
static void note(struct threads_at_work *self, const struct location_state *location,
                 uint64_t time_ns)
{
    struct worker *worker = &self->workers[location->index];
    struct process *process = &self->processes[location->rank];
    bool is_at_work = worker->n_begun > 0 && (worker->constructs & 1) == 0;
    if (is_at_work == worker->is_at_work)
        return;
    while (process->n <= process->n_at_work)
        *ARRAY_NEXT(process->ns, process->n, process->capacity) = 0;
    if (time_ns > process->since_ns) {
        process->ns[process->n_at_work] += time_ns - process->since_ns;
        process->since_ns = time_ns;
    }
    worker->is_at_work = is_at_work;
    process->n_at_work = is_at_work ? process->n_at_work + 1 : process->n_at_work - 1;
}

void threads_at_work_begin(struct threads_at_work *self, const struct location_state *location,
                           uint64_t time_ns)
{
    self->workers[location->index].n_begun = 1;
    self->workers[location->index].is_provisional = !location->is_master;
    note(self, location, time_ns);
}

void threads_at_work_end(struct threads_at_work *self, const struct location_state *location,
                         uint64_t time_ns)
{
    self->workers[location->index].n_begun = 0;
    note(self, location, time_ns);
}

void threads_at_work_team(struct threads_at_work *self, const struct location_state *location,
                          const struct event *event)
{
    struct worker *worker = &self->workers[location->index];
    if (event->kind == EVENT_THREAD_TEAM_BEGIN && !worker->is_provisional)
        worker->n_begun++;
    else if (event->kind == EVENT_THREAD_TEAM_END && worker->n_begun > 0)
        worker->n_begun--;
    worker->is_provisional = false;
    note(self, location, event->time_ns);
}

void threads_at_work_construct(const struct engine *engine, struct threads_at_work *self,
                               const struct location_state *location, const struct event *event)
{
    struct worker *worker = &self->workers[location->index];
    const struct region *region = &engine->definitions->regions[event->index];
    enum pag_thread_kind kind = pag_thread_kind_of((enum construct)region->construct);
    bool waits = kind != PAG_THREAD_COMPUTING && kind != PAG_THREAD_RUNTIME;
    worker->constructs = event->kind == EVENT_CONSTRUCT_ENTER ? worker->constructs << 1 | waits
                                                              : worker->constructs >> 1;
    note(self, location, event->time_ns);
}

static uint32_t usual_number(const struct process *process)
{
    uint64_t several_ns = 0, more_ns = 0;
    for (size_t n = 2; n < process->n; n++)
        several_ns += process->ns[n];
    size_t n = process->n;
    while (n > 2 && more_ns + process->ns[n - 1] <= several_ns / RARE)
        more_ns += process->ns[--n];
    return n > 2 ? (uint32_t)n - 1 : 1;
}

void threads_at_work_fill(const struct threads_at_work *self, struct pag_result *result)
{
    for (size_t rank = 0; rank < self->n_processes; rank++)
        result->rank_threads[rank].n_at_work = usual_number(&self->processes[rank]);
}
