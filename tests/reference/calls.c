// SPDX-License-Identifier: BSD-3-Clause
// Call paths, calls, profile, window and useful time: one walk over each location's records.
#include <string.h>
#include <strings.h>

#include "analyzer/base/memory.h"
#include "tests/reference/model.h"

enum { MAX_DEPTH = 256 };

static bool is_test_call(const char *name)
{
    static const char *const others[] = {"MPI_Iprobe", "MPI_Improbe", "MPI_Request_get_status"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (strcasecmp(name, others[i]) == 0)
            return true;
    }
    return strncasecmp(name, "MPI_Test", 8) == 0 || strcmp(name, "MPI_Win_test") == 0;
}

/// Accesses to windows and their synchronisation; not their creation and end.
static bool is_one_sided(const char *name)
{
    static const char *const begins[] = {
        "MPI_Put",         "MPI_Get",       "MPI_Accumulate",  "MPI_Rput",      "MPI_Rget",
        "MPI_Raccumulate", "MPI_Fetch_and", "MPI_Compare_and", "MPI_Win_lock",  "MPI_Win_unlock",
        "MPI_Win_flush",   "MPI_Win_sync",  "MPI_Win_fence",   "MPI_Win_start", "MPI_Win_complete",
        "MPI_Win_post",    "MPI_Win_wait",  "MPI_Win_test"};
    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++)
        if (strncmp(name, begins[i], strlen(begins[i])) == 0)
            return strncmp(name, "MPI_Get_", 8) != 0 || strcmp(name, "MPI_Get_accumulate") == 0;
    return false;
}

static uint32_t child_path(struct model *model, uint32_t parent, uint32_t region, uint32_t context)
{
    for (size_t p = 1; p < model->n_paths; p++) {
        if (model->paths[p].parent == parent && model->paths[p].region == region &&
            model->paths[p].context == context)
            return (uint32_t)p;
    }
    model->paths = array_reserve(model->paths, &model->path_capacity, model->n_paths + 1,
                                 sizeof *model->paths);
    const char *name = model->trace->regions[region].name;
    struct model_path path = {.parent = parent, .region = region, .context = context};
    path.name =
        parent ? memory_format("%s/%s", model->paths[parent].name, name) : memory_copy_text(name);
    model->paths[model->n_paths] = path;
    return (uint32_t)model->n_paths++;
}

/// Whether a region of this name is open at PATH.
static bool is_open(const struct model *model, uint32_t path, uint32_t region)
{
    const struct reference_region *regions = model->trace->regions;
    for (; path; path = model->paths[path].parent) {
        if (strcmp(regions[model->paths[path].region].name, regions[region].name) == 0)
            return true;
    }
    return false;
}

/// PATH and the functions of CONTEXT that were called after the last of them that is open there.
static uint32_t path_of_context(struct model *model, uint32_t path, uint32_t context)
{
    const struct reference_context *contexts = model->trace->contexts;
    uint32_t functions[MAX_DEPTH], n = 0, first = 0;
    for (; context != REFERENCE_NONE && n < MAX_DEPTH; context = contexts[context].caller)
        functions[MAX_DEPTH - ++n] = contexts[context].region;
    for (uint32_t f = 0; f < n; f++) {
        uint32_t region = functions[MAX_DEPTH - n + f];
        if (region != REFERENCE_NONE && is_open(model, path, region))
            first = f + 1;
    }
    for (uint32_t f = first; f < n; f++) {
        if (functions[MAX_DEPTH - n + f] != REFERENCE_NONE)
            path = child_path(model, path, functions[MAX_DEPTH - n + f], REFERENCE_NONE);
    }
    return path;
}

