//! Instruction order and register allocation.
