// SPDX-License-Identifier: BSD-3-Clause
// The paragraph at the end of a report: the biggest loss, where, why, whose, and what to look at -
// or, as plainly, that there is none or that the run is too short to say.
#ifndef PAGODA_RESULT_CONCLUSION_H
#define PAGODA_RESULT_CONCLUSION_H

#include "analyzer/result/result.h"

/// Writes headline and conclusion of RESULT, everything else of which is filled in.
void conclusion_write(struct result *result);

#endif
