// SPDX-License-Identifier: BSD-3-Clause
// Points of a sweep as tasks of Slurm job arrays. Each task is this command again, for one point,
// and leaves the point's result file for the driver.
#ifndef PAGODA_CMD_SWEEP_SLURM_H
#define PAGODA_CMD_SWEEP_SLURM_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/base/error.h"

enum { SWEEP_MAX_TASKS = 1000 }; // of one array; Slurm's own limit is 1001 unless configured

/// An array that is to be submitted: for each task the number (from 1) and the folder of its point.
struct sweep_array {
    const char *dir;     // folder of the sweep
    const char *options; // of sbatch, as shell text
    char **arguments;    // of this command behind its name, up to NULL
    size_t numbers[SWEEP_MAX_TASKS];
    char *folders[SWEEP_MAX_TASKS];
    size_t n;
};

/// Submits the array, and notes in a file beside each point's folder which task it is. 0, or -1 and
/// ERR.
int sweep_slurm_submit(const struct sweep_array *array, struct error *err);

/// The tasks that are pending or running.
struct sweep_queue {
    char *text; // one task a line, and behind it why it is pending
};
/// 0, or -1 and ERR: Slurm does not answer.
int sweep_queue_read(struct sweep_queue *queue, struct error *err);
/// Whether the point of this folder has a task in the queue. REASON, unless NULL, gets Slurm's word
/// for why it is pending: "None" for a task that runs, "" for no task.
enum { SWEEP_REASON_SIZE = 80 };
bool sweep_queue_has(const struct sweep_queue *queue, const char *point_dir, char *reason);
void sweep_queue_release(struct sweep_queue *queue);

/// Takes the task of the point out of the queue, if there is one.
void sweep_slurm_cancel(const char *point_dir);

/// For the task: locks the point, so that it is run once at a time. The lock, or -1: another has
/// it.
int sweep_task_lock(const char *point_dir);

#endif
