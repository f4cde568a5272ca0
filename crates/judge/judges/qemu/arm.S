@ The harness of qemu.rs in ARM instructions of ARMv4, without Thumb interworking.
    .syntax unified
    .arm
    .arch armv4
    .text
next:
    mov r0, #0                  @ read(0, record, RECORD_SIZE)
    ldr r1, =RECORD
    mov r2, #RECORD_SIZE
    mov r7, #3
    svc #0
    ldr r12, =RECORD
    ldr r3, [r12]
    cmp r3, #0
    bne call
    ldr r7, [r12, #4]           @ a system call
    ldr r0, [r12, #12]
    ldr r1, [r12, #16]
    ldr r2, [r12, #20]
    svc #0
    b next
call:
    ldr sp, [r12, #8]
    ldr r0, [r12, #12]
    ldr r1, [r12, #16]
    ldr r2, [r12, #20]
    ldr r3, [r12, #24]
    ldr r12, [r12, #4]
    ldr r4, =KEPT_FIRST
    add r5, r4, #1
    add r6, r4, #2
    add r7, r4, #3
    add r8, r4, #4
    add r9, r4, #5
    add r10, r4, #6
    add r11, r4, #7
    mov lr, pc
    mov pc, r12
    ldr r1, =KEPT
    stmia r1!, {r4-r11}
    str sp, [r1]
    b next
    .ltorg
