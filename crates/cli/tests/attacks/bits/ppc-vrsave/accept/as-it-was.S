/* VRSAVE is set to what it was */
/* on: ppc7410 */
/* with: technique=table */
    mfvrsave 0
    mtvrsave 0
