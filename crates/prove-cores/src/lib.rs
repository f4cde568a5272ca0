//! Kernels of described processors, interpreted symbolically and held against the cipher.
