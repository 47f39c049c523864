// SPDX-License-Identifier: BSD-3-Clause
// Advice as text and JSON.

#include <inttypes.h>
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/report/views/views.h"
#include "analyzer/result/advice.h"

enum { WIDTH = 80 }; // of paragraphs

/// Of the target's run time, with its sign.
static struct quantity share_of(const struct advice *advice, int64_t gain_ns)
{
    double share = advice->target_ns ? (double)gain_ns / (double)advice->target_ns : 0;
    return quantity_format("%.1f %%", 100 * share);
}

/// Whether past errors say how right the gains are.
static void print_past(const struct page *page, const struct advice *advice)
{
    bool was_asked = false;
    size_t n_known = 0;
    for (size_t i = 0; i < advice->n_candidates; i++) {
        was_asked = was_asked || advice->candidates[i].errors.kind;
        n_known += advice_pays(advice, &advice->candidates[i]) &&
                   advice->candidates[i].errors.coverage > 0;
    }
    page_labelled(page, "Past errors", "%s",
                  !was_asked ? "not looked up (--errors FILE): gains rest on the replay error alone"
                  : n_known == 0
                      ? "too few predictions with these options were measured: gains rest on the "
                        "replay error alone"
                      : "a line below the gain says what it may be by the errors of past "
                        "predictions; gains without one rest on the replay error alone");
}

static void print_head(const struct advice *advice, FILE *stream)
{
    const struct text_options options = {.width = WIDTH};
    const struct page page = {.options = &options, .stream = stream};
    page_labelled(&page, "Measured", "%s", quantity_time(advice->measured_ns).text);
    if (*advice->target)
        page_labelled(&page, "Target", "%s with %s", quantity_time(advice->target_ns).text,
                      advice->target);
    bool says_nothing = advice_says_nothing(advice);
    page_labelled(&page, "Replay error",
                  "%+.1f %%: the run without any change is predicted to take %s. %s",
                  100 * whatif_change(advice->measured_ns, advice->replayed_ns),
                  quantity_time(advice->replayed_ns).text,
                  says_nothing ? "With so large an error the gains below say nothing (?)."
                  : advice->untraced_ns > 0
                      ? "A ? marks gains below the error."
                      : "Gains are relative to that time; a ? marks those below the error.");
    if (advice->untraced_ns > 0)
        page_labelled(&page, "Untraced",
                      "%s, as predicted without what recording cost, which gains leave out, too. "
                      "%s",
                      quantity_time(advice->untraced_ns).text,
                      *advice->target ? "" : "They are relative to that time.");
    print_past(&page, advice);
    if (advice->assumption)
        page_labelled(&page, "Assumed", "%s", advice->assumption);
    if (advice->lost)
        page_labelled(&page, "No CPU time", "%s", advice->lost);
    if (advice->n_workers > 0)
        page_labelled(&page, "Task farm",
                      "The tasks of rank %" PRIu32 " stay with the ranks that did them. Add "
                      "--workers %" PRIu32 " to a command to hand each to the next free worker.",
                      advice->master, advice->n_workers);
    if (advice->loss_ns > 0 && !says_nothing)
        page_labelled(&page, "Lost time",
                      "%s, as predicted without any change: between MPI_Init and MPI_Finalize the "
                      "average rank does not compute for this long",
                      quantity_time(advice->loss_ns).text);
    fputc('\n', stream);
}

/// What predicts CANDIDATE, with SECOND unless that is NULL.
static void print_command(const struct advice *advice, const struct advice_candidate *candidate,
                          const struct advice_candidate *second, FILE *stream)
{
    SCOPED char *options = advice_words_text(candidate->words, candidate->n_words);
    SCOPED char *more = second ? advice_words_text(second->words, second->n_words) : NULL;
    bool needs_target =
        *advice->target && !candidate->has_target && !(second && second->has_target);
    fprintf(stream, "%40s%s %s%s%s%s%s\n", "pagoda replay ", advice->trace, options,
            more ? " " : "", more ? more : "", needs_target ? " " : "",
            needs_target ? advice->target : "");
}

