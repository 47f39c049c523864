// SPDX-License-Identifier: BSD-3-Clause
// A sweep as text and JSON (see sweep.h).
#include "analyzer/report/report.h"

#include "analyzer/base/memory.h"
#include "analyzer/report/json.h"

const char *const sweep_state_names[N_SWEEP_STATES] = {"to run", "stored", "failed", "too long",
                                                       "skipped"};

void sweep_report_release(struct sweep_report *report)
{
    FREE_MEMBERS(report->rows, report->n_rows, name, command, reason);
    FREE_ALL(report->rows, report->stopped_by);
    *report = (struct sweep_report){0};
}

size_t sweep_report_count(const struct sweep_report *report, enum sweep_state state)
{
    size_t n = 0;
    for (size_t i = 0; i < report->n_rows; i++)
        n += report->rows[i].state == state;
    return n;
}

void sweep_report_print_points(const struct sweep_report *report, FILE *stream)
{
    for (size_t i = 0; i < report->n_rows; i++) {
        const struct sweep_row *row = &report->rows[i];
        fprintf(stream, "%zu/%zu %s (%s%s%s): %s\n", i + 1, report->n_rows, row->name,
                sweep_state_names[row->state], *row->reason ? ", " : "", row->reason, row->command);
    }
}

void sweep_report_print(const struct sweep_report *report, FILE *stream)
{
    size_t n_failed = sweep_report_count(report, SWEEP_FAILED);
    size_t n_too_long = sweep_report_count(report, SWEEP_TOO_LONG);
    size_t n_skipped = sweep_report_count(report, SWEEP_SKIPPED);
    size_t n_to_run = sweep_report_count(report, SWEEP_TO_RUN);
    fprintf(stream, "%zu of %zu points stored in %s, %zu of them now",
            sweep_report_count(report, SWEEP_STORED), report->n_rows, report->database,
            report->n_stored_now);
    if (n_skipped > 0)
        fprintf(stream, "; %zu skipped as impossible", n_skipped);
    if (n_too_long > 0)
        fprintf(stream, "; %zu over the limit", n_too_long);
    if (n_failed > 0)
        fprintf(stream, "; %zu failed", n_failed);
    if (n_failed + n_too_long > 0)
        fprintf(stream, " (--retry runs them again)");
    if (n_to_run > 0 && !report->stopped_by)
        fprintf(stream, "; %zu to go: the same command goes on", n_to_run);
    else if (n_to_run > 0)
        fprintf(stream, "; %zu not run", n_to_run);
    fprintf(stream, "\n");
    if (report->stopped_by)
        fprintf(stream, "stopped by the checkpoint %s\n", report->stopped_by);
}

static json_t *row_object(const struct sweep_report *of, size_t i)
{
    const struct sweep_row *row = &of->rows[i];
    return JSON_OBJECT({"number", json_count(i + 1)}, {"trial", json_text(row->name)},
                       {"state", json_string(sweep_state_names[row->state])},
                       JSON_TEXT_OR_NULL(row, reason), JSON_TEXT(row, command),
                       {"wall_ns", row->wall_ns ? json_count(row->wall_ns) : json_null()});
}

void sweep_report_print_json(const struct sweep_report *report, FILE *stream)
{
    JSON_PRINT(stream, JSON_INDENT(1) | JSON_ENSURE_ASCII, JSON_TEXT(report, database),
               JSON_TEXT(report, experiment), {"folder", json_text(report->dir)},
               {"stored_now", json_count(report->n_stored_now)},
               JSON_TEXT_OR_NULL(report, stopped_by),
               {"points", JSON_EACH(i, report->n_rows, row_object(report, i))});
}
