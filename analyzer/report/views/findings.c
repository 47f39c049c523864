// SPDX-License-Identifier: BSD-3-Clause
// The findings: what the lost time comes from, what would help, how sure that is.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/report/views/views.h"
#include "analyzer/result/advice.h"
#include "analyzer/result/sites.h"
#include "analyzer/result/whatif.h"

static const double worth_naming = 0.005; // of the ranks' time
static const double worth_a_note = 0.01;  // of the run time: a replay error

char *bend_text(const struct result_bend *bend)
{
    if (bend->share == 0)
        return memory_copy_text("");
    return memory_format("%s less saves %s already%s%s%s", quantity_share(bend->share).text,
                         quantity_signed_time(bend->gain_ns).text, bend->then ? "; then " : "",
                         bend->then ? bend->then : "", bend->then ? " is critical" : "");
}

/// The number, from 1 on, of the finding before FINDING, an index, that has REMEDY as well; 0:
/// none.
static size_t named_before(const struct result *result, size_t finding,
                           const struct result_remedy *remedy)
{
    for (size_t i = 0; i < finding; i++)
        for (size_t k = 0; k < result->findings[i].n_remedies; k++) {
            const struct result_remedy *other = &result->findings[i].remedies[k];
            if (strcmp(other->option, remedy->option) == 0 &&
                strcmp(other->value ? other->value : "", remedy->value ? remedy->value : "") == 0)
                return i + 1;
        }
    return 0;
}

/// "Spread ...: predicted to save 350.0 ms, 31.8 % of the run (--balance solve)", or what else the
/// prediction says. FINDING: the index of the one that it is for.
static void print_remedy(const struct page *page, size_t finding,
                         const struct result_remedy *remedy)
{
    const struct result *result = page->result;
    size_t before = named_before(result, finding, remedy);
    const struct advice_word word = {remedy->option, remedy->value};
    SCOPED char *words = advice_words_text(&word, 1);
    char *text, *bend = bend_text(&remedy->bend);
    if (before > 0)
        text = memory_format("%s: the same change as for finding %zu (%s)", remedy->sentence,
                             before, words);
    else if (remedy->failure)
        text = memory_format("%s: what it saves could not be predicted: %s (%s)", remedy->sentence,
                             remedy->failure, words);
    else if (!remedy->is_predicted)
        text = memory_format("%s (%s)", remedy->sentence, words);
    else
        text = memory_format(
            "%s: predicted to save %s, %s of the run (%s)%s%s", remedy->sentence,
            quantity_time((uint64_t)remedy->gain_ns).text,
            quantity_part((double)remedy->gain_ns, (double)result_gains_of_ns(result)).text, words,
            *bend ? ". " : "", bend);
    free(bend);
    if (remedy->limits && remedy->limits[0])
        text_append(&text, ". %s", remedy->limits);
    fputs("     - ", page->stream);
    print_paragraph(text, 7, 7, page->options->width, page->stream);
    free(text);
}

static void print_finding(const struct page *page, size_t index)
{
    const struct result_finding *finding = &page->result->findings[index];
    bool colour = page->options->has_colours;
    fprintf(page->stream, "  %zu. %s%s%s, %s\n     ", index + 1, colour ? "\033[1m" : "",
            finding->name, colour ? "\033[0m" : "", quantity_share(finding->share).text);
    SCOPED char *text =
        memory_format("%s%s%s", finding->text, finding->hint[0] ? " " : "", finding->hint);
    print_paragraph(text, 5, 5, page->options->width, page->stream);
    for (size_t i = 0; i < finding->n_remedies; i++)
        print_remedy(page, index, &finding->remedies[i]);
    if (!finding->tried)
        return;
    SCOPED char *tried = memory_format("Tried without gain: %s", finding->tried);
    fputs("     - ", page->stream);
    print_paragraph(tried, 7, 7, page->options->width, page->stream);
}

/// What savings are relative to, unless that is the measured run.
static void print_replay_error(const struct page *page)
{
    const struct result *result = page->result;
    double change = whatif_change(result->time_ns, result->replayed_ns);
    if (result->replayed_ns > 0 && fabs(change) > worth_a_note)
        page_labelled(page, "Replay error",
                      "%+.1f %%: with nothing changed %s would be predicted.%s", 100 * change,
                      quantity_time(result->replayed_ns).text,
                      result->untraced_ns > 0 ? "" : " Savings are relative to that time.");
    if (result->untraced_ns > 0)
        page_labelled(page, "Untraced",
                      "%s, as predicted without what recording cost. Savings are relative to that "
                      "time.",
                      quantity_time(result->untraced_ns).text);
}

void page_findings(const struct page *page)
{
    const struct result *result = page->result;
    double total_ns = (double)result->total_ns;
    page_heading(page, "Findings", "shares of the ranks' time; sorted by what a change may save");
    for (size_t i = 0; i < result->n_findings; i++)
        print_finding(page, i);
    if (result->n_findings > 0 && (double)result->found_rest_ns >= worth_naming * total_ns)
        fprintf(page->stream, "  In no finding: %s\n",
                quantity_part((double)result->found_rest_ns, total_ns).text);
    if (result->remark[0]) {
        fputs("  ", page->stream);
        print_paragraph(result->remark, 2, 2, page->options->width, page->stream);
    }
    print_replay_error(page);
    if (result->unpredicted)
        page_labelled(page, "Savings", "%s", result->unpredicted);
    page_labelled(page, "How sure", "%s%s%s%s", result->certainty, result->certainty[0] ? " " : "",
                  result->has_unreadable_records
                      ? "Parts of the trace were unreadable: see the warnings."
                  : result->n_warnings == 0 ? "No warnings."
                                            : quantity_count(result->n_warnings, "warning").text,
                  result->n_warnings > 0 && !result->has_unreadable_records ? " below." : "");
}

