// SPDX-License-Identifier: BSD-3-Clause
// See bus_error.h. A file loses pages when another program cuts it, or when a network file system
// or disk fails. The program may set an action for SIGBUS after MPI_Init, or block the signal: then
// that holds.
#include "tracer/bus_error.h"

#include "tracer/stream.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

static struct sigaction before;

// The action before ours, as the system would have taken it.
static void pass_on(int number, siginfo_t *info, void *context)
{
    bool is_sent = info->si_code <= 0; // by kill() or raise(); else by the instruction
    bool has_handler = (before.sa_flags & SA_SIGINFO) != 0 ||
                       (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN);

    if (!has_handler && before.sa_handler == SIG_IGN && is_sent)
        return;
    if (!has_handler || (before.sa_flags & SA_RESETHAND) != 0)
        signal(number, SIG_DFL);
    if ((before.sa_flags & SA_SIGINFO) != 0)
        before.sa_sigaction(number, info, context);
    else if (has_handler)
        before.sa_handler(number);
    else if (is_sent)
        raise(number); // the instruction is repeated by itself
}

static void on_bus_error(int number, siginfo_t *info, void *context)
{
    int error = errno;

    if (info->si_code <= 0 || !stream_lose(info->si_addr))
        pass_on(number, info, context);
    errno = error;
}

// Noting the loss in the file's header may cause the signal once more, so it is not blocked.
void bus_error_catch(void)
{
    struct sigaction action;

    if (sigaction(SIGBUS, NULL, &before) != 0)
        return;
    action = before;
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK | (before.sa_flags & SA_RESTART);
    sigaction(SIGBUS, &action, NULL);
}
