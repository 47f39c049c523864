// SPDX-License-Identifier: BSD-3-Clause
// First pass over a thread's records, see process.h.
#include "tracer/finish/process.h"

#include <stdlib.h>
#include <string.h>

#include "tracer/finish/memory.h"

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

static void define_function(struct process *process, uint32_t id, const char *name)
{
    if (id < N_FUNCTIONS_MAX && process->functions[id] == UNDEFINED)
        process->functions[id] = archive_mpi_region(process->archive, name);
}

static void define_comm_name(struct process *process, uint32_t id, const char *name)
{
    struct unify *unify = process->unify;
    uint32_t comm = unify_find(&process->comms, id);
    if (comm == RECORD_NO_COMM)
        return;
    free(unify->comms[comm].name);
    unify->comms[comm].name = strdup_or_die(name);
}

/// What "SIDE PORT" made communicator `id`: a property of the archive, by which pagoda align finds
/// the other side's archive.
static void define_connection(const struct process *process, const struct record_name *record,
                              const struct record_call *call, uint64_t offset_ns)
{
    struct archive *archive = process->archive;
    uint32_t comm = unify_find(&process->comms, record->head.id);
    const char *port = strchr(record->text, ' ');
    if (comm == RECORD_NO_COMM || !call || !port)
        return;
    char *name = format_or_die("PAGODA::CONNECTION_%u", ++archive->n_connections);
    char *value = format_or_die("%.*s %u %llu %llu%s", (int)(port - record->text), record->text,
                                process->unify->comms[comm].number,
                                (unsigned long long)(call->enter_ns + offset_ns),
                                (unsigned long long)(call->leave_ns + offset_ns), port);
    archive_property(archive, name, value);
    free(name);
    free(value);
}

static void define_file(struct process *process, const struct record_file *record)
{
    uint32_t number = record->head.id, comm = unify_find(&process->comms, record->comm);
    if (process->n_files <= number) {
        size_t n = process->n_files * 2 > number ? process->n_files * 2 : (size_t)number + 1;
        process->files = realloc_or_die(process->files, n * sizeof *process->files);
        while (process->n_files < n)
            process->files[process->n_files++] = UNDEFINED;
    }
    process->files[number] = archive_file(
        process->archive, record->name,
        comm == RECORD_NO_COMM ? OTF2_UNDEFINED_COMM : process->unify->comms[comm].number,
        (enum file_paradigm)(record->paradigm % N_FILE_PARADIGMS));
}

static void see(uint64_t time_ns, uint64_t *first_ns, uint64_t *last_ns)
{
    if (time_ns < *first_ns)
        *first_ns = time_ns;
    if (time_ns > *last_ns)
        *last_ns = time_ns;
}

/// Of an MPI function; "" before its definition.
static const char *name_of_function(const struct process *process, uint32_t id)
{
    const struct archive *archive = process->archive;
    uint32_t region = id < N_FUNCTIONS_MAX ? process->functions[id] : UNDEFINED;
    if (region == UNDEFINED)
        return "";
    const struct archive_region *defined = table_key(&archive->regions, region);
    return table_key(&archive->strings, defined->name);
}

static void init(struct process *process)
{
    for (int i = 0; i < N_FUNCTIONS_MAX; i++)
        process->functions[i] = UNDEFINED;
    define_name(process, 0, "unnamed");
}

void process_define(struct process *process, const struct spool *spool, uint64_t offset_ns,
                    uint64_t *first_ns, uint64_t *last_ns, struct thread_cost *cost)
{
    const struct record_call *last_call = NULL;
    if (process->n_names == 0)
        init(process);
    for (const struct record_head *head = spool_next(spool, NULL); head;
         head = spool_next(spool, head)) {
        const void *record = head;
        const struct record_call *call = record;
        const struct record_name *name = record;
        uint64_t time_ns = ((const struct record_time *)record)->time_ns;
        switch ((enum record_kind)head->kind) {
        case RECORD_FUNCTION:
            define_function(process, head->id, name->text);
            break;
        case RECORD_NAME:
            define_name(process, head->id, name->text);
            break;
        case RECORD_COMM:
            unify_add(process->unify, &process->comms, record);
            break;
        case RECORD_COMM_NAME:
            define_comm_name(process, head->id, name->text);
            break;
        case RECORD_CONNECTION:
            define_connection(process, name, last_call, offset_ns);
            break;
        case RECORD_FILE:
            define_file(process, record);
            break;
        case RECORD_MODULE:
            code_add_module(&process->code, record, spool->header->executable);
            break;
        case RECORD_VARIABLE:
            archive_variable(process->archive, name->text);
            break;
        case RECORD_LINE:
            code_add_line(&process->code, record);
            break;
        case RECORD_STACK:
            code_add_stack(&process->code, record);
            break;
        case RECORD_CALL:
            last_call = call;
            cost_call(cost, call, name_of_function(process, head->id));
            see(call->enter_ns, first_ns, last_ns);
            if (call->leave_ns != 0)
                see(call->leave_ns, first_ns, last_ns);
            break;
        case RECORD_CPU:
            cost_cpu(cost, record);
            process->archive->has_cpu_metric = true;
            see(time_ns, first_ns, last_ns);
            break;
        case RECORD_COUNTERS: // a part of the next record, or of the one before
            break;
        case RECORD_FILE_OPENED:
        case RECORD_FILE_SEEK:
        case RECORD_THREAD_DONE:
            cost_stamp(cost, call->leave_ns, 2);
            see(call->enter_ns, first_ns, last_ns);
            see(call->leave_ns, first_ns, last_ns);
            break;
        case RECORD_OFF:
        case RECORD_ON:
        case RECORD_THREAD_END:
            see(time_ns, first_ns, last_ns);
            break;
        case RECORD_SKIPPED:
            process->has_skipped = true;
            break;
        default:
            if (head->kind > RECORD_CALL && head->kind < RECORD_SEND) { // an event, not a detail
                cost_stamp(cost, time_ns, 1);
                see(time_ns, first_ns, last_ns);
            }
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
    free(process->files);
    table_release(&process->objects);
    free(process->epochs);
    free(process->accesses.items);
    code_release(&process->code);
    unify_rank_release(&process->comms);
}
