// SPDX-License-Identifier: BSD-3-Clause
// A calibration as text and JSON.
#include "analyzer/calibrate/calibration.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/report/json.h"
#include "analyzer/report/report.h"
#include "analyzer/report/table.h"

static struct quantity time_of(double ns)
{
    return quantity_time(ns > 0 ? (uint64_t)(ns + 0.5) : 0);
}

static void print_hosts(const struct measurements *measurements, FILE *stream)
{
    for (size_t i = 0; i < measurements->n_hosts; i++) {
        const struct measured_host *host = &measurements->hosts[i];
        fprintf(stream, "%s: %s, %s in %s, %s\n", host->name,
                quantity_count((uint64_t)host->n_ranks, "rank").text,
                quantity_count((uint64_t)host->n_cores, "core").text,
                quantity_count((uint64_t)host->n_packages, "package").text, host->processor);
    }
    fprintf(stream, "MPI: %s\n", measurements->mpi);
}

/// TEXT as a paragraph after WORD; frees it.
static void print_words(const char *word, char *text, FILE *stream)
{
    int column = fprintf(stream, "%s", word);
    print_paragraph(text, (size_t)column, (size_t)column, text_options_for(stream).width, stream);
    free(text);
}

static double half_of(const struct measured_scope_costs *costs, double size_bytes)
{
    for (size_t i = 0; i < costs->n_messages; i++)
        if (costs->messages[i].size_bytes == size_bytes)
            return costs->messages[i].time_ns;
    return -1;
}

static void add_time(struct table *table, double ns)
{
    table_add_cell(table, "%s", ns < 0 ? "-" : time_of(ns).text);
}

static void print_messages(const struct calibration_report *report, FILE *stream)
{
    const struct measurements *measurements = report->measurements;
    SCOPED_BY(table_release) struct table table = {0};
    table_add_columns(&table, "<Messages", "8 B", "1 KiB", "1 MiB", "send", "receive",
                      "eager up to", "fit error", "worst");
    for (int scope = SCOPE_NODE; scope < N_SCOPES; scope++) {
        const struct measured_scope_costs *costs = &measurements->scopes[scope];
        if (costs->n_messages == 0)
            continue;
        table_add_cell(&table, "%s", scope_names[scope]);
        add_time(&table, half_of(costs, 8));
        add_time(&table, half_of(costs, 1024));
        add_time(&table, half_of(costs, 1048576));
        add_time(&table, costs->send_ns);
        add_time(&table, costs->receive_ns);
        table_add_cells(&table, costs->has_eager ? quantity_size(costs->eager_bytes).text : "any");
        double rms = report->errors->message_rms[scope];
        table_add_cells(&table, rms < 0 ? "-" : quantity_share(rms).text,
                        rms < 0 ? "-" : quantity_share(report->errors->message_worst[scope]).text);
    }
    if (table.n_cells > 0) {
        fputc('\n', stream);
        table_print(&table, 0, 0, stream);
    }
}

static void print_cores(const struct measurements *measurements, FILE *stream)
{
    if (measurements->hand_over_ns < 0)
        return;
    if (measurements_spins(measurements)) {
        fputc('\n', stream);
        print_words(
            "",
            memory_format("A waiting rank spins: work on the same core took %.2f times as long. "
                          "Predict shared cores with --wait spin. Half a round trip between two "
                          "ranks on one core took %s.",
                          measurements->waiting_slowdown, time_of(measurements->hand_over_ns).text),
            stream);
        return;
    }
    fputc('\n', stream);
    print_words(
        "",
        memory_format("A waiting rank blocks and leaves its core. The hand-over to another rank "
                      "costs %s, and %s more if both use %s of cache.",
                      time_of(measurements_hand_over_ns(measurements)).text,
                      time_of(measurements->working_set_ns).text,
                      quantity_size((uint64_t)measurements->working_set_bytes).text),
        stream);
}

static void print_collectives(const struct calibration_report *report, FILE *stream)
{
    const struct machine_text_errors *errors = report->errors;
    if (errors->collective_rms < 0)
        return;
    int n_numbers, n_members = measurements_members(report->measurements, &n_numbers);
    fputc('\n', stream);
    print_words(
        "",
        memory_format("Collectives of up to %d ranks: %s with a fit error of %s (at worst %s, %s).",
                      n_members, quantity_count(report->machine->n_collectives, "formula").text,
                      quantity_share(errors->collective_rms).text,
                      quantity_share(errors->collective_worst).text, errors->worst_collective),
        stream);
}

