// SPDX-License-Identifier: BSD-3-Clause
// Profiles of TAU, one a thread: profile.NODE.CONTEXT.THREAD (TAU Reference Guide, "TAU profile
// format"). NODE is the rank; threads of one are added up. Times are in microseconds.
//
//    212 templated_functions_MULTI_TIME
//    # Name Calls Subrs Excl Incl ProfileCalls
//    ".TAU application" 1 1 8 27186950 0 GROUP="TAU_DEFAULT"
//    "solve [{solve.c} {10,1}-{20,1}]" 20 0 5.1E4 5.1E4 0 GROUP="TAU_USER"
//    "main => MPI_Send()" ...
//
// Call paths ("=>") repeat what the functions have.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "db/profiles/profiles.h"

/// NAME of LENGTH bytes without its place in the source, which is its file.
static void add_function(struct profile *profile, const char *name, size_t length, int64_t rank,
                         const double *numbers)
{
    SCOPED char *whole = memory_format("%.*s", (int)length, name);
    char *place = strstr(whole, " [{"), *file = NULL;
    if (place) {
        *place = '\0';
        if (place - whole > 2 && strcmp(place - 2, " C") == 0) // the kind of function
            place[-2] = '\0';
        file = place + strlen(" [{");
        file[strcspn(file, "}")] = '\0';
    }
    bool is_mpi = strncmp(whole, "MPI_", 4) == 0;
    if (is_mpi)
        whole[strcspn(whole, "(")] = '\0';
    char *function = text_trim(whole);
    const char *where = is_mpi ? "MPI" : file && *file ? file : "unknown";
    size_t n = strlen(function);
    profile_add(profile, PROFILE_VISITS, where, function, n, rank, numbers[0]);
    profile_add(profile, PROFILE_EXCLUSIVE, where, function, n, rank, numbers[2] * 1e3);
    profile_add(profile, PROFILE_INCLUSIVE, where, function, n, rank, numbers[3] * 1e3);
}

int tau_read(const char *path, const char *text, struct profile *profile, struct error *err)
{
    unsigned rank, context, thread;
    const char *line = text;
    size_t n_functions;
    char metric[64];
    double run_us = 0;
    if (sscanf(path_base_name(path), "profile.%u.%u.%u", &rank, &context, &thread) != 3)
        return error_set(err, "%s is not called profile.NODE.CONTEXT.THREAD, as TAU does", path);
    if (sscanf(text, "%zu %63s", &n_functions, metric) != 2)
        return error_set(err, "%s does not begin as TAU's profiles do", path);
    if (strcmp(metric, "templated_functions") != 0 &&
        strcmp(metric, "templated_functions_MULTI_TIME") != 0)
        return error_set(err, "%s has %s, not times", path, metric);
    line = strchr(line, '\n');
    for (size_t n = 0; line && n < n_functions; line = strchr(line, '\n')) {
        double numbers[4]; // calls, calls of others, exclusive and inclusive time
        line++;
        if (*line != '"')
            continue;
        const char *name = line + 1, *end = strchr(name, '"');
        n++;
        if (!end || sscanf(end + 1, "%lf %lf %lf %lf", &numbers[0], &numbers[1], &numbers[2],
                           &numbers[3]) != 4)
            return error_set(err, "%s: function %zu has no four numbers", path, n);
        SCOPED char *whole = memory_format("%.*s", (int)(end - name), name);
        if (!strstr(whole, "=>"))
            add_function(profile, name, (size_t)(end - name), rank, numbers);
        run_us = fmax(run_us, numbers[3]);
    }
    profile_add(profile, PROFILE_RUN, "", "", 0, PROFILE_NO_RANK, run_us * 1e3);
    return 0;
}
