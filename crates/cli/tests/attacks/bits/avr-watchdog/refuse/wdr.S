/* the watchdog is the caller's */
/* on: avr */
/* with: rounds=looped */
    wdr
