//! Sorting, and sorted lists, which do what trees would and take far less WebAssembly.

use std::borrow::Borrow;
use std::cmp::Ordering;

/// Sorts as `slice::sort_by` does: what is equal stays in its order. The standard sort is compiled for
/// each type and each order anew, which was 50 times; here only the comparison and a swap are.
pub(crate) fn by<T>(list: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let order = order(list.len(), &|a, b| compare(&list[a], &list[b]));
    arrange(order, &mut |a, b| list.swap(a, b));
}

/// The same in the order of `Ord`.
pub(crate) fn sort<T: Ord>(list: &mut [T]) {
    by(list, T::cmp);
}

/// The same in the order of what `key` says of each.
pub(crate) fn by_key<T, K: Ord>(list: &mut [T], key: impl Fn(&T) -> K) {
    by(list, |a, b| key(a).cmp(&key(b)));
}

/// The same with keys that take long: each is asked for once.
pub(crate) fn by_cached_key<T, K: Ord>(list: &mut [T], key: impl Fn(&T) -> K) {
    let keys: Vec<K> = list.iter().map(key).collect();
    let order = order(list.len(), &|a, b| keys[a].cmp(&keys[b]));
    arrange(order, &mut |a, b| list.swap(a, b));
}

/// The places of so many items in their order.
fn order(len: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..len).collect();
    order.sort_by(|a, b| compare(*a, *b));
    order
}

/// Puts at each place what stands at `order` of it.
fn arrange(mut order: Vec<usize>, swap: &mut dyn FnMut(usize, usize)) {
    for start in 0..order.len() {
        let mut place = start;
        loop {
            let from = std::mem::replace(&mut order[place], place);
            if from == start || from == place {
                break;
            }
            swap(place, from);
            place = from;
        }
    }
}

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

/// What belongs to a key, in a list that is kept in the order of its keys. For some thousands: each
/// that is new moves all that come behind it.
#[derive(Debug, Clone)]
pub(crate) struct Index<K, V>(Vec<(K, V)>);

impl<K, V> Default for Index<K, V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K: Ord, V> Index<K, V> {
    fn place<Q: Ord + ?Sized>(&self, key: &Q) -> Result<usize, usize>
    where
        K: Borrow<Q>,
    {
        self.0.binary_search_by(|(other, _)| other.borrow().cmp(key))
    }

    pub(crate) fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.place(key).ok().map(|place| &self.0[place].1)
    }

    /// What belongs to the key; if nothing does yet, what `new` says.
    pub(crate) fn or_insert(&mut self, key: K, new: V) -> &mut V {
        let place = match self.place(&key) {
            Ok(place) => place,
            Err(place) => {
                self.0.insert(place, (key, new));
                place
            }
        };
        &mut self.0[place].1
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, (K, V)> {
        self.0.iter()
    }
}

/// The places of `items` in the order of their keys; of equal keys in the order they stand. For
/// looking up many, which [`insert`] is too slow for: it moves all that comes behind.
pub(crate) fn places<'i, T, K: Ord + 'i>(items: &'i [T], key: impl Fn(&'i T) -> K) -> Vec<usize> {
    order(items.len(), &|a, b| key(&items[a]).cmp(&key(&items[b])))
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
    fn what_is_equal_stays_in_its_order() {
        for len in 0..40_u32 {
            let mut list: Vec<(u32, u32)> = (0..len).map(|n| (n * 7 % 5, n)).collect();
            let (mut same, mut cached) = (list.clone(), list.clone());
            same.sort_by_key(|(key, _)| *key);
            by_key(&mut list, |(key, _)| *key);
            by_cached_key(&mut cached, |(key, _)| *key);
            assert_eq!(list, same);
            assert_eq!(cached, same);
            list.reverse();
            sort(&mut list);
            assert_eq!(list, same);
        }
    }

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
