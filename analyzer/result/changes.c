// SPDX-License-Identifier: BSD-3-Clause
// Two results side by side (see changes.h).
#include "analyzer/result/changes.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/base/text.h"

enum { NAMED_REGIONS = 3 };
static const double worth_naming = 0.1;     // of the change of the run time
static const double worth_telling = 0.0005; // of the ranks' time

void changes_release(struct changes *changes)
{
    free(changes->items);
    *changes = (struct changes){0};
}

static int64_t change_ns(const struct change *change)
{
    return change->predicted_ns - change->measured_ns;
}

static int by_change(const void *left, const void *right)
{
    const struct change *a = left, *b = right;
    int64_t a_ns = llabs(change_ns(a)), b_ns = llabs(change_ns(b));
    return ORDER_BY(MORE_FIRST(a_ns, b_ns), MORE_FIRST(a->predicted_ns, b->predicted_ns),
                    strcmp(a->name, b->name));
}

/// Adds up rows of one name, leaves out those that stay the same unless KEEPS_SAME, and sorts.
static void conclude(struct changes *changes, bool keeps_same)
{
    size_t n = 0;
    if (changes->n > 0)
        qsort(changes->items, changes->n, sizeof *changes->items, text_compare);
    for (size_t i = 0; i < changes->n;) {
        struct change sum = changes->items[i];
        for (i++; i < changes->n && strcmp(changes->items[i].name, sum.name) == 0; i++) {
            sum.measured_ns += changes->items[i].measured_ns;
            sum.predicted_ns += changes->items[i].predicted_ns;
        }
        if (change_ns(&sum) != 0 || (keeps_same && sum.measured_ns != 0))
            changes->items[n++] = sum;
    }
    changes->n = n;
    if (n > 0)
        qsort(changes->items, n, sizeof *changes->items, by_change);
}

static void add(struct changes *changes, const char *name, const char *shown, bool is_predicted,
                int64_t time_ns)
{
    changes->items[changes->n++] =
        (struct change){name, shown, is_predicted ? 0 : time_ns, is_predicted ? time_ns : 0};
}

struct changes changes_of_critical_path(const struct result *measured,
                                        const struct result *predicted)
{
    const struct result *const runs[] = {measured, predicted};
    struct changes changes = {
        .items = memory_zeroed(measured->critical_path.n_by_region +
                                   predicted->critical_path.n_by_region,
                               sizeof *changes.items),
    };
    for (int r = 0; r < 2; r++)
        for (size_t i = 0; i < runs[r]->critical_path.n_by_region; i++) {
            const struct result_path_share *share = &runs[r]->critical_path.by_region[i];
            const struct result_region *region = &runs[r]->regions[share->region];
            add(&changes, region->name, region->shown, r == 1, share->time_ns);
        }
    conclude(&changes, true);
    return changes;
}

struct changes changes_of_waits(const struct result *measured, const struct result *predicted)
{
    const struct result *const runs[] = {measured, predicted};
    struct changes changes = {.items = memory_zeroed(measured->n_patterns + predicted->n_patterns,
                                                     sizeof *changes.items)};
    for (int r = 0; r < 2; r++)
        for (size_t i = 0; i < runs[r]->n_patterns; i++)
            add(&changes, runs[r]->patterns[i].name, runs[r]->patterns[i].name, r == 1,
                (int64_t)runs[r]->patterns[i].total_ns);
    conclude(&changes, true);
    return changes;
}

struct changes changes_of_call_paths(const struct result *measured, const struct result *predicted)
{
    const struct result *const runs[] = {measured, predicted};
    struct changes changes = {
        .items = memory_zeroed(measured->n_paths + predicted->n_paths, sizeof *changes.items)};
    for (int r = 0; r < 2; r++)
        for (size_t i = 0; i < runs[r]->n_paths; i++)
            add(&changes, runs[r]->paths[i].path, runs[r]->paths[i].shown, r == 1,
                (int64_t)runs[r]->paths[i].exclusive_ns);
    conclude(&changes, false);
    return changes;
}

