// SPDX-License-Identifier: BSD-3-Clause
/*
 * What the chapters of `every` share: calls whose error is a failure, calls whose error is wanted,
 * values with the one they must have, and lines that rank 0 prints for all ranks in order.
 *
 * A source that names COUNTED is compiled a second time with LARGE_COUNTS where MPI has functions
 * with large counts; TRY_COUNTED(MPI_Send, ...) then calls MPI_Send_c with MPI_Count for count_t.
 */
#pragma once

/* Deprecated functions are called too. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
/* MPICH's header calls MPI_STATUSES_IGNORE an array that is too short. */
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#pragma GCC diagnostic ignored "-Wstringop-overread"

#include "have.h" // HAVE_<function> for each function of this MPI's mpi.h

#include <mpi.h>
#if defined OPEN_MPI && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef LARGE_COUNTS
typedef MPI_Count count_t;
typedef MPI_Aint displacement_t; /* of collectives */
#define COUNTED(name)      name##_c
#define COUNTED_TEXT(name) #name "_c"
#define CHAPTER(name)      REGISTERED(name##_large)
#else
typedef int count_t;
typedef int displacement_t;
#define COUNTED(name)      name
#define COUNTED_TEXT(name) #name
#define CHAPTER(name)      REGISTERED(name)
#endif

/* CHAPTER(name) { ... }: a chapter that main() finds by its name. */
void add_chapter(const char *name, void (*run)(void));
#define REGISTERED(name)                                                                           \
    static void chapter_##name(void);                                                              \
    __attribute__((constructor)) static void register_##name(void)                                 \
    {                                                                                              \
        add_chapter(#name, chapter_##name);                                                        \
    }                                                                                              \
    static void chapter_##name(void)

extern int rank, n_ranks, left, right; /* in MPI_COMM_WORLD; its neighbours in a ring */

extern const char *program_path;

/* A line of this rank; rank 0 prints the lines of all ranks at the end of the chapter. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Something is not as it must be: a line, and exit status 1 at the end. */
void failure(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* `result` must be MPI_SUCCESS. Returns whether it is. */
bool tried(const char *function, int result);

/* `result` must be of this error class; the error's text becomes a line. */
void refused(const char *function, int result, int error_class);

/* Success or not depends on the MPI and its launcher: a failure becomes a line. */
bool attempted(const char *function, int result);

/* What MPI says of an error, with addresses and handles as 0x. Overwritten by the next call. */
const char *text_of(int error);

void equal(const char *what, long long value, long long wanted);

/* Completes a request, by MPI_Test, MPI_Wait and MPI_Waitall in turn. */
void complete_in_turn(MPI_Request *request);

/* One collective operation in its three forms: blocking, nonblocking, persistent. */
enum form { BLOCKING, NONBLOCKING, PERSISTENT };
#if defined HAVE_MPI_Bcast_init
enum { N_FORMS = 3 };
#define TRY_INIT(Name, ...) TRY_COUNTED(MPI_##Name##_init, __VA_ARGS__)
#elif defined HAVE_MPIX_Bcast_init
enum { N_FORMS = 3 };
#define TRY_INIT(Name, ...) TRY(MPIX_##Name##_init, __VA_ARGS__)
#else
enum { N_FORMS = 2 };
#define TRY_INIT(Name, ...) request = MPI_REQUEST_NULL
#endif
/* How often a persistent one is started: MPICH 4.0 fails when some of them start again. */
#ifndef N_STARTS
#define N_STARTS 1
#endif
/* IN_FORM(form, Bcast, bcast, arguments): MPI_Bcast, MPI_Ibcast or MPI_Bcast_init. */
#define IN_FORM(form, Name, name, ...)                                                             \
    do {                                                                                           \
        MPI_Request request;                                                                       \
        if ((form) == BLOCKING)                                                                    \
            TRY_COUNTED(MPI_##Name, __VA_ARGS__);                                                  \
        if ((form) == NONBLOCKING) {                                                               \
            TRY_COUNTED(MPI_I##name, __VA_ARGS__, &request);                                       \
            complete_in_turn(&request);                                                            \
        }                                                                                          \
        if ((form) == PERSISTENT) {                                                                \
            TRY_INIT(Name, __VA_ARGS__, MPI_INFO_NULL, &request);                                  \
            for (int n = 0; n < N_STARTS; n++) {                                                   \
                TRY(MPI_Start, &request);                                                          \
                complete_in_turn(&request);                                                        \
            }                                                                                      \
            TRY(MPI_Request_free, &request);                                                       \
        }                                                                                          \
    } while (0)

#define TRY(function, ...)                  tried(#function, function(__VA_ARGS__))
#define TRY_COUNTED(function, ...)          tried(COUNTED_TEXT(function), COUNTED(function)(__VA_ARGS__))
#define REFUSED(error_class, function, ...) refused(#function, function(__VA_ARGS__), error_class)
#define ATTEMPT(function, ...)              attempted(#function, function(__VA_ARGS__))
#define EQUAL(value, wanted)                equal(#value, value, wanted)
#define EQUAL_TEXT(value, wanted)                                                                  \
    do {                                                                                           \
        if (strcmp(value, wanted) != 0)                                                            \
            failure("%s is \"%s\", not \"%s\"", #value, value, wanted);                            \
    } while (0)

/* A call that ends MPI's run, by its name (fatal.c); false: no such name. */
bool fatal(const char *name);

/* What a process does that the chapter `processes` has spawned. */
void child(MPI_Comm parent);
