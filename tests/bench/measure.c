// SPDX-License-Identifier: BSD-3-Clause
// measure [-c|-i] COMMAND...: runs it with stdout thrown away and prints "AMOUNT PEAK_KB": elapsed
// seconds, with -c the CPU time of the command in seconds, with -i the instructions it executed
// outside the kernel in millions, and the largest resident memory. Exits as the command did; with
// -i 77 where the machine does not count instructions.
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/perf_event.h>

enum { STATUS_NO_COUNTER = 77 };

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

/// A counter of the instructions of CHILD and its threads from its exec on; -1 when there is none.
static int count_instructions(pid_t child)
{
    struct perf_event_attr wanted = {
        .type = PERF_TYPE_HARDWARE,
        .size = sizeof wanted,
        .config = PERF_COUNT_HW_INSTRUCTIONS,
        .disabled = 1,
        .inherit = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .enable_on_exec = 1,
    };
    return (int)syscall(SYS_perf_event_open, &wanted, child, -1, -1, 0);
}

/// Starts COMMAND as soon as something comes through GATE.
static void run(char **command, const int gate[2])
{
    char go;
    int nowhere = open("/dev/null", O_WRONLY);
    close(gate[1]);
    if (nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0 || read(gate[0], &go, 1) != 1)
        _exit(126);
    close(gate[0]);
    execvp(command[0], command);
    perror(command[0]);
    _exit(127);
}

int main(int argc, char **argv)
{
    bool is_cpu = argc > 1 && strcmp(argv[1], "-c") == 0;
    bool is_counted = argc > 1 && strcmp(argv[1], "-i") == 0;
    char **command = argv + 1 + (is_cpu || is_counted);
    int gate[2];
    if (!*command) {
        fprintf(stderr, "usage: measure [-c|-i] COMMAND...\n");
        return 2;
    }
    pid_t child = pipe(gate) == 0 ? fork() : -1;
    if (child < 0) {
        perror("measure: fork");
        return 1;
    }
    if (child == 0)
        run(command, gate);
    int counter = is_counted ? count_instructions(child) : -1;
    if (is_counted && counter < 0) {
        perror("measure: this machine does not count instructions");
        close(gate[0]);
        close(gate[1]); // the child ends
        return STATUS_NO_COUNTER;
    }
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    if (write(gate[1], "", 1) != 1)
        return 1;
    int status;
    struct rusage usage;
    if (wait4(child, &status, 0, &usage) < 0) {
        perror("measure: wait");
        return 1;
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    uint64_t n_instructions = 0;
    if (is_counted && read(counter, &n_instructions, sizeof n_instructions) < 0)
        return STATUS_NO_COUNTER;
    double amount =
        (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
    if (is_cpu)
        amount = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
    if (is_counted)
        amount = (double)n_instructions / 1e6;
    printf("%.3f %ld\n", amount, usage.ru_maxrss);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
