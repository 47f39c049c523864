// SPDX-License-Identifier: BSD-3-Clause
// The dispatcher's exported MPI functions, in machine code because they serve any signature: the
// caller's arguments reach the target untouched. What they do is described in dispatch.h; here is how.
//
//   MPI_X          jumps through its slot, which at first leads to dispatch_first_call().
//   PMPI_X         to the next PMPI_X inside a recorded call or if nothing is recorded, otherwise
//                  where MPI_X goes.
//   continuations  where a wrapper's call goes if another tool defines MPI_X: to the next MPI_X, or
//                  to the next PMPI_X if the program called that.
//   dlsym          asks dispatch_symbol() of dispatch.c first.
//   Fortran names  call the next definition between dispatch_language_enter() and _leave(). The
//                  arguments on the stack are copied, as many words as there may be.
//
// ENTRIES and LANGUAGE_ENTRIES are generated: lines ENTRY(name, index) in the order of the name
// table of dispatch.c, and LANGUAGE_ENTRY(name, number, index) in that of language.c. Offsets into
// struct dispatch_thread are checked in dispatch.c.

#define INSIDE 0
#define VIA_PMPI 4
// Words of arguments on the stack: MPI_Rget_accumulate has 14 arguments in Fortran, 6 or more of
// them in registers; MPI_Comm_spawn_multiple 10 and the lengths of two texts.
#define STACK_WORDS 12

#if defined(__x86_64__)
#define FUNCTION @function
#define LANDING endbr64
#define SET_NUMBER(number) movl $(number), %r11d
#define GO(target) jmp target
#define JUMP_SLOT(index) jmp *8*(index)+dispatch_slots(%rip)
#elif defined(__aarch64__)
#define FUNCTION %function
#define LANDING bti c
#define SET_NUMBER(number) mov w16, #(number)
#define GO(target) b target
#define JUMP_SLOT(index)                                                                           \
    adrp x16, dispatch_slots+8*(index); ldr x16, [x16, :lo12:dispatch_slots+8*(index)]; br x16
    .arch armv8.5-a
#else
#error "no MPI trampolines for this processor: add them to tracer/dispatch/trampolines.S"
#endif

#define STUB(name, number, target)                                                                 \
    .globl name; .type name, FUNCTION; .balign 16; name: LANDING; SET_NUMBER(number); GO(target);  \
    .size name, .-name;
#define LANGUAGE_ENTRY(name, number, index) STUB(name, number, language_call)

    .text
    .hidden dispatch_first_call
    .hidden dispatch_first_pmpi
    .hidden dispatch_language_enter
    .hidden dispatch_language_leave
    .hidden dispatch_recording
    .hidden dispatch_pmpi_slots
    .hidden dispatch_mpi_next
    .hidden dispatch_symbol
    .hidden dispatch_real_dlsym
    .globl dlsym
    .type dlsym, FUNCTION

    .cfi_startproc
#define ENTRY(name, index)                                                                         \
    .globl name; .type name, FUNCTION; .balign 16; name: LANDING; JUMP_SLOT(index);                \
    .size name, .-name;
#include ENTRIES
#undef ENTRY
#define ENTRY(name, index) STUB(P##name, index, pmpi_call)
#include ENTRIES
#undef ENTRY
#include LANGUAGE_ENTRIES

    .hidden dispatch_continuations
    .globl dispatch_continuations
    .balign 16
dispatch_continuations:
#define ENTRY(name, index) .balign 16; LANDING; SET_NUMBER(index); GO(continue_call);
#include ENTRIES
#undef ENTRY

#if defined(__x86_64__)

#define ENTRY(name, index) first_##name: LANDING; SET_NUMBER(index); GO(first_call);
#include ENTRIES
#undef ENTRY

pmpi_call:
    movq pagoda_dispatch_thread@gottpoff(%rip), %r10
    cmpl $0, %fs:INSIDE(%r10)
    jne next_pmpi
    cmpb $0, dispatch_recording(%rip)
    je next_pmpi
    movl $1, %fs:VIA_PMPI(%r10)
    leaq dispatch_slots(%rip), %r10
    jmp *(%r10,%r11,8)

continue_call:
    movq pagoda_dispatch_thread@gottpoff(%rip), %r10
    cmpl $0, %fs:VIA_PMPI(%r10)
    jne 1f
    leaq dispatch_mpi_next(%rip), %r10
    jmp *(%r10,%r11,8)
1:  movl $0, %fs:VIA_PMPI(%r10)
next_pmpi:
    leaq dispatch_pmpi_slots(%rip), %r10
    movq (%r10,%r11,8), %r10
    testq %r10, %r10
    je first_pmpi
    jmp *%r10
    .cfi_endproc

// Asks a C function for the target of function number r11d and jumps there. Every register that
// may carry an argument is kept (no MPI function takes one in a vector register except through an
// ellipsis, for which there is rax).
.macro resolve_with resolver
    .cfi_startproc
    .irp register, rdi, rsi, rdx, rcx, r8, r9, rax
    pushq %\register
    .cfi_adjust_cfa_offset 8
    .endr
    movl %r11d, %edi
    call \resolver
    movq %rax, %r11
    .irp register, rax, r9, r8, rcx, rdx, rsi, rdi
    popq %\register
    .cfi_adjust_cfa_offset -8
    .endr
    jmp *%r11
    .cfi_endproc
.endm

first_call:
    resolve_with dispatch_first_call
first_pmpi:
    resolve_with dispatch_first_pmpi

