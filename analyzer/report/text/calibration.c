// SPDX-License-Identifier: BSD-3-Clause
// A calibration for the terminal.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/quantity.h"
#include "analyzer/report/calibration.h"
#include "analyzer/report/table.h"
#include "analyzer/report/text.h"

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

/// TEXT as a paragraph behind WORD; frees it.
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
    struct table table = {0};
    table_add_column(&table, "Messages", true);
    table_add_column(&table, "8 B", false);
    table_add_column(&table, "1 KiB", false);
    table_add_column(&table, "1 MiB", false);
    table_add_column(&table, "send", false);
    table_add_column(&table, "receive", false);
    table_add_column(&table, "eager up to", false);
    table_add_column(&table, "fit", false);
    table_add_column(&table, "worst", false);
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
        if (costs->has_eager)
            table_add_cell(&table, "%s", quantity_size(costs->eager_bytes).text);
        else
            table_add_cell(&table, "any");
        double rms = report->errors->message_rms[scope];
        table_add_cell(&table, "%s", rms < 0 ? "-" : quantity_share(rms).text);
        table_add_cell(&table, "%s",
                       rms < 0 ? "-" : quantity_share(report->errors->message_worst[scope]).text);
    }
    if (table.n_cells > 0) {
        fputc('\n', stream);
        table_print(&table, 0, 0, stream);
    }
    table_release(&table);
}

static void print_cores(const struct measurements *measurements, FILE *stream)
{
    if (measurements->hand_over_ns < 0)
        return;
    if (measurements_spins(measurements)) {
        fputc('\n', stream);
        print_words(
            "",
            memory_format("A rank that waits keeps its core busy (work beside it took %.2f "
                          "times as long): predict shared cores with --wait spin. Half of a "
                          "round trip of two ranks on one core: %s.",
                          measurements->waiting_slowdown, time_of(measurements->hand_over_ns).text),
            stream);
        return;
    }
    fputc('\n', stream);
    print_words(
        "",
        memory_format("A rank that waits leaves its core. Handing the core over costs %s, and "
                      "%s more where both ranks use %s of cache.",
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
        memory_format("Collectives of up to %d ranks: %s, fitted within %s (at worst %s, %s).",
                      n_members, quantity_count(report->machine->n_collectives, "formula").text,
                      quantity_share(errors->collective_rms).text,
                      quantity_share(errors->collective_worst).text, errors->worst_collective),
        stream);
}

static void print_differences(const struct calibration_report *report, FILE *stream)
{
    struct calibration_difference rows[CALIBRATION_MAX_DIFFERENCES];
    size_t n = calibration_compare(report, rows);
    struct table table = {0};
    table_add_column(&table, "", true);
    table_add_column(&table, "here", false);
    table_add_column(&table, report->against_path, false);
    table_add_column(&table, "there / here", false);
    for (size_t i = 0; i < n; i++) {
        const double values[] = {rows[i].here, rows[i].there};
        table_add_cell(&table, "%s", rows[i].what);
        for (int k = 0; k < 2; k++) {
            if (values[k] < 0)
                table_add_cell(&table, "-");
            else if (rows[i].is_rate)
                table_add_cell(&table, "%s/s", quantity_size((uint64_t)values[k]).text);
            else
                table_add_cell(&table, "%s", time_of(values[k]).text);
        }
        if (rows[i].here > 0 && rows[i].there >= 0)
            table_add_cell(&table, "%.2f", rows[i].there / rows[i].here);
        else
            table_add_cell(&table, "-");
    }
    fputc('\n', stream);
    table_print(&table, 0, 0, stream);
    table_release(&table);
    const struct machine *here = report->machine, *there = report->against;
    if (here->compute_ns > 0 && there->compute_ns > 0)
        fprintf(stream,
                "A run recorded here and predicted for that machine needs --cpu-speed %.3f.\n",
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
