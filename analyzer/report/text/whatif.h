// SPDX-License-Identifier: BSD-3-Clause
// Predictions as a person reads them: the predicted run beside the measured one.
#ifndef PAGODA_REPORT_TEXT_WHATIF_H
#define PAGODA_REPORT_TEXT_WHATIF_H

#include <stdio.h>

#include "analyzer/report/text.h"
#include "analyzer/result/whatif.h"

/// Prints REPORT, a prediction from the run MEASURED.
void text_print_whatif(const struct result *measured, const struct whatif_report *report,
                       const struct text_options *options, FILE *stream);

#endif
