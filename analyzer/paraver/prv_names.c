// SPDX-License-Identifier: BSD-3-Clause
// The numbers of MPI calls are those of Extrae (src/merger/paraver/
// MPI_EventEncoding.h); calls without one have numbers from FIRST_OWN_VALUE on.
#include "analyzer/paraver/prv_trace.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

enum { FIRST_OWN_VALUE = 1000 };

/// From value 1 on.
static const char *const calls[] = {
    "MPI_Send",
    "MPI_Recv",
    "MPI_Isend",
    "MPI_Irecv",
    "MPI_Wait",
    "MPI_Waitall",
    "MPI_Bcast",
    "MPI_Barrier",
    "MPI_Reduce",
    "MPI_Allreduce",
    "MPI_Alltoall",
    "MPI_Alltoallv",
    "MPI_Gather",
    "MPI_Gatherv",
    "MPI_Scatter",
    "MPI_Scatterv",
    "MPI_Allgather",
    "MPI_Allgatherv",
    "MPI_Comm_rank",
    "MPI_Comm_size",
    "MPI_Comm_create",
    "MPI_Comm_dup",
    "MPI_Comm_split",
    "MPI_Comm_group",
    "MPI_Comm_free",
    "MPI_Comm_remote_group",
    "MPI_Comm_remote_size",
    "MPI_Comm_test_inter",
    "MPI_Comm_compare",
    "MPI_Scan",
    "MPI_Init",
    "MPI_Finalize",
    "MPI_Bsend",
    "MPI_Ssend",
    "MPI_Rsend",
    "MPI_Ibsend",
    "MPI_Issend",
    "MPI_Irsend",
    "MPI_Test",
    "MPI_Cancel",
    "MPI_Sendrecv",
    "MPI_Sendrecv_replace",
    "MPI_Cart_create",
    "MPI_Cart_shift",
    "MPI_Cart_coords",
    "MPI_Cart_get",
    "MPI_Cart_map",
    "MPI_Cart_rank",
    "MPI_Cart_sub",
    "MPI_Cartdim_get",
    "MPI_Dims_create",
    "MPI_Graph_get",
    "MPI_Graph_map",
    "MPI_Graph_create",
    "MPI_Graph_neighbors",
    "MPI_Graphdims_get",
    "MPI_Graph_neighbors_count",
    "MPI_Topo_test",
    "MPI_Waitany",
    "MPI_Waitsome",
    "MPI_Probe",
    "MPI_Iprobe",
    "MPI_Win_create",
    "MPI_Win_free",
    "MPI_Put",
    "MPI_Get",
    "MPI_Accumulate",
    "MPI_Win_fence",
    "MPI_Win_start",
    "MPI_Win_complete",
    "MPI_Win_post",
    "MPI_Win_wait",
    "MPI_Win_test",
    "MPI_Win_lock",
    "MPI_Win_unlock",
    "MPI_Pack",
    "MPI_Unpack",
    "MPI_Op_create",
    "MPI_Op_free",
    "MPI_Reduce_scatter",
    "MPI_Attr_delete",
    "MPI_Attr_get",
    "MPI_Attr_put",
    "MPI_Group_difference",
    "MPI_Group_excl",
    "MPI_Group_free",
    "MPI_Group_incl",
    "MPI_Group_intersection",
    "MPI_Group_rank",
    "MPI_Group_range_excl",
    "MPI_Group_range_incl",
    "MPI_Group_size",
    "MPI_Group_translate_ranks",
    "MPI_Group_union",
    "MPI_Group_compare",
    "MPI_Intercomm_create",
    "MPI_Intercomm_merge",
    "MPI_Keyval_free",
    "MPI_Keyval_create",
    "MPI_Abort",
    "MPI_Error_class",
    "MPI_Errhandler_create",
    "MPI_Errhandler_free",
    "MPI_Errhandler_get",
    "MPI_Error_string",
    "MPI_Errhandler_set",
    "MPI_Get_processor_name",
    "MPI_Initialized",
    "MPI_Wtick",
    "MPI_Wtime",
    "MPI_Address",
    "MPI_Bsend_init",
    "MPI_Buffer_attach",
    "MPI_Buffer_detach",
    "MPI_Request_free",
    "MPI_Recv_init",
    "MPI_Send_init",
    "MPI_Get_count",
    "MPI_Get_elements",
    "MPI_Pack_size",
    "MPI_Rsend_init",
    "MPI_Ssend_init",
    "MPI_Start",
    "MPI_Startall",
    "MPI_Testall",
    "MPI_Testany",
    "MPI_Test_cancelled",
    "MPI_Testsome",
    "MPI_Type_commit",
    "MPI_Type_contiguous",
    "MPI_Type_extent",
    "MPI_Type_free",
    "MPI_Type_hindexed",
    "MPI_Type_hvector",
    "MPI_Type_indexed",
    "MPI_Type_lb",
    "MPI_Type_size",
    "MPI_Type_struct",
    "MPI_Type_ub",
    "MPI_Type_vector",
    "MPI_File_open",
    "MPI_File_close",
    "MPI_File_read",
    "MPI_File_read_all",
    "MPI_File_write",
    "MPI_File_write_all",
    "MPI_File_read_at",
    "MPI_File_read_at_all",
    "MPI_File_write_at",
    "MPI_File_write_at_all",
    "MPI_Comm_spawn",
    "MPI_Comm_spawn_multiple",
    "MPI_Request_get_status",
    "MPI_Ireduce",
    "MPI_Iallreduce",
    "MPI_Ibarrier",
    "MPI_Ibcast",
    "MPI_Ialltoall",
    "MPI_Ialltoallv",
    "MPI_Iallgather",
    "MPI_Iallgatherv",
    "MPI_Igather",
    "MPI_Igatherv",
    "MPI_Iscatter",
    "MPI_Iscatterv",
    "MPI_Ireduce_scatter",
    "MPI_Iscan",
    "MPI_Reduce_scatter_block",
    "MPI_Ireduce_scatter_block",
    "MPI_Alltoallw",
    "MPI_Ialltoallw",
    "MPI_Get_accumulate",
};
enum { N_CALLS = sizeof calls / sizeof calls[0] };