static void print_differences(const struct calibration_report *report, FILE *stream)
{
    struct calibration_differences rows = calibration_compare(report);
    struct table table = {0};
    table_add_columns(&table, "<", "here");
    table_add_column(&table, report->against_path, false);
    table_add_column(&table, "there / here", false);
    for (size_t i = 0; i < rows.n; i++) {
        const struct calibration_difference *row = &rows.items[i];
        const double values[] = {row->here, row->there};
        table_add_cell(&table, "%s", row->what);
        for (int k = 0; k < 2; k++) {
            if (values[k] < 0)
                table_add_cell(&table, "-");
            else if (row->is_rate)
                table_add_cell(&table, "%s/s", quantity_size((uint64_t)values[k]).text);
            else
                table_add_cell(&table, "%s", time_of(values[k]).text);
        }
        table_add_cells(&table, (row->here > 0 && row->there >= 0)
                                    ? quantity_format("%.2f", row->there / row->here).text
                                    : "-");
    }
    fputc('\n', stream);
    table_print(&table, 0, 0, stream);
    const struct machine *here = report->machine, *there = report->against;
    if (here->compute_ns > 0 && there->compute_ns > 0)
        fprintf(stream, "To predict that machine from a run recorded here, add --cpu-speed %.3f.\n",
                (double)here->compute_ns / (double)there->compute_ns);
}

void text_print_calibration(const struct calibration_report *report, FILE *stream)
{
    const struct measurements *measurements = report->measurements;
    print_hosts(measurements, stream);
    print_messages(report, stream);
    print_cores(measurements, stream);
    print_collectives(report, stream);
    fputc('\n', stream);
    print_words("Not measured: ", measurements_missing(measurements), stream);
    for (size_t i = 0; i < measurements->n_warnings; i++) {
        fputs(i == 0 ? "\n" : "", stream);
        print_words("warning: ", memory_copy_text(measurements->warnings[i]), stream);
    }
    if (report->against)
        print_differences(report, stream);
    fprintf(stream, "\n%s written; next: pagoda replay TRACE --machine %s\n", report->path,
            report->path);
}

/// Null for what was not measured.
static json_t *measured(double value)
{
    return value < 0 ? json_null() : json_real(value);
}

static json_t *host_object(const struct measured_host *host)
{
    return JSON_OBJECT(
        JSON_TEXT(host, name), JSON_TEXT(host, processor), {"ranks", json_integer(host->n_ranks)},
        {"cores", json_integer(host->n_cores)}, {"packages", json_integer(host->n_packages)});
}

static json_t *message_object(const struct measured_message *message)
{
    return JSON_OBJECT(JSON_REAL(message, size_bytes),
                       {"half_round_trip_ns", json_real(message->time_ns)},
                       JSON_REAL(message, spread), {"samples", json_integer(message->n_samples)});
}

static json_t *scope_object(const struct calibration_report *report, size_t scope)
{
    const struct measured_scope_costs *costs = &report->measurements->scopes[scope];
    if (costs->n_messages == 0)
        return NULL;
    return JSON_OBJECT(
        {"scope", json_string(scope_names[scope])},
        {"messages", JSON_EACH(i, costs->n_messages, message_object(&costs->messages[i]))},
        {"send_overhead_ns", json_real(costs->send_ns)},
        {"receive_overhead_ns", json_real(costs->receive_ns)},
        {"eager_bytes", costs->has_eager ? json_count(costs->eager_bytes) : json_null()},
        {"fit_rms", measured(report->errors->message_rms[scope])},
        {"fit_worst", measured(report->errors->message_worst[scope])});
}

static json_t *collective_object(const struct measured_collective *collective)
{
    return JSON_OBJECT(
        JSON_TEXT(collective, operation), {"members", json_real(collective->n_members)},
        JSON_REAL(collective, size_bytes), JSON_REAL(collective, time_ns),
        JSON_REAL(collective, spread), {"samples", json_integer(collective->n_samples)});
}

static json_t *difference_object(const struct calibration_difference *row)
{
    return JSON_OBJECT(JSON_TEXT(row, what),
                       {row->is_rate ? "here_bytes_per_s" : "here_ns", measured(row->here)},
                       {row->is_rate ? "there_bytes_per_s" : "there_ns", measured(row->there)});
}

void json_print_calibration(const struct calibration_report *report, FILE *stream)
{
    const struct measurements *of = report->measurements;
    bool has_cores = of->hand_over_ns >= 0, has_waiting = of->waiting_slowdown > 0;
    struct calibration_differences rows = {0};
    if (report->against)
        rows = calibration_compare(report);
    SCOPED char *missing = measurements_missing(of);
    JSON_PRINT(
        stream, JSON_COMPACT | JSON_REAL_PRECISION(9), JSON_TEXT(report, path), JSON_TEXT(of, mpi),
        {"hosts", JSON_EACH(i, of->n_hosts, host_object(&of->hosts[i]))}, JSON_REAL(of, compute_ns),
        {"scopes", JSON_EACH(i, N_SCOPES, scope_object(report, i))},
        {"hand_over_ns", has_cores ? json_real(measurements_hand_over_ns(of)) : json_null()},
        {"waiting",
         has_waiting ? json_string(measurements_spins(of) ? "spin" : "block") : json_null()},
        {"collectives", JSON_EACH(i, of->n_collectives, collective_object(&of->collectives[i]))},
        {"collective_fit_rms", measured(report->errors->collective_rms)},
        {"missing", json_text(missing)},
        {"warnings", JSON_EACH(i, of->n_warnings, json_text(of->warnings[i]))},
        {"differences",
         report->against ? JSON_EACH(k, rows.n, difference_object(&rows.items[k])) : NULL});
}
