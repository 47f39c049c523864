// SPDX-License-Identifier: BSD-3-Clause
// The findings of two groups of stored trials against each other: which ones are new, gone or
// changed. Findings of two runs are the same if they have the same kind and place, whatever the
// lines of the source there; of several of one run with both the first ones match, then the second
// ones. Times are losses per rank, in the mean of a group's runs; a run without a finding has 0 of
// it.
#include "analyzer/compare/difference.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"

const char *const finding_state_names[] = {[FINDING_NEW] = "new",
                                           [FINDING_GONE] = "gone",
                                           [FINDING_CHANGED] = "changed",
                                           [FINDING_SAME] = "same"};

struct stored_finding {
    char *kind, *name, *place, *ranks;
    uint64_t loss_ns;
};
#define FINDING_LETTERS "ccccn"

/// PLACE without the lines of the source. The caller frees.
static char *without_lines(const char *place)
{
    char *text = memory_copy_text(place), *to = text;
    for (const char *from = text; *from;) {
        bool is_line = *from == ':' && isdigit((unsigned char)from[1]);
        if (is_line)
            for (from++; isdigit((unsigned char)*from);)
                from++;
        else
            *to++ = *from++;
    }
    *to = '\0';
    return text;
}

/// The change that FINDING of run RUN belongs to, made if it is new; SEEN: how many others of the
/// run have its kind and place.
static struct finding_change *change_of(struct finding_changes *changes,
                                        const struct stored_finding *finding, size_t seen,
                                        size_t n_runs)
{
    SCOPED char *key = without_lines(finding->place);
    for (size_t i = 0; i < changes->n; i++) {
        struct finding_change *change = &changes->items[i];
        if (strcmp(change->kind, finding->kind) == 0 && strcmp(change->key, key) == 0 &&
            seen-- == 0)
            return change;
    }
    struct finding_change *change = ARRAY_EXTEND(changes->items, changes->n);
    *change = (struct finding_change){.kind = memory_copy_text(finding->kind),
                                      .name = memory_copy_text(finding->name),
                                      .key = memory_copy_text(key),
                                      .run_ns = memory_zeroed(n_runs, sizeof(double))};
    return change;
}

/// Adds the findings of RUN, number INDEX of N_RUNS. 0, or -1 and ERR.
static int add_run(struct database *database, const struct difference_run *run, size_t index,
                   size_t n_runs, struct finding_changes *changes, struct error *err)
{
    size_t n;
    struct stored_finding *findings =
        database_rows(database, err, &n,
                      "SELECT kind, name, place, ranks, loss_ns FROM trial_finding "
                      "WHERE trial_id = ?1 ORDER BY number",
                      "i>" FINDING_LETTERS, run->id);
    for (size_t i = 0; i < n && findings; i++) {
        size_t seen = 0;
        SCOPED char *key = without_lines(findings[i].place);
        for (size_t k = 0; k < i; k++) {
            SCOPED char *other = without_lines(findings[k].place);
            seen += strcmp(findings[k].kind, findings[i].kind) == 0 && strcmp(other, key) == 0;
        }
        struct finding_change *change = change_of(changes, &findings[i], seen, n_runs);
        struct finding_side *side = &change->sides[run->group];
        change->run_ns[index] = (double)findings[i].loss_ns / (double)run->trial.n_ranks;
        bool is_first = side->n_runs++ == 0;
        side->has_other_ranks |= !is_first && strcmp(side->ranks, findings[i].ranks) != 0;
        if (is_first) {
            side->place = memory_copy_text(findings[i].place);
            side->ranks = memory_copy_text(findings[i].ranks);
        }
    }
    database_rows_free(findings, n, FINDING_LETTERS);
    return findings ? 0 : -1;
}

static double mean_of(const double *values, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    return sum / (double)n;
}