/// Between which times the gain of CANDIDATE is, where past errors tell.
static void print_expected(const struct advice *advice, const struct advice_candidate *candidate,
                           FILE *stream)
{
    struct expected_time expected = advice_expected(advice, candidate);
    if (!expected.is_by_past_errors)
        return;
    int64_t target_ns = (int64_t)advice->target_ns;
    SCOPED char *by = past_errors_text(&candidate->errors);
    SCOPED char *text = memory_format(
        "%s to %s %s", quantity_signed_time(target_ns - (int64_t)expected.high_ns).text,
        quantity_signed_time(target_ns - (int64_t)expected.low_ns).text, by);
    fprintf(stream, "%26s", "");
    print_paragraph(text, 26, 26, WIDTH, stream);
}

static void print_candidate(const struct advice *advice, size_t index, size_t number, FILE *stream)
{
    const struct advice_candidate *candidate = &advice->candidates[index];
    SCOPED char *bend = bend_text(&candidate->bend);
    fprintf(stream, "%3zu. %10s%s %7s  %s\n", number, quantity_signed_time(candidate->gain_ns).text,
            advice_is_uncertain(advice, candidate->gain_ns) ? "?" : " ",
            share_of(advice, candidate->gain_ns).text, candidate->sentence);
    print_command(advice, candidate, NULL, stream);
    print_expected(advice, candidate, stream);
    if (*bend)
        fprintf(stream, "%26s%s\n", "", bend);
    for (size_t i = 0; i < advice->n_findings; i++)
        if (candidate->findings >> i & 1)
            fprintf(stream, "%26sfor finding %zu, %s\n", "", i + 1, advice->findings[i].name);
}

/// Prints changes among the first N that exclude each other, change FIRST and later ones, which
/// were not named yet: IS_NAMED by pair. How many.
static size_t print_alternatives(const struct advice *advice, size_t first, size_t n,
                                 bool *is_named, const char *before, FILE *stream)
{
    size_t *members = memory_zeroed(n, sizeof *members), n_members = 1;
    members[0] = first;
    for (size_t i = first + 1; i < n; i++) {
        bool is_one = n_members > 1 || !is_named[first * n + i];
        for (size_t m = 0; m < n_members; m++)
            is_one =
                is_one && advice_excludes(&advice->candidates[i], &advice->candidates[members[m]]);
        if (is_one)
            members[n_members++] = i;
    }
    for (size_t m = 0; m < n_members && n_members > 1; m++) {
        fprintf(stream, "%s%zu", m == 0 ? before : " and ", members[m] + 1);
        for (size_t k = m + 1; k < n_members; k++)
            is_named[members[m] * n + members[k]] = true;
    }
    free(members);
    return n_members > 1 ? n_members : 0;
}

/// Which of the first N changes are about the same.
static void print_all_alternatives(const struct advice *advice, size_t n, FILE *stream)
{
    SCOPED bool *is_named = memory_zeroed(n * n + 1, sizeof *is_named);
    const char *before = "\nWays to change the same, not tried together: ";
    for (size_t first = 0; first < n; first++)
        while (print_alternatives(advice, first, n, is_named, before, stream) > 0)
            before = "; ";
    if (before[0] == ';')
        fputc('\n', stream);
}

/// How the gain of PAIR goes with those of its parts, in words.
static const char *together_text(const struct advice *advice, const struct advice_pair *pair)
{
    static const char *const words[] = {"they add up", "they overlap: less than both gains",
                                        "the lesser one adds nothing"};
    int64_t first_ns = advice->candidates[pair->first].gain_ns;
    int64_t second_ns = advice->candidates[pair->second].gain_ns;
    int64_t larger_ns = first_ns > second_ns ? first_ns : second_ns;
    if (pair->gain_ns < larger_ns - larger_ns / 100)
        return "the better one alone saves more";
    return words[advice_together(advice, pair)];
}

/// Which of the first LIMIT changes add up or exclude each other.
static void print_pairs(const struct advice *advice, size_t limit, FILE *stream)
{
    size_t n_shown = 0;
    while (n_shown < limit && n_shown < advice->n_candidates &&
           advice->candidates[n_shown].group == ADVICE_CHANGE &&
           advice_pays(advice, &advice->candidates[n_shown]))
        n_shown++;
    size_t n_printed = 0;
    for (size_t i = 0; i < advice->n_pairs; i++) {
        const struct advice_pair *pair = &advice->pairs[i];
        if (pair->failure || pair->first >= n_shown || pair->second >= n_shown)
            continue;
        if (n_printed++ == 0)
            fprintf(stream, "\n%15s  %7s  Together\n", "gain", "of run");
        fprintf(stream, "%15s%s %7s  %zu and %zu: %s\n", quantity_signed_time(pair->gain_ns).text,
                advice_is_uncertain(advice, pair->gain_ns) ? "?" : " ",
                share_of(advice, pair->gain_ns).text, pair->first + 1, pair->second + 1,
                together_text(advice, pair));
        print_command(advice, &advice->candidates[pair->first], &advice->candidates[pair->second],
                      stream);
    }
    print_all_alternatives(advice, n_shown, stream);
}

