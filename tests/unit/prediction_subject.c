// SPDX-License-Identifier: BSD-3-Clause
// See prediction_subject.h.
#include "tests/unit/prediction_subject.h"

#include <inttypes.h>
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "tests/reference/change_choice.h"
#include "tests/reference/changed_program.h"
#include "tests/unit/seeds.h"

bool subject_init(struct subject *subject, char *text, FILE *stream)
{
    struct error err = {{0}};
    *subject = (struct subject){.text = text};
    if (!(subject->engine = engine_run_new(text, &err))) {
        fprintf(stream, "  %s\n", err.text);
        return false;
    }
    reference_trace_parse(&subject->trace, text);
    model_build(&subject->model, &subject->trace, &subject->unused);
    subject->n_ranks = subject->trace.n_ranks;
    scenario_unchanged(&subject->unchanged, text);
    return true;
}

void subject_release(struct subject *subject)
{
    if (subject->engine)
        model_release(&subject->model);
    engine_run_free(subject->engine);
    findings_release(&subject->unused);
    reference_trace_release(&subject->trace);
    free(subject->text);
}

bool subject_agrees(const struct subject *subject, const struct predicted_scenario *scenario,
                    FILE *stream)
{
    struct error err = {{0}};
    uint64_t expected[PROGRAM_MAX_RANKS] = {0}, found[PROGRAM_MAX_RANKS] = {0};
    // Where ranks would wait for each other for ever the engine lets one go on; nobody says which.
    if (predicted_run_is_open(&subject->model, scenario) ||
        !predicted_run(&subject->model, scenario, expected))
        return true;
    if (engine_run_predict(subject->engine, scenario, found, &err) != 0) {
        fprintf(stream, "  %s\n", err.text);
        return false;
    }
    bool is_equal = true;
    for (uint32_t r = 0; r < subject->n_ranks; r++) {
        if (expected[r] == found[r])
            continue;
        fprintf(stream, "  rank %" PRIu32 " ends at %" PRIu64 ", engine: %" PRIu64 "\n", r,
                expected[r], found[r]);
        is_equal = false;
    }
    if (!is_equal)
        scenario_print(scenario, subject->n_ranks, stream);
    if (!is_equal && scenario->has_machine)
        engine_machine_write(scenario, stream);
    return is_equal;
}

/// Do receives have the sizes of their messages? Where the trace does not say what was posted they
/// may be taken for each other's; then messages cannot be cut: one side would be left out and the
/// other one not.
static bool has_equal_sizes(const struct model *model)
{
    for (size_t r = 0; r < model->n_receives; r++)
        if (model->receives[r].send != REFERENCE_NONE &&
            model->receives[r].size_bytes != model->sends[model->receives[r].send].size_bytes)
            return false;
    return true;
}

static void change_code(const struct subject *subject, struct predicted_scenario *scenario,
                        struct random *random, uint32_t kinds)
{
    if (kinds & CHANGE_SCALES)
        scales_choose(scenario, random, subject->text, subject->n_ranks);
    changes_choose(&scenario->changes, random, subject->text, subject->n_ranks, kinds);
    if (are_works_nested(&subject->model, &scenario->changes))
        scenario->changes.n_works = 1;
    if (!has_equal_sizes(&subject->model))
        scenario->changes.n_cuts = 0;
}

static bool check_scenarios(const struct subject_case *self, const struct subject *subject,
                            struct random *random, FILE *stream)
{
    bool is_sound = true;
    for (uint32_t i = 0; i < self->n_scenarios && is_sound; i++) {
        struct predicted_scenario scenario = subject->unchanged;
        if (self->change)
            self->change(subject, &scenario, random, i);
        if (self->kinds)
            change_code(subject, &scenario, random, self->kinds);
        is_sound = subject_agrees(subject, &scenario, stream);
    }
    return is_sound;
}

static bool check_run(const struct subject_case *self, const struct subject *subject,
                      struct random *random, FILE *stream)
{
    if (self->check)
        return self->check(subject, random, stream);
    if (!self->engine_text)
        return check_scenarios(self, subject, random, stream);
    struct error err = {{0}};
    SCOPED char *text = self->engine_text(subject->text, random);
    struct subject other = *subject;
    other.engine = engine_run_new(text, &err);
    if (!other.engine)
        fprintf(stream, "  %s\n", err.text);
    bool is_sound = other.engine && check_scenarios(self, &other, random, stream);
    engine_run_free(other.engine);
    return is_sound;
}

static bool check_seed(uint64_t seed, const void *context, char **text, FILE *stream)
{
    const struct subject_case *self = context;
    struct subject subject;
    struct random random = {seed};
    bool is_sound = subject_init(&subject, self->make(seed), stream) &&
                    check_run(self, &subject, &random, stream);
    *text = memory_copy_text(subject.text);
    subject_release(&subject);
    return is_sound;
}

char *subject_random_text(uint64_t seed)
{
    struct sim_program_limits limits = PROGRAM_LIMITS_ALL;
    limits.max_steps = seed % 2 ? 40 : 200;
    limits.allow_skew = limits.allow_cut = limits.allow_unmatched = limits.allow_teams = false;
    limits.allow_epochs = false; // the reference does not predict them
    return scenario_trace_text(seed, &limits);
}

void subject_test(void **state)
{
    const struct subject_case *self = *state;
    seeds_check(self->n_seeds, check_seed, self);
}
