// SPDX-License-Identifier: BSD-3-Clause
// The costs of a machine file as functions of formulas in model files.
#include <math.h>
#include <string.h>

#include "analyzer/tasks/task_model.h"

/// The straight piece of a scope's message times that holds for SIZE bytes: at 0, in seconds, and
/// per byte. False without messages.
static bool find_piece(const struct machine_messages *messages, double size, double *startup_s,
                       double *per_byte_s)
{
    const struct machine_point *points = messages->points;
    size_t n = messages->n_points, next = 1;
    if (n == 0)
        return false;
    *per_byte_s = 0;
    *startup_s = 1e-9 * (double)points[0].time_ns;
    if (n == 1 || size <= (double)points[0].size_bytes)
        return true;
    while (next + 1 < n && (double)points[next].size_bytes < size)
        next++;
    const struct machine_point *from = &points[next - 1], *to = &points[next];
    *per_byte_s = 1e-9 * ((double)to->time_ns - (double)from->time_ns) /
                  (double)(to->size_bytes - from->size_bytes);
    *startup_s = 1e-9 * (double)from->time_ns - *per_byte_s * (double)from->size_bytes;
    return true;
}

static double missing(struct task_machine *machine, const char *what)
{
    if (!machine->missing)
        machine->missing = what;
    return NAN;
}

static double message_cost(struct task_machine *machine, enum machine_scope scope, double size,
                           bool is_startup)
{
    double startup_s, per_byte_s;
    if (!machine->machine ||
        !find_piece(&machine->machine->messages[scope], size, &startup_s, &per_byte_s))
        return missing(machine, scope == MACHINE_NODE ? "<message scope=\"node\">"
                                                      : "<message scope=\"network\">");
    return is_startup ? startup_s : startup_s + per_byte_s * size;
}

static double message(void *context, double size)
{
    return message_cost(context, MACHINE_NETWORK, size, false);
}

static double startup(void *context, double size)
{
    return message_cost(context, MACHINE_NETWORK, size, true);
}

static double node_message(void *context, double size)
{
    return message_cost(context, MACHINE_NODE, size, false);
}

static double node_startup(void *context, double size)
{
    return message_cost(context, MACHINE_NODE, size, true);
}

static double compute(void *context, double work, double elements)
{
    struct task_machine *machine = context;
    const double values[MACHINE_COMPUTE_VARIABLES] = {work, elements, 1, 0, 1};
    if (!machine->machine || machine->machine->n_computes == 0)
        return missing(machine, "<compute>");
    return formula_value(machine->machine->computes[0].time, values);
}

/// The formula of OPERATION, or of the one that differs in that counts are equal, or may not be.
static const struct machine_collective *find_collective(const struct machine *machine,
                                                        uint8_t operation, double size)
{
    enum { FIRST = 2, LAST = 9 }; // gather, gatherv, ... alltoall, alltoallv
    uint64_t bytes = size > 0 ? (uint64_t)size : 0;
    const struct machine_collective *found = machine_collective(machine, operation, bytes);
    if (!found && operation >= FIRST && operation <= LAST)
        found = machine_collective(machine, operation ^ 1, bytes);
    return found && found->time && found->algorithm == ALGORITHM_FORMULA ? found : NULL;
}

/// What an operation of N_MEMBERS costs with shares of SIZE bytes; one alone costs nothing.
static double collective(void *context, double n_members, double size)
{
    const struct task_operation *operation = context;
    const struct machine *machine = operation->machine->machine;
    if (n_members <= 1)
        return 0;
    const struct machine_collective *found =
        machine ? find_collective(machine, operation->operation, size) : NULL;
    const double values[MACHINE_COLLECTIVE_VARIABLES] = {n_members, size, 1};
    if (!found)
        return missing(operation->machine, collective_operation_names[operation->operation]);
    return formula_value(found->time, values);
}

void task_model_add_functions(struct task_model *model)
{
    struct task_machine *machine = &model->machine;
    const struct formula_function costs[] = {
        {"message", message, NULL, machine},
        {"startup", startup, NULL, machine},
        {"node_message", node_message, NULL, machine},
        {"node_startup", node_startup, NULL, machine},
        {"compute", NULL, compute, machine},
    };
    model->n_functions = sizeof costs / sizeof costs[0];
    memcpy(model->functions, costs, sizeof costs);
    for (uint8_t i = 0; i < COLLECTIVE_OPERATIONS; i++) {
        if (!collective_operation_names[i])
            continue;
        model->operations[i] = (struct task_operation){machine, i};
        model->functions[model->n_functions++] = (struct formula_function){
            collective_operation_names[i], NULL, collective, &model->operations[i]};
    }
}