/// The first LIMIT of a group that pay; how many.
static size_t print_group(const struct advice *advice, enum advice_group group, size_t limit,
                          FILE *stream)
{
    static const char *const titles[] = {
        "Changes of the program, and the command that predicts each", "Other machines",
        "At most, by changes that may not be possible"};
    size_t n = 0;
    for (size_t i = 0; i < advice->n_candidates && n < limit; i++) {
        const struct advice_candidate *candidate = &advice->candidates[i];
        if (candidate->group != group || !advice_pays(advice, candidate))
            continue;
        if (n++ == 0)
            fprintf(stream, "%s%15s  %7s  %s\n", group > 0 ? "\n" : "", "gain", "of run",
                    titles[group]);
        print_candidate(advice, i, n, stream);
    }
    return n;
}

static void print_failure(const char *what, const char *failure, FILE *stream)
{
    SCOPED char *text = memory_format("%s: %s", what, failure), *clean = utf8_clean(text);
    fputs("  ", stream);
    print_paragraph(clean, 2, 4, WIDTH, stream);
}

/// Changes, and pairs of them, that were tried and could not be predicted, each with the reason.
static void print_failures(const struct advice *advice, FILE *stream)
{
    size_t n = 0;
    for (size_t i = 0; i < advice->n_candidates; i++)
        n += advice->candidates[i].failure != NULL;
    for (size_t i = 0; i < advice->n_pairs; i++)
        n += advice->pairs[i].failure != NULL;
    if (n == 0)
        return;
    fprintf(stream, "\n%s could not be predicted, so what %s would gain is not known:\n",
            quantity_count(n, "change").text, n == 1 ? "it" : "they");
    for (size_t i = 0; i < advice->n_candidates; i++)
        if (advice->candidates[i].failure)
            print_failure(advice->candidates[i].sentence, advice->candidates[i].failure, stream);
    for (size_t i = 0; i < advice->n_pairs; i++)
        if (advice->pairs[i].failure) {
            const struct advice_pair *pair = &advice->pairs[i];
            SCOPED char *both =
                memory_format("%zu and %zu together", pair->first + 1, pair->second + 1);
            print_failure(both, pair->failure, stream);
        }
}

/// What of the trace the advice does not rest on.
static void print_unreadable(const struct advice *advice, FILE *stream)
{
    if (advice->n_warnings > 0)
        fprintf(stream,
                "\nParts of the trace were unreadable, so the advice is for what is left of it\n");
    for (size_t i = 0; i < advice->n_warnings; i++) {
        SCOPED char *text =
            memory_format("%s [%s]", advice->warnings[i].text, advice->warnings[i].code);
        fputs("  ", stream);
        print_paragraph(text, 2, 4, WIDTH, stream);
    }
}

void text_print_advice(const struct advice *advice, size_t limit, FILE *stream)
{
    print_head(advice, stream);
    if (print_group(advice, ADVICE_CHANGE, limit, stream) == 0)
        fprintf(stream, "No change of the program shortens the run by 0.1 %%.\n");
    print_group(advice, ADVICE_MACHINE, limit, stream);
    print_group(advice, ADVICE_LIMIT, limit, stream);
    print_pairs(advice, limit, stream);
    uint64_t left_ns = advice_unexplained_ns(advice);
    if (left_ns > 0 && !advice_says_nothing(advice))
        fprintf(
            stream,
            left_ns < advice->loss_ns
                ? "\nEven the best of these changes, or pair of them, leaves %s of the lost time.\n"
                : "\nNone of these changes, or pairs of them, wins back any of the %s lost.\n",
            quantity_time(left_ns).text);
    print_failures(advice, stream);
    print_unreadable(advice, stream);
    if (advice->n_pruned > 0)
        fprintf(stream, "\nNot predicted: %s that cannot gain more (--exhaustive predicts them)\n",
                quantity_count(advice->n_pruned, "change").text);
    if (advice->n_untried > 0)
        fprintf(stream, "\nNot predicted: %s, as the trace is long (--exhaustive predicts them)\n",
                quantity_count(advice->n_untried, "change").text);
}

