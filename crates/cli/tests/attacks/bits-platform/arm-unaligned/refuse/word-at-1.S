# rotates the word
    ldr r12, [r1, #1]
