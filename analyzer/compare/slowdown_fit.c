// SPDX-License-Identifier: BSD-3-Clause
// Ratios of CPU times with intervals (slowdown_fit.h). Of one recording of each kind the ratio R of
// sums over parts a_i and b_i has the variance sum (b_i - R a_i)^2 n / (n - 1) / (sum a_i)^2
// (Cochran, Sampling Techniques, 3rd edition, section 6.4); of several the relative variance of the
// runs, pooled over the levels, counts.
#include "analyzer/compare/slowdown_fit.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/format/xml.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/new_file.h"
#include "analyzer/base/order.h"
#include "analyzer/base/text.h"

static const double coverage = 0.95;        // of intervals
static const double visits_differ = 0.01;   // as shares: less is equally often
static const double least_comparable = 0.5; // of the CPU time
static const double least_effect = 0.001;   // of a region, likewise
enum { LEAST_FREEDOM = 2 };                 // of repeated runs, for a scatter of their own

struct slowdown_fit_region *slowdown_fit_region(struct slowdown_fit *fit, const char *name)
{
    struct slowdown_fit_region *found = ITEM_BY(fit->regions, fit->n_regions, name, name);
    if (found)
        return found;
    struct slowdown_fit_region *region =
        ARRAY_NEXT(fit->regions, fit->n_regions, fit->region_capacity);
    *region = (struct slowdown_fit_region){
        .name = memory_copy_text(name),
        .samples = memory_zeroed(fit->n_recordings, sizeof *region->samples),
    };
    return region;
}

void slowdown_fit_release(struct slowdown_fit *fit)
{
    FREE_MEMBERS(fit->regions, fit->n_regions, name, samples, level_ns, levels);
    FREE_ALL(fit->recordings, fit->regions, fit->levels, fit->total_ns, fit->learned_ns);
    *fit = (struct slowdown_fit){0};
}

// --- levels

static void find_levels(struct slowdown_fit *fit)
{
    size_t n = 0;
    fit->levels = memory_new(fit->n_recordings * sizeof *fit->levels);
    for (size_t i = 0; i < fit->n_recordings; i++)
        fit->levels[i] = fit->recordings[i].ranks_per_core;
    qsort(fit->levels, fit->n_recordings, sizeof *fit->levels, double_compare);
    for (size_t i = 0; i < fit->n_recordings; i++)
        if (n == 0 || fit->levels[i] > fit->levels[n - 1])
            fit->levels[n++] = fit->levels[i];
    fit->n_levels = n;
    for (size_t i = 0; i < fit->n_recordings; i++)
        while (fit->levels[fit->recordings[i].level] < fit->recordings[i].ranks_per_core)
            fit->recordings[i].level++;
}

static size_t count_at(const struct slowdown_fit *fit, size_t level)
{
    size_t n = 0;
    for (size_t i = 0; i < fit->n_recordings; i++)
        n += fit->recordings[i].level == level;
    return n;
}

// --- a region

/// Whether all recordings visit it about equally often; false: some do not at all.
static bool is_comparable(const struct slowdown_fit *fit, const struct slowdown_fit_region *region)
{
    double first = (double)region->samples[0].n_visits;
    for (size_t i = 0; i < fit->n_recordings; i++)
        if (fabs((double)region->samples[i].n_visits - first) > visits_differ * first)
            return false;
    return first > 0;
}

static bool has_time(const struct slowdown_fit *fit, const struct slowdown_fit_region *region)
{
    bool has = true;
    for (size_t i = 0; i < fit->n_recordings; i++)
        has = has && region->samples[i].ns > 0;
    return has;
}

static bool knows_scatter(const struct slowdown_fit *fit, const struct slowdown_fit_region *region)
{
    bool knows = true;
    for (size_t i = 0; i < fit->n_recordings; i++)
        knows = knows && (fit->is_repeated || region->samples[i].n_least >= SLOWDOWN_LEAST_VISITS);
    return knows;
}

/// The half width of the interval of RATIO, that of LEVEL, by the scatter between recordings.
static double width_between_runs(const struct slowdown_fit *fit,
                                 const struct slowdown_fit_region *region, size_t level,
                                 double ratio)
{
    double sum = 0, n_free = (double)(fit->n_recordings - fit->n_levels);
    for (size_t i = 0; i < fit->n_recordings; i++) {
        double mean = region->level_ns[fit->recordings[i].level];
        sum += (region->samples[i].ns / mean - 1) * (region->samples[i].ns / mean - 1);
    }
    double variance =
        sum / n_free * (1 / (double)count_at(fit, 0) + 1 / (double)count_at(fit, level));
    return gsl_cdf_tdist_Pinv(0.5 + coverage / 2, n_free) * ratio * sqrt(variance);
}

