# the caller's part of the stack is written
    str r12, [sp, #4]
