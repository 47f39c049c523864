// SPDX-License-Identifier: BSD-3-Clause
// The first screen of the text report: what ran, how the ranks spent their time, and the findings;
// then the warnings, and what all sections print with. The tables are in profile.c and
// wait_states.c.
#include "analyzer/report/page.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "analyzer/base/error.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/result/cores.h"
#include "analyzer/result/whatif.h"

enum {
    DEFAULT_WIDTH = 80,
    LEAST_WIDTH = 60,
    ARGUMENTS_WIDTH = 40,
    LABEL_WIDTH = 16,
};
static const double worth_naming = 0.005; // of the ranks' time
static const double worth_a_note = 0.01;  // of the run time: a replay error

struct text_options text_options_for(FILE *stream)
{
    struct text_options options = {.depth = 4, .top = 12, .width = DEFAULT_WIDTH};
    struct winsize size;
    int file = fileno(stream);
    if (isatty(file) == 1 && ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        options.width = size.ws_col < LEAST_WIDTH ? LEAST_WIDTH : size.ws_col;
        options.cuts_lines = true;
    }
    options.has_colours = log_may_colour(stream);
    return options;
}

static uint64_t window_of(const struct result *result)
{
    return result->window_end_ns - result->window_begin_ns;
}

bool page_judges_part(const struct result *result)
{
    return window_of(result) > 0 && (double)window_of(result) <= 0.95 * (double)result->time_ns;
}

static bool has_call(const struct result *result, const char *begin)
{
    for (size_t i = 0; i < result->n_regions; i++)
        if (result->regions[i].is_mpi && !strncmp(result->regions[i].name, begin, strlen(begin)))
            return true;
    return false;
}

static const char *judged_between(const struct result *result)
{
    bool has_init = has_call(result, "MPI_Init"), has_finalize = has_call(result, "MPI_Finalize");
    return has_init && has_finalize ? "between MPI_Init and MPI_Finalize"
           : has_finalize           ? "before MPI_Finalize"
                                    : "after MPI_Init";
}

void page_run(const struct page *page)
{
    const struct result *result = page->result;
    bool colour = page->options->has_colours;
    size_t shown_bytes = utf8_prefix(result->arguments, ARGUMENTS_WIDTH);
    fprintf(page->stream, "%s%s%s%s%.*s%s: %s", colour ? "\033[1m" : "",
            result->program[0] ? result->program : "unnamed program", colour ? "\033[0m" : "",
            shown_bytes > 0 ? " " : "", (int)shown_bytes, result->arguments,
            result->arguments[shown_bytes] ? "..." : "",
            quantity_count(result->n_ranks, "rank").text);
    if (result->n_nodes > 0)
        fprintf(page->stream, " on %s", quantity_count(result->n_nodes, "node").text);
    uint64_t n_cores = cores_of(result).n;
    if (n_cores > 0)
        fprintf(page->stream, " with %s%s", quantity_count(n_cores, "core").text,
                result->n_nodes > 1 ? " in all" : "");
    fprintf(page->stream, ", %s\n", quantity_time(result->time_ns).text);
    if (result->interval.what) {
        fprintf(page->stream, "%s %s: from %s", result->interval.is_phase ? "phase" : "interval",
                result->interval.what, quantity_time(result->interval.begin_ns).text);
        fprintf(page->stream, " to %s of the run%s\n", quantity_time(result->interval.end_ns).text,
                result->interval.is_phase ? ", first rank in to last rank out" : "");
    }
    fprintf(page->stream, "trace %s: %s", result->trace_path,
            quantity_count(result->n_events, "event").text);
    fprintf(page->stream, ", %s", quantity_count(result->n_messages, "message").text);
    fprintf(page->stream, ", %s\n", quantity_count(result->n_collectives, "collective").text);
    if (page_judges_part(result))
        fprintf(page->stream, "judged: the %s %s, %s of the run\n",
                quantity_time(window_of(result)).text, judged_between(result),
                quantity_part((double)window_of(result), (double)result->time_ns).text);
}

void page_ideal(const struct page *page)
{
    const struct result *result = page->result;
    const struct result_efficiency *efficiency = &result->efficiency;
    if (!result->has_ideal)
        return;
    page_labelled(page, "Communication",
                  "%s = serialisation %s x transfer %s; on an ideal network %s instead of %s",
                  quantity_share(efficiency->communication).text,
                  quantity_share(efficiency->serialization).text,
                  quantity_share(efficiency->transfer).text, quantity_time(result->ideal_ns).text,
                  quantity_time(window_of(result)).text);
    if (result->ideal_ns > window_of(result))
        page_labelled(page, "",
                      "longer on an ideal network: clocks of the recording disagree, or "
                      "partners are missing; transfer is taken for perfect");
}

