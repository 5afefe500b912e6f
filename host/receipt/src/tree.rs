//! The Merkle tree of RFC 6962, section 2.1: its root.

use sha2::{Digest as _, Sha256};

/// A hash of the tree.
pub(crate) type Root = [u8; 32];

/// The root of the tree with these leaves.
pub(crate) fn root(leaves: impl Iterator<Item = impl AsRef<[u8]>>) -> Root {
    // The roots of the complete subtrees, the largest first: one for each bit of the number of leaves.
    let mut complete: Vec<Root> = Vec::new();
    for (size, leaf) in leaves.enumerate() {
        let mut hash = of(0, &[leaf.as_ref()]);
        // Each complete subtree of equal size joins what comes after it.
        for _ in 0..size.trailing_ones() {
            if let Some(left) = complete.pop() {
                hash = of(1, &[&left, &hash]);
            }
        }
        complete.push(hash);
    }
    let mut rest = complete.into_iter().rev();
    let Some(last) = rest.next() else { return Sha256::digest([]).into() };
    rest.fold(last, |right, left| of(1, &[&left, &right]))
}

/// The hash of a leaf (0) or of an inner node (1).
fn of(kind: u8, parts: &[&[u8]]) -> Root {
    let mut sha = Sha256::new();
    sha.update([kind]);
    parts.iter().for_each(|part| sha.update(part));
    sha.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition of the RFC, word for word.
    fn defined(leaves: &[Vec<u8>]) -> Root {
        match leaves {
            [] => Sha256::digest([]).into(),
            [leaf] => of(0, &[leaf]),
            _ => {
                let half = leaves.len().next_power_of_two() / 2;
                let (left, right) = leaves.split_at(half);
                of(1, &[&defined(left), &defined(right)])
            }
        }
    }

    #[test]
    fn the_root_is_that_of_the_definition() {
        let mut leaves: Vec<Vec<u8>> = Vec::new();
        for n in 0..130_u8 {
            assert_eq!(root(leaves.iter()), defined(&leaves), "{n}");
            leaves.push(vec![n; usize::from(n % 7)]);
        }
    }
}
