/* an interrupt leaves a wrong base */
/* on: cortex-m3 */
/* with: rounds=unrolled */
    mov r12, r1
    ldrd r12, r3, [r12]
