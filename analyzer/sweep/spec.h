// SPDX-License-Identifier: BSD-3-Clause
// Sweep files, pagoda-sweep(5).
#pragma once

#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/sweep/checkpoint.h"
#include "analyzer/sweep/plan.h"

struct sweep_spec {
    struct sweep_plan plan;
    struct sweep_skips skips;
    struct sweep_checkpoints checkpoints;
    char *name, *application, *database; // NULL: not given
    uint64_t point_limit_ns, limit_ns;   // 0: none
    uint32_t run_line;                   // where the launch line stands
};

void sweep_spec_init(struct sweep_spec *spec);
void sweep_spec_release(struct sweep_spec *spec);

/// Reads the file PATH into SPEC, which is empty. 0, or -1 and ERR ("PATH:LINE: what is wrong").
int sweep_spec_read(struct sweep_spec *spec, const char *path, struct error *err);

/// The words of TEXT, up to NULL, by the shell's rules of quoting ('...', "...", \c) and nothing
/// else of it: no variables, no wildcards. NULL and ERR: no word, or a quote that does not end. The
/// caller frees each word and the array.
char **sweep_words(const char *text, struct error *err);
