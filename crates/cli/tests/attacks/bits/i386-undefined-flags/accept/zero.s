/* a test tells it */
/* on: pentium4 */
/* with: bytes=registers */
    xorl %eax, %eax
    imull %eax, %eax
    testl %eax, %eax
    jne 1f
    jmp 2f
1:
    ret
2:
