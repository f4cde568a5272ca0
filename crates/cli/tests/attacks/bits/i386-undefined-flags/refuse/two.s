/* the sign behind imul and the overflow behind a rotation are undefined, each of its own: jl goes either way */
/* on: pentium4 */
/* with: bytes=registers */
    xorl %eax, %eax
    imull %eax, %eax
    roll $3, %eax
    jl 1f
    jmp 2f
1:
    ret
2:
