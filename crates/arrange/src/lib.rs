//! The loop around the blocks: interleaving, pipelining, unrolling, streams, counter-mode caching; and the variant that chooses among them.