/// Judges CHANGE, of runs of which the first N_A are those of A, whose run time is A_TIME_NS.
static void judge(struct finding_change *change, size_t n_a, size_t n_b,
                  const struct difference_thresholds *thresholds, double a_time_ns)
{
    const struct finding_side *a = &change->sides[DIFFERENCE_A], *b = &change->sides[DIFFERENCE_B];
    double absolute_ns = thresholds->absolute_ns == DIFFERENCE_DEFAULT
                             ? a_time_ns / 100
                             : (double)thresholds->absolute_ns;
    change->a_ns = mean_of(change->run_ns, n_a);
    change->b_ns = mean_of(change->run_ns + n_a, n_b);
    change->p = significance_of_difference(change->run_ns, n_a, change->run_ns + n_a, n_b);
    double size_ns = fabs(change->b_ns - change->a_ns);
    bool is_beyond = size_ns >= absolute_ns && size_ns >= thresholds->relative * change->a_ns &&
                     (isnan(change->p) || change->p < thresholds->alpha);
    bool has_moved = a->n_runs > 0 && b->n_runs > 0 && !a->has_other_ranks && !b->has_other_ranks &&
                     strcmp(a->ranks, b->ranks) != 0;
    change->state = a->n_runs == 0           ? FINDING_NEW
                    : b->n_runs == 0         ? FINDING_GONE
                    : is_beyond || has_moved ? FINDING_CHANGED
                                             : FINDING_SAME;
}

static int by_change(const void *a, const void *b)
{
    const struct finding_change *x = a, *y = b;
    double x_ns = fabs(x->b_ns - x->a_ns), y_ns = fabs(y->b_ns - y->a_ns);
    return ORDER_BY(MORE_FIRST(x_ns, y_ns), strcmp(x->kind, y->kind), strcmp(x->key, y->key),
                    MORE_FIRST(x->a_ns, y->a_ns));
}

/// Which groups have a run without a search for findings, which always ends in a conclusion. 0, or
/// -1 and ERR.
static int find_unsearched(struct database *database, const struct difference_runs *runs,
                           struct finding_changes *changes, struct error *err)
{
    for (size_t i = 0; i < runs->n; i++) {
        uint64_t is_unsearched;
        if (database_ask(database, err, "SELECT conclusion IS NULL FROM trial WHERE id = ?1", "i>n",
                         runs->list[i].id, &is_unsearched) != 1)
            return -1;
        changes->is_unsearched[runs->list[i].group] |= is_unsearched != 0;
    }
    return 0;
}

int finding_changes_read(struct database *database, const struct difference_runs *runs,
                         const struct difference_thresholds *thresholds,
                         struct finding_changes *changes, struct error *err)
{
    size_t n_a = 0;
    double a_time_ns = 0;
    if (find_unsearched(database, runs, changes, err) != 0)
        return -1;
    if (!finding_changes_are_known(changes))
        return 0;
    for (size_t i = 0; i < runs->n; i++) {
        if (add_run(database, &runs->list[i], i, runs->n, changes, err) != 0)
            return -1;
        if (runs->list[i].group == DIFFERENCE_A) {
            n_a++;
            a_time_ns += (double)runs->list[i].trial.time_ns;
        }
    }
    for (size_t i = 0; i < changes->n; i++)
        judge(&changes->items[i], n_a, runs->n - n_a, thresholds, a_time_ns / (double)n_a);
    if (changes->n > 0)
        qsort(changes->items, changes->n, sizeof *changes->items, by_change);
    return 0;
}

void finding_changes_release(struct finding_changes *changes)
{
    for (size_t i = 0; i < changes->n; i++) {
        struct finding_change *change = &changes->items[i];
        for (int group = DIFFERENCE_A; group <= DIFFERENCE_B; group++)
            FREE_ALL(change->sides[group].place, change->sides[group].ranks);
        FREE_ALL(change->kind, change->name, change->key, change->run_ns);
    }
    free(changes->items);
    *changes = (struct finding_changes){0};
}
