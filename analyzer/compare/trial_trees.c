// SPDX-License-Identifier: BSD-3-Clause
// Each trial is compared with a run that takes no time: what differs is all it has.
#include "analyzer/compare/difference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/compare/resource_path.h"

/// What is read of a trial.
struct tree {
    struct place {
        char *path;
        double ns;
    } * places;
    size_t n;
    double least_ns; // worth showing
};

static void add_time(void *user, const char *call_path, const char *process, const char *wait_state,
                     int64_t value_ns)
{
    difference_add(user, 0, call_path, process, wait_state, value_ns);
}

static void keep_places(struct tree *tree, struct difference *difference)
{
    static const struct difference_thresholds none = {0, 0, 1};
    SCOPED_BY(difference_table_release) struct difference_table table;
    difference_descend(difference, &none, true, &table);
    tree->places = memory_new((table.n_rows + 1) * sizeof *tree->places);
    for (; tree->n < table.n_rows; tree->n++)
        tree->places[tree->n] = (struct place){memory_copy_text(table.rows[tree->n].call_path),
                                               table.rows[tree->n].a_ns};
}

static int read_tree(struct database *database, int64_t id, struct tree *tree, struct error *err)
{
    static const double little = 0.001; // of the run time: a tenth of what is a change
    struct trial_time trial;
    if (trial_time_read(database, id, &trial, err))
        return -1;
    struct difference *difference = difference_new();
    difference_add_run(difference, DIFFERENCE_A, trial.time_ns, trial.n_ranks);
    difference_add_run(difference, DIFFERENCE_B, 0, 1);
    int status = trial_time_parts(database, id, add_time, difference, err);
    if (status == 0)
        keep_places(tree, difference);
    tree->least_ns = little * (double)trial.time_ns;
    difference_free(difference);
    trial_time_release(&trial);
    return status;
}

static int compare_paths(const void *a, const void *b)
{
    return resource_path_compare(*(char *const *)a, *(char *const *)b);
}

/// The paths of the N trees that are worth showing in one, each once, in the order of a walk.
static void list_paths(struct trial_trees *trees, const struct tree *read, size_t n)
{
    size_t capacity = 0, n_all = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < read[i].n; j++)
            if (read[i].places[j].ns >= read[i].least_ns)
                *ARRAY_NEXT(trees->paths, n_all, capacity) = read[i].places[j].path;
    if (n_all > 0)
        qsort(trees->paths, n_all, sizeof *trees->paths, compare_paths);
    for (size_t i = 0; i < n_all; i++)
        if (i == 0 || strcmp(trees->paths[i], trees->paths[trees->n_paths - 1]) != 0)
            trees->paths[trees->n_paths++] = trees->paths[i];
    for (size_t i = 0; i < trees->n_paths; i++)
        trees->paths[i] = memory_copy_text(trees->paths[i]);
}

static void find_parents(struct trial_trees *trees)
{
    trees->parents = memory_new((trees->n_paths + 1) * sizeof *trees->parents);
    for (size_t i = 0; i < trees->n_paths; i++) {
        size_t above = i > 0 ? i - 1 : TRIAL_TREES_ROOT;
        while (above != TRIAL_TREES_ROOT &&
               !resource_path_is_within(trees->paths[i], trees->paths[above]))
            above = trees->parents[above];
        trees->parents[i] = above;
    }
}

static void fill(const struct trial_trees *trees, const struct tree *tree, double *ns)
{
    for (size_t i = 0; i < trees->n_paths; i++)
        ns[i] = NAN;
    for (size_t i = 0; i < tree->n; i++) {
        char *const *path = bsearch(&tree->places[i].path, trees->paths, trees->n_paths,
                                    sizeof *trees->paths, compare_paths);
        if (path)
            ns[path - trees->paths] = tree->places[i].ns;
    }
}

int trial_trees_read(struct database *database, struct trial_trees *trees, struct error *err)
{
    size_t n = trees->n_trials;
    SCOPED struct tree *read = memory_zeroed(n + 1, sizeof *read);
    int status = 0;
    for (size_t i = 0; i < n && status == 0; i++)
        status = read_tree(database, trees->ids[i], &read[i], err);
    if (status == 0) {
        list_paths(trees, read, n);
        find_parents(trees);
        trees->ns = memory_new((n * trees->n_paths + 1) * sizeof *trees->ns);
        for (size_t i = 0; i < n; i++)
            fill(trees, &read[i], trees->ns + i * trees->n_paths);
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < read[i].n; j++)
            free(read[i].places[j].path);
        free(read[i].places);
    }
    return status;
}

void trial_trees_release(struct trial_trees *trees)
{
    memory_free_each(trees->paths, trees->n_paths);
    FREE_ALL(trees->ids, trees->parents, trees->ns);
    *trees = (struct trial_trees){0};
}
