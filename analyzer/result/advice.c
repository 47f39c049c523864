// SPDX-License-Identifier: BSD-3-Clause
// Advice as data.
#include "analyzer/result/advice.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

const char *const advice_kind_names[ADVICE_KINDS] = {"region",  "sync",       "messages",
                                                     "network", "processors", "placement",
                                                     "move",    "workers",    "dynamic"};

const char *const advice_group_names[ADVICE_GROUPS] = {"change", "machine", "limit"};

// Gains within this of each other are the same; gains of a pair within this of the sum add up.
static const double near = 0.1;

void advice_candidate_release(struct advice_candidate *candidate)
{
    FREE_MEMBERS(candidate->words, candidate->n_words, option, value);
    FREE_ALL(candidate->words, candidate->sentence, candidate->subject, candidate->region,
             candidate->failure, candidate->bend.then);
    past_errors_release(&candidate->errors);
}

void advice_release(struct advice *advice)
{
    for (size_t i = 0; i < advice->n_candidates; i++)
        advice_candidate_release(&advice->candidates[i]);
    FREE_MEMBERS(advice->findings, advice->n_findings, kind, name);
    free(advice->findings);
    free(advice->candidates);
    FREE_MEMBERS(advice->pairs, advice->n_pairs, failure);
    free(advice->pairs);
    FREE_MEMBERS(advice->warnings, advice->n_warnings, code, text);
    FREE_ALL(advice->warnings, advice->trace, advice->target, advice->lost);
    *advice = (struct advice){0};
}

uint64_t advice_error_ns(const struct advice *advice)
{
    return advice->replayed_ns > advice->measured_ns ? advice->replayed_ns - advice->measured_ns
                                                     : advice->measured_ns - advice->replayed_ns;
}

struct expected_time advice_expected(const struct advice *advice,
                                     const struct advice_candidate *candidate)
{
    return expected_time(&candidate->errors, candidate->predicted_ns, candidate->judged_ns,
                         whatif_change(advice->measured_ns, advice->replayed_ns));
}

bool advice_pays(const struct advice *advice, const struct advice_candidate *candidate)
{
    return candidate->is_replayed && !candidate->same_as && candidate->gain_ns > 0 &&
           candidate->gain_ns >= (int64_t)(advice->target_ns / 1000);
}

bool advice_excludes(const struct advice_candidate *one, const struct advice_candidate *other)
{
    if (strcmp(one->subject, other->subject) == 0 ||
        (one->region && other->region && one->sharing >> other->region_number & 1))
        return true;
    return one->kind == other->kind && (one->is_all || other->is_all) && one->n_words > 0 &&
           other->n_words > 0 && strcmp(one->words[0].option, other->words[0].option) == 0;
}

bool advice_says_nothing(const struct advice *advice)
{
    return !advice->is_explained && whatif_misses(advice->measured_ns, advice->replayed_ns);
}

bool advice_is_uncertain(const struct advice *advice, int64_t gain_ns)
{
    return gain_ns <= (int64_t)advice_error_ns(advice) || advice_says_nothing(advice);
}

uint64_t advice_unexplained_ns(const struct advice *advice)
{
    int64_t best_ns = 0;
    for (size_t i = 0; i < advice->n_candidates; i++) {
        const struct advice_candidate *candidate = &advice->candidates[i];
        if (candidate->is_replayed && candidate->group == ADVICE_CHANGE &&
            candidate->gain_ns > best_ns)
            best_ns = candidate->gain_ns;
    }
    for (size_t i = 0; i < advice->n_pairs; i++)
        if (advice->pairs[i].gain_ns > best_ns)
            best_ns = advice->pairs[i].gain_ns;
    return advice->loss_ns > (uint64_t)best_ns ? advice->loss_ns - (uint64_t)best_ns : 0;
}

enum advice_together advice_together(const struct advice *advice, const struct advice_pair *pair)
{
    double first = (double)advice->candidates[pair->first].gain_ns;
    double second = (double)advice->candidates[pair->second].gain_ns;
    double larger = first > second ? first : second, smaller = first + second - larger;
    double more = (double)pair->gain_ns - larger; // what the lesser one still gives
    if (more >= (1 - near) * smaller)
        return ADVICE_ADD_UP;
    return more <= near * smaller ? ADVICE_EXCLUDE : ADVICE_OVERLAP;
}

char *advice_words_text(const struct advice_word *words, size_t n)
{
    char *text = memory_copy_text("");
    for (size_t i = 0; i < n; i++) {
        text_append(&text, "%s--%s", i > 0 ? " " : "", words[i].option);
        if (!words[i].value)
            continue;
        SCOPED char *value = shell_word(words[i].value);
        text_append(&text, " %s", value);
    }
    return text;
}
