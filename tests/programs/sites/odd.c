// SPDX-License-Identifier: BSD-3-Clause
// Stacks that cannot be walked to their end: a function without unwind information that spoils the
// frame pointer, a stack of the program's own, frames whose return address leads nowhere.
#define _GNU_SOURCE
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

static int n_calls;
static ucontext_t main_context, own_context;

void call_mpi(void);

__attribute__((noinline)) void call_mpi(void)
{
    int size;

    n_calls += MPI_Comm_size(MPI_COMM_WORLD, &size); // site: odd
}

static void on_own_stack(void)
{
    call_mpi();
}

#ifdef __x86_64__
// No unwind information; rbp is not a frame, but an address: 0, a wild one, one near the end of the
// address space.
void with_frame_pointer(uint64_t frame);
__asm__(".text\n.globl with_frame_pointer\n.type with_frame_pointer, @function\n"
        "with_frame_pointer:\n push %rbp\n mov %rdi, %rbp\n call call_mpi\n pop %rbp\n ret\n"
        ".size with_frame_pointer, .-with_frame_pointer\n");
#else
static void with_frame_pointer(uint64_t frame)
{
    (void)frame;
    call_mpi();
}
#endif

int main(int argc, char **argv)
{
    void *stack = malloc(1 << 20);
    static uint64_t frames[4] = {0, 1, 0x10, 0};

    MPI_Init(&argc, &argv);
    with_frame_pointer(0);
    with_frame_pointer(8);
    with_frame_pointer(0xdeadbeefdeadbeef);
    with_frame_pointer(0x7ffffffffff8);
    frames[0] = (uint64_t)(uintptr_t)&frames[2];
    with_frame_pointer((uint64_t)(uintptr_t)frames);
    getcontext(&own_context);
    own_context.uc_stack.ss_sp = stack;
    own_context.uc_stack.ss_size = 1 << 20;
    own_context.uc_link = &main_context;
    makecontext(&own_context, on_own_stack, 0);
    swapcontext(&main_context, &own_context);
    MPI_Finalize();
    free(stack);
    printf("odd %d\n", n_calls);
    return 0;
}
