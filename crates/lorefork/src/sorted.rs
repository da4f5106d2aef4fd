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

/// The places of `items` in the order of their keys; of equal keys in the order they stand. For
/// looking up many, which [`insert`] is too slow for: it moves all that comes behind.
pub(crate) fn places<'i, T, K: Ord + 'i>(items: &'i [T], key: impl Fn(&'i T) -> K) -> Vec<usize> {
    let mut places: Vec<usize> = (0..items.len()).collect();
    places.sort_by(|a, b| key(&items[*a]).cmp(&key(&items[*b])));
    places
}

/// Those of `places` at which an item with this key stands.
pub(crate) fn at<'p, 'i, T, K: Ord + 'i>(
    places: &'p [usize],
    items: &'i [T],
    key: impl Fn(&'i T) -> K,
    wanted: &K,
) -> &'p [usize] {
    let from = places.partition_point(|place| key(&items[*place]) < *wanted);
    let to = places.partition_point(|place| key(&items[*place]) <= *wanted);
    &places[from..to]
}

/// Whether each item is the first with its key.
pub(crate) fn firsts<'i, T, K: Ord + 'i>(items: &'i [T], key: impl Fn(&'i T) -> K) -> Vec<bool> {
    let places = places(items, &key);
    let mut firsts = vec![true; items.len()];
    for pair in places.windows(2) {
        firsts[pair[1]] = key(&items[pair[0]]) != key(&items[pair[1]]);
    }
    firsts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_a_key_is_found_in_the_order_it_stands() {
        let items = ["b1", "a1", "b2", "c1", "b3"];
        let key = |item: &&'static str| &item[..1];
        let order = places(&items, key);
        assert_eq!(order, [1, 0, 2, 4, 3]);
        assert_eq!(at(&order, &items, key, &"b"), [0, 2, 4]);
        assert_eq!(at(&order, &items, key, &"d"), [0; 0]);
        assert_eq!(firsts(&items, key), [true, true, false, true, false]);
    }
}
