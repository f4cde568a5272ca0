/* the stack pointer is no base of tbb (A7.7.185) */
/* on: cortex-m3 */
/* with: rounds=looped */
    movs r3, #0
    .inst.w 0xe8ddf003
