# the caller's part of the stack is written
    mflr 0
    stw 0, 8(1)
