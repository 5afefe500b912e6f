//! A crit-bit tree (Morrison's PATRICIA, JACM 15(4), 1968, without its threads). It tells keys
//! apart by the bits where they differ. A look-up visits at most as many nodes as its key has bits,
//! whatever the other keys are, and allocates nothing. The user of the tree keeps the keys.

/// A node: the first bit where its sides differ, the sides, and one of the keys below it.
struct Node {
    bit: u64,
    sides: [Side; 2],
    key: u32,
}

/// One side: twice a node's number, or twice a key's number plus 1.
#[derive(Clone, Copy)]
struct Side(u32);

impl Side {
    fn node(number: usize) -> Self {
        Self(u32::try_from(2 * number).unwrap_or(u32::MAX - 1))
    }

    fn key(number: u32) -> Self {
        Self(2 * number + 1)
    }

    fn number(self) -> u32 {
        self.0 / 2
    }

    fn is_key(self) -> bool {
        self.0 % 2 == 1
    }
}

/// A set of key numbers below 2^31. No key is the beginning of another.
#[derive(Default)]
pub(crate) struct Tree {
    root: Option<Side>,
    nodes: Vec<Node>,
}

impl Tree {
    /// Returns a key that agrees with the wanted one in all the bits that the search tests. If the
    /// wanted key is in the tree, it is the result.
    pub(crate) fn nearest(&self, bits: u64, bit: impl Fn(u64) -> bool) -> Option<u32> {
        let mut side = self.root?;
        while !side.is_key() {
            let node = self.nodes.get(side.number() as usize)?;
            if node.bit >= bits {
                return Some(node.key);
            }
            let [zero, one] = node.sides;
            side = if bit(node.bit) { one } else { zero };
        }
        Some(side.number())
    }

    /// Adds a key. `differs` is its first bit that differs from the key of `nearest`, if there was
    /// one.
    pub(crate) fn add(&mut self, key: u32, differs: Option<u64>, bit: impl Fn(u64) -> bool) {
        let (Some(root), Some(differs)) = (self.root, differs) else {
            self.root = Some(Side::key(key));
            return;
        };
        let (mut side, mut above) = (root, None);
        while !side.is_key()
            && let at = side.number() as usize
            && let Some(node) = self.nodes.get(at)
            && node.bit < differs
        {
            let is_one = bit(node.bit);
            let [zero, one] = node.sides;
            above = Some((at, is_one));
            side = if is_one { one } else { zero };
        }
        let new = Side::node(self.nodes.len());
        let sides = if bit(differs) { [side, Side::key(key)] } else { [Side::key(key), side] };
        self.nodes.push(Node { bit: differs, sides, key });
        let place = match above {
            None => self.root.as_mut(),
            Some((at, is_one)) => {
                let node = self.nodes.get_mut(at);
                node.and_then(|node| node.sides.get_mut(usize::from(is_one)))
            }
        };
        if let Some(place) = place {
            *place = new;
        }
    }
}
