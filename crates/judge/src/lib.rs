//! Runs kernels and says how long they took.
