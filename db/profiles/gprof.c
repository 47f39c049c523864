// SPDX-License-Identifier: BSD-3-Clause
// The flat profile of gprof (GNU Binutils, "The Flat Profile"):
//
//     %   cumulative   self              self     total
//    time   seconds   seconds    calls  ms/call  ms/call  name
//    33.34      0.02     0.02     7208     0.00     0.00  open
//
// Functions that were not compiled with -pg have no calls. Programs have one process each.
#include <stdlib.h>
#include <string.h>

#include "db/profiles/profiles.h"

/// Reads N numbers from *REST, which is moved after them; false: there are fewer.
static bool read_numbers(const char **rest, double *numbers, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char *end;
        numbers[i] = strtod(*rest, &end);
        if (end == *rest || (*end != ' ' && *end != '\n'))
            return false;
        *rest = end;
    }
    return true;
}

int gprof_read(const char *path, const char *text, struct profile *profile, struct error *err)
{
    const char *line = strstr(text, "seconds   seconds");
    double run_s = 0;
    if (!line)
        return error_set(err, "%s has no flat profile of gprof", path);
    while ((line = strchr(line, '\n')) && *++line && *line != '\n' && *line != '\f') {
        double times[3], calls[3]; // share, cumulative and own seconds; calls, ms of each
        const char *rest = line;
        if (!read_numbers(&rest, times, 3))
            break;
        const char *after = rest;
        bool has_calls = read_numbers(&after, calls, 3);
        rest = has_calls ? after : rest;
        rest += strspn(rest, " ");
        size_t length = strcspn(rest, "\n");
        if (length == 0)
            continue;
        profile_add(profile, PROFILE_EXCLUSIVE, "unknown", rest, length, PROFILE_NO_RANK,
                    times[2] * 1e9);
        if (has_calls)
            profile_add(profile, PROFILE_VISITS, "unknown", rest, length, PROFILE_NO_RANK,
                        calls[0]);
        run_s = times[1];
    }
    profile_add(profile, PROFILE_RUN, "", "", 0, PROFILE_NO_RANK, run_s * 1e9);
    return 0;
}
