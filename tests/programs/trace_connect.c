// SPDX-License-Identifier: BSD-3-Clause
/*
 * Processes that meet through a port: with no argument ranks 0 and 1 of one MPI_COMM_WORLD, else
 * rank 0 of two launches, "accept FILE" and "connect FILE" (the file takes the port's name). They
 * exchange a message each way and a barrier, then part. Two launches meet twice, and use what can
 * be made of a connection; there the connecting side sends 30 ms late. Then they meet through a
 * socket. Prints "connect ok". For the tests of the tracer.
 */
#include <arpa/inet.h>
#include <mpi.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int errors;

/* A duplicate, and one communicator of both sides. */
static void talk_more(MPI_Comm inter, int value)
{
    MPI_Comm twin, all;
    int sum = 0, in = -1;

    MPI_Comm_dup(inter, &twin);
    MPI_Intercomm_merge(twin, value, &all);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, all);
    if (value == 1) {
        usleep(30000);
        MPI_Send(&value, 1, MPI_INT, 0, 2, twin);
        MPI_Send(&value, 1, MPI_INT, 0, 3, all);
    } else {
        MPI_Recv(&in, 1, MPI_INT, 0, 2, twin, MPI_STATUS_IGNORE);
        MPI_Recv(&in, 1, MPI_INT, 1, 3, all, MPI_STATUS_IGNORE);
    }
    errors += sum != 1 || (value == 0 && in != 1);
    MPI_Comm_free(&all);
    MPI_Comm_free(&twin);
}

static void talk(MPI_Comm inter, int value, int is_long)
{
    int in = -1, n_others = 0;

    MPI_Comm_remote_size(inter, &n_others);
    MPI_Sendrecv(&value, 1, MPI_INT, 0, 1, &in, 1, MPI_INT, 0, 1, inter, MPI_STATUS_IGNORE);
    if (n_others != 1 || in != 1 - value) {
        fprintf(stderr, "trace_connect: %d others, message %d, not %d\n", n_others, in, 1 - value);
        errors++;
    }
    MPI_Barrier(inter);
    if (is_long)
        talk_more(inter, value);
    MPI_Comm_disconnect(&inter);
}

static void accept_on(const char *port, int is_long)
{
    MPI_Comm inter;

    MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
    talk(inter, 0, is_long);
}

static void connect_to(const char *port, int is_long)
{
    MPI_Comm inter;

    MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
    talk(inter, 1, is_long);
}

static void in_one_world(int rank)
{
    char port[MPI_MAX_PORT_NAME] = "";

    if (rank == 0) {
        MPI_Open_port(MPI_INFO_NULL, port);
        MPI_Send(port, MPI_MAX_PORT_NAME, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
        accept_on(port, 0);
        MPI_Close_port(port);
    } else if (rank == 1) {
        MPI_Recv(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        connect_to(port, 0);
    }
}

static void join_by(int end, int value)
{
    MPI_Comm inter;

    MPI_Comm_join(end, &inter);
    talk(inter, value, 0);
    close(end);
}

/* By a file that appears as a whole. */
static void tell(const char *path, const char *text)
{
    char draft[4096];
    FILE *file;

    snprintf(draft, sizeof draft, "%s.new", path);
    file = fopen(draft, "w");
    if (file == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    fputs(text, file);
    fclose(file);
    rename(draft, path);
}

static void be_told(const char *path, char *text, int n_bytes)
{
    FILE *file;

    while ((file = fopen(path, "r")) == NULL)
        usleep(10000);
    if (fgets(text, n_bytes, file) == NULL)
        errors++;
    fclose(file);
}

static void by_socket(int value, const char *path)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n_bytes = sizeof address;
    int end = socket(AF_INET, SOCK_STREAM, 0);
    char other_path[4000], number[8];

    snprintf(other_path, sizeof other_path, "%s.socket", path);
    if (value == 0) {
        bind(end, (void *)&address, n_bytes);
        listen(end, 1);
        getsockname(end, (void *)&address, &n_bytes);
        snprintf(number, sizeof number, "%d", ntohs(address.sin_port));
        tell(other_path, number);
        join_by(accept(end, NULL, NULL), 0);
        close(end);
    } else {
        be_told(other_path, number, sizeof number);
        address.sin_port = htons((uint16_t)atoi(number));
        errors += connect(end, (void *)&address, n_bytes) != 0;
        join_by(end, 1);
    }
}

/* The port's name goes through a file. */
static void in_two_worlds(const char *side, const char *path)
{
    char port[MPI_MAX_PORT_NAME] = "";

    if (strcmp(side, "accept") == 0) {
        MPI_Open_port(MPI_INFO_NULL, port);
        tell(path, port);
        accept_on(port, 1);
        accept_on(port, 0);
        MPI_Close_port(port);
        by_socket(0, path);
    } else {
        be_told(path, port, sizeof port);
        connect_to(port, 1);
        connect_to(port, 0);
        by_socket(1, path);
    }
}

int main(int argc, char **argv)
{
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc < 3)
        in_one_world(rank);
    else if (rank == 0)
        in_two_worlds(argv[1], argv[2]);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && (argc < 3 || strcmp(argv[1], "accept") == 0))
        printf("connect %s\n", errors == 0 ? "ok" : "wrong");
    MPI_Finalize();
    return errors > 0;
}
