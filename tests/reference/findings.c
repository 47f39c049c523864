// SPDX-License-Identifier: BSD-3-Clause
// Sorted lists of facts and their comparison.
#include "tests/reference/findings.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"

void findings_add(struct findings *findings, const char *fact, uint32_t rank, uint32_t thread,
                  const char *path, int64_t count, int64_t ns)
{
    *ARRAY_NEXT(findings->items, findings->n_items, findings->capacity) =
        (struct finding){.fact = memory_copy_text(fact),
                         .rank = rank,
                         .thread = thread,
                         .path = memory_copy_text(path),
                         .count = count,
                         .ns = ns};
}

void findings_take(struct findings *findings, struct findings *from)
{
    findings->items = array_reserve(findings->items, &findings->capacity,
                                    findings->n_items + from->n_items, sizeof *findings->items);
    for (size_t i = 0; i < from->n_items; i++)
        findings->items[findings->n_items++] = from->items[i];
    free(from->items);
    *from = (struct findings){0};
}

static int compare(const void *left, const void *right)
{
    const struct finding *a = left, *b = right;
    int order = strcmp(a->fact, b->fact);
    if (order == 0)
        order = (a->rank > b->rank) - (a->rank < b->rank);
    if (order == 0)
        order = (a->thread > b->thread) - (a->thread < b->thread);
    return order ? order : strcmp(a->path, b->path);
}

void findings_sort(struct findings *findings)
{
    if (findings->n_items == 0)
        return;
    qsort(findings->items, findings->n_items, sizeof *findings->items, compare);
    size_t n = 0;
    for (size_t i = 0; i < findings->n_items;) {
        struct finding sum = findings->items[i];
        size_t next = i + 1;
        for (; next < findings->n_items && compare(&sum, &findings->items[next]) == 0; next++) {
            sum.count += findings->items[next].count;
            sum.ns += findings->items[next].ns;
            FREE_ALL(findings->items[next].fact, findings->items[next].path);
        }
        i = next;
        if (sum.count || sum.ns) {
            findings->items[n++] = sum;
        } else {
            FREE_ALL(sum.fact, sum.path);
        }
    }
    findings->n_items = n;
}

void findings_release(struct findings *findings)
{
    for (size_t i = 0; i < findings->n_items; i++) {
        FREE_ALL(findings->items[i].fact, findings->items[i].path);
    }
    free(findings->items);
    *findings = (struct findings){0};
}

struct finding findings_sum(const struct findings *findings, const char *fact, uint32_t rank,
                            uint32_t thread, const char *path)
{
    struct finding sum = {.rank = rank, .thread = thread};
    for (size_t i = 0; i < findings->n_items; i++) {
        const struct finding *item = &findings->items[i];
        if (rank != FINDING_NO_RANK && (item->rank != rank || item->thread != thread))
            continue;
        if (strcmp(item->fact, fact) != 0 || (path && strcmp(item->path, path) != 0))
            continue;
        sum.count += item->count;
        sum.ns += item->ns;
    }
    return sum;
}

static void print_key(const struct finding *item, FILE *stream)
{
    fprintf(stream, "  %s", item->fact);
    if (item->rank != FINDING_NO_RANK)
        fprintf(stream, " rank %" PRIu32, item->rank);
    if (item->thread != 0)
        fprintf(stream, ".%" PRIu32, item->thread);
    if (item->path[0])
        fprintf(stream, " path %s", item->path);
}

static void print_value(const char *name, const struct finding *item, FILE *stream)
{
    if (item)
        fprintf(stream, "  %s: count %" PRId64 " ns %" PRId64, name, item->count, item->ns);
    else
        fprintf(stream, "  %s: none", name);
}

bool findings_equal(const struct findings *a, const char *a_name, const struct findings *b,
                    const char *b_name, bool (*is_ignored)(const char *fact, const void *context),
                    const void *context, FILE *stream, int max_lines)
{
    size_t i = 0, j = 0;
    int n_lines = 0;
    while (i < a->n_items || j < b->n_items) {
        const struct finding *x = i < a->n_items ? &a->items[i] : NULL;
        const struct finding *y = j < b->n_items ? &b->items[j] : NULL;
        int order = !x ? 1 : !y ? -1 : compare(x, y);
        x = order <= 0 ? x : NULL;
        y = order >= 0 ? y : NULL;
        i += x != NULL;
        j += y != NULL;
        const struct finding *key = x ? x : y;
        if ((x && y && x->count == y->count && x->ns == y->ns) ||
            (is_ignored && is_ignored(key->fact, context)))
            continue;
        if (n_lines++ < max_lines) {
            print_key(key, stream);
            print_value(a_name, x, stream);
            print_value(b_name, y, stream);
            fputc('\n', stream);
        }
    }
    return n_lines == 0;
}
