// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes move few bytes each.
property small_io_requests(Region r, Experiment e, Region basis) {
 let float cost = profile(r,e).io_time; int num_reads = profile(r,e).num_reads;
     int bytes_read = profile(r,e).bytes_read;
 in condition: cost > 0 and bytes_read/num_reads < SMALL_IO_THRESHOLD;
 confidence: 1; severity: cost/duration(basis,e); }