/// ", LABEL 12.3 %" of all ranks' time, nothing below 0.5 %.
static struct quantity time_part(const struct result *result, const char *label, uint64_t ns)
{
    double total_ns = (double)result->total_ns;
    if (total_ns == 0 || (double)ns < worth_naming * total_ns)
        return (struct quantity){""};
    return quantity_format(", %s %s", label, quantity_part((double)ns, total_ns).text);
}

/// A factor of an efficiency; IS_SHORT, for a row with all four: without a decimal that is 0.
static struct quantity factor(double share, bool is_short)
{
    struct quantity text = quantity_share(share);
    if (is_short && strcmp(text.text, "100.0 %") == 0)
        return (struct quantity){"100 %"};
    return text;
}

/// How efficient the run was, and what the ranks did instead of computing.
static void print_efficiency(const struct page *page)
{
    const struct result *result = page->result;
    const struct result_efficiency *efficiency = &result->efficiency;
    double total_ns = (double)result->total_ns;
    bool has_lost = efficiency->cpu < 0.9995;
    if (result->total_ns == 0)
        return;
    if (!isnan(efficiency->parallel)) // not known where no rank computes
        page_labelled(page, "Efficiency", "%s = load balance %s%s%s x communication %s",
                      quantity_share(efficiency->parallel).text,
                      factor(efficiency->load_balance, has_lost).text, has_lost ? " x CPU " : "",
                      has_lost ? quantity_share(efficiency->cpu).text : "",
                      factor(efficiency->communication, has_lost).text);
    page_ideal(page);
    const char *gap = result->interval.is_phase ? "not in the phase" : "not recorded";
    page_labelled(page, "Ranks' time", "computing %s%s, waiting %s, other MPI %s%s%s",
                  quantity_part((double)result->useful_ns, total_ns).text,
                  time_part(result, "no CPU time", result->no_cpu_ns).text,
                  quantity_part((double)result->wait_ns, total_ns).text,
                  quantity_part((double)result->other_mpi_ns, total_ns).text,
                  time_part(result, "ended", result->ended_ns).text,
                  time_part(result, gap, result->unrecorded_ns).text);
}

char *bend_text(const struct result_bend *bend)
{
    if (bend->share == 0)
        return memory_copy_text("");
    return memory_format("%s less saves %s already%s%s%s", quantity_share(bend->share).text,
                         quantity_signed_time(bend->gain_ns).text, bend->then ? "; then " : "",
                         bend->then ? bend->then : "", bend->then ? " is critical" : "");
}

/// "Spread ...: predicted to save 350.0 ms, 31.8 % of the run (--balance solve)", or what else the
/// prediction says.
static void print_remedy(const struct page *page, const struct result_remedy *remedy)
{
    const struct result *result = page->result;
    char *value = remedy->value ? shell_word(remedy->value) : NULL;
    char *words = memory_format("--%s%s%s", remedy->option, value ? " " : "", value ? value : "");
    char *text, *bend = bend_text(&remedy->bend);
    if (!remedy->is_predicted)
        text = memory_format("%s (%s)", remedy->sentence, words);
    else if (remedy->gain_ns <= 0)
        text = memory_format("%s: predicted to save nothing (%s)", remedy->sentence, words);
    else
        text =
            memory_format("%s: predicted to save %s, %s of the run (%s)%s%s", remedy->sentence,
                          quantity_time((uint64_t)remedy->gain_ns).text,
                          quantity_part((double)remedy->gain_ns, (double)result->replayed_ns).text,
                          words, *bend ? ". " : "", bend);
    free(bend);
    fputs("     - ", page->stream);
    print_paragraph(text, 7, 7, page->options->width, page->stream);
    free(text);
    free(words);
    free(value);
}

static void print_finding(const struct page *page, size_t number,
                          const struct result_finding *finding)
{
    bool colour = page->options->has_colours;
    fprintf(page->stream, "  %zu. %s%s%s, %s\n     ", number, colour ? "\033[1m" : "",
            finding->name, colour ? "\033[0m" : "", quantity_share(finding->share).text);
    char *text = memory_format("%s%s%s", finding->text, finding->hint[0] ? " " : "", finding->hint);
    print_paragraph(text, 5, 5, page->options->width, page->stream);
    free(text);
    for (size_t i = 0; i < finding->n_remedies; i++)
        print_remedy(page, &finding->remedies[i]);
}

/// What savings are relative to, unless that is the measured run.
static void print_replay_error(const struct page *page)
{
    const struct result *result = page->result;
    double change = whatif_change(result->time_ns, result->replayed_ns);
    if (result->replayed_ns > 0 && fabs(change) > worth_a_note)
        page_labelled(page, "Replay error",
                      "%+.1f %%: with nothing changed %s would be predicted. Savings are relative "
                      "to that time.",
                      100 * change, quantity_time(result->replayed_ns).text);
}

