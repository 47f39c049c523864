// SPDX-License-Identifier: BSD-3-Clause
// Properties of message passing, in the order of the hierarchy message-passing.

// Ranks do not compute for a part of the time between MPI_Init and MPI_Finalize.
property inefficiency(Experiment e) {
  condition: profile(e).parallel_efficiency < 1;
  confidence: 1;
  severity: 1 - profile(e).parallel_efficiency;
}

// Ranks compute for different times here, so that others wait for the busiest one. Of a rank with
// several threads the first one counts.
property computing_imbalance(Region r, Experiment e, Region basis) {
  let
    float most = max(profile(r, e, p).computing_time where p in ranks);
    float mean = mean(profile(r, e, p).computing_time where p in ranks);
  in
  condition: most > mean;
  confidence: 1;
  severity: (most - mean) * profile(e).ranks / duration(basis, e);
}

// A rank computes much longer than the ranks do in the mean.
property slow_rank(Process p, Experiment e, Region basis) {
  let
    float mean = mean(profile(q, e).computing_time where q in ranks);
    float own = profile(p, e).computing_time;
  in
  condition: own > SLOW_RANK_FACTOR * mean;
  confidence: 1;
  severity: (own - mean) * profile(e).ranks / duration(basis, e);
}

// An iteration takes longer than iterations do in the mean.
property slow_iteration(Iteration i, Experiment e, Region basis) {
  let
    float mean = mean(profile(j, e).time where j in iterations);
    float own = profile(i, e).time;
  in
  condition: own > SLOW_ITERATION_FACTOR * mean;
  confidence: 1;
  severity: (own - mean) / duration(basis, e);
}

// Ranks are descheduled or blocked outside MPI.
property time_without_cpu(Region r, Experiment e, Region basis) {
  let float cost = profile(r, e).no_cpu_time;
  in condition: cost > 0;
  confidence: 1;
  severity: cost / duration(basis, e);
}

// Time in MPI calls, except those that start and end MPI.
property message_passing_overhead(Region r, Experiment e, Region basis) {
  let float cost = profile(r, e).mpi_time;
  in condition: cost > 0;
  confidence: 1;
  severity: cost / duration(basis, e);
}

// Time in MPI calls differs between ranks.
property message_passing_imbalance(Region r, Experiment e, Region basis) {
  let
    float most = max(profile(r, e, p).mpi_time where p in ranks);
    float mean = mean(profile(r, e, p).mpi_time where p in ranks);
  in
  condition: most > mean;
  confidence: 1;
  severity: (most - mean) / most * profile(r, e).mpi_time / duration(basis, e);
}

// Time in calls that start and end MPI, of the whole run.
property start_and_end(Region r, Experiment e) {
  let float cost = profile(r, e).start_end_time;
  in condition: cost > 0;
  confidence: 1;
  severity: cost / duration(e);
}

// Time in point-to-point communication.
property point_to_point(Region r, Experiment e, Region basis) {
  let float cost = profile(r, e).point_to_point_time;
  in condition: cost > 0;
  confidence: 1;
  severity: cost / duration(basis, e);
}

// Receivers wait for messages that were sent too late.
property waiting_for_messages(Region r, Experiment e, Region basis) {
  let float cost = profile(r, e).late_sender;
  in condition: cost > 0;
  confidence: 1;
  severity: cost / duration(basis, e);
}

// Receivers wait for one message while another one had come.
property messages_in_wrong_order(Region r, Experiment e, Region basis) {
  let float cost = profile(r, e).late_sender_wrong_order;
  in condition: cost > 0;
  confidence: 1;
  severity: cost / duration(basis, e);
}

// Senders wait for receivers.
property waiting_for_receivers(Region r, Experiment e, Region basis) {
  let float cost = profile(r, e).late_receiver;
  in condition: cost > 0;
  confidence: 1;
  severity: cost / duration(basis, e);
}

// Messages are small, so that their number costs more than their bytes.
property small_messages(Experiment e, Region basis) {
  let
    int sent = profile(e).messages;
    float cost = profile(e).point_to_point_time - profile(e).late_sender - profile(e).late_receiver;
  in
  condition: cost > 0 and profile(e).bytes / sent < SMALL_MESSAGE_THRESHOLD;
  confidence: 1;
  severity: cost / duration(basis, e);
}

// Time in collective operations.
property collective_communication(Region r, Experiment e, Region basis) {
  let float cost = profile(r, e).collective_time;
  in condition: cost > 0;
  confidence: 1;
  severity: cost / duration(basis, e);
}

// Ranks wait for the last one at barriers.
property waiting_at_barriers(Region r, Experiment e, Region basis) {
  let float cost = profile(r, e).wait_at_barrier;
  in condition: cost > 0;
  confidence: 1;
  severity: cost / duration(basis, e);
}

// Ranks wait in operations that gather or exchange data of all ranks, or spread those of a root.
property waiting_for_data(Region r, Experiment e, Region basis) {
  let float cost = profile(r, e).wait_at_nxn + profile(r, e).late_broadcast
                 + profile(r, e).early_reduce + profile(r, e).early_scan;
  in condition: cost > 0;
  confidence: 1;
  severity: cost / duration(basis, e);
}

// Time in one-sided communication and its synchronisation.
property one_sided_communication(Region r, Experiment e, Region basis) {
  let float cost = profile(r, e).rma_time + profile(r, e).rma_synchronisation_time;
  in condition: cost > 0;
  confidence: 1;
  severity: cost / duration(basis, e);
}

// Between MPI calls ranks compute for a short time only.
property frequent_calls(Region r, Experiment e, Region basis) {
  let
    float cost = profile(r, e).mpi_time - profile(r, e).wait_time;
    float computing = profile(r, e).computing_time;
    int calls = profile(r, e).mpi_calls;
  in
  condition: cost > 0 and computing > 0 and computing / calls < SHORT_CALL_THRESHOLD;
  confidence: 1;
  severity: cost / duration(basis, e);
}

// Time in MPI's file operations.
property file_access(Region r, Experiment e, Region basis) {
  let float cost = profile(r, e).io_time;
  in condition: cost > 0;
  confidence: 1;
  severity: cost / duration(basis, e);
}
