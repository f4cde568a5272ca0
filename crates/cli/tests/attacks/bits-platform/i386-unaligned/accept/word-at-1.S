# at any address
    movl 8(%esp), %ecx
    movl 1(%ecx), %edx