static uint32_t add_call(struct model *model, uint32_t location, size_t record, uint32_t path)
{
    model->calls = array_reserve(model->calls, &model->call_capacity, model->n_calls + 1,
                                 sizeof *model->calls);
    const struct reference_location *place = &model->trace->locations[location];
    uint64_t time_ns = place->records[record].time_ns;
    struct model_call call = {.location = location,
                              .rank = place->rank,
                              .first = record,
                              .last = record,
                              .enter_ns = time_ns,
                              .leave_ns = time_ns,
                              .path = path,
                              .is_left = place->records[record].kind != RECORD_ENTER};
    if (place->records[record].kind == RECORD_ENTER) {
        const char *name = model->trace->regions[place->records[record].region].name;
        call.is_test = is_test_call(name);
        call.is_probe = strcmp(name, "MPI_Probe") == 0 || strcmp(name, "MPI_Mprobe") == 0;
        call.is_standard_send = strcmp(name, "MPI_Send") == 0 || strcmp(name, "MPI_Isend") == 0 ||
                                strcmp(name, "MPI_Sendrecv") == 0 ||
                                strcmp(name, "MPI_Isendrecv") == 0;
        call.is_synchronous_send =
            strcmp(name, "MPI_Ssend") == 0 || strcmp(name, "MPI_Issend") == 0;
        call.is_init = strcmp(name, "MPI_Init") == 0 || strcmp(name, "MPI_Init_thread") == 0;
        call.is_finalize = strcmp(name, "MPI_Finalize") == 0;
        call.is_one_sided = is_one_sided(name);
    }
    model->calls[model->n_calls] = call;
    return (uint32_t)model->n_calls++;
}

static bool is_mpi_record(enum record_kind kind)
{
    return kind >= RECORD_SEND && kind <= RECORD_COLL_COMPLETE;
}

/// One location's records: the current path after each, the call around each, visits and times.
static void walk_location(struct model *model, uint32_t l, struct findings *findings)
{
    const struct reference_location *location = &model->trace->locations[l];
    uint32_t stack[MAX_DEPTH] = {0};
    uint64_t entered_ns[MAX_DEPTH];
    size_t depth = 0, call_depth = 0; // call_depth 0: in no call
    uint32_t call = REFERENCE_NONE;
    for (size_t i = 0; i < location->n_records; i++) {
        const struct record *record = &location->records[i];
        if (i > 0)
            findings_add(findings, "exclusive", location->rank, location->thread,
                         model->paths[stack[depth]].name, 0,
                         (int64_t)(record->time_ns - location->records[i - 1].time_ns));
        model->call_of[l][i] = call;
        if (record->kind == RECORD_ENTER && depth + 1 < MAX_DEPTH) {
            bool is_call = call_depth == 0 && model->trace->regions[record->region].is_mpi;
            uint32_t around =
                is_call ? path_of_context(model, stack[depth], record->context) : stack[depth];
            uint32_t path = child_path(model, around, record->region,
                                       is_call ? record->context : REFERENCE_NONE);
            stack[++depth] = path;
            entered_ns[depth] = record->time_ns;
            if (is_call) {
                call_depth = depth;
                model->call_of[l][i] = call = add_call(model, l, i, path);
            }
            findings_add(findings, "visits", location->rank, location->thread,
                         model->paths[path].name, record->n_polls ? record->n_polls : 1, 0);
        } else if (record->kind == RECORD_LEAVE && depth > 0) {
            findings_add(findings, "inclusive", location->rank, location->thread,
                         model->paths[stack[depth]].name, 0,
                         (int64_t)(record->time_ns - entered_ns[depth]));
            uint32_t outer = stack[depth - 1];
            for (uint32_t p = model->paths[stack[depth]].parent; p != outer;
                 p = model->paths[p].parent)
                findings_add(findings, "inclusive", location->rank, location->thread,
                             model->paths[p].name, 0,
                             (int64_t)(record->time_ns - entered_ns[depth]));
            if (depth == call_depth) {
                model->calls[call].last = i;
                model->calls[call].leave_ns = record->time_ns;
                model->calls[call].is_left = !record->is_missing;
                call = REFERENCE_NONE;
                call_depth = 0;
            }
            depth--;
        } else if (is_mpi_record(record->kind) && call == REFERENCE_NONE) {
            model->call_of[l][i] = add_call(model, l, i, stack[depth]);
        }
        model->path_after[l][i] = stack[depth];
    }
}

/// From the last leave of MPI_Init to where the last rank enters MPI_Finalize, or ends without. Of
/// the first world: ranks that it started come and go within its window.
static void find_window(struct model *model)
{
    const struct reference_trace *trace = model->trace;
    SCOPED uint64_t *end_ns = memory_zeroed(trace->n_ranks + 1, sizeof *end_ns);
    SCOPED bool *has_finalize = memory_zeroed(trace->n_ranks + 1, sizeof *has_finalize);
    for (size_t l = 0; l < trace->n_locations; l++) {
        const struct reference_location *location = &trace->locations[l];
        uint64_t last_ns =
            location->n_records > 0 ? location->records[location->n_records - 1].time_ns : 0;
        if (last_ns > end_ns[location->rank])
            end_ns[location->rank] = last_ns;
    }
    for (size_t c = 0; c < model->n_calls; c++) {
        const struct model_call *call = &model->calls[c];
        if (call->rank + model->trace->n_spawned_ranks >= model->trace->n_ranks)
            continue;
        if (call->is_init && call->leave_ns > model->window_begin_ns)
            model->window_begin_ns = call->leave_ns;
        if (call->is_finalize && !has_finalize[call->rank]) {
            has_finalize[call->rank] = true;
            end_ns[call->rank] = call->enter_ns;
        }
    }
    for (uint64_t rank = 0; rank + trace->n_spawned_ranks < trace->n_ranks; rank++)
        if (end_ns[rank] > model->window_end_ns)
            model->window_end_ns = end_ns[rank];
}

