//! The audit: what is wrong in a folder, and putting it right.

pub mod untangle;
