// SPDX-License-Identifier: BSD-3-Clause
/* Processes that join at run time. Launchers differ in what they can do; a refusal is a line. */
#include "every.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

/* Sum of the ranks of both sides, and farewell. */
static void meet(MPI_Comm inter, const char *what)
{
    int remote_size = -1, sum = -1, value = 5;

    TRY(MPI_Comm_remote_size, inter, &remote_size);
    TRY(MPI_Allreduce, &value, &sum, 1, MPI_INT, MPI_SUM, inter);
    say("%s: %d remote, sum %d", what, remote_size, sum);
    TRY(MPI_Comm_disconnect, &inter);
}

static void spawn(const char *program)
{
    char *arguments[] = {"--child", NULL}, **both[] = {arguments, arguments};
    char *programs[2] = {(char *)program, (char *)program};
    const int each[2] = {1, 1};
    MPI_Info infos[2] = {MPI_INFO_NULL, MPI_INFO_NULL};
    int errors[2];
    MPI_Comm parent, inter;

    TRY(MPI_Comm_get_parent, &parent);
    EQUAL(parent == MPI_COMM_NULL, true);
    if (ATTEMPT(MPI_Comm_spawn, program, arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
                errors))
        meet(inter, "MPI_Comm_spawn");
    if (ATTEMPT(MPI_Comm_spawn_multiple, 2, programs, both, each, infos, 0, MPI_COMM_WORLD, &inter,
                errors))
        meet(inter, "MPI_Comm_spawn_multiple");
}

/* What a spawned process does. */
void child(MPI_Comm parent)
{
    meet(parent, "child");
}

/* Rank 0 accepts, rank 1 connects. */
static void port(void)
{
    char name[MPI_MAX_PORT_NAME] = "", found[MPI_MAX_PORT_NAME] = "";
    MPI_Comm inter;
    int opened = 0;

    if (rank == 0) {
        opened = ATTEMPT(MPI_Open_port, MPI_INFO_NULL, name);
        if (opened && ATTEMPT(MPI_Publish_name, "everyport", MPI_INFO_NULL, name)) {
            if (ATTEMPT(MPI_Lookup_name, "everyport", MPI_INFO_NULL, found))
                EQUAL_TEXT(found, name);
            ATTEMPT(MPI_Unpublish_name, "everyport", MPI_INFO_NULL, name);
        } else {
            ATTEMPT(MPI_Lookup_name, "everyport", MPI_INFO_NULL, found);
            ATTEMPT(MPI_Unpublish_name, "everyport", MPI_INFO_NULL, name);
        }
    }
    TRY(MPI_Bcast, &opened, 1, MPI_INT, 0, MPI_COMM_WORLD);
    TRY(MPI_Bcast, name, MPI_MAX_PORT_NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (!opened) { /* not with MPICH over UCX */
        if (rank == 0)
            ATTEMPT(MPI_Publish_name, "everyport", MPI_INFO_NULL, "noport");
        ATTEMPT(MPI_Comm_accept, "noport", MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
        ATTEMPT(MPI_Comm_connect, "noport", MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
        ATTEMPT(MPI_Close_port, "noport");
        return;
    }
    if (rank == 0 && ATTEMPT(MPI_Comm_accept, name, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter))
        meet(inter, "MPI_Comm_accept");
    if (rank == 1 && ATTEMPT(MPI_Comm_connect, name, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter))
        meet(inter, "MPI_Comm_connect");
    if (rank == 0)
        TRY(MPI_Close_port, name);
}

/* Ranks 0 and 1 over a socket. */
static void join(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t length = sizeof address;
    int listener = -1, connection = -1;
    MPI_Comm inter;

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (rank == 0) {
        listener = socket(AF_INET, SOCK_STREAM, 0);
        bind(listener, (struct sockaddr *)&address, length);
        listen(listener, 1);
        getsockname(listener, (struct sockaddr *)&address, &length);
    }
    TRY(MPI_Bcast, &address, sizeof address, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        connection = accept(listener, NULL, NULL);
        close(listener);
    } else if (rank == 1) {
        connection = socket(AF_INET, SOCK_STREAM, 0);
        connect(connection, (struct sockaddr *)&address, sizeof address);
    }
    if (connection >= 0) {
        if (ATTEMPT(MPI_Comm_join, connection, &inter) && inter != MPI_COMM_NULL)
            meet(inter, "MPI_Comm_join");
        close(connection);
    }
}

CHAPTER(processes)
{
    spawn(program_path);
    port();
    join();
    TRY(MPI_Barrier, MPI_COMM_WORLD);
}
