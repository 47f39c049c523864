// SPDX-License-Identifier: BSD-3-Clause
// The dispatcher's MPI functions: each jumps through its slot, so that the caller's arguments and
// return address reach the target untouched, whatever the signature is under the MPI at hand.
// A slot starts at a stub that asks dispatch_first_call() for the target. ENTRIES is a generated
// file of ENTRY(name, index) lines, in the order of the name table of dispatch.c.

#if defined(__x86_64__)

#define ENTRY(name, index)                                                                       \
    .text; .globl name; .type name, @function; name: endbr64; jmp *8*(index)+dispatch_slots(%rip); \
    .size name, .-name; first_##name: endbr64; movl $(index), %r11d; jmp first_call;               \
    .section .data.rel; .quad first_##name;

    .section .data.rel, "aw", @progbits
    .balign 8
    .globl dispatch_slots
    .hidden dispatch_slots
dispatch_slots:
    .text
    .hidden dispatch_first_call
// Saves every register that may carry an argument (no MPI function takes one in a vector register
// except through an ellipsis, for which rax is kept), asks for the target, and jumps there.
first_call:
    pushq %rdi
    pushq %rsi
    pushq %rdx
    pushq %rcx
    pushq %r8
    pushq %r9
    pushq %rax
    movl %r11d, %edi
    call dispatch_first_call
    movq %rax, %r11
    popq %rax
    popq %r9
    popq %r8
    popq %rcx
    popq %rdx
    popq %rsi
    popq %rdi
    jmp *%r11

#elif defined(__aarch64__)

#define ENTRY(name, index)                                                                       \
    .text; .globl name; .type name, %function; name: bti c; adrp x16, dispatch_slots+8*(index);    \
    ldr x16, [x16, :lo12:dispatch_slots+8*(index)]; br x16; .size name, .-name;                    \
    first_##name: bti jc; mov w16, #(index); b first_call; .section .data.rel; .quad first_##name;

    .arch armv8.5-a
    .section .data.rel, "aw", %progbits
    .balign 8
    .globl dispatch_slots
    .hidden dispatch_slots
dispatch_slots:
    .text
    .hidden dispatch_first_call
first_call:
    stp x29, x30, [sp, #-96]!
    mov x29, sp
    stp x0, x1, [sp, #16]
    stp x2, x3, [sp, #32]
    stp x4, x5, [sp, #48]
    stp x6, x7, [sp, #64]
    str x8, [sp, #80]
    mov w0, w16
    bl dispatch_first_call
    mov x16, x0
    ldp x0, x1, [sp, #16]
    ldp x2, x3, [sp, #32]
    ldp x4, x5, [sp, #48]
    ldp x6, x7, [sp, #64]
    ldr x8, [sp, #80]
    ldp x29, x30, [sp], #96
    br x16

#else
#error "no MPI trampolines for this processor: add them to tracer/trampolines.S"
#endif

#include ENTRIES

    .section .note.GNU-stack, "", %progbits
