    push {r4, r5}
    ldrd r4, r5, [r1, #4]
    pop {r4, r5}
