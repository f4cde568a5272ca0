/* ssat with asr #1 */
/* on: cortex-m4 */
/* with: rounds=looped */
    ssat r3, #21, r3, asr #1
