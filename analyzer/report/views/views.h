// SPDX-License-Identifier: BSD-3-Clause
// The sections of reports on a run, for the folder of reports only. Each is printed as text
// (page_...) and made into JSON (json_...) by one file. A function for JSON returns a new
// reference.
#pragma once

#include "analyzer/report/json.h"
#include "analyzer/report/page.h"
#include "analyzer/result/whatif.h"

/// What json_print() prints, of all sections.
json_t *json_report(const struct result *result, const struct whatif_report *whatif);

// ---- run.c

/// What ran, what its trace holds, and how much of the run is judged, unless that is nearly all.
void page_run(const struct page *page);
/// Whether page_run() says how much is judged.
bool page_judges_part(const struct result *result);
/// How efficient the run was, and what the ranks did instead of computing.
void page_efficiency(const struct page *page);
/// Where the loss in communication comes from, if the run was replayed on an ideal network.
void page_ideal(const struct page *page);
/// What could not be read of the trace, with its heading, or all warnings; nothing without any.
void page_warnings(const struct page *page, bool of_damage_only);
/// Adds what RESULT says of the whole run to REPORT.
void json_put_run(json_t *report, const struct result *result);
/// N warnings, each as "code", "count" and "text".
json_t *json_warnings(const struct result_warning *warnings, size_t n);

// ---- findings.c

void page_findings(const struct page *page);
void json_put_findings(json_t *report, const struct result *result);
/// "12.3 % less saves 120.0 ms already; then exchange on rank 1 is critical", "" if it pays
/// all the way. The caller frees.
char *bend_text(const struct result_bend *bend);
/// The same, or NULL if it pays all the way.
json_t *json_bend(const struct result_bend *bend);

// ---- past_errors.c

/// "with a probability of 90 %, by the errors of 24 past predictions with --cores, recorded on
/// node", where ERRORS are enough. The caller frees.
char *past_errors_text(const struct past_errors *errors);
json_t *json_past_errors(const struct past_errors *errors);
json_t *json_expected(const struct expected_time *expected);

// ---- shares.c

/// Appends "rank 0 81.0 %, rank 2 12.3 % and 5 others" to TEXT, or the same of groups, of AMOUNTS
/// by rank; at most LIMIT are named.
void write_ranks(const struct result *result, const struct result_amount *amounts, size_t count,
                 uint64_t total_ns, size_t limit, char **text);
/// "MPI_COMM_WORLD tag 7", "MPI_COMM_WORLD other tags" for RESULT_NONE. The caller frees.
char *messages_text(const struct result *result, uint32_t communicator, uint32_t tag);
/// An index such as a rank, a tag, the name of a call path or a region, the place of calls: null
/// for RESULT_NONE.
json_t *json_index(uint32_t index);
json_t *json_path(const struct result *result, uint32_t path);
json_t *json_region(const struct result *result, uint32_t region);
json_t *json_source(const struct result *result, uint32_t site);
/// "rank 3", "main/solve", "iterations 4-7", or WHOLE of the whole run; of a rank in a place the
/// place. The caller frees.
char *part_text(const struct result *result, const struct result_part *part, const char *whole);
/// Adds region, path, rank, node, first and last of PART to OBJECT, which is returned: null where
/// it is of all of them.
json_t *json_put_part(json_t *object, const struct result *result, const struct result_part *part);
/// Adds "source" and what else is known of a place of calls to OBJECT, which is returned.
json_t *json_put_site(json_t *object, const struct result_site *site);
/// Adds the time and the share to OBJECT, which is returned.
json_t *json_put_share(json_t *object, const struct result_path_share *share);
/// An array of N SHARES, by region, rank, or both.
json_t *json_shares(const struct result *result, const struct result_path_share *shares, size_t n);
/// The same of what is called from, or went by before calls from, places in the source.
json_t *json_site_shares(const struct result *result, const struct result_path_share *shares,
                         size_t n);

// ---- metrics.c

/// VALUE of a metric in UNIT: a time, a size, a share or a number; "-" for NAN.
struct quantity metric_amount(const char *unit, double value);

// ---- one section each

void page_groups(const struct page *page);
void page_iterations(const struct page *page);
/// Nothing where no rank, node or iteration stands out.
void page_stragglers(const struct page *page);
void page_regions(const struct page *page);
void page_call_tree(const struct page *page);
void page_waits(const struct page *page);
void page_slack(const struct page *page);
void page_critical_path(const struct page *page);
void page_counters(const struct page *page);
/// Of GPUs: in one line, and each. Nothing without any.
const char *page_gpu_mark(const struct result_region *region); // " (GPU)" or ""
void page_gpu_time(const struct page *page);
void page_streams(const struct page *page);
void page_servers(const struct page *page);
void page_sensors(const struct page *page);
void page_metrics(const struct page *page);
void page_files(const struct page *page);
/// Nothing where no process has several threads.
void page_thread_efficiency(const struct page *page);
/// Nothing where regions are no tasks.
void page_task_time(const struct page *page);
void page_threads(const struct page *page);
/// The ranks' run time, or that of their threads if it is more.
double page_place_time_ns(const struct result *result);

/// NULL: none were asked for, no loop was found, no process has several threads, no counter is
/// there, no file defines a metric, no file was used.
json_t *json_groups(const struct result *result);
/// Messages between all ranks, from the smallest on.
json_t *json_message_sizes(const struct result *result);
json_t *json_iterations(const struct result *result);
json_t *json_stragglers(const struct result *result);
json_t *json_threads(const struct result *result);
json_t *json_counters(const struct result *result);
json_t *json_streams(const struct result *result);
json_t *json_servers(const struct result *result);
json_t *json_slack(const struct result *result);
json_t *json_sensors(const struct result *result);
json_t *json_metrics(const struct result *result);
json_t *json_files(const struct result *result);
json_t *json_profile(const struct result *result);
json_t *json_critical_path(const struct result *result);
json_t *json_wait_states(const struct result *result);

/// REPORT as an object of schema 1 (pagoda-json(5)).
json_t *json_whatif(const struct whatif_report *report, const struct result *measured);

// ---- what `pagoda explain` knows

struct known;
/// The properties and hierarchies of KNOWN.
json_t *json_known_properties(const struct known *known);
json_t *json_known_hierarchies(const struct known *known);
json_t *json_known_model(const struct task_model *model);
