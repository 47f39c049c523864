// SPDX-License-Identifier: BSD-3-Clause
// Random costs of visits, work counts and times that must not matter.
#include "tests/reference/order_scenarios.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"

/// Writes LINE of a trace with what CHANGE makes of it, if it is a record of RANK at TIME.
typedef void change_line(FILE *stream, const char *line, uint32_t rank, uint64_t time,
                         void *context);

static char *change_lines(const char *text, change_line *change, void *context)
{
    char *changed = NULL, *copy = memory_copy_text(text), *rest = copy, *line;
    size_t size_bytes;
    FILE *stream = open_memstream(&changed, &size_bytes);
    while ((line = strtok_r(rest, "\n", &rest))) {
        uint32_t rank;
        uint64_t time;
        if (sscanf(line, "%" SCNu32 " %" SCNu64 " ", &rank, &time) == 2)
            change(stream, line, rank, time, context);
        else
            fprintf(stream, "%s\n", line);
    }
    fclose(stream);
    free(copy);
    return changed;
}

/// What stands behind place and time.
static const char *record_of(const char *line)
{
    return strchr(strchr(line, ' ') + 1, ' ') + 1;
}

static void put_count(FILE *stream, const char *line, uint32_t rank, uint64_t time, void *context)
{
    struct random *random = context;
    const char *record = record_of(line);
    (void)rank, (void)time;
    fputs(line, stream);
    if (strncmp(record, "enter ", 6) == 0 && strncmp(record, "enter MPI_", 10) != 0 &&
        random_chance(random, 70)) {
        fprintf(stream, " work %" PRIu32, random_below(random, 300));
        if (random_chance(random, 50))
            fprintf(stream, " %" PRIu32, random_below(random, 50));
    }
    fputc('\n', stream);
}

char *order_text_with_counts(const char *text, struct random *random)
{
    return change_lines(text, put_count, random);
}

/// A time of the recording becomes that times factor, plus offset.
struct clocks {
    uint64_t factor[PROGRAM_MAX_RANKS], offset[PROGRAM_MAX_RANKS];
};

static void put_time(FILE *stream, const char *line, uint32_t rank, uint64_t time, void *context)
{
    const struct clocks *clocks = context;
    fprintf(stream, "%" PRIu32 " %" PRIu64 " %s\n", rank,
            time * clocks->factor[rank] + clocks->offset[rank], record_of(line));
}

char *order_text_with_times(const char *text, struct random *random)
{
    struct clocks clocks;
    bool has_times = random_chance(random, 70);
    for (uint32_t rank = 0; rank < PROGRAM_MAX_RANKS; rank++) {
        clocks.factor[rank] = has_times ? random_below(random, 4) : 0;
        clocks.offset[rank] = has_times ? random_below(random, 5000) : 0;
    }
    return change_lines(text, put_time, &clocks);
}

void scenario_go_by_order(struct predicted_scenario *scenario, struct random *random,
                          const char *text)
{
    static const char *const regions[][2] = {
        {"main", "main"},
        {"main", "/main"},
        {"solve", "solve"},
        {"solve", "main/**/so*"},
        {"exchange", "exchange"},
        {"exchange", "?xch*"},
        {"output", "main/output"},
        {"step", "step/**/step"},
        {"step", "step"},
        {"setup", "s*"},
        {"main", "*"},
        {"main", "main/**"},
    };
    static const uint32_t most_ps[] = {1, 1000, 30000, 900000};
    struct scenario_machine *machine = &scenario->machine;
    scenario->is_timeless = true;
    machine->n_computes = 0;
    for (uint32_t i = 0; i < 2 * SCENARIO_MAX_COMPUTES; i++) {
        const char *const *region =
            regions[random_below(random, sizeof regions / sizeof regions[0])];
        char *enter = memory_format(" enter %s", region[0]);
        bool is_new = strstr(text, enter) != NULL;
        free(enter);
        for (uint32_t c = 0; c < machine->n_computes; c++)
            is_new = is_new && machine->computes[c].region != region[1];
        if (!is_new || machine->n_computes == SCENARIO_MAX_COMPUTES)
            continue;
        uint32_t most = most_ps[random_below(random, 4)];
        struct scenario_compute compute = {.region = region[1],
                                           .base_ps = random_below(random, most)};
        uint64_t *const others[] = {&compute.per_work_ps, &compute.per_element_ps,
                                    &compute.per_member_ps, &compute.per_rank_ps,
                                    &compute.per_visit_ps};
        for (size_t o = 0; o < sizeof others / sizeof others[0]; o++)
            *others[o] = random_chance(random, 40) ? random_below(random, most / 4 + 1) : 0;
        machine->computes[machine->n_computes++] = compute;
    }
}

void order_costs_print(const struct scenario_machine *machine, FILE *stream)
{
    for (uint32_t c = 0; c < machine->n_computes; c++) {
        const struct scenario_compute *compute = &machine->computes[c];
        fprintf(stream,
                "  %s: %" PRIu64 " ps, and %" PRIu64 " a unit, %" PRIu64 " an element, %" PRIu64
                " a member, %" PRIu64 " a rank, %" PRIu64 " a visit\n",
                compute->region, compute->base_ps, compute->per_work_ps, compute->per_element_ps,
                compute->per_member_ps, compute->per_rank_ps, compute->per_visit_ps);
    }
}
