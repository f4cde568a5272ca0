//! The evaluator.