/// Time of RUN's ranks by kind, outside MPI that of their master threads.
static void time_by_kind(const struct result *run, int64_t *kinds)
{
    int64_t all_ns = (int64_t)(run->time_ns * run->n_ranks), mpi_ns = 0;
    memset(kinds, 0, CHANGE_KINDS * sizeof *kinds);
    for (size_t i = 0; i < run->n_paths; i++) {
        const struct result_path *path = &run->paths[i];
        if (run->regions[path->region].is_mpi)
            mpi_ns += (int64_t)path->exclusive_ns;
        else
            kinds[CHANGE_OUTSIDE] += (int64_t)path->master_ns;
    }
    for (size_t i = 0; i < run->n_patterns; i++)
        if (run->patterns[i].is_top)
            kinds[CHANGE_WAITING] += (int64_t)run->patterns[i].total_ns;
    kinds[CHANGE_OTHER_MPI] = mpi_ns - kinds[CHANGE_WAITING];
    kinds[CHANGE_ABSENT] = all_ns - mpi_ns - kinds[CHANGE_OUTSIDE];
}

struct changes changes_of_time(const struct result *measured, const struct result *predicted)
{
    static const char *const names[CHANGE_KINDS] = {"outside MPI", "waiting in MPI", "other MPI",
                                                    "before start or after end"};
    int64_t before[CHANGE_KINDS], after[CHANGE_KINDS];
    time_by_kind(measured, before);
    time_by_kind(predicted, after);
    struct changes changes = {.items = memory_zeroed(CHANGE_KINDS, sizeof *changes.items),
                              .n = CHANGE_KINDS};
    for (int kind = 0; kind < CHANGE_KINDS; kind++)
        changes.items[kind] = (struct change){names[kind], names[kind], before[kind], after[kind]};
    return changes;
}

// --- in words

static struct quantity amount_of(int64_t change)
{
    return quantity_format("%s %s", quantity_time((uint64_t)llabs(change)).text,
                           change < 0 ? "less" : "more");
}

/// The largest changes of the path in the direction of that of the run time, TOTAL, then the
/// largest ones against it.
static void tell_path(char **text, const struct changes *changes, int64_t total)
{
    for (int pass = 0; pass < 2; pass++) {
        size_t n_told = 0;
        for (size_t i = 0; i < changes->n && n_told < NAMED_REGIONS; i++) {
            int64_t change = change_ns(&changes->items[i]);
            bool is_against = (change < 0) != (total < 0);
            if (change == 0 || is_against != (pass == 1) ||
                (n_told > 0 || pass == 1 ? llabs(change) < worth_naming * (double)llabs(total)
                                         : false))
                continue;
            text_append(text, "%s%s of %s",
                        n_told > 0  ? ", "
                        : pass == 1 ? "; but "
                                    : "",
                        amount_of(change).text, changes->items[i].shown);
            n_told++;
        }
    }
}

char *changes_summary(const struct result *measured, const struct result *predicted)
{
    char *text = NULL;
    int64_t total = (int64_t)(predicted->time_ns - measured->time_ns);
    SCOPED_BY(changes_release) struct changes path = changes_of_critical_path(measured, predicted);
    SCOPED_BY(changes_release) struct changes time = changes_of_time(measured, predicted);
    double all_ns = (double)measured->time_ns * (double)measured->n_ranks;
    if (total == 0) {
        text_append(&text, "the run takes as long as it did");
    } else {
        text_append(&text, "on the critical path ");
        tell_path(&text, &path, total);
    }
    size_t n_told = 0;
    for (size_t i = 0; i < time.n && all_ns > 0; i++) {
        double share = (double)change_ns(&time.items[i]) / all_ns;
        if (fabs(share) < worth_telling || i == CHANGE_ABSENT)
            continue;
        text_append(&text, "%s%s %+.1f %%", n_told++ > 0 ? ", " : "; of all ranks' time ",
                    time.items[i].name, 100 * share);
    }
    return text;
}
