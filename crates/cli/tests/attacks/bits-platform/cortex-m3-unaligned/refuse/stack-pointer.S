# the stack pointer is set to no multiple of 4
    sub r3, sp, #6
    mov r12, sp
    mov sp, r3
    mov sp, r12
    nop
