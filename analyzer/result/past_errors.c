// SPDX-License-Identifier: BSD-3-Clause
// What past errors say of a prediction (see past_errors.h); compare/past_errors.c finds them.
#include "analyzer/result/past_errors.h"

#include <math.h>
#include <stdlib.h>

void past_errors_release(struct past_errors *errors)
{
    free(errors->kind);
    free(errors->machine);
    *errors = (struct past_errors){0};
}

static uint64_t rounded(double time_ns)
{
    static const double most_ns = 1e18; // what a huge error makes of a time
    return (uint64_t)llround(fmin(fmax(time_ns, 0), most_ns));
}

struct expected_time expected_time(const struct past_errors *errors, uint64_t predicted_ns,
                                   uint64_t judged_ns, double replay_error)
{
    double whole_ns = (double)predicted_ns, part_ns = (double)judged_ns;
    if (errors->coverage > 0)
        return (struct expected_time){rounded(whole_ns + part_ns * (errors->least - 1)),
                                      rounded(whole_ns + part_ns * (errors->most - 1)), true};
    double error_ns = whole_ns * fabs(replay_error);
    return (struct expected_time){rounded(whole_ns - error_ns), rounded(whole_ns + error_ns),
                                  false};
}
