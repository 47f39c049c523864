// SPDX-License-Identifier: BSD-3-Clause
// Findings of `pagoda check` as data and as text (see check.h).
#include "analyzer/report/check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/quantity.h"
#include "analyzer/base/utf8.h"

void check_add_locations(struct check *check, const struct trace *trace)
{
    const struct definitions *definitions = trace_definitions(trace);
    check->n_locations = definitions->n_locations;
    check->locations = memory_zeroed(check->n_locations, sizeof *check->locations);
    for (size_t i = 0; i < check->n_locations; i++) {
        const struct location *location = &definitions->locations[i];
        const struct location_report *report = trace_location_report(trace, i);
        check->locations[i] = (struct check_location){
            .id = location->id,
            .rank = location->rank == EVENT_NO_INDEX ? RESULT_NONE : location->rank,
            .name = utf8_clean(location->name),
            .n_declared = location->n_events,
            .n_read = report->n_read,
            .n_unknown = report->n_unknown,
            .n_bad_references = report->n_bad_references,
            .n_backward = report->n_backward,
            .reason = utf8_clean(report->reason),
        };
    }
}

void check_add_patterns(struct check *check, const struct catalogue *catalogue)
{
    check->pattern_ids = memory_zeroed(catalogue->n_patterns, sizeof *check->pattern_ids);
    for (size_t i = 0; i < catalogue->n_patterns; i++)
        if (strcmp(catalogue->patterns[i].file, check->path) == 0)
            check->pattern_ids[check->n_patterns++] = memory_copy_text(catalogue->patterns[i].id);
}

static void print_archive(const struct check *check, FILE *stream)
{
    const struct result *result = &check->result;
    fprintf(stream, "%s: OTF2 archive", check->path);
    if (*result->creator)
        fprintf(stream, " by %s", result->creator);
    fprintf(stream, ": %s, %s, %s, %s, %s, %s\n", quantity_count(result->n_ranks, "rank").text,
            quantity_count(result->n_locations, "location").text,
            quantity_count(result->n_events, "event").text,
            quantity_count(result->n_messages, "message").text,
            quantity_count(result->n_collectives, "collective").text,
            quantity_time(result->time_ns).text);
    for (size_t i = 0; i < result->n_warnings; i++)
        fprintf(stream, "  %s: %s\n", result->warnings[i].code, result->warnings[i].text);
    if (result->n_warnings == 0)
        fprintf(stream, "  nothing wrong\n");
}

static void print_catalogue(const struct check *check, FILE *stream)
{
    fprintf(stream, "%s: catalogue of %s\n", check->path,
            quantity_count(check->n_patterns, "pattern").text);
    for (size_t i = 0; i < check->n_patterns; i++)
        fprintf(stream, "  %s\n", check->pattern_ids[i]);
    fprintf(stream, "  nothing wrong\n");
}

static void print_clean(const struct check *check, FILE *stream)
{
    if (check->kind == CHECK_ARCHIVE)
        print_archive(check, stream);
    else if (check->kind == CHECK_CATALOGUE)
        print_catalogue(check, stream);
    else if (check->kind == CHECK_SETTINGS)
        fprintf(stream, "%s: configuration of pagoda trace: %s\n  nothing wrong\n", check->path,
                quantity_count(check->n_entries, "setting").text);
    else if (check->kind == CHECK_FILTER)
        fprintf(stream, "%s: filter file: %s\n  nothing wrong\n", check->path,
                quantity_count(check->n_entries, "rule").text);
    else if (check->kind == CHECK_MACHINE)
        fprintf(stream, "%s: machine file: %s\n  nothing wrong\n", check->path,
                quantity_count(check->n_entries, "collective").text);
    else if (check->kind == CHECK_POLICY)
        fprintf(stream, "%s: policy: %s\n  nothing wrong\n", check->path,
                quantity_count(check->n_entries, "rule").text);
    else if (check->kind == CHECK_SWEEP)
        fprintf(stream, "%s: sweep file: %s\n  nothing wrong\n", check->path,
                quantity_count(check->n_entries, "point").text);
    else if (check->kind == CHECK_PROPERTIES)
        fprintf(stream, "%s: properties over experiments: %" PRIu64 "\n  nothing wrong\n",
                check->path, (uint64_t)check->n_entries);
    else if (check->kind == CHECK_RULES)
        fprintf(stream, "%s: rules of pagoda reduce: %s\n  nothing wrong\n", check->path,
                quantity_count(check->n_entries, "rule").text);
}

void check_print(const struct check *check, FILE *stream)
{
    char *path = utf8_clean(check->path);
    struct check clean = *check;
    clean.path = path;
    print_clean(&clean, stream);
    free(path);
}

void check_release(struct check *check)
{
    for (size_t i = 0; i < check->n_locations; i++) {
        free(check->locations[i].name);
        free(check->locations[i].reason);
    }
    for (size_t i = 0; i < check->n_patterns; i++)
        free(check->pattern_ids[i]);
    free(check->locations);
    free(check->pattern_ids);
    free(check->error);
    result_release(&check->result);
}
