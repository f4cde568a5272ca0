    mov r12, r9
    mov r9, #0
    mov r9, r12
