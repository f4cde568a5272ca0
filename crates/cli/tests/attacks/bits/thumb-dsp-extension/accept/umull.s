/* a product that ARMv7-M has */
/* on: cortex-m3 */
/* with: rounds=looped */
    umull r3, r12, r3, r3
