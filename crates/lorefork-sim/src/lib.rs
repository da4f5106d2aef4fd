//! Host in memory.
