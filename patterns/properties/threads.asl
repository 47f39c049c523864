// SPDX-License-Identifier: BSD-3-Clause
// Properties of threads, in the order of the hierarchy threads. Their severities are shares of the
// threads' time between MPI_Init and MPI_Finalize.

// Threads do not compute for a part of their time.
property thread_inefficiency(Experiment e) {
  condition: profile(e).hybrid_efficiency < 1;
  confidence: 1;
  severity: 1 - profile(e).hybrid_efficiency;
}

// Threads are idle while their master computes alone.
property serial_part(Region r, Experiment e) {
  let float cost = profile(r, e).thread_idle_serial;
  in condition: cost > 0;
  confidence: 1;
  severity: cost / profile(e).thread_time;
}

// Threads are idle while their master is in MPI.
property communication_by_one_thread(Region r, Experiment e) {
  let float cost = profile(r, e).thread_idle_mpi;
  in condition: cost > 0;
  confidence: 1;
  severity: cost / profile(e).thread_time;
}

// Threads are left out of a parallel region that has fewer of them.
property limited_parallelism(Experiment e) {
  let float cost = profile(e).thread_idle_limited;
  in condition: cost > 0;
  confidence: 1;
  severity: cost / profile(e).thread_time;
}

// Threads wait for each other at barriers, for conditions, tasks or other threads, or compete for a
// lock.
property thread_synchronisation(Region r, Experiment e) {
  let float cost = profile(r, e).thread_barrier + profile(r, e).thread_implicit_barrier
                 + profile(r, e).thread_lock + profile(r, e).thread_condition
                 + profile(r, e).thread_task;
  in condition: cost > 0;
  confidence: 1;
  severity: cost / profile(e).thread_time;
}

// Threads wait at explicit barriers.
property waiting_at_thread_barriers(Region r, Experiment e) {
  let float cost = profile(r, e).thread_barrier;
  in condition: cost > 0;
  confidence: 1;
  severity: cost / profile(e).thread_time;
}

// Threads wait at the end of a parallel region or loop.
property waiting_at_implicit_barriers(Region r, Experiment e) {
  let float cost = profile(r, e).thread_implicit_barrier;
  in condition: cost > 0;
  confidence: 1;
  severity: cost / profile(e).thread_time;
}

// Threads wait for a lock or a critical section.
property lock_contention(Region r, Experiment e) {
  let float cost = profile(r, e).thread_lock;
  in condition: cost > 0;
  confidence: 1;
  severity: cost / profile(e).thread_time;
}

// Threads wait for others to signal a condition, such as that there is work.
property waiting_for_conditions(Region r, Experiment e) {
  let float cost = profile(r, e).thread_condition;
  in condition: cost > 0;
  confidence: 1;
  severity: cost / profile(e).thread_time;
}

// Time that the thread runtime takes to start and end teams.
property control_of_parallelism(Experiment e) {
  let float cost = profile(e).thread_runtime;
  in condition: cost > 0;
  confidence: 1;
  severity: cost / profile(e).thread_time;
}