/// How long location L had ended before the window did, if its rank had entered MPI_Finalize.
static int64_t ended_ns(const struct model *model, uint32_t l)
{
    const struct reference_location *location = &model->trace->locations[l];
    uint64_t last_ns = location->records[location->n_records - 1].time_ns;
    if (last_ns < model->window_begin_ns)
        last_ns = model->window_begin_ns;
    for (size_t c = 0; c < model->n_calls; c++)
        if (model->calls[c].rank == location->rank && model->calls[c].is_finalize)
            return last_ns < model->window_end_ns ? (int64_t)(model->window_end_ns - last_ns) : 0;
    return 0;
}

/// Time between the records of location L in MPI calls, or outside of them, within the window.
static int64_t window_ns(const struct model *model, uint32_t l, bool is_in_mpi)
{
    const struct reference_location *location = &model->trace->locations[l];
    int64_t sum_ns = 0;
    for (size_t i = 0; i + 1 < location->n_records; i++) {
        bool is_mpi = false;
        for (uint32_t p = model->path_after[l][i]; p; p = model->paths[p].parent)
            is_mpi = is_mpi || model->trace->regions[model->paths[p].region].is_mpi;
        uint64_t begin_ns = location->records[i].time_ns, end_ns = location->records[i + 1].time_ns;
        if (begin_ns < model->window_begin_ns)
            begin_ns = model->window_begin_ns;
        if (end_ns > model->window_end_ns)
            end_ns = model->window_end_ns;
        if (is_mpi == is_in_mpi && end_ns > begin_ns)
            sum_ns += (int64_t)(end_ns - begin_ns);
    }
    return sum_ns;
}

void model_find_calls(struct model *model, struct findings *findings)
{
    const struct reference_trace *trace = model->trace;
    model->paths = array_reserve(NULL, &model->path_capacity, 1, sizeof *model->paths);
    model->paths[0] = (struct model_path){.region = REFERENCE_NONE, .name = memory_copy_text("")};
    model->n_paths = 1;
    model->path_after = memory_zeroed(trace->n_locations, sizeof *model->path_after);
    model->call_of = memory_zeroed(trace->n_locations, sizeof *model->call_of);
    for (size_t l = 0; l < trace->n_locations; l++) {
        size_t n_records = trace->locations[l].n_records;
        model->path_after[l] = memory_zeroed(n_records + 1, sizeof *model->path_after[l]);
        model->call_of[l] = memory_zeroed(n_records + 1, sizeof *model->call_of[l]);
        walk_location(model, (uint32_t)l, findings);
    }
    find_window(model);
    findings_add(findings, "time", FINDING_NO_RANK, 0, "", 0, (int64_t)trace->time_ns);
    findings_add(findings, "window-begin", FINDING_NO_RANK, 0, "", 0,
                 (int64_t)model->window_begin_ns);
    findings_add(findings, "window-end", FINDING_NO_RANK, 0, "", 0, (int64_t)model->window_end_ns);
    for (size_t l = 0; l < trace->n_locations; l++) {
        const struct reference_location *location = &trace->locations[l];
        if (location->n_records == 0)
            continue;
        findings_add(findings, "first", location->rank, location->thread, "", 0,
                     (int64_t)location->records[0].time_ns);
        findings_add(findings, "last", location->rank, location->thread, "", 0,
                     (int64_t)location->records[location->n_records - 1].time_ns);
        if (location->thread != 0)
            continue;
        findings_add(findings, "useful", location->rank, 0, "", 0,
                     window_ns(model, (uint32_t)l, false));
        findings_add(findings, "mpi", location->rank, 0, "", 0,
                     window_ns(model, (uint32_t)l, true));
        findings_add(findings, "ended", location->rank, 0, "", 0, ended_ns(model, (uint32_t)l));
    }
}