static const struct event_type {
    uint32_t number;
    const char *name;
} types[MPI_CLASSES] = {
    [MPI_CLASS_START_END] = {50000003, "MPI Other"},
    [MPI_CLASS_POINT_TO_POINT] = {50000001, "MPI Point-to-point"},
    [MPI_CLASS_COLLECTIVE] = {50000002, "MPI Collective Comm"},
    [MPI_CLASS_RMA] = {50000004, "MPI One-sided"},
    [MPI_CLASS_RMA_SYNCHRONISATION] = {50000004, "MPI One-sided"},
    [MPI_CLASS_FILE] = {50000005, "MPI I/O"},
    [MPI_CLASS_MANAGEMENT] = {50000003, "MPI Other"},
};

static uint32_t type_of(const struct region *region)
{
    uint32_t type = types[region->mpi_class].number;
    if (region->mpi == MPI_FUNCTION_NONE)
        return PRV_USER_FUNCTION;
    return type > 0 ? type : types[MPI_CLASS_MANAGEMENT].number;
}

static uint64_t value_of(const struct region *region, uint32_t index)
{
    if (region->mpi == MPI_FUNCTION_NONE)
        return (uint64_t)index + 1;
    for (size_t i = 0; i < N_CALLS; i++)
        if (strcasecmp(calls[i], region->name) == 0)
            return i + 1;
    return FIRST_OWN_VALUE + (uint64_t)index;
}

/// Whether NAME without MPI_ is one of WORDS, which have blanks around.
static bool is_among(const char *name, const char *words)
{
    SCOPED char *word = memory_format(" %s ", strncasecmp(name, "MPI_", 4) == 0 ? name + 4 : name);
    return strcasestr(words, word) != NULL;
}

static enum prv_state state_of_point_to_point(const struct region *region)
{
    if (region->mpi == MPI_FUNCTION_TEST || region->mpi == MPI_FUNCTION_IPROBE ||
        region->mpi == MPI_FUNCTION_PROBE)
        return PRV_STATE_TEST_PROBE;
    if (is_among(region->name, " Recv Mrecv "))
        return PRV_STATE_WAITING_MESSAGE;
    if (is_among(region->name, " Send Bsend Ssend Rsend "))
        return PRV_STATE_BLOCKING_SEND;
    if (is_among(region->name, " Wait Waitall Waitany Waitsome "))
        return PRV_STATE_WAIT;
    if (is_among(region->name, " Isend Ibsend Issend Irsend "))
        return PRV_STATE_IMMEDIATE_SEND;
    if (is_among(region->name, " Irecv Imrecv "))
        return PRV_STATE_IMMEDIATE_RECEIVE;
    if (is_among(region->name, " Sendrecv Sendrecv_replace "))
        return PRV_STATE_SEND_RECEIVE;
    return PRV_STATE_OTHERS;
}

