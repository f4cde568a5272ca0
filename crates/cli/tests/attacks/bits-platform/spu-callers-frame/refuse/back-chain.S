# the caller's part of the stack is written
    stqd $0, 0($1)
