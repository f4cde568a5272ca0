# UsageFault
    push {r4, r5}
    add r12, r1, #2
    ldrd r4, r5, [r12]
    pop {r4, r5}
