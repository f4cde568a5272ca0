# The harness of qemu.rs for 32-bit PowerPC. r0 is the number of a system call, r3 to r5 its arguments.
    .text
next:
    li 3, 0                     # read(0, record, RECORD_SIZE)
    lis 4, RECORD@h
    ori 4, 4, RECORD@l
    li 5, RECORD_SIZE
    li 0, 3
    sc
    lis 11, RECORD@h
    ori 11, 11, RECORD@l
    lwz 12, 0(11)
    cmpwi 12, 0
    bne call
    lwz 0, 4(11)                # a system call
    lwz 3, 12(11)
    lwz 4, 16(11)
    lwz 5, 20(11)
    sc
    b next
call:
    lwz 12, 4(11)
    lwz 1, 8(11)
    lwz 3, 12(11)
    lwz 4, 16(11)
    lwz 5, 20(11)
    lwz 6, 24(11)
    lwz 7, 28(11)
    lwz 8, 32(11)
    lwz 9, 36(11)
    lwz 10, 40(11)
    lis 2, KEPT_FIRST@h
    ori 2, 2, KEPT_FIRST@l
    addi 13, 2, 1
    addi 14, 2, 2
    addi 15, 2, 3
    addi 16, 2, 4
    addi 17, 2, 5
    addi 18, 2, 6
    addi 19, 2, 7
    addi 20, 2, 8
    addi 21, 2, 9
    addi 22, 2, 10
    addi 23, 2, 11
    addi 24, 2, 12
    addi 25, 2, 13
    addi 26, 2, 14
    addi 27, 2, 15
    addi 28, 2, 16
    addi 29, 2, 17
    addi 30, 2, 18
    addi 31, 2, 19
    mtctr 12
    bctrl
    lis 11, KEPT@h
    ori 11, 11, KEPT@l
    stw 2, 0(11)
    stw 13, 4(11)
    stw 14, 8(11)
    stw 15, 12(11)
    stw 16, 16(11)
    stw 17, 20(11)
    stw 18, 24(11)
    stw 19, 28(11)
    stw 20, 32(11)
    stw 21, 36(11)
    stw 22, 40(11)
    stw 23, 44(11)
    stw 24, 48(11)
    stw 25, 52(11)
    stw 26, 56(11)
    stw 27, 60(11)
    stw 28, 64(11)
    stw 29, 68(11)
    stw 30, 72(11)
    stw 31, 76(11)
    stw 1, 80(11)
    b next
