// SPDX-License-Identifier: BSD-3-Clause
// Costs of visits by the formulas of a machine file (see timeless.h).
#include "analyzer/simulation/cost/timeless.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/formula.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/simulation/change/region_pattern.h"

#define NO_RULE UINT32_MAX

// Of OTF2_CollectiveOp.
enum {
    OPERATION_DESTROY_HANDLE = 18,
    OPERATION_DEALLOCATE = 20,
    OPERATION_DESTROY_AND_DEALLOCATE = 22
};

static const double ps_per_s = 1e12;
static const double most_ps = 1e18; // eleven days

/// A rule for call paths.
struct path_rule {
    uint32_t rule, pattern;
};

struct timeless {
    const struct definitions *definitions;
    const struct machine *machine;
    const struct region_patterns *regions;
    uint32_t *rule_of_region; // the first one for its name
    struct path_rule *path_rules;
    size_t n_path_rules;
    bool *is_used;      // by rule: some region fits it, or a path that was visited
    uint64_t *n_visits; // by location and rule
    struct timeless_use use;
    char *wrong; // the first value that is none
};

static bool is_path_rule(const struct scenario *scenario, uint32_t rule)
{
    return scenario->compute_patterns[rule] != SCENARIO_NO_PATTERN;
}

/// The first rule for regions called NAME.
static uint32_t rule_of_name(const struct machine *machine, const struct scenario *scenario,
                             const char *name)
{
    for (uint32_t rule = 0; rule < machine->n_computes; rule++)
        if (!is_path_rule(scenario, rule) && fnmatch(machine->computes[rule].pattern, name, 0) == 0)
            return rule;
    return NO_RULE;
}

struct timeless *timeless_new(const struct definitions *definitions,
                              const struct scenario *scenario)
{
    const struct machine *machine = scenario->settings->machine;
    size_t n_rules = machine->n_computes;
    struct timeless *timeless = memory_new(sizeof *timeless);
    *timeless = (struct timeless){
        .definitions = definitions,
        .machine = machine,
        .regions = scenario->regions,
        .rule_of_region = memory_zeroed(definitions->n_regions, sizeof(uint32_t)),
        .path_rules = memory_zeroed(n_rules, sizeof *timeless->path_rules),
        .is_used = memory_zeroed(n_rules, sizeof(bool)),
        .n_visits = memory_zeroed(definitions->n_locations * n_rules, sizeof(uint64_t)),
        .use.rules = memory_zeroed(n_rules, sizeof *timeless->use.rules),
    };
    for (size_t region = 0; region < definitions->n_regions; region++) {
        const struct region *of = &definitions->regions[region];
        uint32_t rule = NO_RULE;
        if (of->mpi == MPI_FUNCTION_NONE)
            rule = rule_of_name(machine, scenario, of->name);
        timeless->rule_of_region[region] = rule;
        if (rule != NO_RULE)
            timeless->is_used[rule] = true;
    }
    for (uint32_t rule = 0; rule < n_rules; rule++)
        if (is_path_rule(scenario, rule))
            timeless->path_rules[timeless->n_path_rules++] =
                (struct path_rule){rule, scenario->compute_patterns[rule]};
    return timeless;
}

void timeless_free(struct timeless *timeless)
{
    if (!timeless)
        return;
    FREE_ALL(timeless->rule_of_region, timeless->path_rules, timeless->is_used, timeless->n_visits,
             timeless->use.rules, timeless->wrong, timeless);
}

/// The first rule that fits REGION, visited at a path with MARK.
static uint32_t find_rule(struct timeless *timeless, uint32_t region, uint64_t mark)
{
    uint32_t by_name = timeless->rule_of_region[region];
    for (size_t i = 0; i < timeless->n_path_rules; i++) {
        const struct path_rule *path_rule = &timeless->path_rules[i];
        if (path_rule->rule > by_name) // NO_RULE is the largest
            break;
        if (!(region_patterns_named(timeless->regions, mark) >> path_rule->pattern & 1))
            continue;
        timeless->is_used[path_rule->rule] = true;
        return path_rule->rule;
    }
    return by_name;
}

