/* on a Cortex-M4 an interrupt does no harm */
/* on: cortex-m4 */
/* with: rounds=unrolled */
    mov r12, r1
    ldrd r12, r3, [r12]
