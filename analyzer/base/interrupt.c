// SPDX-License-Identifier: BSD-3-Clause
// Noted signals (see interrupt.h).
#include "analyzer/base/interrupt.h"

#include <signal.h>
#include <stddef.h>

static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
enum { N_SIGNALS = sizeof numbers / sizeof numbers[0] };

static volatile sig_atomic_t has_come;
static struct sigaction before[N_SIGNALS];

static void note(int number)
{
    (void)number;
    has_come = 1;
}

void interrupt_begin(void)
{
    struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    has_come = 0;
    for (size_t i = 0; i < N_SIGNALS; i++) {
        sigaction(numbers[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
    }
}

bool interrupt_has_come(void)
{
    return has_come;
}

void interrupt_end(void)
{
    for (size_t i = 0; i < N_SIGNALS; i++)
        sigaction(numbers[i], &before[i], NULL);
}
