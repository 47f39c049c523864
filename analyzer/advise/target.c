// SPDX-License-Identifier: BSD-3-Clause
// Settings of the target (target.h).
#include "analyzer/advise/target.h"

#include "analyzer/whatif/predict.h"
#include "analyzer/whatif/waiting.h"

void advise_target_read(struct advise_target_settings *target, const struct advise_setting *setting)
{
    struct error err = {{0}};
    *target = (struct advise_target_settings){.settings = SCENARIO_UNCHANGED};
    for (size_t i = 0; i < setting->n_words; i++)
        whatif_options_give(&target->options, setting->words[i].option, setting->words[i].value);
    target->assumes_waiting = whatif_assume_waiting(&target->options, setting->measured);
    target->is_known = whatif_plan_read(&target->plan, &target->options, &err) == 0 &&
                       target->plan.n_sets > 0 &&
                       whatif_prepare(&target->plan, &target->plan.sets[0], &target->settings,
                                      &target->machine, &err) == 0;
}

void advise_target_release(struct advise_target_settings *target)
{
    machine_release(&target->machine);
    whatif_plan_release(&target->plan);
    whatif_options_release(&target->options);
}
