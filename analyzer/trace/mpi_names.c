// SPDX-License-Identifier: BSD-3-Clause
// Classification of MPI functions by name (see mpi_names.h): the name is reduced to its bare lower
// case form ("recv") and looked up in a short list.
#include "analyzer/trace/mpi_names.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

enum { BARE_NAME_BYTES = 64 }; // longer than any name in the list

static const struct {
    const char *bare_name;
    enum mpi_function function;
} special_functions[] = {
    {"init", MPI_FUNCTION_INIT},
    {"init_thread", MPI_FUNCTION_INIT},
    {"finalize", MPI_FUNCTION_FINALIZE},
    {"iprobe", MPI_FUNCTION_IPROBE},
    {"improbe", MPI_FUNCTION_IPROBE},
    {"parrived", MPI_FUNCTION_TEST},
    {"probe", MPI_FUNCTION_PROBE},
    {"mprobe", MPI_FUNCTION_PROBE},
    {"send", MPI_FUNCTION_STANDARD_SEND},
    {"isend", MPI_FUNCTION_STANDARD_SEND},
    {"sendrecv", MPI_FUNCTION_STANDARD_SEND},
    {"isendrecv", MPI_FUNCTION_STANDARD_SEND},
    {"sendrecv_replace", MPI_FUNCTION_STANDARD_SEND},
    {"isendrecv_replace", MPI_FUNCTION_STANDARD_SEND},
    {"ssend", MPI_FUNCTION_SYNCHRONOUS_SEND},
    {"ssend_init", MPI_FUNCTION_SYNCHRONOUS_SEND},
    {"issend", MPI_FUNCTION_SYNCHRONOUS_SEND},
};

// Families, all members of which are tests: MPI_Testall, MPI_Request_get_status_any, ...
static const char *const test_prefixes[] = {"test", "request_get_status"};

static bool has_prefix(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool cut_suffix(char *text, const char *suffix)
{
    size_t length = strlen(text);
    size_t suffix_length = strlen(suffix);
    if (length <= suffix_length || strcmp(text + length - suffix_length, suffix) != 0)
        return false;
    text[length - suffix_length] = '\0';
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
        if (strcmp(bare_name, special_functions[i].bare_name) == 0)
            return special_functions[i].function;
    for (size_t i = 0; i < sizeof test_prefixes / sizeof *test_prefixes; i++)
        if (has_prefix(bare_name, test_prefixes[i]))
            return MPI_FUNCTION_TEST;
    return has_prefix(bare_name, "file_") ? MPI_FUNCTION_FILE : MPI_FUNCTION_OTHER;
}
