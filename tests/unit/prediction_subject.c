// SPDX-License-Identifier: BSD-3-Clause
// See prediction_subject.h.
#include "tests/unit/prediction_subject.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "tests/tools/lib/scratch.h"
#include "tests/unit/seeds.h"

bool subject_init(struct subject *subject, char *text, FILE *stream)
{
    struct error err = {{0}};
    *subject = (struct subject){.text = text};
    if (reference_trace_parse(&subject->trace, text, &err) != 0 ||
        !(subject->engine = engine_run_new(text, &err))) {
        fprintf(stream, "  %s\n", err.text);
        return false;
    }
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
    return is_equal;
}

bool subject_has_equal_sizes(const struct subject *subject)
{
    const struct model *model = &subject->model;
    for (size_t r = 0; r < model->n_receives; r++)
        if (model->receives[r].send != REFERENCE_NONE &&
            model->receives[r].size_bytes != model->sends[model->receives[r].send].size_bytes)
            return false;
    return true;
}

struct wanted {
    subject_text *make;
    subject_check *what;
};

static bool check_seed(uint64_t seed, const void *context, char **text, FILE *stream)
{
    const struct wanted *wanted = context;
    struct subject subject;
    struct random random = {seed};
    bool is_sound = subject_init(&subject, wanted->make(seed), stream) &&
                    wanted->what(&subject, &random, stream);
    *text = memory_copy_text(subject.text);
    subject_release(&subject);
    return is_sound;
}

void subject_check_seeds(uint32_t n_default, subject_text *make, subject_check *what)
{
    seeds_check(n_default, check_seed, &(struct wanted){make, what});
}
