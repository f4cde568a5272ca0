/* the same on a Cortex-M4 */
/* on: cortex-m4 */
/* with: rounds=looped */
    .inst.w 0xfa3ff383
