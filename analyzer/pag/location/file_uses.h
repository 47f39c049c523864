// SPDX-License-Identifier: BSD-3-Clause
// What a location did to files: sums of its operations by call path and file.
#pragma once

#include <stddef.h>

#include "analyzer/base/format/numbers.h"
#include "analyzer/base/map.h"
#include "analyzer/pag/pag.h"
#include "analyzer/trace/file_operations.h"

struct file_uses {
    struct file_use *items; // in the order of their first operations
    size_t n, capacity;
    struct map places; // (path, file, is_inner) -> place
};

/// Counts OPERATION, which ended at PATH. Empty uses are zeroed memory.
void file_uses_add(struct file_uses *uses, uint32_t path, const struct file_operation *operation);
void file_uses_release(struct file_uses *uses);

/// Writes or reads the items (base/format/numbers.h), of N_PATHS call paths and N_FILES files;
/// after reading nothing can be added.
void file_uses_pass(struct file_uses *uses, size_t n_paths, size_t n_files,
                    struct numbers *numbers);