/// The finding with index I, if CANDIDATE is for it; else NULL.
static json_t *finding_object(const struct advice *advice, const struct advice_candidate *candidate,
                              size_t i)
{
    return candidate->findings >> i & 1
               ? JSON_OBJECT({"number", json_count(i + 1)}, JSON_TEXT(&advice->findings[i], kind),
                             JSON_TEXT(&advice->findings[i], name))
               : NULL;
}

static json_t *candidate_object(const struct advice *advice,
                                const struct advice_candidate *candidate)
{
    bool is_replayed = candidate->is_replayed;
    bool is_uncertain = is_replayed && advice_is_uncertain(advice, candidate->gain_ns);
    SCOPED char *options = advice_words_text(candidate->words, candidate->n_words);
    struct expected_time expected = advice_expected(advice, candidate);
    return JSON_OBJECT(
        {"kind", json_string(advice_kind_names[candidate->kind])},
        {"text", json_text(candidate->sentence)}, {"options", json_text(options)},
        {"group", json_string(advice_group_names[candidate->group])}, JSON_TEXT(candidate, subject),
        {"findings", JSON_EACH(i, advice->n_findings, finding_object(advice, candidate, i))},
        {"most_ns",
         candidate->most_ns == UINT64_MAX ? json_null() : json_count(candidate->most_ns)},
        {"predicted_ns", is_replayed ? json_count(candidate->predicted_ns) : json_null()},
        {"gain_ns", is_replayed ? json_integer(candidate->gain_ns) : json_null()},
        {"expected", is_replayed ? json_expected(&expected) : json_null()},
        {"past_errors", json_past_errors(&candidate->errors)},
        {"is_uncertain", is_replayed ? json_boolean(is_uncertain) : json_null()},
        {"pays_until", json_bend(&candidate->bend)},
        {"same_as", candidate->same_as ? json_text(candidate->same_as) : NULL},
        {"failure", candidate->failure ? json_text(candidate->failure) : NULL});
}

static json_t *pair_object(const struct advice *advice, const struct advice_pair *pair)
{
    static const char *const names[] = {"add-up", "overlap", "exclude"};
    return JSON_OBJECT(
        JSON_COUNT(pair, first), JSON_COUNT(pair, second),
        {"predicted_ns", pair->failure ? json_null() : json_count(pair->predicted_ns)},
        {"gain_ns", pair->failure ? json_null() : json_integer(pair->gain_ns)},
        {pair->failure ? "failure" : "together",
         pair->failure ? json_text(pair->failure)
                       : json_string(names[advice_together(advice, pair)])});
}

void json_print_advice(const struct advice *advice, FILE *stream)
{
    json_t *tasks =
        advice->n_workers == 0
            ? NULL
            : JSON_OBJECT(JSON_COUNT(advice, master), {"workers", json_count(advice->n_workers)});
    JSON_PRINT(stream, JSON_COMPACT | JSON_REAL_PRECISION(12),
               {"baseline_ns", json_count(advice->measured_ns)}, JSON_COUNT(advice, replayed_ns),
               {"untraced_ns", advice->untraced_ns > 0 ? json_count(advice->untraced_ns) : NULL},
               {"kept_tasks", tasks}, JSON_TEXT(advice, target),
               JSON_TEXT_OR_NULL(advice, assumption), JSON_COUNT(advice, target_ns),
               JSON_COUNT(advice, loss_ns), {"error_ns", json_count(advice_error_ns(advice))},
               {"candidates", JSON_EACH(i, advice->n_candidates,
                                        candidate_object(advice, &advice->candidates[i]))},
               {"pairs", JSON_EACH(k, advice->n_pairs, pair_object(advice, &advice->pairs[k]))},
               {"warnings", json_warnings(advice->warnings, advice->n_warnings)},
               {"unexplained_ns", json_count(advice_unexplained_ns(advice))},
               {"replays", json_count(advice->n_replays)}, {"pruned", json_count(advice->n_pruned)},
               {"untried", json_count(advice->n_untried)});
}
