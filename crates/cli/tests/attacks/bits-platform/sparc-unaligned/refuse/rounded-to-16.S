    and %o1, -16, %o1
