//! Printers over a finished kernel: machine code, assembly text, C, object files, packages.
