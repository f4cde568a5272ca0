/* the multiplier of 32 bits */
/* on: microblaze-5 */
/* with: rounds=looped */
    mul r11, r5, r5
