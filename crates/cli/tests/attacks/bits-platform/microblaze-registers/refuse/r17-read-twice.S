# reads r17
    xor r3, r17, r17
