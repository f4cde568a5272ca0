/* a barrier in a delay slot, where UG984 forbids it */
/* on: microblaze-5 */
/* with: rounds=looped */
    addik r11, r0, 1
    brid 8
    mbar 1