dlsym:
    .cfi_startproc
    endbr64
    pushq %rdi
    .cfi_adjust_cfa_offset 8
    pushq %rsi
    .cfi_adjust_cfa_offset 8
    subq $8, %rsp
    .cfi_adjust_cfa_offset 8
    call dispatch_symbol
    addq $8, %rsp
    .cfi_adjust_cfa_offset -8
    popq %rsi
    .cfi_adjust_cfa_offset -8
    popq %rdi
    .cfi_adjust_cfa_offset -8
    testq %rax, %rax
    jne 1f
    jmp *dispatch_real_dlsym(%rip)
1:  ret
    .cfi_endproc
    .size dlsym, .-dlsym

language_call:
    .cfi_startproc
    pushq %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    .irp register, rdi, rsi, rdx, rcx, r8, r9
    pushq %\register
    .endr
    movl %r11d, %edi
    movq 8(%rbp), %rsi
    call dispatch_language_enter // rax: target, rdx: is there a leave?
    movq %rax, %r11
    movq %rdx, %r10
    .irp register, r9, r8, rcx, rdx, rsi, rdi
    popq %\register
    .endr
    testq %r10, %r10
    jne 1f
    .cfi_remember_state
    popq %rbp
    .cfi_def_cfa %rsp, 8
    jmp *%r11
    .cfi_restore_state
1:
    .set word, STACK_WORDS
    .rept STACK_WORDS
    .set word, word - 1
    pushq 16+8*word(%rbp)
    .endr
    call *%r11
    movq %rax, (%rsp)
    movups %xmm0, 16(%rsp)
    call dispatch_language_leave
    movq (%rsp), %rax
    movups 16(%rsp), %xmm0
    movq %rbp, %rsp
    popq %rbp
    .cfi_def_cfa %rsp, 8
    ret
    .cfi_endproc

#else

#define ENTRY(name, index) first_##name: bti jc; SET_NUMBER(index); GO(first_call);
#include ENTRIES
#undef ENTRY

// x9 to x15 are free at the entry of a function.
.macro thread_address register
    mrs \register, tpidr_el0
    adrp x10, :gottprel:pagoda_dispatch_thread
    ldr x10, [x10, :gottprel_lo12:pagoda_dispatch_thread]
    add \register, \register, x10
.endm

.macro jump_through table
    adrp x9, \table
    add x9, x9, :lo12:\table
    ldr x17, [x9, x16, lsl #3]
.endm

pmpi_call:
    thread_address x9
    ldr w10, [x9, #INSIDE]
    cbnz w10, next_pmpi
    adrp x11, dispatch_recording
    ldrb w11, [x11, :lo12:dispatch_recording]
    cbz w11, next_pmpi
    mov w10, #1
    str w10, [x9, #VIA_PMPI]
    jump_through dispatch_slots
    br x17

continue_call:
    thread_address x9
    ldr w10, [x9, #VIA_PMPI]
    cbnz w10, 1f
    jump_through dispatch_mpi_next
    br x17
1:  str wzr, [x9, #VIA_PMPI]
next_pmpi:
    jump_through dispatch_pmpi_slots
    cbz x17, first_pmpi
    br x17
    .cfi_endproc

.macro save_arguments
    stp x29, x30, [sp, #-96]!
    .cfi_def_cfa_offset 96
    .cfi_offset 29, -96
    .cfi_offset 30, -88
    mov x29, sp
    .cfi_def_cfa_register 29
    stp x0, x1, [sp, #16]
    stp x2, x3, [sp, #32]
    stp x4, x5, [sp, #48]
    stp x6, x7, [sp, #64]
    str x8, [sp, #80]
.endm

.macro drop_frame
    ldp x29, x30, [sp], #96
    .cfi_def_cfa 31, 0
    .cfi_restore 29
    .cfi_restore 30
.endm

.macro restore_arguments
    ldp x0, x1, [sp, #16]
    ldp x2, x3, [sp, #32]
    ldp x4, x5, [sp, #48]
    ldp x6, x7, [sp, #64]
    ldr x8, [sp, #80]
.endm

.macro resolve_with resolver
    .cfi_startproc
    save_arguments
    mov w0, w16
    bl \resolver
    mov x16, x0
    restore_arguments
    drop_frame
    br x16
    .cfi_endproc
.endm

first_call:
    resolve_with dispatch_first_call
first_pmpi:
    resolve_with dispatch_first_pmpi

dlsym:
    .cfi_startproc
    bti c
    save_arguments
    bl dispatch_symbol
    mov x16, x0
    restore_arguments
    drop_frame
    cbnz x16, 1f
    adrp x17, dispatch_real_dlsym
    ldr x17, [x17, :lo12:dispatch_real_dlsym]
    br x17
1:  mov x0, x16
    ret
    .cfi_endproc
    .size dlsym, .-dlsym

language_call:
    .cfi_startproc
    save_arguments
    mov w0, w16
    mov x1, x30
    bl dispatch_language_enter // x0: target, x1: is there a leave?
    mov x16, x0
    mov x17, x1
    restore_arguments
    cbnz x17, 1f
    .cfi_remember_state
    drop_frame
    br x16
    .cfi_restore_state
1:  sub sp, sp, #8*STACK_WORDS
    .set word, 0
    .rept STACK_WORDS / 2
    ldp x9, x10, [x29, #96+8*word]
    stp x9, x10, [sp, #8*word]
    .set word, word + 2
    .endr
    blr x16
    str x0, [x29, #16]
    str d0, [x29, #24]
    bl dispatch_language_leave
    ldr x0, [x29, #16]
    ldr d0, [x29, #24]
    mov sp, x29
    drop_frame
    ret
    .cfi_endproc

#endif

    .section .data.rel, "aw"
    .balign 8
    .globl dispatch_slots
    .hidden dispatch_slots
dispatch_slots:
#define ENTRY(name, index) .quad first_##name;
#include ENTRIES

    .section .note.GNU-stack, "", %progbits
