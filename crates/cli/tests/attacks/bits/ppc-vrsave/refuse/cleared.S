/* no vector is saved meanwhile */
/* on: ppc7410 */
/* with: technique=table */
    mfvrsave 0
    li 12, 0
    mtvrsave 12
    mtvrsave 0
