// SPDX-License-Identifier: BSD-3-Clause
// What machine files say, by the names of pagoda-machine(5); what a file does not say is null.
#include "analyzer/report/json/machines.h"

#include <jansson.h>

#include "analyzer/pag/pag.h"
#include "analyzer/report/json/values.h"

static json_t *text_or_null(const char *text)
{
    return text && text[0] ? json_clean_text(text) : json_null();
}

/// A number of which 0 says nothing.
static json_t *count_or_null(uint64_t count)
{
    return count > 0 ? json_count(count) : json_null();
}

/// A size that is UINT64_MAX where there is no such limit.
static json_t *limit(uint64_t size_bytes)
{
    return size_bytes == UINT64_MAX ? json_null() : json_count(size_bytes);
}

static json_t *messages_object(const char *scope, const struct machine_messages *messages)
{
    json_t *object = json_object(), *points = json_array();
    json_object_set_new(object, "scope", json_clean_text(scope));
    for (size_t i = 0; i < messages->n_points; i++) {
        json_t *point = json_object();
        json_object_set_new(point, "size_bytes", json_count(messages->points[i].size_bytes));
        json_object_set_new(point, "time_ns", json_count(messages->points[i].time_ns));
        json_array_append_new(points, point);
    }
    json_object_set_new(object, "points", points);
    json_object_set_new(object, "eager_bytes", limit(messages->eager_bytes));
    json_object_set_new(object, "send_overhead_ns", json_count(messages->send_overhead_ns));
    json_object_set_new(object, "receive_overhead_ns", json_count(messages->receive_overhead_ns));
    json_object_set_new(object, "buses", count_or_null(messages->n_buses));
    return object;
}

static json_t *scope_list(const struct machine *machine)
{
    json_t *list = json_array();
    for (int scope = 0; scope < MACHINE_SCOPES; scope++)
        if (machine->messages[scope].n_points > 0)
            json_array_append_new(
                list, messages_object(machine_scope_names[scope], &machine->messages[scope]));
    for (size_t i = 0; i < machine->n_custom_scopes; i++)
        json_array_append_new(list, messages_object(machine->custom_scopes[i].name,
                                                    &machine->custom_scopes[i].messages));
    return list;
}

static json_t *collective_list(const struct machine *machine)
{
    json_t *list = json_array();
    for (size_t i = 0; i < machine->n_collectives; i++) {
        const struct machine_collective *collective = &machine->collectives[i];
        json_t *object = json_object();
        json_object_set_new(object, "operation",
                            json_string(collective_operation_names[collective->operation]));
        json_object_set_new(object, "from_bytes", json_count(collective->from_bytes));
        json_object_set_new(object, "below_bytes", limit(collective->below_bytes));
        json_object_set_new(object, "algorithm",
                            text_or_null(collective_algorithm_names[collective->algorithm]));
        json_object_set_new(object, "time", text_or_null(collective->time_text));
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *machine_object(const struct machine *machine)
{
    json_t *object = json_object();
    json_object_set_new(object, "name", json_clean_text(machine->name));
    json_object_set_new(object, "summary", text_or_null(machine->summary));
    json_object_set_new(object, "cores", count_or_null(machine->n_cores));
    json_object_set_new(object, "cpu_speed",
                        json_real((double)machine->speed / (double)PAG_WORK_PER_NS));
    json_object_set_new(object, "hand_over_ns", json_count(machine->hand_over_ns));
    json_object_set_new(object, "slice_ns", count_or_null(machine->slice_ns));
    json_object_set_new(object, "out_links", count_or_null(machine->out_links));
    json_object_set_new(object, "in_links", count_or_null(machine->in_links));
    json_object_set_new(object, "scopes", scope_list(machine));
    json_object_set_new(object, "collectives", collective_list(machine));
    json_object_set_new(object, "compute_ns", count_or_null(machine->compute_ns));
    json_object_set_new(object, "collective_members", count_or_null(machine->n_calibrated_members));
    for (int i = 0; i < MACHINE_ORIGINS; i++) {
        static const char *const keys[MACHINE_ORIGINS] = {
            "source",           "missing", "date",       "host",
            "processor",        "mpi",     "node_error", "network_error",
            "collective_error", "unsteady"};
        json_object_set_new(object, keys[i], text_or_null(machine->origins[i]));
    }
    json_object_set_new(object, "file", json_clean_text(machine->path));
    return object;
}

int json_print_machines(const struct machine *machines, size_t n, const char *version, FILE *stream,
                        struct error *err)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, machine_object(&machines[i]));
    return json_print_list("machines", list, version, stream, err);
}
