/* a sum defines them */
/* on: pentium4 */
/* with: bytes=registers */
    xorl %eax, %eax
    imull %eax, %eax
    roll $3, %eax
    addl $1, %eax
    jl 1f
    jmp 2f
1:
    ret
2:
