// SPDX-License-Identifier: BSD-3-Clause
// The text report of mpiP 3 (LLNL/mpiP, "mpiP Output"): the time of each rank, and of each call
// site how often and how long each rank was in it. Call sites of one function are added up.
//
//    @--- MPI Time (seconds) ----
//    Task    AppTime    MPITime     MPI%
//       0       0.46     0.0187     4.04
//       *       ...
//    @--- Callsite Time statistics (all, milliseconds): 8 ----
//    Name              Site Rank  Count      Max     Mean      Min   App%   MPI%
//    Barrier              1    0      1     0.12     0.12     0.12   0.03   0.64
#include <stdio.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "db/profiles/profiles.h"

/// The line after the titles of the section that begins so; NULL without it.
static const char *section(const char *text, const char *title, const char *titles)
{
    const char *begin = strstr(text, title);
    begin = begin ? strstr(begin, titles) : NULL;
    begin = begin ? strchr(begin, '\n') : NULL;
    return begin ? begin + 1 : NULL;
}

static const char *next_line(const char *line)
{
    const char *end = strchr(line, '\n');
    return end && end[1] ? end + 1 : NULL;
}

static void read_ranks(const char *line, struct profile *profile)
{
    static const char outside[] = "(outside MPI)";
    for (; line && *line != '-' && *line != '@'; line = next_line(line)) {
        long long rank;
        double run_s, mpi_s;
        if (sscanf(line, "%lld %lf %lf", &rank, &run_s, &mpi_s) != 3 || rank < 0)
            continue;
        profile_add(profile, PROFILE_RUN, "", "", 0, PROFILE_NO_RANK, run_s * 1e9);
        profile_add(profile, PROFILE_EXCLUSIVE, "unknown", outside, strlen(outside), rank,
                    (run_s - mpi_s) * 1e9);
    }
}

static void read_sites(const char *line, struct profile *profile)
{
    for (; line && *line != '-' && *line != '@'; line = next_line(line)) {
        char name[128], rank_text[24];
        long long rank;
        double site, count, max, mean_ms;
        if (sscanf(line, "%127s %lf %23s %lf %lf %lf", name, &site, rank_text, &count, &max,
                   &mean_ms) != 6 ||
            sscanf(rank_text, "%lld", &rank) != 1 || rank < 0) // "*" is the sum of all
            continue;
        SCOPED char *function = memory_format("MPI_%s", name);
        profile_add(profile, PROFILE_EXCLUSIVE, "MPI", function, strlen(function), rank,
                    count * mean_ms * 1e6);
        profile_add(profile, PROFILE_VISITS, "MPI", function, strlen(function), rank, count);
    }
}

int mpip_read(const char *path, const char *text, struct profile *profile, struct error *err)
{
    const char *ranks = section(text, "@--- MPI Time (seconds)", "Task ");
    const char *sites = section(text, "@--- Callsite Time statistics (all", "Name ");
    if (!ranks)
        return error_set(err, "%s has no times of ranks (a report of mpiP has them)", path);
    read_ranks(ranks, profile);
    read_sites(sites, profile);
    return 0;
}
