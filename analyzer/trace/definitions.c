// SPDX-License-Identifier: BSD-3-Clause
// Questions about definitions: the members of a communicator, which MPI function a name is, and
// which regions a name means.
#include "analyzer/trace/definitions.h"

#include <ctype.h>
#include <fnmatch.h>
#include <string.h>

#include "analyzer/base/map.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

// Place of WORLD_RANK in one group, EVENT_NO_INDEX when it is not a member.
static uint32_t place_in_group(const uint32_t *members, uint32_t n_members,
                               const struct map *places, uint32_t world_rank)
{
    uint32_t place = EVENT_NO_INDEX;
    if (places)
        map_get(places, world_rank, &place);
    else if (n_members && world_rank >= members[0] && world_rank - members[0] < n_members)
        place = world_rank - members[0];
    return place;
}

uint32_t communicator_rank_of(const struct communicator *comm, uint32_t world_rank)
{
    if (comm->n_members == 0)
        return 0;
    uint32_t rank =
        place_in_group(comm->members, comm->n_members, comm->rank_by_member, world_rank);
    if (rank == EVENT_NO_INDEX && comm->is_intercommunicator)
        rank = place_in_group(comm->remote_members, comm->n_remote_members,
                              comm->rank_by_remote_member, world_rank);
    return rank;
}

bool communicator_in_first_group(const struct communicator *comm, uint32_t world_rank)
{
    return comm->n_members == 0 ||
           place_in_group(comm->members, comm->n_members, comm->rank_by_member, world_rank) !=
               EVENT_NO_INDEX;
}

// --- MPI functions: the name is reduced to its bare lower case form ("recv") and looked up

enum { BARE_NAME_BYTES = 64 }; // longer than any name in the list

static const struct {
    enum mpi_function function;
    const char *bare_names;
} special_functions[] = {
    {MPI_FUNCTION_INIT, "init init_thread session_init"},
    {MPI_FUNCTION_FINALIZE, "finalize"},
    {MPI_FUNCTION_SESSION_FINALIZE, "session_finalize"},
    {MPI_FUNCTION_IPROBE, "iprobe improbe"},
    {MPI_FUNCTION_TEST, "parrived win_test"},
    {MPI_FUNCTION_WIN_POST, "win_post"},
    {MPI_FUNCTION_WIN_START, "win_start"},
    {MPI_FUNCTION_WIN_COMPLETE, "win_complete"},
    {MPI_FUNCTION_WIN_WAIT, "win_wait"},
    {MPI_FUNCTION_PROBE, "probe mprobe"},
    {MPI_FUNCTION_STANDARD_SEND,
     "send isend sendrecv isendrecv sendrecv_replace isendrecv_replace"},
    {MPI_FUNCTION_START, "start startall"},
    {MPI_FUNCTION_SYNCHRONOUS_SEND, "ssend ssend_init issend"},
};

