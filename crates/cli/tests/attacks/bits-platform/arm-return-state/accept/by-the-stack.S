    str lr, [sp, #-8]!
    mov lr, #0
    ldr lr, [sp], #8
