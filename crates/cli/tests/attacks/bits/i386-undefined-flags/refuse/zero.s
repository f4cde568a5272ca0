/* whether a product is zero is not told by its flags */
/* on: pentium4 */
/* with: bytes=registers */
    xorl %eax, %eax
    imull %eax, %eax
    jne 1f
    jmp 2f
1:
    ret
2:
