# is rounded down to a multiple of
    movl 8(%esp), %ecx
    andl $-16, %ecx
    movl (%ecx), %edx
