//! Families as they are seen: the tree, its picture, comparing, carrying over, labels and names.
#![expect(clippy::unwrap_used, reason = "in a test a panic is the report")]

mod carrying;
mod made;
mod naming;
mod odd;
mod picture;
mod tree;
