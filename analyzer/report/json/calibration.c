// SPDX-License-Identifier: BSD-3-Clause
// A calibration as JSON, by jansson.
#include <jansson.h>
#include <stdlib.h>

#include "analyzer/report/calibration.h"
#include "analyzer/report/json/values.h"

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
