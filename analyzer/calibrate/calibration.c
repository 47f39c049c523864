// SPDX-License-Identifier: BSD-3-Clause
// Two machines side by side.
#include "analyzer/calibrate/calibration.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

static const uint64_t sizes[] = {0, 1024, 65536, 1048576};
enum { N_SIZES = sizeof sizes / sizeof sizes[0], MOST_MEMBERS = 16, COMPARED_BYTES = 1024 };

/// A file without a cost has 0 for it.
static double known(uint64_t cost_ns)
{
    return cost_ns > 0 ? (double)cost_ns : -1;
}

/// Time of the calls and the message between them; < 0 without this scope.
static double message_ns(const struct machine *machine, enum machine_scope scope, uint64_t bytes)
{
    const struct machine_messages *messages = &machine->messages[scope];
    if (messages->n_points == 0)
        return -1;
    return (double)(machine_message_ns(messages, bytes) + messages->send_overhead_ns +
                    messages->receive_overhead_ns);
}

/// Bytes per second of long messages.
static double bandwidth(const struct machine *machine, enum machine_scope scope)
{
    enum { LONG_BYTES = 1 << 24 };
    double time_ns = message_ns(machine, scope, 2 * (uint64_t)LONG_BYTES) -
                     message_ns(machine, scope, LONG_BYTES);
    return time_ns > 0 ? LONG_BYTES / time_ns * 1e9 : -1;
}

/// Adds a row, unless there are too many; a format names it.
static void __attribute__((format(printf, 4, 5)))
add(struct calibration_differences *rows, double here, double there, const char *format, ...)
{
    if (rows->n == CALIBRATION_MAX_DIFFERENCES)
        return;
    struct calibration_difference *row = &rows->items[rows->n++];
    *row = (struct calibration_difference){.here = here, .there = there};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(row->what, sizeof row->what, format, arguments);
    va_end(arguments);
}

static void compare_messages(const struct calibration_report *report, enum machine_scope scope,
                             const char *name, struct calibration_differences *rows)
{
    const struct machine *here = report->machine, *there = report->against;
    const struct machine_messages *of_here = &here->messages[scope],
                                  *of_there = &there->messages[scope];
    if (of_here->n_points == 0)
        return;
    add(rows, known(of_here->send_overhead_ns), known(of_there->send_overhead_ns),
        "a send's own time, %s", name);
    add(rows, known(of_here->receive_overhead_ns), known(of_there->receive_overhead_ns),
        "a receive's own time, %s", name);
    for (int i = 0; i < N_SIZES; i++)
        add(rows, message_ns(here, scope, sizes[i]), message_ns(there, scope, sizes[i]),
            "message within %s, %llu bytes", scope == MACHINE_NETWORK ? "the network" : name,
            (unsigned long long)sizes[i]);
    add(rows, bandwidth(here, scope), bandwidth(there, scope), "bandwidth of the %s", name);
    if (rows->n > 0)
        rows->items[rows->n - 1].is_rate = true;
}

/// Of both machines, as far as they were measured.
static uint32_t compared_members(const struct calibration_report *report)
{
    uint32_t n = MOST_MEMBERS, n_here = report->machine->n_calibrated_members;
    uint32_t n_there = report->against->n_calibrated_members;
    n = n_here > 0 && n_here < n ? n_here : n;
    return n_there > 0 && n_there < n ? n_there : n;
}

/// By the formula; < 0 without one.
static double collective_ns(const struct machine *machine, uint8_t operation, uint32_t n_members)
{
    const struct machine_collective *collective =
        machine_collective(machine, operation, COMPARED_BYTES);
    if (!collective || !collective->time)
        return -1;
    return (double)machine_formula_ns(collective, n_members, COMPARED_BYTES);
}

struct calibration_differences calibration_compare(const struct calibration_report *report)
{
    const struct machine *here = report->machine, *there = report->against;
    struct calibration_differences rows = {0};
    uint32_t n_members = compared_members(report);
    add(&rows, known(here->compute_ns), known(there->compute_ns), "computing");
    add(&rows, known(here->hand_over_ns), known(there->hand_over_ns), "hand-over of a core");
    compare_messages(report, MACHINE_NODE, "node", &rows);
    compare_messages(report, MACHINE_NETWORK, "network", &rows);
    for (size_t i = 0; i < here->n_collectives; i++) {
        uint8_t operation = here->collectives[i].operation;
        bool is_there = false; // an operation has an element for each range of sizes
        for (size_t k = 0; k < i; k++)
            is_there = is_there || here->collectives[k].operation == operation;
        if (is_there)
            continue;
        const char *name = collective_operation_names[operation];
        bool is_barrier = strcmp(name, "barrier") == 0;
        char size[32];
        snprintf(size, sizeof size, ", %d bytes", COMPARED_BYTES);
        add(&rows, collective_ns(here, operation, n_members),
            collective_ns(there, operation, n_members), "%s of %" PRIu32 "%s", name, n_members,
            is_barrier ? "" : size);
    }
    return rows;
}
