    mov r12, lr
    mov lr, r12
