//! The Merkle tree of RFC 6962, section 2.1: its root, with one hash kept for each complete subtree.

use sha2::{Digest as _, Sha256};

/// A hash of the tree.
pub type Root = [u8; 32];

/// A tree to which leaves are added.
#[derive(Debug, Clone, Default)]
pub struct Tree {
    size: u64,
    /// The roots of the complete subtrees, the largest first: one for each bit of `size`.
    complete: Vec<Root>,
}

impl Tree {
    /// The number of leaves.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Adds a leaf.
    pub fn push(&mut self, leaf: &[u8]) {
        let mut hash = of(0, &[leaf]);
        // Each complete subtree of equal size joins what comes after it.
        for _ in 0..self.size.trailing_ones() {
            if let Some(left) = self.complete.pop() {
                hash = of(1, &[&left, &hash]);
            }
        }
        self.complete.push(hash);
        self.size += 1;
    }

    /// The root.
    #[must_use]
    pub fn root(&self) -> Root {
        let mut rest = self.complete.iter().rev().copied();
        let Some(last) = rest.next() else { return Sha256::digest([]).into() };
        rest.fold(last, |right, left| of(1, &[&left, &right]))
    }
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
        let mut tree = Tree::default();
        let mut leaves = Vec::new();
        for n in 0..130_u8 {
            assert_eq!(tree.root(), defined(&leaves), "{n}");
            assert_eq!(tree.size(), u64::from(n));
            let leaf = vec![n; usize::from(n % 7)];
            tree.push(&leaf);
            leaves.push(leaf);
        }
    }
}