static bool has_prefix(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/// Whether NAME is one of WORDS, or with AS_PREFIX begins with one.
static bool is_among(const char *name, const char *words, bool as_prefix)
{
    for (; *words; words += *words == ' ') {
        const char *at = name;
        for (; *words == *at && *words && *words != ' '; words++)
            at++;
        if ((*words == ' ' || *words == '\0') && (as_prefix || *at == '\0'))
            return true;
        words = strchrnul(words, ' ');
    }
    return false;
}

static bool cut_suffix(char *text, const char *suffix)
{
    if (!text_ends_in(text, suffix))
        return false;
    text[strlen(text) - strlen(suffix)] = '\0';
    return true;
}

// "PMPI_Recv_f08ts_" becomes "recv"; false when the name does not start with MPI_.
static bool reduce_name(const char *name, char bare_name[BARE_NAME_BYTES])
{
    char lower[BARE_NAME_BYTES + 8];
    size_t length = 0;
    for (; length < sizeof lower - 1 && name[length]; length++)
        lower[length] = (char)tolower((unsigned char)name[length]);
    lower[length] = '\0';
    const char *rest = has_prefix(lower, "pmpi_") ? lower + 1 : lower;
    if (!has_prefix(rest, "mpi_") || strlen(rest + 4) >= BARE_NAME_BYTES)
        return false;
    memcpy(bare_name, rest + 4, strlen(rest + 4) + 1);
    while (cut_suffix(bare_name, "_") || cut_suffix(bare_name, "_f08ts") ||
           cut_suffix(bare_name, "_f08") || cut_suffix(bare_name, "_c"))
        continue;
    return true;
}

static bool is_c_spelling(const char *name)
{
    if (*name == 'P')
        name++;
    return has_prefix(name, "MPI_") && isupper((unsigned char)name[4]) &&
           (islower((unsigned char)name[5]) || name[5] == '\0' || isdigit((unsigned char)name[5]));
}

enum mpi_function mpi_function_of_name(const char *name, bool is_mpi_paradigm)
{
    if (!is_mpi_paradigm && !is_c_spelling(name))
        return MPI_FUNCTION_NONE;
    char bare_name[BARE_NAME_BYTES];
    if (!reduce_name(name, bare_name))
        return MPI_FUNCTION_OTHER;
    for (size_t i = 0; i < sizeof special_functions / sizeof *special_functions; i++)
        if (is_among(bare_name, special_functions[i].bare_names, false))
            return special_functions[i].function;
    // MPI_Testall, MPI_Request_get_status_any, ...
    if (is_among(bare_name, "test request_get_status", true))
        return MPI_FUNCTION_TEST;
    return has_prefix(bare_name, "file_") ? MPI_FUNCTION_FILE : MPI_FUNCTION_OTHER;
}

// By the begin of the bare name; the first that fits decides. A nonblocking collective has an i
// more.
static const struct {
    enum mpi_class class_;
    const char *prefixes;
} class_prefixes[] = {
    {MPI_CLASS_FILE, "file_"},
    {MPI_CLASS_RMA_SYNCHRONISATION,
     "win_lock win_unlock win_flush win_fence win_start win_complete win_post win_wait win_test "
     "win_sync"},
    {MPI_CLASS_RMA,
     "accumulate raccumulate get_accumulate rget rput fetch_and_op compare_and_swap"},
    {MPI_CLASS_MANAGEMENT, "reduce_local"},
    {MPI_CLASS_COLLECTIVE,
     "barrier bcast gather scatter allgather alltoall allreduce reduce scan exscan neighbor_"},
    {MPI_CLASS_POINT_TO_POINT,
     "send bsend ssend rsend recv mrecv probe mprobe psend precv pready parrived start wait test "
     "cancel request_get_status"},
};

static enum mpi_class class_of_bare_name(const char *bare_name)
{
    if (is_among(bare_name, "init init_thread finalize session_init session_finalize", false))
        return MPI_CLASS_START_END;
    if (is_among(bare_name, "put get", false))
        return MPI_CLASS_RMA;
    if (strcmp(bare_name, "test_cancelled") == 0)
        return MPI_CLASS_MANAGEMENT;
    for (size_t i = 0; i < sizeof class_prefixes / sizeof *class_prefixes; i++)
        if (is_among(bare_name, class_prefixes[i].prefixes, true))
            return class_prefixes[i].class_;
    return MPI_CLASS_MANAGEMENT;
}

enum mpi_class mpi_class_of_name(const char *name)
{
    char bare_name[BARE_NAME_BYTES];
    if (!reduce_name(name, bare_name))
        return MPI_CLASS_MANAGEMENT;
    enum mpi_class class_ = class_of_bare_name(bare_name);
    if (class_ != MPI_CLASS_MANAGEMENT || bare_name[0] != 'i')
        return class_;
    class_ = class_of_bare_name(bare_name + 1);
    return class_ == MPI_CLASS_COLLECTIVE || class_ == MPI_CLASS_POINT_TO_POINT
               ? class_
               : MPI_CLASS_MANAGEMENT;
}

// --- names of regions

const char *definitions_property(const struct definitions *definitions, const char *name)
{
    size_t i = FIND_BY(definitions->properties, definitions->n_properties, name, name);
    return i < definitions->n_properties ? definitions->properties[i].value : NULL;
}

const char *definitions_executable(const struct definitions *definitions)
{
    const char *executable = definitions_property(definitions, "PAGODA::EXECUTABLE");
    return executable ? executable : definitions_property(definitions, "Score-P::EXECUTABLE");
}

char **region_names_shown(const struct definitions *definitions)
{
    SCOPED const char **names = NAMED_NAMES(definitions->regions, definitions->n_regions);
    return function_names_shown(names, definitions->n_regions);
}

enum function_names_found region_names_find(const struct definitions *definitions, const char *text,
                                            bool *is_meant)
{
    SCOPED const char **names = NAMED_NAMES(definitions->regions, definitions->n_regions);
    return function_names_find(names, definitions->n_regions, text, is_meant);
}

static bool find_glob(const struct definitions *definitions, const char *text, bool *is_meant)
{
    bool is_found = false;
    for (size_t i = 0; i < definitions->n_regions; i++) {
        is_meant[i] = fnmatch(text, definitions->regions[i].name, 0) == 0;
        is_found = is_found || is_meant[i];
    }
    return is_found;
}

int region_names_take(const struct definitions *definitions, const char *text, bool *is_meant,
                      struct error *err)
{
    if (region_names_find(definitions, text, is_meant) == FUNCTION_NAMES_ONE ||
        find_glob(definitions, text, is_meant) ||
        region_names_find(definitions, text, is_meant) != FUNCTION_NAMES_SEVERAL)
        return 0;
    char **shown = region_names_shown(definitions);
    SCOPED char *list =
        function_names_list((const char *const *)shown, definitions->n_regions, is_meant);
    error_set(err, "%s is ambiguous: %s", text, list);
    memory_free_each(shown, definitions->n_regions);
    return -1;
}
