// SPDX-License-Identifier: BSD-3-Clause
// What ran, how its time was spent and how efficiently, and what was wrong with its trace.
#include <math.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/report/views/views.h"
#include "analyzer/result/cores.h"

enum { ARGUMENTS_WIDTH = 40 };
static const double worth_naming = 0.005; // of the ranks' time

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
    if (!has_init && !has_finalize && has_call(result, "MPI_Session_init"))
        return "after MPI_Session_init";
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
    if (result->programs)
        fprintf(page->stream, "programs: %s; --group program compares them\n", result->programs);
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

/// Of the ranks' computing.
static struct quantity lost_by_threads(const struct result *result)
{
    double lost_ns = (double)result->threads.lost_ns, total_ns = (double)result->total_ns;
    if (lost_ns < worth_naming * total_ns)
        return (struct quantity){""};
    return quantity_format(" (threads lose %s)", quantity_part(lost_ns, total_ns).text);
}

void page_efficiency(const struct page *page)
{
    const struct result *result = page->result;
    const struct result_efficiency *efficiency = &result->efficiency;
    double total_ns = (double)result->total_ns;
    bool has_lost = efficiency->cpu < 0.9995;
    bool has_mpi = has_call(result, "");
    if (result->total_ns == 0 || (result->is_of_tasks && !has_mpi)) // see page_task_time()
        return;
    if (!isnan(efficiency->parallel) && (result->n_ranks > 1 || has_mpi)) // a rank computes
        page_labelled(page, "Efficiency", "%s = load balance %s%s%s x communication %s",
                      quantity_share(efficiency->parallel).text,
                      factor(efficiency->load_balance, has_lost).text, has_lost ? " x CPU " : "",
                      has_lost ? quantity_share(efficiency->cpu).text : "",
                      factor(efficiency->communication, has_lost).text);
    page_ideal(page);
    const char *gap = result->interval.is_phase ? "not in the phase" : "not recorded";
    page_labelled(page, "Ranks' time", "computing %s%s%s, waiting %s, other MPI %s%s%s",
                  quantity_part((double)result->useful_ns, total_ns).text,
                  lost_by_threads(result).text,
                  time_part(result, "no CPU time", result->no_cpu_ns).text,
                  quantity_part((double)result->wait_ns, total_ns).text,
                  quantity_part((double)result->other_mpi_ns, total_ns).text,
                  time_part(result, "ended", result->ended_ns).text,
                  time_part(result, gap, result->unrecorded_ns).text);
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
        SCOPED char *text = memory_format("%s [%s]", warning->text, warning->code);
        print_paragraph(text, 2, 4, page->options->width, page->stream);
    }
}

// ---- JSON

static json_t *trace_object(const struct result *result)
{
    bool is_corrected = result->clock_moved_ns > 0;
    return JSON_OBJECT(
        {"path", json_text(result->trace_path)}, JSON_TEXT(result, program),
        JSON_TEXT(result, arguments), JSON_TEXT(result, creator),
        {"ranks", json_count(result->n_ranks)}, {"nodes", json_count(result->n_nodes)},
        {"locations", json_count(result->n_locations)}, {"events", json_count(result->n_events)},
        {"messages", json_count(result->n_messages)},
        {"collectives", json_count(result->n_collectives)},
        {"clock_violations", json_count(result->n_clock_violations)},
        JSON_COUNT(result, max_clock_violation_ns),
        {"has_cpu_time", json_boolean(result->has_cpu_time)},
        {"clock_moved_ns", is_corrected ? json_count(result->clock_moved_ns) : NULL},
        {"clock_violations_left",
         is_corrected ? json_count(result->n_clock_violations_left) : NULL});
}

static json_t *window_object(const struct result *result)
{
    return JSON_OBJECT({"begin_ns", json_count(result->window_begin_ns)},
                       {"end_ns", json_count(result->window_end_ns)}, JSON_COUNT(result, useful_ns),
                       JSON_COUNT(result, no_cpu_ns), JSON_COUNT(result, blocked_ns),
                       JSON_COUNT(result, wait_ns), JSON_COUNT(result, other_mpi_ns),
                       JSON_COUNT(result, ended_ns), JSON_COUNT(result, unrecorded_ns),
                       {"threads_lost_ns",
                        result->threads.n_threads > 0 ? json_count(result->threads.lost_ns) : NULL},
                       {"ideal_ns", result->has_ideal ? json_count(result->ideal_ns) : NULL});
}

static json_t *interval_object(const struct result *result)
{
    return JSON_OBJECT(
        {"name", json_text(result->interval.what)}, JSON_FLAG(&result->interval, is_phase),
        JSON_COUNT(&result->interval, begin_ns), JSON_COUNT(&result->interval, end_ns));
}

static json_t *efficiency_object(const struct result_efficiency *efficiency)
{
    return JSON_OBJECT(JSON_NUMBER(efficiency, parallel), JSON_NUMBER(efficiency, load_balance),
                       JSON_NUMBER(efficiency, cpu), JSON_NUMBER(efficiency, communication),
                       JSON_NUMBER(efficiency, serialization), JSON_NUMBER(efficiency, transfer));
}

static json_t *node_object(const struct result_node *node)
{
    return JSON_OBJECT(JSON_TEXT(node, name), JSON_TEXT(node, machine),
                       {"cores", json_index(node->n_cores > 0 ? node->n_cores : RESULT_NONE)},
                       {"ranks", json_count(node->n_ranks)});
}

static json_t *mpi_classes_object(const uint64_t *ns)
{
    json_t *object = json_object();
    for (unsigned i = 1; i < RESULT_MPI_CLASSES; i++) {
        char key[32];
        snprintf(key, sizeof key, "%s_ns", result_mpi_class_keys[i]);
        json_object_set_new(object, key, json_count(ns[i]));
    }
    return object;
}

static json_t *rank_object(const struct result *result, size_t i)
{
    const struct result_rank *rank = &result->ranks[i];
    return JSON_OBJECT(
        {"rank", json_count(i)}, {"program", result->programs ? json_text(rank->program) : NULL},
        {"node", json_text(rank->node < result->n_nodes ? result->nodes[rank->node].name : "")},
        JSON_COUNT(rank, useful_ns), JSON_COUNT(rank, no_cpu_ns), JSON_COUNT(rank, blocked_ns),
        JSON_COUNT(rank, mpi_ns), JSON_COUNT(rank, wait_ns), JSON_COUNT(rank, no_cpu_mpi_ns),
        {"mpi_classes", mpi_classes_object(rank->mpi_class_ns)},
        {"recorded_until_ns", rank->is_cut_short ? json_count(rank->recorded_until_ns) : NULL});
}

void json_put_run(json_t *report, const struct result *result)
{
    JSON_PUT(report, {"trace", trace_object(result)},
             {"warnings", json_warnings(result->warnings, result->n_warnings)},
             JSON_COUNT(result, time_ns),
             {"interval", result->interval.what ? interval_object(result) : NULL},
             {"window", window_object(result)},
             {"efficiency", efficiency_object(&result->efficiency)},
             {"nodes", JSON_EACH(i, result->n_nodes, node_object(&result->nodes[i]))},
             {"ranks", JSON_EACH(k, result->n_ranks, rank_object(result, k))});
}

static json_t *warning_object(const struct result_warning *warning)
{
    return JSON_OBJECT(JSON_TEXT(warning, code), JSON_COUNT(warning, count),
                       JSON_TEXT(warning, text));
}

json_t *json_warnings(const struct result_warning *warnings, size_t n)
{
    return JSON_EACH(i, n, warning_object(&warnings[i]));
}
