// SPDX-License-Identifier: BSD-3-Clause
// What the sections of the text report share; for this folder only.
#ifndef PAGODA_REPORT_PAGE_H
#define PAGODA_REPORT_PAGE_H

#include <stdio.h>

#include "analyzer/base/text.h"
#include "analyzer/report/report.h"
#include "analyzer/report/table.h"
#include "analyzer/result/result.h"
#include "analyzer/result/whatif.h"

struct page {
    const struct result *result;
    const struct text_options *options;
    FILE *stream;
    struct time_unit unit; // of all times in tables
    double rank_time_ns;   // run time x ranks: the whole that shares of sums are taken of
    double place_time_ns;  // the same for regions and call paths, see page_place_time_ns()
};

/// What ran, what its trace holds, and how much of the run is judged, unless that is nearly all.
void page_run(const struct page *page);
/// Whether page_run() says how much is judged.
bool page_judges_part(const struct result *result);
/// Where the loss in communication comes from, if the run was replayed on an ideal network.
void page_ideal(const struct page *page);
/// An empty line and a heading, with an explanation in brackets unless it is "".
void page_heading(const struct page *page, const char *heading, const char *explanation);
/// The same over a table of times: "HEADING in ms (...)".
void page_heading_of_times(const struct page *page, const char *heading, const char *explanation);
/// Prints TABLE, which is released.
void page_table(const struct page *page, struct table *table);
/// "... and 5 further rows (more with --top)" when some were left out.
void page_left_out(const struct page *page, uint64_t n_left_out, const char *noun,
                   const char *option);
/// What could not be read of the trace, with its heading, or all warnings; nothing without any.
void page_warnings(const struct page *page, bool of_damage_only);
/// A paragraph after LABEL (of at most 13 columns), later lines below the first word.
void page_labelled(const struct page *page, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// views/profile.c
/// The ranks' run time, or that of their threads if it is more.
double page_place_time_ns(const struct result *result);
void page_regions(const struct page *page);
void page_call_tree(const struct page *page);

// views/counters.c
void page_counters(const struct page *page);

// views/groups.c
void page_groups(const struct page *page);

// views/iterations.c
void page_iterations(const struct page *page);

// views/threads.c: nothing where no process has several threads
void page_thread_efficiency(const struct page *page);
void page_threads(const struct page *page);

// views/wait_states.c
void page_waits(const struct page *page);
void page_critical_path(const struct page *page);

/// "12.3 % less saves 120.0 ms already; then exchange on rank 1 is critical", "" if it pays
/// all the way.
/// The caller frees.
char *bend_text(const struct result_bend *bend);

#endif
