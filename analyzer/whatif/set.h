// SPDX-License-Identifier: BSD-3-Clause
// One prediction as the options ask for it, which their readers fill value by value.
#ifndef PAGODA_WHATIF_SET_H
#define PAGODA_WHATIF_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/simulation/scenario.h"

/// An option, and the one of its values that this prediction has.
struct whatif_chosen {
    char *name, *value;
};

struct whatif_set {
    char *words;                  // the options with the values of this prediction
    struct whatif_chosen *values; // the same, one by one
    size_t n_values;
    struct scenario_settings settings; // its arrays live as long as the set
    const char *machine;               // path, NULL: none
    uint64_t latency_ns, eager_bytes;  // PAG_NOT_KNOWN: not given
    uint64_t bandwidth;                // bytes a second, 0: not given
    uint32_t n_workers;                // of a task farm; 0: as recorded
    const char *dealing, *rebalance;   // policies, NULL: not given
    uint64_t threshold;                // with the latter, millionths; PAG_NOT_KNOWN: not given
    uint64_t poll_ns, transfer_ns;     // likewise
    uint32_t n_free_hosts;             // UINT32_MAX: not given
    const double *tolerances;          // percent
    size_t n_tolerances;
    struct whatif_chosen *chosen; // of options with several values
    size_t n_chosen;              // the last one varies fastest
    void **kept;                  // what is freed with the set
    size_t n_kept, kept_capacity;
};

/// Nothing changed. The caller releases it.
void whatif_set_init(struct whatif_set *set);
void whatif_set_release(struct whatif_set *set);

/// Whether its run is estimated (estimate.h): only the run time is known.
bool whatif_set_is_estimate(const struct whatif_set *set);

/// Whether the option NAME changes what is made of a run that is watched, not that run.
bool whatif_option_is_of_estimate(const char *name);

/// TEXT, which is freed with SET.
char *whatif_set_keep(struct whatif_set *set, char *text);

/// The N items of ARRAY with room for one more behind them, zeroed; it lives as long as SET. For
/// the arrays of scenario_settings:
///     s->scales = scales = whatif_set_grow(set, s->scales, s->n_scales, sizeof *scales);
///     scales[s->n_scales++] = ...;
void *whatif_set_grow(struct whatif_set *set, const void *array, size_t n, size_t item_bytes);

// Values that several readers meet; OPTION is the name for the error's sentence. 0, or -1 and ERR.

/// FIRST or SECOND; *IS_SECOND says which.
int whatif_choose(const char *option, const char *text, const char *first, const char *second,
                  bool *is_second, struct error *err);
/// A whole number from 1 to MOST.
int whatif_read_number(const char *option, const char *text, uint32_t most, uint32_t *number,
                       struct error *err);
/// A factor in millionths, at least LEAST of them.
int whatif_read_factor(const char *option, const char *text, uint64_t least, uint64_t *millionths,
                       struct error *err);

#endif
