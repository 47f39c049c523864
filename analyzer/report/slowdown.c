// SPDX-License-Identifier: BSD-3-Clause
// What was learned of how ranks that share a core slow each other down, as text and JSON.
#include "analyzer/compare/slowdown_fit.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/report/json.h"
#include "analyzer/report/report.h"
#include "analyzer/report/table.h"

enum { MOST_ROWS = 20, LABEL_COLUMNS = 14, MOST_LEVELS = 16 };

static const char *const verdict_names[SLOWDOWN_VERDICTS] = {
    [SLOWDOWN_LEARNED] = "learned",     [SLOWDOWN_KEPT] = "no-change",
    [SLOWDOWN_NO_CHANGE] = "no-change", [SLOWDOWN_TOO_FEW] = "too-few",
    [SLOWDOWN_UNEQUAL] = "unequal",     [SLOWDOWN_LEFT_OUT] = "left-out"};

static void print_label(const char *label, char *text, FILE *stream)
{
    print_labelled(label, LABEL_COLUMNS, text, text_options_for(stream).width, stream);
    free(text);
}

static void print_levels(const struct slowdown_fit *fit, FILE *stream)
{
    for (size_t level = 1; level < fit->n_levels; level++)
        print_label(level == 1 ? "CPU time" : "",
                    memory_format("%g ranks per core: %.3f times that of %g; %.3f by what is "
                                  "learned",
                                  fit->levels[level], fit->total_ns[level] / fit->total_ns[0],
                                  fit->levels[0], fit->learned_ns[level] / fit->total_ns[0]),
                    stream);
    print_label("Scatter",
                fit->is_repeated
                    ? memory_format("between %zu recordings, those with the same ranks per core",
                                    fit->n_recordings)
                    : memory_copy_text("within the recordings: how much runs differ is not known, "
                                       "and may be learned as if it were a slowdown. Give three "
                                       "recordings of each"),
                stream);
}

static void print_regions(const struct slowdown_fit *fit, FILE *stream)
{
    size_t n_rows = 0, n_levels = fit->n_levels < MOST_LEVELS ? fit->n_levels : MOST_LEVELS;
    SCOPED_BY(table_release) struct table table = {0};
    char *titles[MOST_LEVELS] = {NULL};
    table_add_columns(&table, "CPU time");
    for (size_t level = 1; level < n_levels; level++)
        table_add_column(&table, titles[level] = memory_format("%g ranks/core", fit->levels[level]),
                         false);
    table_add_column(&table, "learned for", true);
    for (size_t i = 0; i < fit->n_regions && n_rows < MOST_ROWS; i++) {
        const struct slowdown_fit_region *region = &fit->regions[i];
        if (region->verdict != SLOWDOWN_LEARNED)
            continue;
        n_rows++;
        table_add_cell(&table, "%s", quantity_share(region->level_ns[0] / fit->total_ns[0]).text);
        for (size_t level = 1; level < n_levels; level++) {
            const struct slowdown_level_factor *factor = &region->levels[level];
            table_add_cell(&table, "%.3f +- %.3f%s", factor->factor, factor->to - factor->factor,
                           factor->is_learned ? "" : " (1)");
        }
        table_add_cell(&table, "%s", region->name);
    }
    if (n_rows > 0) {
        fputc('\n', stream);
        table_print(&table, 0, text_options_for(stream).width, stream);
    }
    for (size_t level = 1; level < n_levels; level++)
        free(titles[level]);
}

void text_print_speeds(const struct slowdown_fit *fit, const char *path, FILE *stream)
{
    const size_t *n = fit->n_by_verdict;
    SCOPED_BY(table_release) struct table table = {0};
    print_label("CPU time",
                memory_format("%s: %.4g times that of %s; %s of it in regions that both visit "
                              "equally often",
                              fit->recordings[1].path, fit->all_factor, fit->recordings[0].path,
                              quantity_share(fit->comparable).text),
                stream);
    print_label("Regions",
                memory_format("%zu with a factor of their own; all others get that of the program: "
                              "%zu differ from it no more than they scatter, %zu have no "
                              "counterpart, %zu have too little effect",
                              n[SLOWDOWN_LEARNED], n[SLOWDOWN_KEPT] + n[SLOWDOWN_NO_CHANGE],
                              n[SLOWDOWN_UNEQUAL], n[SLOWDOWN_TOO_FEW] + n[SLOWDOWN_LEFT_OUT]),
                stream);
    table_add_columns(&table, "CPU time", "factor", "<learned for");
    for (size_t i = 0, n_rows = 0; i < fit->n_regions && n_rows < MOST_ROWS; i++) {
        const struct slowdown_fit_region *region = &fit->regions[i];
        if (region->verdict != SLOWDOWN_LEARNED)
            continue;
        n_rows++;
        table_add_cells(
            &table, quantity_share(region->level_ns[0] / fit->total_ns[0]).text,
            quantity_format("%.4g", slowdown_fit_factor(region, 1) * fit->all_factor).text,
            region->name);
    }
    if (n[SLOWDOWN_LEARNED] > 0) {
        fputc('\n', stream);
        table_print(&table, 0, text_options_for(stream).width, stream);
    }
    fprintf(stream, "\n%s written; next: pagoda replay TRACE --speeds %s\n", path, path);
}

