/* ssat with asr #0 stands for ssat16, and with 21 bits for nothing */
/* on: cortex-m4 */
/* with: rounds=looped */
    .inst.w 0xf3230314
