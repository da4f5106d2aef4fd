//! Sorted lists, which do what trees would and take far less WebAssembly.

/// Puts `item` in its place, unless it is there already. Whether it was new.
pub(crate) fn insert<T: Ord>(list: &mut Vec<T>, item: T) -> bool {
    match list.binary_search(&item) {
        Ok(_) => false,
        Err(place) => {
            list.insert(place, item);
            true
        }
    }
}
