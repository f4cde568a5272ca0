@ The harness of qemu.rs in Thumb instructions of ARMv4T, which calls functions in ARM state: it is their Thumb caller.
    .syntax unified
    .cpu arm7tdmi
    .text
    .arm
    add r12, pc, #1             @ what follows the next instruction, in Thumb state
    bx r12
    .thumb
next:
    movs r0, #0                 @ read(0, record, RECORD_SIZE)
    ldr r1, =RECORD
    movs r2, #RECORD_SIZE
    movs r7, #3
    svc #0
    ldr r4, =RECORD
    ldr r3, [r4]
    cmp r3, #0
    bne call
    ldr r7, [r4, #4]            @ a system call
    ldr r0, [r4, #12]
    ldr r1, [r4, #16]
    ldr r2, [r4, #20]
    svc #0
    b next
call:
    ldr r5, [r4, #4]
    mov r12, r5
    ldr r5, [r4, #8]
    mov sp, r5
    ldr r0, [r4, #12]
    ldr r1, [r4, #16]
    ldr r2, [r4, #20]
    ldr r3, [r4, #24]
    ldr r7, =KEPT_FIRST
    adds r4, r7, #4
    mov r8, r4
    adds r4, r7, #5
    mov r9, r4
    adds r4, r7, #6
    mov r10, r4
    adds r4, r7, #7
    mov r11, r4
    movs r4, r7
    adds r5, r7, #1
    adds r6, r7, #2
    adds r7, r7, #3
    bl go                       @ the address of return is odd
    ldr r1, =KEPT
    stmia r1!, {r4, r5, r6, r7}
    mov r4, r8
    mov r5, r9
    mov r6, r10
    mov r7, r11
    stmia r1!, {r4, r5, r6, r7}
    mov r4, sp
    str r4, [r1]
    b next
go:
    bx r12
    .ltorg
