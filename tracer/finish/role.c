// SPDX-License-Identifier: BSD-3-Clause
// Roles by name, after taking off what does not matter: the prefix, "I" of nonblocking forms,
// "_init" of persistent and "_c" of large-count ones.
#include "tracer/finish/archive.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct role {
    const char *name;
    OTF2_RegionRole role;
} roles[] = {
    // sorted by name
    {"allgather", OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"allgatherv", OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"allreduce", OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"alltoall", OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"alltoallv", OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"alltoallw", OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"barrier", OTF2_REGION_ROLE_BARRIER},
    {"bcast", OTF2_REGION_ROLE_COLL_ONE2ALL},
    {"bsend", OTF2_REGION_ROLE_POINT2POINT},
    {"cancel", OTF2_REGION_ROLE_POINT2POINT},
    {"cart_create", OTF2_REGION_ROLE_COLL_OTHER},
    {"cart_sub", OTF2_REGION_ROLE_COLL_OTHER},
    {"comm_accept", OTF2_REGION_ROLE_COLL_OTHER},
    {"comm_connect", OTF2_REGION_ROLE_COLL_OTHER},
    {"comm_create", OTF2_REGION_ROLE_COLL_OTHER},
    {"comm_create_from_group", OTF2_REGION_ROLE_COLL_OTHER},
    {"comm_create_group", OTF2_REGION_ROLE_COLL_OTHER},
    {"comm_disconnect", OTF2_REGION_ROLE_COLL_OTHER},
    {"comm_dup", OTF2_REGION_ROLE_COLL_OTHER},
    {"comm_dup_with_info", OTF2_REGION_ROLE_COLL_OTHER},
    {"comm_free", OTF2_REGION_ROLE_COLL_OTHER},
    {"comm_idup", OTF2_REGION_ROLE_COLL_OTHER},
    {"comm_idup_with_info", OTF2_REGION_ROLE_COLL_OTHER},
    {"comm_join", OTF2_REGION_ROLE_COLL_OTHER},
    {"comm_spawn", OTF2_REGION_ROLE_COLL_OTHER},
    {"comm_spawn_multiple", OTF2_REGION_ROLE_COLL_OTHER},
    {"comm_split", OTF2_REGION_ROLE_COLL_OTHER},
    {"comm_split_type", OTF2_REGION_ROLE_COLL_OTHER},
    {"dist_graph_create", OTF2_REGION_ROLE_COLL_OTHER},
    {"dist_graph_create_adjacent", OTF2_REGION_ROLE_COLL_OTHER},
    {"exscan", OTF2_REGION_ROLE_COLL_OTHER},
    {"finalize", OTF2_REGION_ROLE_COLL_OTHER},
    {"gather", OTF2_REGION_ROLE_COLL_ALL2ONE},
    {"gatherv", OTF2_REGION_ROLE_COLL_ALL2ONE},
    {"graph_create", OTF2_REGION_ROLE_COLL_OTHER},
    {"improbe", OTF2_REGION_ROLE_POINT2POINT},
    {"init", OTF2_REGION_ROLE_COLL_OTHER},
    {"init_thread", OTF2_REGION_ROLE_COLL_OTHER},
    {"intercomm_create", OTF2_REGION_ROLE_COLL_OTHER},
    {"intercomm_create_from_groups", OTF2_REGION_ROLE_COLL_OTHER},
    {"intercomm_merge", OTF2_REGION_ROLE_COLL_OTHER},
    {"iprobe", OTF2_REGION_ROLE_POINT2POINT},
    {"isendrecv", OTF2_REGION_ROLE_POINT2POINT},
    {"mprobe", OTF2_REGION_ROLE_POINT2POINT},
    {"mrecv", OTF2_REGION_ROLE_POINT2POINT},
    {"neighbor_allgather", OTF2_REGION_ROLE_COLL_OTHER},
    {"neighbor_allgatherv", OTF2_REGION_ROLE_COLL_OTHER},
    {"neighbor_alltoall", OTF2_REGION_ROLE_COLL_OTHER},
    {"neighbor_alltoallv", OTF2_REGION_ROLE_COLL_OTHER},
    {"neighbor_alltoallw", OTF2_REGION_ROLE_COLL_OTHER},
    {"parrived", OTF2_REGION_ROLE_POINT2POINT},
    {"pready", OTF2_REGION_ROLE_POINT2POINT},
    {"pready_list", OTF2_REGION_ROLE_POINT2POINT},
    {"pready_range", OTF2_REGION_ROLE_POINT2POINT},
    {"precv", OTF2_REGION_ROLE_POINT2POINT},
    {"probe", OTF2_REGION_ROLE_POINT2POINT},
    {"psend", OTF2_REGION_ROLE_POINT2POINT},
    {"recv", OTF2_REGION_ROLE_POINT2POINT},
    {"reduce", OTF2_REGION_ROLE_COLL_ALL2ONE},
    {"reduce_scatter", OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"reduce_scatter_block", OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"request_free", OTF2_REGION_ROLE_POINT2POINT},
    {"request_get_status", OTF2_REGION_ROLE_POINT2POINT},
    {"rsend", OTF2_REGION_ROLE_POINT2POINT},
    {"scan", OTF2_REGION_ROLE_COLL_OTHER},
    {"scatter", OTF2_REGION_ROLE_COLL_ONE2ALL},
    {"scatterv", OTF2_REGION_ROLE_COLL_ONE2ALL},
    {"send", OTF2_REGION_ROLE_POINT2POINT},
    {"sendrecv", OTF2_REGION_ROLE_POINT2POINT},
    {"sendrecv_replace", OTF2_REGION_ROLE_POINT2POINT},
    {"ssend", OTF2_REGION_ROLE_POINT2POINT},
    {"start", OTF2_REGION_ROLE_POINT2POINT},
    {"startall", OTF2_REGION_ROLE_POINT2POINT},
    {"test", OTF2_REGION_ROLE_POINT2POINT},
    {"testall", OTF2_REGION_ROLE_POINT2POINT},
    {"testany", OTF2_REGION_ROLE_POINT2POINT},
    {"testsome", OTF2_REGION_ROLE_POINT2POINT},
    {"wait", OTF2_REGION_ROLE_POINT2POINT},
    {"waitall", OTF2_REGION_ROLE_POINT2POINT},
    {"waitany", OTF2_REGION_ROLE_POINT2POINT},
    {"waitsome", OTF2_REGION_ROLE_POINT2POINT},
};

static int by_name(const void *key, const void *role)
{
    return strcmp(key, ((const struct role *)role)->name);
}

static const struct role *look_up(const char *name)
{
    return bsearch(name, roles, sizeof roles / sizeof roles[0], sizeof roles[0], by_name);
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
    const struct role *found = look_up(plain);
    if (!found && cut_suffix(plain, "_init"))
        found = look_up(plain);
    if (!found && plain[0] == 'i')
        found = look_up(plain + 1);
    return found ? found->role : OTF2_REGION_ROLE_FUNCTION;
}
