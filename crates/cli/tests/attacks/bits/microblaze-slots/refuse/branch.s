/* a branch in a delay slot, which is not taken */
/* on: microblaze-5 */
/* with: rounds=looped */
    addik r11, r0, 1
    brid 8
    beqi r11, 8
