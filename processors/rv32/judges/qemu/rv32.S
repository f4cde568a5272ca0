# The harness of qemu.rs in RV32I instructions.
    .option norelax
    .text
next:
    li a0, 0                    # read(0, record, RECORD_SIZE)
    li a1, RECORD
    li a2, RECORD_SIZE
    li a7, 63
    ecall
    li t0, RECORD
    lw t1, 0(t0)
    bnez t1, call
    lw a7, 4(t0)                # a system call
    lw a0, 12(t0)
    lw a1, 16(t0)
    lw a2, 20(t0)
    ecall
    j next
call:
    lw t1, 4(t0)
    lw sp, 8(t0)
    lw a0, 12(t0)
    lw a1, 16(t0)
    lw a2, 20(t0)
    lw a3, 24(t0)
    lw a4, 28(t0)
    lw a5, 32(t0)
    lw a6, 36(t0)
    lw a7, 40(t0)
    lw gp, 44(t0)
    li s0, KEPT_FIRST
    addi s1, s0, 1
    addi s2, s0, 2
    addi s3, s0, 3
    addi s4, s0, 4
    addi s5, s0, 5
    addi s6, s0, 6
    addi s7, s0, 7
    addi s8, s0, 8
    addi s9, s0, 9
    addi s10, s0, 10
    addi s11, s0, 11
    jalr ra, t1, 0
    li t0, KEPT
    sw s0, 0(t0)
    sw s1, 4(t0)
    sw s2, 8(t0)
    sw s3, 12(t0)
    sw s4, 16(t0)
    sw s5, 20(t0)
    sw s6, 24(t0)
    sw s7, 28(t0)
    sw s8, 32(t0)
    sw s9, 36(t0)
    sw s10, 40(t0)
    sw s11, 44(t0)
    sw sp, 48(t0)
    j next