/// What the lost time comes from, what would help, how sure that is.
static void print_findings(const struct page *page)
{
    const struct result *result = page->result;
    double total_ns = (double)result->total_ns;
    page_heading(page, "Findings",
                 "shares of the ranks' time; by what changing the program may save");
    for (size_t i = 0; i < result->n_findings; i++)
        print_finding(page, i + 1, &result->findings[i]);
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

void text_print(const struct result *result, const struct text_options *options, FILE *stream)
{
    struct page page = {
        .result = result,
        .options = options,
        .stream = stream,
        .unit = time_unit_for(result->time_ns),
        .rank_time_ns = (double)result->n_ranks * (double)result->time_ns,
        .place_time_ns = page_place_time_ns(result),
    };
    page_run(&page);
    fputc('\n', stream);
    print_efficiency(&page);
    page_thread_efficiency(&page);
    print_findings(&page);
    page_warnings(&page, false);
    page_groups(&page);
    page_iterations(&page);
    page_regions(&page);
    page_call_tree(&page);
    page_waits(&page);
    page_threads(&page);
    page_counters(&page);
    if (!result->interval.what)
        page_critical_path(&page);
}

void page_heading(const struct page *page, const char *heading, const char *explanation)
{
    bool colour = page->options->has_colours;
    fprintf(page->stream, "\n%s%s%s", colour ? "\033[1m" : "", heading, colour ? "\033[0m" : "");
    if (explanation[0])
        fprintf(page->stream, " (%s)", explanation);
    fputc('\n', page->stream);
}

void page_heading_of_times(const struct page *page, const char *heading, const char *explanation)
{
    char *in_unit = memory_format("%s in %s", heading, page->unit.name);
    page_heading(page, in_unit, explanation);
    free(in_unit);
}

void page_table(const struct page *page, struct table *table)
{
    table_print(table, 2, page->options->cuts_lines ? page->options->width : 0, page->stream);
}

void page_left_out(const struct page *page, uint64_t n_left_out, const char *noun,
                   const char *option)
{
    if (n_left_out > 0)
        fprintf(page->stream, "  ... and %s (more with %s)\n",
                quantity_count(n_left_out, noun).text, option);
}

void page_labelled(const struct page *page, const char *label, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = memory_format_list(format, arguments);
    va_end(arguments);
    fprintf(page->stream, "  %-*s", LABEL_WIDTH - 2, label);
    print_paragraph(text, LABEL_WIDTH, LABEL_WIDTH, page->options->width, page->stream);
    free(text);
}

void page_warnings(const struct page *page, bool of_damage_only)
{
    const struct result *result = page->result;
    if (of_damage_only ? !result->has_unreadable_records : result->n_warnings == 0)
        return;
    page_heading(page, "Warnings", "");
    for (size_t i = 0; i < result->n_warnings; i++) {
        const struct result_warning *warning = &result->warnings[i];
        if (of_damage_only && !warning->is_of_damage)
            continue;
        fputs("  ", page->stream);
        char *text = memory_format("%s [%s]", warning->text, warning->code);
        print_paragraph(text, 2, 4, page->options->width, page->stream);
        free(text);
    }
}

// ---- several intervals of one run

void text_print_intervals(const struct interval_page *page, const struct text_options *options,
                          FILE *stream)
{
    struct table table = {0};
    bool has_lost = false;
    for (size_t i = 0; i < page->n_rows; i++)
        has_lost |= page->rows[i].no_cpu_ns > 0;
    table_add_columns(&table, "from", "time", "efficiency", "load balance");
    if (has_lost)
        table_add_column(&table, "no CPU time", false);
    table_add_columns(&table, "waiting", "<interval", "<biggest loss");
    for (size_t i = 0; i < page->n_rows; i++) {
        const struct interval_row *row = &page->rows[i];
        table_add_cell(&table, "%s", quantity_time(row->begin_ns).text);
        table_add_cell(&table, "%s", quantity_time(row->time_ns).text);
        table_add_cell(&table, "%s", quantity_share(row->efficiency.parallel).text);
        table_add_cell(&table, "%s", quantity_share(row->efficiency.load_balance).text);
        if (has_lost)
            table_add_cell(&table, "%s",
                           quantity_part((double)row->no_cpu_ns, (double)row->total_ns).text);
        table_add_cell(&table, "%s",
                       quantity_part((double)row->wait_ns, (double)row->total_ns).text);
        table_add_cell(&table, "%s", row->name);
        table_add_cell(&table, "%s", row->headline);
    }
    fprintf(stream, "trace %s: %s\n\n", page->trace, quantity_count(page->n_rows, "interval").text);
    table_print(&table, 2, options->cuts_lines ? options->width : 0, stream);
}
