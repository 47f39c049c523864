// SPDX-License-Identifier: BSD-3-Clause
// Roles by name, after taking off what does not matter: the prefix, "I" of nonblocking forms,
// "_init" of persistent and "_c" of large-count ones.
#include "tracer/finish/archive.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/// Names between spaces.
static const struct {
    OTF2_RegionRole role;
    const char *names;
} roles[] = {
    {OTF2_REGION_ROLE_BARRIER, " barrier "},
    {OTF2_REGION_ROLE_COLL_ONE2ALL, " bcast scatter scatterv "},
    {OTF2_REGION_ROLE_COLL_ALL2ONE, " gather gatherv reduce "},
    {OTF2_REGION_ROLE_COLL_ALL2ALL,
     " allgather allgatherv allreduce alltoall alltoallv alltoallw reduce_scatter "
     "reduce_scatter_block "},
    {OTF2_REGION_ROLE_COLL_OTHER,
     " cart_create cart_sub comm_accept comm_connect comm_create comm_create_from_group "
     "comm_create_group comm_disconnect comm_dup comm_dup_with_info comm_free comm_idup "
     "comm_idup_with_info comm_join comm_spawn comm_spawn_multiple comm_split "
     "comm_split_type dist_graph_create dist_graph_create_adjacent exscan finalize "
     "graph_create init init_thread intercomm_create intercomm_create_from_groups "
     "intercomm_merge neighbor_allgather neighbor_allgatherv neighbor_alltoall "
     "neighbor_alltoallv neighbor_alltoallw scan "},
    {OTF2_REGION_ROLE_POINT2POINT,
     " bsend cancel improbe iprobe isendrecv mprobe mrecv parrived pready pready_list "
     "pready_range precv probe psend recv request_free request_get_status rsend send "
     "sendrecv sendrecv_replace ssend start startall test testall testany testsome wait "
     "waitall waitany waitsome "},
};

/// The role of a function of this name; OTF2_REGION_ROLE_FUNCTION for none of these.
static OTF2_RegionRole look_up(const char *name)
{
    char word[136];
    snprintf(word, sizeof word, " %s ", name);
    for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++)
        if (strstr(roles[i].names, word))
            return roles[i].role;
    return OTF2_REGION_ROLE_FUNCTION;
}

static bool cut_suffix(char *name, const char *suffix)
{
    size_t length = strlen(name);
    size_t cut = strlen(suffix);
    if (length <= cut || strcmp(name + length - cut, suffix) != 0)
        return false;
    name[length - cut] = '\0';
    return true;
}

OTF2_RegionRole role_of_mpi_function(const char *name)
{
    if (strncmp(name, "MPI_", 4) == 0)
        name += 4;
    else if (strncmp(name, "MPIX_", 5) == 0)
        name += 5;
    char plain[128];
    snprintf(plain, sizeof plain, "%s", name);
    if (strncmp(plain, "File_", 5) == 0)
        return OTF2_REGION_ROLE_FILE_IO;
    if (strncmp(plain, "Win_", 4) == 0 || strstr(plain, "ccumulate") ||
        strstr("Put Get Rput Rget Fetch_and_op Compare_and_swap", plain))
        return OTF2_REGION_ROLE_RMA;
    plain[0] = (char)(plain[0] | 0x20); // ASCII lower case
    cut_suffix(plain, "_c");
    OTF2_RegionRole role = look_up(plain);
    if (role == OTF2_REGION_ROLE_FUNCTION && cut_suffix(plain, "_init"))
        role = look_up(plain);
    if (role == OTF2_REGION_ROLE_FUNCTION && plain[0] == 'i')
        role = look_up(plain + 1);
    return role;
}
