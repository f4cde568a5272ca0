//! A technique writes what a block needs as typed values and operations. It knows no processor.