/// The same by the scatter within them.
static double width_within_runs(const struct slowdown_fit *fit,
                                const struct slowdown_fit_region *region, size_t level,
                                double ratio)
{
    double from[SLOWDOWN_GROUPS] = {0}, to[SLOWDOWN_GROUPS] = {0}, sum = 0;
    for (size_t i = 0; i < fit->n_recordings; i++) {
        size_t of = fit->recordings[i].level;
        for (size_t g = 0; g < SLOWDOWN_GROUPS && (of == 0 || of == level); g++)
            (of == 0 ? from : to)[g] += region->samples[i].groups[g] / (double)count_at(fit, of);
    }
    for (size_t g = 0; g < SLOWDOWN_GROUPS; g++)
        sum += (to[g] - ratio * from[g]) * (to[g] - ratio * from[g]);
    double variance = sum * SLOWDOWN_GROUPS / (SLOWDOWN_GROUPS - 1);
    return gsl_cdf_tdist_Pinv(0.5 + coverage / 2, SLOWDOWN_GROUPS - 1) * sqrt(variance) /
           region->level_ns[0];
}

static void judge(const struct slowdown_fit *fit, struct slowdown_fit_region *region)
{
    region->verdict = SLOWDOWN_UNEQUAL;
    if (!is_comparable(fit, region))
        return;
    region->verdict = SLOWDOWN_TOO_FEW;
    bool scatters = knows_scatter(fit, region);
    if (!has_time(fit, region) || (!scatters && !(fit->all_factor > 0)))
        return;
    region->verdict = SLOWDOWN_NO_CHANGE;
    region->levels = memory_zeroed(fit->n_levels, sizeof *region->levels);
    for (size_t level = 0; level < fit->n_levels; level++) {
        double ratio = region->level_ns[level] / region->level_ns[0];
        double width = level == 0 || !scatters ? 0
                       : fit->is_repeated      ? width_between_runs(fit, region, level, ratio)
                                               : width_within_runs(fit, region, level, ratio);
        bool is_learned = fabs(ratio - 1) > width;
        region->levels[level] =
            (struct slowdown_level_factor){ratio, ratio - width, ratio + width, is_learned};
        if (is_learned)
            region->verdict = SLOWDOWN_LEARNED;
    }
}

// --- all regions

/// The CPU time of REGION on which its factors have an effect.
static double effect_of(const struct slowdown_fit *fit, const struct slowdown_fit_region *region)
{
    double most = 0;
    for (size_t i = 1; i < fit->n_levels; i++)
        most = fmax(most, fabs(region->level_ns[i] - region->level_ns[0]));
    return most;
}

/// Of the learned regions those with the largest effect, as many as there is room for.
static void limit_learned(struct slowdown_fit *fit)
{
    double all_ns = 0;
    for (size_t i = 0; i < fit->n_regions; i++)
        all_ns += fit->regions[i].level_ns[0];
    for (size_t i = 0; i < fit->n_regions; i++)
        if (fit->regions[i].verdict == SLOWDOWN_LEARNED &&
            effect_of(fit, &fit->regions[i]) < least_effect * all_ns)
            fit->regions[i].verdict = SLOWDOWN_LEFT_OUT;
    for (;;) {
        struct slowdown_fit_region *least = NULL;
        size_t n = 0;
        for (size_t i = 0; i < fit->n_regions; i++) {
            struct slowdown_fit_region *region = &fit->regions[i];
            if (region->verdict != SLOWDOWN_LEARNED)
                continue;
            n++;
            if (!least || effect_of(fit, region) < effect_of(fit, least))
                least = region;
        }
        if (n <= SLOWDOWN_MOST_LEARNED)
            return;
        least->verdict = SLOWDOWN_LEFT_OUT;
    }
}

/// Whether the path of INNER is below that of OUTER, which is a region and not before a call.
static bool is_inside(const char *inner, const char *outer)
{
    size_t n = strlen(outer), n_before = strlen("before ");
    if (strncmp(inner, "before ", n_before) == 0)
        inner += n_before;
    return strncmp(inner, outer, n) == 0 && inner[n] == '/';
}