void text_print_slowdown(const struct slowdown_fit *fit, const char *path, FILE *stream)
{
    const size_t *n = fit->n_by_verdict;
    print_levels(fit, stream);
    print_label("Regions",
                memory_format("%zu learned; %zu change no more than they scatter; %zu with too few "
                              "visits, %zu visited unequally often, %zu with too little effect",
                              n[SLOWDOWN_LEARNED], n[SLOWDOWN_KEPT] + n[SLOWDOWN_NO_CHANGE],
                              n[SLOWDOWN_TOO_FEW], n[SLOWDOWN_UNEQUAL], n[SLOWDOWN_LEFT_OUT]),
                stream);
    print_regions(fit, stream);
    fprintf(stream, "\n%s written; next: pagoda replay TRACE --cores C --slowdown %s\n", path,
            path);
}

struct levels_of {
    const struct slowdown_fit *fit;
    const struct slowdown_fit_region *region;
};

static json_t *recording_object(const struct slowdown_fit *fit, size_t i)
{
    const struct slowdown_recording *recording = &fit->recordings[i];
    return JSON_OBJECT(
        JSON_TEXT(recording, path),
        {"ranks_per_core", fit->all_factor > 0 ? NULL : json_real(recording->ranks_per_core)});
}

static json_t *level_object(const struct slowdown_fit *fit, size_t i)
{
    return JSON_OBJECT({"ranks_per_core", json_real(fit->levels[i])},
                       {"factor", json_real(fit->total_ns[i] / fit->total_ns[0])},
                       {"learned", json_real(fit->learned_ns[i] / fit->total_ns[0])});
}

static json_t *factor_object(const struct levels_of *levels, size_t i)
{
    const struct slowdown_level_factor *factor = &levels->region->levels[i];
    return JSON_OBJECT({"ranks_per_core", json_real(levels->fit->levels[i])},
                       JSON_REAL(factor, factor), JSON_REAL(factor, from), JSON_REAL(factor, to),
                       {"learned", json_real(slowdown_fit_factor(levels->region, i))});
}

static json_t *levels_array(const struct slowdown_fit *fit,
                            const struct slowdown_fit_region *region)
{
    const struct levels_of levels = {fit, region};
    return region->levels ? JSON_EACH(i, fit->n_levels, factor_object(&levels, i)) : json_null();
}

static json_t *region_object(const struct slowdown_fit *fit,
                             const struct slowdown_fit_region *region)
{
    bool is_of_speeds = fit->all_factor > 0;
    return JSON_OBJECT({"region", json_text(region->name)},
                       {"verdict", json_string(verdict_names[region->verdict])},
                       {"cpu_time", json_real(region->level_ns[0] / fit->total_ns[0])},
                       {"visits", json_count(region->samples[0].n_visits)},
                       {"factor", is_of_speeds
                                      ? json_real(slowdown_fit_factor(region, 1) * fit->all_factor)
                                      : NULL},
                       {"levels", is_of_speeds ? NULL : levels_array(fit, region)});
}

void json_print_slowdown(const struct slowdown_fit *fit, const char *path, FILE *stream)
{
    bool is_of_speeds = fit->all_factor > 0;
    JSON_PRINT(stream, JSON_COMPACT | JSON_REAL_PRECISION(9), {"path", json_text(path)},
               {"recordings", JSON_EACH(i, fit->n_recordings, recording_object(fit, i))},
               {"scatter", json_string(fit->is_repeated ? "between" : "within")},
               {"comparable", json_real(fit->comparable)},
               {"factor", is_of_speeds ? json_real(fit->all_factor) : NULL},
               {"levels", is_of_speeds ? NULL : JSON_EACH(k, fit->n_levels, level_object(fit, k))},
               {"regions", JSON_EACH(k, fit->n_regions, region_object(fit, &fit->regions[k]))});
}
