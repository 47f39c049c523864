// SPDX-License-Identifier: BSD-3-Clause
// The report on estimates: task farms with other workers, load balancing.
#ifndef PAGODA_REPORT_TEXT_DYNAMIC_H
#define PAGODA_REPORT_TEXT_DYNAMIC_H

#include "analyzer/report/page.h"
#include "analyzer/result/whatif.h"

/// What the first estimate of REPORT rests on; nothing where it is a prediction.
void text_print_dynamic(const struct page *page, const struct whatif_report *report);

#endif
