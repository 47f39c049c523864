// SPDX-License-Identifier: BSD-3-Clause
// Affinity masks, see cores.h.
#include "tracer/finish/cores.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracer/finish/memory.h"

#define N_WORDS (SPOOL_CORES / 64)

void node_cores_add(struct node_cores *node, const uint64_t *cores)
{
    bool is_known = false;

    for (size_t i = 0; cores != NULL && i < N_WORDS; i++) {
        node->used[i] |= cores[i];
        is_known = is_known || cores[i] != 0;
    }
    if (!is_known)
        node->is_incomplete = true;
}

uint32_t node_cores_count(const struct node_cores *node)
{
    uint32_t n = 0;

    for (size_t i = 0; !node->is_incomplete && i < N_WORDS; i++)
        n += (uint32_t)__builtin_popcountll(node->used[i]);
    return n;
}

static bool are_apart(const uint64_t *a, const uint64_t *b)
{
    bool have_common = false;

    if (memcmp(a, b, N_WORDS * sizeof *a) == 0)
        return true;
    for (size_t i = 0; i < N_WORDS; i++)
        have_common = have_common || (a[i] & b[i]) != 0;
    return !have_common;
}

bool cores_are_apart(const uint64_t *const *cores, size_t n_ranks)
{
    for (size_t i = 0; i < n_ranks; i++) {
        struct node_cores known = {0};

        node_cores_add(&known, cores[i]);
        if (known.is_incomplete)
            return false;
        for (size_t j = 0; j < i; j++)
            if (!are_apart(cores[i], cores[j]))
                return false;
    }
    return true;
}

static bool has_core(const uint64_t *cores, size_t core)
{
    return core < SPOOL_CORES && (cores[core / 64] >> core % 64 & 1) != 0;
}

char *cores_text(const uint64_t *cores)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);

    if (stream == NULL)
        return NULL;
    for (size_t core = 0; core < SPOOL_CORES; core++) {
        size_t last = core;

        if (!has_core(cores, core))
            continue;
        while (has_core(cores, last + 1))
            last++;
        fprintf(stream, ftell(stream) > 0 ? ",%zu" : "%zu", core);
        if (last > core)
            fprintf(stream, "-%zu", last);
        core = last;
    }
    fclose(stream);
    return text;
}
