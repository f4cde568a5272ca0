/* a barrier behind the slot */
/* on: microblaze-5 */
/* with: rounds=looped */
    addik r11, r0, 1
    brid 8
    addik r11, r0, 2
    mbar 1