// ---- JSON

json_t *json_bend(const struct result_bend *bend)
{
    return bend->share == 0 ? NULL
                            : JSON_OBJECT(JSON_NUMBER(bend, share), JSON_INTEGER(bend, gain_ns),
                                          JSON_TEXT_OR_NULL(bend, then));
}

static json_t *remedy_object(const struct result_remedy *remedy)
{
    const struct advice_word word = {remedy->option, remedy->value};
    SCOPED char *words = advice_words_text(&word, 1);
    json_t *object = JSON_OBJECT({"words", json_text(words)}, {"text", json_text(remedy->sentence)},
                                 {"setting", remedy->setting ? json_text(remedy->setting) : NULL},
                                 {"limits", remedy->setting ? json_text(remedy->limits) : NULL},
                                 {"failure", remedy->failure ? json_text(remedy->failure) : NULL});
    return remedy->is_predicted
               ? JSON_PUT(object, JSON_COUNT(remedy, predicted_ns), JSON_INTEGER(remedy, gain_ns),
                          {"pays_until", json_bend(&remedy->bend)})
               : object;
}

/// PLACE, where RANKS are, and what else OBJECT holds: null where something is not known.
static json_t *put_place(json_t *object, const struct result *result,
                         const struct result_place *place, const uint32_t *ranks, size_t n_ranks)
{
    struct source source = source_of(result, place->site, place->path);
    SCOPED char *text = source_text(source.file, source.line);
    return JSON_PUT(object, {"region", json_region(result, place->region)},
                    {"path", json_path(result, place->path)}, {"source", json_text_or_null(text)},
                    {"file", json_text_or_null(source.file)},
                    {"line", source.line > 0 ? json_count(source.line) : json_null()},
                    {"ranks", JSON_EACH(i, n_ranks, json_integer(ranks[i]))});
}

/// What the best of FINDING's remedies is predicted to save; NULL: nothing was predicted.
static json_t *gain_of(const struct result_finding *finding)
{
    const struct result_remedy *first = finding->n_remedies > 0 ? finding->remedies : NULL;
    return first && first->is_predicted ? json_integer(first->gain_ns) : NULL;
}

static json_t *finding_object(const struct result *result, const struct result_finding *finding)
{
    const struct result_region *region =
        finding->region == RESULT_NONE ? NULL : &result->regions[finding->region];
    const struct result_site *site =
        finding->site == RESULT_NONE ? NULL : &result->sites[finding->site];
    const struct result_pattern *pattern =
        finding->wait_pattern == RESULT_NONE ? NULL : &result->patterns[finding->wait_pattern];
    json_t *gain = gain_of(finding);
    double error = whatif_change(result->time_ns, result->replayed_ns);
    return JSON_OBJECT(
        JSON_TEXT(finding, kind), JSON_TEXT(finding, name), JSON_TEXT(finding, text),
        JSON_TEXT(finding, hint), JSON_TEXT(finding, place),
        {"region", region ? json_text(region->name) : NULL},
        {"source", site ? json_text(site->source) : NULL},
        {"path",
         finding->path == RESULT_NONE ? NULL : json_text(result->paths[finding->path].path)},
        {"ranks", JSON_EACH(i, finding->n_ranks, json_integer(finding->ranks[i]))},
        {"pattern", finding->wait_pattern == RESULT_NONE
                        ? NULL
                        : json_text(result->patterns[finding->wait_pattern].id)},
        {"cause", put_place(json_object(), result, &finding->cause_at, finding->causing,
                            finding->n_causing)},
        {"waiting", pattern ? put_place(JSON_OBJECT({"pattern", json_text(pattern->id)}), result,
                                        &finding->wait_at, finding->waiting, finding->n_waiting)
                            : NULL},
        JSON_NUMBER(finding, confidence), {"gain_ns", gain},
        {"replay_error", gain ? json_number(error) : NULL},
        {"tried", finding->tried ? json_text(finding->tried) : NULL}, JSON_COUNT(finding, loss_ns),
        JSON_NUMBER(finding, share),
        {"remedies", JSON_EACH(i, finding->n_remedies, remedy_object(&finding->remedies[i]))});
}

static json_t *hint_object(const struct result_hint *hint)
{
    return JSON_OBJECT(JSON_TEXT(hint, pattern), JSON_TEXT(hint, text), JSON_TEXT(hint, source),
                       JSON_TEXT(hint, file));
}

void json_put_findings(json_t *report, const struct result *result)
{
    JSON_PUT(report, {"hints", JSON_EACH(i, result->n_hints, hint_object(&result->hints[i]))},
             {"findings",
              JSON_EACH(k, result->n_findings, finding_object(result, &result->findings[k]))},
             JSON_COUNT(result, found_rest_ns),
             {"unpredicted", result->unpredicted ? json_text(result->unpredicted) : NULL},
             {"replayed_ns", result->replayed_ns > 0 ? json_count(result->replayed_ns) : NULL},
             {"untraced_ns", result->untraced_ns > 0 ? json_count(result->untraced_ns) : NULL},
             JSON_TEXT(result, headline), JSON_TEXT(result, conclusion));
}