static enum prv_state state_of(const struct region *region)
{
    switch (region->mpi_class) {
    case MPI_CLASS_COLLECTIVE:
        return is_among(region->name, " Barrier ") ? PRV_STATE_SYNCHRONIZATION
                                                   : PRV_STATE_GROUP_COMMUNICATION;
    case MPI_CLASS_FILE:
        return PRV_STATE_IO;
    case MPI_CLASS_RMA_SYNCHRONISATION:
        return PRV_STATE_SYNCHRONIZATION;
    case MPI_CLASS_POINT_TO_POINT:
        return state_of_point_to_point(region);
    case MPI_CLASS_NONE:
        return PRV_STATE_RUNNING;
    default:
        return PRV_STATE_OTHERS;
    }
}

struct prv_function prv_function_of(const struct definitions *definitions, uint32_t index)
{
    const struct region *region = &definitions->regions[index];
    return (struct prv_function){type_of(region), state_of(region), value_of(region, index)};
}

// --- the .pcf

static void print_value(uint64_t value, const char *name, FILE *stream)
{
    SCOPED char *text = utf8_clean(name);
    fprintf(stream, "%llu   %s\n", (unsigned long long)value, text);
}

/// The events of one type: what the regions of the run are, each value once.
static void print_type(const struct definitions *definitions, uint32_t number, const char *name,
                       const char *outside, FILE *stream)
{
    bool is_printed[N_CALLS + 1] = {false}, has_any = false;
    for (uint32_t i = 0; i < definitions->n_regions; i++) {
        const struct prv_function function = prv_function_of(definitions, i);
        if (function.type != number || i == definitions->gap_region)
            continue;
        if (!has_any) {
            fprintf(stream, "\n\nEVENT_TYPE\n9    %u    %s\nVALUES\n", number, name);
            print_value(0, outside, stream);
        }
        has_any = true;
        bool is_numbered = number != PRV_USER_FUNCTION && function.value <= N_CALLS;
        if (!is_numbered || !is_printed[function.value])
            print_value(function.value, definitions->regions[i].name, stream);
        if (is_numbered)
            is_printed[function.value] = true;
    }
}

static void print_counters(const struct definitions *definitions, FILE *stream)
{
    if (definitions->n_counters > 0)
        fputs("\n\nEVENT_TYPE\n", stream);
    for (size_t i = 0; i < definitions->n_counters; i++) {
        SCOPED char *name = utf8_clean(definitions->counters[i].name);
        SCOPED char *unit = utf8_clean(definitions->counters[i].unit);
        fprintf(stream, "7    %u    %s%s%s%s\n", PRV_FIRST_COUNTER + (unsigned)i, name,
                *unit ? " [" : "", unit, *unit ? "]" : "");
    }
}

void prv_print_names(const struct definitions *definitions, FILE *stream)
{
    fputs("DEFAULT_OPTIONS\n\nLEVEL               THREAD\nUNITS               NANOSEC\n"
          "LOOK_BACK           100\nSPEED               1\nFLAG_ICONS          ENABLED\n"
          "NUM_OF_STATE_COLORS 1000\nYMAX_SCALE          37\n\n\nDEFAULT_SEMANTIC\n\n"
          "THREAD_FUNC          State As Is\n\n\nSTATES\n",
          stream);
#define PRINT_STATE(name, number, text) print_value(number, text, stream);
    PRV_STATES(PRINT_STATE)
#undef PRINT_STATE
    for (unsigned class = MPI_CLASS_START_END; class < MPI_CLASSES; class ++)
        if (class != MPI_CLASS_RMA_SYNCHRONISATION && class != MPI_CLASS_MANAGEMENT)
            print_type(definitions, types[class].number, types[class].name, "Outside MPI", stream);
    fprintf(stream,
            "\n\nEVENT_TYPE\n1    %d    Send Size in MPI Global OP\n1    %d    Recv Size in MPI "
            "Global OP\n"
            "1    %d    Root in MPI Global OP\n1    %d    Communicator in MPI Global OP\n",
            PRV_SEND_SIZE, PRV_RECEIVE_SIZE, PRV_ROOT, PRV_COMMUNICATOR);
    print_type(definitions, PRV_USER_FUNCTION, "User function", "End", stream);
    print_counters(definitions, stream);
}
