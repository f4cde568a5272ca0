/* leal (%esp), %eax as assemblers write it */
/* on: pentium4 */
/* with: bytes=registers */
    leal (%esp), %eax
