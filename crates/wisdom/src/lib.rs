//! The store of every sample ever taken.
