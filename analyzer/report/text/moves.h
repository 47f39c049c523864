// SPDX-License-Identifier: BSD-3-Clause
// The report on moves of work.
#ifndef PAGODA_REPORT_TEXT_MOVES_H
#define PAGODA_REPORT_TEXT_MOVES_H

#include "analyzer/report/page.h"
#include "analyzer/result/whatif.h"

/// What was moved in POINT, and what the client/server algorithm makes of it; nothing without
/// moves.
void text_print_moves(const struct page *page, const struct whatif_report *report,
                      const struct whatif_point *point);

#endif
