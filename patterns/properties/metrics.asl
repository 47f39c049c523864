// SPDX-License-Identifier: BSD-3-Clause
// Metrics of any run that has what they need.

// Instructions that a core completes in a cycle, by PAPI's counters. Where it falls while the
// number of ranks grows, cores compete for memory or caches.
metric instructions_per_cycle(Region r, Experiment e) {
  unit: instructions/cycle;
  value: profile(r, e)."PAPI_TOT_INS" / profile(r, e)."PAPI_TOT_CYC";
}
