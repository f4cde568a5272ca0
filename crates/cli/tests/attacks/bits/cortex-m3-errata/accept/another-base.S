/* the base is not among the registers that are loaded */
/* on: cortex-m3 */
/* with: rounds=unrolled */
    push {r4}
    ldrd r3, r4, [r1]
    pop {r4}
