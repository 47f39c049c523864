// SPDX-License-Identifier: BSD-3-Clause
// measure [-c] COMMAND...: runs it with stdout thrown away and prints "SECONDS PEAK_KB": elapsed
// time, with -c the CPU time of the command, and the largest resident memory. Exits as the command
// did.
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

int main(int argc, char **argv)
{
    bool is_cpu = argc > 1 && strcmp(argv[1], "-c") == 0;
    char **command = argv + 1 + is_cpu;
    if (argc < 2 + is_cpu) {
        fprintf(stderr, "usage: measure [-c] COMMAND...\n");
        return 2;
    }
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    pid_t child = fork();
    if (child < 0) {
        perror("measure: fork");
        return 1;
    }
    if (child == 0) {
        int nowhere = open("/dev/null", O_WRONLY);
        if (nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0)
            _exit(126);
        execvp(command[0], command);
        perror(command[0]);
        _exit(127);
    }
    int status;
    struct rusage usage;
    if (wait4(child, &status, 0, &usage) < 0) {
        perror("measure: wait");
        return 1;
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    double seconds =
        (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
    if (is_cpu)
        seconds = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
    printf("%.3f %ld\n", seconds, usage.ru_maxrss);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
