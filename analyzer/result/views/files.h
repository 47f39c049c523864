// SPDX-License-Identifier: BSD-3-Clause
// What the ranks did to files at each call path (result.files, result.file_uses).
#pragma once

#include "analyzer/result/call_tree.h"
#include "analyzer/result/result.h"

/// Fills the files of RESULT, whose call tree is TREE, with those that were used.
void files_collect(const struct call_tree *tree, struct result *result);
