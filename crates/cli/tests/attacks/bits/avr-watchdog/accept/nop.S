/* nothing is done */
/* on: avr */
/* with: rounds=looped */
    nop
