// SPDX-License-Identifier: BSD-3-Clause
// First pass over a thread's records: what they refer to, and when they begin and end.
#include "tracer/finish/events.h"
#include "tracer/finish/memory.h"

#include <stdlib.h>
#include <string.h>

static void define_name(struct process *process, uint32_t id, const char *text)
{
    if (process->n_names <= id) {
        size_t n = (size_t)id + 1;

        process->names = realloc_or_die(process->names, n * sizeof *process->names);
        process->name_regions =
            realloc_or_die(process->name_regions, n * sizeof *process->name_regions);
        process->marker_regions =
            realloc_or_die(process->marker_regions, n * sizeof *process->marker_regions);
        for (; process->n_names < n; process->n_names++) {
            process->names[process->n_names] = NULL;
            process->name_regions[process->n_names] = UNDEFINED;
            process->marker_regions[process->n_names] = UNDEFINED;
        }
    }
    free(process->names[id]);
    process->names[id] = strdup_or_die(text);
}

static void define_function(struct process *process, struct archive *archive, uint32_t id,
                            const char *name)
{
    if (id < N_FUNCTIONS_MAX && process->functions[id] == UNDEFINED)
        process->functions[id] = archive_mpi_region(archive, name);
}

static void define_comm_name(struct process *process, struct unify *unify, uint32_t id,
                             const char *name)
{
    uint32_t comm = unify_find(&process->comms, id);

    if (comm == RECORD_NO_COMM)
        return;
    free(unify->comms[comm].name);
    unify->comms[comm].name = strdup_or_die(name);
}

static void see(uint64_t time_ns, uint64_t *first_ns, uint64_t *last_ns)
{
    if (time_ns < *first_ns)
        *first_ns = time_ns;
    if (time_ns > *last_ns)
        *last_ns = time_ns;
}

// Of an MPI function; "" before its definition.
static const char *name_of_function(const struct process *process, const struct archive *archive,
                                    uint32_t id)
{
    uint32_t region = id < N_FUNCTIONS_MAX ? process->functions[id] : UNDEFINED;

    return region == UNDEFINED ? "" : archive->string_texts[archive->region_list[region].name];
}

static void init(struct process *process)
{
    for (int i = 0; i < N_FUNCTIONS_MAX; i++)
        process->functions[i] = UNDEFINED;
    define_name(process, 0, "unnamed");
}

void events_define(struct process *process, struct archive *archive, struct unify *unify,
                   const struct spool *spool, uint64_t *first_ns, uint64_t *last_ns,
                   struct thread_cost *cost)
{
    if (process->n_names == 0)
        init(process);
    for (const struct record_head *head = spool_next(spool, NULL); head != NULL;
         head = spool_next(spool, head)) {
        const void *record = head;

        cost_count(cost, head,
                   head->kind == RECORD_CALL ? name_of_function(process, archive, head->id) : NULL);
        switch ((enum record_kind)head->kind) {
        case RECORD_FUNCTION:
            define_function(process, archive, head->id, ((const struct record_name *)record)->text);
            break;
        case RECORD_NAME:
            define_name(process, head->id, ((const struct record_name *)record)->text);
            break;
        case RECORD_COMM:
            unify_add(unify, &process->comms, record);
            break;
        case RECORD_COMM_NAME:
            define_comm_name(process, unify, head->id, ((const struct record_name *)record)->text);
            break;
        case RECORD_MODULE:
            code_add_module(&process->code, record, spool->header->executable);
            break;
        case RECORD_VARIABLE:
            archive_variable(archive, ((const struct record_name *)record)->text);
            break;
        case RECORD_STACK:
            code_add_stack(&process->code, record);
            break;
        case RECORD_CALL:
            see(((const struct record_call *)record)->enter_ns, first_ns, last_ns);
            if (((const struct record_call *)record)->leave_ns != 0)
                see(((const struct record_call *)record)->leave_ns, first_ns, last_ns);
            break;
        case RECORD_ENTER:
        case RECORD_LEAVE:
        case RECORD_REGION_BEGIN:
        case RECORD_REGION_END:
        case RECORD_MARKER:
        case RECORD_CPU:
        case RECORD_OFF:
        case RECORD_ON:
        case RECORD_THREAD_END:
            archive->has_cpu_metric |= head->kind == RECORD_CPU;
            see(((const struct record_time *)record)->time_ns, first_ns, last_ns);
            break;
        default:
            break;
        }
    }
}

void process_release(struct process *process)
{
    for (uint32_t i = 0; i < process->n_names; i++)
        free(process->names[i]);
    free(process->names);
    free(process->name_regions);
    free(process->marker_regions);
    code_release(&process->code);
    unify_rank_release(&process->comms);
}
