    ldrh r12, [r1, #2]
