// SPDX-License-Identifier: BSD-3-Clause
// The points of a sweep (see plan.h).
#include "analyzer/sweep/plan.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"

void sweep_plan_init(struct sweep_plan *plan)
{
    *plan = (struct sweep_plan){.n_repetitions = 1};
}

void sweep_plan_release(struct sweep_plan *plan)
{
    for (size_t i = 0; i < plan->n_parameters; i++) {
        free(plan->parameters[i].name);
        free(plan->parameters[i].search);
        free(plan->parameters[i].role);
        sweep_values_release(&plan->parameters[i].values);
    }
    for (size_t i = 0; plan->line && plan->line[i]; i++)
        free(plan->line[i]);
    for (size_t i = 0; i < plan->n_templates; i++) {
        free(plan->templates[i].path);
        free(plan->templates[i].text);
    }
    free(plan->line);
    free(plan->build);
    free(plan->batch);
    *plan = (struct sweep_plan){0};
}

static bool is_name(const char *name)
{
    if (!isalpha((unsigned char)*name) && *name != '_')
        return false;
    for (; *name; name++)
        if (!isalnum((unsigned char)*name) && *name != '_' && *name != '-')
            return false;
    return true;
}

struct sweep_parameter *sweep_plan_find(struct sweep_plan *plan, const char *name)
{
    for (size_t i = 0; i < plan->n_parameters; i++)
        if (strcmp(plan->parameters[i].name, name) == 0)
            return &plan->parameters[i];
    return NULL;
}

struct sweep_parameter *sweep_plan_add(struct sweep_plan *plan, const char *name,
                                       const char *search, struct error *err)
{
    if (!is_name(name)) {
        error_set(err, "`%s` is no name of a parameter: letters, digits, _ and -", name);
        return NULL;
    }
    if (search && !*search) {
        error_set(err, "parameter %s replaces an empty text", name);
        return NULL;
    }
    if (sweep_plan_find(plan, name)) {
        error_set(err, "there are two parameters %s", name);
        return NULL;
    }
    if (plan->n_parameters == SWEEP_MAX_PARAMETERS) {
        error_set(err, "more than %d parameters", SWEEP_MAX_PARAMETERS);
        return NULL;
    }
    struct sweep_parameter *parameter = &plan->parameters[plan->n_parameters++];
    *parameter = (struct sweep_parameter){
        .name = memory_copy_text(name),
        .search = search ? memory_copy_text(search) : memory_format("{%s}", name),
        .role = memory_copy_text("free"),
    };
    return parameter;
}

int sweep_parameter_set_role(struct sweep_parameter *parameter, const char *role, struct error *err)
{
    static const char *const roles[] = {"machine", "problem", "free"};
    for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++) {
        if (strcmp(role, roles[i]) != 0)
            continue;
        free(parameter->role);
        parameter->role = memory_copy_text(role);
        return 0;
    }
    return error_set(err, "`%s` is no role of a parameter: machine, problem or free", role);
}

void sweep_plan_set_line(struct sweep_plan *plan, char **line)
{
    size_t n = 0;
    while (line[n])
        n++;
    plan->line = memory_zeroed(n + 1, sizeof *plan->line);
    for (size_t i = 0; i < n; i++)
        plan->line[i] = memory_copy_text(line[i]);
}

/// Of one round.
static size_t n_combinations(const struct sweep_plan *plan)
{
    size_t n = 1;
    if (plan->is_line_by_line)
        return plan->parameters[0].values.n;
    for (size_t i = 0; i < plan->n_parameters; i++)
        n *= plan->parameters[i].values.n;
    return n;
}

size_t sweep_plan_n_points(const struct sweep_plan *plan)
{
    return n_combinations(plan) * plan->n_repetitions;
}

static char *point_name(const struct sweep_plan *plan, const struct sweep_point *point)
{
    char *name = memory_copy_text("");
    for (size_t i = 0; i < plan->n_parameters; i++) {
        if (!point->values[i])
            continue;
        char *longer = memory_format("%s%s%s=%s", name, *name ? "," : "", plan->parameters[i].name,
                                     point->values[i]);
        free(name);
        name = longer;
    }
    if (plan->n_repetitions == 1 && *name)
        return name;
    char *full = point->repetition > 1 ? memory_format("%s#%" PRIu64, name, point->repetition)
                                       : memory_copy_text(*name ? name : "as-is");
    free(name);
    return full;
}

void sweep_plan_point(const struct sweep_plan *plan, size_t number, struct sweep_point *point)
{
    size_t n_round = n_combinations(plan);
    size_t rest = number % n_round;
    *point = (struct sweep_point){.repetition = number / n_round + 1};
    for (size_t i = plan->n_parameters; i-- > 0;) {
        const struct sweep_values *values = &plan->parameters[i].values;
        point->values[i] = values->texts[plan->is_line_by_line ? rest : rest % values->n];
        if (!plan->is_line_by_line)
            rest /= values->n;
    }
    point->name = point_name(plan, point);
}

void sweep_point_release(struct sweep_point *point)
{
    free(point->name);
    *point = (struct sweep_point){0};
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/// A point is known by its name: of two with one name, only one would be run.
static int check_point_names(const struct sweep_plan *plan, struct error *err)
{
    size_t n = n_combinations(plan);
    char **names = memory_zeroed(n, sizeof *names);
    int status = 0;
    for (size_t i = 0; i < n; i++) {
        struct sweep_point point;
        sweep_plan_point(plan, i, &point);
        names[i] = point.name;
    }
    qsort(names, n, sizeof *names, compare_texts);
    for (size_t i = 1; i < n && status == 0; i++)
        if (strcmp(names[i - 1], names[i]) == 0)
            status = error_set(err, "there are two points %s: values come twice", names[i]);
    for (size_t i = 0; i < n; i++)
        free(names[i]);
    free(names);
    return status;
}

int sweep_plan_check(const struct sweep_plan *plan, struct error *err)
{
    size_t n = 1;
    if (plan->n_parameters == 0)
        return error_set(err, "there is no parameter to change");
    for (size_t i = 0; i < plan->n_parameters; i++) {
        const struct sweep_parameter *parameter = &plan->parameters[i];
        const struct sweep_parameter *first = &plan->parameters[0];
        if (parameter->values.n == 0)
            return error_set(err, "parameter %s has no value", parameter->name);
        if (!plan->is_line_by_line)
            n *= parameter->values.n;
        else if (parameter->values.n != first->values.n)
            return error_set(err,
                             "line by line all parameters have as many values: %s has %zu, %s %zu",
                             first->name, first->values.n, parameter->name, parameter->values.n);
        if (n > SWEEP_MAX_POINTS)
            break;
    }
    if (plan->is_line_by_line)
        n = plan->parameters[0].values.n;
    if (plan->n_repetitions == 0)
        return error_set(err, "a point is run at least once");
    if (n > SWEEP_MAX_POINTS || plan->n_repetitions > SWEEP_MAX_POINTS / n)
        return error_set(err, "there are more than %d points", SWEEP_MAX_POINTS);
    return check_point_names(plan, err);
}
