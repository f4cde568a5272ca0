/* an instruction of the DSP extension, which a Cortex-M3 does not have */
/* on: cortex-m3 */
/* with: rounds=looped */
    .inst.w 0xfaa3f383
