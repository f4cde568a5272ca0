//! Strategies over a space of variants, under a budget.
