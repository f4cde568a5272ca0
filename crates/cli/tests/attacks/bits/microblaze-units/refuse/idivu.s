/* a unit that a design leaves out unless it asks for it */
/* on: microblaze-5 */
/* with: rounds=looped */
    idivu r11, r5, r5
