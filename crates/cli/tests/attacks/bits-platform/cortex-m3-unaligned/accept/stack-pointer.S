    sub r3, sp, #8
    mov r12, sp
    mov sp, r3
    mov sp, r12
    nop
