// SPDX-License-Identifier: BSD-3-Clause
// measure COMMAND...: runs it with stdout thrown away and prints "SECONDS CPU_SECONDS PEAK_KB": on
// the clock, of the processor with all that it started and waited for, and the largest resident
// memory. Exits as the command did. (A shell or Python cannot tell: the memory of what forks counts
// as that of the command.)
#include <fcntl.h>
#include <stdio.h>
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
    struct timespec begin, end;
    struct rusage usage;
    int status, nowhere = open("/dev/null", O_WRONLY);
    if (argc < 2) {
        fprintf(stderr, "usage: measure COMMAND...\n");
        return 2;
    }
    clock_gettime(CLOCK_MONOTONIC, &begin);
    pid_t child = fork();
    if (child == 0) {
        dup2(nowhere, STDOUT_FILENO);
        execvp(argv[1], argv + 1);
        perror(argv[1]);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) < 0) {
        perror("measure");
        return 1;
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    printf("%.6f %.6f %ld\n",
           (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec),
           seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime), usage.ru_maxrss);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
