// SPDX-License-Identifier: BSD-3-Clause
// A calibration as text and JSON.
#include "analyzer/calibrate/calibration.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/quantity.h"
#include "analyzer/report/json.h"
#include "analyzer/report/json_values.h"
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

/// Null for what was not measured.
static json_t *number(double value)
{
    return value < 0 ? json_null() : json_real(value);
}

static json_t *hosts(const struct measurements *measurements)
{
    json_t *list = json_array();
    for (size_t i = 0; i < measurements->n_hosts; i++) {
        const struct measured_host *host = &measurements->hosts[i];
        json_t *object = json_object();
        json_object_set_new(object, "name", json_clean_text(host->name));
        json_object_set_new(object, "processor", json_clean_text(host->processor));
        json_object_set_new(object, "ranks", json_integer(host->n_ranks));
        json_object_set_new(object, "cores", json_integer(host->n_cores));
        json_object_set_new(object, "packages", json_integer(host->n_packages));
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *scope_object(const struct calibration_report *report, int scope)
{
    const struct measured_scope_costs *costs = &report->measurements->scopes[scope];
    json_t *object = json_object(), *messages = json_array();
    json_object_set_new(object, "scope", json_string(scope_names[scope]));
    for (size_t i = 0; i < costs->n_messages; i++) {
        json_t *message = json_object();
        json_object_set_new(message, "size_bytes", json_real(costs->messages[i].size_bytes));
        json_object_set_new(message, "half_round_trip_ns", json_real(costs->messages[i].time_ns));
        json_object_set_new(message, "spread", json_real(costs->messages[i].spread));
        json_object_set_new(message, "samples", json_integer(costs->messages[i].n_samples));
        json_array_append_new(messages, message);
    }
    json_object_set_new(object, "messages", messages);
    json_object_set_new(object, "send_overhead_ns", json_real(costs->send_ns));
    json_object_set_new(object, "receive_overhead_ns", json_real(costs->receive_ns));
    json_object_set_new(object, "eager_bytes",
                        costs->has_eager ? json_integer((json_int_t)costs->eager_bytes)
                                         : json_null());
    json_object_set_new(object, "fit_rms", number(report->errors->message_rms[scope]));
    json_object_set_new(object, "fit_worst", number(report->errors->message_worst[scope]));
    return object;
}

static json_t *collectives(const struct measurements *measurements)
{
    json_t *list = json_array();
    for (size_t i = 0; i < measurements->n_collectives; i++) {
        const struct measured_collective *collective = &measurements->collectives[i];
        json_t *object = json_object();
        json_object_set_new(object, "operation", json_clean_text(collective->operation));
        json_object_set_new(object, "members", json_real(collective->n_members));
        json_object_set_new(object, "size_bytes", json_real(collective->size_bytes));
        json_object_set_new(object, "time_ns", json_real(collective->time_ns));
        json_object_set_new(object, "spread", json_real(collective->spread));
        json_object_set_new(object, "samples", json_integer(collective->n_samples));
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *differences(const struct calibration_report *report)
{
    struct calibration_difference rows[CALIBRATION_MAX_DIFFERENCES];
    size_t n = calibration_compare(report, rows);
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) {
        json_t *object = json_object();
        json_object_set_new(object, "what", json_clean_text(rows[i].what));
        json_object_set_new(object, rows[i].is_rate ? "here_bytes_per_s" : "here_ns",
                            number(rows[i].here));
        json_object_set_new(object, rows[i].is_rate ? "there_bytes_per_s" : "there_ns",
                            number(rows[i].there));
        json_array_append_new(list, object);
    }
    return list;
}

int json_print_calibration(const struct calibration_report *report, const char *version,
                           FILE *stream, struct error *err)
{
    const struct measurements *measurements = report->measurements;
    json_t *top = json_object(), *scopes = json_array(), *warnings = json_array();
    json_object_set_new(top, "schema", json_integer(1));
    json_object_set_new(top, "pagoda", json_string(version));
    json_object_set_new(top, "path", json_clean_text(report->path));
    json_object_set_new(top, "mpi", json_clean_text(measurements->mpi));
    json_object_set_new(top, "hosts", hosts(measurements));
    json_object_set_new(top, "compute_ns", json_real(measurements->compute_ns));
    for (int scope = 0; scope < N_SCOPES; scope++)
        if (measurements->scopes[scope].n_messages > 0)
            json_array_append_new(scopes, scope_object(report, scope));
    json_object_set_new(top, "scopes", scopes);
    json_object_set_new(top, "hand_over_ns",
                        measurements->hand_over_ns < 0
                            ? json_null()
                            : json_real(measurements_hand_over_ns(measurements)));
    json_object_set_new(top, "waiting",
                        measurements->waiting_slowdown <= 0
                            ? json_null()
                            : json_string(measurements_spins(measurements) ? "spin" : "block"));
    json_object_set_new(top, "collectives", collectives(measurements));
    json_object_set_new(top, "collective_fit_rms", number(report->errors->collective_rms));
    char *missing = measurements_missing(measurements);
    json_object_set_new(top, "missing", json_clean_text(missing));
    free(missing);
    for (size_t i = 0; i < measurements->n_warnings; i++)
        json_array_append_new(warnings, json_clean_text(measurements->warnings[i]));
    json_object_set_new(top, "warnings", warnings);
    if (report->against)
        json_object_set_new(top, "differences", differences(report));
    return json_print_object(top, JSON_COMPACT | JSON_REAL_PRECISION(9), "the calibration", stream,
                             err);
}
