// SPDX-License-Identifier: BSD-3-Clause
// Two machines side by side.
#include "analyzer/report/calibration.h"

#include <string.h>

static const uint64_t sizes[] = {0, 1024, 65536, 1048576};
enum { N_SIZES = sizeof sizes / sizeof sizes[0], COMPARED_MEMBERS = 16, COMPARED_BYTES = 1024 };

static struct calibration_difference *
add(struct calibration_difference rows[CALIBRATION_MAX_DIFFERENCES], size_t *n, const char *what)
{
    static struct calibration_difference spare;
    struct calibration_difference *row = *n < CALIBRATION_MAX_DIFFERENCES ? &rows[(*n)++] : &spare;
    *row = (struct calibration_difference){.here = -1, .there = -1};
    snprintf(row->what, sizeof row->what, "%s", what);
    return row;
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

static void compare_messages(const struct calibration_report *report, enum machine_scope scope,
                             const char *name, struct calibration_difference *rows, size_t *n)
{
    char what[64];
    if (report->machine->messages[scope].n_points == 0)
        return;
    for (int i = 0; i < N_SIZES; i++) {
        snprintf(what, sizeof what, "message within %s, %llu bytes",
                 scope == MACHINE_NETWORK ? "the network" : name, (unsigned long long)sizes[i]);
        struct calibration_difference *row = add(rows, n, what);
        row->here = message_ns(report->machine, scope, sizes[i]);
        row->there = message_ns(report->against, scope, sizes[i]);
    }
    snprintf(what, sizeof what, "bandwidth of the %s", name);
    struct calibration_difference *row = add(rows, n, what);
    row->is_rate = true;
    row->here = bandwidth(report->machine, scope);
    row->there = bandwidth(report->against, scope);
}

/// By the formula; < 0 without one.
static double collective_ns(const struct machine *machine, uint8_t operation)
{
    const struct machine_collective *collective =
        machine_collective(machine, operation, COMPARED_BYTES);
    if (!collective || !collective->time)
        return -1;
    return (double)machine_formula_ns(collective, COMPARED_MEMBERS, COMPARED_BYTES);
}

size_t calibration_compare(const struct calibration_report *report,
                           struct calibration_difference rows[CALIBRATION_MAX_DIFFERENCES])
{
    size_t n = 0;
    struct calibration_difference *row = add(rows, &n, "computing");
    row->here = report->machine->compute_ns > 0 ? (double)report->machine->compute_ns : -1;
    row->there = report->against->compute_ns > 0 ? (double)report->against->compute_ns : -1;
    row = add(rows, &n, "hand-over of a core");
    row->here = (double)report->machine->hand_over_ns;
    row->there = (double)report->against->hand_over_ns;
    compare_messages(report, MACHINE_NODE, "node", rows, &n);
    compare_messages(report, MACHINE_NETWORK, "network", rows, &n);
    for (size_t i = 0; i < report->machine->n_collectives; i++) {
        char what[64];
        uint8_t operation = report->machine->collectives[i].operation;
        snprintf(what, sizeof what, "%s of %d, %d bytes", collective_operation_names[operation],
                 COMPARED_MEMBERS, COMPARED_BYTES);
        row = add(rows, &n, what);
        row->here = collective_ns(report->machine, operation);
        row->there = collective_ns(report->against, operation);
    }
    return n;
}