uint64_t timeless_visit_ps(struct timeless *timeless, uint32_t location, uint64_t mark,
                           const struct event *enter)
{
    const struct definitions *definitions = timeless->definitions;
    bool has_work = enter->flags & EVENT_HAS_WORK, has_size = enter->flags & EVENT_HAS_ELEMENTS;
    uint64_t work_units = has_work ? enter->size_bytes : 0;
    uint64_t n_elements = has_size ? enter->received_bytes : 0;
    uint32_t rule = find_rule(timeless, enter->index, mark);
    timeless->use.n_visits++;
    if (rule == NO_RULE) {
        timeless->use.n_without_rule++;
        return 0;
    }
    const struct machine_compute *compute = &timeless->machine->computes[rule];
    uint64_t visit = ++timeless->n_visits[location * timeless->machine->n_computes + rule];
    uint32_t rank = definitions->locations[location].rank;
    timeless->use.n_without_work +=
        (compute->uses_work && !has_work) || (compute->uses_elements && !has_size);
    const double values[MACHINE_COMPUTE_VARIABLES] = {
        (double)work_units, (double)n_elements, (double)definitions->n_ranks,
        rank == EVENT_NO_INDEX ? 0 : (double)rank, (double)visit};
    struct timeless_rule_use *use = &timeless->use.rules[rule];
    use->n_visits++;
    use->work_units += work_units;
    double ps = ps_per_s * formula_value(compute->time, values);
    if (ps >= 0 && ps <= most_ps) {
        use->time_ps += ps;
        return (uint64_t)llround(ps);
    }
    if (!timeless->wrong)
        timeless->wrong = memory_format(
            "%s:%u: <compute region=\"%s\">: the time is %g s for w = %" PRIu64 ", e = %" PRIu64
            ", p = %zu, rank = %" PRIu32 ", visit = %" PRIu64 ", it should be from 0 to %g s",
            timeless->machine->path, compute->line, compute->pattern, ps / ps_per_s, work_units,
            n_elements, definitions->n_ranks, rank, visit, most_ps / ps_per_s);
    return 0;
}

bool timeless_synchronises(uint8_t operation, bool is_finalize)
{
    return !is_finalize && operation != OPERATION_DESTROY_HANDLE &&
           operation != OPERATION_DEALLOCATE && operation != OPERATION_DESTROY_AND_DEALLOCATE;
}

int timeless_check(const struct timeless *timeless, struct error *err)
{
    return timeless->wrong ? error_set(err, "%s", timeless->wrong) : 0;
}

struct timeless_use timeless_use(const struct timeless *timeless)
{
    return timeless->use;
}

char *timeless_unused(const struct timeless *timeless)
{
    const struct definitions *definitions = timeless->definitions;
    SCOPED const char **names = memory_zeroed(definitions->n_regions, sizeof *names);
    size_t n_names = 0, size;
    char *text = NULL;
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; i < definitions->n_regions; i++)
        if (definitions->regions[i].mpi == MPI_FUNCTION_NONE)
            names[n_names++] = definitions->regions[i].name;
    for (size_t i = 0; i < timeless->machine->n_computes; i++) {
        const struct machine_compute *compute = &timeless->machine->computes[i];
        if (timeless->is_used[i])
            continue;
        const char *nearest = strchr(compute->pattern, '/')
                                  ? NULL
                                  : spelling_nearest(compute->pattern, names, n_names);
        fprintf(out, "%s%s (line %u", ftell(out) > 0 ? ", " : "", compute->pattern, compute->line);
        fprintf(out, nearest ? "; is it %s?)" : ")", nearest);
    }
    bool is_empty = ftell(out) <= 0;
    fclose(out);
    if (!is_empty)
        return text;
    free(text);
    return NULL;
}
