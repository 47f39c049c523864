// SPDX-License-Identifier: BSD-3-Clause
// The table of formats, and the CSV of what their readers found (see profiles.h).
#include "db/profiles/profiles.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/format/csv.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/base/text.h"
#include "db/focus.h"
#include "db/profiles/cube.h"

/// A text is of the first format whose mark is in its first LOOKED_AT bytes.
enum { LOOKED_AT = 400 };
static const struct profile_format {
    const char *mark;
    profile_reader *read;
} formats[] = {
    {"Flat profile:", gprof_read},
    {"@ mpiP", mpip_read},
    {"templated_functions", tau_read},
};

static const struct {
    const char *name, *unit, *adds_up_over;
} metrics[PROFILE_METRICS] = {
    [PROFILE_RUN] = {"time_ns", "ns", "nothing"},
    [PROFILE_EXCLUSIVE] = {"exclusive_ns", "ns", "everything"},
    [PROFILE_INCLUSIVE] = {"inclusive_ns", "ns", "processes"},
    [PROFILE_VISITS] = {"visits", "calls", "everything"},
};

void profile_add(struct profile *profile, enum profile_metric metric, const char *file,
                 const char *function, size_t length, int64_t rank, double value)
{
    *ARRAY_NEXT(profile->values, profile->n, profile->capacity) = (struct profile_value){
        metric, memory_copy_text(file), memory_format("%.*s", (int)length, function), rank, value};
}

static const struct profile_format *format_of(const char *text)
{
    SCOPED char *begin = memory_format("%.*s", LOOKED_AT, text);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strstr(begin, formats[i].mark))
            return &formats[i];
    return NULL;
}

static int is_profile_name(const struct dirent *entry)
{
    unsigned node, context, thread;
    return sscanf(entry->d_name, "profile.%u.%u.%u", &node, &context, &thread) == 3;
}

bool profile_is_file(const char *path)
{
    struct dirent **entries = NULL;
    if (path_is_folder(path)) {
        int n = scandir(path, &entries, is_profile_name, alphasort);
        for (int i = 0; i < n; i++)
            free(entries[i]);
        free(entries);
        return n > 0;
    }
    if (cube_is_file(path))
        return true;
    char begin[LOOKED_AT + 1] = "";
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    size_t n = fread(begin, 1, LOOKED_AT, file);
    fclose(file);
    return strlen(begin) == n && format_of(begin) != NULL;
}

static int read_one(const char *path, struct profile *profile, struct error *err)
{
    const char *why;
    SCOPED char *text = text_of_file(path, &why);
    const struct profile_format *format = text ? format_of(text) : NULL;
    if (!text)
        return error_set(err, "cannot read %s: %s", path, why);
    if (!format)
        return error_set(err, "%s is no profile of a known format", path);
    return format->read(path, text, profile, err);
}

/// All profiles of TAU in a folder are one run.
static int read_all(const char *path, struct profile *profile, struct error *err)
{
    struct dirent **entries = NULL;
    if (!path_is_folder(path))
        return read_one(path, profile, err);
    int n = scandir(path, &entries, is_profile_name, alphasort), status = 0;
    if (n < 0)
        return error_set(err, "cannot read %s: %s", path, strerror(errno));
    for (int i = 0; i < n; i++) {
        SCOPED char *file = memory_format("%s/%s", path, entries[i]->d_name);
        if (status == 0)
            status = read_one(file, profile, err);
        free(entries[i]);
    }
    free(entries);
    return status;
}

static int compare(const void *a, const void *b)
{
    const struct profile_value *left = a, *right = b;
    return ORDER_BY(LESS_FIRST(left->metric, right->metric), LESS_FIRST(left->rank, right->rank),
                    strcmp(left->file, right->file), strcmp(left->function, right->function));
}

static void write_line(FILE *csv, const struct profile_value *at, double value)
{
    SCOPED char *name = utf8_clean(at->function), *file_name = utf8_clean(at->file);
    SCOPED char *file = focus_path("/Code", file_name), *function = focus_path(file, name);
    SCOPED char *focus =
        at->metric == PROFILE_RUN ? memory_copy_text("/Code")
        : at->rank == PROFILE_NO_RANK
            ? memory_copy_text(function)
            : memory_format("< %s, /Process/%lld >", function, (long long)at->rank);
    fprintf(csv, "%s,%s,%s,", metrics[at->metric].name, metrics[at->metric].unit,
            metrics[at->metric].adds_up_over);
    csv_put_quoted(csv, focus);
    fprintf(csv, ",%.0f\n", value);
}

/// Sums what is of the same function and rank; of the whole run the largest counts.
static void write_csv(FILE *csv, struct profile *profile)
{
    double run_ns = 0;
    qsort(profile->values, profile->n, sizeof *profile->values, compare);
    fputs("metric,unit,adds_up_over,focus,value\n", csv);
    for (size_t i = 0, end; i < profile->n; i = end) {
        const struct profile_value *at = &profile->values[i];
        double sum = 0;
        for (end = i; end < profile->n && compare(at, &profile->values[end]) == 0; end++) {
            sum += profile->values[end].value;
            if (at->metric == PROFILE_RUN)
                run_ns = fmax(run_ns, profile->values[end].value);
        }
        if (at->metric != PROFILE_RUN)
            write_line(csv, at, sum);
    }
    if (run_ns > 0) {
        char none[] = "";
        write_line(csv, &(struct profile_value){PROFILE_RUN, none, none, PROFILE_NO_RANK, 0},
                   run_ns);
    }
}

int profile_import(const char *path, const struct import_names *names, struct database **memory,
                   struct error *err)
{
    if (cube_is_file(path))
        return cube_import(path, names, memory, err);
    struct profile profile = {0};
    char *text = NULL;
    size_t length = 0;
    int status = read_all(path, &profile, err);
    if (status == 0 && profile.n == 0)
        status = error_set(err, "%s has no values of functions", path);
    if (status == 0) {
        FILE *csv = open_memstream(&text, &length);
        write_csv(csv, &profile);
        fclose(csv);
        csv = fmemopen(text, length, "r");
        status = import_read_csv(csv, path, names, memory, err);
        fclose(csv);
    }
    FREE_MEMBERS(profile.values, profile.n, file, function);
    FREE_ALL(profile.values, text);
    return status;
}