/// Regions inside learned ones would get their factors. Most CPU time comes first.
static void keep_inner(struct slowdown_fit *fit)
{
    size_t n_kept = 0;
    for (size_t i = 0; i < fit->n_regions && n_kept < SLOWDOWN_MOST_KEPT; i++) {
        struct slowdown_fit_region *inner = &fit->regions[i];
        bool is_in_learned = false;
        for (size_t k = 0; k < fit->n_regions; k++)
            is_in_learned = is_in_learned || (fit->regions[k].verdict == SLOWDOWN_LEARNED &&
                                              is_inside(inner->name, fit->regions[k].name));
        if (!is_in_learned || inner->verdict == SLOWDOWN_LEARNED)
            continue;
        inner->verdict = SLOWDOWN_KEPT;
        n_kept++;
    }
}

static int by_time(const void *a, const void *b)
{
    const struct slowdown_fit_region *x = a, *y = b;
    if (x->level_ns[0] != y->level_ns[0])
        return x->level_ns[0] < y->level_ns[0] ? 1 : -1;
    return strcmp(x->name, y->name);
}

static void sum_levels(struct slowdown_fit *fit)
{
    for (size_t i = 0; i < fit->n_regions; i++) {
        struct slowdown_fit_region *region = &fit->regions[i];
        region->level_ns = memory_zeroed(fit->n_levels, sizeof *region->level_ns);
        for (size_t k = 0; k < fit->n_recordings; k++) {
            size_t level = fit->recordings[k].level;
            region->level_ns[level] += region->samples[k].ns / (double)count_at(fit, level);
        }
    }
    if (fit->n_regions > 0)
        qsort(fit->regions, fit->n_regions, sizeof *fit->regions, by_time);
}

double slowdown_fit_factor(const struct slowdown_fit_region *region, size_t level)
{
    return region->verdict == SLOWDOWN_LEARNED && region->levels[level].is_learned
               ? region->levels[level].factor
               : 1;
}

static void sum_up(struct slowdown_fit *fit)
{
    fit->total_ns = memory_zeroed(fit->n_levels, sizeof *fit->total_ns);
    fit->learned_ns = memory_zeroed(fit->n_levels, sizeof *fit->learned_ns);
    for (size_t i = 0; i < fit->n_regions; i++) {
        const struct slowdown_fit_region *region = &fit->regions[i];
        fit->n_by_verdict[region->verdict]++;
        for (size_t level = 0; level < fit->n_levels; level++) {
            fit->total_ns[level] += region->level_ns[level];
            fit->learned_ns[level] += region->level_ns[0] * slowdown_fit_factor(region, level);
        }
    }
}

static double comparable_share(const struct slowdown_fit *fit)
{
    double comparable = 0, all = 0;
    for (size_t i = 0; i < fit->n_regions; i++) {
        for (size_t level = 0; level < fit->n_levels; level++) {
            all += fit->regions[i].level_ns[level];
            if (is_comparable(fit, &fit->regions[i]))
                comparable += fit->regions[i].level_ns[level];
        }
    }
    return all > 0 ? comparable / all : 0;
}

int slowdown_fit(struct slowdown_fit *fit, struct error *err)
{
    find_levels(fit);
    if (fit->n_levels < 2)
        return error_set(err,
                         "all recordings have %g ranks per core: record the program with another "
                         "number of ranks on a core as well",
                         fit->levels[0]);
    fit->is_repeated = fit->n_recordings - fit->n_levels >= LEAST_FREEDOM;
    sum_levels(fit);
    fit->comparable = comparable_share(fit);
    if (fit->comparable < least_comparable)
        return error_set(err,
                         "only %s of the CPU time is in regions that all recordings visit equally "
                         "often: they are not of the same program with the same input",
                         quantity_share(fit->comparable).text);
    for (size_t i = 0; i < fit->n_regions; i++)
        judge(fit, &fit->regions[i]);
    limit_learned(fit);
    keep_inner(fit);
    sum_up(fit);
    return 0;
}

// --- the file

static void write_region(const struct slowdown_fit *fit, const struct slowdown_fit_region *region,
                         FILE *stream)
{
    fputs("  <region", stream);
    xml_put_attribute(stream, "name", region->name);
    fprintf(stream, " cpu-time=\"%.3g\">\n", region->level_ns[0] / fit->total_ns[0]);
    for (size_t i = 0; i < fit->n_levels; i++) {
        fprintf(stream, "    <point ranks-per-core=\"%.9g\" factor=\"%.4f\"", fit->levels[i],
                slowdown_fit_factor(region, i));
        if (i > 0 && region->levels)
            fprintf(stream, " from=\"%.4f\" to=\"%.4f\"", region->levels[i].from,
                    region->levels[i].to);
        fputs("/>\n", stream);
    }
    fputs("  </region>\n", stream);
}

