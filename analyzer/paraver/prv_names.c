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

/// From value 1 on, without MPI_.
static const char calls[] =
    " Send Recv Isend Irecv Wait Waitall Bcast Barrier Reduce Allreduce Alltoall Alltoallv Gather "
    "Gatherv Scatter Scatterv Allgather Allgatherv Comm_rank Comm_size Comm_create Comm_dup "
    "Comm_split Comm_group Comm_free Comm_remote_group Comm_remote_size Comm_test_inter "
    "Comm_compare Scan Init Finalize Bsend Ssend Rsend Ibsend Issend Irsend Test Cancel Sendrecv "
    "Sendrecv_replace Cart_create Cart_shift Cart_coords Cart_get Cart_map Cart_rank Cart_sub "
    "Cartdim_get Dims_create Graph_get Graph_map Graph_create Graph_neighbors Graphdims_get "
    "Graph_neighbors_count Topo_test Waitany Waitsome Probe Iprobe Win_create Win_free Put Get "
    "Accumulate Win_fence Win_start Win_complete Win_post Win_wait Win_test Win_lock Win_unlock "
    "Pack Unpack Op_create Op_free Reduce_scatter Attr_delete Attr_get Attr_put Group_difference "
    "Group_excl Group_free Group_incl Group_intersection Group_rank Group_range_excl "
    "Group_range_incl Group_size Group_translate_ranks Group_union Group_compare Intercomm_create "
    "Intercomm_merge Keyval_free Keyval_create Abort Error_class Errhandler_create "
    "Errhandler_free Errhandler_get Error_string Errhandler_set Get_processor_name Initialized "
    "Wtick Wtime Address Bsend_init Buffer_attach Buffer_detach Request_free Recv_init Send_init "
    "Get_count Get_elements Pack_size Rsend_init Ssend_init Start Startall Testall Testany "
    "Test_cancelled Testsome Type_commit Type_contiguous Type_extent Type_free Type_hindexed "
    "Type_hvector Type_indexed Type_lb Type_size Type_struct Type_ub Type_vector File_open "
    "File_close File_read File_read_all File_write File_write_all File_read_at File_read_at_all "
    "File_write_at File_write_at_all Comm_spawn Comm_spawn_multiple Request_get_status Ireduce "
    "Iallreduce Ibarrier Ibcast Ialltoall Ialltoallv Iallgather Iallgatherv Igather Igatherv "
    "Iscatter Iscatterv Ireduce_scatter Iscan Reduce_scatter_block Ireduce_scatter_block "
    "Alltoallw Ialltoallw Get_accumulate ";

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
    bool may_have_value = strncasecmp(region->name, "MPI_", 4) == 0 && !strchr(region->name, ' ');
    SCOPED char *word = memory_format(" %s ", may_have_value ? region->name + 4 : "");
    const char *at = strcasestr(calls, word);
    uint64_t value = at ? 1 : FIRST_OWN_VALUE + (uint64_t)index;
    for (const char *c = calls; at && c < at; c++)
        value += *c == ' ';
    return value;
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
    bool is_printed[FIRST_OWN_VALUE] = {false}, has_any = false;
    for (uint32_t i = 0; i < definitions->n_regions; i++) {
        const struct prv_function function = prv_function_of(definitions, i);
        if (function.type != number || i == definitions->gap_region)
            continue;
        if (!has_any) {
            fprintf(stream, "\n\nEVENT_TYPE\n9    %u    %s\nVALUES\n", number, name);
            print_value(0, outside, stream);
        }
        has_any = true;
        bool is_numbered = number != PRV_USER_FUNCTION && function.value < FIRST_OWN_VALUE;
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
