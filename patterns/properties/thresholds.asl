// SPDX-License-Identifier: BSD-3-Clause
// Thresholds that the conditions of properties name. A file of your own that defines one of them
// anew replaces it.

const float SMALL_IO_THRESHOLD = 65536;     // bytes of a read or write
const float SMALL_MESSAGE_THRESHOLD = 4096; // bytes of a message
const float SHORT_CALL_THRESHOLD = 10000;   // ns between MPI calls
const float SLOW_ITERATION_FACTOR = 1.5;    // as long as the mean
const float SLOW_RANK_FACTOR = 1.2;         // as much computing as the mean
