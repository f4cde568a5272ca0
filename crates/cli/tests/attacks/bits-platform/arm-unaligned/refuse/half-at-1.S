# rotates the word
    ldrh r12, [r1, #1]
