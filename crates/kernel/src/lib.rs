//! The code that a variant becomes on a processor: entry, loop, tail, and their bytes.
