# The harness of qemu.rs for MicroBlaze. r12 is the number of a system call, r5 to r7 its arguments.
    .text
next:
    addik r5, r0, 0             # read(0, record, RECORD_SIZE)
    addik r6, r0, RECORD
    addik r7, r0, RECORD_SIZE
    addik r12, r0, 3
    brki r14, 8
    addik r11, r0, RECORD
    lwi r12, r11, 0
    bnei r12, call
    lwi r12, r11, 4             # a system call
    lwi r5, r11, 12
    lwi r6, r11, 16
    lwi r7, r11, 20
    brki r14, 8
    bri next
call:
    lwi r12, r11, 4
    lwi r1, r11, 8
    lwi r5, r11, 12
    lwi r6, r11, 16
    lwi r7, r11, 20
    lwi r8, r11, 24
    lwi r9, r11, 28
    lwi r10, r11, 32
    addik r19, r0, KEPT_FIRST
    addik r20, r19, 1
    addik r21, r19, 2
    addik r22, r19, 3
    addik r23, r19, 4
    addik r24, r19, 5
    addik r25, r19, 6
    addik r26, r19, 7
    addik r27, r19, 8
    addik r28, r19, 9
    addik r29, r19, 10
    addik r30, r19, 11
    addik r31, r19, 12
    brald r15, r12
    or r0, r0, r0
    addik r11, r0, KEPT
    swi r19, r11, 0
    swi r20, r11, 4
    swi r21, r11, 8
    swi r22, r11, 12
    swi r23, r11, 16
    swi r24, r11, 20
    swi r25, r11, 24
    swi r26, r11, 28
    swi r27, r11, 32
    swi r28, r11, 36
    swi r29, r11, 40
    swi r30, r11, 44
    swi r31, r11, 48
    swi r1, r11, 52
    bri next
