    push {r4, r5}
    ldm r1, {r4, r5}
    pop {r4, r5}
