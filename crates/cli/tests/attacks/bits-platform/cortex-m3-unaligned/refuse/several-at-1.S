# UsageFault
    push {r4, r5}
    add r12, r1, #1
    ldm r12, {r4, r5}
    pop {r4, r5}