int slowdown_fit_write(const struct slowdown_fit *fit, const char *program, const char *path,
                       struct error *err)
{
    struct new_file file;
    int status = new_file_open(&file, path, err);
    if (status == 0) {
        fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
              "<!-- Factors of the CPU time of regions by the ranks that share a core; see "
              "pagoda-calibrate(1). -->\n"
              "<slowdown",
              file.stream);
        xml_put_attribute(file.stream, "program", program);
        fprintf(file.stream, " source=\"%zu recordings\">\n", fit->n_recordings);
        for (size_t i = 0; i < fit->n_regions; i++)
            if (fit->regions[i].verdict == SLOWDOWN_LEARNED ||
                fit->regions[i].verdict == SLOWDOWN_KEPT)
                write_region(fit, &fit->regions[i], file.stream);
        fputs("</slowdown>\n", file.stream);
    }
    return new_file_finish(&file, status, err);
}

// --- speeds

int speed_fit(struct slowdown_fit *fit, struct error *err)
{
    double ns[2] = {0, 0}, all_ns[2] = {0, 0};
    for (size_t i = 0; i < fit->n_regions; i++)
        for (size_t k = 0; k < 2; k++) {
            double region_ns = fit->regions[i].samples[k].ns;
            all_ns[k] += region_ns;
            ns[k] += is_comparable(fit, &fit->regions[i]) ? region_ns : 0;
        }
    for (size_t k = 0; k < 2; k++)
        if (!(all_ns[k] > 0))
            return error_set(err, "%s: no time was computed outside MPI, so nothing can be scaled",
                             fit->recordings[k].path);
    fit->all_factor = ns[0] > 0 && ns[1] > 0 ? ns[1] / ns[0] : 1;
    // As if the target were as fast as this machine altogether: what remains is the regions' own.
    for (size_t i = 0; i < fit->n_regions; i++) {
        struct slowdown_sample *target = &fit->regions[i].samples[1];
        target->ns /= fit->all_factor;
        for (size_t g = 0; g < SLOWDOWN_GROUPS; g++)
            target->groups[g] /= fit->all_factor;
    }
    return slowdown_fit(fit, err);
}

static bool is_written(const struct slowdown_fit_region *region)
{
    return region->verdict == SLOWDOWN_LEARNED || region->verdict == SLOWDOWN_KEPT;
}

/// The factor of the innermost written region around REGION; 1: there is none.
static double factor_around(const struct slowdown_fit *fit,
                            const struct slowdown_fit_region *region)
{
    const struct slowdown_fit_region *around = NULL;
    for (size_t i = 0; i < fit->n_regions; i++) {
        const struct slowdown_fit_region *outer = &fit->regions[i];
        if (is_written(outer) && is_inside(region->name, outer->name) &&
            (!around || strlen(outer->name) > strlen(around->name)))
            around = outer;
    }
    return around ? slowdown_fit_factor(around, 1) : 1;
}

/// A machine file takes speeds from 0.001 to 1000.
static void write_speed(FILE *stream, const char *name, double share, double factor, double around)
{
    fputs("  <region", stream);
    xml_put_attribute(stream, "name", name);
    fprintf(stream, " speed=\"%.6f\"/> <!-- %s of the CPU time, takes %.4g times as long -->\n",
            fmin(fmax(around / factor, 0.001), 1000), quantity_share(share).text, factor);
}

int speed_fit_write(const struct slowdown_fit *fit, const char *program, const char *path,
                    struct error *err)
{
    struct new_file file;
    int status = new_file_open(&file, path, err);
    if (status == 0) {
        fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
              "<!-- How fast a target machine computes, by region, for the option speeds of pagoda "
              "replay; see "
              "pagoda-calibrate(1). -->\n"
              "<machine",
              file.stream);
        xml_put_attribute(file.stream, "name", program);
        fputs(">\n", file.stream);
        write_speed(file.stream, "(program)", 1, fit->all_factor, 1);
        for (size_t i = 0; i < fit->n_regions; i++) {
            const struct slowdown_fit_region *region = &fit->regions[i];
            double factor = is_written(region) ? slowdown_fit_factor(region, 1) : 1;
            double around = factor_around(fit, region);
            if (is_written(region) && fabs(factor - around) > 0)
                write_speed(file.stream, region->name, region->level_ns[0] / fit->total_ns[0],
                            factor * fit->all_factor, around * fit->all_factor);
        }
        fputs("</machine>\n", file.stream);
    }
    return new_file_finish(&file, status, err);
}
