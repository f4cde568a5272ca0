# stack pointer
    ai $1, $1, -32
    ai $1, $1, 16
