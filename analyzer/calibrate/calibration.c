// SPDX-License-Identifier: BSD-3-Clause
// Two machines side by side.
#include "analyzer/calibrate/calibration.h"

#include <inttypes.h>
#include <string.h>

static const uint64_t sizes[] = {0, 1024, 65536, 1048576};
enum { N_SIZES = sizeof sizes / sizeof sizes[0], MOST_MEMBERS = 16, COMPARED_BYTES = 1024 };

static struct calibration_difference *
add(struct calibration_difference rows[CALIBRATION_MAX_DIFFERENCES], size_t *n, const char *what)
{
    static struct calibration_difference spare;
    struct calibration_difference *row = *n < CALIBRATION_MAX_DIFFERENCES ? &rows[(*n)++] : &spare;
    *row = (struct calibration_difference){.here = -1, .there = -1};
    snprintf(row->what, sizeof row->what, "%s", what);
    return row;
}

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

static void compare_calls(const struct calibration_report *report, enum machine_scope scope,
                          const char *name, struct calibration_difference *rows, size_t *n)
{
    const struct machine_messages *here = &report->machine->messages[scope];
    const struct machine_messages *there = &report->against->messages[scope];
    char what[64];
    if (here->n_points == 0)
        return;
    snprintf(what, sizeof what, "a send's own time, %s", name);
    struct calibration_difference *row = add(rows, n, what);
    row->here = known(here->send_overhead_ns);
    row->there = known(there->send_overhead_ns);
    snprintf(what, sizeof what, "a receive's own time, %s", name);
    row = add(rows, n, what);
    row->here = known(here->receive_overhead_ns);
    row->there = known(there->receive_overhead_ns);
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

size_t calibration_compare(const struct calibration_report *report,
                           struct calibration_difference rows[CALIBRATION_MAX_DIFFERENCES])
{
    size_t n = 0;
    struct calibration_difference *row = add(rows, &n, "computing");
    row->here = report->machine->compute_ns > 0 ? (double)report->machine->compute_ns : -1;
    row->there = report->against->compute_ns > 0 ? (double)report->against->compute_ns : -1;
    row = add(rows, &n, "hand-over of a core");
    row->here = known(report->machine->hand_over_ns);
    row->there = known(report->against->hand_over_ns);
    compare_calls(report, MACHINE_NODE, "node", rows, &n);
    compare_messages(report, MACHINE_NODE, "node", rows, &n);
    compare_calls(report, MACHINE_NETWORK, "network", rows, &n);
    compare_messages(report, MACHINE_NETWORK, "network", rows, &n);
    uint32_t n_members = compared_members(report);
    for (size_t i = 0; i < report->machine->n_collectives; i++) {
        char what[64];
        uint8_t operation = report->machine->collectives[i].operation;
        bool is_there = false; // an operation has an element for each range of sizes
        for (size_t k = 0; k < i; k++)
            is_there = is_there || report->machine->collectives[k].operation == operation;
        if (is_there)
            continue;
        const char *name = collective_operation_names[operation];
        if (strcmp(name, "barrier") == 0)
            snprintf(what, sizeof what, "%s of %" PRIu32, name, n_members);
        else
            snprintf(what, sizeof what, "%s of %" PRIu32 ", %d bytes", name, n_members,
                     COMPARED_BYTES);
        row = add(rows, &n, what);
        row->here = collective_ns(report->machine, operation, n_members);
        row->there = collective_ns(report->against, operation, n_members);
    }
    return n;
}
