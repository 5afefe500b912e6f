//! Where the variables of environments are found: tries that share all but the way to what is new, so
//! that a variable is found in a few steps, however many there are.

use pif_core::limits::to_u32;

/// Bits of a key that a node tells apart.
const BITS: u32 = 4;
/// Children of a node.
const WIDTH: usize = 1 << BITS;
/// Nodes on the way to a value.
const LEVELS: u32 = u32::BITS / BITS;

/// The trie without values.
pub(super) const EMPTY: u32 = 0;

/// All nodes. The first has no children; a child of the last level is a value and 1.
#[derive(Debug)]
pub(super) struct Index {
    nodes: Vec<[u32; WIDTH]>,
}

impl Default for Index {
    fn default() -> Self {
        Self { nodes: vec![[EMPTY; WIDTH]] }
    }
}

impl Index {
    /// The trie with one more value.
    pub(super) fn with(&mut self, root: u32, key: u32, value: u32) -> u32 {
        let mut way = Vec::with_capacity(LEVELS as usize);
        let mut at = root;
        for level in 0..LEVELS {
            way.push(at);
            at = self.child(at, key, level);
        }
        let mut below = value + 1;
        for (level, node) in (0..LEVELS).zip(way).rev() {
            let mut copy = self.nodes.get(node as usize).copied().unwrap_or([EMPTY; WIDTH]);
            if let Some(child) = copy.get_mut(digit(key, level)) {
                *child = below;
            }
            below = to_u32(self.nodes.len());
            self.nodes.push(copy);
        }
        below
    }

    /// The value under a key.
    pub(super) fn find(&self, root: u32, key: u32) -> Option<u32> {
        (0..LEVELS).fold(root, |at, level| self.child(at, key, level)).checked_sub(1)
    }

    fn child(&self, node: u32, key: u32, level: u32) -> u32 {
        let node = self.nodes.get(node as usize);
        node.and_then(|node| node.get(digit(key, level))).copied().unwrap_or(EMPTY)
    }
}

/// The part of a key that a level tells apart, the highest first.
fn digit(key: u32, level: u32) -> usize {
    (key >> (BITS * (LEVELS - 1 - level))) as usize % WIDTH
}
