//! Interprets a kernel's own machine code symbolically and holds it against the cipher.
