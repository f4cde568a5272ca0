# is rounded down to a multiple of
    movl 8(%esp), %ecx
    andl $-4, %ecx
    movl (%ecx), %edx
