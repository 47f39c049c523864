// SPDX-License-Identifier: BSD-3-Clause
// What one prediction changes (see set.h), and the values most options have.
#include "analyzer/whatif/set.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/options.h"
#include "analyzer/base/text.h"

static const double max_factor = 1000;

void whatif_set_init(struct whatif_set *set)
{
    *set = (struct whatif_set){
        .settings = SCENARIO_UNCHANGED,
        .latency_ns = PAG_NOT_KNOWN,
        .eager_bytes = PAG_NOT_KNOWN,
        .threshold = PAG_NOT_KNOWN,
        .poll_ns = PAG_NOT_KNOWN,
        .transfer_ns = PAG_NOT_KNOWN,
        .n_free_hosts = UINT32_MAX,
    };
}

bool whatif_set_is_estimate(const struct whatif_set *set)
{
    return set->n_workers > 0 || set->dealing || set->rebalance;
}

bool whatif_option_is_of_estimate(const char *name)
{
    static const char *const names[] = {"workers", "dealing",  "rebalance", "threshold",
                                        "poll",    "transfer", "free-hosts"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

void whatif_set_release(struct whatif_set *set)
{
    for (size_t i = 0; i < set->n_chosen; i++) {
        free(set->chosen[i].name);
        free(set->chosen[i].value);
    }
    for (size_t i = 0; i < set->n_values; i++) {
        free(set->values[i].name);
        free(set->values[i].value);
    }
    free(set->values);
    free(set->words);
    for (size_t i = 0; i < set->n_kept; i++)
        free(set->kept[i]);
    free(set->chosen);
    free(set->kept);
    *set = (struct whatif_set){0};
}

static void *keep(struct whatif_set *set, void *memory)
{
    set->kept = array_reserve(set->kept, &set->kept_capacity, set->n_kept + 1, sizeof *set->kept);
    return set->kept[set->n_kept++] = memory;
}

char *whatif_set_keep(struct whatif_set *set, char *text)
{
    return keep(set, text);
}

void *whatif_set_grow(struct whatif_set *set, const void *array, size_t n, size_t item_bytes)
{
    void *grown = keep(set, memory_zeroed(n + 1, item_bytes));
    if (n > 0)
        memcpy(grown, array, n * item_bytes);
    return grown;
}

int whatif_choose(const char *option, const char *text, const char *first, const char *second,
                  bool *is_second, struct error *err)
{
    const char *const names[] = {first, second};
    *is_second = strcmp(text, second) == 0;
    if (*is_second || strcmp(text, first) == 0)
        return 0;
    const char *nearest = spelling_nearest(text, names, 2);
    return error_set(err, "--%s %s: it is %s or %s%s%s%s", option, text, first, second,
                     nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
}

int whatif_read_number(const char *option, const char *text, uint32_t most, uint32_t *number,
                       struct error *err)
{
    uint64_t count;
    if (option_read_count(text, &count, err) != 0)
        return error_wrap(err, "--%s %s", option, text);
    if (count == 0 || count > most)
        return error_set(err, "--%s %s: from 1 to %u", option, text, most);
    *number = (uint32_t)count;
    return 0;
}

int whatif_read_factor(const char *option, const char *text, uint64_t least, uint64_t *millionths,
                       struct error *err)
{
    double number;
    const char *equals = strrchr(text, '=');
    if (option_read_number(equals ? equals + 1 : text, &number, err) != 0)
        return error_wrap(err, "--%s %s", option, text);
    double scaled = round(number * PAG_WORK_PER_NS);
    if (scaled < (double)least || number > max_factor)
        return error_set(err, "--%s %s: from %g to %g", option, text,
                         (double)least / PAG_WORK_PER_NS, max_factor);
    *millionths = (uint64_t)scaled;
    return 0;
}
