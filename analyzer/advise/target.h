// SPDX-License-Identifier: BSD-3-Clause
// What the target's options say, read as a prediction for it reads them.
#ifndef PAGODA_ADVISE_TARGET_H
#define PAGODA_ADVISE_TARGET_H

#include <stdbool.h>

#include "analyzer/advise/replay.h"
#include "analyzer/simulation/cost/machine.h"
#include "analyzer/simulation/scenario.h"
#include "analyzer/whatif/options.h"
#include "analyzer/whatif/set.h"

/// SETTINGS point into the rest: it must not be copied.
struct advise_target_settings {
    struct whatif_options options;
    struct whatif_plan plan;
    struct machine machine;
    struct scenario_settings settings; // whole if is_known
    bool assumes_waiting;              // how the measured run's ranks wait (waiting.h)
    bool is_known;                     // the words of the target make a prediction
};

/// The caller releases TARGET.
void advise_target_read(struct advise_target_settings *target,
                        const struct advise_setting *setting);
void advise_target_release(struct advise_target_settings *target);

#endif
